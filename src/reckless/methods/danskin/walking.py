"""Steps of x by one unit along integer coordinates, against all maximizers that are followed."""

from dataclasses import replace

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.ascent import ascend
from reckless.methods.danskin.incumbent import Incumbent
from reckless.methods.danskin.integers import neighbors
from reckless.methods.danskin.maximizers import look_around
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.peak import Peak, is_among
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.tuning import effort, trust


def walk(oracle: Oracle, incumbent: Incumbent, place: Place) -> Asking[Place]:
    """Move x by units as long as F falls, the last move first.

    Peaks stay where they are until no neighbor is lower. Then the highest is climbed, and its old y stays as another
    peak: so x does not return to where that y was worst.
    """
    units, last = oracle.x_units, np.zeros((0, place.x.size))
    while units.any() and np.isfinite(place.F):
        ahead = place.x + last
        lower = yield from _lowest(oracle, ahead[((ahead >= 0.0) & (ahead <= 1.0)).all(axis=1)], place)
        if lower is None:
            lower = yield from _lowest(oracle, neighbors(units, place.x), place)
        if lower is not None:
            incumbent.note("accepted", lower.F, place.radius, 1.0, len(lower.peaks))
            place, last = lower, (lower.x - place.x)[None]
            incumbent.report(place)
            yield from look_around(oracle, place)
        elif not (yield from _rises(oracle, place)):
            break
    return place


def _rises(oracle: Oracle, place: Place) -> Asking[bool]:
    """Climb from the highest peak; tell whether there is a higher one now."""
    top = replace(place.top)
    yield from ascend(oracle, place.x, top, oracle.violation(place.F))
    if not top.value > place.F + oracle.violation(place.F):
        return False
    if is_among(top.y, [place.top.y]):
        place.peaks.remove(place.top)
    place.peaks.append(top)
    return True


def _lowest(oracle: Oracle, X: Array, place: Place) -> Asking[Place | None]:
    """Return the lowest of some x that no peak refutes, with the highest peaks there, or None."""
    F, peaks = place.F, sorted(place.peaks, key=lambda peak: -peak.value)
    values = np.zeros((len(X), 0))
    for peak in peaks:
        if not len(X):
            return None
        met = yield from oracle.ask(X, peak.y)
        is_lower = met < F - oracle.violation(F)
        X, values = X[is_lower], np.column_stack([values, met])[is_lower]
    if not len(X):
        return None
    k = int(values.max(axis=1).argmin())
    moved = [Peak(peak.y, v, H=peak.H, M=peak.M, B=peak.B) for peak, v in zip(peaks, values[k].tolist(), strict=True)]
    moved.sort(key=lambda peak: -peak.value)
    most = effort.most_peaks + 2 * place.x.size
    return Place(X[k], moved[:most], max(place.radius, trust.resumed), place.failed)
