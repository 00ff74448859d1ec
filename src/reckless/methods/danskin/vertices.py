"""Vertices that no search along coordinates finds: a quadratic pseudo-Boolean model of f over the bounds of y.

If f is not a sum over y, and the worst y has coordinates at their bounds, all flips and pairs of flips are measured
once. The model they make is maximized for free, and its best vertices are evaluated. Later the pairs are only checked.
Needed to be honest where f is convex in y and couples its coordinates.
"""

import numpy as np

from reckless.core.arrays import Array, Flags, Indices
from reckless.methods.danskin.climb import Peak
from reckless.methods.danskin.inner import Inner
from reckless.methods.danskin.oracle import Asking

MOST_ENUMERATED = 12  # coordinates for which all vertices of the model are compared
N_SEARCHES = 64  # local searches on the model, beyond that
N_TRIED = 5  # vertices that are evaluated
N_CHECKED = 4  # pairs that must agree before stored interactions are used again
MOST_MEASURED = 300  # pairs


def best_vertex(inner: Inner, x: Array, y: Array, value: float) -> Asking[Peak | None]:
    """Climb from a vertex better than y and return the top, or None if the model finds no better vertex."""
    at = np.flatnonzero((y <= 0.0) | (y >= 1.0))
    if at.size < 2:
        return None
    Y = _flipped(y, at, np.eye(at.size, dtype=bool))
    singles = (yield from inner.oracle.ask(x, Y)) - value
    pairs = yield from _interactions(inner, x, y, value, at, singles)
    if pairs is None:
        return None
    chosen = maximize_model(singles, pairs, inner.oracle.rng)
    Y = _flipped(y, at, chosen)
    values = yield from inner.oracle.ask(x, Y)
    k = int(values.argmax())
    if values[k] <= value:
        return None
    peak = yield from inner.rise(x, Y[k], float(values[k]), 0.02, 8)
    return peak


def is_cornered(inner: Inner, y: Array) -> bool:
    """Tell whether a worst y has several coordinates at bounds, and vertices must be searched jointly."""
    return not inner.is_additive and inner.n_y > 2 and int(((y <= 0.0) | (y >= 1.0)).sum()) > 1


def search_vertices(inner: Inner, x: Array) -> Asking[Peak]:
    """Search the vertices from a random one, whatever else is known."""
    y = inner.oracle.rng.integers(2, size=inner.n_y).astype(np.float64)
    value = yield from inner.oracle.ask_one(x, y)
    peak = yield from best_vertex(inner, x, y, value)
    return Peak(y, value, np.full(inner.n_y, 0.02)) if peak is None else peak


def _flipped(y: Array, at: Indices, chosen: Flags) -> Array:
    """Return copies of y, each with its chosen coordinates among `at` moved to the other bound."""
    Y = np.repeat(y[None], len(chosen), axis=0)
    Y[:, at] = np.where(chosen, 1.0 - y[at], y[at])
    return Y


def _interactions(inner: Inner, x: Array, y: Array, value: float, at: Indices, singles: Array) -> Asking[Array | None]:
    """Measure what two flips gain beyond the sum of both, (p, p); return None if there are too many pairs."""
    p = at.size
    i, j = np.triu_indices(p, 1)
    signs = 1.0 - 2.0 * y[at]
    rng = inner.oracle.rng

    def measure(rows: Indices) -> Asking[Array]:
        both = np.zeros((rows.size, p), dtype=bool)
        both[np.arange(rows.size), i[rows]] = both[np.arange(rows.size), j[rows]] = True
        values = yield from inner.oracle.ask(x, _flipped(y, at, both))
        return values - value - singles[i[rows]] - singles[j[rows]]

    stored = inner.interactions
    if stored is not None:
        scaled = stored[np.ix_(at, at)] * np.outer(signs, signs)
        rows = rng.permutation(i.size)[:N_CHECKED]
        found = yield from measure(rows)
        error = np.abs(found - scaled[i[rows], j[rows]]).max()
        if error <= 1e-3 * np.nanmax(np.abs(stored)) + 1e-9 * abs(value) and np.isfinite(scaled[i, j]).all():
            return scaled
    if i.size > MOST_MEASURED:
        return None
    found = yield from measure(np.arange(i.size))
    pairs = np.zeros((p, p))
    pairs[i, j] = pairs[j, i] = found
    stored = np.full((inner.n_y, inner.n_y), np.nan)
    stored[np.ix_(at, at)] = pairs * np.outer(signs, signs)
    inner.interactions = stored
    return pairs


def maximize_model(singles: Array, pairs: Array, rng: np.random.Generator) -> Flags:
    """Maximize singles z + z'(pairs)z / 2 over flips z; return rows of flags, best first. `pairs` has diagonal 0."""
    p = singles.size
    if p <= MOST_ENUMERATED:
        Z = ((np.arange(2**p)[:, None] >> np.arange(p)) & 1).astype(float)
    else:
        Z = (rng.random((N_SEARCHES, p)) < 0.5).astype(float)
        Z[0] = 0.0
        for _ in range(4 * p):
            gains = (1.0 - 2.0 * Z) * (singles + Z @ pairs)
            k = gains.argmax(axis=1)
            rises = gains[np.arange(len(Z)), k] > 1e-15
            if not rises.any():
                break
            Z[rises, k[rises]] = 1.0 - Z[rises, k[rises]]
        Z = np.unique(Z, axis=0)
    heights = Z @ singles + 0.5 * np.einsum("ij,jk,ik->i", Z, pairs, Z)
    best: Flags = Z[np.argsort(-heights)[:N_TRIED]] > 0.5
    return best
