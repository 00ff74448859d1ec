"""How a peak is measured and climbed: differences in y and x, and moves to where its model has the top."""

from collections.abc import Callable

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.curvature import bend_ratio, bfgs, broyden, check_bends, symmetric_broyden
from reckless.methods.danskin.integers import neighbors
from reckless.methods.danskin.kinks.ridge import climb_ridge, is_ridge, stay_on_ridge
from reckless.methods.danskin.oracle import Asking, Oracle, inward
from reckless.methods.danskin.peak import Measured, Peak, bounds_held, climb_left, cut, is_among
from reckless.methods.danskin.together import together
from reckless.methods.danskin.tuning import bundles, effort, guards, trust


def evaluate(oracle: Oracle, x: Array, peaks: list[Peak]) -> Asking[None]:
    """Give peaks their values at x."""
    values = yield from oracle.ask(x, np.array([peak.y for peak in peaks]))
    for peak, value in zip(peaks, values.tolist(), strict=True):
        peak.value = value


def measure_y(oracle: Oracle, x: Array, peak: Peak) -> Asking[None]:
    """Measure the slope in y; where nothing is known, the diagonal of H too."""
    if peak.value == np.inf or peak.ridge is not None:
        peak.is_fresh_y = True
        return
    if peak.H is None:
        values_at = yield from _measure_diagonal(oracle, x, peak)
    else:
        values_at = yield from _measure_slope(oracle, x, peak)
    Y, values = values_at
    if np.isposinf(values).any():  # nothing can be worse
        peak.y, peak.value = Y[values.argmax()], np.inf
    if peak.gy is not None:  # else its own value failed
        peak.last_y = Measured(x, peak.y, peak.gy)
        peak.is_fresh_y = True


def _measure_diagonal(oracle: Oracle, x: Array, peak: Peak) -> Asking[tuple[Array, Array]]:
    """Take two differences per coordinate, on both sides or on the one that has room (2 n_y)."""
    y, n_y = peak.y, peak.y.size
    h = inward(y, peak.closeness * oracle.central)
    k = np.where((y - h < 0.0) | (y - h > 1.0), 2.0 * h, -h)
    Y = np.vstack([y + np.diag(h), y + np.diag(k)])
    values = yield from oracle.ask(x, Y)
    rise = values - peak.value
    a, b = rise[:n_y], rise[n_y:]  # a = g h + c h^2 / 2, b = g k + c k^2 / 2
    has_a, has_b = np.isfinite(a), np.isfinite(b)
    both = has_a & has_b
    a, b = np.where(has_a, a, 0.0), np.where(has_b, b, 0.0)
    c = np.where(both, 2.0 * (a * k - b * h) / (h * k * (h - k)), 0.0)
    peak.gy = np.where(both, a / h - 0.5 * c * h, _one_sided(np.where(has_a, a / h, b / k), np.where(has_a, k, h)))
    peak.H = np.diag(np.minimum(c, 0.0))
    if peak.M is None:
        peak.M = np.zeros((n_y, x.size))
    return Y, values


def _one_sided(slope: Array, failed: Array) -> Array:
    """Return slopes that were measured on one side; those that rise toward the side that failed count as level."""
    slopes: Array = np.where(slope * failed > 0.0, 0.0, slope)
    return slopes


def _measure_slope(oracle: Oracle, x: Array, peak: Peak) -> Asking[tuple[Array, Array]]:
    """Take forward differences, corrected by the learned curvature (n_y); H or M learn from the change."""
    assert peak.H is not None
    assert peak.M is not None
    y, h = peak.y, inward(peak.y, oracle.forward)
    chosen = np.arange(y.size) if peak.is_pinned is None else np.flatnonzero(~peak.is_pinned)
    Y = y + np.diag(h)[chosen]
    values = (yield from oracle.ask(x, Y)) if chosen.size else np.zeros(0)
    if not np.isfinite(peak.value):  # it was evaluated along with them, and failed
        return Y, values
    gy = np.zeros(y.size) if peak.gy is None else peak.gy.copy()
    rise = np.zeros(y.size)
    rise[chosen] = values - peak.value
    rise = yield from _on_one_piece(oracle, rise, h, y, lambda Z: oracle.ask(x, Z), peak.value, peak.gy)
    gy[chosen] = _difference(rise[chosen], h[chosen], np.diag(peak.H)[chosen])
    last, peak.gy = peak.last_y, gy
    if last is not None:
        d, s, change = x - last.x, y - last.y, gy - last.slope
        if d.any():  # what H does not explain, the move of x must
            peak.M = broyden(peak.M, d, change - peak.H @ s)
        elif s.any():
            is_flatter = oracle.is_flatter(bend_ratio(-peak.H, s, -change))
            peak.H = -bfgs(None if is_flatter else -peak.H, s, -change)
    return Y, values


def _difference(rise: Array, h: Array, curvature: Array | float) -> Array:
    """Return slopes from forward differences; one that failed counts as level."""
    slopes: Array = np.where(np.isfinite(rise), rise / h - 0.5 * h * curvature, 0.0)
    return slopes


def _on_one_piece(
    oracle: Oracle,
    rise: Array,
    h: Array,
    z: Array,
    ask: Callable[[Array], Asking[Array]],
    value: float,
    before: Array | None,
) -> Asking[Array]:
    """Return the rises of f over h; those too steep for f crossed a jump, and the other side is level."""
    usual = max(oracle.first_spread, 0.0 if before is None else float(np.abs(before).max()))
    steep = np.flatnonzero(np.abs(rise) > guards.steepest * usual * np.abs(h))
    if oracle.first_spread > 0.0 and steep.size:
        k = np.where((z - h < 0.0) | (z - h > 1.0), 2.0 * h, -h)
        values = yield from ask((z + np.diag(k))[steep])
        other = (values - value) * (h / k)[steep]
        rise = rise.copy()
        rise[steep] = np.where(np.abs(other) < trust.enough * np.abs(rise[steep]), other, rise[steep])
    return rise


def measure_x(oracle: Oracle, x: Array, peak: Peak) -> Asking[None]:
    """Measure the slope in x, and in the same batch the one in y unless it is fresh."""
    slope_y = [] if peak.is_fresh_y else [measure_y(oracle, x, peak)]
    yield from together(oracle, [*slope_y, _measure_x(oracle, x, peak)])


def _measure_x(oracle: Oracle, x: Array, peak: Peak) -> Asking[None]:
    """Take forward differences (n_x); B learns from the change of the cut's slope."""
    h = inward(x, oracle.forward)
    Y = peak.y if peak.ridge is None else np.clip(peak.y + h[:, None] * peak.ridge.R.T, 0.0, 1.0)
    values = yield from oracle.ask(x + np.diag(h), Y)
    if not np.isfinite(peak.value):  # as was seen along with them
        return
    rise = values - peak.value
    if peak.ridge is None:
        rise = yield from _on_one_piece(oracle, rise, h, x, lambda X: oracle.ask(X, peak.y), peak.value, peak.gx)
    is_unsure = oracle.is_stiff or oracle.is_balanced  # of B: of many peaks each bends as it likes
    bend = None if is_unsure else peak.B if peak.A is None else peak.A
    peak.gx = _difference(rise, h, 0.0 if bend is None else np.diag(bend))
    peak.is_fresh_x = True
    _learn_fixed(x, peak)
    slope = cut(peak, x.size)[1]
    last = peak.last_x
    if last is not None and np.abs(x - last.x).max() > guards.moved:
        _learn_curvature(oracle, peak, last, x, slope)
    peak.last_x = Measured(x, peak.y, slope)


def _learn_curvature(oracle: Oracle, peak: Peak, last: Measured, x: Array, slope: Array) -> None:
    """Let B and C learn from the change of the cut's slope.

    The curvature jumps where y reaches a bound or leaves one. What was learned across such a jump is forgotten with the
    first change of the slope that is free of jumps; and so is all of it where curvature rises with every step.
    """
    d, change = x - last.x, slope - last.slope
    is_blended = bool((bounds_held(peak.y) != bounds_held(last.y)).any())
    B, C = (None, None) if peak.is_blended and not is_blended else (peak.B, peak.C)
    is_evidence = oracle.is_stiff or peak.weight > 1.0 - guards.holds  # of several peaks each bends as it likes
    if B is not None and is_evidence and oracle.is_stiffer(bend_ratio(B, d, change)):
        B = None
    C = np.zeros((x.size, x.size)) if C is None else C
    peak.B, peak.C, peak.is_blended = bfgs(B, d, change), symmetric_broyden(C, d, change), is_blended


def _learn_fixed(x: Array, peak: Peak) -> None:
    """Let the curvature at fixed y learn from the change of gx that the move of y does not explain."""
    assert peak.gx is not None
    last = peak.last_gx
    if last is not None and peak.A is not None and peak.M is not None:
        d, s = x - last.x, peak.y - last.y
        if np.abs(d).max() > guards.moved:
            peak.A = bfgs(peak.A, d, peak.gx - last.slope - peak.M.T @ s)
    peak.last_gx = Measured(x, peak.y, peak.gx)


def ascend(
    oracle: Oracle,
    x: Array,
    peak: Peak,
    tolerance: float,
    n_rounds: int = effort.n_rounds,
    known: tuple[Array, ...] = (),
) -> Asking[None]:
    """Climb until the model expects less than `tolerance` to be left, or until y is one of the maximizers known."""
    yield from _climb_units(oracle, x, peak)
    if peak.ridge is not None:
        yield from stay_on_ridge(oracle, x, peak, tolerance)
        return
    if not peak.is_fresh_y:
        yield from measure_y(oracle, x, peak)
    is_doubted, n_trusted, n_poor = False, max(1.0, effort.slow_share * peak.y.size - 1.0), 0
    for k in range(n_rounds):
        if peak.value == np.inf:
            return
        s, expected = climb_left(peak)
        if expected <= tolerance:
            return
        before = peak.value
        yield from _move_up(oracle, x, peak, s, expected)
        n_poor += max(peak.value - before, oracle.violation(before)) < trust.enough * expected
        if n_poor >= bundles.n_poor and (yield from is_ridge(oracle, x, peak, s)):
            yield from climb_ridge(oracle, x, peak, tolerance)
            return
        if peak.value > before:
            if abs(peak.value - before - expected) <= 0.5 * tolerance:
                peak.is_fresh_y = True  # the model was right, so its slope is too: there is nothing left to gain
                return
            if is_among(peak.y, known):
                return
        elif is_doubted:
            return
        else:  # the model is wrong: measure it again
            is_doubted, peak.H, peak.last_y = True, None, None
            peak.closeness = max(guards.closer * peak.closeness, guards.closest)
        yield from measure_y(oracle, x, peak)
        if k >= n_trusted and not peak.is_checked and climb_left(peak)[1] > tolerance:
            yield from check_bends(oracle, x, peak)


def _move_up(oracle: Oracle, x: Array, peak: Peak, s: Array, expected: float) -> Asking[None]:
    """Move along s to the first higher value, in ever shorter steps; stay if there is none."""
    for _ in range(effort.n_halvings):
        value = yield from oracle.ask_one(x, np.clip(peak.y + s, 0.0, 1.0))
        if value > peak.value:
            peak.move(s, value)
            return
        is_far_below = not value > peak.value - effort.deep * expected
        s = s * (trust.shorter if is_far_below else 0.5)


def _climb_units(oracle: Oracle, x: Array, peak: Peak) -> Asking[None]:
    """Move y by units along integer coordinates, to the highest neighbor as long as that is higher."""
    if oracle.memory is None:
        return
    while (Y := neighbors(oracle.memory.y_units, peak.y)).size:
        values = yield from oracle.ask(x, Y)
        k = int(np.where(np.isnan(values), -np.inf, values).argmax())
        if not values[k] > peak.value:
            return
        peak.forget()
        peak.y, peak.value = Y[k], float(values[k])
