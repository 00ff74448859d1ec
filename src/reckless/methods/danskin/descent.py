"""The descent from one x: a trust-region SQP on the worst case, driven by tracked maximizers."""

from dataclasses import dataclass, field

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.attack import attack
from reckless.methods.danskin.bundle import search_bundle
from reckless.methods.danskin.climb import Peak, climb
from reckless.methods.danskin.incumbent import Incumbent
from reckless.methods.danskin.inner import Inner, scan
from reckless.methods.danskin.model import (
    LEAST_WEIGHT,
    Step,
    lagrangian_slope,
    model_step,
    near_pieces,
    raised_curvature,
    updated_curvature,
)
from reckless.methods.danskin.oracle import FAILED, Asking
from reckless.methods.danskin.slopes import has_response, respond, slope_at
from reckless.methods.danskin.state import State
from reckless.methods.danskin.sweep import sweep
from reckless.methods.danskin.trial import try_corrected, try_step

FIRST_RADIUS = 0.1
LARGEST_RADIUS = 0.5
SMALLEST_RADIUS = 1e-9
MOST_REJECTIONS = 12
LONGEST_PATH = 10  # states kept to go back to, besides the first
SEARCH_SHARE = 0.12  # of all evaluations, for scans and attacks between steps
SEARCH_SHARE_ON_LINE = 0.15  # the same where y has one coordinate, so that a scan sees all of it
SWEEP_SHARE = 0.25  # of all evaluations, for sweeps


@dataclass(slots=True)
class Descent:
    """The state of one descent."""

    inner: Inner
    incumbent: Incumbent
    state: State
    radius: float
    curvature: Array
    scale: float  # |F| at the start
    old_slope: Array | None = None  # of the Lagrangian before the last accepted step
    step: Step | None = None
    wants_scan: bool = True
    extra: list[Peak] = field(default_factory=list)  # maximizers to be made pieces at the first scan
    n_rejected: int = 0  # in a row
    n_level: int = 0  # refused steps in a row that changed nothing
    bend: float = 0.0  # linearization error per length of the last refused step
    refused_reach: float = 1.0  # ... and its length
    has_swept: bool = False
    left_value: float = np.inf  # F when the model was last left for a search without it
    scanned_x: Array | None = None  # where the descent seemed to end before
    path: list[State] = field(default_factory=list)  # where it came from: the start and the latest, see `way_back`

    def report(self) -> None:
        self.incumbent.report(self.state.x, self.state.base.z, self.state.base.value)


def descend(
    inner: Inner,
    incumbent: Incumbent,
    x: Array,
    peaks: list[Peak],
    radius: float = FIRST_RADIUS,
    path: list[State] | None = None,
) -> Asking[State]:
    """Descend from x, starting with the given maximizers; return the state where no step helps any more.

    path: of earlier descents that led to x, continued here.
    """
    run = yield from _begin(inner, incumbent, x, peaks, radius)
    run.path = [] if path is None else path
    while run.state.base.value > FAILED:
        if run.wants_scan:
            run.wants_scan = False
            yield from scan(inner, run.state, run.extra)
            run.extra = []
            run.report()
        is_ready = yield from _measure_slopes(run)
        if not is_ready:
            continue
        _learn_curvature(run)
        run.step = model_step(run.state, run.curvature, run.radius)
        if _is_converged(run):
            if _may_go_on(run):
                continue
            break
        trial = yield from try_step(inner, run.state, run.step.d, run.step.predicted)
        if not trial.is_lower:
            trial, run.step = yield from try_corrected(inner, run.state, run.curvature, run.radius, run.step, trial)
        if trial.is_lower:
            yield from _accept(run, trial.state)
        else:
            is_over = yield from _reject(run, trial.state)
            if is_over:
                break
    return run.state


def _begin(inner: Inner, incumbent: Incumbent, x: Array, peaks: list[Peak], radius: float) -> Asking[Descent]:
    """Climb the given maximizers at x; the best becomes the base."""
    values = yield from inner.oracle.ask(x, np.array([peak.z for peak in peaks]))
    climbed = []
    for peak, value in zip(peaks, values.tolist(), strict=True):
        start = peak._replace(value=value, h=np.maximum(peak.h, 1e-3))
        climbed.append((yield from inner.follow(x, climb(start, 8, is_joint=not inner.is_additive))))
    climbed.sort(key=lambda peak: -peak.value)
    state = State(x, inner.track_whole(climbed[0]))
    scale = abs(climbed[0].value)
    inner.oracle.scale = inner.oracle.scale or min(scale, -FAILED)
    return Descent(inner, incumbent, state, radius, np.zeros((x.size, x.size)), scale, extra=climbed[1:])


def _measure_slopes(run: Descent) -> Asking[bool]:
    """Update the slopes of base and near pieces to the current x; return False if the base changed on the way."""
    inner, state = run.inner, run.state
    base, x = state.base, state.x
    reach = np.abs(run.step.d).max() if run.step is not None else run.radius
    h = min(max(3e-8, 0.01 * min(run.radius, reach)), 1e-6)
    if base.peak.is_kinked and not base.is_tested and (yield from has_response(inner, state)):
        yield from respond(inner, state)
    if base.slope is None or base.slope_at is not x:
        base.slope = yield from slope_at(inner, x, base.z, base.value, h, base.response)
        base.slope_at = x
    guess = float(np.abs(base.slope).sum()) / inner.n_blocks
    for piece in state.pieces:
        piece.rate = piece.rate or guess
    near = near_pieces(state, run.radius)
    if inner.has_blocks:
        yield from inner.renew_values(state, near)
        if any(piece.value > base.value for piece in near):
            yield from inner.flip(state)
            run.report()
            return False
    for piece in near:
        if piece.slope is None or piece.slope_at is not x:
            y = state.with_piece(piece)
            own = yield from slope_at(inner, x, y, piece.value, h, base.response)
            piece.slope, piece.slope_at = own - base.slope, x
    return True


def _learn_curvature(run: Descent) -> None:
    """Let the curvature explain how the Lagrangian's slope changed over the last step."""
    if run.old_slope is not None and run.step is not None:
        change = lagrangian_slope(run.state) - run.old_slope
        run.curvature = updated_curvature(run.curvature, run.step.d, change)
    run.old_slope = None


def _is_converged(run: Descent) -> bool:
    assert run.step is not None
    floor = 1e-11 * abs(run.state.base.value) + 1e-15 * run.scale
    return run.step.predicted <= floor or np.abs(run.step.d).max() <= 1e-12


def _may_go_on(run: Descent) -> bool:
    """Try a smaller radius, then look around again, when the model offers no step; return False if both were tried."""
    assert run.step is not None
    if run.radius > 1e-3 and run.step.predicted <= 0.0:
        run.radius *= 0.1
    elif run.scanned_x is not run.state.x:
        run.scanned_x, run.wants_scan, run.radius = run.state.x, True, max(run.radius, 1e-4)
    else:
        return False
    return True


def _accept(run: Descent, new: State) -> Asking[None]:
    """Move on, adapt the radius, and look around while the share for that lasts."""
    old, inner, step = run.state, run.inner, run.step
    assert step is not None
    run.n_rejected = run.n_level = 0
    run.old_slope = lagrangian_slope(old)
    if new.base.response is not None and old.base.response is not None:  # Broyden's update
        missed = new.base.z - old.base.z - old.base.response @ step.d
        new.base.response = new.base.response + np.outer(missed, step.d) / (step.d @ step.d)
    reach, ratio = np.abs(step.d).max(), (old.base.value - new.base.value) / step.predicted
    if ratio > 0.7 and reach > 0.9 * run.radius:
        run.radius = min(2.5 * run.radius, LARGEST_RADIUS)
    elif ratio < 0.2:
        run.radius = max(0.5 * reach, 0.3 * run.radius)
    holding = [piece for piece in new.pieces if piece.weight > LEAST_WEIGHT]
    new.merge(4 * new.x.size + 10 + 2 * inner.n_y)
    if any(piece not in new.pieces for piece in holding):
        run.old_slope = None
    run.state = new
    run.path.append(old)
    del run.path[1:-LONGEST_PATH]
    run.report()
    start = inner.oracle.n_used
    if inner.n_searched < (SEARCH_SHARE_ON_LINE if inner.n_y == 1 else SEARCH_SHARE) * start:
        if inner.has_blocks or inner.n_y == 1:
            yield from scan(inner, new)
        else:
            peak = yield from attack(inner, new.x, [new.base.z, *(p.z for p in new.pieces)])
            if new.base.value - peak.value < 50.0 * step.predicted:
                new.add(inner.track_whole(peak))
            yield from inner.flip(new)
        run.report()
        inner.n_searched += inner.oracle.n_used - start


def _reject(run: Descent, new: State) -> Asking[bool]:
    """Learn from a refused step; return True if the descent is over.

    The violator may show that F(x) itself was too low. Otherwise the model gets more curvature along the step, the
    radius shrinks, and kinks of f in x are searched by a sweep.
    """
    inner, state, step = run.inner, run.state, run.step
    assert step is not None
    run.n_rejected += 1
    reach = float(np.abs(step.d).max())
    x, F, bend, is_kink_in_x = state.x, state.base.value, 0.0, False
    if new.base.value > FAILED:
        value = yield from inner.oracle.ask_one(x, new.base.z)
        if value > F + 0.1 * step.predicted:
            run.n_rejected -= 1  # the model was not to blame
            yield from _adopt(run, new, value)
            return False
        if new.base.slope is not None and new.base.slope_at is x and new.base.value_before > FAILED:
            error = float(new.base.value - new.base.value_before - new.base.slope @ step.d)
            run.curvature = raised_curvature(run.curvature, step.d, error)
            bend = error / reach
            is_kink_in_x = yield from _is_in_x(run, new, error)
    # The error of a refused step shrinks as its length at a kink, as its square if f is smooth.
    is_kink = run.n_rejected > 1 and bend > run.bend * (reach / run.refused_reach) ** 0.6 > 0.0
    run.bend, run.refused_reach = bend, reach
    run.radius = min(0.4 * run.radius, 0.5 * reach)
    is_level = abs(new.base.value - F) < 0.02 * step.predicted
    run.n_level = run.n_level + 1 if is_level else 0  # F does not change at all: a plateau
    is_over = run.radius < SMALLEST_RADIUS or run.n_rejected > MOST_REJECTIONS or run.n_level > 1
    if run.n_rejected == 2 and run.scanned_x is not x:
        run.scanned_x, run.wants_scan = x, True
    if is_kink and run.n_rejected == 3 and state.base.response is not None:
        base = state.base  # the response went stale: measure it again
        base.slope = base.response = None
        base.is_tested, base.peak = False, base.peak._replace(is_kinked=True)
        run.radius = max(run.radius, 0.02)
        return False
    may_leave = is_over or (is_kink and is_kink_in_x and inner.n_swept < SWEEP_SHARE * inner.oracle.n_used)
    if may_leave and run.left_value - F > 1e-9 * (abs(F) + 1e-9):
        run.left_value = F
        is_over = yield from _leave_model(run, is_kink_in_x, is_over)
    return is_over


def _leave_model(run: Descent, is_kink_in_x: bool, is_over: bool) -> Asking[bool]:
    """Search where the model is of no use; return True if the descent is over.

    A sweep first, since kinks that lie along coordinates cost it little; from then on, or if it fails, cuts.
    """
    inner, start = run.inner, run.inner.oracle.n_used
    if not run.has_swept or not is_kink_in_x:
        run.has_swept = True
        swept = yield from sweep(inner, run.state, max(1e-6, min(1e-2, 4.0 * run.radius)))
        inner.n_swept += inner.oracle.n_used - start
        if swept is not None and (yield from _stays_lower(run, swept)):
            _restart_at(run, swept)
            return False
    if is_kink_in_x:
        end = yield from search_bundle(inner, run.state, max(1e-2, min(0.1, 10.0 * run.radius)))
        if end.state is not run.state and (yield from _stays_lower(run, end.state)):
            _restart_at(run, end.state)
            return end.is_converged
    return is_over


def _stays_lower(run: Descent, state: State) -> Asking[bool]:
    """Search y anew at a state found outside the model; return whether it is still lower."""
    yield from scan(run.inner, state)
    return state.base.value < run.state.base.value


def _is_in_x(run: Descent, new: State, error: float) -> Asking[bool]:
    """Tell whether much of the error of a refused step arises with y held fixed; costs one evaluation."""
    base, step = run.state.base, run.step
    assert step is not None
    if run.n_rejected < 2 or error <= 0.0 or base.slope is None:
        return False
    y = base.z if base.response is None else np.clip(base.z + base.response @ step.d, 0.0, 1.0)
    value = yield from run.inner.oracle.ask_one(new.x, y)
    return value - base.value - float(base.slope @ step.d) >= 0.2 * error


def _adopt(run: Descent, new: State, value: float) -> Asking[None]:
    """Make the violator's y the base at the old x, since it is higher there too."""
    inner, state = run.inner, run.state
    base = state.base
    start = base.peak._replace(z=new.base.z, value=value, h=np.maximum(base.peak.h, 1e-4))
    base.peak = yield from inner.follow(state.x, climb(start, 12, is_joint=not inner.is_additive))
    base.slope = base.response = None
    base.is_tested, base.is_exact = False, True
    for piece in state.pieces:
        piece.is_exact = piece.is_exact and piece.z.size == base.z.size
    run.report()


def _restart_at(run: Descent, state: State) -> None:
    """Resume with a fresh model from a state found outside the model."""
    moved = float(np.abs(state.x - run.state.x).max())
    run.radius = max(min(0.1, 2.0 * moved), 1e-6)
    run.state, run.n_rejected, run.old_slope = state, 0, None
    run.curvature = np.zeros_like(run.curvature)
    run.report()
