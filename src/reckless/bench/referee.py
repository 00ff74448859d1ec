"""The referee: how bad the answer of a run really is, measured apart from the run and on a meter of its own.

Where a problem has a closed-form worst case or brings a search of its own, that is the measure. A list of y is tried in
full. Elsewhere it is the largest value that several searches find: the paper's ensemble of basin-hopping, differential
evolution and CMA-ES, and for a single y a dense grid. Such a worst case is a lower bound, so a regret may come out
negative; it is reported as measured.
"""

import inspect
from collections.abc import Callable
from math import nan
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import basinhopping, differential_evolution

from reckless.bench.problems import Problem
from reckless.core.arrays import Array
from reckless.core.generators import answered
from reckless.domains.domain import Domain
from reckless.evaluation.objective import read_value, read_values
from reckless.strategies.restarts import BIPOP

GRID_SIZE = 20_001  # points of the dense grid over a single y
N_POLISHED = 8  # peaks of the grid that are climbed to the top
CMA_EVALUATIONS = 5_000  # per coordinate of y
ROWS_AT_ONCE = 256  # closed forms of the filter need some 100 kB per row

Loss = Callable[[Array], Array]  # rows (m, n_y) of the unit cube to minus f (m,)


class Judgment(NamedTuple):
    """What the referee says of one answer: as the fields of the same names in `Record`."""

    worst_case: float
    mse: float
    inner_gap: float


def judge(problem: Problem, x: Array, estimate: float, rng: np.random.Generator) -> Judgment:
    """Measure the answer x (n_x,) of a method that believes its worst case to be `estimate`.

    `rng` is only drawn from where the problem has no closed-form worst case.
    """
    if problem.worst_case is None:
        value, _ = ensemble_worst_case(problem, x, rng)
    else:
        value = float(exact_worst_cases(problem, x[None, :])[0])
    known = problem.optimum
    mse = nan if known is None else float(np.mean((x - np.array(known.x)) ** 2))
    return Judgment(worst_case=value, mse=mse, inner_gap=value - estimate)


def exact_worst_cases(problem: Problem, X: Array) -> Array:
    """Return the closed-form worst case (m,) of every row of X (m, n_x), for a problem that has one."""
    assert problem.worst_case is not None
    size = ROWS_AT_ONCE if problem.vectorized else 1
    values = np.empty(len(X))
    with np.errstate(all="ignore"):  # a pole of the filter has the worst case inf, and says so by its value
        for start in range(0, len(X), size):
            rows = X[start : start + size]
            answer = problem.worst_case(rows if problem.vectorized else rows[0])
            found = answer[0] if isinstance(answer, tuple) else answer
            values[start : start + size] = found if problem.vectorized else read_value(found)
    return values


def history_worst_cases(problem: Problem, X: Array) -> Array:
    """Return the worst case of every row of X (m, n_x); empty without a closed form: too costly."""
    if problem.worst_case is None or not problem.is_exact:
        return np.empty(0)
    return exact_worst_cases(problem, X)


def ensemble_worst_case(problem: Problem, x: Array, rng: np.random.Generator) -> tuple[float, Array]:
    """Search the worst case of x (n_x,); return the largest value found and its y (n_y,).

    A list of y is tried in full, any other set is searched by the paper's ensemble. A y at which f is NaN is the worst
    case, and its value infinity: so a run takes it.
    """
    domain, failed = problem.y_domain, list[Array]()

    def loss(U: Array) -> Array:
        """Return minus f: all searches minimize."""
        Y = domain.rows(U, len(U))
        values = -_evaluated(problem, np.repeat(x[None, :], len(U), axis=0), Y)
        is_nan = np.isnan(values)
        failed.extend(Y[is_nan][:1])
        return np.where(is_nan, np.inf, values)

    with np.errstate(all="ignore"):
        found = _candidates(domain, loss, rng)
        best = found[int(loss(found).argmin())]
        value = float(-loss(best[None, :])[0])  # alone: among other rows it may differ in its last digit
    if failed:
        return np.inf, failed[0]
    return value, domain.from_unit(best)


def _evaluated(problem: Problem, X: Array, Y: Array) -> Array:
    """Return f of rows, whichever way the problem takes them."""
    if problem.vectorized:
        return read_values(problem.function(X, Y), len(X), "f")
    return np.array([read_value(problem.function(x, y)) for x, y in zip(X, Y, strict=True)])


def _candidates(domain: Domain, loss: Loss, rng: np.random.Generator) -> Array:
    """Return points (k, n) of the unit cube of which one is the worst: all of a list, or what the searches find."""
    if domain.n_scenarios is not None:
        return ((np.arange(domain.n_scenarios) + 0.5) / domain.n_scenarios)[:, None]
    searches = [_hop, _evolve, _adapt, *([_scan] if domain.n == 1 else [])]
    return np.array([search(loss, domain.n, rng) for search in searches])


def _hop(loss: Loss, n: int, rng: np.random.Generator) -> Array:
    """Run SciPy's basin-hopping with default settings, restricted to the unit cube."""
    found = basinhopping(
        lambda u: float(loss(np.clip(u, 0.0, 1.0)[None, :])[0]),
        rng.random(n),
        minimizer_kwargs={"method": "L-BFGS-B", "bounds": [(0.0, 1.0)] * n},
        take_step=_Step(rng),
        **_random(basinhopping, rng),
    )
    return np.clip(np.asarray(found.x, dtype=np.float64), 0.0, 1.0)


class _Step:
    """A step of basin-hopping that stays in the unit cube; SciPy adapts `stepsize`."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng, self.stepsize = rng, 0.5

    def __call__(self, point: Array) -> Array:
        step = self._rng.uniform(-self.stepsize, self.stepsize, point.size)
        return np.clip(point + step, 0.0, 1.0)


def _evolve(loss: Loss, n: int, rng: np.random.Generator) -> Array:
    """Run SciPy's differential evolution with default settings, a generation at a time."""
    found = differential_evolution(
        lambda U: loss(np.ascontiguousarray(np.atleast_2d(U.T))) if U.ndim == 2 else loss(U[None, :])[0],
        [(0.0, 1.0)] * n,
        vectorized=True,
        updating="deferred",
        **_random(differential_evolution, rng),
    )
    return np.clip(np.asarray(found.x, dtype=np.float64), 0.0, 1.0)


def _adapt(loss: Loss, n: int, rng: np.random.Generator) -> Array:
    """Run BIPOP-CMA-ES from a random point."""
    descent = BIPOP(max_restarts=5).search(rng.random(n), CMA_EVALUATIONS * n, rng)
    return answered(descent, loss).point


def _scan(loss: Loss, n: int, rng: np.random.Generator) -> Array:
    """Scan the only y by a dense grid, and search between the neighbors of its best peaks."""
    grid = np.linspace(0.0, 1.0, GRID_SIZE)
    losses = loss(grid[:, None])
    padded = np.concatenate(([np.inf], losses, [np.inf]))
    peaks = np.flatnonzero((losses <= padded[:-2]) & (losses <= padded[2:]))
    best = grid[int(losses.argmin())], float(losses.min())
    for k in peaks[losses[peaks].argsort(kind="stable")][:N_POLISHED]:
        low, high = grid[max(k - 1, 0)], grid[min(k + 1, GRID_SIZE - 1)]
        for _ in range(8):  # each pass narrows the interval fortyfold, down to adjacent floats
            fine = np.linspace(low, high, 81)
            values = loss(fine[:, None])
            j = int(values.argmin())
            if values[j] < best[1]:
                best = fine[j], float(values[j])
            low, high = fine[max(j - 1, 0)], fine[min(j + 1, 80)]
    return np.array([best[0]])


def _random(function: Callable[..., Any], rng: np.random.Generator) -> dict[str, np.random.Generator]:
    """Return the keyword for random numbers, which SciPy called `seed` before it was `rng`."""
    return {"rng" if "rng" in inspect.signature(function).parameters else "seed": rng}
