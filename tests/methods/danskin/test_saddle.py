"""The step against one peak whose quadratic is known in full, against brute force."""

import numpy as np
import pytest

from reckless.methods.danskin.peak import Peak, best_move
from reckless.methods.danskin.step import room_in_box, solve_saddle

X = np.array([0.35, 0.6])


def a_peak(seed, scale=1.0):
    """Two coordinates of x and of y, close enough to the bounds of y for them to matter."""
    rng = np.random.default_rng(seed)
    roots = rng.standard_normal((2, 2)), rng.standard_normal((2, 2))
    A, H = roots[0] @ roots[0].T, -(roots[1] @ roots[1].T) - 0.2 * np.eye(2)
    return Peak(
        np.array([0.1, 0.7]),
        3.0,
        gx=scale * rng.standard_normal(2),
        gy=scale * 0.1 * rng.standard_normal(2),
        H=scale * H,
        M=scale * rng.standard_normal((2, 2)),
        A=scale * A,
    )


def worst(peak, d):
    """What the model foretells for a step d if y answers by its best move."""
    return peak.gx @ d + 0.5 * d @ peak.A @ d + best_move(peak.H, peak.gy + peak.M @ d, peak.y)[1]


@pytest.mark.parametrize("radius", [0.05, 0.4])
@pytest.mark.parametrize("seed", range(5))
def test_no_step_of_a_grid_is_better(seed, radius):
    """A grid of 61 x 61 steps; the margin is that of the program, 1e-7."""
    peak, room = a_peak(seed), room_in_box(X)
    step = solve_saddle(peak, room, radius)
    low, high = np.maximum(room.low, -radius), np.minimum(room.high, radius)
    grid = np.stack(np.meshgrid(*(np.linspace(a, b, 61) for a, b in zip(low, high, strict=True))), -1).reshape(-1, 2)
    lowest = min(worst(peak, d) for d in grid)
    assert worst(peak, step.d) <= lowest + 1e-7
    assert step.predicted == pytest.approx(worst(peak, np.zeros(2)) - worst(peak, step.d), abs=1e-9)
    assert (step.d >= low - 1e-12).all()
    assert (step.d <= high + 1e-12).all()


def test_the_step_does_not_depend_on_the_unit_of_the_values():
    small, large = (solve_saddle(a_peak(2, scale), room_in_box(X), 0.2) for scale in (1.0, 1e9))
    assert large.d.tolist() == pytest.approx(small.d.tolist(), abs=1e-6)


def test_where_y_answers_freely_the_step_is_the_newton_step_of_the_worst_case():
    """The curvature of the worst case is A + M' (-H)^-1 M."""
    rng = np.random.default_rng(11)
    A, H, M, gx = np.diag([3.0, 5.0]), -np.diag([2.0, 4.0]), 0.3 * rng.standard_normal((2, 2)), np.array([0.2, -0.1])
    peak = Peak(np.array([0.5, 0.45]), 1.0, gx=gx, gy=np.zeros(2), H=H, M=M, A=A)
    step = solve_saddle(peak, room_in_box(X), 0.3)
    newton = np.linalg.solve(A + M.T @ np.linalg.solve(-H, M), -gx)
    assert step.d.tolist() == pytest.approx(newton.tolist(), abs=1e-6)
