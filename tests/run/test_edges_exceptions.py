"""What f raises is f's: it ends the run as it is, or is a counted failure, whatever it means elsewhere in Python."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from reckless import minimax, worst_case
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

ERRORS = [StopIteration, StopAsyncIteration, SystemExit, GeneratorExit, KeyError, AssertionError, RecursionError]
METHODS = ["danskin", "reckless", "reckless-anr", "mmde", "coevolution-alternating", "random-search"]
WAYS = {
    "plain": {},
    "maxtime": {"maxtime": 600.0},
    "strict": {"nan_policy": "raise"},
    "map": {"workers": map},
    "target": {"target": 1e9},
}


class Raising:
    """An objective that raises an exception at its n-th call, or returns what raises it when it is read."""

    def __init__(self, n, error, *, late=False):
        self.n, self.error, self.late, self.n_calls = n, error, late, 0

    def __call__(self, x, y):
        self.n_calls += 1
        if self.n_calls != self.n:
            return tilted_bowl(x, y)
        if self.late:
            return Unreadable(self.error)
        raise self.error

    def rows(self, X, Y):
        return [self(x, y) for x, y in zip(X, Y, strict=True)]


class Unreadable:
    def __init__(self, error):
        self.error = error

    def __array__(self, dtype=None, copy=None):
        raise self.error


def solve(f, **options):
    return minimax(f, X_BOUNDS, Y_BOUNDS, **{"maxfev": 200, "method": "reckless", "rng": 7, **options})


@pytest.mark.filterwarnings("ignore::reckless.WorkersWarning")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("n", [1, 2, 37])
def test_an_exception_of_f_ends_the_run_or_counts_as_a_failure(way, kind, n):
    error = kind("mine")
    with pytest.raises(kind) as caught:
        solve(Raising(n, error), **WAYS[way])
    assert str(caught.value) == str(error)
    f = Raising(n, error)
    result = solve(f, **{**WAYS[way], "nan_policy": "ignore"}, on_error="ignore")
    assert (result.n_failed, result.nfev) == (1, f.n_calls)
    assert result.first_failure.summary.startswith(kind.__name__)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", [StopIteration, GeneratorExit])
@pytest.mark.parametrize("options", [{}, {"target": -20.0}, {"verify": 100}], ids=["alone", "target", "verify"])
def test_every_method_lets_it_pass_at_every_evaluation(method, kind, options):
    unharmed = Raising(0, None)
    solve(unharmed, method=method, maxfev=60, **options)
    for n in range(1, unharmed.n_calls + 1, 13):
        with pytest.raises(kind):
            solve(Raising(n, kind()), method=method, maxfev=60, **options)
        counted = solve(Raising(n, kind()), method=method, maxfev=60, on_error="ignore", **options)
        n_failed = counted.n_failed + (counted.verification.n_failed if counted.verification else 0)
        assert n_failed == 1


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("vectorized", [False, True], ids=["scalar", "rows"])
@pytest.mark.parametrize("n", [1, 2, 37, 99])
def test_the_worst_case_of_a_given_x_too(kind, vectorized, n):
    for late in (False, True) if not vectorized else (False,):
        f = Raising(n, kind("mine"), late=late)
        with pytest.raises(kind, match="mine"):
            worst_case(f.rows if vectorized else f, [2.0, -3.0], Y_BOUNDS, maxfev=100, rng=1, vectorized=vectorized)
    f = Raising(n, kind("mine"))
    found = worst_case(f, [2.0, -3.0], Y_BOUNDS, maxfev=100, rng=1, on_error="ignore")
    assert (found.n_failed, found.nfev) == (1, f.n_calls)


@pytest.mark.filterwarnings("ignore::reckless.WorkersWarning")
@pytest.mark.parametrize("kind", ERRORS)
def test_of_rows_and_in_threads_and_with_a_journal_too(tmp_path, kind):
    with pytest.raises(kind):
        solve(Raising(37, kind("mine")).rows, vectorized=True)
    with pytest.raises(kind):
        solve(Raising(37, kind("mine"), late=True))
    with pytest.raises(kind):
        solve(Raising(37, kind("mine")), checkpoint=tmp_path / "run.journal")
    with pytest.raises(kind):
        solve(Raising(3, kind("mine")), checkpoint=tmp_path / "run.journal")
    with ThreadPoolExecutor(2) as executor, pytest.raises(kind):
        solve(Raising(37, kind("mine")), workers=executor)

    def f(x, y):
        raise kind("mine")

    with pytest.raises(kind, match="mine"):
        solve(f, workers=1, eval_timeout=60.0)


class Quit(BaseException):
    """What ends a program, besides Ctrl-C."""


def test_what_ends_a_program_is_never_swallowed():
    for options in ({}, {"on_error": "ignore"}, {"target": 1e9}, {"verify": 50}):
        with pytest.raises(Quit):
            solve(Raising(37, Quit()), **options)
    with pytest.raises(Quit):
        worst_case(Raising(37, Quit()), [2.0, -3.0], Y_BOUNDS, maxfev=100, rng=1, on_error="ignore")
