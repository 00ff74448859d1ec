"""Boxes: where x and y live. Everything inside the package happens in the unit cube; boxes convert at the edge.

Other sets, which offer the same, are in `domains`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numba import njit
from scipy.optimize import Bounds

from reckless.core.arrays import Array
from reckless.errors import InvalidArgument

BoundsLike: TypeAlias = Bounds | Sequence[tuple[float, float]] | Array


class Path(NamedTuple):
    """Points of a set on a line through one of them, for looking at f along it."""

    label: str
    at: Array  # (k,) positions, rising
    rows: Array  # (k, n_out) the points
    here: float  # the position of the point through which the line goes


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """A product of intervals, kept as one array because that reaches compiled code faster than three."""

    edges: Array  # (3, n): lower bounds, widths, upper bounds; lower + width is never short of upper

    @classmethod
    def parse(cls, bounds: BoundsLike, name: str) -> "Box":
        """Read SciPy's forms of bounds, or say what is wrong with the argument called `name`."""
        lower, upper = _columns(bounds, name)
        _check(lower, upper, name)
        width = upper - lower
        width = np.where(lower + width < upper, np.nextafter(width, np.inf), width)
        return cls(np.array([lower, width, upper]))

    @property
    def lower(self) -> Array:
        lower: Array = self.edges[0]
        return lower

    @property
    def upper(self) -> Array:
        upper: Array = self.edges[2]
        return upper

    @property
    def n(self) -> int:
        """Dimension of the unit cube."""
        return int(self.edges.shape[1])

    @property
    def n_out(self) -> int:
        """Number of coordinates that f is given."""
        return int(self.edges.shape[1])

    @property
    def n_scenarios(self) -> int | None:
        """How many points there are, if they are a finite list."""
        return None

    def from_unit(self, point: Array) -> Array:
        """Map a point (n,) of the unit cube into the box; 0 and 1 give the bounds exactly."""
        row: Array = self.rows(point, 1)[0]
        return row

    def rows(self, points: Array, m: int) -> Array:
        """Map the first m of points (k, n), or m copies of one point (n,), into the box: (m, n)."""
        edges = self.edges
        rows = np.empty((m, edges.shape[1]))
        (_fill_rows if points.ndim == 2 else _repeat_row)(points, edges, rows)
        return rows

    def paths(self, point: Array, n_points: int, limit: int) -> list[Path]:
        """Lines through a point (n_out,) along each coordinate, at most `limit` of them, from bound to bound."""
        return [
            coordinate_path(point, i, np.linspace(self.lower[i], self.upper[i], n_points))
            for i in range(min(self.n_out, limit))
        ]


def coordinate_path(point: Array, i: int, at: Array) -> Path:
    """The line on which coordinate i alone changes; the point itself is on it."""
    at = np.union1d(at, point[i])
    rows = np.repeat(point[None, :], at.size, axis=0)
    rows[:, i] = at
    return Path(f"y[{i}]", at, rows, float(point[i]))


# One compiled call for what would be three of NumPy's: every pair of every run passes here.


@njit(cache=True)
def _fill_rows(points: Array, edges: Array, rows: Array) -> None:
    for k in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            rows[k, i] = min(edges[0, i] + points[k, i] * edges[1, i], edges[2, i])


@njit(cache=True)
def _repeat_row(point: Array, edges: Array, rows: Array) -> None:
    for i in range(rows.shape[1]):
        coordinate = min(edges[0, i] + point[i] * edges[1, i], edges[2, i])
        for k in range(rows.shape[0]):
            rows[k, i] = coordinate


def _columns(bounds: BoundsLike, name: str) -> tuple[Array, Array]:
    rule = f"{name}: expected a sequence of (low, high) pairs, one per coordinate, or scipy.optimize.Bounds"
    try:
        if isinstance(bounds, Bounds):
            lower, upper = np.broadcast_arrays(np.atleast_1d(bounds.lb), np.atleast_1d(bounds.ub))
            return np.array(lower, dtype=np.float64), np.array(upper, dtype=np.float64)
        pairs = np.array(bounds, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{rule}, but got {shortened(bounds)}.") from None
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


def shortened(thing: object) -> str:
    """What came instead, in a length that fits into a sentence."""
    text = repr(thing)
    return text if len(text) <= 60 else f"{text[:57]}..."
