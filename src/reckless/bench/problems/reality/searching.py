"""Worst cases of simulators: a dense sample of y, all vertices, then pattern searches from the best places apart."""

from collections.abc import Callable, Sequence
from functools import cache
from inspect import signature
from itertools import product

import numpy as np

from reckless.bench.problems.problem import Bounds, Objective, WorstCase
from reckless.core.arrays import Array

SOBOL_SEED = 20240607
TURN_SEED = 5  # of the random directions, anew for each pattern search
APART = 0.08  # starts of pattern searches differ by this in some coordinate of the unit cube
FIRST_STEP, LAST_STEP = 0.05, 1e-5
SURE = "CMA-ES on a working list of y, to which worst y were added, then on the referee"

One = Callable[[Array, Array], float]  # x (n_x,), y (n_y,)
Many = Callable[[Array, Array], Array]  # x (n_x,), Y (m, n_y) to values (m,)


def by_rows(one: One) -> Objective:
    """Make f on rows of a simulator that is given one pair at a time; it may neither keep nor change the rows."""

    def function(X: Array, Y: Array) -> Array:
        # Copies, so that compiled simulators see one memory layout.
        rows = zip(np.array(X, dtype=float, order="C"), np.array(Y, dtype=float, order="C"), strict=True)
        return np.array([one(x, y) for x, y in rows], dtype=float)

    return function


def against_many(one: One) -> Many:
    """Make f at one x against many y of a simulator that is given one pair at a time."""
    return lambda x, Y: np.array([one(x, y) for y in Y], dtype=float)


def searched(
    many: Many,
    y_bounds: Bounds,
    *,
    n_sobol: int,
    n_polish: int,
    n_steps: int = 400,
    extra: Callable[[], Array] | None = None,
) -> WorstCase:
    """Make the worst case of each row of X, by search over a box of y.

    many: f; failed pairs (NaN) are left out, and if all fail the worst case is infinite. n_sobol: size of the sample.
    n_polish: number of pattern searches; each ends after `n_steps` evaluations. extra: further y to look at.
    """
    low, high = np.array(y_bounds, dtype=float).T
    width, n = high - low, low.size

    def find(x: Array) -> tuple[float, Array]:
        def values(U: Array) -> Array:
            found = many(x, low + np.clip(U, 0.0, 1.0) * width)
            return np.where(np.isnan(found), -np.inf, found)

        U = np.vstack([vertices([(0.0, 1.0)] * n), _sobol(n_sobol, n)])
        if extra is not None:
            U = np.vstack([U, (extra() - low) / width])
        value, u = _climb(values, U, n_polish, n_steps)
        return value, low + u * width

    return by_x(find, n)


def by_x(find: Callable[[Array], tuple[float, Array]], n_y: int) -> WorstCase:
    """Make the worst case of rows of what finds (value, y) for one x."""

    def worst_case(X: Array) -> tuple[Array, Array]:
        found = [find(x) for x in np.array(X, dtype=float, order="C")]
        return np.array([value for value, _ in found]), np.array([y for _, y in found]).reshape(len(found), n_y)

    return worst_case


def vertices(box: Sequence[tuple[float, float]]) -> Array:
    return np.array(list(product(*box)), dtype=float)


def grid(box: Sequence[tuple[float, float]], n: int) -> Array:
    """Return a grid of n points per coordinate, as rows."""
    axes = [np.linspace(low, high, n) for low, high in box]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(box))


@cache
def _sobol(m: int, n: int) -> Array:
    if m == 0:
        return np.empty((0, n))
    from scipy.stats.qmc import Sobol

    keyword = "seed" if "seed" in signature(Sobol).parameters else "rng"  # with `rng`, SciPy draws another sample
    points: Array = Sobol(n, **{keyword: SOBOL_SEED}).random(m)
    return points


def _climb(values: Callable[[Array], Array], U: Array, n_polish: int, n_steps: int) -> tuple[float, Array]:
    """Return the highest value that pattern searches from the best of U (m, n) find, and its place."""
    V = values(U)
    best, place = float(V.max()), U[V.argmax()]
    if best == -np.inf:
        return np.inf, place
    for k in _peaks(U, V, n_polish):
        value, u = _pattern_search(values, U[k], float(V[k]), n_steps)
        if value > best:
            best, place = value, u
    return best, place


def _peaks(U: Array, V: Array, n_polish: int) -> list[int]:
    """Return the rows of the highest values that lie apart."""
    chosen: list[int] = []
    for k in np.argsort(-V)[: 40 * n_polish]:
        if len(chosen) < n_polish and all(np.abs(U[k] - U[j]).max() > APART for j in chosen):
            chosen.append(int(k))
    return chosen


def _pattern_search(values: Callable[[Array], Array], u: Array, value: float, n_steps: int) -> tuple[float, Array]:
    """Step along the axes and random directions to the best neighbor; halve the step where none is better."""
    rng, step, n_used = np.random.default_rng(TURN_SEED), FIRST_STEP, 0
    axes = np.vstack([np.eye(u.size), -np.eye(u.size)])
    while step > LAST_STEP and n_used < n_steps:
        turned, _ = np.linalg.qr(rng.standard_normal((u.size, u.size)))
        around = np.clip(u + step * np.vstack([axes, turned, -turned]), 0.0, 1.0)
        found = values(around)
        n_used += len(around)
        k = int(found.argmax())
        if found[k] > value:
            u, value = around[k], float(found[k])
        else:
            step *= 0.5
    return value, u
