"""Why a step was refused, and what follows: doubt the data before the model."""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.ascent import ascend, evaluate, measure_x
from reckless.methods.danskin.curvature import bent, check_bends, measure_mixed
from reckless.methods.danskin.jumps import add_wall
from reckless.methods.danskin.maximizers import look_around
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.peak import Peak, bounds_held, cut, highest, is_jump, nearest
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.step import TINY
from reckless.methods.danskin.together import together
from reckless.methods.danskin.trial import Trial
from reckless.methods.danskin.tuning import guards, trust


class Cause(Enum):
    """What was wrong; the value is what a trace says."""

    FAILURE = "refused: no value there"
    MISSING = "refused: a maximizer was missing"
    STALE = "refused: a slope was not measured here"
    ANSWER = "refused: y did not answer as foretold"
    SUDDEN = "refused: F rose by more than slopes allow"
    UNVERIFIED = "refused: maximizers doubted"
    MODEL = "refused: the model reaches too far"


@dataclass(slots=True)
class Refusals:
    """Refused steps in a row.

    n: how many. n_blamed: those blamed on the model. n_level: the last ones that left F as it was.
    """

    n: int = 0
    n_blamed: int = 0
    n_level: int = 0

    def count(self, F: float, trial: Trial) -> None:
        """Count a step from a worst case of F."""
        self.n += 1
        self.n_level = self.n_level + 1 if abs(trial.F - F) < trust.level * trial.step.predicted else 0

    @property
    def is_final(self) -> bool:
        """Whether there were too many to go on."""
        return self.n > trust.most_refused or self.n_level >= 2


def diagnose(place: Place, trial: Trial, refusals: Refusals) -> Cause:
    """Tell why a step was refused."""
    if not np.isfinite(trial.F):
        return Cause.FAILURE
    violator, d = highest(trial.place.peaks), trial.step.d
    near = [peak for peak in place.peaks if not is_jump(violator.y - peak.y, d)]
    if not near and len(place.holding()) == 1 and _is_one_hill(place.top, violator):
        return Cause.ANSWER
    is_missing = not near or all(_has_left_bound(peak, violator) for peak in near)
    if is_missing and refusals.n <= trust.most_missing:
        return Cause.MISSING
    if any(not peak.is_fresh_x for peak in near):
        return Cause.STALE
    if _is_sudden(near, trial.F - place.F, d):
        return Cause.SUDDEN
    return Cause.UNVERIFIED if refusals.n_blamed == 1 and refusals.n <= trust.most_doubted else Cause.MODEL


def _has_left_bound(peak: Peak, violator: Peak) -> bool:
    """Tell whether a kinked top left a bound where it was held: how it follows x was measured along the bound."""
    return peak.ridge is not None and bool(((bounds_held(peak.y) != 0.0) & (bounds_held(violator.y) == 0.0)).any())


def _is_one_hill(top: Peak, violator: Peak) -> bool:
    """Tell whether y may have moved on one hill: concave along the coordinates that moved, and not measured yet."""
    if top.A is not None or top.gx is None or top.H is None or top.gy is None:
        return False
    moved = np.abs(violator.y - top.y) > guards.jump
    return not (moved & (np.diag(top.H) > -guards.concave * np.abs(top.gy))).any()


def _is_sudden(near: list[Peak], rise: float, d: Array) -> bool:
    """Tell whether F rose by more than slopes allow: then the violator may be higher at x too."""
    reach = np.abs(d)
    return rise > max((float(np.abs(peak.gx) @ reach) for peak in near if peak.gx is not None), default=0.0)


def explain_rise(oracle: Oracle, place: Place, trial: Trial) -> Asking[bool]:
    """Follow the violator if it is above F at x too (1 evaluation); if not, add a wall where f jumps (1 or 2).

    A jump lies in one half of the way, and in one half of that half.
    """
    y, near, far = highest(trial.place.peaks).y, place.x, trial.place.x
    low, high = (yield from oracle.ask_one(near, y)), trial.F
    if low > place.F + oracle.violation(place.F):
        place.peaks.append(Peak(y, low))
        return True
    for _ in range(trust.n_halves):
        between = 0.5 * (near + far)
        value = yield from oracle.ask_one(between, y)
        share = (value - low) / max(high - low, TINY)
        if share > 1.0 - trust.torn:
            far, high = between, value
        elif share < trust.torn and high - low > oracle.slack:
            near, low = between, value
        else:
            return False
    add_wall(place, far)
    return True


def add_violator(oracle: Oracle, place: Place, trial: Trial) -> Asking[bool]:
    """Add the cut of the violator at its fixed y (1 + n_x and its slope in y)."""
    violator = highest(trial.place.peaks)
    peak = Peak(violator.y, np.nan, H=violator.H, M=violator.M)
    yield from together(oracle, [_hold(oracle, place, peak), measure_x(oracle, place.x, peak)])
    if not np.isfinite(peak.value):
        return False
    place.peaks.append(peak)
    return True


def _hold(oracle: Oracle, place: Place, peak: Peak) -> Asking[None]:
    """Evaluate a peak, and keep its y where it is unless it is above F."""
    yield from evaluate(oracle, place.x, [peak])
    peak.is_fixed = peak.value <= place.F


def measure_answer(oracle: Oracle, place: Place, trial: Trial) -> Asking[bool]:
    """Measure how the slope in y of the top changes with x, and with y unless that is known."""
    yield from measure_mixed(oracle, place.x, place.top)
    if not place.top.is_checked:
        yield from check_bends(oracle, place.x, place.top)
    return True


def measure_stale(oracle: Oracle, place: Place, trial: Trial) -> Asking[bool]:
    """Measure the slopes of the peaks that the violator may be one of."""
    violator, d = highest(trial.place.peaks), trial.step.d
    stale = [peak for peak in place.peaks if not peak.is_fresh_x and not is_jump(violator.y - peak.y, d)]
    yield from together(oracle, [measure_x(oracle, place.x, peak) for peak in stale])
    return True


def doubt_maximizers(oracle: Oracle, place: Place, trial: Trial) -> Asking[bool]:
    """Climb anew the peaks that hold the step, from nothing learned about y, and look for others."""
    before, predicted, n_peaks = place.F, trial.step.predicted, len(place.peaks)
    holding = place.holding()
    for peak in holding:
        peak.forget()
    yield from together(oracle, [ascend(oracle, place.x, peak, trust.doubt * predicted) for peak in holding])
    yield from look_around(oracle, place, is_due=True)
    return len(place.peaks) > n_peaks or before + trust.inner * predicted < place.F


def blame_model(place: Place, trial: Trial) -> None:
    """Let the violator's piece bend as much as the value met at x + d says, unless that can be no bend."""
    violator = highest(trial.place.peaks)
    peak = nearest(place.peaks, violator.y)
    if peak.gx is not None and not _is_sudden(place.peaks, (trial.F - place.F) / trust.sheer, trial.step.d):
        value, slope = cut(peak, place.x.size)
        d = trial.place.x - place.x
        peak.B = bent(peak.B, d, violator.value - value - float(slope @ d))


def avoid_point(oracle: Oracle, place: Place, trial: Trial) -> Asking[bool]:
    """Keep away from a point that failed."""
    add_wall(place, trial.place.x)
    return True
    yield  # a remedy without evaluations


REMEDIES = {
    Cause.FAILURE: avoid_point,
    Cause.MISSING: add_violator,
    Cause.SUDDEN: explain_rise,
    Cause.ANSWER: measure_answer,
    Cause.STALE: measure_stale,
    Cause.UNVERIFIED: doubt_maximizers,
}


def remedy(oracle: Oracle, place: Place, trial: Trial, cause: Cause) -> Asking[bool]:
    """Repair what was wrong with the data; tell whether they changed, so that a step is to be chosen anew."""
    if cause in REMEDIES:
        return (yield from REMEDIES[cause](oracle, place, trial))
    return False
