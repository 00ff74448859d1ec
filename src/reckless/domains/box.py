"""Boxes: products of intervals, each of them linear, logarithmic or of integers, of choices and of fixed values."""

from collections.abc import Mapping
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
    Coordinates,
    check_order,
    cure_for_cases,
    read_bounds,
    read_flags,
)
from reckless.domains.domain import Line, line_along
from reckless.domains.variables import Columns


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class Box:
    """A product of intervals, choices and fixed values, one per coordinate.

    Parameters
    ----------
    bounds : sequence or mapping of coordinates, or scipy.optimize.Bounds
        A coordinate is (low, high) or (low, high, kind). The kind is "linear" unless given; "log" for a coordinate
        whose logarithm is searched, with low > 0; "int" for the integers from low to high. Or it is a mapping:
        ``{"range": (10, 1000), "scale": "log", "unit": "ohm"}``; ``{"choices": [1e-9, 2.2e-9], "unit": "F"}``, where
        numbers may have words, ``{"choices": {"1n": 1e-9, "2n2": 2.2e-9}}``, and words alone are the numbers 0, 1, ...
        to f; ``{"fixed": 293, "unit": "K"}``, which f is given and no method sees. A mapping of coordinates gives them
        names.
    name : str
        What errors call the argument.
    integrality : bool or array_like of bool, shape (n_out,)
        As in SciPy, which coordinates are integers.

    Notes
    -----
    0 and 1 of the unit cube give the bounds exactly. Every integer, and every choice in the order of its number, has an
    equal share of its edge of the cube. A fixed coordinate has no edge: `n` counts the others, `n_out` all.

    Examples
    --------
    >>> import numpy as np, reckless
    >>> box = reckless.Box({"gain": (0.1, 10.0, "log"), "teeth": (8, 40, "int"), "angle": (0.0, 90.0)})
    >>> box.from_unit(np.array([0.5, 0.5, 0.5])).round(9).tolist()
    [1.0, 24.0, 45.0]
    >>> box.names
    ('gain', 'teeth', 'angle')
    >>> part = reckless.Box({"spring": {"choices": [1.2, 2.0, 4.7]}, "T": {"fixed": 293, "unit": "K"}})
    >>> part.from_unit(np.array([0.9])).tolist(), part.n, part.n_out
    ([4.7, 293.0], 1, 2)
    """

    # One array, because that reaches compiled code faster than four. (4, n): lower bounds; widths, of the logarithm or
    # in integers where that is the kind; upper bounds; kinds. Lower bound and width never end short of the upper bound.
    # They are those of the coordinates of the cube; a choice is an integer there.
    edges: Array
    names: tuple[str, ...]
    units: tuple[str, ...]  # one per coordinate, or none
    words: tuple[Mapping[float, str], ...]  # what choices are called, one mapping per coordinate, or none
    columns: Columns | None  # None if each coordinate of the cube is one of the box
    n_scenarios: ClassVar[None] = None

    def __init__(self, bounds: "BoundsLike | Box", name: str = "bounds", integrality: Any = None) -> None:
        given = bounds._given() if isinstance(bounds, Box) else read_bounds(bounds, name)
        kinds = np.where(read_flags(integrality, given.kinds, name), float(INT), given.kinds)
        edges = _read_edges(given, kinds, name, cure_for_cases(bounds))
        columns = given.columns
        object.__setattr__(self, "edges", edges if columns is None else edges[:, columns.free].copy())
        object.__setattr__(self, "names", given.names)
        object.__setattr__(self, "units", given.units)
        object.__setattr__(self, "words", given.words)
        object.__setattr__(self, "columns", columns)

    def _given(self) -> Coordinates:
        """Return what this box was made of; bounds of integers are rounded, and every kind is decided."""
        lower, _, upper, kinds = self._inner()
        return Coordinates(lower, upper, kinds, self.names, self.units, self.words, self.columns)

    def _inner(self) -> Array:
        """Return the edges of all coordinates (4, n_out); a fixed one is the integer 0."""
        if self.columns is None:
            return self.edges
        edges = np.repeat([[0.0], [1.0], [0.0], [float(INT)]], self.n_out, axis=1)
        edges[:, self.columns.free] = self.edges
        return edges

    def __repr__(self) -> str:
        sides = [self._spelled(i) for i in range(self.n_out)]
        return f"Box({dict(zip(self.names, sides, strict=True)) if self.names else sides})"

    def _spelled(self, i: int) -> Any:
        """Return coordinate i as `Box` takes it."""
        kind, values = self.kinds[i], self.values(i)
        unit = {"unit": self.units[i]} if self.units and self.units[i] else {}
        if kind == "fixed":
            return {"fixed": values[0], **unit}
        if kind == "choices":
            words = self.words[i] if self.words else {}
            return {"choices": {words[value]: value for value in values} if words else values, **unit}
        ends = float(self.lower[i]), float(self.upper[i])
        if unit:
            return {"range": ends, **({} if kind == "linear" else {"scale": kind}), **unit}
        return ends if kind == "linear" else (*ends, kind)

    def values(self, i: int) -> list[float]:
        """Return the values that coordinate i can have if it is a choice or fixed, else none."""
        if self.columns is None:
            return []
        k = np.flatnonzero(self.columns.free == i)
        if not k.size:
            return [float(self.columns.fixed[i])]
        values: list[float] = self.columns.choices.get(int(k[0]), np.empty(0)).tolist()
        return values

    @property
    def lower(self) -> Array:
        """The smallest value of each coordinate (n_out,)."""
        return self._ends(0)

    @property
    def upper(self) -> Array:
        """The largest value of each coordinate (n_out,)."""
        return self._ends(-1)

    def _ends(self, which: int) -> Array:
        ends: Array = self.edges[0 if which == 0 else 2]
        if self.columns is None:
            return ends
        ends = self._inner()[0 if which == 0 else 2].copy()
        for i in range(self.n_out):
            if values := self.values(i):
                ends[i] = values[which]
        return ends

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of each coordinate (n_out,): "linear", "log", "int", "choices" or "fixed"."""
        kinds = tuple(KINDS[int(kind)] for kind in self._inner()[3])
        if self.columns is None:
            return kinds
        sizes = [len(self.values(i)) for i in range(self.n_out)]
        return tuple(
            kind if not size else "fixed" if size == 1 else "choices" for kind, size in zip(kinds, sizes, strict=True)
        )

    @property
    def n_steps(self) -> Array:
        """How many values each coordinate of the cube (n,) has, 0 if it is continuous."""
        steps: Array = np.where(self.edges[3] == INT, self.edges[1], 0.0)
        return steps

    @property
    def n(self) -> int:
        return int(self.edges.shape[1])

    @property
    def n_out(self) -> int:
        return int(self.edges.shape[1]) if self.columns is None else self.columns.fixed.size

    def from_unit(self, point: Array) -> Array:
        row: Array = self.rows(point, 1)[0]
        return row

    def rows(self, points: Array, m: int) -> Array:
        edges = self.edges
        rows = np.empty((m, edges.shape[1]))
        (_fill_rows if points.ndim == 2 else _repeat_row)(points, edges, rows)
        return rows if self.columns is None else self.columns.spread(rows)

    def to_unit(self, rows: Array) -> Array:
        lower, width, upper, kinds = self.edges
        is_log, is_int = kinds == LOG, kinds == INT
        inside = np.clip(rows if self.columns is None else self.columns.gathered(rows), lower, upper)
        steps = inside - lower
        steps[:, is_int] = np.rint(steps[:, is_int]) + 0.5  # the middle of an integer's share
        steps[:, is_log] = np.log(inside[:, is_log]) - np.log(lower[is_log])
        units: Array = np.where((inside == upper) & ~is_int, 1.0, steps / width)
        return units

    def paths(self, point: Array, n_points: int, limit: int) -> list[Line]:
        """Return a line along each coordinate that is not fixed, from bound to bound."""
        places = [(i, kind) for i, kind in enumerate(self.kinds) if kind != "fixed"]
        lines = [(line_along(self, point, i, self._along(i, kind, n_points)), kind) for i, kind in places[:limit]]
        return [line._replace(kind=kind) for line, kind in lines]

    def _along(self, i: int, kind: str, n_points: int) -> Array:
        """Return about n_points positions on a line along coordinate i."""
        if kind == "choices":
            values = np.array(self.values(i))
            return values[np.unique(np.linspace(0, values.size - 1, min(n_points, values.size)).astype(np.intp))]
        ends = self.lower[i], self.upper[i]
        at = np.geomspace(*ends, n_points) if kind == "log" else np.linspace(*ends, n_points)
        return np.rint(at) if kind == "int" else at


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


def _read_edges(given: Coordinates, kinds: Array, name: str, cure: str) -> Array:
    """Check the bounds, round those of integers inward as SciPy does, and measure the widths."""
    check_order(given, kinds, name, cure)
    is_log, is_int = kinds == LOG, kinds == INT
    lower = np.where(is_int, np.ceil(given.lower) + 0.0, given.lower)  # + 0.0: no negative zero
    upper = np.where(is_int, np.floor(given.upper) + 0.0, given.upper)
    width = upper - lower
    width = np.where(lower + width < upper, np.nextafter(width, np.inf), width) + is_int
    low, high = np.log(lower[is_log]), np.log(upper[is_log])
    width[is_log] = high - low + 4.0 * np.spacing(1.0 + np.abs(low) + np.abs(high))
    return np.array([lower, width, upper, kinds])
