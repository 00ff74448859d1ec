"""Points that somebody typed: they must lie in their set, as far as their digits tell."""

import numpy as np

from reckless.core.arrays import Array
from reckless.core.words import safe_repr, shortened
from reckless.domains.box import Box
from reckless.domains.domain import Domain
from reckless.domains.labels import shown_value
from reckless.domains.sets import Simplex
from reckless.errors import InvalidArgument

ROUNDING = 1e-5  # relative: the commands print six digits, which may be typed again


def moved_inside(rows: Array, domain: Domain, name: str, player: str = "x") -> Array:
    """Return points (m, n_out), moved to their bounds if rounding took them out; refuse one that lies elsewhere.

    name: what errors call them. player: whose set it is.
    """
    nearest = _nearest(rows, domain)
    away = np.abs(rows - nearest)
    sizes = np.abs(rows) if isinstance(domain, Box) else np.abs(rows).max(axis=1, keepdims=True)
    excess = away - ROUNDING * sizes
    for k in np.flatnonzero(excess.max(axis=1) > 0.0)[:1]:
        which = f"{name}: " if len(rows) == 1 else f"{name}, row {k}: "
        raise InvalidArgument(f"{which}{_rule(rows[k], domain, int(excess[k].argmax()), player)}.")
    if not isinstance(domain, Box):
        return rows
    moved = np.clip(rows, domain.lower, domain.upper)
    for i in np.flatnonzero([kind in ("choices", "fixed") for kind in domain.kinds]):
        moved[:, i] = nearest[:, i]
    return moved


def _nearest(rows: Array, domain: Domain) -> Array:
    """Return points of the set that are the given ones if these lie in it."""
    if isinstance(domain, Simplex):  # its way to the cube and back loses small shares
        shares = np.maximum(rows, 0.0)
        shares[~shares.any(axis=1)] = 1.0
        nearest: Array = shares * (domain.total / shares.sum(axis=1, keepdims=True))
        return nearest
    return domain.rows(domain.to_unit(rows), len(rows))


def _rule(point: Array, domain: Domain, i: int, player: str) -> str:
    """Say which rule coordinate i of a point breaks."""
    if not isinstance(domain, Box):
        there = shortened(str(point.tolist()))
        return f"{player} must lie in its set, {shortened(safe_repr(domain))}, but {there} does not"
    kind = "integers" if domain.kinds[i] == "int" else "numbers"
    name = repr(domain.names[i]) if domain.names else f"coordinate {i}"
    if values := domain.values(i):
        parts = ", ".join(shown_value(domain, i, value) for value in values)
        rule = f"is fixed at {parts}" if len(values) == 1 else f"must be one of its choices, {shortened(parts)}"
        return f"{player}: {name} {rule}, but is {point[i]:.9g}"
    ends = f"{domain.lower[i]:.9g} to {domain.upper[i]:.9g}"
    return f"{player} must lie within its bounds, but {name} is {point[i]:.9g}, outside of the {kind} from {ends}"
