"""worst_case: an independent attack on a given x."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckless import InvalidArgument, worst_case
from support import Y_BOUNDS, Recorder


@given(maxfev=st.integers(1, 700), seed=st.integers(0, 2**32 - 1), n=st.integers(1, 4))
def test_the_budget_is_exact_and_the_answer_was_evaluated(maxfev, seed, n):
    calls = Recorder(lambda x, y: -np.sum((y - 3.0) ** 2) * x[0])
    check = worst_case(calls, [2.0, 1.0], [(2.0, 9.0)] * n, maxfev=maxfev, rng=seed)
    assert len(calls) == check.nfev <= maxfev
    assert all(x.tolist() == [2.0, 1.0] for x, _ in calls.pairs)
    assert any(np.array_equal(y, check.y) for _, y in calls.pairs)
    assert calls.f(np.array([2.0, 1.0]), check.y) == check.fun
    assert 1 <= check.n_agreed <= check.n_starts


@pytest.mark.parametrize(
    ("f", "worst"),
    [
        (lambda x, y: -np.sum((y - 4.0) ** 2), 0.0),
        (lambda x, y: np.sum(y), 27.0),
        (lambda x, y: np.sum((y - 5.0) ** 2), 48.0),
        (lambda x, y: np.cos(3 * y).sum(), 3.0),
    ],
    ids=["inside", "one corner", "other corner", "many"],
)
def test_maxima_inside_and_on_vertices_are_found_and_most_searches_agree(f, worst):
    check = worst_case(f, [1.0], [(2.0, 9.0)] * 3, maxfev=10_000, rng=3)
    assert check.fun == pytest.approx(worst, abs=1e-6)
    assert 3 * check.n_agreed >= check.n_starts
    assert check.message.startswith(f"{check.n_agreed} of {check.n_starts} independent searches")


def test_a_needle_that_few_searches_find_is_reported_with_a_warning():
    def f(x, y):
        needle = 5.0 * np.exp(-1000.0 * np.sum((y - 3.3) ** 2))
        return needle - 0.01 * np.sum((y - 8.0) ** 2)

    check = worst_case(f, [1.0], [(2.0, 9.0)] * 2, maxfev=3000, rng=1)
    honest = worst_case(lambda x, y: -np.sum((y - 8.0) ** 2), [1.0], [(2.0, 9.0)] * 2, maxfev=3000, rng=1)
    assert honest.n_agreed >= honest.n_starts - 1
    assert check.fun <= 5.0
    assert ("a worse one may exist" in check.message) == (3 * check.n_agreed < check.n_starts)


def test_failures_are_counted_and_where_all_fails_the_worst_case_is_unknown():
    f = lambda x, y: np.nan if y[0] > 5 else y[0]  # noqa: E731
    some = worst_case(f, [1.0], Y_BOUNDS, maxfev=500, rng=1, nan_policy="ignore")
    assert some.n_failed > 0
    assert some.fun == pytest.approx(5.0, abs=1e-3)
    assert some.message.startswith(f"{some.n_failed} of {some.nfev} attacks on this x failed, the first at y = (")
    worst = worst_case(f, [1.0], Y_BOUNDS, maxfev=500, rng=1)
    assert (worst.fun, worst.success) == (np.inf, False)
    assert worst.y[0] > 5
    assert worst.nfev < 50  # nothing is worse than that
    none = worst_case(lambda x, y: np.nan, [1.0], Y_BOUNDS, maxfev=500, rng=1, nan_policy="ignore")
    assert not none.success
    assert np.isnan(none.fun)


def test_bad_points_are_refused():
    with pytest.raises(InvalidArgument, match="^x: every coordinate must be finite"):
        worst_case(lambda x, y: 0.0, [np.nan], Y_BOUNDS)
