"""The trial of a step: follow the peaks to x + d, climb those that may decide, and correct the step once."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.ascent import ascend, evaluate, measure_y
from reckless.methods.danskin.jumps import recall
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.peak import Peak, highest, response
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.planning import Plan
from reckless.methods.danskin.step import Step, is_enough, room_in_box, solve_cuts
from reckless.methods.danskin.together import together
from reckless.methods.danskin.tuning import effort, guards, trust


class Trial(NamedTuple):
    """What came of a step: the place it leads to, its F, and the values met there first, in the order of the peaks."""

    step: Step
    place: Place
    F: float
    values: Array


def try_step(oracle: Oracle, place: Place, step: Step, *, is_hopeful: bool = False) -> Asking[Trial]:
    """Follow the peaks to x + d and climb those that may decide, until one shows that F is not low enough."""
    d, predicted = step.d, step.predicted
    x, F = np.clip(place.x + d, 0.0, 1.0), place.F
    new, values = yield from _follow(oracle, place, x, d, is_hopeful=is_hopeful)
    rest = sorted(new, key=lambda peak: peak.value)
    while rest and is_enough(F, highest(new).value, predicted):
        peak = rest.pop()
        near = effort.watch if peak.weight > guards.holds else effort.watch_idle
        if peak.value >= highest(new).value - near * predicted:
            yield from ascend(oracle, x, peak, trust.inner * predicted, effort.n_short_rounds)
    if is_enough(F, highest(new).value, predicted):
        yield from recall(oracle, x, new)
    F_new = np.inf if _has_failed(place, values) else highest(new).value
    return Trial(step, Place(x, new, place.radius, place.failed), F_new, values)


def _follow(oracle: Oracle, place: Place, x: Array, d: Array, *, is_hopeful: bool) -> Asking[tuple[list[Peak], Array]]:
    """Evaluate every peak at x where its model sends it, and where it may jump to; return those with a value.

    A single peak that holds the step gets its slope in y at once.
    """
    peaks = place.peaks
    moves = [response(peak, d) for peak in peaks]
    new = [peak.followed(d, s, np.nan) for peak, (s, _) in zip(peaks, moves, strict=True)]
    jumped = [_jumped(peak, d, jump) for peak, (_, jump) in zip(peaks, moves, strict=True) if jump is not None]
    holding = [peak for peak in new if peak.weight > guards.holds]
    slopes = [measure_y(oracle, x, peak) for peak in holding if is_hopeful and len(holding) == 1 and peak.is_known]
    yield from together(oracle, [evaluate(oracle, x, [*new, *jumped]), *slopes])
    values = np.array([peak.value for peak in new])
    met = [peak for peak in new if peak.value == peak.value]
    for peak in jumped:
        if peak.value > max((other.value for other in met), default=-np.inf):
            met.append(peak)
    return met or [replace(place.top, value=np.inf)], values


def _jumped(peak: Peak, d: Array, s: Array) -> Peak:
    """Return a peak on another hill, of which little is known."""
    return replace(peak.followed(d, s, np.nan), last_x=None, last_y=None, gx=None, weight=0.0)


def _has_failed(place: Place, values: Array) -> bool:
    """Tell whether a peak that decides has no value at x + d: then nothing is known of F there."""
    decides = np.array([peak.weight > guards.holds or peak is place.top for peak in place.peaks])
    return bool(np.isnan(values[decides]).any())


def correct(oracle: Oracle, place: Place, plan: Plan, trial: Trial) -> Asking[Trial | None]:
    """Try once more, with the cuts shifted to the values met at x + d: a second-order correction. None if refused."""
    step, cuts = plan
    if len(place.holding()) < 2 or not np.isfinite(trial.values).all():
        return None
    n = len(place.peaks)  # a wall stays where it is
    shifted = cuts._replace(values=np.append(trial.values - cuts.slopes[:n] @ step.d, cuts.values[n:]))
    d = solve_cuts(shifted, room_in_box(place.x), place.radius).d
    if not d.any() or np.abs(d - step.d).max() < guards.at_bound:
        return None
    second = yield from try_step(oracle, place, step._replace(d=d))
    return second if is_enough(place.F, second.F, step.predicted) else None
