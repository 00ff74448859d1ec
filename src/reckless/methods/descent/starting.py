"""Where descents begin: a race of many x against few y, or what another search hands over."""

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import Starts
from reckless.methods.descent.oracle import Asking, Oracle
from reckless.methods.descent.peak import Peak, from_hill
from reckless.methods.descent.place import Place
from reckless.methods.descent.tuning import effort, trust


def start(oracle: Oracle, k: int) -> Asking[Place | None]:
    """Return the place where the k-th descent begins; None if everything fails there.

    First comes what another search knows, if there is one, or a small race. Later a random x and a larger race take
    turns, and meet the maximizers found so far, which stay watched.
    """
    task = oracle.task
    if k == 0 and task.starts is not None and len(task.starts.x):
        return (yield from _resume(oracle, task.starts))
    if k == 0:
        Y = task.rng.random((effort.n_first_y, task.n_y))
        place = yield from race(oracle, latin_hypercube(oracle, effort.n_race), Y, 1)
        if place is not None:
            place.peaks = place.peaks[:1]
    else:
        n = 1 if k % 2 else max(effort.n_later_race, int(effort.race_share * oracle.n_used))
        Y = np.vstack([*oracle.archive[: -1 - effort.n_later_y : -1], task.rng.random(task.n_y)])
        place = yield from race(oracle, latin_hypercube(oracle, n), Y, effort.n_first_y)
        if place is not None:
            place.peaks = place.peaks[: effort.n_watched]
    return place


def race(oracle: Oracle, X: Array, Y: Array, n_all: int) -> Asking[Place | None]:
    """Let all x meet the first `n_all` y, the better half the next, and so on; return the best with its peaks."""
    X, is_first = X[: oracle.n_left], oracle.n_used == 0
    values, alive = np.full((len(X), len(Y)), np.nan), np.arange(len(X))
    for k, y in enumerate(Y):
        values[alive, k] = yield from oracle.ask(X[alive], y)
        ranked = alive[np.argsort(_scores(values[alive]), kind="stable")]
        if k >= n_all - 1:
            alive = ranked[: max(1, (alive.size + 1) // 2)]
        if is_first:  # the budget may end before the race
            _announce(oracle, X[ranked[0]], Y, values[ranked[0]])
    if oracle.n_values <= values.size:
        oracle.note_resolution(values[np.isfinite(values)])
    met = values[alive[0]]
    if not _scores(met[None])[0] < np.inf or not np.isfinite(met).any():
        return None
    order = [j for j in np.argsort(-met, kind="stable").tolist() if np.isfinite(met[j])]
    return Place(X[alive[0]], [Peak(Y[j], float(met[j])) for j in order])


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
    rows = [hill.y for hill in starts.peaks] or list(starts.y) or [oracle.task.random_y()]
    values = yield from oracle.ask(x, np.array(rows))
    if starts.peaks:
        peaks = [from_hill(hill, v) for hill, v in zip(starts.peaks, values.tolist(), strict=True) if np.isfinite(v)]
    else:
        peaks = [Peak(y, v) for y, v in zip(rows, values.tolist(), strict=True) if np.isfinite(v)]
    return Place(x, peaks, starts.radius or trust.first) if peaks and not np.isposinf(values).any() else None


def latin_hypercube(oracle: Oracle, n: int) -> Array:
    """Draw n points of x, one in each of n slices of every coordinate."""
    rng = oracle.rng
    return np.stack([(rng.permutation(n) + rng.random(n)) / n for _ in range(oracle.task.n_x)], axis=1)
