"""Read what the user knows already: designs, bad cases, an earlier result, values."""

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from reckless.core.arguments import read_array
from reckless.core.arrays import Array
from reckless.core.sense import sense_of
from reckless.core.task import BEGINNING
from reckless.core.words import safe_repr, safe_str, shortened
from reckless.domains.domain import Domain
from reckless.domains.inside import moved_inside
from reckless.domains.labels import labels_of
from reckless.domains.reading import read_rows
from reckless.errors import InvalidArgument
from reckless.run.options import read_points
from reckless.run.saving import read_json


class Givens(NamedTuple):
    """Designs x (k, n_x), bad cases y (m, n_y), and pairs with values (n,), NaN where f failed; each may be empty.

    The values are those of the search: with maximin, of -f.
    """

    x: Array
    y: Array
    X: Array
    Y: Array
    values: Array


def read_givens(options: Mapping[str, Any], x_domain: Domain, y_domain: Domain) -> Givens | None:
    """Return what was given, in the sets of x and y; None if nothing was."""
    if all(options[key] is None for key in BEGINNING):
        return None
    x, y = _inside(options["x0"], x_domain, "x0", "x"), _inside(options["y0"], y_domain, "y0", "y")
    if options["start"] is not None:
        x_before, y_before = _read_start(options["start"])
        x = np.vstack([x, _inside(read_points(x_before, "start"), x_domain, "start", "x")])
        y = np.vstack([y, _inside(read_points(y_before, "start"), y_domain, "start", "y")])
    X, Y, values = _read_data(options["data"], x_domain, y_domain)
    maxfev = options["maxfev"]
    if len(x) > maxfev:
        raise InvalidArgument(f"x0: {len(x)} designs take as many evaluations at least, but maxfev={maxfev}.")
    return Givens(_unique(x), _unique(y), X, Y, sense_of(options["maximin"]).turn(values))


def _inside(rows: Array | None, domain: Domain, name: str, player: str) -> Array:
    """Return points of a set (k, n_out), none if None was given."""
    n = domain.n_out
    if rows is None:
        return np.empty((0, n))
    if rows.shape[1] != n:
        raise InvalidArgument(f"{name}: {player} has {n} coordinates, but what was given has {rows.shape[1]}.")
    return moved_inside(rows, domain, name, player)


def _read_start(start: Any) -> tuple[Any, Any]:
    """Return the design of an earlier result and the worst cases known for it."""
    found = read_json(start, "start") if isinstance(start, str | Path) else start
    if not isinstance(found, Mapping) or not {"x", "y", "fun"} <= found.keys():
        raise InvalidArgument(
            f"start: expected a result of minimax, or the name of a file that has one as JSON, but got "
            f"{shortened(safe_repr(start))}."
        )
    fun = found["fun"]
    if not isinstance(fun, float | int) or not isfinite(fun):
        raise InvalidArgument("start: that run has found no answer to begin from. Leave start out, or give x0.")
    y = [found["y"]]
    verification = found.get("verification")
    if isinstance(verification, Mapping) and "y" in verification:
        y.append(verification["y"])
    return found["x"], y


def _read_data(data: Any, x_domain: Domain, y_domain: Domain) -> tuple[Array, Array, Array]:
    """Return pairs and values, given as arrays or by the name of a CSV file."""
    n_x, n_y = x_domain.n_out, y_domain.n_out
    if data is None:
        return np.empty((0, n_x)), np.empty((0, n_y)), np.empty(0)
    X, Y, values = _columns(data, x_domain, y_domain) if isinstance(data, str | Path) else _arrays(data, n_x, n_y)
    X, Y = moved_inside(X, x_domain, "data", "x"), moved_inside(Y, y_domain, "data", "y")
    return X, Y, values


def _columns(path: str | Path, x_domain: Domain, y_domain: Domain) -> tuple[Array, Array, Array]:
    """Split the rows of a file: the coordinates of x, those of y, the value; a heading may name them in any order."""
    n_x, n_y = x_domain.n_out, y_domain.n_out
    try:
        rows = read_rows(Path(path), n_open=1, names=_headings(x_domain, y_domain))
    except InvalidArgument as error:
        raise InvalidArgument(f"data: {error}") from None
    if rows.shape[1] != n_x + n_y + 1:
        raise InvalidArgument(
            f"data: {safe_str(path)} must have {n_x} + {n_y} + 1 columns, for x, y and the value, but has "
            f"{rows.shape[1]}."
        )
    return rows[:, :n_x], rows[:, n_x:-1], rows[:, -1]


def _headings(x_domain: Domain, y_domain: Domain) -> list[set[str]]:
    """Return what the column of each coordinate may be called: R, R [ohm] or x.R; none if a player has no names."""
    if not x_domain.names or not y_domain.names:
        return []
    both = {*x_domain.names} & {*y_domain.names}
    headings = []
    for player, domain in (("x", x_domain), ("y", y_domain)):
        for name, label in zip(domain.names, labels_of(domain, player), strict=True):
            headings.append({f"{player}.{name}"} | ({name, label} if name not in both else set()))
    return headings


def _arrays(data: Any, n_x: int, n_y: int) -> tuple[Array, Array, Array]:
    parts = [read_array(part) for part in data] if isinstance(data, tuple | list) else []
    X, Y, values = parts if len(parts) == 3 else (None, None, None)
    if X is None or Y is None or values is None:
        raise InvalidArgument(
            f"data: expected (X, Y, values) or the name of a CSV file, but got {shortened(safe_repr(data))}."
        )
    m = values.size
    is_pairs = values.ndim == 1 and m > 0 and X.shape == (m, n_x) and Y.shape == (m, n_y)
    if not is_pairs or not (np.isfinite(X).all() and np.isfinite(Y).all()):
        raise InvalidArgument(
            f"data: expected finite X (m, {n_x}) and Y (m, {n_y}), and m values, NaN where f failed; but got shapes "
            f"{X.shape}, {Y.shape} and {values.shape}."
        )
    return X, Y, values


def _unique(rows: Array) -> Array:
    """Drop rows that stand there before."""
    first = np.sort(np.unique(rows, axis=0, return_index=True)[1])
    return rows[first]
