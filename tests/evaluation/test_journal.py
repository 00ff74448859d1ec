"""checkpoint=: a run that was killed goes on, and returns what it would have returned."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reckless
from journals import RUN, Interrupting, changed_head, same, solve
from reckless import InvalidJournal, JournalWarning, Reckless, minimax
from reckless.evaluation.environment import environment
from reckless.evaluation.fingerprint import fingerprint, stable_repr
from simulators import Counted
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

IGNORE = {"on_error": "ignore", "nan_policy": "ignore"}


def often_fails(x, y):
    if x[0] < 1.5:
        raise ArithmeticError(f"no mesh at {x[0]:.3f}")
    return float("nan") if y[0] > 8.5 else tilted_bowl(x, y)


@pytest.mark.parametrize("method", ["reckless", "reckless-anr", "mmde", "coevolution-alternating", "random-search"])
def test_an_interrupted_run_goes_on_and_evaluates_two_pairs_twice(tmp_path, method):
    plain = solve(tilted_bowl, None, method=method)
    path, n_calls = tmp_path / "run.journal", 0
    for n in (1, 2, 50, 101):
        f = Interrupting(n + min(2, n_calls))
        stopped = solve(f, path, method=method)
        assert not stopped.success
        assert stopped.message.startswith("The run was interrupted")
        n_calls += n - 1
        assert stopped.nfev == n_calls
    f = Interrupting(0)
    assert same(solve(f, path, method=method), plain)
    assert f.n_calls == plain.nfev - n_calls + 2


@pytest.mark.parametrize("size", [1, 4])
def test_an_interrupted_run_with_a_model_goes_on(tmp_path, size):
    """Interrupted within the first design, and in the rounds after it."""
    options = {"maxfev": 18, "method": "auto", "batch_size": size, "on_error": "ignore"}
    plain = solve(Interrupting(0, f=often_fails), None, **options)
    assert (plain.method, plain.nfev) == ("surrogate", 18)
    path = tmp_path / "run.journal"
    assert solve(Interrupting(4, f=often_fails), path, **options).nfev == 3
    stopped = solve(Interrupting(9 + 2, f=often_fails), path, **options)  # two of the three are evaluated again
    assert 3 < stopped.nfev < 18
    f = Interrupting(0, f=often_fails)
    assert same(solve(f, path, **options), plain)
    assert f.n_calls == 18 - stopped.nfev + 2


@given(n=st.integers(1, 300), retries=st.integers(0, 2), maxfev=st.integers(1, 300))
def test_failures_and_retries_are_resumed_too(tmp_path_factory, n, retries, maxfev):
    path = tmp_path_factory.mktemp("journals") / "run.journal"
    options = {"on_error": "ignore", "retries": retries, "maxfev": maxfev}
    plain = solve(Interrupting(0, f=often_fails), None, **options)
    solve(Interrupting(n, f=often_fails), path, **options)
    n_good = path.read_bytes().count(b" 0x") + path.read_bytes().count(b" -0x")
    f = Interrupting(0, f=often_fails)
    assert same(solve(f, path, **options), plain)
    assert f.n_calls == max(0, plain.nfev - (n - 1)) + min(2, n_good)


@pytest.mark.parametrize(("f", "options"), [(tilted_bowl, {}), (often_fails, {**IGNORE, "retries": 1})])
def test_the_verification_is_journaled_too(tmp_path, f, options):
    path, options = tmp_path / "run.journal", {"verify": 300, **options}
    plain = solve(Interrupting(0, f=f), None, **options)
    n_calls = plain.nfev + plain.verification.nfev
    stopped = solve(Interrupting(n_calls - 100, f=f), path, **options)
    assert (stopped.success, stopped.verification) == (False, None)
    assert stopped.x.tolist() == plain.x.tolist()
    assert stopped.message.endswith("The verification was cut short: it was interrupted.")
    rest = Interrupting(0, f=f)
    resumed = solve(rest, path, **options)
    assert same(resumed, plain)
    assert (resumed.gap, resumed.verdict) == (plain.gap, plain.verdict)
    assert np.array_equal(resumed.verification.y, plain.verification.y)
    assert resumed.verification.n_failed == plain.verification.n_failed
    assert rest.n_calls == 101 + 2


def test_a_finished_run_is_read_back_with_two_calls_of_f(tmp_path):
    path, f = tmp_path / "run.journal", Interrupting(0)
    plain = solve(tilted_bowl, path)
    assert same(solve(f, path), plain)
    assert f.n_calls == 2


def test_an_exception_leaves_a_usable_journal(tmp_path):
    path = tmp_path / "run.journal"
    with pytest.raises(ZeroDivisionError):
        solve(Interrupting(120, ZeroDivisionError), path)
    f = Interrupting(0)
    assert same(solve(f, path), solve(tilted_bowl, None))
    assert f.n_calls == 400 - 119 + 2


def test_without_a_seed_one_is_drawn_and_kept(tmp_path):
    first, second = tmp_path / "first.journal", tmp_path / "second.journal"
    solve(Interrupting(100), first, rng=None)
    result = solve(tilted_bowl, first, rng=None)
    assert same(solve(tilted_bowl, first, rng=None), result)
    assert not same(solve(tilted_bowl, second, rng=None), result)


def test_a_generator_is_recognized_by_its_state(tmp_path):
    path = tmp_path / "run.journal"
    solve(Interrupting(100), path, rng=np.random.default_rng(3))
    assert same(solve(tilted_bowl, path, rng=np.random.default_rng(3)), solve(tilted_bowl, None, rng=3))
    advanced = np.random.default_rng(3)
    advanced.random()
    with pytest.raises(InvalidJournal, match="from another seed"):
        solve(tilted_bowl, path, rng=advanced)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"rng": 8}, "was begun from another seed"),
        ({"rng": None}, "was begun from another seed"),
        ({"maxfev": 401}, "was begun with maxfev=400"),
        ({"method": "mmde"}, r"was begun by the method Reckless\(descent_share=0.5"),
        ({"method": Reckless(descent_share=0.3)}, r"was begun by the method Reckless\(descent_share=0.5"),
        ({"retries": 1}, "was begun with retries=0"),
        ({"x_bounds": [(1.0, 4.0), (-7.0, -2.5)]}, "was begun for other bounds"),
        ({"x_bounds": [(1.0, 4.0)]}, "was begun for other bounds"),
    ],
)
def test_a_journal_of_another_run_is_refused_and_left_as_it_is(tmp_path, other, words):
    path = tmp_path / "run.journal"
    solve(Interrupting(50), path)
    before = path.read_bytes()
    arguments = {**RUN, "x_bounds": X_BOUNDS, "y_bounds": Y_BOUNDS, "checkpoint": path, **other}
    with pytest.raises(InvalidJournal, match=words):
        minimax(lambda x, y: pytest.fail("f was called"), **arguments)
    assert path.read_bytes() == before


def test_a_journal_of_another_version_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "run.journal"
    solve(Interrupting(50), path)
    monkeypatch.setattr(reckless.run.plan, "__version__", "99.0")
    with pytest.raises(InvalidJournal, match=f"by version {reckless.__version__} of the package"):
        solve(tilted_bowl, path)


def test_a_run_that_resumes_elsewhere_says_so_and_goes_on(tmp_path):
    path = tmp_path / "run.journal"
    solve(Interrupting(50), path)
    changed_head(path, environment={**environment(), "processor": "abacus", "numpy": "1.0"})
    words = rf"begun with processor abacus \(here .*\), numpy 1.0 \(here {np.__version__}\)\. The run resumes"
    with pytest.warns(JournalWarning, match=words):
        resumed = solve(tilted_bowl, path)
    assert same(resumed, solve(tilted_bowl, None))
    assert {"processor", "numpy", "scipy", "numba", "daqp"} <= set(environment())


class Restless:
    """A method that asks for other pairs every time, as one does that changed since the journal was begun."""

    def search(self, task):
        for _ in task.rounds():
            (value,) = yield np.random.random(task.n_x), task.random_y()  # noqa: NPY002
            task.recommend(task.random_x(), task.random_y(), value)


def test_values_are_never_given_to_other_pairs_than_they_belong_to(tmp_path):
    path = tmp_path / "run.journal"
    solve(Interrupting(50), path, method=Restless())
    with pytest.raises(InvalidJournal, match="has another pair as evaluation 0 than this run asks for"):
        solve(tilted_bowl, path, method=Restless())


def test_fingerprints_tell_different_things_apart_and_do_not_depend_on_memory():
    assert fingerprint((np.arange(3.0),)) == fingerprint((np.arange(3.0),))
    assert fingerprint(np.arange(3.0)) != fingerprint(np.arange(4.0))
    assert fingerprint(Reckless()) != fingerprint(Reckless(restart=False))
    assert "0x" not in stable_repr(Restless())


VICTIM = """
import sys, time
sys.path.insert(0, {tests!r})
from simulators import Counted
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl
from reckless import minimax

def f(x, y):
    time.sleep(0.002)
    return tilted_bowl(x, y)

counted = Counted({calls!r}, f)
result = minimax(counted, X_BOUNDS, Y_BOUNDS, maxfev=400, method="reckless", rng=7, checkpoint={path!r}, {more})
"""


@pytest.mark.parametrize("more", ["", "workers=2"], ids=["alone", "with workers"])
def test_kill_9_loses_nothing(tmp_path, request, more):
    """Twice, at seeded moments; `benchmarks/simulators.py` does it twenty times."""
    calls, path = tmp_path / "calls", tmp_path / "run.journal"
    code = VICTIM.format(tests=str(request.config.rootpath / "tests"), calls=str(calls), path=str(path), more=more)
    for n in sorted(np.random.default_rng(5).integers(1, 350, size=2)):
        victim = subprocess.Popen([sys.executable, "-c", code])
        try:
            wait_until(lambda n=n: calls.exists() and len(calls.read_text().splitlines()) >= n)
        finally:
            victim.send_signal(signal.SIGKILL)
            victim.wait()
    n_before, n_journaled = len(calls.read_text().splitlines()), path.read_bytes().count(b"\nvalue ")
    counted = Counted(calls, tilted_bowl)
    assert same(solve(counted, path), solve(tilted_bowl, None))
    assert len(counted.calls()) - n_before == 400 - n_journaled + 2
    # What was in flight when the process was killed was computed again, at most a chunk per worker, and two pairs of
    # the journal each time.
    assert len(counted.calls()) - 400 <= 2 * (2 * 4 if more else 1) + 2 * 2


def wait_until(is_true, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.005)
