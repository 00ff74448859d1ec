"""Minimax over a finite list of y, by exchange: descend against the few scenarios that matter, then look for another.

The idea is Remez's, for minimax problems that of Blankenship and Falk (1976, Infinitely constrained optimization
problems): the worst case over a subset is a lower bound, and the worst scenario of its minimizer either belongs to the
subset, and then the bound is met, or joins it.
"""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from reckless.core.arguments import keep, read_between, read_count
from reckless.core.arrays import Array
from reckless.core.generators import relayed
from reckless.core.outcome import against_minimizer
from reckless.core.task import Agreement, Pairs, Recommendation, Search, Task
from reckless.methods.levels import maximize_over_y
from reckless.strategies.cma import CMAES
from reckless.strategies.enumeration import Enumeration
from reckless.strategies.strategy import Best


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioDescent:
    """Descend by CMA-ES on the worst case over the active scenarios; attack the x found; make its worst one active.

    A list of at most `attack_share` of the budget is always tried in full, so that the estimate of the x recommended is
    its exact worst case. Of a longer list every attack tries that part, mostly neighbors of the worst ones.

    n_scenarios: length of the list. attack_share: part of the budget that one attack may take.
    """

    n_scenarios: int
    attack_share: float = 0.1

    def __post_init__(self) -> None:
        keep(
            self,
            n_scenarios=read_count(self.n_scenarios, "n_scenarios"),
            attack_share=read_between(self.attack_share, "attack_share", 0.0, 1.0, "(]"),
        )

    def search(self, task: Task) -> Search:
        enumeration = Enumeration(self.n_scenarios)
        n_attack = min(self.n_scenarios, max(10, int(self.attack_share * task.maxfev)))
        x, y, sigma, n_points = task.random_x(), task.random_y(), 0.25, 50 * (task.n_x + 1)
        active = np.empty((0, 1))  # scenarios, as points of the unit interval
        is_whole = False  # whether the descent to x had all its points
        task.agreement = Agreement(0, 0)
        for _ in task.rounds():
            if task.n_left < n_attack and task.recommendation is not None:
                return  # half an attack would flatter x
            n_evaluations = min(n_attack, task.n_left)
            y, worst = yield from maximize_over_y(task, x, enumeration, start=y, n_evaluations=n_evaluations)
            before, is_met = task.recommendation, bool(np.any(active == y))
            task.recommend_if_better(x, y, worst)
            _settle(task, x, before, has_ended=is_whole and is_met)
            if np.isnan(worst) or (worst == np.inf and is_met):  # leave an x around which everything fails
                x, sigma = task.random_x(), 0.25
                continue
            if not is_met:
                active = np.vstack((active, y))
                sigma = max(0.6 * sigma, 0.02)  # the next minimizer is the less far away, the more are active
                if task.recommendation is not None and worst > task.recommendation.fun:
                    x, worst = task.recommendation.x, task.recommendation.fun
            elif sigma > 1e-3:  # the bound is met as far as the descent went: refine
                sigma, n_points = 0.2 * sigma, 2 * n_points
            else:
                x, worst, sigma, n_points = task.random_x(), np.inf, 0.25, 50 * (task.n_x + 1)
            has_room = task.n_left - n_attack >= n_points * len(active)
            is_whole = has_room or (task.settled is True and _is_recommended(task, x))  # then x is only refined
            best = yield from _descend(task, x, active, CMAES(sigma=sigma), n_points, n_attack)
            if best.n_used and np.isnan(best.value) and worst == np.inf:  # leave an x around which all is infinite
                x, sigma, is_whole = task.random_x(), 0.25, False
            elif best.value < worst:
                x = best.point


def _settle(task: Task, x: Array, before: Recommendation | None, *, has_ended: bool) -> None:
    """Say whether the recommended x is settled after an attack on x; `has_ended` tells of the descent to x."""
    is_still = task.settled is True and task.recommendation is before
    task.settled = is_still or (has_ended and _is_recommended(task, x))


def _is_recommended(task: Task, x: Array) -> bool:
    return task.recommendation is not None and np.array_equal(x, task.recommendation.x)


def _descend(
    task: Task, x: Array, active: Array, strategy: CMAES, n_points: int, n_kept: int
) -> Generator[Pairs, Array, Best]:
    """Minimize over x the worst case over the active scenarios; `n_kept` evaluations are left for an attack."""
    m = len(active)
    n_points = min(n_points, (task.n_left - n_kept) // m)
    if n_points <= 0:
        return Best(x, np.nan, 0)

    def ask(X: Array) -> Generator[Pairs, Array, Array]:
        values = yield np.repeat(X, m, axis=0), np.tile(active, (len(X), 1))
        worst: Array = against_minimizer(values).reshape(-1, m).max(axis=1)
        return worst

    return (yield from relayed(strategy.search(x, n_points, task.rng), ask))
