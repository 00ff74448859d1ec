"""Read bounds as users write them: pairs, named pairs, SciPy's Bounds, with kinds and integrality."""

import warnings
from collections.abc import Mapping, Sequence, Set
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import Bounds

from reckless.core.arguments import LARGEST_SIZE, read_array
from reckless.core.arrays import Array, Flags
from reckless.core.words import safe_repr, safe_str
from reckless.domains.variables import Columns, Side, columns_of, has_mappings, read_side
from reckless.errors import InvalidArgument, ScaleWarning

Kind: TypeAlias = Literal["linear", "log", "int"]
Interval: TypeAlias = tuple[float, float] | tuple[float, float, Kind] | Mapping[str, Any]
BoundsLike: TypeAlias = Bounds | Sequence[Interval] | Mapping[str, Interval] | Array

KINDS: tuple[Kind, ...] = ("linear", "log", "int")
LINEAR, LOG, INT = range(3)  # places in KINDS
WIDE = 1e3  # ratio of positive bounds above which a linear scale is worth a warning
TOO_WIDE = 1e9  # ratio from which the lower bound stands for 0
CASES = " If the rows are cases, did you mean reckless.Scenarios(rows)?"
VECTORS = " Did you mean scipy.optimize.Bounds(lows, highs), or reckless.Scenarios(rows) if the rows are cases?"


class Coordinates(NamedTuple):
    """Bounds as they were read: vectors (n_out,), kinds as places in KINDS, and legends, each one each or none.

    A choice has the bounds of its numbers, a fixed value those of a single number.
    """

    lower: Array
    upper: Array
    kinds: Array
    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    words: tuple[Mapping[float, str], ...] = ()
    columns: Columns | None = None
    undecided: tuple[int, ...] = ()  # whose kind could have been given, but was not

    def place(self, i: int) -> str:
        """Return what errors call a coordinate."""
        return f"index {i} ({self.names[i]})" if self.names else f"index {i}"


def read_bounds(bounds: BoundsLike, name: str) -> Coordinates:
    """Read all forms of bounds."""
    names: tuple[str, ...] = ()
    given: Any = bounds
    if isinstance(bounds, Mapping):
        names, given = _read_names(bounds, name), list(bounds.values())
    if not has_mappings(given):
        columns = _read_columns(given, name)
        can_say = isinstance(given, list | tuple)
        undecided = tuple(i for i, side in enumerate(given) if not _has_kind(side)) if can_say else ()
        return Coordinates(*columns, names, undecided=undecided)
    sides = [read_side(side, f"{name}: {repr(names[i]) if names else f'index {i}'}") for i, side in enumerate(given)]
    ends = [side.bounds for side in sides]
    undecided = tuple(i for i, side in enumerate(ends) if not _has_kind(side))
    return Coordinates(*_read_columns(ends, name), names, *_read_legend(sides), columns_of(sides, name), undecided)


def _read_names(bounds: Mapping[str, Any], name: str) -> tuple[str, ...]:
    for key in bounds:
        if not isinstance(key, str) or not key or safe_str(key) != key:
            raise InvalidArgument(
                f"{name}: the name of a coordinate must be a text, short and printable, but one is {safe_repr(key)}."
            )
    return tuple(bounds)


def _read_legend(sides: list[Side]) -> tuple[tuple[str, ...], tuple[Mapping[float, str], ...]]:
    """Return units and words, or none where no coordinate has any."""
    units, words = tuple(side.unit for side in sides), tuple(dict(side.words) for side in sides)
    return units if any(units) else (), words if any(words) else ()


def _read_columns(bounds: Any, name: str) -> tuple[Array, Array, Array]:
    """Read lower bounds, upper bounds and kinds."""
    rule = f"{name}: expected a sequence of (low, high) pairs, one per coordinate, or scipy.optimize.Bounds"
    sides = _read_sides(bounds)
    pairs = None if sides is None else read_array([side[:2] if _has_kind(side) else side for side in sides])
    if sides is None or pairs is None:
        raise InvalidArgument(f"{rule}, but got {safe_repr(bounds)}.")
    if pairs.size == 0:
        raise InvalidArgument(f"{name}: at least one coordinate is needed, but got bounds of shape {pairs.shape}.")
    if pairs.shape == (2,):
        low, high = pairs
        raise InvalidArgument(f"{rule}, but got one bare pair. Did you mean [({low:g}, {high:g})]?")
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        cure = {1: CASES, 2: VECTORS if len(pairs) == 2 else CASES}.get(pairs.ndim, "")
        raise InvalidArgument(f"{rule}, but got an array of shape {pairs.shape}.{cure}")
    _refuse_two_vectors(bounds, pairs, name)
    _refuse_open(sides, pairs, name)
    return pairs[:, 0], pairs[:, 1], _read_kinds(sides, name)


def _read_sides(bounds: Any) -> list[Any] | None:
    """Return the entries of bounds, or None if they have none, or none in order."""
    if isinstance(bounds, Set):
        return None
    try:
        return list(
            islice(zip(bounds.lb, bounds.ub, strict=True) if isinstance(bounds, Bounds) else bounds, LARGEST_SIZE)
        )
    except Exception:  # whatever a class of the user's does wrong
        return None


def _refuse_two_vectors(bounds: Any, pairs: Array, name: str) -> None:
    """Ask back where two pairs may be all lower and all upper bounds; a list of two [low, high] lists are pairs."""
    if not isinstance(bounds, tuple | list) or len(bounds) != 2 or any(map(_has_kind, bounds)):
        return
    if all(isinstance(side, np.ndarray if isinstance(bounds, list) else np.ndarray | list) for side in bounds):
        first, second = pairs.tolist()
        raise InvalidArgument(
            f"{name}: expected a list of (low, high) pairs, but got two vectors, which may be lows and highs. "
            f"Write [{tuple(first)}, {tuple(second)}] for pairs, or scipy.optimize.Bounds({first}, {second})."
        )


def _refuse_open(sides: list[Any], pairs: Array, name: str) -> None:
    """Refuse a side that is missing or infinite."""
    for i in np.flatnonzero(~np.isfinite(pairs).all(axis=1))[:1]:
        low, high = (end.item() if isinstance(end, np.generic) else end for end in tuple(sides[i])[:2])
        ways = [("below", low is None or low == -np.inf), ("above", high is None or high == np.inf)]
        is_open = " and ".join(way for way, holds in ways if holds)
        raise InvalidArgument(
            f"{name}: bounds must be finite: {safe_repr((low, high))} is "
            f"{f'open {is_open}' if is_open else 'no pair of finite numbers'} (index {i}). "
            f"Give the largest range that makes sense for this coordinate."
        )


def cure_for_cases(bounds: Any) -> str:
    """Return what to do about wrong pairs if they may be the rows of a table of cases."""
    is_table = isinstance(bounds, tuple | list | np.ndarray) and len(bounds) > 1
    return CASES if is_table and not any(map(_has_kind, bounds)) else ""


def _has_kind(side: Any) -> bool:
    return isinstance(side, tuple | list) and len(side) == 3 and isinstance(side[2], str)


def _read_kinds(sides: list[Any], name: str) -> Array:
    words = [side[2] if _has_kind(side) else "linear" for side in sides]
    for i, word in enumerate(words):
        if word not in KINDS:
            raise InvalidArgument(
                f"{name}: the kind of a coordinate must be one of {', '.join(KINDS)}, but index {i} has "
                f"{safe_repr(word)}. "
                f"For example (1, 10, 'log')."
            )
    return np.array([KINDS.index(word) for word in words], dtype=np.float64)


def read_flags(integrality: Any, kinds: Array, name: str) -> Flags:
    """Return which coordinates `integrality` makes integers."""
    n = kinds.size
    flags = read_array(False if integrality is None else integrality)
    if flags is None or flags.shape not in ((), (n,)) or not np.all((flags == 0) | (flags == 1)):
        raise InvalidArgument(
            f"{name.replace('bounds', 'integrality')}: expected True or False, or {n} of them, one per coordinate of "
            f"{name}, but got {safe_repr(integrality)}."
        )
    for i in np.flatnonzero((flags == 1) & (kinds == LOG))[:1]:
        raise InvalidArgument(
            f"{name}: a coordinate must be logarithmic or an integer, but index {i} is to be both. "
            f"Drop the kind or the integrality."
        )
    return np.broadcast_to(flags == 1, (n,))


def check_order(given: Coordinates, kinds: Array, name: str, cure: str) -> None:
    """Refuse bounds that are too far apart, crossed, or leave nothing between them."""
    lower, upper, is_int = given.lower, given.upper, kinds == INT
    with np.errstate(over="ignore", invalid="ignore"):
        is_infinite = ~np.isfinite(upper - lower)
    order = "each lower bound must be below its upper bound, but {here}."
    rules = (
        (
            is_infinite,
            "bounds must be less than 1.8e308 apart, but {here}. "
            "Give the largest range that makes sense for this coordinate.",
        ),
        (lower > upper, f"{order} Did you swap them?{cure}"),
        ((lower == upper) & ~is_int, f"{order} To fix it, write {{fixed}} for this coordinate.{cure}"),
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
            here = f"{given.place(i)} has lower={lower[i]} and upper={upper[i]}"
            raise InvalidArgument(f"{name}: {sentence.format(i=i, here=here, fixed={'fixed': float(lower[i])})}")


def warn_of_decades(given: Coordinates, kinds: Sequence[str], name: str) -> None:
    """Warn of a coordinate that spans more than three decades, if nobody said how it is to be searched."""
    for i in given.undecided:
        low, high = given.lower[i], given.upper[i]
        if kinds[i] == "linear" and 0.0 < high / TOO_WIDE < low < high / WIDE:
            warnings.warn(
                f"{name}: {given.place(i)} goes from {low:g} to {high:g} on a linear scale, nearly all of which is the "
                f"last decade. Write ({low:g}, {high:g}, 'log') if its order of magnitude is unknown, or 'linear' in "
                f"place of 'log' to keep this scale.",
                ScaleWarning,
                stacklevel=6,
            )
            return
