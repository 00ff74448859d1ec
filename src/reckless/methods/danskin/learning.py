"""What a move teaches about second derivatives: pure updates of matrices."""

import numpy as np

from reckless.core.arrays import Array
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
