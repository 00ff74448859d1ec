"""The minimax of a model's mean where x has integers, or is one of a list."""

from collections.abc import Callable
from itertools import combinations, product

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.surrogate.saddle import Arena, Solution, maximizers, minimax, scan
from reckless.methods.surrogate.spaces import is_whole

MOST_BOTH_WAYS = 4  # integers that are rounded up and down; the others to the nearest
MOST_MOVES = 12
ACTIVE = 0.05  # maximizers within so many levels of the highest share the weight
MOST_LISTED = 400  # entries of a list of x that are scanned at a time
N_FINALISTS = 3


def minimax_on_lattice(arena: Arena, x: Array, known: Array, rival: Solution | None = None) -> Solution:
    """Solve with integers relaxed, round them, move by unit steps while the worst case falls, solve for the others.

    rival: a solution found before, at which another descent may end early.
    """
    whole = is_whole(arena.xs)
    if not whole.any():
        return minimax(arena, x, known, rival=rival)
    relaxed = minimax(arena, x, known)
    k, Y = arena.xs.n_values[whole], np.vstack([arena.net, relaxed.Y])

    def heights(steps: Array) -> Array:
        X = np.repeat(relaxed.x[None], len(steps), axis=0)
        X[:, whole] = (steps + 0.5) / k
        return scan(arena.model, X, Y)

    here = lowest_nearby(heights, relaxed.x[whole] * k - 0.5, k)
    x = relaxed.x.copy()
    x[whole] = (here + 0.5) / k
    if not whole.all():
        return minimax(arena, x, relaxed.Y, fixed=whole)
    return solution_at(arena, x, relaxed.Y)


def lowest_nearby(heights: Callable[[Array], Array], at: Array, k: Array) -> Array:
    """Return the integers with the lowest height near `at` (m,): roundings first, then steps in one or two of them.

    heights: takes rows of integers, each from 0 to k - 1.
    """
    undecided = np.argsort(-np.abs(at - np.rint(at)), kind="stable")[:MOST_BOTH_WAYS]
    rows = np.repeat(np.rint(at)[None], 2 ** len(undecided), axis=0)
    for row, ups in zip(rows, product((0, 1), repeat=len(undecided)), strict=True):
        row[undecided] = np.floor(at[undecided]) + ups
    rows = np.unique(np.clip(rows, 0, k - 1), axis=0)
    found = heights(rows)
    here: Array = rows[found.argmin()]
    lowest = found.min()
    moves = unit_moves(at.size)
    for _ in range(MOST_MOVES):
        rows = np.unique(np.clip(here + moves, 0, k - 1), axis=0)
        found = heights(rows)
        if found.min() >= lowest - 1e-12:
            break
        here, lowest = rows[found.argmin()], found.min()
    return here


def unit_moves(m: int) -> Array:
    """Return all steps of 1 up or down in one or two of m integers."""
    one = np.vstack([np.eye(m), -np.eye(m)])
    two = [one[i] + one[j] for i, j in combinations(range(2 * m), 2) if (i - j) % m]
    return np.vstack([one, *two])


def minimax_of_list(arena: Arena, known: Array, rng: np.random.Generator) -> Solution:
    """Scan a list of x, or a part of it, and look closely at the best."""
    points = arena.xs.points
    assert points is not None
    if len(points) > MOST_LISTED:
        points = points[rng.permutation(len(points))[:MOST_LISTED]]
    order = np.argsort(scan(arena.model, points, np.vstack([arena.net, known])), kind="stable")[:N_FINALISTS]
    return min((solution_at(arena, points[i], known) for i in order), key=lambda solution: solution.level)


def solution_at(arena: Arena, x: Array, known: Array) -> Solution:
    """Return an x as it is, with its maximizers."""
    tops = maximizers(arena, x, known)
    weights = (tops.levels[0] - tops.levels < ACTIVE).astype(float)
    return Solution(x, *tops, weights / weights.sum())
