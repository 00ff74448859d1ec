"""The minimax of surfaces that are known, against fine grids, on every kind of set."""

import numpy as np
import pytest

from reckless.domains.box import Box
from reckless.domains.sets import Ball, Scenarios, Simplex
from reckless.methods.surrogate.climbing import joined
from reckless.methods.surrogate.saddle import Arena, highest_bound, maximizers, minimax, scan
from reckless.methods.surrogate.spaces import net, sample, space_of
from surfaces import Believed, Surface

LINE, SQUARE = space_of(Box([(2.0, 9.0)]), 1), space_of(Box([(1.0, 4.0), (-7.0, -2.0)]), 2)
SHARES = space_of(Simplex(3, total=2.0), 2)
DISK = space_of(Ball([3.0, -1.0], [0.5, 2.0]), 2)
FINE = np.linspace(0.0, 1.0, 101)[:, None]


def arena_of(surface, xs, ys, **roles):
    return Arena(surface, xs, ys, net(ys, np.random.default_rng(0)), **roles)


def fine_rows(space):
    """Return a fine grid of a set, edges included."""
    if space.n == 1:
        return np.linspace(0.0, 1.0, 4001)[:, None]
    side = np.linspace(0.0, 1.0, 81)
    square = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    if space.radius is not None:
        turns, lengths = 2.0 * np.pi * square[:, :1], np.sqrt(square[:, 1:])
        return 0.5 + 0.5 * lengths * np.hstack([np.cos(turns), np.sin(turns)])
    if space.total is not None:
        shares = np.column_stack([square[:, 0], square[:, 1], 1.0 - square.sum(axis=1)])
        return space.total * np.maximum(shares[shares[:, 2] > -1e-12], 0.0)
    return square


def check_against_grid(surface, xs, ys, Y, tolerance):
    """The solution is honest, not above the best x of a fine grid, and not far below it. Y: a fine grid of y."""
    arena = arena_of(surface, xs, ys)
    X = fine_rows(xs)
    lowest = scan(surface, X, Y).min()
    for x in sample(xs, np.random.default_rng(1), 3):
        solution = minimax(arena, x, Y[:0])
        np.testing.assert_allclose(xs.clip(solution.x[None])[0], solution.x, atol=1e-12)
        assert solution.level >= scan(surface, solution.x[None], Y)[0] - 1e-9
        assert solution.level <= lowest + 1e-9
        assert solution.level >= lowest - tolerance
        np.testing.assert_allclose(surface.mean(joined(solution.x, solution.Y)), solution.levels, atol=1e-12)
        assert (np.diff(solution.levels) <= 0.0).all()
        assert solution.weights.sum() == pytest.approx(1.0)
    return solution


def balance(surface, solution):
    """Return the slopes in x of all maximizers, summed with their weights."""
    return solution.weights @ surface.jet(joined(solution.x, solution.Y)).slope[:, : solution.x.size]


# Surfaces of (x_1, x_2, y). The first is lowest on a kink: y is worth 2 (x_1 - x_2 + 0.2) (2 y - 1).


def kinked():
    curvature = np.zeros((3, 3))
    curvature[0, 0], curvature[1, 1] = 2.0, 3.0
    curvature[0, 2] = curvature[2, 0] = 4.0
    curvature[1, 2] = curvature[2, 1] = -4.0
    return Surface([-0.4 - 2.0, -0.9 + 2.0, 0.8], curvature)


def saddled():
    """Concave in y, with a saddle inside of both boxes."""
    return Surface.around([0.35, 0.6, 0.7], [[2.0, 0.5, 1.0], [0.5, 1.0, -2.0], [1.0, -2.0, -3.0]], level=1.3)


def test_a_kink_is_found_where_two_y_balance():
    surface = kinked()
    solution = check_against_grid(surface, SQUARE, LINE, FINE, 2e-3)
    np.testing.assert_allclose(solution.x, [0.14, 0.34], atol=1e-8)
    assert (solution.weights > 0.02).sum() >= 2
    assert solution.levels[0] - solution.levels[1] < 1e-10
    np.testing.assert_allclose(balance(surface, solution), 0.0, atol=1e-8)


def test_an_inner_saddle_is_found():
    surface = saddled()
    solution = check_against_grid(surface, SQUARE, LINE, FINE, 1e-3)
    np.testing.assert_allclose([*solution.x, *solution.Y[0]], [0.35, 0.6, 0.7], atol=1e-7)
    assert solution.level == pytest.approx(1.3, abs=1e-12)
    np.testing.assert_allclose(balance(surface, solution), 0.0, atol=1e-7)


def test_a_corner_of_the_box_is_found():
    surface = Surface([1.0, -2.0, 0.4], [[0.5, 0.0, 0.3], [0.0, 0.2, 0.1], [0.3, 0.1, 0.0]])
    solution = check_against_grid(surface, SQUARE, LINE, FINE, 1e-12)
    assert solution.x.tolist() == [0.0, 1.0]
    assert solution.Y[0].tolist() == [1.0]


def test_several_peaks_of_y_are_balanced():
    """Waves in y, several valleys in x: every solution is balanced, and that from the best x of a grid is lower."""
    waves, heights, phases = [[0.0, 0.0, 14.0], [5.0, 3.0, 9.0]], [0.6, 0.8], [0.3, 1.0]
    surface, Y = Surface([0.1, -0.3, 0.2], np.diag([1.0, 1.5, 0.0]), waves, heights, phases), FINE
    arena, X = arena_of(surface, SQUARE, LINE), fine_rows(SQUARE)
    heights = scan(surface, X, Y)
    starts = np.vstack([X[heights.argmin()], sample(SQUARE, np.random.default_rng(1), 4)])
    solutions = [minimax(arena, x, Y[:0]) for x in starts]
    for solution in solutions:
        free = (solution.x > 1e-9) & (solution.x < 1.0 - 1e-9)
        assert solution.level >= scan(surface, solution.x[None], Y)[0] - 1e-9
        np.testing.assert_allclose(balance(surface, solution)[free], 0.0, atol=1e-5)
    assert heights.min() - 2e-2 < solutions[0].level < heights.min()
    assert any((solution.weights > 0.02).sum() >= 2 for solution in solutions)


def test_shares_are_balanced_up_to_what_they_have_in_common():
    """Three y, each of which hates another share; and one share that is not worth it."""
    curvature = np.zeros((5, 5))
    curvature[:3, :3] = np.diag([1.0, 2.0, 1.5])
    curvature[:2, 3:] = [[2.0, -1.0], [-2.0, 0.5]]
    curvature[3:, :2] = curvature[:2, 3:].T
    surface = Surface([0.0, 0.1, -0.3, 0.2, -0.1], curvature)
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    solution = check_against_grid(surface, SHARES, SQUARE, corners, 5e-3)
    slopes = balance(surface, solution)
    assert solution.x.min() > 0.01
    np.testing.assert_allclose(slopes, slopes.mean(), atol=1e-7)


def test_a_share_may_end_at_nothing():
    curvature = np.zeros((4, 4))
    curvature[:3, :3] = np.diag([1.0, 2.0, 1.5])
    curvature[0, 3] = curvature[3, 0] = 1.0
    surface = Surface([0.0, 3.0, 0.0, -0.3], curvature)
    solution = check_against_grid(surface, SHARES, LINE, np.array([[0.0], [1.0]]), 5e-3)
    slopes = balance(surface, solution)
    assert solution.x[1] == pytest.approx(0.0, abs=1e-12)
    assert slopes[1] > slopes[0] == pytest.approx(slopes[2], abs=1e-7)


@pytest.mark.parametrize("pull", [0.1, 3.0], ids=["inside", "edge"])
def test_a_ball_is_searched_to_its_edge(pull):
    curvature = np.zeros((3, 3))
    curvature[:2, :2] = [[1.0, 0.3], [0.3, 2.0]]
    curvature[0, 2] = curvature[2, 0] = 0.8
    curvature[1, 2] = curvature[2, 1] = -0.5
    surface = Surface.around([0.45, 0.6, 0.5], curvature, [pull, -0.5 * pull, 0.1])
    solution = check_against_grid(surface, DISK, LINE, np.array([[0.0], [1.0]]), 1e-2)
    away, slope = solution.x - 0.5, balance(surface, solution)
    if pull > 1.0:
        assert np.linalg.norm(away) == pytest.approx(0.5, abs=1e-9)
        assert slope @ away < 0.0
        assert away[0] * slope[1] - away[1] * slope[0] == pytest.approx(0.0, abs=1e-6)
    else:
        np.testing.assert_allclose(slope, 0.0, atol=1e-7)


def test_an_adversary_on_a_ball_follows_x():
    """max over the disk of x_1 y_1 + x_2 y_2 is the length of x: the minimax of a distance is its center."""
    curvature = np.zeros((4, 4))
    curvature[:2, 2:] = curvature[2:, :2] = 2.0 * np.eye(2)
    surface = Surface.around([0.3, 0.6, 0.5, 0.5], curvature + np.diag([1.0, 1.0, 0.0, 0.0]))
    solution = minimax(arena_of(surface, SQUARE, DISK), np.array([0.9, 0.1]), np.empty((0, 2)), 60)
    np.testing.assert_allclose(solution.x, [0.3, 0.6], atol=1e-4)
    assert solution.level == pytest.approx(0.0, abs=1e-4)


def test_fixed_coordinates_stay():
    surface, fixed = saddled(), np.array([True, False])
    solution = minimax(arena_of(surface, SQUARE, LINE), np.array([0.8, 0.1]), FINE[:0], fixed=fixed)
    X = np.column_stack([np.full(4001, 0.8), np.linspace(0.0, 1.0, 4001)])
    assert solution.x[0] == 0.8
    assert solution.level == pytest.approx(scan(surface, X, FINE).min(), abs=1e-5)


# Lists


def test_scenarios_of_a_list_are_balanced():
    """y is worth a_i x_1 + b_i x_2 in scenario i: against the same function of all nine rows, and a grid of x."""
    rng = np.random.default_rng(3)
    ys = space_of(Scenarios(rng.random((9, 2)) * [3.0, 8.0] + [1.0, -4.0]), 1)
    curvature = np.zeros((4, 4))
    curvature[:2, :2] = np.diag([3.0, 2.0])
    curvature[:2, 2:] = [[3.0, -2.0], [-1.0, 4.0]]
    curvature[2:, :2] = curvature[:2, 2:].T
    surface = Surface([-1.0, -2.0, -1.0, -0.5], curvature)
    solution = check_against_grid(surface, SQUARE, ys, ys.points, 2e-3)
    assert (solution.Y[:, None] == ys.points).all(axis=2).any(axis=1).all()
    np.testing.assert_allclose(balance(surface, solution), 0.0, atol=1e-8)
    assert (solution.weights > 0.02).sum() >= 2


def test_the_maximizers_of_a_list_are_its_highest_rows():
    ys = space_of(None, 1, n_scenarios=30)
    surface = Surface([0.0, 0.0], None, [[0.0, 1.0]], [1.0], [0.0])
    tops = maximizers(arena_of(surface, LINE, ys), np.array([0.5]), ys.points[:0])
    expected = np.argsort(-np.cos(np.arange(30)), kind="stable")[:10]
    assert tops.Y[:, 0].tolist() == expected.tolist()
    np.testing.assert_allclose(tops.levels, np.cos(expected), rtol=1e-12)


# Failures


def test_a_guard_keeps_x_where_nothing_fails():
    """Beyond x_1 + 0.5 y = 0.7 f fails; without the guard x_1 would be 0.35, with it 0.2, since y may be 1."""
    surface = saddled()
    guard = Surface([1.0, 0.0, 0.5], offset=-0.7)
    free = minimax(arena_of(surface, SQUARE, LINE), np.array([0.8, 0.1]), FINE[:0])
    held = minimax(arena_of(surface, SQUARE, LINE, guard=guard), np.array([0.8, 0.1]), FINE[:0])
    assert free.x[0] == pytest.approx(0.35, abs=1e-7)
    assert scan(guard, held.x[None], FINE)[0] <= 1e-3
    X = fine_rows(SQUARE)
    X = X[scan(guard, X, FINE) <= 0.0]
    assert held.level == pytest.approx(scan(surface, X, FINE).min(), abs=2e-3)
    assert held.x[0] == pytest.approx(0.2, abs=2e-3)


def test_a_guard_on_a_list_keeps_x_from_the_scenario_that_fails():
    ys = space_of(Scenarios([2.0, 3.0, 7.0]), 1)
    guard = Surface([1.0, 0.0, 0.5], offset=-0.7)
    held = minimax(arena_of(saddled(), SQUARE, ys, guard=guard), np.array([0.8, 0.1]), ys.points[:0])
    assert scan(guard, held.x[None], ys.points)[0] <= 1e-3
    assert held.x[0] == pytest.approx(0.2, abs=2e-3)


def test_a_veto_takes_y_from_the_adversary():
    """y above 0.4 fails: at the kink only y = 0 is left, and x goes where that is lowest."""
    surface, veto = kinked(), Surface([0.0, 0.0, 1.0], offset=-0.4)
    arena = arena_of(surface, SQUARE, LINE, veto=veto)
    tops = maximizers(arena, np.array([0.9, 0.2]), FINE[:0])
    assert (veto.mean(joined(np.array([0.9, 0.2]), tops.Y)) <= 0.0).all()
    allowed = FINE[FINE[:, 0] <= 0.4]
    assert tops.levels[0] == pytest.approx(scan(surface, np.array([[0.9, 0.2]]), allowed)[0], abs=0.05)
    y, bound = highest_bound(arena_with_doubt(arena), np.array([0.9, 0.2]), arena.net, 2.0)
    assert y[0] <= 0.4
    assert bound <= scan(surface, np.array([[0.9, 0.2]]), allowed)[0] + 0.2 + 1e-9


def arena_with_doubt(arena):
    flat = Surface(np.zeros(3), offset=0.1)
    return Arena(Believed(arena.model, flat), arena.xs, arena.ys, arena.net, veto=arena.veto)


def test_a_veto_of_everything_counts_nothing_out():
    surface, veto = kinked(), Surface(np.zeros(3), offset=1.0)
    x = np.array([0.9, 0.2])
    tops = maximizers(arena_of(surface, SQUARE, LINE, veto=veto), x, FINE[:0])
    assert tops.levels[0] == pytest.approx(scan(surface, x[None], FINE)[0], abs=1e-12)


# Bounds


@pytest.mark.parametrize("ys", [SQUARE, DISK, SHARES], ids=["box", "ball", "simplex"])
def test_the_highest_bound_is_at_least_that_of_a_fine_grid(ys):
    rng = np.random.default_rng(5)
    n = 1 + ys.n
    mean = Surface(rng.standard_normal(n), None, rng.standard_normal((3, n)) * 6.0, [0.5, 0.4, 0.3], [0.1, 1.0, 2.0])
    doubt = Surface(np.zeros(n), None, rng.standard_normal((2, n)) * 5.0, [0.2, 0.1], [0.7, 0.2], offset=0.5)
    arena, Y = arena_of(Believed(mean, doubt), LINE, ys), fine_rows(ys)
    for x in (np.array([0.2]), np.array([0.9])):
        Q = joined(x, Y)
        for c in (0.0, 2.0, 8.0):
            y, bound = highest_bound(arena, x, arena.net, c)
            assert bound >= (mean.mean(Q) + c * doubt.mean(Q)).max() - 1e-6
            assert bound == pytest.approx(float(arena.model.bound(joined(x, y[None]), c)[0][0]), rel=1e-12)
            np.testing.assert_allclose(ys.clip(y[None])[0], y, atol=1e-12)


def test_the_highest_bound_of_integers_is_on_their_lattice():
    ys = space_of(Box([(3, 7, "int"), (1.0, 4.0)]), 2)
    mean = Surface.around([0.5, 0.65, 0.3], -np.diag([1.0, 9.0, 2.0]))
    arena = arena_of(Believed(mean, Surface(np.zeros(3), offset=0.1)), LINE, ys)
    y, bound = highest_bound(arena, np.array([0.5]), arena.net, 2.0)
    assert y.tolist() == pytest.approx([0.7, 0.3], abs=1e-3)
    assert bound == pytest.approx(0.2 - 4.5 * 0.05**2, abs=1e-4)


def test_the_highest_bound_of_a_list_is_that_of_its_best_row():
    ys = space_of(Scenarios([[2.0], [3.0], [7.0], [5.0]]), 1)
    mean, doubt = Surface([0.0, 1.0]), Surface([0.0, -0.6], offset=0.7)
    arena = arena_of(Believed(mean, doubt), LINE, ys)
    for c, expected in ((0.0, 1.0), (1.0, 1.1), (4.0, 2.8)):
        y, bound = highest_bound(arena, np.array([0.4]), ys.points, c)
        assert bound == pytest.approx(expected)
        assert (y == ys.points).all(axis=1).any()
