"""What every domain promises: a set that a unit cube is mapped onto, and back."""

from collections.abc import Callable

import numpy as np

from reckless.core.arrays import Array
from reckless.domains.domain import Domain
from reckless.testing.requiring import require

N_POINTS = 50  # random ones of the unit cube, at which a domain is checked


def _points(domain: Domain) -> Array:
    """Return points (k, n) of the unit cube: the corners of all zeros and all ones, the center, and random ones."""
    fixed = np.repeat([[0.0], [1.0], [0.5]], domain.n, axis=1)
    return np.concatenate((fixed, np.random.default_rng(0).random((N_POINTS, domain.n))))


def _are_close(rows: Array, others: Array) -> bool:
    scale = max(1e-300, float(np.abs(others).max(initial=0.0)))
    return rows.shape == others.shape and bool(np.all(np.abs(rows - others) <= 1e-9 * scale))


def _has_sizes(domain: Domain) -> None:
    for name in ("n", "n_out", "n_scenarios"):
        size = getattr(domain, name)
        is_size = isinstance(size, int) and not isinstance(size, bool) and size >= 1
        is_right = is_size or (name == "n_scenarios" and size is None)
        require(is_right, f"domain: {name} must be an integer of at least 1, but is {size!r}.")
    require(domain.n == 1 or domain.n_scenarios is None, f"domain: a list has n = 1, but n is {domain.n}.")


def _has_names(domain: Domain) -> None:
    names = domain.names
    is_right = isinstance(names, tuple) and all(isinstance(name, str) for name in names)
    rule = f"domain: names must be a tuple of n_out={domain.n_out} different texts, or (), but is {names!r}."
    require(is_right and len(set(names)) == len(names) and len(names) in (0, domain.n_out), rule)


def _maps_into_finite_rows(domain: Domain) -> None:
    points = _points(domain)
    for m in (1, len(points) - 1, len(points)):
        rows, shape = domain.rows(points, m), (m, domain.n_out)
        told = f"domain: rows of {len(points)} points and m={m} must have shape {shape}, but have shape {rows.shape}."
        require(rows.shape == shape, told)
        require(rows.dtype == np.float64, f"domain: rows must be float64, but are {rows.dtype}.")
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        require(bad.size == 0, f"domain: every point must be finite, but {points[bad[:1]]} becomes {rows[bad[:1]]}.")


def _maps_alike_in_every_shape(domain: Domain) -> None:
    points = _points(domain)
    rows = domain.rows(points, len(points))
    for point, row in zip(points, rows, strict=True):
        require(_are_close(domain.from_unit(point), row), f"domain: from_unit and rows differ at {point}.")
        copies = domain.rows(point, 3)
        require(_are_close(copies, np.array([row] * 3)), f"domain: rows of one point {point} and m=3 are not 3 copies.")


def _repeats_itself(domain: Domain) -> None:
    points = _points(domain)
    first, second = (domain.rows(points, len(points)) for _ in range(2))
    require(np.array_equal(first, second), "domain: rows of the same points differ the second time.")


def _gives_fresh_arrays(domain: Domain) -> None:
    points = _points(domain)
    for given in (points, points[2]):
        kept, rows = given.copy(), domain.rows(given, 2)
        expected = rows.copy()
        rows[:] = np.nan  # f may write into what it is given
        require(np.array_equal(given, kept), "domain: rows share memory with the points they are made from.")
        told = "domain: rows that were written into come back changed; return fresh arrays."
        require(np.array_equal(domain.rows(given, 2), expected), told)


def _inverts_its_map(domain: Domain) -> None:
    points = _points(domain)
    rows = domain.rows(points, len(points))
    kept, back = rows.copy(), domain.to_unit(rows)
    is_inside = back.shape == points.shape and np.all((back >= 0.0) & (back <= 1.0))
    require(bool(is_inside), f"domain: to_unit must return points {points.shape} of the unit cube, but got {back}.")
    require(np.array_equal(rows, kept), "domain: to_unit changed the rows it was given.")
    again = domain.rows(back, len(back))
    require(_are_close(again, rows), f"domain: to_unit must invert rows, but {rows} becomes {again}.")


def _lists_its_scenarios(domain: Domain) -> None:
    k, points = domain.n_scenarios, _points(domain)
    if k is not None:
        entries = {row.tobytes() for row in domain.rows((np.arange(k)[:, None] + 0.5) / k, k)}
        others = {row.tobytes() for row in domain.rows(points, len(points))} - entries
        told = f"domain: entry i of the list must be the i-th of {k} equal parts of the unit interval"
        require(not others, f"{told}, but there are {len(others)} other points.")


def _has_paths_through_a_point(domain: Domain) -> None:
    point = domain.from_unit(np.full(domain.n, 0.3))
    for limit in (1, 3):
        paths = domain.paths(point, 9, limit)
        require(1 <= len(paths) <= limit, f"domain: paths must be 1 to limit={limit}, but are {len(paths)}.")
        for path in paths:
            told, k = f"domain: the path {path.label!r}", len(path.at)
            require(path.rows.shape == (k, domain.n_out), f"{told} has {k} positions and rows {path.rows.shape}.")
            require(bool(np.all(np.diff(path.at) > 0.0)), f"{told} has positions that do not rise: {path.at}.")
            here = path.rows[path.at == path.here]
            require(_are_close(here, point[None]), f"{told} does not go through the point {point}.")
            again = domain.rows(domain.to_unit(path.rows), k)
            require(_are_close(again, path.rows), f"{told} leaves the set: {path.rows}.")


DOMAIN_PROMISES: dict[str, Callable[[Domain], None]] = {
    "has sizes": _has_sizes,
    "has names": _has_names,
    "maps into finite rows": _maps_into_finite_rows,
    "maps alike in every shape": _maps_alike_in_every_shape,
    "repeats itself": _repeats_itself,
    "gives fresh arrays": _gives_fresh_arrays,
    "inverts its map": _inverts_its_map,
    "lists its scenarios": _lists_its_scenarios,
    "has paths through a point": _has_paths_through_a_point,
}
