"""The two levels of a minimax problem, each handed to a one-player strategy; the only place where a sign changes."""

from collections.abc import Generator
from math import inf

from reckless.core.arrays import Array
from reckless.core.generators import relayed
from reckless.core.outcome import against_minimizer
from reckless.core.task import Pairs, Task
from reckless.strategies.enumeration import Enumeration
from reckless.strategies.strategy import Strategy

# Yields pairs to evaluate, receives their values, and returns the best point of one player with its value.
Leg = Generator[Pairs, Array, tuple[Array, float]]


class _NothingWorse(Exception):
    """An attack met +inf at this y: it is over."""

    def __init__(self, y: Array) -> None:
        self.y = y


def _deepest(Y: Array, scores: Array) -> Array:
    """Return the infinite y that is farthest from all others: x should leave their whole region, not just its rim."""
    from scipy.spatial import KDTree

    is_infinite, deepest = scores == -inf, 0
    if not is_infinite.all():
        distances, _ = KDTree(Y[~is_infinite]).query(Y[is_infinite])
        deepest = distances.argmax()
    found: Array = Y[is_infinite][deepest]
    return found


def maximize_over_y(task: Task, x: Array, strategy: Strategy, *, start: Array, n_evaluations: int) -> Leg:
    """Search the worst y for a given x; the value is NaN if nothing is known of any y.

    The search ends at the first value of +inf, since none is worse. If y is a finite list, that list is enumerated in
    place of the strategy's search.
    """
    if task.n_scenarios is not None:
        strategy = Enumeration(task.n_scenarios)

    def ask(Y: Array) -> Generator[Pairs, Array, Array]:
        values = yield x, Y
        scores = against_minimizer(-values)  # to maximize f, minimize -f
        if scores.min() == -inf:
            raise _NothingWorse(_deepest(Y, scores))
        return scores

    try:
        best = yield from relayed(strategy.search(start, n_evaluations, task.rng), ask)
    except _NothingWorse as found:
        return found.y, inf
    return best.point, -best.value


def minimize_over_x(task: Task, y: Array, strategy: Strategy, *, start: Array, n_evaluations: int) -> Leg:
    """Search the best x against a given y; the value is NaN if every evaluation failed."""

    def ask(X: Array) -> Generator[Pairs, Array, Array]:
        values = yield X, y
        return against_minimizer(values)

    best = yield from relayed(strategy.search(start, n_evaluations, task.rng), ask)
    return best.point, best.value
