"""Read sets as users describe them: by bounds, objects, tables of a problem file, options of the command line."""

import csv
import io
from collections.abc import Callable, Collection, Mapping, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from reckless.core.arguments import is_like
from reckless.core.arrays import Array
from reckless.core.tomlfile import parse_toml
from reckless.core.words import safe_repr, safe_str
from reckless.domains.bounds import KINDS, BoundsLike, read_bounds, warn_of_decades
from reckless.domains.box import Box
from reckless.domains.domain import Domain
from reckless.domains.perturbation import Perturbed, perturbation
from reckless.domains.sets import Ball, Scenarios, Simplex
from reckless.domains.variables import describes_coordinate
from reckless.errors import InvalidArgument

DomainLike: TypeAlias = BoundsLike | Domain | Mapping[str, Any]

PARTS = tuple(name for name in vars(Domain) if not name.startswith("_"))  # what makes an object a set
LARGEST_FILE = 10**8  # characters: a file that never ends, such as a device, is refused in time


class Perturbing(NamedTuple):
    """y as a perturbation of x: with a function g(x) and the box of x this becomes an f(x, y) and a set."""

    radius: Any
    shape: Any = "box"
    inside: Any = True
    integrality: Any = None

    def of(self, g: Callable[..., Any], x_domain: Domain) -> tuple[Perturbed, Domain]:
        """Return f and the set of y."""
        if not isinstance(x_domain, Box):
            raise InvalidArgument(
                "a perturbation needs an x in a box, so x_bounds must be a list of [low, high] pairs."
            )
        f, y_bounds = perturbation(g, x_domain, self.radius, shape=self.shape, inside=self.inside)
        return f, read_domain(y_bounds, "y_bounds", self.integrality)


class SetSpelling(NamedTuple):
    """How a set is spelled in a table, under its name.

    make: what takes the parts as keywords.
    short: the part that a bare value gives, if one is allowed.
    read_file: what reads the set from a file, if a table may name one.
    """

    make: Callable[..., Domain | Perturbing]
    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()
    short: str = ""
    read_file: Callable[[Path], Domain] | None = None
    example: str = ""


def read_domain(bounds: DomainLike, name: str, integrality: Any = None) -> Domain:
    """Return the set that the argument called `name` describes; one that was read before is returned unchanged.

    integrality: as in SciPy's differential evolution, which coordinates of a box are integers: one flag, or one each.
    """
    if isinstance(bounds, type):
        raise InvalidArgument(f"{name}: expected a set, but got the class {bounds.__name__}. Call it first.")
    has_flags = integrality is not None and integrality is not False
    found: Any = read_table(bounds, Path(), name) if isinstance(bounds, Mapping) else bounds
    if isinstance(found, Perturbing):
        raise InvalidArgument(
            f"{name}: a perturbation changes f too, but only a set was expected. "
            f"Use f, y_bounds = reckless.perturbation(g, x_bounds, radius)."
        )
    if isinstance(found, Box):
        return Box(found, name, integrality) if has_flags else found
    if is_like(found, Domain):
        if has_flags:
            raise InvalidArgument(
                f"{name}: integer coordinates need a box, that is (low, high) pairs, "
                f"but got a {type(found).__name__}. A list of integer points can be given as reckless.Scenarios."
            )
        domain: Domain = found
        return domain
    _refuse_incomplete(found, name)
    return _read_box(found, name, integrality)


def _read_box(bounds: BoundsLike, name: str, integrality: Any = None) -> Box:
    """Return the box of what a user typed, who is warned of scales that were hardly meant."""
    box = Box(bounds, name, integrality)
    warn_of_decades(read_bounds(bounds, name), box.kinds, name)
    return box


def _refuse_incomplete(thing: object, name: str) -> None:
    """Say what an object that maps points lacks to be a set; anything else may be bounds."""
    try:
        missing = [part for part in PARTS if getattr(thing, part, Domain) is Domain]
    except Exception:  # whatever a class of the user's does wrong
        return
    if "rows" not in missing or "from_unit" not in missing:
        raise InvalidArgument(
            f"{name}: a set must have all that reckless.domains.domain.Domain has, "
            f"but {type(thing).__name__} lacks {', '.join(missing)}."
        )


def read_table(table: Mapping[str, Any], folder: Path, name: str) -> Domain | Perturbing:
    """Return the set that a mapping describes: { simplex = 3 }, or a box, { gain = [0.1, 10.0, "log"] }.

    folder: where the files are that it names.
    """
    if len(table) != 1 or not table.keys() <= SETS.keys():
        if table and not table.keys() & SETS.keys() and all(map(describes_coordinate, table.values())):
            return _read_box(table, name)
        if any(map(describes_coordinate, table.values())):
            return Box(table, name)  # which says what is wrong with the others
        raise InvalidArgument(
            f"{name}: expected one of {', '.join(SETS)}, but got {_keys(table)}. "
            f"For example {SETS['ball'].example}, or {{ gain = [0.1, 10.0, 'log'], part = {{ choices = [1, 2.2] }} }} "
            f"for a box."
        )
    ((kind, content),) = table.items()
    try:
        return _read_set(kind, content, folder)
    except InvalidArgument as error:
        raise InvalidArgument(f"{name}: {error}") from None


def _read_set(kind: str, content: Any, folder: Path) -> Domain | Perturbing:
    spelling = SETS[kind]
    if isinstance(content, str) and spelling.read_file:
        return spelling.read_file(folder / content)
    needed, optional = spelling.needed, spelling.optional
    if spelling.short and not isinstance(content, Mapping):
        content = {spelling.short: content}
    if not isinstance(content, Mapping) or not {*needed} <= content.keys() <= {*needed, *optional}:
        found = _keys(content) if isinstance(content, Mapping) else safe_repr(content)
        more = f" (and may have {' and '.join(optional)})" if optional else ""
        raise InvalidArgument(
            f"{kind} must have {' and '.join(needed)}{more}, but has {found}. For example {spelling.example}."
        )
    return spelling.make(**content)


def _keys(table: Mapping[str, Any]) -> str:
    return safe_str(", ".join(map(safe_str, table))) or "nothing"


def read_edges(spellings: Sequence[str], name: str) -> Domain:
    """Return the set that an option such as --x spells: one coordinate each time, or once a set such as simplex=3."""
    keys = [key.strip() for key, equals, _ in (text.partition("=") for text in spellings) if equals]
    if len(spellings) == 1 and keys and (keys[0] in SETS or _number(spellings[0].partition("=")[2]) is not None):
        return read_domain(_parsed(spellings[0], name), name)
    if not keys:
        return _read_box([read_edge(text, name) for text in spellings], name)
    if len(keys) < len(spellings):
        raise InvalidArgument(f"{name}: name all coordinates, as in {name} R=10:1000, or none of them.")
    for i, key in enumerate(keys):
        if key in keys[:i]:
            raise InvalidArgument(f"{name}: {safe_repr(key)} is given twice. Every coordinate needs a name of its own.")
    sides = [_named_edge(text, name) for text in spellings]
    return _read_box(dict(zip(keys, sides, strict=True)), name)


def _parsed(text: str, name: str) -> dict[str, Any]:
    """Return what a text says in the language of problem files."""
    try:
        return parse_toml(text)
    except ValueError as error:
        raise InvalidArgument(
            f"{name}: expected a set as in a problem file, such as 'simplex = 3', "
            f"but got {safe_repr(text)} ({safe_str(error)})."
        ) from None


def _named_edge(text: str, name: str) -> Any:
    """Return a coordinate that is spelled NAME=LOW:HIGH, NAME=A,B,C, NAME=VALUE or as in a problem file."""
    key, _, side = (part.strip() for part in text.partition("="))
    if side[:1] in ("{", "["):
        return next(iter(_parsed(f"side = {side}", name).values()))
    if "," in side:
        parts = [part.strip() for part in side.split(",")]
        numbers = [_number(part) for part in parts]
        return {"choices": parts if None in numbers else numbers}
    if (value := _number(side)) is not None:
        return {"fixed": value}
    return read_edge(side, f"{name} {safe_str(key)}")


def read_edge(text: str, name: str) -> Any:
    """Return the bounds and the kind of one coordinate that is spelled LOW:HIGH, LOW:HIGH:int or LOW:HIGH:log.

    Without a name it may be a choice too, A,B,C of numbers.
    """
    parts = [_number(part) for part in text.split(",")]
    if len(parts) > 1 and None not in parts:
        return {"choices": parts}
    low, high, *kind = text.split(":") if ":" in text else ("", "")
    ends = _number(low), _number(high)
    if None in ends or len(kind) > 1 or not {*kind} <= {*KINDS}:
        raise InvalidArgument(
            f"{name}: expected LOW:HIGH, two numbers such as 0:10, or 0:10:int for whole numbers, or 1:10:log for a "
            f"logarithmic scale, or choices such as 1,2.2,4.7, each with a name before it if you like, as in "
            f"R=1:10:log or T=293, but got {safe_repr(text)}. Repeat the option for every further coordinate."
        )
    return (*ends, *kind)


def read_scenarios(path: Path) -> Scenarios:
    """Read the scenarios of a CSV file, one per row."""
    return Scenarios(read_rows(path))


def read_rows(path: Path, n_open: int = 0, names: Sequence[Collection[str]] = ()) -> Array:
    """Read the rows of a CSV file (m, n); a first line of names alone is a heading, and empty lines do not count.

    n_open: how many of the last fields of a row may be infinite, or empty, which is NaN. names: what each of the first
    columns may be called; if the heading has them, the columns may come in any order.
    """
    lines = _lines(path)
    if lines and all(field.strip()[:1].isalpha() and _number(field) is None for field in lines[0][1]):
        (number, heading), *lines = lines
        order = _order_of([field.strip() for field in heading], names, f"{safe_str(path)}, line {number}")
        lines = [(k, [line[i] for i in order] if len(line) == len(order) else line) for k, line in lines]
    if not lines:
        raise InvalidArgument(f"{safe_str(path)} has no row of numbers.")
    n = len(lines[0][1])
    return np.array([_row(fields, n, n_open, f"{safe_str(path)}, line {number}") for number, fields in lines])


def _order_of(heading: list[str], names: Sequence[Collection[str]], where: str) -> list[int]:
    """Return the places of the named columns, then those of the others; the given order if no name is there."""
    found = [[i for i, field in enumerate(heading) if field in wanted] for wanted in names]
    if not any(found):
        return list(range(len(heading)))
    for wanted, places in zip(names, found, strict=True):
        if len(places) != 1:
            raise InvalidArgument(
                f"{where}: the heading must name every coordinate once, or none of them, but has "
                f"{len(places) or 'no'} column{'s' * (len(places) > 1)} called {safe_str(next(iter(wanted)))}."
            )
    places = [place for (place,) in found]
    return [*places, *(i for i in range(len(heading)) if i not in places)]


def _row(fields: list[str], n: int, n_open: int, where: str) -> list[float]:
    """Return the numbers of one line."""
    row = [nan if (value := _number(field)) is None else value for field in fields]
    n_needed = len(fields) - n_open
    is_open = [not field.strip() or _number(field) is not None for field in fields[n_needed:]]
    if not all(map(isfinite, row[:n_needed])) or not all(is_open):
        found = safe_repr(",".join(fields))
        raise InvalidArgument(f"{where}: expected finite numbers with commas between them, but got {found}.")
    if len(row) != n:
        raise InvalidArgument(f"{where}: expected {n} numbers, as in the rows before, but got {len(row)}.")
    return row


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """Return the numbers and fields of the lines that are not empty."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            text = file.read(LARGEST_FILE + 1)
        if len(text) > LARGEST_FILE:
            raise InvalidArgument(f"{safe_str(path)} is longer than {LARGEST_FILE:,} characters. Is it a CSV file?")
        reader = csv.reader(io.StringIO(text, newline=""))
        return [(reader.line_num, fields) for fields in reader if any(field.strip() for field in fields)]
    except InvalidArgument:
        raise
    except OSError as error:
        raise InvalidArgument(f"{safe_str(path)} cannot be read ({error.strerror}).") from None
    except (ValueError, csv.Error) as error:  # no UTF-8, no table, or a name that no file can have
        raise InvalidArgument(f"{safe_str(path)} is not a CSV file ({safe_str(error)}).") from None


def _number(field: str) -> float | None:
    try:
        return float(field)
    except ValueError:
        return None


# The sets that have a name, in tables of Python and of problem files and on the command line: one row each.
SETS = {
    "ball": SetSpelling(Ball, ("center", "radius"), example="{ ball = { center = [0.0, 5.0], radius = 0.5 } }"),
    "simplex": SetSpelling(Simplex, ("n",), ("total",), short="n", example="{ simplex = 3 }"),
    "scenarios": SetSpelling(
        Scenarios,
        ("points",),
        short="points",
        read_file=read_scenarios,
        example="{ scenarios = [[12.0, 0.3], [7.5, 0.9]] }",
    ),
    "perturbation": SetSpelling(
        Perturbing, ("radius",), ("shape", "inside"), example="{ perturbation = { radius = 0.1 } }"
    ),
}
