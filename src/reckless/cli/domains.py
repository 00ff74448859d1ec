"""The sets in which x and y live, as a problem file and the command line spell them."""

import csv
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from reckless.cli.options import Edge
from reckless.domains.box import Box, shortened
from reckless.domains.domain import Domain, MixedBox, read_domain
from reckless.domains.perturbation import perturbation
from reckless.domains.sets import Ball, Scenarios, Simplex
from reckless.errors import InvalidArgument
from reckless.evaluation.objective import Objective


class Parts(NamedTuple):
    """What a table of a set must say, and what it may say."""

    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()


PARTS = {
    "ball": Parts(("center", "radius")),
    "simplex": Parts(("n",), ("total",)),
    "perturbation": Parts(("radius",), ("shape", "inside")),
}
SETS = ("ball", "simplex", "scenarios", "perturbation")


class Perturbing(NamedTuple):
    """y as a perturbation of x: with a function g(x) and the box of x this becomes an f(x, y) and a set."""

    options: Mapping[str, Any]
    integrality: Any = None

    def of(self, g: Any, x_domain: Domain) -> tuple[Objective, Domain]:
        box = x_domain.box if isinstance(x_domain, MixedBox) else x_domain
        if not isinstance(box, Box):
            raise InvalidArgument(
                "a perturbation needs an x in a box, so x_bounds must be a list of [low, high] pairs."
            )
        f, y_bounds = perturbation(g, np.column_stack((box.lower, box.upper)), **self.options)
        return f, read_domain(y_bounds, "y_bounds", self.integrality)


def read_edges(edges: Sequence[Edge], option: str) -> Domain:
    """The box that an option such as --x describes, one coordinate each time it is given."""
    return read_domain([(edge.low, edge.high) for edge in edges], option, [edge.is_integer for edge in edges])


def read_set(table: Mapping[str, Any], folder: Path) -> Ball | Simplex | Scenarios | Perturbing:
    """The set that a table of a problem file describes; `folder` is where the file is."""
    if len(table) != 1 or not table.keys() <= set(SETS):
        found = ", ".join(table) or "nothing"
        raise InvalidArgument(f"expected one of {', '.join(SETS)}, but got {found}.")
    ((kind, content),) = table.items()
    if kind == "scenarios":
        return read_scenarios(folder / content) if isinstance(content, str) else Scenarios(content)
    if kind == "simplex" and not isinstance(content, dict):
        content = {"n": content}
    _check_parts(kind, content)
    if kind == "perturbation":
        return Perturbing(content)
    return Ball(**content) if kind == "ball" else Simplex(**content)


def _check_parts(kind: str, content: Any) -> None:
    needed, optional = PARTS[kind]
    is_table = isinstance(content, dict)
    if not is_table or not set(needed) <= content.keys() <= {*needed, *optional}:
        found = (", ".join(content) or "nothing") if is_table else shortened(content)
        more = f" (and may have {' and '.join(optional)})" if optional else ""
        raise InvalidArgument(f"{kind} must have {' and '.join(needed)}{more}, but has {found}.")
    if not isinstance(content.get("inside", True), bool):
        raise InvalidArgument(f"inside: expected true or false, but got {content['inside']!r}.")


def read_scenarios(path: Path) -> Scenarios:
    """The rows of a CSV file; a first line of names alone is a heading, and empty lines do not count."""
    lines = _lines(path)
    if lines and all(field.strip()[:1].isalpha() and _number(field) is None for field in lines[0][1]):
        del lines[0]
    if not lines:
        raise InvalidArgument(f"{path} has no row of numbers.")
    n = len(lines[0][1])
    rows = []
    for number, fields in lines:
        row = [value for field in fields if (value := _number(field)) is not None and isfinite(value)]
        if len(row) != len(fields):
            raise InvalidArgument(
                f"{path}, line {number}: expected finite numbers with commas between them, "
                f"but got {shortened(','.join(fields))}."
            )
        if len(row) != n:
            raise InvalidArgument(
                f"{path}, line {number}: expected {n} numbers, as in the rows before, but got {len(row)}."
            )
        rows.append(row)
    return Scenarios(rows)


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """The numbers and fields of the lines that are not empty."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            return [(reader.line_num, fields) for fields in reader if any(field.strip() for field in fields)]
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read ({error.strerror}).") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidArgument(f"{path} is not a CSV file ({error}).") from None


def _number(field: str) -> float | None:
    try:
        return float(field)
    except ValueError:
        return None
