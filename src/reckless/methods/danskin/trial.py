"""Trying a step: what the worst case is at x + d, as far as the tracked maximizers tell; and the way back."""

from typing import Any, NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.climb import Peak, climb
from reckless.methods.danskin.inner import Inner
from reckless.methods.danskin.model import Step, corrected_step
from reckless.methods.danskin.oracle import FAILED, Asking, Fatal
from reckless.methods.danskin.state import State, Track


class Trial(NamedTuple):
    """The state at x + d, and whether it is lower; if not, its base is the maximizer that says so.

    gaps: those of the old state's pieces, in order, as they are at x + d before anything is tracked.
    is_fatal: whether the base is a y that makes x + d fail.
    """

    state: State
    is_lower: bool
    gaps: list[float]
    is_fatal: bool = False


def try_step(inner: Inner, old: State, d: Array, predicted: float) -> Asking[Trial]:
    """Follow all maximizers to x + d; stop as soon as one shows that the step is no good, first of all a fatal y."""
    state, oracle = old.copy(), inner.oracle
    state.x = moved(old.x, d)
    try:
        if len(oracle.fatal):
            yield from oracle.ask(state.x, oracle.fatal)
        trial = yield from _follow_step(inner, old, state, d, predicted)
    except Fatal as end:
        base = inner.track_whole(Peak(end.y, -FAILED, old.base.peak.h))
        return Trial(State(state.x, base), False, [], is_fatal=True)
    return trial


def try_corrected(
    inner: Inner, old: State, curvature: Array, radius: float, step: Step, trial: Trial
) -> Asking[tuple[Trial, Step]]:
    """Retry a refused step with a second-order correction: the gaps as measured at x + d. Return what to go on with.

    Where many pieces hold a step, it leaves their common surface by second order, which a linear model cannot see. A
    fatal step is retried along the coordinates that are not to blame.
    """
    if trial.is_fatal:
        corrected = yield from _spared_step(inner, old, step, trial.state.base.z)
    else:
        corrected = corrected_step(old, curvature, radius, step, trial.gaps)
    if corrected is None:
        return trial, step
    second = yield from try_step(inner, old, corrected.d, corrected.predicted)
    return (second, corrected) if second.is_lower else (trial, step)


def _spared_step(inner: Inner, old: State, step: Step, y: Array) -> Asking[Step | None]:
    """Return the part of a step along the coordinates that alone do not make y fatal; None if that is of no use."""
    assert old.base.slope is not None
    if np.count_nonzero(step.d) < 2:
        return None
    values = yield from inner.oracle.ask(moved(old.x, np.diag(step.d)), y)
    d = np.where(np.abs(values) < -FAILED, step.d, 0.0)
    predicted = -float(old.base.slope @ d)
    return Step(d, predicted) if predicted > 0.0 and (d != step.d).any() else None


def _follow_step(inner: Inner, old: State, state: State, d: Array, predicted: float) -> Asking[Trial]:
    """Follow all maximizers from the old state to the new one.

    Pieces that overtake the base become it before anything is tracked, else y would stop between vertices.
    """
    threshold = old.base.value - 1e-3 * predicted
    yield from _carry_over(inner, old, state, d)
    gaps = [state.gap(piece) for piece in state.pieces]
    if state.base.value <= FAILED:  # to x a failure is as bad as can be
        return Trial(state, False, gaps)
    yield from inner.flip(state)
    base = state.base
    if base.value > threshold:
        return Trial(state, False, gaps)
    # A maximizer that was seen to move along a kink is one, even where bounds hide it for a while.
    is_kinked = base.peak.is_kinked or base.response is not None
    least = min(1e-5, float(np.abs(d).max())) if is_kinked else 1e-5
    start = base.peak._replace(h=np.maximum(base.peak.h, least), is_kinked=is_kinked)
    options: dict[str, Any] = {"is_joint": not inner.is_additive, "enough": 1e-3 * predicted}
    peak = yield from inner.follow(state.x, climb(start, 8 if is_kinked else 6, **options))
    if peak.is_kinked and not is_kinked and peak.value <= threshold:
        # It rose to the last round: a kink, or a top far away, for which y must not be left behind.
        peak = yield from inner.follow(state.x, climb(peak._replace(is_kinked=False), 8, **options))
    state.raise_base(peak)
    if base.value > threshold:
        return Trial(state, False, gaps)
    window = max(3.0 * predicted, 5.0 * abs(old.base.value - base.value))
    for piece in sorted(state.pieces, key=state.gap):
        if state.gap(piece) > window or _is_fixed(piece, inner.n_y):
            continue
        yield from _track_piece(inner, state, piece, 1e-3 * predicted)
        if piece.value > base.value:
            state.swap(piece)
        if base.value > threshold:
            return Trial(state, False, gaps)
    return Trial(state, True, gaps)


def way_back(inner: Inner, path: list[State], y: Array) -> Asking[State | None]:
    """Return the last state of a path whose x survives a fatal y, None if there is none; the path ends before it."""
    while path:
        state = path.pop()
        try:
            yield from inner.oracle.ask_one(state.x, y)
        except Fatal:
            continue
        return state
    return None


def moved(x: Array, d: Array) -> Array:
    """Return x + d in the unit cube, on a bound where it is within rounding error of it."""
    x = x + d
    return np.where(x < 1e-12, 0.0, np.where(x > 1.0 - 1e-12, 1.0, x))


def _carry_over(inner: Inner, old: State, state: State, d: Array) -> Asking[None]:
    """Evaluate base and pieces at the new x, and note how fast the gaps change."""
    base, reach = state.base, np.abs(d).max()
    base.value_before = base.value
    Y = base.z[None]
    if base.response is not None:
        Y = np.vstack([Y, np.clip(base.z + base.response @ d, 0.0, 1.0)])
    for piece in state.pieces:
        piece.value_before = piece.value
    if len(Y) == 1 and state.pieces:
        Y = np.vstack([Y, *(state.with_piece(p)[None] for p in state.pieces)])
        values = yield from inner.oracle.ask(state.x, Y)
        base.revalue(float(values[0]), is_exact=True)
        for piece, value in zip(state.pieces, values[1:].tolist(), strict=True):
            piece.revalue(value, is_exact=True)
    else:
        values = yield from inner.oracle.ask(state.x, Y)
        k = int(values.argmax())
        base.peak = base.peak._replace(z=Y[k], value=float(values[k]))
        yield from inner.renew_values(state, state.pieces)
    for piece, before in zip(state.pieces, old.pieces, strict=True):
        if min(piece.value, before.value) <= FAILED or reach == 0.0:
            continue
        piece.rate = before.rate = max(abs(state.gap(piece) - old.gap(before)) / reach, 0.7 * before.rate)


def _is_fixed(piece: Track, n_y: int) -> bool:
    """Tell whether a piece is a bound of one coordinate of several, which needs no tracking."""
    return n_y > 1 and piece.z.size == 1 and bool(piece.z[0] <= 0.0 or piece.z[0] >= 1.0)


def _track_piece(inner: Inner, state: State, piece: Track, enough: float) -> Asking[None]:
    """Climb a piece on its block, from its value against the current base."""
    if not piece.is_exact:
        yield from inner.renew_values(state, [piece])
    start = piece.peak._replace(h=np.maximum(piece.peak.h, 1e-5))
    ascent = climb(start, 6, is_joint=piece.z.size > 1, enough=enough)
    piece.peak = yield from inner.follow_piece(state, piece, ascent)
