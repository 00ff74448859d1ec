"""Nelder and Mead's downhill simplex (1965) in the unit cube, as SciPy does it with bounds."""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from reckless.core.arguments import keep, read_between
from reckless.core.arrays import Array
from reckless.strategies.strategy import Best, Descent

REFLECTION, EXPANSION, CONTRACTION, SHRINKAGE = 1.0, 2.0, 0.5, 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class NelderMead:
    """Move a simplex downhill; points outside of the cube are clipped to it.

    step: edge of the first simplex; it points inward where there is no room. tolerance: the search ends when no corner
    is farther than this from the best one in any coordinate.
    """

    step: float = 0.2
    tolerance: float = 1e-4

    def __post_init__(self) -> None:
        keep(
            self,
            step=read_between(self.step, "step", 0.0, 0.5, "(]"),
            tolerance=read_between(self.tolerance, "tolerance", 0.0, 1.0),
        )

    def first_simplex(self, start: Array) -> Array:
        """Return the start and one step from it along each axis, (n + 1, n)."""
        steps = np.where(start + self.step <= 1.0, self.step, -self.step)
        return np.vstack([start, start + np.diag(steps)])

    def search(self, start: Array, n_evaluations: int, rng: np.random.Generator) -> Descent:
        simplex = self.first_simplex(start)
        best = Best(start, np.nan, 0)
        if n_evaluations < len(simplex):
            if n_evaluations > 0:
                best = best.or_best_of(simplex[:n_evaluations], (yield simplex[:n_evaluations]))
            return best
        values = yield simplex
        best = best.or_best_of(simplex, values)
        while best.n_used < n_evaluations:
            order = values.argsort(kind="stable")
            simplex, values = simplex[order], values[order].copy()
            if np.abs(simplex[1:] - simplex[0]).max() <= self.tolerance:
                break
            best, is_better = yield from _replace_worst(simplex, values, best, n_evaluations)
            n_left = n_evaluations - best.n_used
            if not is_better and n_left > 0:
                best = yield from _shrink(simplex, values, best, n_left)
        return best


def _replace_worst(
    simplex: Array, values: Array, best: Best, n_evaluations: int
) -> Generator[Array, Array, tuple[Best, bool]]:
    """Try one or two points on the line from the worst corner through the middle of the others.

    Put the better one in place of the worst corner, if it is an improvement, and return whether it was.
    """
    worst, middle = simplex[-1].copy(), simplex[:-1].sum(axis=0) / (len(simplex) - 1)

    def at(factor: float) -> Array:
        point: Array = np.clip((1.0 + factor) * middle - factor * worst, 0.0, 1.0)
        return point

    point = at(REFLECTION)
    value = (yield point[None, :]).item()
    best = best.or_better(point, value, 1)
    is_lowest, is_middling, is_outside = (bool(value < values[k]) for k in (0, -2, -1))
    is_better = is_outside
    if (is_lowest or not is_middling) and best.n_used < n_evaluations:
        second = at(EXPANSION if is_lowest else CONTRACTION if is_outside else -CONTRACTION)
        found = (yield second[None, :]).item()
        best = best.or_better(second, found, 1)
        if not is_lowest:
            is_better = found <= value if is_outside else bool(found < values[-1])
        if not is_lowest or found < value:
            point, value = second, found
    if is_better:
        simplex[-1], values[-1] = point, value
    return best, is_better


def _shrink(simplex: Array, values: Array, best: Best, n_left: int) -> Generator[Array, Array, Best]:
    """Pull all corners toward the best one; with few evaluations left, only some of them."""
    moved = simplex[0] + SHRINKAGE * (simplex[1 : 1 + n_left] - simplex[0])
    points = np.clip(moved, 0.0, 1.0)
    found = yield points
    simplex[1 : 1 + len(points)], values[1 : 1 + len(points)] = points, found
    return best.or_best_of(points, found)
