"""Restarted CMA-ES: BIPOP (Hansen 2009)."""

from dataclasses import dataclass

import numpy as np

from reckless.core.arrays import Array
from reckless.strategies.cma import CMAES, default_population_size
from reckless.strategies.strategy import Descent


@dataclass(frozen=True, slots=True, kw_only=True)
class BIPOP:
    """Restart with doubling populations, and in between, for as many evaluations, with small ones and small steps.

    sigma: first standard deviation of a run, as a part of the box's width. max_restarts: how often the population may
    double, None for no limit; restarts with a small population are not limited. population_size: the one that is
    doubled; 4 + floor(3 ln n) if None.
    """

    sigma: float = 0.25
    max_restarts: int | None = None
    population_size: int | None = None

    def search(self, start: Array, n_evaluations: int, rng: np.random.Generator) -> Descent:
        size = self.population_size or default_population_size(start.size)
        best = yield from CMAES(population_size=size, sigma=self.sigma).search(start, n_evaluations, rng)
        n_doublings, n_by_last_large = 0, 0
        balance = 0  # evaluations spent on large populations minus those spent on small ones
        while best.n_used < n_evaluations:
            n_left = n_evaluations - best.n_used
            if balance > 0:
                small = int(size * (0.5 * 2.0**n_doublings) ** rng.random() ** 2)
                run = CMAES(population_size=max(4, small), sigma=self.sigma * 10.0 ** (-2.0 * rng.random()))
                found = yield from run.search(rng.random(start.size), min(n_left, n_by_last_large // 2 + 1), rng)
                balance -= found.n_used
            elif n_doublings != self.max_restarts:
                n_doublings += 1
                run = CMAES(population_size=size << n_doublings, sigma=self.sigma)
                found = yield from run.search(rng.random(start.size), n_left, rng)
                balance += found.n_used
                n_by_last_large = found.n_used
            else:
                break
            best = best.or_better(found.point, found.value, found.n_used)
        return best
