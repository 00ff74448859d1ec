"""Coevolution of a population of x and a population of y (Al-Dujaili et al. 2018, Algorithms 1 and 2).

In a table of values row i belongs to X[i] and column j to Y[j]. On either side a smaller score is better: the score of
x_i is its largest value, that of y_j is minus its smallest value.
"""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from math import isqrt

import numpy as np

from reckless.core.arguments import LARGEST_SIZE, keep, read_between, read_count
from reckless.core.arrays import Array
from reckless.core.outcome import against_maximizer, against_minimizer
from reckless.core.task import Pairs, Search, Task
from reckless.methods.registry import Entry

LARGEST_TOURNAMENT = 1000  # all its entrants are drawn at once, for every child
LARGEST_SCALE = 1000.0  # in widths of the box: every mutant is on its boundary by then


@dataclass(frozen=True, slots=True, kw_only=True)
class _Coevolution:
    """Parameters and operators of both algorithms.

    population_size: individuals on either side. n_replaced: how many of them may be replaced per generation.
    tournament_size: how many compete to become a parent. mutation_rate: probability that a coordinate mutates.
    mutation_scale: standard deviation of a mutation, as a part of the box's width; the default is that of the
    published runs, which throws most mutants onto the boundary.
    """

    population_size: int = 10
    n_replaced: int = 2
    tournament_size: int = 2
    mutation_rate: float = 0.9
    mutation_scale: float = 1.0

    def __post_init__(self) -> None:
        keep(
            self,
            population_size=read_count(self.population_size, "population_size", largest=LARGEST_SIZE, example=10),
            n_replaced=read_count(self.n_replaced, "n_replaced", largest=LARGEST_SIZE, example=2),
            tournament_size=read_count(self.tournament_size, "tournament_size", largest=LARGEST_TOURNAMENT, example=2),
            mutation_rate=read_between(self.mutation_rate, "mutation_rate", 0.0, 1.0),
            mutation_scale=read_between(self.mutation_scale, "mutation_scale", 0.0, LARGEST_SCALE, "(]"),
        )

    def _offspring(self, parents: Array, scores: Array, rng: np.random.Generator) -> Array:
        """Select parents by tournaments, mutate them by Gaussian steps, and clip them to the unit cube."""
        size = len(parents)
        entrants = rng.integers(size, size=size * self.tournament_size).reshape(size, -1)
        children = parents[entrants[np.arange(size), scores[entrants].argmin(axis=1)]]
        mutates = rng.random(children.shape) < self.mutation_rate
        children += mutates * rng.normal(scale=self.mutation_scale, size=children.shape)
        mutants: Array = np.minimum(np.maximum(children, 0.0), 1.0)  # a third of the time of `clip`
        return mutants

    def _exchanges(self, old_scores: Array, new_scores: Array) -> Iterator[tuple[int, int]]:
        """Pair the worst old individuals with the best new ones, as long as the new one is better."""
        worst, best = np.argsort(-old_scores, kind="stable"), np.argsort(new_scores, kind="stable")
        for old, new in zip(worst[: self.n_replaced].tolist(), best.tolist(), strict=False):
            if new_scores[new] < old_scores[old]:
                yield old, new


class CoevolutionAlternating(_Coevolution):
    """Let the two populations take turns: new x against the old y, then new y against the x that remain."""

    __slots__ = ()

    def search(self, task: Task) -> Search:
        size = min(self.population_size, isqrt(task.maxfev))
        X, Y = task.rng.random((size, task.n_x)), task.rng.random((size, task.n_y))  # lines 1-4
        values = yield from _table(X, Y)
        _recommend(task, X, Y, values)
        for turn in task.rounds((task.maxfev - size * size) // (size * size)):  # lines 6-9
            if turn % 2 == 0:
                scores = _x_scores(values)
                X_new = self._offspring(X, scores, task.rng)  # lines 10-11
                values_new = yield from _table(X_new, Y)  # line 12
                for old, new in self._exchanges(scores, _x_scores(values_new)):  # lines 13-16
                    X[old], values[old] = X_new[new], values_new[new]
            else:
                scores = _y_scores(values)
                Y_new = self._offspring(Y, scores, task.rng)  # lines 18-19
                values_new = yield from _table(X, Y_new)  # line 20
                for old, new in self._exchanges(scores, _y_scores(values_new)):  # lines 21-24
                    Y[old], values[:, old] = Y_new[new], values_new[:, new]
            _recommend(task, X, Y, values)  # line 26


class CoevolutionParallel(_Coevolution):
    """Let both populations change at once: new x and new y are judged against each other."""

    __slots__ = ()

    def search(self, task: Task) -> Search:
        size = min(self.population_size, isqrt(task.maxfev))
        X, Y = task.rng.random((size, task.n_x)), task.rng.random((size, task.n_y))  # lines 1-4
        values = yield from _table(X, Y)
        _recommend(task, X, Y, values)
        for _ in task.rounds((task.maxfev - size * size) // (2 * size * size)):  # lines 6-9
            x_scores, y_scores = _x_scores(values), _y_scores(values)
            X_new = self._offspring(X, x_scores, task.rng)  # lines 10, 12
            Y_new = self._offspring(Y, y_scores, task.rng)  # lines 11, 13
            values_new = yield from _table(X_new, Y_new)  # line 14
            for old, new in self._exchanges(x_scores, _x_scores(values_new)):  # lines 15-17
                X[old] = X_new[new]
            for old, new in self._exchanges(y_scores, _y_scores(values_new)):  # lines 18-21
                Y[old] = Y_new[new]
            values = yield from _table(X, Y)  # lines 7-8 need the values of the new populations
            _recommend(task, X, Y, values)  # line 25


def _table(X: Array, Y: Array) -> Generator[Pairs, Array, Array]:
    """Evaluate every x against every y: values (len(X), len(Y))."""
    values = yield X.repeat(len(Y), axis=0), np.concatenate([Y] * len(X))
    return values.reshape(len(X), len(Y)).copy()


def _x_scores(values: Array) -> Array:
    worst: Array = against_minimizer(values.ravel()).reshape(values.shape).max(axis=1)
    return worst


def _y_scores(values: Array) -> Array:
    least: Array = against_maximizer(values.ravel()).reshape(values.shape).min(axis=0)
    return -least


def _recommend(task: Task, X: Array, Y: Array, values: Array) -> None:
    """Recommend the x with the smallest worst case within the populations."""
    scores = _x_scores(values)
    i = scores.argmin()
    if scores[i] < np.inf:
        j = values[i].argmax()
        task.recommend(X[i], Y[j], values[i, j])


_PAPER = "Al-Dujaili et al. 2018"
ENTRIES = {
    "coevolution-alternating": Entry(CoevolutionAlternating, "populations of x and y take turns", _PAPER),
    "coevolution-parallel": Entry(CoevolutionParallel, "populations of x and y change at once", _PAPER),
}
