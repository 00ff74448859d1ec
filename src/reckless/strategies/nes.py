"""The paper's simplified natural evolution strategy (Al-Dujaili et al. 2018, Algorithm 3)."""

from dataclasses import dataclass

import numpy as np

from reckless.core.arrays import Array
from reckless.strategies import kernels
from reckless.strategies.cma import default_population_size
from reckless.strategies.strategy import Best, Descent


@dataclass(frozen=True, slots=True, kw_only=True)
class NES:
    """Follow a Monte Carlo gradient of the smoothed function; the normal distribution never changes its shape.

    learning_rate: eta in the paper. sigma: standard deviation, as a part of the box's width.
    population_size: perturbations per generation; 4 + floor(3 ln n) if None.
    antithetic: evaluate every perturbation and its mirror image, which doubles the evaluations per generation.
    """

    learning_rate: float = 1e-4
    sigma: float = 0.25
    population_size: int | None = None
    antithetic: bool = False

    def search(self, start: Array, n_evaluations: int, rng: np.random.Generator) -> Descent:
        n = start.size
        n_draws = self.population_size or default_population_size(n)
        size = 2 * n_draws if self.antithetic else n_draws
        mean, best = start.copy(), Best(start, np.nan, 0)  # line 1
        while best.n_used < n_evaluations:  # line 2
            epsilon = rng.standard_normal((n_draws, n))  # line 4
            points = np.empty((min(size, n_evaluations - best.n_used), n))
            kernels.nes_sample(epsilon, mean, self.sigma, points)
            values = yield points  # line 5
            best = best.or_best_of(points, values)
            if len(values) == size:
                kernels.nes_update(values, epsilon, mean, self.learning_rate / self.sigma)  # line 7
        return best
