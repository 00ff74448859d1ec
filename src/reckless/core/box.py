"""Boxes: where x and y live. Everything inside the package happens in the unit cube; boxes convert at the edge."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds

from reckless.core.arrays import Array
from reckless.errors import InvalidArgument

BoundsLike = Bounds | Sequence[tuple[float, float]] | Array


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """A product of intervals; `width` is such that lower + width is never short of upper."""

    lower: Array  # (n,)
    upper: Array  # (n,)
    width: Array  # (n,)

    @classmethod
    def parse(cls, bounds: BoundsLike, name: str) -> "Box":
        """Read SciPy's forms of bounds, or say what is wrong with the argument called `name`."""
        lower, upper = _columns(bounds, name)
        _check(lower, upper, name)
        width = upper - lower
        width = np.where(lower + width < upper, np.nextafter(width, np.inf), width)
        return cls(lower, upper, width)

    @property
    def n(self) -> int:
        return self.lower.size

    def from_unit(self, points: Array) -> Array:
        """Map points of the unit cube, (n,) or (m, n), into the box; 0 and 1 give the bounds exactly."""
        mapped = points * self.width
        mapped += self.lower
        return np.minimum(mapped, self.upper, out=mapped)


def _columns(bounds: BoundsLike, name: str) -> tuple[Array, Array]:
    rule = f"{name}: expected a sequence of (low, high) pairs, one per coordinate, or scipy.optimize.Bounds"
    try:
        if isinstance(bounds, Bounds):
            lower, upper = np.broadcast_arrays(np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub))
            return np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)
        pairs = np.array(bounds, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{rule}, but got {_shortened(bounds)}.") from None
    if pairs.shape == (2,):
        low, high = pairs
        raise InvalidArgument(f"{rule}, but got one bare pair. Did you mean [({low:g}, {high:g})]?")
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.shape[0] == 0:
        raise InvalidArgument(f"{rule}, but got an array of shape {pairs.shape}.")
    return pairs[:, 0].copy(), pairs[:, 1].copy()


def _check(lower: Array, upper: Array, name: str) -> None:
    if lower.ndim != 1 or lower.size == 0:
        raise InvalidArgument(f"{name}: at least one coordinate is needed, but got bounds of shape {lower.shape}.")
    with np.errstate(over="ignore", invalid="ignore"):
        infinite = np.flatnonzero(~np.isfinite(upper - lower))
    if infinite.size:
        i = infinite[0]
        raise InvalidArgument(
            f"{name}: bounds must be finite numbers, but index {i} has lower={lower[i]} and upper={upper[i]}. "
            f"Give the largest range that makes sense for this coordinate."
        )
    crossed = np.flatnonzero(lower >= upper)
    if crossed.size:
        i = crossed[0]
        cure = "Did you swap them?" if lower[i] > upper[i] else "Fix this coordinate inside f instead."
        raise InvalidArgument(
            f"{name}: each lower bound must be below its upper bound, but index {i} has "
            f"lower={lower[i]} and upper={upper[i]}. {cure}"
        )


def _shortened(thing: object) -> str:
    text = repr(thing)
    return text if len(text) <= 60 else f"{text[:57]}..."
