"""Differential evolution, DE/rand-to-best/1/bin with dithered scale (Storn and Price 1997; Das et al. 2005)."""

from dataclasses import dataclass

import numpy as np

from reckless.core.arrays import Array, Flags, Indices
from reckless.strategies import kernels
from reckless.strategies.strategy import Best, Descent


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferentialEvolution:
    """Recombine a population by the differences of its members; slow, but hard to deceive.

    population_size: 10 n, at least 20 and at most 100, if None. crossover_rate: share of mutated coordinates.
    """

    population_size: int | None = None
    crossover_rate: float = 0.8

    def search(self, start: Array, n_evaluations: int, rng: np.random.Generator) -> Descent:
        n = start.size
        size = min(self.population_size or min(max(10 * n, 20), 100), n_evaluations)
        points = rng.random((size, n))
        points[0] = start
        values = (yield points.copy()).copy()
        best = Best(start, np.nan, 0).or_best_of(points, values)
        while best.n_used < n_evaluations and size >= 4:
            a, b, c = distinct_rows(size, 3, size, rng).T
            scale = rng.uniform(0.5, 1.0, (size, 1))
            pull = 0.5 * (best.point - points[a])
            mutants = np.clip(points[a] + pull + scale * (points[b] - points[c]), 0.0, 1.0)
            trials = np.where(mutating(size, n, self.crossover_rate, rng), mutants, points)
            trials = trials[: n_evaluations - best.n_used]
            new_values = yield trials
            best = best.or_best_of(trials, new_values)
            wins = np.flatnonzero(new_values <= values[: len(trials)])
            points[wins], values[wins] = trials[wins], new_values[wins]
            if np.ptp(points, axis=0).max() < 1e-12:
                break
        return best


def mutating(m: int, n: int, crossover_rate: float, rng: np.random.Generator) -> Flags:
    """Draw which of the n genes of each of m trials come from the mutant (binomial crossover); at least one does."""
    takes = rng.random((m, n)) < crossover_rate
    takes[np.arange(m), rng.integers(n, size=m)] = True
    return takes


def distinct_rows(m: int, k: int, size: int, rng: np.random.Generator) -> Indices:
    """Draw m rows of k distinct indices below `size`, every choice equally likely."""
    rows = np.empty((m, k), dtype=np.intp)
    for column in range(k):
        rows[:, column] = rng.integers(size - column, size=m)
    kernels.step_over_taken(rows)
    return rows
