"""Faces of sets: where rows may move that want to rise along their slopes."""

from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Flags


class Face(NamedTuple):
    """Where rows may move: the coordinates that are free (k, n), and among those onto P (k, n, n) if it is given.

    bend (k,): what curvatures lose because the edge is round.
    """

    free: Flags
    P: Array | None = None
    bend: Array | None = None

    def slope(self, slope: Array) -> Array:
        """Return the part of slopes or moves (k, n) along the face."""
        along = np.where(self.free, slope, 0.0)
        return along if self.P is None else np.matmul(self.P, along[:, :, None])[:, :, 0]

    def curvature(self, bend: Array) -> Array:
        """Return curvatures (k, n, n) along the face, -1 across it."""
        k, n = self.free.shape
        if self.bend is not None:
            bend = bend - self.bend[:, None, None] * np.eye(n)
        if self.P is not None:
            curved: Array = self.P @ bend @ self.P - (np.eye(n) - self.P)
            return curved
        along = np.where(self.free[:, :, None] & self.free[:, None, :], bend, 0.0)
        along.reshape(k, -1)[:, :: n + 1] -= ~self.free
        return along

    def without(self, fixed: Flags) -> "Face":
        """Return the face on which fixed coordinates stay, for sets of which each coordinate is free by itself."""
        return self._replace(free=self.free & ~fixed)
