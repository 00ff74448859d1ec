"""What probing the neighborhood of a point says: parabolas along coordinates, tents at kinks, a joint quadratic."""

from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Flags, Indices
from reckless.methods.danskin.oracle import FAILED

SMALLEST = 1e-13  # a coordinate closer than this to its bound is at it
LARGEST_STEP = 0.3  # of probing
SMALLEST_STEP = 1e-5
SMALLEST_STEP_AT_KINK = 1e-9
REACH = 5.0  # the limited step goes at most this many probing distances


class Lines(NamedTuple):
    """What probing both sides of every coordinate says, each (n,)."""

    slope: Array
    curvature: Array
    is_free: Flags  # whether there was room on both sides
    limited: Array  # step of at most REACH probing distances
    unlimited: Array  # step to the parabola's top, or all the way if there is none
    gain: float  # of the limited step, as predicted
    is_parabolic: bool  # whether the limited step follows parabolas only


def probes(z: Array, up: Array, down: Array) -> tuple[Array, Flags, Flags]:
    """Return points up and down from z along each coordinate that has room, and which have it."""
    has_up, has_down = up > SMALLEST, down > SMALLEST
    steps = np.vstack([np.diag(up)[has_up], np.diag(-down)[has_down]])
    return np.clip(z + steps, 0.0, 1.0), has_up, has_down


def sides(values: Array, has_up: Flags, has_down: Flags) -> tuple[Array, Array]:
    """Return the values of `probes` by coordinate, -inf where there was no room or the evaluation failed."""
    v_up, v_down = np.full(has_up.size, -np.inf), np.full(has_up.size, -np.inf)
    n_up = int(has_up.sum())
    values = np.where(values > FAILED, values, -np.inf)
    v_up[has_up], v_down[has_down] = values[:n_up], values[n_up:]
    return v_up, v_down


def parabolas(value: float, h: Array, up: Array, down: Array, v_up: Array, v_down: Array) -> Lines:
    """Fit a parabola along each coordinate, and step to the tops."""
    has_up, has_down = v_up > -np.inf, v_down > -np.inf
    is_free = has_up & has_down
    slope_up = np.where(has_up, v_up - value, 0.0) / np.where(has_up, up, 1.0)
    slope_down = np.where(has_down, value - v_down, 0.0) / np.where(has_down, down, 1.0)
    width = np.where(is_free, up + down, 1.0)
    curvature = np.where(is_free, 2.0 * (slope_up - slope_down) / width, 0.0)
    slope = np.where(is_free, (slope_up * down + slope_down * up) / width, slope_up + slope_down)
    best = np.maximum(v_up, v_down)
    is_better, is_concave = best > value, curvature < 0.0
    toward = np.where(is_better, np.where(v_up > v_down, 1.0, -1.0), 0.0)
    unlimited = np.where(is_concave, -slope / np.where(is_concave, curvature, 1.0), toward)
    limited = np.where(is_concave, np.clip(unlimited, -REACH * h, REACH * h), REACH * h * toward)
    gains = np.where(is_concave, slope * limited + 0.5 * curvature * limited**2, np.where(is_better, best - value, 0.0))
    is_parabolic = bool((is_concave | (limited == 0.0)).all())
    return Lines(slope, curvature, is_free, limited, unlimited, float(gains.sum()), is_parabolic)


def outer_probes(z: Array, h: Array, at: Indices) -> Array:
    """Return points twice as far out as the probes, up and then down, along the coordinates `at`."""
    steps = 2.0 * np.diag(h)[at]
    return np.vstack([z + steps, z - steps])


def tents(
    lines: Lines, value: float, h: Array, at: Indices, v_up: Array, v_down: Array, outer: Array
) -> tuple[Array, float]:
    """Step to where the line through the two points on the left meets that on the right, if it does so nearby.

    Otherwise step to the best point probed. Also return the gain that the tents promise, infinite unless only they
    move; a kink beyond the inner points, which makes a false tent on one of them, promises nothing.
    """
    step = best_probes(lines.limited, value, h, at, v_up, v_down, outer)
    h, near_up, near_down = h[at], np.maximum(v_up[at], FAILED), np.maximum(v_down[at], FAILED)
    far_up, far_down = outer[: at.size], outer[at.size :]
    rising, falling = (near_down - far_down) / h, (far_up - near_up) / h
    is_tent = (rising > 0.0) & (falling < 0.0)
    top = (near_up - falling * h - near_down - rising * h) / np.where(is_tent, rising - falling, 1.0)
    is_tent &= np.abs(top) <= 2.0 * h
    moved = at[is_tent]
    step[moved] = 0.0
    is_sure = not step.any() and bool((np.abs(top[is_tent]) < 0.999 * h[is_tent]).all())
    step[moved] = top[is_tent]
    gain = float((near_down + rising * (top + h) - value)[is_tent].sum())
    return step, gain if is_sure else np.inf


def best_probes(limited: Array, value: float, h: Array, at: Indices, v_up: Array, v_down: Array, outer: Array) -> Array:
    """Step to the best of the five points probed along each coordinate `at`; elsewhere take the limited step."""
    heights = np.vstack([np.full(at.size, value), v_up[at], v_down[at], outer.reshape(2, -1)])
    step = limited.copy()
    step[at] = np.array([0.0, 1.0, -1.0, 2.0, -2.0])[heights.argmax(axis=0)] * h[at]
    return step


def pair_probes(z: Array, up: Array, free: Indices) -> Array:
    """Return points up in two coordinates at once, for every pair of the `free` ones."""
    i, j = np.triu_indices(free.size, 1)
    points = np.repeat(z[None], i.size, axis=0)
    rows = np.arange(i.size)
    points[rows, free[i]] += up[free[i]]
    points[rows, free[j]] += up[free[j]]
    return points


def measured_hessian(value: float, up: Array, v_up: Array, lines: Lines, free: Indices, crossed: Array) -> Array:
    """Compute second derivatives from `pair_probes`; coordinates without room on both sides stay put."""
    hessian = np.diag(np.where(lines.is_free, lines.curvature, -1e-300))
    i, j = np.triu_indices(free.size, 1)
    i, j = free[i], free[j]
    hessian[i, j] = hessian[j, i] = (crossed - v_up[i] - v_up[j] + value) / (up[i] * up[j])
    return hessian


def with_diagonal(hessian: Array, lines: Lines) -> Array:
    """Return the Hessian with its diagonal updated."""
    hessian = hessian.copy()
    at = np.flatnonzero(lines.is_free)
    hessian[at, at] = lines.curvature[at]
    return hessian


def bounded_newton(hessian: Array, slope: Array, z: Array, is_free: Flags) -> Array | None:
    """Maximize slope d + d' hessian d / 2 over the free coordinates, stopping those that leave the unit cube.

    Return None if the quadratic is not concave there, or its top is here.
    """
    step, is_moving = np.zeros(z.size), is_free.copy()
    for _ in range(4):
        at: Indices = np.flatnonzero(is_moving)
        rest: Indices = np.flatnonzero(~is_moving)
        if not at.size:
            break
        try:
            lower = np.linalg.cholesky(-hessian[np.ix_(at, at)])
        except np.linalg.LinAlgError:
            return None
        pull = slope[at] + hessian[np.ix_(at, rest)] @ step[rest]
        step[at] = np.linalg.solve(lower.T, np.linalg.solve(lower, pull))
        is_out = is_moving & ((z + step > 1.0) | (z + step < 0.0))
        if not is_out.any():
            break
        step[is_out] = np.where(z[is_out] + step[is_out] > 1.0, 1.0 - z[is_out], -z[is_out])
        is_moving &= ~is_out
    return step if np.isfinite(step).all() and step.any() else None


def quadratic(slope: Array, hessian: Array, step: Array) -> float:
    """Return the gain of a step according to a quadratic."""
    return float(slope @ step + 0.5 * step @ hessian @ step)


def next_steps(h: Array, moved: Array, gain: float, is_kinked: bool) -> Array:
    """Probe about as far as the last move went, finer after a round without gain."""
    wanted = np.clip(2.0 * np.abs(moved), 0.1 * h, 4.0 * h) if gain > 0.0 else 0.25 * h
    return np.clip(wanted, SMALLEST_STEP_AT_KINK if is_kinked else SMALLEST_STEP, LARGEST_STEP)
