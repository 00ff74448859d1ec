"""Enumerate a finite list, mapped to the unit interval: all of it if it is short, else where it pays."""

from dataclasses import dataclass

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.strategies.strategy import Best, Descent


@dataclass(frozen=True, slots=True)
class Enumeration:
    """Try every entry of a list; if that is too long, an even sample first, and then entries beside the best ones.

    n_scenarios: entries of the list; entry i is the i-th of `n_scenarios` equal parts of the unit interval.
    """

    n_scenarios: int

    def search(self, start: Array, n_evaluations: int, rng: np.random.Generator) -> Descent:
        n = self.n_scenarios
        values = np.full(n, np.nan)  # of the entries that were tried
        best = Best(start, np.nan, 0)
        chosen = np.arange(n) if n <= n_evaluations else self._sample(start, n_evaluations, rng)
        while chosen.size:
            points = (chosen[:, None] + 0.5) / n
            values[chosen] = yield points
            best = best.or_best_of(points, values[chosen])
            chosen = _beside_the_best(values, n_evaluations - best.n_used, rng)
        return best

    def _sample(self, start: Array, n_evaluations: int, rng: np.random.Generator) -> Indices:
        """Draw one entry from each of `n_evaluations` / 2 even stretches, and add the one to start from."""
        n_stretches = n_evaluations // 2
        places = (np.arange(n_stretches) + rng.random(n_stretches)) / max(1, n_stretches)
        first = min(start[0], 1.0 - 1e-16)
        return np.unique((np.append(places, first) * self.n_scenarios).astype(np.intp))


def _beside_the_best(values: Array, n_left: int, rng: np.random.Generator) -> Indices:
    """Return untried entries halfway between the best tried ones and their tried neighbors; else any untried ones."""
    if n_left <= 0:
        return np.empty(0, dtype=np.intp)
    tried = np.flatnonzero(~np.isnan(values))
    ranks = values[tried].argsort(kind="stable")[: max(2, n_left // 4)]
    edges = np.concatenate(([-1], tried, [values.size]))
    left, at, right = edges[ranks], edges[ranks + 1], edges[ranks + 2]
    halfway = np.stack(((left + at) // 2, (at + right + 1) // 2), axis=1).ravel()  # the best one's first
    is_new = (halfway >= 0) & (halfway < values.size)
    is_new[is_new] = np.isnan(values[halfway[is_new]])
    chosen = halfway[is_new]
    if not chosen.size:
        chosen = rng.permutation(np.flatnonzero(np.isnan(values)))
    _, first = np.unique(chosen, return_index=True)
    return chosen[np.sort(first)][:n_left]
