"""The step against several cuts: against SciPy's solver, and the rules of acceptance and radius by hand."""

import numpy as np
import pytest
from scipy.optimize import minimize

from reckless.methods.danskin.step import Cuts, Room, Step, is_enough, next_radius, room_in_box, solve_cuts


def naive(cuts, room, radius):
    """SLSQP on d and the height t: minimize t + d'Bd / 2 with every cut below t."""
    n = room.low.size
    constraints = [{"type": "ineq", "fun": lambda u: u[n] - cuts.values - cuts.slopes @ u[:n]}]
    if room.balanced:
        constraints.append({"type": "eq", "fun": lambda u: u[:n].sum()})
    low, high = np.maximum(room.low, -radius), np.minimum(room.high, radius)
    found = minimize(
        lambda u: u[n] + 0.5 * u[:n] @ cuts.B @ u[:n],
        np.append(np.zeros(n), cuts.values.max() + 1.0),
        bounds=[*zip(low, high, strict=True), (None, None)],
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return float(cuts.values.max() - found.fun)


def some_cuts(seed, n_cuts=4, n=3):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n, 2))
    return Cuts(2.0 + 0.1 * rng.random(n_cuts), rng.standard_normal((n_cuts, n)), root @ root.T)


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("radius", [0.02, 0.6])
@pytest.mark.parametrize("seed", range(4))
def test_the_predicted_decrease_is_that_of_another_solver(seed, radius, balanced):
    cuts, room = some_cuts(seed), Room(-np.array([0.1, 0.7, 0.4]), np.array([0.9, 0.3, 0.6]), balanced)
    step = solve_cuts(cuts, room, radius)
    assert step.predicted == pytest.approx(naive(cuts, room, radius), abs=2e-7)
    assert step.reach <= radius + 1e-12
    assert (step.d >= room.low - 1e-12).all()
    assert (step.d <= room.high + 1e-12).all()
    assert not balanced or abs(step.d.sum()) < 1e-9


def test_the_multipliers_balance_the_slopes_of_the_cuts_that_hold():
    """max(2 d, -3 d - 1) is lowest at d = -0.2, where 3/5 of the first and 2/5 of the second balance."""
    cuts = Cuts(np.array([0.0, -1.0, -9.0]), np.array([[2.0], [-3.0], [1.0]]), np.zeros((1, 1)))
    step = solve_cuts(cuts, Room(-np.ones(1), np.ones(1)), 0.8)
    assert step.d.tolist() == pytest.approx([-0.2], abs=1e-8)
    assert step.weights.tolist() == pytest.approx([0.6, 0.4, 0.0], abs=1e-7)
    assert step.predicted == pytest.approx(0.4, abs=1e-8)


def test_a_step_within_the_bounds_is_the_newton_step_of_the_highest_cut():
    B, g = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([0.2, -0.1])
    cuts = Cuts(np.array([5.0, 1.0]), np.array([g, [0.3, 0.3]]), B)
    step = solve_cuts(cuts, room_in_box(np.array([0.4, 0.7])), 0.5)
    assert step.d.tolist() == pytest.approx(np.linalg.solve(B, -g).tolist(), abs=1e-7)
    assert step.weights.tolist() == [1.0, 0.0]


def test_the_step_scales_with_the_values():
    """The same cuts in units of 1e151 and 1e-151: the same step."""
    cuts, room = some_cuts(7), room_in_box(np.array([0.3, 0.6, 0.8]))
    step = solve_cuts(cuts, room, 0.2)
    for unit in (1e151, 1e-151):
        scaled = solve_cuts(Cuts(*(unit * part for part in cuts)), room, 0.2)
        assert scaled.d.tolist() == pytest.approx(step.d.tolist(), abs=1e-7)


def test_a_singular_curvature_does_not_stop_the_step():
    cuts = Cuts(np.array([1.0]), np.array([[1.0, -1.0]]), 1e20 * np.ones((2, 2)))
    step = solve_cuts(cuts, room_in_box(np.array([0.5, 0.5])), 0.1)
    assert step.d.tolist() == pytest.approx([-0.1, 0.1], abs=1e-6)


def test_a_tenth_of_the_predicted_decrease_is_enough():
    assert is_enough(5.0, 4.89, 1.0)
    assert not is_enough(5.0, 4.91, 1.0)
    assert not is_enough(5.0, np.inf, 1.0)
    assert not is_enough(5.0, np.nan, 1.0)


@pytest.mark.parametrize(
    ("reach", "ratio", "expected"),
    [
        (0.1, 0.9, 0.25),  # good, at the border
        (0.05, 0.9, 0.1),  # good, but not held by the radius
        (0.1, 0.5, 0.1),  # fair
        (0.1, 0.2, 0.05),  # bad: half of its length
        (0.01, 0.2, 0.03),  # but not less than 0.3 of the radius
    ],
)
def test_the_radius_follows_from_what_a_step_achieved(reach, ratio, expected):
    assert next_radius(0.1, reach, ratio) == pytest.approx(expected)


def test_the_radius_stays_below_half_the_box():
    assert next_radius(0.4, 0.4, 1.0) == 0.5


def test_reach_is_the_largest_coordinate():
    assert Step(np.array([0.1, -0.3]), 1.0, np.ones(1)).reach == 0.3
