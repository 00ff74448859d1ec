"""Second derivatives by differences, for a peak whose learned ones do not suffice."""

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.oracle import Asking, Oracle, inward
from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.tuning import guards


def measure_mixed(oracle: Oracle, x: Array, peak: Peak) -> Asking[None]:
    """Measure M and the diagonal of A (n_x n_y + n_x + n_y); a difference that fails leaves what was learned."""
    assert peak.gx is not None
    assert peak.M is not None
    y, n_x, n_y = peak.y, x.size, peak.y.size
    hx, hy = inward(x, oracle.central), inward(y, oracle.central)
    X, Y = x + np.diag(hx), y + np.diag(hy)
    all_x = np.vstack([X, np.tile(x, (n_y, 1)), np.tile(X, (n_y, 1))])
    all_y = np.vstack([np.tile(y, (n_x, 1)), Y, np.repeat(Y, n_x, axis=0)])
    beside_x, beside_y, values = np.split((yield from oracle.ask(all_x, all_y)), [n_x, n_x + n_y])
    mixed = values.reshape(n_y, n_x) - beside_x - beside_y[:, None] + peak.value
    M = mixed / hy[:, None] / hx
    peak.M = np.where(np.isfinite(M), M, peak.M)
    bends = 2.0 * (beside_x - peak.value - peak.gx * hx) / hx**2
    peak.A = np.diag(np.where(np.isfinite(bends), np.maximum(bends, 0.0), 0.0))


def check_bends(oracle: Oracle, x: Array, peak: Peak) -> Asking[None]:
    """Measure all of H unless it foretells the value at a y that differs in all coordinates (1 evaluation)."""
    assert peak.gy is not None
    assert peak.H is not None
    peak.is_checked = True
    s = inward(peak.y, oracle.central) * oracle.rng.uniform(0.5, 1.0, peak.y.size)
    value = yield from oracle.ask_one(x, peak.y + s)
    bend = 0.5 * float(s @ peak.H @ s)
    if not abs(value - peak.value - float(peak.gy @ s) - bend) <= guards.bent * abs(bend):
        yield from _measure_bends(oracle, x, peak)


def _measure_bends(oracle: Oracle, x: Array, peak: Peak) -> Asking[None]:
    """Measure all of H (n_y (n_y + 3) / 2), and make it concave; what fails leaves H as it was."""
    y, n_y = peak.y, peak.y.size
    moves = 0.5 * np.diag(inward(y, 2.0 * oracle.central))  # twice a move stays in the box
    i, j = np.triu_indices(n_y)
    values = yield from oracle.ask(x, y + np.vstack([moves, moves[i] + moves[j]]))
    singles, doubles = np.split(values, [n_y])
    bends = (doubles - singles[i] - singles[j] + peak.value) / (moves[i, i] * moves[j, j])
    if np.isfinite(bends).all():
        H = np.zeros((n_y, n_y))
        H[i, j] = H[j, i] = bends
        scales, axes = np.linalg.eigh(H)
        peak.H = (axes * np.minimum(scales, 0.0)) @ axes.T
        peak.last_y = None
