"""A design that somebody typed: it must lie in the set of x, as far as its digits tell."""

import numpy as np

from reckless.core.arrays import Array
from reckless.core.words import safe_repr, shortened
from reckless.domains.box import Box
from reckless.domains.domain import Domain
from reckless.domains.sets import Simplex
from reckless.errors import InvalidArgument

ROUNDING = 1e-5  # relative: the commands print six digits, which may be typed again


def moved_inside(x: Array, domain: Domain) -> Array:
    """Return x, moved to its bounds if rounding took it out; refuse one that lies elsewhere."""
    away = np.abs(x - _nearest(x, domain))
    allowed = ROUNDING * (np.abs(x) if isinstance(domain, Box) else np.full(x.size, np.abs(x).max()))
    i = int((away - allowed).argmax())
    if away[i] > allowed[i]:
        raise InvalidArgument(f"--at: {_rule(x, domain, i)}.")
    return np.clip(x, domain.lower, domain.upper) if isinstance(domain, Box) else x


def _nearest(x: Array, domain: Domain) -> Array:
    """Return a point of the set that is x itself if x lies in it."""
    if isinstance(domain, Simplex):  # its way to the cube and back loses small shares
        shares = np.maximum(x, 0.0)
        if not shares.any():
            shares = np.ones(x.size)
        nearest: Array = shares * (domain.total / shares.sum())
        return nearest
    there_and_back: Array = domain.rows(domain.to_unit(x[None, :]), 1)[0]
    return there_and_back


def _rule(x: Array, domain: Domain, i: int) -> str:
    """Say which rule coordinate i breaks."""
    if not isinstance(domain, Box):
        return f"x must lie in its set, {shortened(safe_repr(domain))}, but {shortened(str(x.tolist()))} does not"
    kind = "integers" if domain.kinds[i] == "int" else "numbers"
    name = repr(domain.names[i]) if domain.names else f"coordinate {i}"
    ends = f"{domain.lower[i]:.9g} to {domain.upper[i]:.9g}"
    return f"x must lie within its bounds, but {name} is {x[i]:.9g}, outside of the {kind} from {ends}"
