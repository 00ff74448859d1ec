"""Values that are known before they are asked for: no evaluation, no count, and one row in the ledger."""

import numpy as np
import pytest

from reckless.core.outcome import Cause, Outcome, Reason
from reckless.core.task import Budget
from reckless.evaluation.executors import start_engine
from reckless.evaluation.journal import Journal
from reckless.evaluation.known import known_at, mean_at
from reckless.evaluation.ledger import Ledger
from reckless.evaluation.memory import Memory
from reckless.evaluation.objective import Evaluator
from reckless.evaluation.path import Account, Batch, Evaluations, Policies

X = np.array([[2.0, -3.0], [2.0, -4.0], [7.0, 0.0]])
Y = np.array([[5.0], [5.0], [-6.0]])


def account_of(**options):
    policies = Policies("ignore", "ignore", options.pop("retries", 0))
    return Account(Budget(100), policies, Ledger(2, 1), **options)


class Counting:
    def __init__(self):
        self.asked = []

    def __call__(self, x, y):
        self.asked.append((*x.tolist(), *y.tolist()))
        return x.sum() + 10.0 * y.sum()


def evaluations(account, f):
    return Evaluations(account, start_engine(Evaluator(f, vectorized=False), None, None, isolated=False))


def test_each_value_is_given_away_once_the_first_first():
    memory = Memory()
    memory.add(X[[0, 0, 2]], Y[[0, 0, 2]], np.array([1.0, 2.0, 3.0]), np.array([4, 5, 6]))
    assert len(memory) == 3
    known, rows = memory.recall(X, Y)
    assert (known.rows.tolist(), known.values.tolist(), rows.tolist()) == ([0, 2], [1.0, 3.0], [4, 6])
    known, rows = memory.recall(X, Y)
    assert (known.rows.tolist(), known.values.tolist(), rows.tolist()) == ([0], [2.0], [5])
    assert not memory.entries


def test_a_pair_twice_in_one_batch_is_known_once():
    memory = Memory()
    memory.add(X[:1], Y[:1], np.array([1.0]), np.array([0]))
    assert memory.recall(X[[0, 0]], Y[[0, 0]])[0].rows.tolist() == [0]


def test_zero_has_no_sign():
    memory = Memory()
    memory.add(X[2:], Y[2:], np.array([1.0]), np.array([0]))
    assert memory.recall(np.array([[7.0, -0.0]]), Y[2:])[0].values.tolist() == [1.0]


@pytest.mark.parametrize("way", ["batch", "series"])
@pytest.mark.parametrize("size", [1, 3])
def test_known_rows_are_not_evaluated_and_not_counted(way, size):
    account, f = account_of(), Counting()
    account.remember(X[:2], Y[:2], np.array([-1.0, -2.0]))
    with evaluations(account, f) as evaluate:
        for k in range(0, 3, size):
            rows = X[k : k + size], Y[k : k + size]
            ask = evaluate if way == "batch" else lambda X, Y, *more: evaluate.series(X, Y, np.inf, *more)
            expected = [-1.0, -2.0, -53.0][k : k + size]
            assert ask(*rows, account.whole, lambda rows=rows: rows).tolist() == expected
    assert f.asked == [(7.0, 0.0, -6.0)]
    assert account.whole.n_used == 1


def test_a_known_pair_that_is_asked_for_has_one_row_in_the_ledger_and_one_that_is_not_has_one_too():
    account = account_of()
    account.remember(X, Y, np.array([1.0, 2.0, np.nan]))
    assert [known_at(account.ledger, x, lambda cause: True).n_evaluations for x in X] == [1, 1, 1]
    with evaluations(account, Counting()) as evaluate:
        evaluate(X, Y, account.whole, lambda: (X, Y))
    for x, value in zip(X, [1.0, 2.0, np.inf], strict=True):
        known = known_at(account.ledger, x, lambda cause: True)
        assert (known.n_evaluations, known.highest) == (1, value)
    assert mean_at(account.ledger, X[0], Y[0]) == (1.0, 1)
    assert not account.ledger.is_noisy


def test_noise_is_seen_between_a_known_value_and_a_new_one():
    account = account_of()
    account.remember(X, Y, np.array([1.0, 2.0, 3.0]))
    with evaluations(account, Counting()) as evaluate:
        for _ in range(2):
            assert not account.ledger.is_noisy
            evaluate(X, Y, account.whole, lambda: (X, Y))
    assert account.ledger.is_noisy  # f says -1, not 1
    assert account.whole.n_used == 3


def test_a_known_failure_is_repeated_if_retries_are_wanted():
    account, f = account_of(retries=1), Counting()
    account.remember(X, Y, np.array([1.0, np.nan, 3.0]), {1: Reason("lost", cause=Cause.ERROR)})
    assert account.ledger.causes == {1: Cause.ERROR}
    with evaluations(account, f) as evaluate:
        values = evaluate(X, Y, account.whole, lambda: (X, Y))
    assert values.tolist() == [1.0, 48.0, 3.0]
    assert f.asked == [(2.0, -4.0, 5.0)]
    assert not account.ledger.causes
    assert (account.whole.n_used, account.whole.n_failed) == (1, 0)


def test_who_asks_and_tells_is_not_asked_for_known_pairs():
    account = account_of()
    account.remember(X[1:2], Y[1:2], np.array([-2.0]))
    batch = Batch(account, X, Y, account.whole)
    assert batch.missing.tolist() == [0, 2]
    assert batch.pairs[0].tolist() == X[[0, 2]].tolist()
    batch.take(Outcome(np.array([0, 2]), np.array([8.0, 9.0])))
    assert batch.values.tolist() == [8.0, -2.0, 9.0]
    assert account.whole.n_used == 2


def test_what_is_known_is_not_written_to_the_journal(tmp_path):
    path = tmp_path / "run.journal"
    journal = Journal(path)
    journal.begin({})
    account = account_of(journal=journal)
    account.remember(X[:1], Y[:1], np.array([-1.0]))
    with evaluations(account, Counting()) as evaluate:
        evaluate(X, Y, account.whole, lambda: (X, Y))
    journal.close()
    lines = path.read_bytes().splitlines()[1:]
    assert [line.split(b" ")[:2] for line in lines] == [[b"value", b"0"], [b"value", b"1"]]
