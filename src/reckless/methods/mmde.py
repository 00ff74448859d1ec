"""MMDE: minimax differential evolution (Qiu, Xu, Xu and Tan 2017, A New Differential Evolution Algorithm for Solving
Minimax Optimization Problems in Robust Design)."""

from dataclasses import dataclass
from heapq import heapify, heapreplace
from typing import ClassVar

import numpy as np

from reckless.core.arguments import LARGEST_SIZE, keep, read_between, read_count
from reckless.core.arrays import Array
from reckless.core.outcome import against_minimizer
from reckless.core.task import Search, Series, Task
from reckless.errors import InvalidArgument
from reckless.methods.registry import Entry
from reckless.strategies.differential import distinct_rows, mutating
from reckless.strategies.kernels import differential_trials

LARGEST_SCALE = 2.0  # Storn and Price's range of F
BLOCK = 8  # trial points made in one call

Heap = list[tuple[float, int]]  # (f(x_i, y_i), i): smallest value first


@dataclass(frozen=True, slots=True, kw_only=True)
class MMDE:
    """Attack the most promising x until another looks better, and breed the promising ones in place of the worst.

    The pairs (x_i, y_i) form a heap by f(x_i, y_i), a lower bound of the worst case of x_i. Its root is therefore the
    most promising pair and the most doubtful one.

    population_size: number of pairs. n_boosts: attacks on the root per round, K_s in the paper. n_regenerated: pairs
    bred per round, T in the paper. scale, crossover_rate: F and CR of differential evolution.
    """

    handles: ClassVar[frozenset[str]] = frozenset({"extension"})
    population_size: int = 100
    n_boosts: int = 190
    n_regenerated: int = 10
    scale: float = 0.7
    crossover_rate: float = 0.5

    def __post_init__(self) -> None:
        keep(
            self,
            population_size=read_count(self.population_size, "population_size", 4, LARGEST_SIZE, example=100),
            n_boosts=read_count(self.n_boosts, "n_boosts", example=190),
            n_regenerated=read_count(self.n_regenerated, "n_regenerated", 0, example=10),
            scale=read_between(self.scale, "scale", 0.0, LARGEST_SCALE, "(]"),
            crossover_rate=read_between(self.crossover_rate, "crossover_rate", 0.0, 1.0),
        )
        if self.n_regenerated > self.population_size // 2:
            raise InvalidArgument(
                f"n_regenerated: expected at most half of population_size={self.population_size}, "
                f"but got {self.n_regenerated}."
            )

    def search(self, task: Task) -> Search:
        size = min(self.population_size, task.maxfev)
        X, Y = task.rng.random((size, task.n_x)), task.rng.random((size, task.n_y))
        values = against_minimizer((yield X, Y))
        heap: Heap = list(zip(values.tolist(), range(size), strict=True))
        heapify(heap)
        _recommend_root(task, X, Y, heap)
        for _ in task.rounds():
            yield from self._boost_bottom(task, X, Y, heap)
            yield from self._regenerate(task, X, Y, heap)
            _recommend_root(task, X, Y, heap)

    def _boost_bottom(self, task: Task, X: Array, Y: Array, heap: Heap) -> Search:
        """Attack the root with new y; a success raises its value, which may bring another pair to the root."""
        n_boosts = min(self.n_boosts, task.n_left)
        donors = distinct_rows(n_boosts, 4, len(Y), task.rng)
        mutations = mutating(n_boosts, task.n_y, self.crossover_rate, task.rng)
        trials = np.empty((n_boosts, task.n_y))
        n_done = 0
        while n_done < n_boosts:
            value, root = heap[0]
            n_made = min(n_done + BLOCK, n_boosts)  # several at once, which hold until an attack succeeds
            differential_trials(Y, root, donors, mutations, self.scale, n_done, n_made, trials)
            values = yield Series(X[root], trials[n_done:n_made], value)
            n_done += len(values)
            attacked = values.item(-1)
            if attacked > value:
                Y[root] = trials[n_done - 1]
                heapreplace(heap, (attacked, root))

    def _regenerate(self, task: Task, X: Array, Y: Array, heap: Heap) -> Search:
        """Breed from the best x, give each child a random y, and let the children replace the worst pairs."""
        n_children = min(self.n_regenerated, task.n_left)
        if n_children == 0:
            return
        heap.sort()
        best = np.array([i for _, i in heap[:n_children]])
        worst = np.array([i for _, i in heap[-n_children:]])
        first, second = distinct_rows(n_children, 2, len(X), task.rng).T
        mutants = np.clip(X[best] + self.scale * (X[first] - X[second]), 0.0, 1.0)
        takes = mutating(n_children, task.n_x, self.crossover_rate, task.rng)
        children = np.where(takes, mutants, X[best])
        scenarios = task.rng.random((n_children, task.n_y))
        values = against_minimizer((yield children, scenarios))
        X[worst], Y[worst] = children, scenarios
        heap[-n_children:] = zip(values.tolist(), worst.tolist(), strict=True)
        heapify(heap)


def _recommend_root(task: Task, X: Array, Y: Array, heap: Heap) -> None:
    value, root = heap[0]
    if value < np.inf:
        task.recommend(X[root], Y[root], value)


ENTRIES = {"mmde": Entry(MMDE, "differential evolution that attacks the most promising x", "Qiu et al. 2017")}
