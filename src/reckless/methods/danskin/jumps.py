"""Where f jumps or fails: walls keep steps away, trials meet what was worst elsewhere, and a descent may go back.

A wall is a plane between x and the points that failed. A fear is a y that was the worst of another x: a trial that
would be accepted meets it, unless it is far too low nearby. A descent that lost the worst y goes on from the last x of
its path that this y spares.
"""

from dataclasses import dataclass, replace

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.incumbent import Incumbent
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.peak import Peak, distance, highest, is_among
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.step import Cuts
from reckless.methods.danskin.tuning import effort, guards, trust
from reckless.methods.program import solve_program


def add_wall(place: Place, x_failed: Array) -> None:
    """Remember that a step led to a point that fails."""
    place.failed = [*place.failed[1 - effort.n_failed :], x_failed]


def walled(place: Place, cuts: Cuts) -> Cuts:
    """Return the cuts and one more that rises to F halfway to the points that failed, and steeply beyond."""
    normal = _normal(place)
    if normal is None:
        return cuts
    F, slope = float(cuts.values.max()), float(np.abs(cuts.slopes).sum(axis=1).max())
    height = trust.steep * slope * place.radius
    values = np.append(cuts.values, F - height)
    return Cuts(values, np.vstack([cuts.slopes, (2.0 * height) * normal]), cuts.B)


def _normal(place: Place) -> Array | None:
    """Return the shortest a with a (z - x) >= 1 for the points z that failed nearby: the plane farthest from all.

    None if nothing failed nearby, or if points that failed surround x.
    """
    moves = np.array([z - place.x for z in place.failed]).reshape(-1, place.x.size)
    moves = moves[np.abs(moves).max(axis=1) <= 2.0 * place.radius] / place.radius
    if not len(moves):
        return None
    n, far = place.x.size, 1.0 / guards.at_bound
    a, _ = solve_program(np.eye(n), np.zeros(n), -moves, -np.ones(len(moves)), np.full(n, -far), np.full(n, far))
    return a / place.radius if (moves @ a).min() > 0.5 else None


@dataclass(slots=True, eq=False)
class Fear:
    """A y that was the worst of an x, and what is known of f along x there.

    x, value: of its last meeting. pace: the fastest change between meetings, per length of x; infinite after one.
    """

    y: Array
    x: Array
    value: float
    pace: float = np.inf

    def may_exceed(self, x: Array, F: float) -> bool:
        """Tell whether the y may be above F at x, if f changes there no faster than twice what was seen."""
        with np.errstate(invalid="ignore"):
            return not self.value + effort.caution * self.pace * distance(x, self.x) < F

    def meet(self, x: Array, value: float) -> None:
        """Learn from another meeting; a failure leaves the pace infinite."""
        change, length = abs(value - self.value), distance(x, self.x)
        if not np.isfinite(change):
            self.pace = np.inf
        elif length > 0.0:
            self.pace = max(change / length, self.pace if np.isfinite(self.pace) else 0.0)
        self.x, self.value = x, value


def fear(oracle: Oracle, x: Array, peak: Peak) -> None:
    """Let trials meet a y that was the worst of an x, in place of a close one."""
    near = next((known for known in oracle.fears if is_among(peak.y, [known.y])), None)
    if near is None:
        oracle.fears = [*oracle.fears[1 - effort.n_met :], Fear(peak.y, x, peak.value)]
    else:
        near.y, near.x, near.value = peak.y, x, peak.value


def recall(oracle: Oracle, x: Array, peaks: list[Peak]) -> Asking[None]:
    """Meet what was worst elsewhere and is not followed; the highest joins the peaks if it is above them."""
    known, F = [peak.y for peak in peaks], highest(peaks).value
    old = [one for one in oracle.fears if not is_among(one.y, known) and one.may_exceed(x, F)]
    if not old:
        return
    values = yield from oracle.ask(x, np.array([one.y for one in old]))
    for one, value in zip(old, values.tolist(), strict=True):
        one.meet(x, value)
    k = int(np.where(np.isnan(values), -np.inf, values).argmax())
    if values[k] > F:
        peaks.append(Peak(old[k].y, float(values[k])))


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
