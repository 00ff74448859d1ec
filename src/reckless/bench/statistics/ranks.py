"""Rank tests over blocks: Friedman and Nemenyi (Demsar 2006)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from reckless.bench.statistics.tables import read_share, read_table
from reckless.core.arrays import Array, Flags


def average_ranks(scores: ArrayLike) -> Array:
    """Rank the methods in each block, 1 for the smallest score, ties sharing; return the means, shape (k,).

    >>> average_ranks([[0.1, 0.2, 0.3], [5.0, 5.0, 9.0]]).tolist()
    [1.25, 1.75, 3.0]
    """
    means: Array = stats.rankdata(read_table(scores, min_blocks=1), axis=1).mean(axis=0)
    return means


@dataclass(frozen=True, slots=True)
class FriedmanTest:
    """Whether the methods differ at all over these blocks.

    statistic, p_value: chi-square, corrected for ties, by its large-sample approximation.
    kendall_w: agreement of the blocks, from 0 (none) to 1 (all rank the methods alike).
    """

    n_blocks: int
    n_methods: int
    statistic: float
    p_value: float
    kendall_w: float

    @property
    def smallest_p(self) -> float:
        """The least `p_value` for n_blocks and n_methods: all blocks rank alike, without ties."""
        return float(stats.chi2.sf(self.n_blocks * (self.n_methods - 1), self.n_methods - 1))

    def can_reject(self, alpha: float = 0.05) -> bool:
        """Tell whether any data at all could bring `p_value` down to alpha."""
        return self.smallest_p <= read_share("alpha", alpha)


def friedman(scores: ArrayLike) -> FriedmanTest:
    """Test whether all methods rank alike; scores has shape (n_blocks, k_methods).

    >>> test = friedman([[1, 2, 3, 4], [1, 2, 3, 4]])
    >>> round(test.smallest_p, 3), test.can_reject(0.05)
    (0.112, False)
    """
    table = read_table(scores)
    n, k = table.shape
    deviations = stats.rankdata(table, axis=1) - (k + 1) / 2  # multiples of 1/2: all sums below are exact
    spread = n * float((deviations**2).sum())  # smaller with ties, which is the correction
    w = float((deviations.sum(axis=0) ** 2).sum()) / spread if spread > 0.0 else 0.0
    chi2 = n * (k - 1) * w
    return FriedmanTest(n, k, chi2, float(stats.chi2.sf(chi2, k - 1)), kendall_w=w)


@dataclass(frozen=True, slots=True, eq=False)
class NemenyiTest:
    """Which methods differ, all pairs at once; `ranks` is read-only and in the order of `names`.

    critical_difference: average ranks at least this far apart differ significantly at level alpha.
    cliques: the largest groups without a significant difference inside, best name first; no singletons.
    """

    names: tuple[str, ...]
    n_blocks: int
    alpha: float
    ranks: Array
    critical_difference: float
    cliques: tuple[tuple[str, ...], ...]

    @property
    def largest_difference(self) -> int:
        """The most that two average ranks can differ: one method first and the other last in every block."""
        return len(self.names) - 1

    @property
    def can_reject(self) -> bool:
        """Whether any data at all could show a significant difference."""
        return self.critical_difference <= self.largest_difference

    @property
    def significant(self) -> Flags:
        """Which pairs differ significantly, shape (k, k)."""
        return np.abs(self.ranks[:, None] - self.ranks) >= self.critical_difference

    def sentence(self, blocks: str = "") -> str:
        """Say the outcome in words; `blocks` tells what the blocks are, as in "6 problems"."""
        k, told = len(self.names), f" ({blocks})" if blocks else ""
        start = f"With {self.n_blocks} blocks{told} and {k} methods"
        cd, largest = f"{self.critical_difference:.3f}", f"largest possible rank difference {k - 1}"
        if not self.can_reject:
            verdict = "this test cannot reject, whatever the data."
            return f"{start} the critical difference {cd} exceeds the {largest}: {verdict}"
        start += f", average ranks at least {cd} apart differ significantly (alpha {self.alpha:g}; {largest})."
        order = _best_first(self.ranks, self.names)
        worse = self.significant & (self.ranks[:, None] < self.ranks)
        found = [
            f"{self.names[i]} ahead of " + ", ".join(self.names[j] for j in order if worse[i, j])
            for i in order
            if worse[i].any()
        ]
        if not found:
            return f"{start} No pair does; that is no proof of equality."
        return f"{start} {worse.sum()} of {k * (k - 1) // 2} pairs do: {'; '.join(found)}."


def nemenyi(scores: ArrayLike, names: Sequence[str], alpha: float = 0.05) -> NemenyiTest:
    """Compare all pairs of methods by their average ranks; scores has shape (n_blocks, k_methods).

    >>> nemenyi([[1, 2, 3, 4], [1, 2, 3, 4]], ["A", "B", "C", "D"]).can_reject
    False
    """
    table = read_table(scores, names)
    n, k = table.shape
    ranks = average_ranks(table)
    # Ranks vary as k normal variables of this spread would, but for their common mean.
    spread = sqrt(k * (k + 1) / (12 * n))
    critical = spread * float(stats.studentized_range.isf(read_share("alpha", alpha), k, inf))
    ranks.flags.writeable = False
    return NemenyiTest(tuple(names), n, alpha, ranks, critical, _cliques(ranks, names, critical))


def _best_first(ranks: Array, names: Sequence[str]) -> list[int]:
    """Order by rank, ties by name, so that the order of the columns does not matter."""
    return sorted(range(len(names)), key=lambda i: (ranks[i], names[i]))


def _cliques(ranks: Array, names: Sequence[str], critical: float) -> tuple[tuple[str, ...], ...]:
    """Extend a group from each method up to the critical difference; keep those that no earlier group contains."""
    order = _best_first(ranks, names)
    cliques, reached = [], 0
    for start, i in enumerate(order):
        end = int(np.count_nonzero(ranks - ranks[i] < critical))
        if end > max(reached, start + 1):
            cliques.append(tuple(names[j] for j in order[start:end]))
            reached = end
    return tuple(cliques)
