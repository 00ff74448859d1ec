"""Boxes: products of intervals, each of them linear, logarithmic or of integers, with names if they are given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numba import njit
from scipy.optimize import Bounds

from reckless.core.arrays import Array, Flags
from reckless.domains.domain import Line, line_along
from reckless.errors import InvalidArgument

Kind: TypeAlias = Literal["linear", "log", "int"]
Interval: TypeAlias = tuple[float, float] | tuple[float, float, Kind]
BoundsLike: TypeAlias = Bounds | Sequence[Interval] | Mapping[str, Interval] | Array

KINDS: tuple[Kind, ...] = ("linear", "log", "int")
LINEAR, LOG, INT = range(3)  # places in KINDS


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
        lower, upper, kinds, names = _read_bounds(bounds, name)
        kinds = np.where(_read_flags(integrality, kinds, name), float(INT), kinds)
        object.__setattr__(self, "edges", _read_edges(lower, upper, kinds, name))
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
            lines.append(line_along(self, point, i, np.rint(at) if kind == "int" else at))
        return lines


# One compiled call in place of three of NumPy's: every pair of every run passes here.


@njit(cache=True)
def _fill_rows(points: Array, edges: Array, rows: Array) -> None:
    for k in range(rows.shape[0]):
        for i in range(rows.shape[1]):
            rows[k, i] = min(edges[0, i] + points[k, i] * edges[1, i], edges[2, i])
    for i in range(rows.shape[1]):
        if edges[3, i] != LINEAR:
            for k in range(rows.shape[0]):
                rows[k, i] = _curved(points[k, i], edges, i)


@njit(cache=True)
def _repeat_row(point: Array, edges: Array, rows: Array) -> None:
    for i in range(rows.shape[1]):
        linear = min(edges[0, i] + point[i] * edges[1, i], edges[2, i])
        coordinate = linear if edges[3, i] == LINEAR else _curved(point[i], edges, i)
        for k in range(rows.shape[0]):
            rows[k, i] = coordinate


@njit(cache=True)
def _curved(unit: float, edges: Array, i: int) -> float:
    """Map one coordinate that is logarithmic or an integer."""
    if edges[3, i] == INT:
        coordinate: float = edges[0, i] + np.floor(unit * edges[1, i])
    else:
        root = np.exp(0.5 * unit * edges[1, i])  # the ratio of the bounds itself may overflow
        coordinate = edges[0, i] * root * root
    return min(coordinate, float(edges[2, i]))


def _read_bounds(bounds: "BoundsLike | Box", name: str) -> tuple[Array, Array, Array, tuple[str, ...]]:
    """Read lower bounds, upper bounds, kinds as places in KINDS, and names, from all forms of bounds."""
    if isinstance(bounds, Box):
        return bounds.lower, bounds.upper, bounds.edges[3], bounds.names
    if not isinstance(bounds, Mapping):
        return *_read_columns(bounds, name), ()
    for key in bounds:
        if not isinstance(key, str) or not key:
            raise InvalidArgument(f"{name}: the name of a coordinate must be a text, but one is {key!r}.")
    return *_read_columns(list(bounds.values()), name), tuple(bounds)


def _read_columns(bounds: Any, name: str) -> tuple[Array, Array, Array]:
    """Read lower bounds, upper bounds and kinds."""
    rule = f"{name}: expected a sequence of (low, high) pairs, one per coordinate, or scipy.optimize.Bounds"
    try:
        sides = list(zip(bounds.lb, bounds.ub, strict=True) if isinstance(bounds, Bounds) else bounds)
        pairs = np.array([side[:2] if _has_kind(side) else side for side in sides], dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{rule}, but got {shortened(bounds)}.") from None
    if pairs.size == 0:
        raise InvalidArgument(f"{name}: at least one coordinate is needed, but got bounds of shape {pairs.shape}.")
    if pairs.shape == (2,):
        low, high = pairs
        raise InvalidArgument(f"{rule}, but got one bare pair. Did you mean [({low:g}, {high:g})]?")
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InvalidArgument(f"{rule}, but got an array of shape {pairs.shape}.")
    return pairs[:, 0], pairs[:, 1], _read_kinds(sides, name)


def _has_kind(side: Any) -> bool:
    return isinstance(side, tuple | list) and len(side) == 3 and isinstance(side[2], str)


def _read_kinds(sides: list[Any], name: str) -> Array:
    words = [side[2] if _has_kind(side) else "linear" for side in sides]
    for i, word in enumerate(words):
        if word not in KINDS:
            raise InvalidArgument(
                f"{name}: the kind of a coordinate must be one of {', '.join(KINDS)}, but index {i} has {word!r}. "
                f"For example (1, 10, 'log')."
            )
    return np.array([KINDS.index(word) for word in words], dtype=np.float64)


def _read_flags(integrality: Any, kinds: Array, name: str) -> Flags:
    """Return which coordinates `integrality` makes integers."""
    n = kinds.size
    try:
        flags = np.array(False if integrality is None else integrality)
    except ValueError:
        flags = np.array("")
    if flags.dtype.kind not in "biuf" or flags.shape not in ((), (n,)) or not np.all((flags == 0) | (flags == 1)):
        raise InvalidArgument(
            f"{name.replace('bounds', 'integrality')}: expected True or False, or {n} of them, one per coordinate of "
            f"{name}, but got {shortened(integrality)}."
        )
    for i in np.flatnonzero((flags == 1) & (kinds == LOG))[:1]:
        raise InvalidArgument(
            f"{name}: a coordinate must be logarithmic or an integer, but index {i} is to be both. "
            f"Drop the kind or the integrality."
        )
    return np.broadcast_to(flags == 1, (n,))


def _read_edges(lower: Array, upper: Array, kinds: Array, name: str) -> Array:
    """Check the bounds, round those of integers inward as SciPy does, and measure the widths."""
    _check(lower, upper, kinds, name)
    is_log, is_int = kinds == LOG, kinds == INT
    lower = np.where(is_int, np.ceil(lower) + 0.0, lower)  # + 0.0: no negative zero
    upper = np.where(is_int, np.floor(upper) + 0.0, upper)
    width = upper - lower
    width = np.where(lower + width < upper, np.nextafter(width, np.inf), width) + is_int
    low, high = np.log(lower[is_log]), np.log(upper[is_log])
    width[is_log] = high - low + 4.0 * np.spacing(1.0 + np.abs(low) + np.abs(high))
    return np.array([lower, width, upper, kinds])


def _check(lower: Array, upper: Array, kinds: Array, name: str) -> None:
    is_int = kinds == INT
    with np.errstate(over="ignore", invalid="ignore"):
        is_infinite = ~np.isfinite(upper - lower)
    order = "each lower bound must be below its upper bound, but {here}."
    rules = (
        (
            is_infinite,
            "bounds must be finite numbers, but {here}. Give the largest range that makes sense for this coordinate.",
        ),
        (lower > upper, f"{order} Did you swap them?"),
        ((lower == upper) & ~is_int, f"{order} Fix this coordinate inside f instead."),
        (
            is_int & (np.ceil(lower) > np.floor(upper)),
            "coordinate {i} is to be an integer, but {here}, with none between. "
            "Widen these bounds, or leave the coordinate continuous.",
        ),
        (
            (kinds == LOG) & (lower <= 0.0),
            "a logarithmic coordinate must have bounds above 0, but {here}. "
            "Give the smallest value that makes sense, or make the coordinate linear.",
        ),
    )
    for is_wrong, sentence in rules:
        for i in np.flatnonzero(is_wrong)[:1]:
            here = f"index {i} has lower={lower[i]} and upper={upper[i]}"
            raise InvalidArgument(f"{name}: {sentence.format(i=i, here=here)}")


def shortened(thing: object) -> str:
    """Return the repr, cut to a length that fits into a sentence."""
    text = repr(thing)
    return text if len(text) <= 60 else f"{text[:57]}..."
