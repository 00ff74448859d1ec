"""The protocol of the sets in which x and y live: maps from a unit cube to the set and back."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from reckless.core.arrays import Array
from reckless.domains.labels import labels_of


class Line(NamedTuple):
    """Points of a set on a line through one of them, for looking at f along it."""

    label: str
    at: Array  # (k,) positions, rising
    rows: Array  # (k, n_out) the points
    here: float  # the position of the point through which the line goes
    kind: str = "linear"  # "log" for a logarithmic axis; any other word: nothing lies between the points
    coordinate: int | None = None  # whose values the positions are, if they are those of one


@runtime_checkable
class Domain(Protocol):
    """What a run needs of the set in which x or y lives; any object that has all of this is such a set."""

    @property
    def n(self) -> int:
        """Dimension of the unit cube."""

    @property
    def n_out(self) -> int:
        """Number of coordinates that f is given."""

    @property
    def n_scenarios(self) -> int | None:
        """Number of points if they are a finite list, else None."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the n_out coordinates, or none."""

    def from_unit(self, point: Array) -> Array:
        """Map a point (n,) of the unit cube into the set: (n_out,)."""

    def rows(self, points: Array, m: int) -> Array:
        """Map the first m of points (k, n), or m copies of one point (n,), into the set: (m, n_out)."""

    def to_unit(self, rows: Array) -> Array:
        """Map points (m, n_out) of the set to points (m, n) of the unit cube that `rows` maps back to them."""

    def paths(self, point: Array, n_points: int, limit: int) -> list[Line]:
        """Return at most `limit` lines through a point (n_out,) of the set, along which to look at f."""


def line_along(domain: Domain, point: Array, i: int, at: Array) -> Line:
    """Return the line on which coordinate i alone changes; the point itself is on it."""
    at = np.union1d(at, point[i])
    rows = np.repeat(point[None, :], at.size, axis=0)
    rows[:, i] = at
    return Line(labels_of(domain, "y")[i], at, rows, float(point[i]), coordinate=i)


def placed_rows(points: Array, m: int) -> Array:
    """Return the first m of points (k, n), or m copies of one point (n,), unchanged."""
    return points[:m].copy() if points.ndim == 2 else np.repeat(points[None], m, axis=0)
