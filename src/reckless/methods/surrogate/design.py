"""The first pairs of a run: an even sample of the pair (x, y)."""

import numpy as np
from scipy.stats import qmc

from reckless.core.arrays import Array
from reckless.core.task import Task
from reckless.methods.surrogate.spaces import Space, on_lattice

HURRIED = 35  # evaluations up to which a run begins with less, and neither explores nor doubts its model
N_LATIN = 30  # Latin hypercubes, of which the most even is taken


def first_design(task: Task, xs: Space, ys: Space) -> tuple[Array, Array]:
    """Return the first pairs: an even sample of the pair, a list of y in random order; of shares first the center."""
    n_more = 2 if task.first_maxfev <= HURRIED else 4
    n = min(n_more + xs.d + ys.d, max(2, task.first_maxfev // 2), task.first_maxfev)
    cube = latin_hypercube(task.rng, n, xs.n + ys.n)
    X, Y = on_lattice(xs, xs.spread(cube[:, : xs.n])), on_lattice(ys, ys.spread(cube[:, xs.n :]))
    if xs.total is not None:
        X[0] = xs.corners()[-1]
    if task.starts is not None and task.starts.pairs is not None:  # what is known replaces up to half of the design
        n_known = min(len(task.starts.pairs[2]), n // 2)
        X, Y = X[n_known:], Y[n_known:]
    elif task.starts is not None:
        n_x, n_y = min(n, len(task.starts.x)), min(n, len(task.starts.y))
        X[:n_x], Y[:n_y] = xs.from_cube(task.starts.x[:n_x]), ys.from_cube(task.starts.y[:n_y])
    return X, Y


def latin_hypercube(rng: np.random.Generator, n: int, d: int) -> Array:
    """Return n points (n, d), one in each of n slices of every coordinate: the most even of several draws."""
    draws = [np.argsort(rng.random((n, d)), axis=0) + rng.random((n, d)) for _ in range(N_LATIN)]
    best: Array = min((draw / n for draw in draws), key=qmc.discrepancy)
    return best
