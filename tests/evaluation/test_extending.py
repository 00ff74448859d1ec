"""A finished journal goes on: with a larger maxfev, another target or another verification."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from journals import Interrupting, record, same, solve
from reckless import MMDE, InvalidJournal, Scenarios, Solver, maximin, minimax
from reckless.evaluation.path import Account, Batch
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

IGNORE = {"on_error": "ignore", "nan_policy": "ignore"}
LIST = Scenarios(np.linspace(2.5, 8.5, 40)[:, None] + np.array([[0.0, 7.0]]))
METHODS = [("danskin", 200, 420), ("auto", 60, 150), ("surrogate", 36, 44), ("mmde", 330, 700), ("finite", 150, 400)]


class Asked:
    """An objective that keeps the pairs it is asked for."""

    def __init__(self, f=tilted_bowl):
        self.f, self.pairs = f, []

    def __call__(self, x, y):
        self.pairs.append((*x.tolist(), *y.tolist()))
        return self.f(x, y)


def often_fails(x, y):
    if x[0] < 1.5:
        raise ArithmeticError(f"no mesh at {x[0]:.3f}")
    return float("nan") if y[0] > 8.5 else tilted_bowl(x, y)


def call(path, maxfev, method="danskin", f=tilted_bowl, **options):
    """Return the pairs that f was asked for, without those that check f, and the result."""
    asked, is_old = Asked(f), path is not None and path.exists()
    y_bounds = LIST if method == "finite" else Y_BOUNDS
    result = minimax(asked, X_BOUNDS, y_bounds, maxfev=maxfev, method=method, rng=7, checkpoint=path, **options)
    return asked.pairs[2 if is_old else 0 :], result


@pytest.mark.parametrize(("method", "short", "long"), METHODS)
def test_a_longer_run_uses_all_that_the_shorter_one_evaluated(tmp_path, method, short, long):
    path = tmp_path / "run.journal"
    first, one = call(path, short, method)
    more, two = call(path, long, method)
    whole, _ = call(None, long, method)
    assert (len(first), len(more)) == (one.nfev, two.nfev - one.nfev)
    assert two.nfev == long or method == "finite"  # which comes to an end before
    n_closing = int(0.1 * short) + 3 if method != "mmde" else 200
    assert first[: short - n_closing] == whole[: short - n_closing]
    assert two.fun <= one.fun + 1e-9 or method == "mmde"  # whose estimates are lower bounds that rise
    again, three = call(path, long, method)
    assert again == []
    assert same(two, three)


@pytest.mark.parametrize(
    ("method", "budgets"),
    [
        ("auto", (40, 50, 51, 90)),
        ("surrogate", (40, 44)),
        ("danskin", (200, 300, 310, 600)),
        ("mmde", (50, 350, 600)),
        ("finite", (60, 200)),
    ],
)
def test_no_pair_is_evaluated_more_often_than_one_run_asks_for_it(tmp_path, monkeypatch, method, budgets):
    """A method may ask for a pair twice, to learn whether f is noisy."""
    path, begin, calls = tmp_path / "run.journal", Batch.__init__, []

    def spy(batch, account, X, Y, *more):
        calls[-1].update((*x, *y) for x, y in zip(X.tolist(), Y.tolist(), strict=True))
        begin(batch, account, X, Y, *more)

    monkeypatch.setattr(Batch, "__init__", spy)
    evaluated = Counter()
    for maxfev in budgets:
        calls.append(Counter())
        evaluated.update(call(path, maxfev, method)[0])
    assert all(n <= max(requested[pair] for requested in calls) for pair, n in evaluated.items())


def test_what_the_shorter_run_evaluated_at_its_end_answers_the_longer_one(tmp_path, monkeypatch):
    """Its closing attacks an answer that the longer run attacks too, later."""
    known, remember = [], Account.remember

    def spy(account, X, *more):
        remember(account, X, *more)
        known.append((account, len(X)))

    monkeypatch.setattr(Account, "remember", spy)
    path = tmp_path / "run.journal"
    call(path, 200)
    assert not known
    call(path, 300)
    ((account, n),) = known
    assert 8 <= n <= 12
    assert len(account.memory) < n


@given(
    short=st.integers(1, 120),
    more=st.integers(1, 80),
    n=st.integers(1, 200),
    method=st.sampled_from(["danskin", "mmde", "finite"]),
    retries=st.integers(0, 1),
)
def test_an_extended_run_is_resumed_bit_for_bit(tmp_path_factory, short, more, n, method, retries):
    folder, options = tmp_path_factory.mktemp("journals"), {"retries": retries, **IGNORE}
    results = []
    for k, stops in enumerate(((0, 0), (n, 0), (0, n), (n // 2 + 1, n // 3 + 1))):
        path = folder / f"{k}.journal"
        for stop in (stops[0], 0) if stops[0] < short else (0,):
            call(path, short, method, Interrupting(stop, f=often_fails), **options)
        for stop in (stops[1], 0):
            result = call(path, short + more, method, Interrupting(stop, f=often_fails), **options)[1]
        results.append(result)
        assert result.nfev == short + more
    assert all(same(result, results[0]) for result in results)


@given(short=st.integers(20, 90), more=st.integers(1, 60), seed=st.integers(0, 100), n=st.integers(1, 60))
def test_a_batch_that_was_evaluated_in_part_is_no_obstacle(tmp_path_factory, short, more, seed, n):
    """Workers answer in any order, so that a killed run may lack a few of its last values."""
    folder, rng = tmp_path_factory.mktemp("journals"), np.random.default_rng(seed)
    call(folder / "whole", short)
    lines = (folder / "whole").read_bytes().splitlines(keepends=True)
    n_kept = int(rng.integers(10, len(lines) + 1))
    lines = [line for k, line in enumerate(lines[:n_kept]) if k < n_kept - 6 or rng.random() < 0.6]
    results = []
    for name, stop in (("one", 0), ("two", n)):
        (folder / name).write_bytes(b"".join(lines))
        for k in (stop, 0):
            result = call(folder / name, short + more, f=Interrupting(k))[1]
        assert result.nfev == short + more
        results.append(result)
        assert (folder / name).read_bytes().count(b"\nvalue ") == short + more
    assert same(*results)


def test_a_run_can_be_extended_before_it_was_finished(tmp_path):
    path = tmp_path / "run.journal"
    stopped = call(path, 300, f=Interrupting(120))[1]
    assert stopped.nfev == 119
    assert same(call(path, 500)[1], call(None, 500)[1])
    path.unlink()
    call(path, 500, f=Interrupting(120))
    assert same(call(path, 300)[1], call(None, 300)[1])


def test_one_evaluation_more_is_one_evaluation(tmp_path):
    path = tmp_path / "run.journal"
    for maxfev in range(200, 206):
        pairs, result = call(path, maxfev)
        assert result.nfev == maxfev
        assert len(pairs) == (200 if maxfev == 200 else 1)
        assert result.fun == pytest.approx(0.0, abs=1e-6)


def test_a_hurried_run_stays_as_it_began_until_its_end(tmp_path):
    """With 30 evaluations the surrogate begins with fewer pairs than with 60: they are used nevertheless."""
    path = tmp_path / "run.journal"
    first, _ = call(path, 30, "surrogate")
    whole, _ = call(None, 60, "surrogate")
    assert first[:5] != whole[:5]
    contents, result = call(path, 60, "surrogate")[0], None
    assert len(set(first + contents)) == 60
    assert b"\nsearch " in path.read_bytes()
    n_before = path.read_bytes().partition(b"\nextend ")[0].count(b"\nvalue ")
    assert n_before == 30
    result = call(path, 60, "surrogate")[1]
    assert result.fun < 0.1


@pytest.mark.parametrize(("f", "options"), [(tilted_bowl, {}), (often_fails, {**IGNORE, "retries": 1})])
def test_the_pairs_of_an_earlier_verification_are_known(tmp_path, f, options):
    path = tmp_path / "run.journal"
    first, one = call(path, 200, f=f, verify=150, **options)
    assert len(first) == 200 + one.verification.nfev
    more, two = call(path, 300, f=f, verify=150, **options)
    assert (two.nfev, two.verification.nfev) == (300, 150)
    assert 100 <= len(more) < 100 + 150
    assert same(call(path, 300, f=f, verify=150, **options)[1], two)
    assert call(path, 300, f=f, verify=150, **options)[0] == []


def test_a_finished_run_is_verified_later_and_verified_again(tmp_path):
    path = tmp_path / "run.journal"
    call(path, 200)
    for n_before, n in ((0, 100), (100, 400)):
        pairs, result = call(path, 200, verify=n)
        plain = call(None, 200, verify=n)[1]
        assert n - n_before <= len(pairs) <= n
        assert (result.nfev, result.fun, result.message) == (200, plain.fun, plain.message)
        assert result.verification.nfev == plain.verification.nfev == n
    assert call(path, 200)[0] == []


def test_a_worse_y_that_a_verification_found_is_not_forgotten(tmp_path):
    """f has a peak in y that a search with few evaluations does not see."""

    def f(x, y):
        return tilted_bowl(x, y) + 50.0 * np.exp(-200.0 * (y[0] - 7.5) ** 2)

    path = tmp_path / "run.journal"
    plain = call(None, 60, "mmde", f=f)[1]
    refuted = call(path, 60, "mmde", f=f, verify=1000)[1]
    again = call(path, 60, "mmde", f=f)[1]
    assert again.fun == refuted.fun > plain.fun + 1.0


def test_a_list_that_is_known_in_part_is_verified_in_full(tmp_path):
    path = tmp_path / "run.journal"
    call(path, 150, "finite", verify=40)
    assert call(path, 250, "finite", verify=40)[1].verification.is_exact


def test_a_run_that_reached_its_target_goes_on_to_a_lower_one(tmp_path):
    path = tmp_path / "run.journal"
    first, one = call(path, 2000, target=5.0)
    assert "target" in one.message
    more, two = call(path, 2000, target=1e-3)
    assert "target" in two.message
    assert two.fun <= 1e-3 < one.fun
    assert len(first) + len(more) == two.nfev
    n = two.nfev
    again, three = call(path, 2000, target=1e-3)
    assert again == []
    assert same(two, three)
    rest, four = call(path, 2000, target=None)
    assert (len(rest), four.nfev) == (2000 - n, 2000)
    assert same(call(path, 2000, target=None)[1], four)
    nothing, five = call(path, 2000, target=5.0)  # all evaluations are made
    assert nothing == []
    assert five.fun == four.fun


def test_a_target_for_a_run_that_had_none(tmp_path):
    path = tmp_path / "run.journal"
    call(path, 60)
    pairs, result = call(path, 2000, target=1e-3)
    assert "target" in result.message
    assert len(pairs) == result.nfev - 60
    assert same(call(path, 2000, target=1e-3)[1], result)


@pytest.mark.parametrize("method", ["random-search", "reckless", "reckless-anr", "coevolution-alternating", "corners"])
def test_methods_that_plan_by_maxfev_refuse(tmp_path, method):
    path = tmp_path / "run.journal"
    call(path, 100, method)
    before = path.read_bytes()
    words = "begun with maxfev=100, and .* plans its run by maxfev, so it cannot go on with maxfev=200.* start=result"
    with pytest.raises(InvalidJournal, match=words):
        call(path, 200, method)
    assert path.read_bytes() == before
    assert call(path, 100, method, verify=50)[1].verification.nfev == 50


class Mine:
    """A method of the user's, which says nothing of extensions."""

    def search(self, task):
        for _ in task.rounds():
            (value,) = yield task.random_x(), task.random_y()
            task.recommend_if_better(np.full(task.n_x, 0.5), np.full(task.n_y, 0.5), value)


class Open(Mine):
    handles = frozenset({"extension"})

    def __repr__(self):
        return "Open()"


def test_a_method_of_the_user_s_says_whether_it_can_be_extended(tmp_path):
    solve(tilted_bowl, tmp_path / "mine", maxfev=20, method=Mine())
    with pytest.raises(InvalidJournal, match="plans its run by maxfev"):
        solve(tilted_bowl, tmp_path / "mine", maxfev=30, method=Mine())
    solve(tilted_bowl, tmp_path / "open", maxfev=20, method=Open())
    assert solve(tilted_bowl, tmp_path / "open", maxfev=30, method=Open()).nfev == 30


@pytest.mark.parametrize("maxfev", [1, 199, 300])
def test_a_maxfev_that_is_spent_is_refused(tmp_path, maxfev):
    path = tmp_path / "run.journal"
    call(path, 200)
    call(path, 300)
    before = path.read_bytes()
    if maxfev == 300:
        assert call(path, 300)[0] == []
    else:
        words = f"has 300 evaluations already, so maxfev={maxfev} leaves none.* Give maxfev=300 .* more than 300"
        with pytest.raises(InvalidJournal, match=words):
            call(path, maxfev)
    assert path.read_bytes() == before


def test_what_evaluates_nothing_new_leaves_the_file_as_it_is(tmp_path):
    path = tmp_path / "run.journal"
    call(path, 200)
    before = path.read_bytes()
    with pytest.raises(InvalidJournal, match="another f"):
        call(path, 300, f=lambda x, y: 100.0 - tilted_bowl(x, y))
    with pytest.raises(ZeroDivisionError):
        call(path, 300, f=Interrupting(3, ZeroDivisionError))
    assert path.read_bytes() == before


def test_the_file_tells_the_calls_apart(tmp_path):
    path = tmp_path / "run.journal"
    call(path, 200, verify=50)
    call(path, 260, verify=90)
    kinds = [line.partition(b" ")[0].decode() for line in path.read_bytes().splitlines()]
    marks = [kind for kind in kinds if kind != "value"]
    assert marks == ["head", "verify", "extend", "search", "verify"]
    assert kinds.index("verify") == 201


def test_who_asks_and_tells_goes_on_too(tmp_path):
    def drive(maxfev, path, verify=False):
        solver = Solver("danskin", X_BOUNDS, Y_BOUNDS, maxfev=maxfev, rng=7, checkpoint=path, verify=verify)
        n_told = 0
        while not solver.done:
            X, Y = solver.ask()
            assert len(X)
            n_told += len(X)
            solver.tell([tilted_bowl(x, y) for x, y in zip(X, Y, strict=True)])
        return n_told, solver.result()

    path, other = tmp_path / "run.journal", tmp_path / "other.journal"
    assert drive(200, path, 80)[0] == 280
    n_told, result = drive(300, path, 80)
    assert 100 <= n_told < 180
    call(other, 200, verify=80)
    assert same(call(other, 300, verify=80)[1], result)
    assert drive(300, path, 80)[0] == 0
    assert drive(300, other, 80)[0] == 0


def test_a_population_that_was_cut_by_maxfev_is_lost_but_counted(tmp_path):
    path = tmp_path / "run.journal"
    call(path, 50, MMDE())
    pairs, result = call(path, 300, MMDE())
    assert (len(pairs), result.nfev) == (250, 300)


def test_a_forged_pair_of_another_size_is_refused(tmp_path):
    path = tmp_path / "run.journal"
    call(path, 200)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[-1] = record(b"value 199 0x1.8p+1 3ff8000000000000 4014000000000000")
    path.write_bytes(b"".join(lines))
    with pytest.raises(InvalidJournal, match="has another pair as evaluation"):
        call(path, 300)


@pytest.mark.parametrize("method", ["danskin", "surrogate"])
def test_a_run_that_began_with_designs_is_extended_and_resumed(tmp_path, method):
    short, long = (30, 40) if method == "surrogate" else (130, 150)
    given = {"x0": [[3.5, -6.5], [2.0, -4.0]], "y0": [[2.5], [8.0]]}
    paths = tmp_path / "one.journal", tmp_path / "two.journal"
    call(paths[0], short, method, **given)
    paths[1].write_bytes(paths[0].read_bytes())
    more, result = call(paths[0], long, method, **given)
    assert (len(more), result.nfev) == (long - short, long)
    stopped = call(paths[1], long, method, Interrupting(long - short - 3), **given)[1]
    assert stopped.nfev < long
    assert same(call(paths[1], long, method, **given)[1], result)
    for maxfev in range(long + 1, long + 4):
        assert call(paths[0], maxfev, method, **given)[1].nfev == maxfev


def test_max_min_is_extended_with_its_own_signs(tmp_path):
    def turned(x, y):
        return -tilted_bowl(x, y)

    path, other = tmp_path / "max.journal", tmp_path / "min.journal"
    for maxfev, target in ((200, None), (300, None), (1000, 1e-3)):
        asked = Asked(turned)
        options = {"maxfev": maxfev, "method": "danskin", "rng": 7, "verify": 60}
        goal = {"target": None if target is None else -target}
        result = maximin(asked, X_BOUNDS, Y_BOUNDS, checkpoint=path, **options, **goal)
        pairs, plain = call(other, maxfev, verify=60, target=target)
        assert asked.pairs[2 if maxfev > 200 else 0 :] == pairs
        assert (result.nfev, result.fun) == (plain.nfev, -plain.fun)
        assert result.verification.fun == -plain.verification.fun
    assert b"value 0 " in path.read_bytes()


@pytest.mark.parametrize(("method", "maxfev"), [("danskin", 800), ("auto", 300), ("surrogate", 40), ("finite", 700)])
def test_a_run_that_converged_goes_on_without_tol(tmp_path, method, maxfev):
    path = tmp_path / "run.journal"
    first, one = call(path, maxfev, method, tol=1e-3)
    assert one.message.startswith("Converged at evaluation")
    more, two = call(path, maxfev, method)
    assert one.nfev == len(first) < two.nfev == len(first) + len(more) <= maxfev
    assert "Converged" not in two.message
    for tol in (None, 1e-2):  # a larger one than before changes nothing: all is evaluated
        again, three = call(path, maxfev, method, tol=tol)
        assert again == []
        assert (three.nfev, three.fun, three.x.tolist()) == (two.nfev, two.fun, two.x.tolist())


def test_a_smaller_tol_of_an_interrupted_run_is_resumed(tmp_path):
    """The first call has converged before the second one has."""
    results = []
    for name, stop in (("one", 0), ("two", 30)):
        call(tmp_path / name, 3000, f=rough, tol=0.5)
        for k in (stop, 0):
            result = call(tmp_path / name, 3000, f=Interrupting(k, f=rough), tol=1e-4)[1]
        results.append(result)
    assert same(*results)


def rough(x, y):
    return tilted_bowl(x, y) + 0.3 * np.cos(9.0 * x[0]) * np.cos(7.0 * x[1])
