"""Second derivatives by differences, for a peak whose learned ones do not suffice."""

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.descent.ascent import inward
from reckless.methods.descent.oracle import Asking, Oracle
from reckless.methods.descent.peak import Peak


def measure_mixed(oracle: Oracle, x: Array, peak: Peak) -> Asking[None]:
    """Measure M and the diagonal of A (n_x n_y + n_x + n_y); a difference that fails leaves what was learned."""
    assert peak.gx is not None and peak.M is not None
    y, n_x, n_y = peak.y, x.size, peak.y.size
    hx, hy = inward(x, oracle.central), inward(y, oracle.central)
    X, Y = x + np.diag(hx), y + np.diag(hy)
    beside_x = yield from oracle.ask(X, y)
    beside_y = yield from oracle.ask(x, Y)
    values = yield from oracle.ask(np.tile(X, (n_y, 1)), np.repeat(Y, n_x, axis=0))
    mixed = values.reshape(n_y, n_x) - beside_x - beside_y[:, None] + peak.value
    M = mixed / hy[:, None] / hx
    peak.M = np.where(np.isfinite(M), M, peak.M)
    bends = 2.0 * (beside_x - peak.value - peak.gx * hx) / hx**2
    peak.A = np.diag(np.where(np.isfinite(bends), np.maximum(bends, 0.0), 0.0))


def measure_bends(oracle: Oracle, x: Array, peak: Peak) -> Asking[None]:
    """Measure all of H (n_y (n_y + 3) / 2), and make it concave; what fails leaves H as it was."""
    assert peak.gy is not None
    y, n_y = peak.y, peak.y.size
    h = inward(y, oracle.central)
    i, j = np.triu_indices(n_y)
    moves = np.diag(h)
    singles = yield from oracle.ask(x, y + moves)
    k = np.where(i == j, 2.0, 1.0)[:, None] * moves[i] + np.where(i == j, 0.0, 1.0)[:, None] * moves[j]
    doubles = yield from oracle.ask(x, y + k)
    bends = (doubles - singles[i] - singles[j] + peak.value) / (h[i] * h[j])
    if np.isfinite(bends).all():
        H = np.zeros((n_y, n_y))
        H[i, j] = H[j, i] = bends
        scales, axes = np.linalg.eigh(H)
        peak.H = (axes * np.minimum(scales, 0.0)) @ axes.T
        peak.last_y = None
