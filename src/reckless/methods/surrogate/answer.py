"""Which of the evaluated x is the answer: the one with the lowest worst case, measured or feared."""

from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.surrogate.archive import Places
from reckless.methods.surrogate.climbing import across, crossed, joined
from reckless.methods.surrogate.knowledge import Knowledge
from reckless.methods.surrogate.saddle import counted, dangers, maximizers, scan

FEAR = 1.0  # standard deviations by which the model's mean may be too low
MOST_COMPARED = 40
LIKELY, LIKELY_ENOUGH = 0.0, -3.0  # latents: f more likely fails than not; it may fail
NEAR = 0.05  # a y this close to a tried one says nothing new about failing
HANDICAP_UNTRIED, HANDICAP_FAILED = 1, 2  # ranks behind every x without a handicap


class Answer(NamedTuple):
    """An evaluated x, the y of the highest value there, and that value (a model's mean if values are noisy)."""

    x: Array
    y: Array
    fun: float


def best_answer(known: Knowledge, found: Array, is_noisy: bool, leader: Answer | None = None) -> Answer | None:
    """Return the x with the lowest worst case: the higher of what was measured and what the model fears.

    found: maximizers of the mean near the minimax, which candidates for y should include. leader: an answer that gives
    way only to an x that is better than its own worst case without fear, so that it is not lost to a change of model.
    """
    places = known.archive.places()
    if not len(places.X):
        return None
    if known.model is None:
        i = int(places.worst.argmin())
        return Answer(places.X[i], known.archive.Y[places.rows[i]], float(places.worst[i]))
    handicaps = handicaps_of(known, places)
    measured = measured_levels(known, places, is_noisy)
    likely = np.maximum(measured, across(known.model, places.X, found).max(axis=1)) if len(found) else measured
    order = np.lexsort((likely, handicaps))[:MOST_COMPARED]  # by what was measured alone, x that met no bad y lead
    worst = np.vstack([known.archive.Y[places.rows[order]], found])
    least = np.maximum(measured[order], least_feared(known, places.X[order], worst))
    best, best_score = int(order[0]), (np.inf, np.inf)
    for n in np.lexsort((least, handicaps[order])).tolist():
        i = int(order[n])
        if (handicaps[i], least[n]) >= best_score:
            break
        feared = feared_level(known, places.X[i], known.archive.Y[places.rows[i]], found, best_score[1])
        score = handicaps[i], max(least[n], feared)
        if score < best_score:
            best, best_score = i, score
    if leader is not None:
        mine = int((leader.x == places.X).all(axis=1).argmax())
        unafraid = feared_level(known, leader.x, leader.y, found, np.inf, fear=0.0)
        if (handicaps[mine], max(measured[mine], unafraid)) <= best_score:
            best = mine
    x, row = places.X[best], int(places.rows[best])
    fun = float(places.worst[best])
    if is_noisy and np.isfinite(fun):
        row, fun = highest_mean(known, x)
    return Answer(x, known.archive.Y[row], fun)


def least_feared(known: Knowledge, X: Array, Y: Array) -> Array:
    """Return what the highest mean + FEAR sd is at least, at each row of X, by the y of Y with the highest mean."""
    arena = known.arena
    if arena.ys.points is not None or arena.veto is not None:
        return np.full(len(X), -np.inf)
    means = across(arena.model, X, Y)
    level: Array = means.max(axis=1) + FEAR * arena.model.sd(np.hstack([X, Y[means.argmax(axis=1)]]))
    return level


def feared_level(known: Knowledge, x: Array, y: Array, found: Array, enough: float, fear: float = FEAR) -> float:
    """Return the highest mean + fear sd at x; a lower bound of it suffices if that is at least `enough`."""
    arena = known.arena
    Y = known.net if arena.ys.points is not None else np.vstack([known.net, found, y[None]])
    Q = joined(x, Y)
    mean = counted(arena, x, Y, arena.model.mean(Q))
    if mean.max() >= enough:
        return float(mean.max())
    feared = float((mean + fear * arena.model.sd(Q)).max())
    if arena.ys.points is None and feared < enough:
        feared = max(feared, float(maximizers(arena, x, y[None], 3).levels[0]))
    return feared


def measured_levels(known: Knowledge, places: Places, is_noisy: bool) -> Array:
    """Return the highest level measured at each x; of noisy values, the highest mean of the model."""
    model, archive = known.model, known.archive
    assert model is not None
    levels: Array = model.level(np.clip(places.worst, known.fitted.min(), known.fitted.max()))
    if is_noisy:
        smooth = np.full(len(archive.v), -np.inf)
        smooth[archive.is_good] = model.mean(archive.Q[archive.is_good])
        levels = np.array([smooth[archive.at(x)].max() for x in places.X])
    return levels


def highest_mean(known: Knowledge, x: Array) -> tuple[int, float]:
    """Return the row of the pair at x with the highest mean of the model, and that mean as a value."""
    assert known.model is not None
    rows = np.flatnonzero(known.archive.at(x) & known.archive.is_good)
    means = known.model.mean(known.archive.Q[rows])
    top = int(means.argmax())
    return int(rows[top]), float(known.model.value(means[top]))


# Failures


def handicaps_of(known: Knowledge, places: Places) -> Array:
    """Return how far failures set each x back."""
    cost = np.where(np.isinf(places.worst), HANDICAP_FAILED, 0)
    arena = known.arena
    if arena.guard is not None:
        clean = np.flatnonzero(cost == 0)
        for i in clean[scan(arena.guard, places.X[clean], known.net) > LIKELY] if len(clean) else clean:
            cost[i] = HANDICAP_UNTRIED if untried_danger(known, places.X[i], LIKELY) is not None else 0
    if arena.veto is not None:
        fails = arena.veto.mean(crossed(places.X, known.net)) > LIKELY
        cost[fails.reshape(len(places.X), -1).mean(axis=1) > 0.5] = HANDICAP_FAILED
    return cost


def untried_danger(known: Knowledge, x: Array, least: float = LIKELY_ENOUGH) -> Array | None:
    """Return the y most likely to fail at x, if it may and nothing close was tried there; else None."""
    archive = known.archive
    tops = dangers(known.arena, x, archive.Y[:0])
    y, latent = tops.Y[0], tops.levels[0]
    tried = archive.Y[archive.at(x)]
    gap = 0.0 if known.ys.points is not None else NEAR
    is_tried = len(tried) > 0 and np.abs(tried - y).max(axis=1).min() <= gap
    return None if latent <= least or is_tried else y
