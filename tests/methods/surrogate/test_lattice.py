"""The minimax over integers and lists of x, against enumeration."""

from itertools import product

import numpy as np
import pytest

from reckless.domains.box import Box
from reckless.domains.sets import Scenarios
from reckless.methods.surrogate.lattice import (
    lowest_nearby,
    minimax_of_list,
    minimax_on_lattice,
    solution_at,
    unit_moves,
)
from reckless.methods.surrogate.saddle import Arena, scan
from reckless.methods.surrogate.spaces import net, space_of
from surfaces import Surface

LINE = space_of(Box([(2.0, 9.0)]), 1)
FINE = np.linspace(0.0, 1.0, 201)[:, None]


def bowl(n, seed):
    """Return a surface that is convex in n x, with a tilted valley, and on which y pulls x both ways."""
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n, n))
    curvature = np.zeros((n + 1, n + 1))
    curvature[:n, :n] = root @ root.T + 0.3 * np.eye(n)
    curvature[:n, n] = curvature[n, :n] = 0.7 * rng.standard_normal(n)
    curvature[n, n] = -1.0
    return Surface.around(np.append(rng.uniform(0.2, 0.8, n), 0.4), curvature)


def arena_of(surface, xs, ys=LINE):
    return Arena(surface, xs, ys, net(ys, np.random.default_rng(0)))


@pytest.mark.parametrize("seed", range(6))
def test_integers_are_those_that_enumeration_finds(seed):
    xs = space_of(Box([(3, 7, "int"), (-2, 9, "int"), (0, 1, "int")]), 3)
    surface = bowl(3, seed)
    solution = minimax_on_lattice(arena_of(surface, xs), np.array([0.9, 0.04, 0.75]), FINE[:0])
    lattice = (np.array(list(product(range(5), range(12), range(2)))) + 0.5) / [5, 12, 2]
    heights = scan(surface, lattice, FINE)
    np.testing.assert_allclose(solution.x, lattice[heights.argmin()], atol=1e-12)
    assert solution.level == pytest.approx(heights.min(), abs=1e-4)
    assert solution.weights.sum() == pytest.approx(1.0)


def test_mixed_x_end_on_the_lattice_and_at_the_minimum_of_the_others():
    """Integers are moved with the others held: 5 of 6 seeds find those of a grid, and one its neighbor; asserted: 4."""
    xs = space_of(Box([(3, 7, "int"), (1.0, 4.0), (-2, 9, "int")]), 3)
    grid = np.array(list(product((np.arange(5) + 0.5) / 5, np.linspace(0.0, 1.0, 101), (np.arange(12) + 0.5) / 12)))
    n_found = 0
    for seed in range(6):
        surface = bowl(3, seed)
        solution = minimax_on_lattice(arena_of(surface, xs), np.array([0.9, 0.04, 0.75]), FINE[:0])
        heights = scan(surface, grid, FINE)
        same = (np.abs(grid[:, [0, 2]] - solution.x[[0, 2]]) < 1e-9).all(axis=1)
        assert same.sum() == 101
        assert heights[same].min() - 2e-3 <= solution.level <= heights[same].min() + 1e-4
        n_found += heights[same].min() == heights.min()
    assert n_found >= 4


def test_without_integers_the_minimax_is_that_of_the_surface():
    xs = space_of(Box([(1.0, 4.0), (-7.0, -2.0)]), 2)
    surface = Surface.around([0.35, 0.6, 0.7], [[2.0, 0.5, 1.0], [0.5, 1.0, -2.0], [1.0, -2.0, -3.0]], level=1.3)
    solution = minimax_on_lattice(arena_of(surface, xs), np.array([0.9, 0.1]), FINE[:0])
    np.testing.assert_allclose(solution.x, [0.35, 0.6], atol=1e-7)


def test_the_lowest_integers_nearby_are_reached_by_steps_in_one_or_two_of_them():
    """A narrow diagonal valley, of which the roundings of the start see nothing; five steps of both away."""

    def heights(steps):
        return 10.0 * (steps[:, 0] - steps[:, 1]) ** 2 + (steps[:, 0] - 8.0) ** 2

    assert lowest_nearby(heights, np.array([3.4, 3.4]), np.array([12, 10])).tolist() == [8, 8]
    assert lowest_nearby(heights, np.array([3.4, 3.4]), np.array([12, 7])).tolist() == [6, 6]


def test_of_many_integers_the_undecided_are_rounded_both_ways():
    target = np.array([2, 5, 1, 7, 3, 0])

    def heights(steps):
        return np.abs(steps - target).sum(axis=1)

    at = np.array([2.45, 5.4, 1.1, 6.6, 2.5, 0.0])
    assert lowest_nearby(heights, at, np.full(6, 9)).tolist() == target.tolist()


def test_unit_moves_are_one_step_in_one_or_two_integers():
    moves = sorted(map(tuple, unit_moves(2).tolist()))
    assert moves == sorted((i, j) for i in (-1.0, 0.0, 1.0) for j in (-1.0, 0.0, 1.0) if i or j)
    assert len(unit_moves(4)) == 8 + 24
    assert unit_moves(1).tolist() == [[1.0], [-1.0]]


@pytest.mark.parametrize("seed", range(4))
def test_the_best_of_a_list_is_that_of_enumeration(seed):
    rng = np.random.default_rng(seed)
    xs = space_of(Scenarios(rng.random((60, 2)) * [3.0, 5.0] + [1.0, -7.0]), 1)
    curvature = np.diag([2.0, 1.0, 0.0, -3.0])  # the number of an x, in the third place, means nothing
    curvature[0, 3] = curvature[3, 0] = 1.5
    surface = Surface.around([0.4, 0.7, 0.0, 0.6], curvature)
    solution = minimax_of_list(arena_of(surface, xs), FINE[:0], rng)
    heights = scan(surface, xs.points, FINE)
    assert solution.x.tolist() == xs.points[heights.argmin()].tolist()
    assert solution.level == pytest.approx(heights.min(), abs=1e-4)


def test_a_long_list_is_scanned_in_part():
    """401 entries, of which one is left out at random: the answer is among the best two."""
    xs = space_of(Scenarios(np.linspace(1.0, 4.0, 401)), 1)
    surface = Surface.around([0.3, 0.0, 0.6], np.diag([2.0, 0.0, -3.0]))
    solution = minimax_of_list(arena_of(surface, xs), FINE[:0], np.random.default_rng(1))
    assert abs(solution.x[0] - 0.3) <= 1 / 400 + 1e-12


def test_a_solution_at_an_x_shares_the_weight_among_its_highest_maximizers():
    """Three peaks of y, at 0, 0.5 and 1, of which the middle one is 0.1 lower."""
    surface = Surface([0.0, 0.0], [[0.0, 0.0], [0.0, 0.8]], [[0.0, 4.0 * np.pi]], [1.0], [0.0])
    surface = Surface(surface.slope - surface.curvature @ [0.0, 0.5], surface.curvature, surface.waves, [1.0], [0.0])
    solution = solution_at(arena_of(surface, LINE), np.array([0.2]), FINE[:0])
    assert sorted(solution.Y[solution.weights > 0.0, 0].tolist()) == pytest.approx([0.0, 1.0], abs=1e-6)
    assert solution.weights[:2].tolist() == [0.5, 0.5]
    assert solution.levels[2] == pytest.approx(solution.levels[0] - 0.1, abs=1e-9)
