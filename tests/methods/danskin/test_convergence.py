"""The method on problems with known optima, fixed seeds, stated margins."""

import numpy as np
import pytest

from reckless import minimax
from reckless.bench.problems import problem, stress
from reckless.methods.danskin import Danskin


def solve(p, maxfev, seed):
    result = minimax(p.function, p.x_bounds, p.y_bounds, maxfev=maxfev, method=Danskin(), rng=seed, vectorized=True)
    worst = float(p.worst_case(result.x[None])[0][0])
    return result, worst - p.optimum.value, abs(result.fun - worst) <= 1e-6 * abs(worst) + 1e-9


@pytest.mark.parametrize("name", ["L1", "L2", "L3", "L4", "L5", "L6"])
def test_the_papers_problems_need_a_thousand_evaluations(name):
    """Measured at 1000 evaluations: 27 of 30 seeds or more solved to 1e-6 on each, L4 21; asserted: 3 of 6."""
    regrets = [solve(problem(name), 1000, seed)[1] for seed in range(31, 37)]
    assert sum(regret <= 1e-6 for regret in regrets) >= 3


@pytest.mark.parametrize("name", ["L1", "L2", "L3", "L4", "L5", "L6"])
def test_ten_thousand_evaluations_solve_the_papers_problems_for_good(name):
    """Measured: the largest regret of 30 seeds is 2e-12; asserted: 1e-8, and an honest estimate."""
    _, regret, is_honest = solve(problem(name), 10_000, 41)
    assert regret <= 1e-8
    assert is_honest


@pytest.mark.parametrize(
    ("name", "maxfev"),
    [("L1:n=50", 5_000), ("f1", 4_000), ("f4", 4_000), ("f5", 3_000), ("f9", 8_000), ("f10", 5_000), ("f11", 9_000)],
)
def test_many_coordinates(name, maxfev):
    """Measured first hits: 1.6k, 1.8k, 1.8k, 1.2k, 1.5k (last of ten: 3.8k), 0.9k, 5.3k."""
    _, regret, is_honest = solve(problem(name), maxfev, 51)
    assert regret <= 1e-6
    assert is_honest


@pytest.mark.parametrize("seed", [501, 502, 503])
def test_curvatures_that_span_many_orders_do_not_stop_the_program(seed):
    """Measured first hits: 1758, 1197 and 779; up to 16,000 where the solver gave up on such programs."""
    _, regret, is_honest = solve(problem("f11:b=100"), 3_000, seed)
    assert regret <= 1e-6
    assert is_honest


@pytest.mark.parametrize("seed", [215, 218, 224])
def test_a_maximizer_whose_top_is_far_is_not_left_behind(seed):
    """With these seeds y was once lost on the way, or a good answer after it; 40 of 40 seeds are solved."""
    _, regret, is_honest = solve(problem("f7:b=100"), 200_000, seed)
    assert regret <= 1e-6
    assert is_honest


@pytest.mark.parametrize("name", [f"MWP{i}" for i in range(1, 8)] + ["absorber"])
def test_smooth_problems_of_few_coordinates(name):
    """Measured: 20 of 20 seeds on each; medians 300 to 700 evaluations."""
    _, regret, _ = solve(problem(name), 3000, 61)
    assert regret <= 1e-6


def test_the_filter_is_designed_better_than_the_published_one():
    """Measured with seeds 71-82: 8 of 12 within 1e-6 of 6.6062e-3, 11 below the published 7.146e-3.

    The estimate may be too low by that, since a peak in y is 0.007 wide: 6e-8 here, 4e-5 with one seed.
    """
    result, regret, _ = solve(problem("filter"), 25_000, 71)
    assert regret <= 1e-6
    assert result.fun == pytest.approx(6.6062e-3, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "maxfev", "tolerance"),
    [
        ("deviations", 6_000, 1e-6),
        ("deviations-y", 3_000, 1e-6),
        ("rastrigin", 8_000, 1e-6),
        ("rastrigin-coupled", 8_000, 1e-6),
        ("vertices", 10_000, 1e-6),
        ("noisy-L1", 10_000, 1e-6),
        ("noisy-L6", 10_000, 1e-3),
        ("floored-L1", 10_000, 1e-2),
    ],
)
def test_what_smooth_models_cannot_do(name, maxfev, tolerance):
    p = stress.BUILDERS[name](name)
    _, regret, _ = solve(p, maxfev, 81)
    assert regret <= tolerance


def test_an_estimate_that_was_not_attacked_is_not_believed_to_the_end():
    """A peak in y that is 0.02 wide and twice as high as the rest: found by attacks, and reported as the worst case."""

    def f(X, Y):
        narrow = np.exp(-(((Y[:, 0] - 0.83) / 0.02) ** 2))
        return 1.0 + ((X - 0.5) ** 2).sum(axis=1) + np.maximum(np.cos(3.0 * Y[:, 0]), 2.0 * narrow)

    result = minimax(f, [(0, 1)] * 2, [(0, 1)], maxfev=2000, method=Danskin(), rng=1, vectorized=True)
    assert result.fun == pytest.approx(3.0, abs=1e-6)
