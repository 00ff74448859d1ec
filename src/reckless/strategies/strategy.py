"""What every one-player strategy looks like to the methods that use it."""

from collections.abc import Generator
from typing import NamedTuple, Protocol

import numpy as np

from reckless.core.arrays import Array


class Best(NamedTuple):
    """The best point seen so far, in the unit cube, its value, and the evaluations spent; NaN before any value."""

    point: Array
    value: float
    n_used: int

    def or_best_of(self, points: Array, values: Array) -> "Best":
        """Take in one more batch."""
        k = values.argmin()
        return self.or_better(points[k], float(values[k]), len(values))

    def or_better(self, point: Array, value: float, n_used: int) -> "Best":
        """Take in a batch by its best point. An infinite value, as of a failure, never becomes the best."""
        if value < self.value or (self.value != self.value and value < np.inf):
            return Best(point.copy(), value, self.n_used + n_used)
        return Best(self.point, self.value, self.n_used + n_used)


# A running strategy yields points (m, n) of the unit cube, receives their values (m,) and returns the best.
Descent = Generator[Array, Array, Best]


class Strategy(Protocol):
    """Parameters of a one-player search; strategies only minimize."""

    def search(self, start: Array, n_evaluations: int, rng: np.random.Generator) -> Descent:
        """Minimize over the unit cube from `start`, yielding at most `n_evaluations` points in all."""
