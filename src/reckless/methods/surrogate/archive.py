"""What was evaluated, in model coordinates: pairs and values, and what they say about each x."""

from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Flags, Indices

LARGEST = 1e100  # values beyond this say no more to a model, and their squares overflow


class Places(NamedTuple):
    """The different x (k, n_x): the row of the highest value at each, that value, and how many values there are."""

    X: Array
    rows: Indices
    worst: Array
    counts: Indices


class Archive:
    """Pairs X (n, n_x), Y (n, n_y), values v (n,): +inf where f failed for the worst, NaN where nothing is known."""

    def __init__(self, n_x: int, n_y: int) -> None:
        self.X, self.Y, self.v = np.empty((0, n_x)), np.empty((0, n_y)), np.empty(0)

    def add(self, X: Array, Y: Array, v: Array) -> None:
        self.X, self.Y = np.vstack([self.X, X]), np.vstack([self.Y, Y])
        self.v = np.concatenate([self.v, v])

    def copy(self) -> "Archive":
        other = Archive(self.X.shape[1], self.Y.shape[1])
        other.X, other.Y, other.v = self.X, self.Y, self.v
        return other

    @property
    def Q(self) -> Array:
        """The pairs (n, n_x + n_y)."""
        return np.hstack([self.X, self.Y])

    @property
    def is_good(self) -> Flags:
        good: Flags = np.isfinite(self.v)
        return good

    @property
    def is_fatal(self) -> Flags:
        fatal: Flags = np.isposinf(self.v)
        return fatal

    @property
    def is_unknown(self) -> Flags:
        unknown: Flags = np.isnan(self.v)
        return unknown

    def at(self, x: Array) -> Flags:
        """Tell which pairs have this x."""
        here: Flags = (x == self.X).all(axis=1)
        return here

    def has(self, x: Array, y: Array, gap: float = 1e-7) -> bool:
        """Tell whether this pair, or one next to it, was evaluated."""
        near = (np.abs(self.X - x).max(axis=1) < gap) & (np.abs(self.Y - y).max(axis=1) < gap)
        return bool(near.any())

    def highest_at(self, x: Array) -> float:
        """Return the highest value at an x, -inf if there is none."""
        values = self.v[self.at(x)]
        return float(np.nanmax(values)) if len(values) and not np.isnan(values).all() else -np.inf

    def places(self) -> Places:
        """Return the different x of which something is known; an x that failed for the worst has the value +inf."""
        rows = np.flatnonzero(~self.is_unknown)
        X, inverse, counts = np.unique(self.X[rows], axis=0, return_inverse=True, return_counts=True)
        order = rows[np.lexsort((self.v[rows], inverse.ravel()))]
        highest = order[np.cumsum(counts) - 1]
        return Places(X, highest, self.v[highest], counts)
