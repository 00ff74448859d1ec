"""The way back: a descent that lost the worst y goes on from the last x of its path that this y spares."""

from dataclasses import replace

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.fears import fear
from reckless.methods.danskin.incumbent import Incumbent
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.peak import Peak, highest, is_among
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.tuning import trust


def go_back(oracle: Oracle, incumbent: Incumbent, place: Place) -> Asking[Place | None]:
    """Return the latest place of the path that its worst y spares; None unless it ends higher than it ever was."""
    F, path = place.F, [earlier for earlier in incumbent.trail if earlier.x is not place.x]
    if max((earlier.F for earlier in path), default=np.inf) >= F:
        return None
    worst = yield from _extended(oracle, place)
    oracle.remember(worst.y)
    fear(oracle, place.x, worst)
    k, value = yield from _latest_spared(oracle, path, worst)
    if k is None:
        return None
    oracle.task.note("descend", "back", fun=F)
    spared = path[k]
    incumbent.trail = path[:k]
    known = [peak.y for peak in spared.peaks]
    others = [peak.y for peak in place.peaks if np.isfinite(peak.value) and not is_among(peak.y, [*known, worst.y])]
    values = (yield from oracle.ask(spared.x, np.array(others))).tolist() if others else []
    joined = [Peak(y, v) for y, v in [(worst.y, value), *zip(others, values, strict=True)] if np.isfinite(v)]
    return replace(spared, peaks=[*spared.peaks, *joined], radius=trust.first)


def _latest_spared(oracle: Oracle, path: list[Place], worst: Peak) -> Asking[tuple[int | None, float]]:
    """Return the latest place of a path that a y does not refute, and the value of that y there; by bisection."""
    best, value, low, high = None, np.inf, 0, len(path)
    while low < high:
        k = (low + high) // 2
        met = yield from oracle.ask_one(path[k].x, worst.y)
        if met <= path[k].F:
            best, value, low = k, met, k + 1
        else:
            high = k
    return best, value


def is_plateau(place: Place) -> bool:
    """Tell whether slopes say nothing at all about the top: it lies on a plateau."""
    top = place.top
    return top.gx is not None and top.gy is not None and not top.gx.any() and not top.gy.any()


def _extended(oracle: Oracle, place: Place) -> Asking[Peak]:
    """Return the top; if it failed or is level, moved on to the end of the box unless it is lower there.

    Such a y is worst at more x.
    """
    top = place.top
    lower = [peak for peak in place.peaks if peak.value < top.value]
    if not lower or not (top.value == np.inf or is_plateau(place)):
        return top
    end = _end_of_ray(highest(lower).y, top.y)
    value = yield from oracle.ask_one(place.x, end)
    return Peak(end, value) if value >= top.value else top


def _end_of_ray(y: Array, z: Array) -> Array:
    """Return where the ray from y through z leaves the box."""
    away = z - y
    room = np.where(away > 0.0, 1.0 - z, z)
    share = np.divide(room, np.abs(away), out=np.full_like(z, np.inf), where=away != 0.0).min()
    end: Array = np.clip(z + share * away, 0.0, 1.0) if np.isfinite(share) else z
    return end
