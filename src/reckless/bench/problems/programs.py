"""Exact answers by small quadratic programs: the worst y of a concave quadratic, the best x against convex ones."""

import daqp
import numpy as np

from reckless.core.arrays import Array
from reckless.methods.program import solve_program

N_NEWTON_STEPS = 100  # of which some ten are used
SETTLED = 1e-14  # a step this small ends Newton's method


def peaks_in_box(linear: Array, C: Array, low: Array, high: Array) -> Array:
    """Return the y (m, n) of a box that maximizes linear y - y'Cy / 2 for each row of `linear` (m, n), C positive."""
    Y: Array = np.linalg.solve(C, linear.T).T.astype(np.float64)
    for k in np.flatnonzero(((low > Y) | (high < Y)).any(axis=1)):
        Y[k] = _peak_on_border(linear[k], C, low, high)
    return Y


def _peak_on_border(linear: Array, C: Array, low: Array, high: Array) -> Array:
    """Find which bounds bind, then solve for the free coordinates: as exact as a linear system allows."""
    n = linear.size
    no_rows = np.zeros((0, n))
    y, _, _, info = daqp.solve(C, -linear, no_rows, high, low, np.zeros(n, dtype=np.int32))
    is_free = info["lam"][:n] == 0.0
    peak = np.where(y - low < high - y, low, high)
    rest = linear - C[:, ~is_free] @ peak[~is_free]
    peak[is_free] = np.linalg.solve(C[np.ix_(is_free, is_free)], rest[is_free])
    return np.clip(peak, low, high)


def least_of_largest(H: Array, centers: Array, offsets: Array, low: Array, high: Array) -> Array:
    """Minimize over a box the largest of (x - c_i)'H_i(x - c_i) / 2 + o_i, i < k, all positive and convex.

    H (k, n, n), centers (k, n), offsets (k,). Newton's method: each step minimizes the Lagrangian's quadratic model
    subject to the slopes of all k. Return the best x found.
    """
    k, n = centers.shape
    weights, x = np.full(k, 1.0 / k), np.clip(centers.mean(axis=0), low, high)
    best: Array = x
    lowest = np.inf
    for _ in range(N_NEWTON_STEPS):
        away = x - centers
        slopes = np.einsum("kij,kj->ki", H, away)
        values = 0.5 * np.einsum("ki,ki->k", away, slopes) + offsets
        if values.max() < lowest:
            best, lowest = x, values.max()
        model = np.zeros((n + 1, n + 1))  # of a step and of the level reached, which is at least 0
        model[:n, :n] = np.einsum("k,kij->ij", weights, H)
        rows = np.hstack([slopes, -np.ones((k, 1))])
        step, weights = solve_program(model, np.append(np.zeros(n), 1.0), rows, -values, low - x, high - x)
        x = np.clip(x + step[:n], low, high)
        if np.abs(step[:n]).max() < SETTLED:
            break
    return best
