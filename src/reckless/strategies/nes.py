"""The paper's simplified natural evolution strategy (Al-Dujaili et al. 2018, Algorithm 3)."""

from dataclasses import dataclass

import numpy as np

from reckless.core.arrays import Array
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
        mean, best = start, Best(start, np.nan, 0)  # line 1
        while best.n_used < n_evaluations:  # line 2
            epsilon = rng.standard_normal((n_draws, n))  # line 4
            signed = np.concatenate((epsilon, -epsilon)) if self.antithetic else epsilon
            points = np.clip(mean + self.sigma * signed, 0.0, 1.0)[: n_evaluations - best.n_used]
            values = yield points  # line 5
            best = best.or_better(points, values)
            if len(values) == size:
                scores = _standardized(values)
                if self.antithetic:
                    scores = 0.5 * (scores[:n_draws] - scores[n_draws:])
                # Line 7, with a minus since strategies minimize.
                mean = np.clip(mean - self.learning_rate / (n_draws * self.sigma) * (scores @ epsilon), 0.0, 1.0)
        return best


def _standardized(values: Array) -> Array:
    """Values with mean 0 and standard deviation 1; failures (+inf) count as the worst value that is finite."""
    if not np.all(np.isfinite(values)):
        finite = values[np.isfinite(values)]
        values = np.clip(values, finite.min(), finite.max()) if finite.size else np.zeros_like(values)
    spread = values.std()
    return (values - values.mean()) / spread if spread > 0.0 else np.zeros_like(values)
