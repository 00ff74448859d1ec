"""Slopes of f in x at a maximizer, by differences; along a kink in y with the maximizer moved too."""

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.climb import Peak, climb
from reckless.methods.danskin.inner import Inner
from reckless.methods.danskin.oracle import FAILED, Asking, Fatal
from reckless.methods.danskin.state import State

RESPONSE_STEP = 1e-5  # by which x is moved to see how y responds
RESPONSE_REACH = 1.6  # probe y this many times as far: a kink that moves as far as x did lies between the probes
KINK_TEST_STEP = 1e-4


def slope_at(inner: Inner, x: Array, y: Array, value: float, h: float, response: Array | None) -> Asking[Array]:
    """Take forward differences in x, inward at upper bounds; y moves along its response.

    Where one fails the other side is tried, or half as far at a bound; if that fails too, it counts as flat.
    """
    steps = np.where(x + h > 1.0, -h, h)
    slope = np.zeros(x.size)
    at = np.arange(x.size)
    for _ in range(2):
        Y = y if response is None else np.clip(y + steps[at, None] * response.T[at], 0.0, 1.0)
        values = yield from inner.oracle.ask(x + np.diag(steps)[at], Y)
        has_failed = (np.abs(values) >= -FAILED) | (abs(value) >= -FAILED)
        slope[at] = np.where(has_failed, 0.0, values - value) / steps[at]
        at = at[has_failed]
        if not at.size:
            break
        other = x - steps
        steps = np.where((other < 0.0) | (other > 1.0), 0.5 * steps, -steps)
    return slope


def has_response(inner: Inner, state: State) -> Asking[bool]:
    """Tell whether, next to x, re-tracking a kinked maximizer gains more than 5 % of what x itself changes.

    The base is climbed to its top first: an unfinished climb would look like a response.
    """
    base, x = state.base, state.x
    start = base.peak._replace(h=np.maximum(base.peak.h, 1e-4))
    state.raise_base((yield from inner.follow(x, climb(start, 12, is_joint=not inner.is_additive, precision=1e-13))))
    base.is_tested, base.slope_at = True, None
    away = np.where(x > 0.5, -1.0, 1.0) * (0.5 + 0.5 * inner.oracle.rng.random(x.size))
    beside = x + KINK_TEST_STEP * away
    try:
        fixed = yield from inner.oracle.ask_one(beside, base.z)
        probe = Peak(base.z, fixed, np.full(inner.n_y, 0.7 * KINK_TEST_STEP), is_kinked=True)
        tracked = yield from inner.follow(beside, climb(probe, 6, precision=1e-13))
    except Fatal:
        return False
    return tracked.value - fixed > 0.05 * max(abs(fixed - base.value), 1e-9 * abs(base.value))


def respond(inner: Inner, state: State) -> Asking[None]:
    """Measure the base's slope with y re-tracked at every displaced x, and with it the response dy/dx."""
    base, x = state.base, state.x
    slope, response = np.zeros(x.size), np.zeros((inner.n_y, x.size))
    for i in range(x.size):
        step = RESPONSE_STEP if x[i] + RESPONSE_STEP <= 1.0 else -RESPONSE_STEP
        beside = x.copy()
        beside[i] += step
        y = base.z if base.response is None else np.clip(base.z + step * base.response[:, i], 0.0, 1.0)
        try:
            value = yield from inner.oracle.ask_one(beside, y)
            start = Peak(y, value, np.full(inner.n_y, RESPONSE_REACH * RESPONSE_STEP), base.peak.is_kinked)
            peak = yield from inner.follow(beside, climb(start, 3, precision=1e-13))
        except Fatal:
            continue
        if peak.value > FAILED:
            slope[i] = (peak.value - base.value) / step
            response[:, i] = (peak.z - base.z) / step
    base.slope, base.slope_at, base.response = slope, x, response
