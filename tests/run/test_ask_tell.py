"""Ask and tell has what `minimax` has: a journal, retries, a target, a verification, a callback, a time limit."""

import numpy as np
import pytest

from reckless import InvalidJournal, InvalidObjective, ObjectiveFailed, OutOfTurn, Solver, Status, minimax
from support import X_BOUNDS, Y_BOUNDS, Recorder, tilted_bowl

METHODS = ["danskin", "reckless", "mmde", "coevolution-alternating", "random-search"]


def tell_all(solver, f, n_batches=None):
    """Answer what a solver asks, up to its end or for some batches."""
    while not solver.done and n_batches != 0:
        solver.tell([f(x, y) for x, y in zip(*solver.ask(), strict=True)])
        n_batches = None if n_batches is None else n_batches - 1
    return solver


def flaky(x, y):
    """A bowl that fails for a tenth of the pairs, always the same ones."""
    return np.nan if int(1e6 * x[0] + 1e6 * y[0]) % 10 == 0 else tilted_bowl(x, y)


def make(method="reckless", **options):
    return Solver(method, X_BOUNDS, Y_BOUNDS, **{"maxfev": 400, "rng": 7, **options})


def call(f, method="reckless", **options):
    return minimax(f, X_BOUNDS, Y_BOUNDS, **{"maxfev": 400, "rng": 7, "method": method, **options})


def assert_same(left, right):
    assert left.message == right.message
    assert (left.nfev, left.nit, left.n_failed, left.status) == (right.nfev, right.nit, right.n_failed, right.status)
    assert (left.x.tolist(), left.y.tolist(), left.fun) == (right.x.tolist(), right.y.tolist(), right.fun)
    assert [tuple(map(str, entry)) for entry in left.history] == [tuple(map(str, entry)) for entry in right.history]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("f", "options"),
    [
        (tilted_bowl, {"target": 0.5}),
        (tilted_bowl, {"verify": 150}),
        (flaky, {"retries": 2}),
        (flaky, {"retries": 1, "verify": 120, "target": 1.0}),
    ],
    ids=["target", "verify", "retries", "all"],
)
def test_every_option_does_what_it_does_in_one_call(method, f, options):
    told, called = Recorder(f), Recorder(f)
    result, expected = tell_all(make(method, **options), told).result(), call(called, method, **options)
    assert_same(result, expected)
    assert [(x.tolist(), y.tolist()) for x, y in told.pairs] == [(x.tolist(), y.tolist()) for x, y in called.pairs]
    if "verify" in options:
        assert result.verdict == expected.verdict
        assert result.verification.fun == expected.verification.fun
        assert result.verification.nfev == expected.verification.nfev <= options["verify"]


@pytest.mark.parametrize("method", METHODS)
def test_a_solver_resumes_from_its_journal_and_asks_for_nothing_twice(tmp_path, method):
    journal, first, second = tmp_path / "run.journal", Recorder(flaky), Recorder(flaky)
    options = {"checkpoint": journal, "retries": 1, "verify": 100}
    tell_all(make(method, **options), first, n_batches=9).stop()
    resumed = make(method, **options)
    assert resumed.nfev == min(len(first), 400)  # the verification is not counted
    whole, alone = tell_all(resumed, second).result(), Recorder(flaky)
    assert_same(whole, call(alone, method, retries=1, verify=100))
    assert len(first) + len(second) == len(alone)
    assert [str(pair) for pair in first.pairs + second.pairs] == [str(pair) for pair in alone.pairs]


def test_a_solver_whose_journal_is_complete_is_done_at_once(tmp_path):
    journal = tmp_path / "run.journal"
    whole = tell_all(make(checkpoint=journal), tilted_bowl).result()
    again = make(checkpoint=journal)
    assert again.done
    assert_same(again.result(), whole)


def test_one_call_resumes_what_a_solver_began_and_the_other_way_round(tmp_path):
    expected = call(tilted_bowl)
    begun, rest = tmp_path / "told.journal", Recorder(tilted_bowl)
    solver = tell_all(make(checkpoint=begun), tilted_bowl, n_batches=20)
    n_told = solver.nfev
    solver.stop()
    assert_same(call(rest, checkpoint=begun), expected)
    assert len(rest) == expected.nfev - n_told + 2  # the first two are evaluated again
    called = tmp_path / "called.journal"
    call(tilted_bowl, checkpoint=called)
    assert_same(make(checkpoint=called).result(), expected)


def test_a_journal_with_a_torn_end_is_resumed_within_a_batch(tmp_path):
    journal, rest = tmp_path / "run.journal", Recorder(tilted_bowl)
    tell_all(make("coevolution-alternating", checkpoint=journal), tilted_bowl, n_batches=2).stop()
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-30]))
    resumed = make("coevolution-alternating", checkpoint=journal)
    assert len(resumed.ask()[0]) == 30
    assert_same(tell_all(resumed, rest).result(), call(tilted_bowl, "coevolution-alternating"))


def test_a_journal_in_use_or_of_another_run_is_refused(tmp_path):
    journal = tmp_path / "run.journal"
    solver = tell_all(make(checkpoint=journal), tilted_bowl, n_batches=3)
    with pytest.raises(InvalidJournal, match="in use"):
        make(checkpoint=journal)
    solver.stop()
    with pytest.raises(InvalidJournal, match="with maxfev=400"):
        make(checkpoint=journal, maxfev=500)
    assert make(checkpoint=journal).nfev == solver.nfev


def test_a_pair_that_failed_is_asked_for_again_and_alone():
    solver = make("coevolution-alternating", retries=1, nan_policy="ignore")
    X, Y = solver.ask()
    values = np.arange(100.0)
    values[[3, 70]] = np.nan
    solver.tell(values)
    again = solver.ask()
    assert [part.tolist() for part in again] == [X[[3, 70]].tolist(), Y[[3, 70]].tolist()]
    solver.tell([3.0, np.nan])
    assert len(solver.ask()[0]) == 100  # one retry, and no more
    assert (solver.nfev, solver.result().n_failed) == (102, 3)


def test_the_first_failure_is_that_with_the_lowest_number():
    solver = make("coevolution-alternating")
    X, Y = solver.ask()
    values = np.arange(100.0)
    values[[3, 70]] = np.nan
    solver.tell(values)
    failure = solver.result().first_failure
    assert (failure.number, failure.x.tolist(), failure.y.tolist()) == (3, X[3].tolist(), Y[3].tolist())
    assert failure.summary == "f returned NaN."


def test_a_nan_may_end_the_run():
    solver = make("coevolution-alternating", nan_policy="raise")
    X, _ = solver.ask()
    with pytest.raises(ObjectiveFailed, match="f returned NaN at x="):
        solver.tell([np.nan] * len(X))
    assert solver.done
    assert not solver.result().success
    with pytest.raises(OutOfTurn):
        solver.ask()


def test_the_time_is_looked_at_whenever_values_are_told():
    solver = make(maxtime=1e-9)
    assert not solver.done
    solver.tell([tilted_bowl(x, y) for x, y in zip(*solver.ask(), strict=True)])
    assert solver.done
    assert solver.result().status == Status.TIME_SPENT.code


def test_the_callback_of_a_solver_sees_new_recommendations_and_may_end_the_run():
    seen = []

    def stop(*, intermediate_result):
        seen.append(intermediate_result.fun)
        if len(seen) == 3:
            raise StopIteration

    result = tell_all(make("random-search", callback=stop), tilted_bowl).result()
    assert len(seen) == 3
    assert result.history[-1].fun == seen[-1]
    assert result.status == Status.STOPPED_BY_CALLBACK.code


def test_stopping_during_the_verification_keeps_the_answer():
    solver = make(verify=100)
    tell_all(solver, tilted_bowl, n_batches=None if solver.done else 0)
    while solver.nfev < 400 and solver.result().status == Status.RUNNING.code:
        tell_all(solver, tilted_bowl, n_batches=1)
    assert not solver.done  # the verification is asked for
    solver.stop(Status.TIME_SPENT)
    result = solver.result()
    assert result.verification is None
    assert result.message.endswith("The verification was cut short: the time (maxtime) is spent.")
    assert_same(call(tilted_bowl), type(result)(**{**result, "message": call(tilted_bowl).message}))


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"retries": -1}, "retries: expected a whole number of at least 0"),
        ({"target": "low"}, "target: expected a finite number"),
        ({"maxtime": 0}, "maxtime: expected a number above 0"),
        ({"nan_policy": "worst-of-all"}, "nan_policy: expected"),
        ({"callback": 3}, "callback: expected a function"),
        ({"checkpoint": 3}, "checkpoint: expected the name of a file"),
        ({"verify": -5}, "verify: expected a whole number"),
    ],
)
def test_bad_options_are_refused_as_in_one_call(option, words):
    with pytest.raises(ValueError, match=words):
        make(**option)


def test_an_object_that_cannot_be_read_is_no_value():
    class Hostile:
        def __getattr__(self, name):
            raise RuntimeError(name)

    solver = make()
    solver.ask()
    with pytest.raises(InvalidObjective, match="^values: expected [0-9]+ numbers, but got"):
        solver.tell(Hostile())
