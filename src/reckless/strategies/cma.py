"""CMA-ES in the unit cube (Hansen 2016, The CMA Evolution Strategy: A Tutorial, arXiv:1604.00772)."""

from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from math import log, sqrt
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.strategies import kernels
from reckless.strategies.strategy import Best, Descent


@dataclass(frozen=True, slots=True, kw_only=True)
class CMAES:
    """Adapt a normal distribution to the landscape: mean, step size and full covariance.

    population_size: perturbations per generation; 4 + floor(3 ln n) if None.
    sigma: first standard deviation, as a part of the box's width.
    antithetic: evaluate every perturbation and its mirror image, which doubles the evaluations per generation.
    """

    population_size: int | None = None
    sigma: float = 0.25
    antithetic: bool = False

    def search(self, start: Array, n_evaluations: int, rng: np.random.Generator) -> Descent:
        n = start.size
        n_draws = self.population_size or default_population_size(n)
        size = 2 * n_draws if self.antithetic else n_draws
        constants = _constants(n, size, active=not self.antithetic)
        stop = _StopRule(n, size, self.sigma)
        # The tutorial advises up to 30 times as often; that costs time and saves no evaluations.
        factorize_every = max(1, int(min(0.3 * n, 3.0) / (n * (constants.c_1 + constants.c_mu))))
        mean = np.array([kernels.unfold(u) for u in start])
        sigma, C, axes, scales = self.sigma, np.eye(n), np.eye(n), np.ones(n)
        p_sigma, p_c = np.zeros(n), np.zeros(n)
        best = Best(start, np.nan, 0)
        n_generations, n_last = divmod(n_evaluations, size)
        for generation in range(n_generations):
            normals = rng.standard_normal((n_draws, n))
            if self.antithetic:
                normals = np.concatenate((normals, -normals))
            steps, points = np.empty((size, n)), np.empty((size, n))
            kernels.cma_sample(normals, mean, sigma, axes, scales, steps, points)
            values = yield points
            order = _pairwise_order(values) if self.antithetic else values.argsort(kind="stable")
            low, high = float(values[order[0]]), float(values[order[-1]])
            best = best.or_better(points[order[0]], low, size)
            sigma = kernels.cma_update(
                order, normals, steps, mean, sigma, C, axes, p_sigma, p_c, generation, *constants
            )
            if generation % factorize_every == 0:
                kernels.cma_factorize(C, axes, scales)
            if stop.is_met(low, high, sigma, scales):
                return best
        if n_last:  # too few for a generation: one last look around the mean
            steps, points = np.empty((n_last, n)), np.empty((n_last, n))
            kernels.cma_sample(rng.standard_normal((n_last, n)), mean, sigma, axes, scales, steps, points)
            best = best.or_best_of(points, (yield points))
        return best


def default_population_size(n: int) -> int:
    return 4 + int(3.0 * log(n))


class _Constants(NamedTuple):
    """Named as in the tutorial's Table 1; `weights` go by rank, those of the worse half are negative or zero."""

    weights: Array  # (population size,)
    mu_eff: float
    c_sigma: float
    d_sigma: float
    c_c: float
    c_1: float
    c_mu: float
    chi_n: float  # expected length of a standard normal vector


@lru_cache(maxsize=256)  # restarts are many, and short
def _constants(n: int, size: int, *, active: bool) -> _Constants:
    mu = size // 2
    raw = log((size + 1) / 2) - np.log(np.arange(1, size + 1))  # Eq. 49
    mu_eff = float(raw[:mu].sum() ** 2 / (raw[:mu] ** 2).sum())
    c_c = (4 + mu_eff / n) / (n + 4 + 2 * mu_eff / n)  # Eq. 56
    c_1 = 2 / ((n + 1.3) ** 2 + mu_eff)  # Eq. 57
    c_mu = min(1 - c_1, 2 * (0.25 + mu_eff + 1 / mu_eff - 2) / ((n + 2) ** 2 + mu_eff))  # Eq. 58
    c_sigma = (mu_eff + 2) / (n + mu_eff + 5)  # Eq. 55
    d_sigma = 1 + 2 * max(0.0, sqrt((mu_eff - 1) / (n + 1)) - 1) + c_sigma
    weights = np.concatenate((raw[:mu] / raw[:mu].sum(), np.zeros(size - mu)))  # Eq. 53
    if active:
        worse = np.minimum(raw[mu:], 0.0)
        mu_eff_worse = worse.sum() ** 2 / (worse**2).sum()
        limits = 1 + c_1 / c_mu, 1 + 2 * mu_eff_worse / (mu_eff + 2), (1 - c_1 - c_mu) / (n * c_mu)  # Eqs. 50-52
        weights[mu:] = max(0.0, min(limits)) * worse / -worse.sum()
    chi_n = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
    return _Constants(weights, mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, chi_n)


def _pairwise_order(values: Array) -> Indices:
    """Rank mirrored pairs: first the better twins, then the others, so that twins never cancel in recombination.

    Plain ranking would often select both twins near an optimum and thereby shrink sigma too fast (Auger, Brockhoff
    and Hansen 2011, Mirrored sampling in evolution strategies with weighted recombination).
    """
    half = values.size // 2
    first = np.arange(half)
    first_wins = values[:half] <= values[half:]
    winners = np.where(first_wins, first, first + half)
    losers = np.where(first_wins, first + half, first)
    return np.concatenate([group[values[group].argsort(kind="stable")] for group in (winners, losers)])


class _StopRule:
    """Say when a run has converged, diverged, degenerated or stagnated.

    Converged means that the values of a generation, and the best of the recent ones, lie within 1e-11 of each other,
    less if f varied by less than 1 in the first generation, or within rounding.
    """

    def __init__(self, n: int, size: int, sigma: float) -> None:
        self._smallest_step, self._largest_step = 1e-11 * sigma, 1e4 * sigma
        self._recent: deque[float] = deque(maxlen=10 + int(30 * n / size))
        self._patience = 100 + int(100 * n**1.5 / size)
        self._tolerance = np.nan
        self._lowest, self._n_stalled = np.inf, 0

    def is_met(self, low: float, high: float, sigma: float, scales: Array) -> bool:
        """Take in the best and worst value of one generation and the distribution it led to."""
        if self._tolerance != self._tolerance:
            self._tolerance = 1e-11 * min(high - low, 1.0)
        tolerance = max(self._tolerance, 1e-15 * abs(low))
        self._recent.append(low)
        self._n_stalled = 0 if low < self._lowest else self._n_stalled + 1
        self._lowest = min(low, self._lowest)
        has_converged = (
            high - low <= tolerance
            and len(self._recent) == self._recent.maxlen
            and max(self._recent) - min(self._recent) <= tolerance
        )
        narrowest, widest = scales[0], scales[-1]
        is_usable = self._smallest_step < sigma * widest < self._largest_step and widest < 1e7 * narrowest
        return has_converged or not is_usable or self._n_stalled > self._patience
