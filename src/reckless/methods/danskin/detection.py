"""Whether f is noisy, one pair having several values, or a fine staircase: either way differences tell nothing."""

from math import factorial, sqrt

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.inner import Inner
from reckless.methods.danskin.oracle import FAILED, Asking

N_REPEATS = 60  # of one pair, to measure the noise: known to 10 %
MOST_TRIES = 3  # pairs to ask twice, if evaluations fail
LEAST_NOISE = 1e-14  # of the value: less is rounding


def detect_noise(inner: Inner, x: Array, y: Array) -> Asking[float]:
    """Return the standard deviation of repeated evaluations, or of a staircase's steps; 0 if there is neither.

    Only the former is noise, which the oracle is told. Costs 3 evaluations if there is neither.
    """
    oracle, rng = inner.oracle, inner.oracle.rng
    for _ in range(MOST_TRIES):
        beside = np.clip(x + 1e-6 * rng.uniform(-1.0, 1.0, x.size), 0.0, 1.0)
        first, second, third = (yield from oracle.ask(np.vstack([x, x, beside]), y)).tolist()
        if max(abs(first), abs(second), abs(third)) < -FAILED:
            break
        x, y = rng.random(x.size), rng.random(y.size)
    else:
        return 0.0
    if first != second:
        sd = yield from repeated_noise(inner, x, y)
        oracle.is_noisy = sd > 0.0
        return sd
    if third != first:
        return 0.0
    sd = yield from stair_noise(inner)
    return sd


def repeated_noise(inner: Inner, x: Array, y: Array) -> Asking[float]:
    """Return the standard deviation of a pair's values, 0 if they differ by no more than rounding."""
    values = yield from inner.oracle.ask(np.repeat(x[None], N_REPEATS, axis=0), y)
    values = values[np.abs(values) < -FAILED]
    sd = float(np.std(values, ddof=1)) if values.size > 1 else 0.0
    return sd if sd > LEAST_NOISE * float(np.abs(values).max(initial=0.0)) else 0.0


def stair_noise(inner: Inner) -> Asking[float]:
    """Return the standard deviation of a staircase's steps along six short lines, 0 if there are none."""
    rng, task = inner.oracle.rng, inner.oracle.task
    estimates, heights = [], []
    for _ in range(6):
        along = np.arange(9)[:, None] * 1e-3
        X = 0.2 + 0.6 * rng.random(task.n_x) + along * rng.uniform(-1.0, 1.0, task.n_x)
        Y = 0.2 + 0.6 * rng.random(task.n_y) + along * rng.uniform(-1.0, 1.0, task.n_y)
        values = yield from inner.oracle.ask(X, Y)
        if np.abs(values).max() < -FAILED:
            estimates.append(difference_noise(values))
            heights.append(values)
    found = [estimate for estimate in estimates if estimate > 0.0]
    if len(found) < 2:
        return 0.0
    middle = float(np.median(found))
    return min(max(middle, stair_height(np.concatenate(heights)) / sqrt(12.0)), 3.0 * middle)


def stair_height(values: Array) -> float:
    """Return the smallest difference between values that is more than rounding error."""
    gaps = np.diff(np.sort(values))
    gaps = gaps[gaps > 1e-9 * (np.abs(values).max() + 1e-300)]
    return float(gaps.min()) if gaps.size else 0.0


def difference_noise(values: Array) -> float:
    """Estimate noise in evenly spaced values by difference tables (More & Wild 2011); 0 if the levels do not agree."""
    rounding = 1e-10 * float(np.abs(values).max())
    levels, has_both_signs = [], []
    for order in range(1, 7):
        values = np.diff(values)
        weight = factorial(order) ** 2 / factorial(2 * order)
        levels.append(sqrt(weight * float(np.mean(values**2))))
        has_both_signs.append(bool(values.min() < 0.0 < values.max()))
    for k in range(4):
        window = levels[k : k + 3]
        if has_both_signs[k] and rounding < max(window) <= 4.0 * min(window):
            return float(np.median(window))
    return 0.0
