"""What the default method promises on any function: budget, boxes, honesty about the pair, failures, replay."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reckless import minimax
from reckless.methods.danskin import Danskin
from support import X_BOUNDS, Y_BOUNDS, Recorder, tilted_bowl


def kinked(x, y):
    return abs(x[0] - 2.2) + abs(x[1] + 4.0) - abs(y[0] - 5.0) + abs(x[0] - y[0])


def stairs(x, y):
    return np.floor(x[0] + x[1]) - np.floor(y[0])


def constant(x, y):
    return 3.0


def patchy(x, y):
    return np.nan if np.sin(37.0 * x[0] + 91.0 * y[0]) > 0.6 else tilted_bowl(x, y)


@settings(max_examples=40, deadline=None)
@given(
    budget=st.integers(1, 600),
    seed=st.integers(0, 2**32 - 1),
    f=st.sampled_from([tilted_bowl, kinked, constant, patchy]),
)
def test_stays_within_budget_and_boxes_and_reports_a_pair_it_evaluated(budget, seed, f):
    calls = Recorder(f)
    result = minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=budget, method=Danskin(), rng=seed)
    assert len(calls) == result.nfev <= budget
    assert calls.all_inside(X_BOUNDS, Y_BOUNDS)
    if np.isfinite(result.fun):
        assert f(result.x, result.y) == result.fun
        assert any(np.array_equal(x, result.x) and np.array_equal(y, result.y) for x, y in calls.pairs)
    else:
        assert f is patchy


@pytest.mark.parametrize("f", [tilted_bowl, kinked, stairs, constant, patchy])
@pytest.mark.parametrize("budget", [1, 2, 3, 5, 8, 13, 21, 34, 55, 100])
def test_the_smallest_budgets_are_spent_to_the_last_evaluation(f, budget):
    result = minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=budget, method=Danskin(), rng=budget)
    assert result.nfev == budget


@pytest.mark.parametrize(("n_x", "n_y"), [(1, 1), (1, 3), (4, 1), (2, 5), (3, 3)])
def test_every_pair_of_dimensions_is_solved(n_x, n_y):
    """min over x of max over y of sum (x - 2)^2 - sum (y + 3)^2 + (x_1 - 2)(y_1 + 3): a saddle at 0."""

    def f(X, Y):
        U, W = X - 2.0, Y + 3.0
        return (U * U).sum(axis=1) - (W * W).sum(axis=1) + U[:, 0] * W[:, 0]

    x_bounds, y_bounds = [(1.0, 4.0)] * n_x, [(-7.0, -2.0)] * n_y
    result = minimax(f, x_bounds, y_bounds, maxfev=2000, method=Danskin(), rng=1, vectorized=True)
    np.testing.assert_allclose(result.x, 2.0, atol=1e-4)
    assert result.fun == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("corner", [0.0, 1.0])
def test_maxima_at_a_vertex_are_found_to_the_last_digits(corner):
    def f(X, Y):
        return ((X - 0.4) ** 2).sum(axis=1) + np.where(corner, Y, 1.0 - Y).sum(axis=1)

    result = minimax(f, [(0, 1)] * 2, [(0, 1)] * 3, maxfev=1500, method=Danskin(), rng=2, vectorized=True)
    np.testing.assert_allclose(result.y, corner, rtol=0.0, atol=1e-12)
    assert result.fun == pytest.approx(3.0, abs=1e-9)


def test_a_function_that_always_fails_gives_no_answer():
    result = minimax(lambda x, y: np.nan, X_BOUNDS, Y_BOUNDS, maxfev=500, method=Danskin(), rng=1)
    assert not result.success
    assert result.nfev == result.n_failed == 500
    assert np.isnan(result.fun)


def test_infinite_values_are_as_bad_as_can_be():
    result = minimax(
        lambda x, y: np.inf if x[0] < 2.5 else tilted_bowl(x, y),
        X_BOUNDS,
        Y_BOUNDS,
        maxfev=2000,
        method=Danskin(),
        rng=3,
    )
    assert result.x[0] >= 2.5
    assert np.isfinite(result.fun)


@pytest.mark.parametrize("f", [tilted_bowl, kinked, patchy])
def test_the_same_seed_gives_the_same_run(f):
    first, second = Recorder(f), Recorder(f)
    for calls in (first, second):
        minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=1500, method=Danskin(), rng=11)
    assert all(
        np.array_equal(x, u) and np.array_equal(y, v) for (x, y), (u, v) in zip(first.pairs, second.pairs, strict=True)
    )


def test_rows_and_single_pairs_give_the_same_run():
    scalar = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=1500, method=Danskin(), rng=5)
    rows = minimax(
        lambda X, Y: tilted_bowl(X.T, Y.T), X_BOUNDS, Y_BOUNDS, maxfev=1500, method=Danskin(), rng=5, vectorized=True
    )
    assert scalar.nfev == rows.nfev
    np.testing.assert_allclose(scalar.x, rows.x, rtol=1e-9)


def test_the_path_does_not_depend_on_the_budget():
    """The first 9000 pairs are the same with 10 000 and with 100 000 evaluations to spend."""
    short, long = Recorder(tilted_bowl), Recorder(tilted_bowl)
    minimax(short, X_BOUNDS, Y_BOUNDS, maxfev=10_000, method=Danskin(), rng=7)

    def stop(intermediate_result):
        if intermediate_result.nfev > 9_500:
            raise StopIteration

    minimax(long, X_BOUNDS, Y_BOUNDS, maxfev=100_000, method=Danskin(), rng=7, callback=stop)
    for (x, y), (u, v) in zip(short.pairs[:9000], long.pairs[:9000], strict=True):
        assert np.array_equal(x, u)
        assert np.array_equal(y, v)


def test_most_evaluations_come_in_batches():
    """Measured: 6 pairs per batch on this function of two and one coordinates; asserted: 3."""
    sizes = []

    def f(X, Y):
        sizes.append(len(X))
        return tilted_bowl(X.T, Y.T)

    minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=3000, method=Danskin(), rng=7, vectorized=True)
    assert np.mean(sizes) >= 3.0


def test_agreement_is_full_where_all_searches_agree():
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=3000, method=Danskin(), rng=1)
    assert result.agreement.n_agreed == result.agreement.n_searches > 1


def test_disagreement_between_searches_is_said():
    """Many maxima in y, of which a search from a random place often finds a lower one."""

    def f(X, Y):
        return (X[:, 0] - 0.3) ** 2 + np.cos(40.0 * Y[:, 0]) + Y[:, 0] + np.cos(31.0 * Y[:, 1]) - Y[:, 0] * Y[:, 1]

    result = minimax(f, [(0, 1)], [(0, 1)] * 2, maxfev=3000, method=Danskin(), rng=1, vectorized=True)
    assert 0 <= result.agreement.n_agreed < result.agreement.n_searches
    assert "independent searches" in result.message
