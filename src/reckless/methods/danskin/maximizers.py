"""The search for other maximizers: a look around between steps, and attacks on an x that would lead.

Vertices that no climb finds: where f couples coordinates of y that sit at bounds, all flips and pairs of flips are
measured. They make a quadratic function of the flips, which is maximized for free; it is exact where f is quadratic.
"""

from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Flags
from reckless.methods.danskin.ascent import ascend
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.peak import Peak, distance, is_among, is_cornered, nearest
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.sums.additive import climb_anew
from reckless.methods.danskin.sums.lines import Line, climb_lines, on_line
from reckless.methods.danskin.tuning import bundles, effort, guards


def flip_bounds(oracle: Oracle, x: Array, peak: Peak) -> Asking[bool]:
    """Move a peak to a higher vertex if flips of its coordinates lead to one; tell whether it moved."""
    if oracle.is_sum or peak.H is None or peak.gy is None or not np.isfinite(peak.value):
        return False
    at = np.flatnonzero(is_cornered(peak.y, np.diag(peak.H), peak.gy))
    if not effort.n_cornered <= at.size <= effort.most_flips:
        return False
    opposite = np.where(peak.y > 0.5, 0.0, 1.0)

    def ask(flips: Flags) -> Asking[tuple[Array, Array]]:
        Y = np.repeat(peak.y[None], len(flips), axis=0)
        Y[:, at] = np.where(flips, opposite[at], peak.y[at])
        values = yield from oracle.ask(x, Y)
        return Y, np.where(np.isnan(values), -np.inf, values)

    one, (i, j) = np.eye(at.size, dtype=bool), np.triu_indices(at.size, 1)
    Y, values = yield from ask(np.vstack([one, one[i] | one[j]]))
    if not np.isfinite(values).all():
        return False
    gains = values - peak.value
    single, pairs = gains[: at.size], np.zeros((at.size, at.size))
    pairs[i, j] = pairs[j, i] = gains[at.size :] - single[i] - single[j]
    more, heights = yield from ask(best_flips(single, pairs, oracle.rng))
    Y, values = np.vstack([Y, more]), np.append(values, heights)
    for y in more[heights > peak.value]:
        oracle.remember(y)
    k = int(values.argmax())
    if not values[k] > peak.value + oracle.violation(peak.value):
        return False
    peak.y, peak.value = Y[k], float(values[k])
    peak.forget()
    return True


def best_flips(single: Array, pairs: Array, rng: np.random.Generator) -> Flags:
    """Maximize single z + z'(pairs)z / 2 over z of 0 and 1 by local searches; return rows, the best last."""
    Z = rng.integers(2, size=(effort.n_flip_searches, single.size)).astype(float)
    for _ in range(4 * single.size):
        gains = (1.0 - 2.0 * Z) * (single + Z @ pairs)
        k = gains.argmax(axis=1)
        rises = np.flatnonzero(gains.max(axis=1) > guards.rounding * np.abs(single).max())
        if not rises.size:
            break
        Z[rises, k[rises]] = 1.0 - Z[rises, k[rises]]
    Z = np.unique(Z, axis=0)
    heights = Z @ single + 0.5 * np.einsum("ij,jk,ik->i", Z, pairs, Z)
    flags: Flags = Z[np.argsort(heights)[-effort.n_flips_tried :]] > 0.5
    return flags


def sample_y(oracle: Oracle, n: int) -> Array:
    """Draw n rows of y, a quarter of them vertices; on a line, evenly spread ones with both ends, if there are more."""
    n_y = oracle.task.n_y
    Y = oracle.rng.random((n, n_y))
    if n_y == 1 and n > 2:
        spread: Array = (np.arange(n)[:, None] + Y) / n
        spread[0], spread[-1] = 0.0, 1.0
        return oracle.snap_y(spread)
    Y[: n // effort.one_in_vertices] = np.round(Y[: n // effort.one_in_vertices])
    return oracle.snap_y(Y)


def may_look(oracle: Oracle) -> bool:
    """Tell whether the share for looking around lasts."""
    share = effort.line_share if oracle.task.n_y == 1 else effort.search_share
    return oracle.n_searched + _n_look(oracle) <= share * oracle.n_used


def _n_look(oracle: Oracle) -> int:
    return effort.n_look_line if oracle.task.n_y == 1 else 2 + 2 * oracle.task.n_y


def look_around(oracle: Oracle, place: Place, *, is_due: bool = False) -> Asking[None]:
    """Look for another maximizer in a small sample and the archive, while the share for it lasts, or if it is due."""
    if not is_due and not may_look(oracle):
        return
    first, n = oracle.n_used, _n_look(oracle)
    known = [peak.y for peak in place.peaks]
    old = [y for y in oracle.archive[-effort.n_recalled :] if not is_among(y, known)]
    Y = np.vstack([sample_y(oracle, n), *old])
    values = yield from oracle.ask(place.x, Y)
    peak = yield from _find_other(oracle, place, Y, values)
    if peak is not None:
        oracle.remember(peak.y)
        place.peaks.append(peak)
    oracle.n_searched += oracle.n_used - first


def _find_other(oracle: Oracle, place: Place, Y: Array, values: Array) -> Asking[Peak | None]:
    """Climb from the best of a sample unless it lies on the hill of a known peak; return a new peak, or None."""
    known = tuple(peak.y for peak in place.peaks)
    ranked = np.argsort(-np.where(np.isnan(values), -np.inf, values), kind="stable")
    for k in ranked[:2].tolist():
        y, value = Y[k], float(values[k])
        near = nearest(place.peaks, y)
        if np.isnan(value) or distance(near.y, y) < guards.same:
            continue
        if value <= near.value:
            between = yield from oracle.ask_one(place.x, 0.5 * (y + near.y))
            if between >= value:  # no valley between them: one hill
                continue
        peak = Peak(y, value)
        yield from ascend(oracle, place.x, peak, oracle.violation(place.F), effort.n_look_rounds, known)
        if not is_among(peak.y, known):
            return peak
        near = nearest(place.peaks, peak.y)
        if peak.value > near.value:  # it was not at its top
            near.move(peak.y - near.y, peak.value)
    return None


class Attack(NamedTuple):
    """What independent searches for a worse y found: a violator or None, how many there were, how many arrived."""

    violator: Peak | None
    n_searches: int = 0
    n_agreed: int = 0


def verify(oracle: Oracle, place: Place, n_least: int, n_evaluations: float, *, is_new: bool = True) -> Asking[Attack]:
    """Attack x by at least `n_least` searches that know nothing of the run; stop at the first higher peak.

    is_new: whether its top is yet to be climbed again from nothing learned.
    """
    if is_new:
        violator = yield from _recheck(oracle, place)
    else:
        violator = yield from _recall(oracle, place, place.F + oracle.violation(place.F))
    if violator is not None:
        return Attack(violator)
    first, F = oracle.n_used, place.F
    tolerance, n_searches, n_agreed = oracle.violation(F), 0, 0
    tops = tuple(peak.y for peak in place.peaks if peak.value >= F - tolerance)
    while n_searches < n_least or oracle.n_used - first < n_evaluations:
        peak = yield from _search(oracle, place.x, tops, tolerance, from_anywhere=n_searches % 2 == 1)
        n_searches += 1
        if peak is None:
            continue
        if peak.value > F + tolerance:
            return Attack(peak)
        has_arrived = peak.value > F - oracle.arrival(F)
        n_agreed += has_arrived or is_among(peak.y, tops)
        oracle.remember(peak.y)
    return Attack(None, n_searches, n_agreed)


def _recheck(oracle: Oracle, place: Place) -> Asking[Peak | None]:
    """Climb the top again from nothing learned, then try the archive; return the violator, or None."""
    x, top, F = place.x, place.top, place.F
    tolerance = oracle.violation(F)
    if _is_line(oracle):
        again = yield from _climb_on_line(oracle, place, tolerance)
    else:
        again = Peak(top.y, top.value)
        yield from _climb_all(oracle, x, again, tolerance, effort.n_rounds)
    if again.value > F + tolerance:
        return again
    return (yield from _recall(oracle, place, F + tolerance))


def _recall(oracle: Oracle, place: Place, limit: float) -> Asking[Peak | None]:
    """Try the archive; return one above the limit, or None."""
    old = [y for y in oracle.archive if not is_among(y, [peak.y for peak in place.peaks])]
    old = old[-max(1, oracle.n_left // 2) :]  # at the end of a run, searches need their part
    if old:
        values = yield from oracle.ask(place.x, np.array(old))
        for y, value in zip(old, values.tolist(), strict=True):
            if value > limit:
                return Peak(y, value)
    return None


def _climb_on_line(oracle: Oracle, place: Place, tolerance: float) -> Asking[Peak]:
    """Climb all peaks on the line of y and move those that rise; return the highest, without what it learned."""
    lines = [Line(0.0, 1.0, bundles.aside, [(float(peak.y[0]), peak.value)]) for peak in place.peaks]
    yield from climb_lines(on_line(oracle, place.x), lines, tolerance)
    for peak, line in zip(place.peaks, lines, strict=True):
        at, value = line.top
        if value > peak.value + tolerance:
            peak.move(at - peak.y, value)
    top = place.top
    return Peak(top.y, top.value)


def _search(
    oracle: Oracle, x: Array, tops: tuple[Array, ...], tolerance: float, *, from_anywhere: bool
) -> Asking[Peak | None]:
    """Climb from the best of a sample, or from anywhere; None if everything fails there.

    On a line, anywhere is any hill of the sample: a narrow hill shows in a sample, but seldom as the best of it.
    """
    n_y = oracle.task.n_y
    Y = sample_y(oracle, effort.n_verify_line if n_y == 1 else effort.n_verify * (1 + n_y))
    values = yield from oracle.ask(x, Y)
    if from_anywhere and n_y > 1:
        Y, values = Y[-1:], values[-1:]
    if np.isnan(values).all():
        return None
    k = _any_hill(oracle, values) if from_anywhere and n_y == 1 else int(np.nanargmax(values))
    if _is_line(oracle):
        return (yield from _top_between(oracle, x, Y[:, 0], values, k, tolerance))
    peak = Peak(Y[k], float(values[k]))
    yield from _climb_all(oracle, x, peak, tolerance, effort.n_verify_rounds, tops)
    return peak


def _is_line(oracle: Oracle) -> bool:
    """Tell whether y is one number, and no integer."""
    return oracle.task.n_y == 1 and bool(oracle.is_continuous[-1])


def _top_between(oracle: Oracle, x: Array, at: Array, values: Array, k: int, tolerance: float) -> Asking[Peak]:
    """Climb from the k-th of rising points on the line of y, between its neighbors."""
    near = slice(max(k - 1, 0), k + 2)
    heights = np.where(np.isnan(values), -np.inf, values)
    line = Line(0.0, 1.0, bundles.aside, list(zip(at[near].tolist(), heights[near].tolist(), strict=True)))
    yield from climb_lines(on_line(oracle, x), [line], tolerance)
    y, value = line.top
    return Peak(np.array([y]), value)


def _any_hill(oracle: Oracle, values: Array) -> int:
    """Return the place of a point on a line that is not below its neighbors."""
    around = np.pad(np.where(np.isnan(values), -np.inf, values), 1, constant_values=-np.inf)
    is_hill = (around[1:-1] >= around[:-2]) & (around[1:-1] >= around[2:]) & (around[1:-1] > -np.inf)
    return int(oracle.rng.choice(np.flatnonzero(is_hill)))


def _climb_all(
    oracle: Oracle, x: Array, peak: Peak, tolerance: float, n_rounds: int, known: tuple[Array, ...] = ()
) -> Asking[None]:
    """Climb from nothing learned, then among vertices unless the top is known."""
    yield from climb_anew(oracle, x, peak, tolerance, n_rounds, known)
    if not is_among(peak.y, known) and (yield from flip_bounds(oracle, x, peak)):
        yield from climb_anew(oracle, x, peak, tolerance, n_rounds, known)
