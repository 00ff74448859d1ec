"""The certificate: attack a given x again, by searches that know nothing of the run that proposed it."""

from collections.abc import Generator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from reckless.core.arguments import read_count, read_point, read_rng
from reckless.core.arrays import Array
from reckless.core.box import BoundsLike, Box
from reckless.core.evaluator import Evaluator, Objective
from reckless.core.failures import against_maximizer
from reckless.core.result import WorstCase
from reckless.core.task import Pairs, Task
from reckless.methods.levels import maximize_over_y
from reckless.strategies.differential import DifferentialEvolution
from reckless.strategies.restarts import BIPOP
from reckless.strategies.strategy import Strategy

MAX_SEARCHES = 8  # restarted CMA-ES searches, each from a start of its own


class Attack(NamedTuple):
    """What one independent search found: its worst y and the value there, NaN if all its evaluations failed."""

    y: Array
    value: float


def worst_case(
    f: Objective,
    x: Any,
    y_bounds: BoundsLike,
    *,
    maxfev: int = 20_000,
    rng: Any = None,
    vectorized: bool = False,
) -> WorstCase:
    """Measure how bad a given x can really get: an independent search for the y that maximizes f(x, y).

    Vertices of the box, differential evolution and several restarted CMA-ES searches each get a part of `maxfev`. How
    many of them arrive at the same value tells how far the answer can be trusted.

    Parameters
    ----------
    f, y_bounds, maxfev, rng, vectorized
        As for `minimax`.
    x : array_like, shape (n_x,)
        The design to attack.

    Returns
    -------
    WorstCase
        ``y`` and ``fun`` = f(x, y), the worst case found; ``nfev``; ``n_agreed`` of ``n_starts`` searches found it.

    Examples
    --------
    >>> import reckless
    >>> check = reckless.worst_case(lambda x, y: x[0] * y[0], [2.0], [(-1, 3)], maxfev=500, rng=1)
    >>> check.fun, check.y.item()
    (6.0, 3.0)
    """
    evaluate = Evaluator(f, vectorized=vectorized)
    x = read_point(x, None, "x")
    box = Box.parse(y_bounds, "y_bounds")
    task = Task(x.size, box.n, read_count(maxfev, "maxfev"), read_rng(rng))
    lowest = np.inf
    attacks = _attacks(task)
    try:
        _, Y = next(attacks)
        while True:
            rows = box.rows(Y, len(Y))
            values = evaluate(np.repeat(x[None, :], len(rows), axis=0), rows)
            task.n_used += len(values)
            task.n_failed += int(np.isnan(values).sum())
            lowest = np.fmin(lowest, np.fmin.reduce(values))
            _, Y = attacks.send(values)
    except StopIteration as end:
        return _verdict(task, box, end.value, lowest)


def _attacks(task: Task) -> Generator[Pairs, Array, list[Attack]]:
    """Run the independent searches one after the other; x is fixed, so its place in the pairs is empty."""
    nobody = np.empty(0)
    found = [(yield from _vertices(task, nobody))]
    n_searches = min(MAX_SEARCHES, max(1, task.n_left // (200 * task.n_y)))
    for k in range(n_searches + 1):
        strategy: Strategy = DifferentialEvolution() if k == 0 else BIPOP()
        # The first search over the vertices' best, all others from points of their own.
        start = found[0].y if k == 1 else task.random_y()
        n_evaluations = task.n_left // (n_searches + 1 - k)
        if n_evaluations > 0:
            found.append(
                Attack(*(yield from maximize_over_y(task, nobody, strategy, start=start, n_evaluations=n_evaluations)))
            )
    return found


def _vertices(task: Task, nobody: Array) -> Generator[Pairs, Array, Attack]:
    """The best vertex: of all if they take at most a quarter of the budget, else of a random tenth."""
    if task.n_y < 60 and 2**task.n_y <= task.maxfev // 4:
        Y = np.array(list(product((0.0, 1.0), repeat=task.n_y)))
    else:
        Y = task.rng.integers(2, size=(max(1, min(task.maxfev // 10, 1000)), task.n_y)).astype(np.float64)
    values = against_maximizer((yield nobody, Y))
    k = values.argmax()
    return Attack(Y[k], float(values[k]) if values[k] > -np.inf else np.nan)


def _verdict(task: Task, box: Box, attacks: list[Attack], lowest: float) -> WorstCase:
    values = np.array([attack.value for attack in attacks])
    if np.all(np.isnan(values)):
        y, fun, n_agreed = attacks[0].y, np.nan, 0
        message = "No evaluation returned a number, so the worst case is unknown."
    else:
        y, fun = attacks[int(np.nanargmax(values))]
        n_agreed = int(np.sum(values >= fun - 1e-6 * (fun - lowest)))
        message = f"{n_agreed} of {len(attacks)} independent searches arrived at this worst case."
        if 3 * n_agreed < len(attacks):
            message += " So few agree that a worse one may exist: repeat with a larger maxfev."
    return WorstCase(
        y=box.from_unit(y),
        fun=fun,
        nfev=task.n_used,
        n_starts=len(attacks),
        n_agreed=n_agreed,
        n_failed=task.n_failed,
        success=n_agreed > 0,
        message=message,
    )
