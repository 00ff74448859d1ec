"""Boxes: products of intervals, each of them linear, logarithmic or of integers, with names if they are given."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from reckless.core.arrays import Array
from reckless.core.compiling import compiled
from reckless.domains.bounds import (
    INT,
    KINDS,
    LINEAR,
    LOG,
    BoundsLike,
    Kind,
    check_order,
    cure_for_cases,
    read_bounds,
    read_flags,
)
from reckless.domains.domain import Line, line_along


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class Box:
    """A product of intervals, one per coordinate.

    Parameters
    ----------
    bounds : sequence or mapping of (low, high) or (low, high, kind), or scipy.optimize.Bounds
        The kind is "linear" unless given; "log" for a coordinate whose logarithm is searched, with low > 0; "int" for
        the integers from low to high. A mapping gives the coordinates names.
    name : str
        What errors call the argument.
    integrality : bool or array_like of bool, shape (n,)
        As in SciPy, which coordinates are integers.

    Notes
    -----
    0 and 1 of the unit cube give the bounds exactly. Every integer has an equal share of its edge of the cube.

    Examples
    --------
    >>> import numpy as np, reckless
    >>> box = reckless.Box({"gain": (0.1, 10.0, "log"), "teeth": (8, 40, "int"), "angle": (0.0, 90.0)})
    >>> box.from_unit(np.array([0.5, 0.5, 0.5])).round(9).tolist()
    [1.0, 24.0, 45.0]
    >>> box.names
    ('gain', 'teeth', 'angle')
    """

    # One array, because that reaches compiled code faster than four. (4, n): lower bounds; widths, of the logarithm or
    # in integers where that is the kind; upper bounds; kinds. Lower bound and width never end short of the upper bound.
    edges: Array
    names: tuple[str, ...]
    n_scenarios: ClassVar[None] = None

    def __init__(self, bounds: "BoundsLike | Box", name: str = "bounds", integrality: Any = None) -> None:
        if isinstance(bounds, Box):
            lower, upper, kinds, names = bounds.lower, bounds.upper, bounds.edges[3], bounds.names
        else:
            lower, upper, kinds, names = read_bounds(bounds, name)
        kinds = np.where(read_flags(integrality, kinds, name), float(INT), kinds)
        object.__setattr__(self, "edges", _read_edges(lower, upper, kinds, name, cure_for_cases(bounds)))
        object.__setattr__(self, "names", names)

    def __repr__(self) -> str:
        sides = [
            (low, high) if kind == "linear" else (low, high, kind)
            for low, high, kind in zip(self.lower.tolist(), self.upper.tolist(), self.kinds, strict=True)
        ]
        return f"Box({dict(zip(self.names, sides, strict=True)) if self.names else sides})"

    @property
    def lower(self) -> Array:
        lower: Array = self.edges[0]
        return lower

    @property
    def upper(self) -> Array:
        upper: Array = self.edges[2]
        return upper

    @property
    def kinds(self) -> tuple[Kind, ...]:
        return tuple(KINDS[int(kind)] for kind in self.edges[3])

    @property
    def n(self) -> int:
        return int(self.edges.shape[1])

    n_out = n

    def from_unit(self, point: Array) -> Array:
        row: Array = self.rows(point, 1)[0]
        return row

    def rows(self, points: Array, m: int) -> Array:
        edges = self.edges
        rows = np.empty((m, edges.shape[1]))
        (_fill_rows if points.ndim == 2 else _repeat_row)(points, edges, rows)
        return rows

    def to_unit(self, rows: Array) -> Array:
        lower, width, upper, kinds = self.edges
        is_log, is_int = kinds == LOG, kinds == INT
        inside = np.clip(rows, lower, upper)
        steps = inside - lower
        steps[:, is_int] = np.rint(steps[:, is_int]) + 0.5  # the middle of an integer's share
        steps[:, is_log] = np.log(inside[:, is_log]) - np.log(lower[is_log])
        units: Array = np.where((inside == upper) & ~is_int, 1.0, steps / width)
        return units

    def paths(self, point: Array, n_points: int, limit: int) -> list[Line]:
        """Return a line along each coordinate, from bound to bound."""
        lines = []
        for i, kind in enumerate(self.kinds[:limit]):
            ends = self.lower[i], self.upper[i]
            at = np.geomspace(*ends, n_points) if kind == "log" else np.linspace(*ends, n_points)
            line = line_along(self, point, i, np.rint(at) if kind == "int" else at)
            lines.append(line._replace(kind=kind))
        return lines


# One compiled call in place of three of NumPy's: every pair of every run passes here.


@compiled
def _fill_rows(points: Array, edges: Array, rows: Array) -> None:
    for k in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            rows[k, i] = min(edges[0, i] + points[k, i] * edges[1, i], edges[2, i])
    for i in range(rows.shape[1]):
        if edges[3, i] != LINEAR:
            for k in range(rows.shape[0]):
                rows[k, i] = _curved(points[k, i], edges, i)


@compiled
def _repeat_row(point: Array, edges: Array, rows: Array) -> None:
    for i in range(rows.shape[1]):
        linear = min(edges[0, i] + point[i] * edges[1, i], edges[2, i])
        coordinate = linear if edges[3, i] == LINEAR else _curved(point[i], edges, i)
        for k in range(rows.shape[0]):
            rows[k, i] = coordinate


@compiled
def _curved(unit: float, edges: Array, i: int) -> float:
    """Map one coordinate that is logarithmic or an integer."""
    if edges[3, i] == INT:
        coordinate: float = edges[0, i] + np.floor(unit * edges[1, i])
    else:
        root = np.exp(0.5 * unit * edges[1, i])  # the ratio of the bounds itself may overflow
        coordinate = edges[0, i] * root * root
    return min(coordinate, float(edges[2, i]))


def _read_edges(lower: Array, upper: Array, kinds: Array, name: str, cure: str) -> Array:
    """Check the bounds, round those of integers inward as SciPy does, and measure the widths."""
    check_order(lower, upper, kinds, name, cure)
    is_log, is_int = kinds == LOG, kinds == INT
    lower = np.where(is_int, np.ceil(lower) + 0.0, lower)  # + 0.0: no negative zero
    upper = np.where(is_int, np.floor(upper) + 0.0, upper)
    width = upper - lower
    width = np.where(lower + width < upper, np.nextafter(width, np.inf), width) + is_int
    low, high = np.log(lower[is_log]), np.log(upper[is_log])
    width[is_log] = high - low + 4.0 * np.spacing(1.0 + np.abs(low) + np.abs(high))
    return np.array([lower, width, upper, kinds])
