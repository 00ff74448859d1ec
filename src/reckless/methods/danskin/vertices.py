"""Vertices that no climb finds: where f couples coordinates of y that sit at bounds, all flips and pairs are measured.

They make a quadratic function of the flips, which is maximized for free. It is exact where f is quadratic in y.
"""

import numpy as np

from reckless.core.arrays import Array, Flags
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.peak import Peak, is_cornered
from reckless.methods.danskin.tuning import effort, guards


def flip_bounds(oracle: Oracle, x: Array, peak: Peak) -> Asking[bool]:
    """Move a peak to a higher vertex if flips of its coordinates lead to one; tell whether it moved."""
    if oracle.is_sum or peak.H is None or peak.gy is None or not np.isfinite(peak.value):
        return False
    at = np.flatnonzero(is_cornered(peak.y, np.diag(peak.H), peak.gy))
    if not effort.n_cornered <= at.size <= effort.most_flips:
        return False
    opposite = np.where(peak.y > 0.5, 0.0, 1.0)

    def ask(flips: Flags) -> Asking[tuple[Array, Array]]:
        Y = np.repeat(peak.y[None], len(flips), axis=0)
        Y[:, at] = np.where(flips, opposite[at], peak.y[at])
        values = yield from oracle.ask(x, Y)
        return Y, np.where(np.isnan(values), -np.inf, values)

    one, (i, j) = np.eye(at.size, dtype=bool), np.triu_indices(at.size, 1)
    Y, values = yield from ask(np.vstack([one, one[i] | one[j]]))
    if not np.isfinite(values).all():
        return False
    gains = values - peak.value
    single, pairs = gains[: at.size], np.zeros((at.size, at.size))
    pairs[i, j] = pairs[j, i] = gains[at.size :] - single[i] - single[j]
    more, heights = yield from ask(best_flips(single, pairs, oracle.rng))
    Y, values = np.vstack([Y, more]), np.append(values, heights)
    for y in more[heights > peak.value]:
        oracle.remember(y)
    k = int(values.argmax())
    if not values[k] > peak.value + oracle.violation(peak.value):
        return False
    peak.y, peak.value = Y[k], float(values[k])
    peak.forget()
    return True


def best_flips(single: Array, pairs: Array, rng: np.random.Generator) -> Flags:
    """Maximize single z + z'(pairs)z / 2 over z of 0 and 1 by local searches; return rows, the best last."""
    Z = rng.integers(2, size=(effort.n_flip_searches, single.size)).astype(float)
    for _ in range(4 * single.size):
        gains = (1.0 - 2.0 * Z) * (single + Z @ pairs)
        k = gains.argmax(axis=1)
        rises = np.flatnonzero(gains.max(axis=1) > guards.rounding * np.abs(single).max())
        if not rises.size:
            break
        Z[rises, k[rises]] = 1.0 - Z[rises, k[rises]]
    Z = np.unique(Z, axis=0)
    heights = Z @ single + 0.5 * np.einsum("ij,jk,ik->i", Z, pairs, Z)
    flags: Flags = Z[np.argsort(heights)[-effort.n_flips_tried :]] > 0.5
    return flags
