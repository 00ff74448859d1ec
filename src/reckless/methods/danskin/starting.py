"""Where descents begin: a race of many x against few y, or what another search hands over."""

from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.core.task import Hill, Starts
from reckless.methods.danskin.oracle import Asking, Oracle, inward
from reckless.methods.danskin.peak import Peak, from_hill
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.tuning import effort, trust


class Standings(NamedTuple):
    """The end of a race: X (m, n_x), Y (k, n_y), values (m, k), NaN where they did not meet; ranked: best x first."""

    X: Array
    Y: Array
    values: Array
    ranked: Indices

    def place(self, k: int, n_peaks: int) -> Place | None:
        """Return the k-th x with the highest peaks it met, or None if everything failed there."""
        i = int(self.ranked[k])
        met = self.values[i]
        if not _scores(met[None])[0] < np.inf or not np.isfinite(met).any():
            return None
        order = [j for j in np.argsort(-met, kind="stable").tolist() if np.isfinite(met[j])]
        return Place(self.X[i], [Peak(self.Y[j], float(met[j])) for j in order[:n_peaks]])


def start(oracle: Oracle) -> Asking[Place | None]:
    """Return the place where the first descent begins: what another search knows, or the winner of a small race.

    None if everything fails there.
    """
    task = oracle.task
    if task.starts is not None and len(task.starts.x):
        return (yield from _resume(oracle, task.starts))
    Y = task.rng.random((effort.n_first_y, task.n_y))
    if task.starts is not None and task.starts.kept is not None:
        Y = np.vstack([task.starts.kept, Y])[: effort.n_first_y]
        for y in task.starts.kept:
            oracle.remember(y)
    standings = yield from race(oracle, latin_hypercube(oracle, effort.n_race), Y, 1)
    return standings.place(0, 1)


def race(oracle: Oracle, X: Array, Y: Array, n_all: int) -> Asking[Standings]:
    """Let all x meet the first `n_all` y, the better half the next, and so on."""
    X, Y, is_first = oracle.snap_x(X[: oracle.n_left]), oracle.snap_y(Y), oracle.n_used == 0
    values, alive = np.full((len(X), len(Y)), np.nan), np.arange(len(X))
    ranked = alive
    for k, y in enumerate(Y):
        values[alive, k] = yield from oracle.ask(X[alive], y)
        alive = alive[np.argsort(_scores(values[alive]), kind="stable")]
        ranked = np.concatenate([alive, ranked[alive.size :]])
        if is_first:  # the budget may end before the race
            _announce(oracle, X[ranked[0]], Y, values[ranked[0]])
        if k >= n_all - 1:
            alive = alive[: max(1, (alive.size + 1) // 2)]
    if oracle.n_values <= values.size:
        oracle.note_resolution(values[np.isfinite(values)])
    return Standings(X, Y, values, ranked)


def contest(oracle: Oracle, X: Array, Y: Array, n_best: int) -> Asking[Standings]:
    """Find the x that are lowest against all y: the lowest few meet their next y, until one has met them all.

    So an x costs few evaluations if the first y are hard. The best `n_best` have met all y.
    """
    X, Y = oracle.snap_x(X[: oracle.n_left]), oracle.snap_y(Y)
    values, n_met = np.full((len(X), len(Y)), np.nan), np.ones(len(X), dtype=int)
    values[:, 0] = yield from oracle.ask(X, Y[0])
    scores, best = _scores(values), np.zeros(0, dtype=int)
    while best.size < min(n_best, len(X)):
        left = scores.copy()
        left[best] = np.inf
        lowest = np.argsort(left, kind="stable")[: effort.n_at_once]
        if left[lowest[0]] == np.inf:
            break
        if n_met[lowest[0]] == len(Y):
            best = np.append(best, lowest[0])
            continue
        i = lowest[(left[lowest] < np.inf) & (n_met[lowest] < len(Y))][: oracle.n_left]
        values[i, n_met[i]] = yield from oracle.ask(X[i], Y[n_met[i]])
        n_met[i] += 1
        scores[i] = _scores(values[i])
    scores[best] = -np.inf
    ranked = np.concatenate([best, np.argsort(scores, kind="stable")[best.size :]])
    return Standings(X, Y, values, ranked)


def _announce(oracle: Oracle, x: Array, Y: Array, met: Array) -> None:
    """Recommend the leader of a race, with the worst y that it met."""
    if _scores(met[None])[0] < np.inf:
        j = int(np.nanargmax(met))
        oracle.task.recommend(x, Y[j], float(met[j]))


def _scores(values: Array) -> Array:
    """Return the worst value of each row; an x where everything failed is the last to be chosen."""
    known = np.where(np.isnan(values), -np.inf, values)
    scores: Array = np.where(np.isnan(values).all(axis=1), np.inf, known.max(axis=1))
    return scores


def _resume(oracle: Oracle, starts: Starts) -> Asking[Place | None]:
    """Return the first x of another search with its peaks, their values asked for."""
    x = starts.x[0]
    hills = starts.peaks or [Hill(y) for y in starts.y] or [Hill(oracle.task.random_y())]
    values = yield from oracle.ask(x, np.array([hill.y for hill in hills]))
    peaks = [from_hill(hill, v) for hill, v in zip(hills, values.tolist(), strict=True) if np.isfinite(v)]
    for peak in peaks:
        yield from doubt_hill(oracle, x, peak)
    for y in starts.y if starts.kept is None else np.vstack([starts.y, starts.kept]):
        oracle.remember(y)
    if starts.pairs is not None:
        known = starts.pairs[2][np.isfinite(starts.pairs[2])]
        oracle.note_resolution(known[known <= np.median(known)])  # the others may be of another order
    return Place(x, peaks, starts.radius or trust.first) if peaks and not np.isposinf(values).any() else None


def doubt_hill(oracle: Oracle, x: Array, peak: Peak) -> Asking[None]:
    """Forget what another search knew about a hill, unless it foretells a value beside the top (1 evaluation).

    A smooth model rounds a kink off, and where it saw little it makes hills of its own.
    """
    if peak.gy is None or peak.H is None:
        return
    s = inward(peak.y, oracle.central) * oracle.rng.uniform(0.5, 1.0, peak.y.size)
    change = (yield from oracle.ask_one(x, peak.y + s)) - peak.value
    foretold = float(peak.gy @ s + 0.5 * s @ peak.H @ s)
    if not abs(change - foretold) <= trust.believed * abs(foretold):
        peak.forget()
        peak.gx = peak.B = None


def latin_hypercube(oracle: Oracle, n: int) -> Array:
    """Draw n points of x, one in each of n slices of every coordinate."""
    rng = oracle.rng
    return np.stack([(rng.permutation(n) + rng.random(n)) / n for _ in range(oracle.task.n_x)], axis=1)
