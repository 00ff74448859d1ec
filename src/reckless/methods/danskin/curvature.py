"""Second derivatives: what moves teach about them, and differences where that does not suffice."""

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.oracle import Asking, Oracle, inward
from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.tuning import guards, trust


def bfgs(B: Array | None, step: Array, change: Array) -> Array:
    """Return a convex B that maps `step` to `change`, the change of the slope; damped as by Powell (1978).

    Without a B the first pair gives the scale.
    """
    length, along = float(step @ step), float(step @ change)
    if B is None:
        B = np.eye(step.size) * max(along / length, 0.0)
    Bs = B @ step
    sBs = float(step @ Bs)
    if sBs <= guards.rounding * abs(along):  # flat so far: any curvature is better than none
        B = B + np.eye(step.size) * (guards.flat * abs(along) / length)
        Bs = B @ step
        sBs = float(step @ Bs)
    if along < guards.damping * sBs:
        share = (1.0 - guards.damping) * sBs / (sBs - along)
        change = share * change + (1.0 - share) * Bs
        along = float(step @ change)
    if sBs <= 0.0 or along <= 0.0 or not np.isfinite(along / sBs):
        return B
    learned: Array = B - np.outer(Bs, Bs / sBs) + np.outer(change, change / along)
    return learned if np.isfinite(learned).all() else B


def bend_ratio(B: Array, step: Array, change: Array) -> float:
    """Return the curvature met along a step as a multiple of that of B; 1 if B has none."""
    known = float(step @ B @ step)
    return float(step @ change) / known if known > 0.0 else 1.0


def broyden(M: Array, step: Array, change: Array) -> Array:
    """Return the matrix closest to M that maps `step` to `change`."""
    learned: Array = M + np.outer(change - M @ step, step / float(step @ step))
    return learned


def bent(B: Array | None, step: Array, error: float) -> Array:
    """Return B with more curvature along a step whose value was foretold too low by `error`, slopes alone foretelling.

    Without a B the step gives the scale.
    """
    length = float(step @ step)
    if B is None:
        curvature = 2.0 * error / length
        return np.eye(step.size) * (curvature if 0.0 < curvature < np.inf else 0.0)
    missing = 2.0 * error - float(step @ B @ step)
    if not 0.0 < missing < np.inf:
        return B
    return B + np.outer(step, step * (trust.bend * missing / length**2))


def mixture(curvatures: list[tuple[float, Array]], n: int) -> Array:
    """Return the mean of curvatures by their weights: that of the Lagrangian."""
    total = sum(weight for weight, _ in curvatures)
    B = np.zeros((n, n))
    for weight, part in curvatures:
        B += (weight / total) * part
    return B


def symmetric_broyden(B: Array | None, step: Array, change: Array) -> Array:
    """Return the symmetric matrix closest to B that maps `step` to `change`, the change of the slope (Powell 1970).

    It may be indefinite, as the curvature of an error |r| is on one of its sides: those of two sides cancel. Without a
    B the first pair gives the scale.
    """
    length = float(step @ step)
    if B is None:
        B = np.eye(step.size) * (float(step @ change) / length)
    with np.errstate(over="ignore", invalid="ignore"):
        error = change - B @ step
        turn = np.outer(error, step / length)
        learned: Array = B + turn + turn.T - np.outer(step, step * (float(error @ step) / length**2))
    return learned if np.isfinite(learned).all() else B


def convex(B: Array) -> Array:
    """Return the matrix closest to B without negative curvature."""
    scales, axes = np.linalg.eigh(B)
    return B if scales[0] >= 0.0 else (axes * np.maximum(scales, 0.0)) @ axes.T


def between(B: Array, slopes: Array) -> Array:
    """Return a curvature, convex, along the directions in which all slopes are the same, and none across them.

    Across them cuts determine a step. An indefinite curvature made convex as a whole would bend the others too.
    """
    _, sizes, axes = np.linalg.svd(slopes[1:] - slopes[0])
    along = axes[np.count_nonzero(sizes > guards.same_slope * sizes[0]) :]
    if not len(along):
        return np.zeros_like(B)
    bend: Array = along.T @ convex(along @ B @ along.T) @ along
    return bend


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
