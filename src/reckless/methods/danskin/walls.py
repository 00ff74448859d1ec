"""Where f fails: a plane between x and the points that failed keeps steps on the side that works."""

import numpy as np

from reckless.core.arrays import Array
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
