"""The two levels of a minimax problem, each handed to a one-player strategy; the only place where a sign changes."""

from collections.abc import Generator

from reckless.core.arrays import Array
from reckless.core.failures import against_minimizer
from reckless.core.task import Pairs, Task
from reckless.strategies.enumeration import Enumeration
from reckless.strategies.strategy import Strategy

# Yields pairs to evaluate, receives their values, and returns the best point of one player with its value.
Leg = Generator[Pairs, Array, tuple[Array, float]]


def maximize_over_y(
    task: Task,
    x: Array,
    strategy: Strategy,
    *,
    start: Array,
    n_evaluations: int,
) -> Leg:
    """Search the worst y for a given x; the value is NaN if every evaluation failed.

    If y is a finite list, that list is enumerated in place of the strategy's search.
    """
    if task.n_scenarios is not None:
        strategy = Enumeration(task.n_scenarios)
    descent = strategy.search(start, n_evaluations, task.rng)
    try:
        Y = next(descent)
        while True:
            values = yield x, Y
            Y = descent.send(against_minimizer(-values))  # here, to minimize -f is to maximize f
    except StopIteration as end:
        return end.value.point, -end.value.value


def minimize_over_x(task: Task, y: Array, strategy: Strategy, *, start: Array, n_evaluations: int) -> Leg:
    """Search the best x against a given y; the value is NaN if every evaluation failed."""
    descent = strategy.search(start, n_evaluations, task.rng)
    try:
        X = next(descent)
        while True:
            values = yield X, y
            X = descent.send(against_minimizer(values))
    except StopIteration as end:
        return end.value.point, end.value.value
