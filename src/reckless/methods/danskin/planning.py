"""The choice of a step: cuts of all peaks, slopes for those that hold it, y climbed as far as the step needs."""

from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import Balance
from reckless.methods.danskin.ascent import ascend, measure_x
from reckless.methods.danskin.curvature import between, mixture
from reckless.methods.danskin.jumps import walled
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.peak import Peak, climb_left, cut, local_climb
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.step import Cuts, Step, room_in_box, solve_cuts, solve_saddle
from reckless.methods.danskin.together import together
from reckless.methods.danskin.tuning import effort, guards, trust


class Plan(NamedTuple):
    """A step and the model that it was chosen by; the cuts are in the order of the peaks, and a wall comes last."""

    step: Step
    cuts: Cuts


def plan_step(oracle: Oracle, place: Place) -> Asking[Plan | None]:
    """Choose a step, with so little left to climb that it does not matter; None if no step helps."""
    if place.top.gx is not None and not place.top.is_fresh_x:  # climb first, as far as the slopes foretold ask for
        foretold = _weigh(oracle, place).step.predicted
        yield from _climb_loose(oracle, place, trust.inner * max(foretold, oracle.floor(place.F)))
    for _ in range(effort.n_plans):
        if np.isposinf(place.F):  # a climb met a y that fails
            return None
        plan = yield from choose_step(oracle, place)
        floor = oracle.floor(place.F)
        has_changed = yield from _climb_loose(oracle, place, trust.inner * max(plan.step.predicted, floor))
        if not has_changed:
            break
    return plan if plan.step.predicted > floor and plan.step.d.any() else None


def choose_step(oracle: Oracle, place: Place) -> Asking[Plan]:
    """Choose the step against all cuts; slopes in x are measured only for the cuts that hold it."""
    peaks, top = place.peaks, place.top
    if not top.is_fresh_x:
        yield from measure_x(oracle, place.x, top)
    if not any(peak.weight > 0.0 and peak.B is not None for peak in peaks):
        top.weight = 1.0
    for _ in range(len(peaks) + 1):
        plan = _weigh(oracle, place)
        stale = [peak for peak in place.holding() if not peak.is_fresh_x]
        if not stale:
            break
        yield from together(oracle, [measure_x(oracle, place.x, peak) for peak in stale])
    return plan


def _weigh(oracle: Oracle, place: Place) -> Plan:
    """Solve for the step with what is known; the peaks get their multipliers."""
    peaks, n_x = place.peaks, place.x.size
    values, slopes = zip(*(cut(peak, n_x) for peak in peaks), strict=True)
    cuts = walled(place, Cuts(np.array(values), np.array(slopes), _curvature(oracle, place, np.array(slopes))))
    step = solve_cuts(cuts, room_in_box(place.x), place.radius)
    for peak, weight in zip(peaks, step.weights.tolist(), strict=False):
        peak.weight = weight
    place.weighed = Balance(place.x, np.array([peak.y for peak in peaks]), step.weights[: len(peaks)])
    holding = place.holding()
    if len(holding) == 1 and holding[0].is_full and not oracle.is_stiff:
        better = _answered(place, holding[0], cuts)
        if better is not None:
            step = better._replace(weights=step.weights)
    return Plan(step, cuts)


def _curvature(oracle: Oracle, place: Place, slopes: Array) -> Array:
    """Return the curvature of the Lagrangian.

    Where many peaks hold one step after the other, their curvatures may cancel. They count as they are then, but only
    along the directions in which the cuts leave the step free.
    """
    n_x, holds = place.x.size, np.array([peak.weight > guards.holds for peak in place.peaks])
    weighted = [peak for peak in place.peaks if peak.weight > 0.0]
    curved = [(peak.weight, peak.B) for peak in weighted if peak.B is not None]
    if holds.sum() < 2 or not oracle.is_balanced:
        return mixture(curved, n_x)
    both = [(peak.weight, peak.C) for peak in weighted if peak.C is not None]
    return between(mixture(both or curved, n_x), slopes[holds])


def _answered(place: Place, peak: Peak, cuts: Cuts) -> Step | None:
    """Return the step by the full model of the peak, in which y answers; None if another cut holds that step."""
    step = solve_saddle(peak, room_in_box(place.x), place.radius)
    if step is None:
        return None
    after = np.delete(cuts.values + cuts.slopes @ step.d, place.peaks.index(peak)).max(initial=-np.inf)
    return step if after <= cuts.values.max() - step.predicted else None


def _climb_loose(oracle: Oracle, place: Place, tolerance: float) -> Asking[bool]:
    """Climb the peaks that hold the step and whose models expect more than a tolerance; tell whether much changed."""
    loose = _loose(place, tolerance)
    before = [peak.value for peak in loose]
    climbs = [ascend(oracle, place.x, peak, 0.5 * tolerance, effort.n_short_rounds) for peak in loose]
    yield from together(oracle, climbs)
    risen = [peak.value - value > tolerance for peak, value in zip(loose, before, strict=True)]
    return any(risen) or any(not peak.is_fresh_x for peak in loose)


def _loose(place: Place, tolerance: float) -> list[Peak]:
    top = place.top
    top.is_fixed = False
    others = [peak for peak in place.peaks if peak.weight > guards.holds and peak is not top]
    loose = [peak for peak in others if local_climb(peak)[1] > tolerance]
    return [*loose, top] if top.is_known and climb_left(top)[1] > tolerance else loose
