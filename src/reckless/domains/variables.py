"""Read what users say of single coordinates by mappings: ranges with a scale and a unit, choices, fixed values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from reckless.core.arguments import read_array, read_number
from reckless.core.arrays import Array, Indices
from reckless.core.words import safe_repr, safe_str
from reckless.errors import InvalidArgument

WAYS = ("range", "choices", "fixed")  # exactly one of them describes a coordinate
ALSO = {"range": ("scale", "unit"), "choices": ("unit",), "fixed": ("unit",)}
EXAMPLES = "For example {'range': (1, 10), 'scale': 'log'}, {'choices': [1, 2.2]} or {'fixed': 293}."
PLACEHOLDER = (0, 0, "int")  # of a coordinate that takes no room in the cube
NO_WORDS: Mapping[float, str] = MappingProxyType({})


class Side(NamedTuple):
    """One coordinate: bounds as pairs have them, and what a pair cannot say.

    values: of a choice, rising; a single one is fixed. words: what the user calls some of them.
    """

    bounds: Any
    unit: str = ""
    values: tuple[float, ...] = ()
    words: Mapping[float, str] = NO_WORDS


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Where the coordinates of a cube stand among those of a set that has choices or fixed values.

    fixed (n_out,): the fixed values, 0 elsewhere. free (n,): the column of each coordinate of the cube. choices: the
    values of those coordinates of the cube that are the number of a choice.
    """

    fixed: Array
    free: Indices
    choices: Mapping[int, Array] = field(default_factory=dict)

    def spread(self, inner: Array) -> Array:
        """Return rows (m, n_out) for rows (m, n) of free coordinates and numbers of choices."""
        rows = np.repeat(self.fixed[None], len(inner), axis=0)
        rows[:, self.free] = inner
        for i, values in self.choices.items():
            rows[:, self.free[i]] = values[inner[:, i].astype(np.intp)]
        return rows

    def gathered(self, rows: Array) -> Array:
        """Return the rows (m, n) that spread to these (m, n_out), with the nearest of each choice."""
        inner: Array = rows[:, self.free]
        for i, values in self.choices.items():
            inner[:, i] = np.abs(inner[:, i, None] - values).argmin(axis=1)
        return inner


def has_mappings(bounds: Any) -> bool:
    """Return whether a coordinate is described by a mapping."""
    sides = bounds.values() if isinstance(bounds, Mapping) else bounds
    return isinstance(sides, Sequence | type({}.values())) and any(isinstance(side, Mapping) for side in sides)


def describes_coordinate(side: Any) -> bool:
    """Return whether a value of a mapping may describe a coordinate."""
    return isinstance(side, tuple | list) or (isinstance(side, Mapping) and bool(side.keys() & {*WAYS}))


def read_side(side: Any, where: str) -> Side:
    """Return what is said of one coordinate; what is no mapping is for the reader of pairs."""
    if not isinstance(side, Mapping):
        return Side(side)
    ways = [way for way in WAYS if way in side]
    if len(ways) != 1 or not side.keys() <= {ways[0], *ALSO[ways[0]]}:
        found = safe_str(", ".join(map(safe_str, side))) or "nothing"
        raise InvalidArgument(
            f"{where} must have one of range, choices and fixed, and may have a unit, a range also a scale; "
            f"but has {found}. {EXAMPLES}"
        )
    unit = _read_unit(side.get("unit", ""), where)
    if ways[0] == "fixed":
        return Side(PLACEHOLDER, unit, (read_number(side["fixed"], f"{where}, fixed"),))
    if ways[0] == "choices":
        values, words = _read_choices(side["choices"], where)
        return Side((0, len(values) - 1, "int"), unit, values, words)
    return Side(_read_range(side["range"], side.get("scale"), where), unit)


def _read_range(ends: Any, scale: Any, where: str) -> tuple[Any, ...]:
    pair = read_array(ends)
    if pair is None or pair.shape != (2,):
        raise InvalidArgument(f"{where}: the range must be two numbers, as in (1, 10), but is {safe_repr(ends)}.")
    return tuple(ends) if scale is None else (*ends, scale if isinstance(scale, str) else safe_repr(scale))


def _read_unit(unit: Any, where: str) -> str:
    if not isinstance(unit, str) or safe_str(unit) != unit:
        raise InvalidArgument(
            f"{where}: the unit must be a text, short and printable, such as 'ohm', but is {safe_repr(unit)}."
        )
    return unit


def _read_choices(choices: Any, where: str) -> tuple[tuple[float, ...], Mapping[float, str]]:
    """Return the values of a choice, rising, and what the user calls them; words alone are numbered from 0."""
    rule = f"{where}: choices must be different numbers, different words, or a mapping from words to numbers"
    refusal = InvalidArgument(f"{rule}, but are {safe_repr(choices)}. {EXAMPLES}")
    parts = choices.tolist() if isinstance(choices, np.ndarray) else choices
    if isinstance(parts, str) or not isinstance(parts, Sequence | Mapping) or not parts:
        raise refusal
    labels = list(parts)
    are_words = all(isinstance(word, str) and word and safe_str(word) == word for word in labels)
    if isinstance(parts, Mapping):
        numbers = read_array(list(parts.values())) if are_words else None
    else:
        numbers = np.arange(float(len(labels))) if are_words else read_array(labels)
    if numbers is None or numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise refusal
    values = np.unique(numbers + 0.0)  # no negative zero
    if values.size < len(labels) or (are_words and len({*labels}) < len(labels)):
        raise refusal
    words = dict(zip(numbers.tolist(), labels, strict=True)) if are_words else NO_WORDS
    return tuple(values.tolist()), words


def columns_of(sides: Sequence[Side], name: str) -> Columns | None:
    """Return where the coordinates of the cube stand, None if each of them is a coordinate of the set."""
    if not any(side.values for side in sides):
        return None
    free = [i for i, side in enumerate(sides) if len(side.values) != 1]
    if not free:
        raise InvalidArgument(f"{name}: every coordinate is fixed. Give at least one a range or choices.")
    fixed = np.array([side.values[0] if len(side.values) == 1 else 0.0 for side in sides])
    choices = {k: np.array(sides[i].values) for k, i in enumerate(free) if sides[i].values}
    return Columns(fixed, np.array(free, dtype=np.intp), choices)
