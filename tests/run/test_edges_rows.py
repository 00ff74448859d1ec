"""An f that was written for rows and is called with vectors is told to be vectorized."""

import numpy as np
import pytest

from reckless import InvalidObjective, minimax, worst_case
from support import X_BOUNDS, Y_BOUNDS, Recorder, tilted_bowl


def by_columns(X, Y):
    return (X[:, 0] - 2.0) ** 2 + X[:, 1] * Y[:, 0]


def by_shape(X, Y):
    m, n = X.shape
    return (X * np.ones((m, n))).sum(axis=1) + Y[:, 0]


def by_length(X, Y):
    return [X[k][0] - Y[k][0] for k in range(len(X))]


def solve(f, **options):
    return minimax(f, X_BOUNDS, Y_BOUNDS, **{"maxfev": 40, "method": "reckless", "rng": 7, **options})


@pytest.mark.parametrize("f", [by_columns, by_shape, by_length])
@pytest.mark.parametrize("options", [{}, {"retries": 1}, {"maxtime": 600.0}], ids=["plain", "retries", "maxtime"])
def test_an_f_for_rows_is_told_to_be_vectorized(f, options):
    with pytest.raises(InvalidObjective, match=r"^f: .* works for rows\. .* pass vectorized=True\.$") as caught:
        solve(f, **options)
    assert isinstance(caught.value.__cause__, (IndexError, ValueError, TypeError))
    assert solve(f, vectorized=True).nfev == 40


def test_so_it_is_where_a_worst_case_is_asked_for():
    with pytest.raises(InvalidObjective, match="pass vectorized=True"):
        worst_case(by_columns, [2.0, -3.0], Y_BOUNDS, maxfev=40)


def broken(x, y):
    raise IndexError("mine")


def wrong_for_rows(x, y):
    if x.ndim == 2:
        return 1.0
    raise ValueError("mine")


@pytest.mark.parametrize("f", [broken, wrong_for_rows])
def test_another_exception_is_f_s_own(f):
    with pytest.raises((IndexError, ValueError), match="mine"):
        solve(f)


@pytest.mark.parametrize(("n_good", "error", "n_calls"), [(0, IndexError, 2), (0, KeyError, 1), (3, IndexError, 4)])
def test_f_is_called_once_more_only_if_it_never_worked(n_good, error, n_calls):
    def f(x, y):
        if len(calls) > n_good:
            raise error
        return tilted_bowl(x, y)

    calls = Recorder(f)
    with pytest.raises(error):
        solve(calls)
    assert len(calls) == n_calls


def test_failures_that_do_not_end_the_run_are_not_looked_into():
    calls = Recorder(by_columns)
    result = solve(calls, on_error="ignore")
    assert len(calls) == result.nfev == result.n_failed
