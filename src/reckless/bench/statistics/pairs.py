"""Pairs of methods over blocks: the signed-rank test of Wilcoxon with Holm's correction."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from reckless.bench.statistics.tables import read_share, read_table
from reckless.core.arrays import Array

LARGEST_EXACT_N = 50  # up to which the signed-rank distribution is exact; SciPy has the same limit


@dataclass(frozen=True, slots=True, kw_only=True)
class PairComparison:
    """Two methods over the same blocks, as one of all pairs.

    n_nonzero: blocks in which the two differ; only these count.
    p_value, p_adjusted: signed-rank test, two-sided, alone and after Holm's correction for all pairs.
    smallest_p_adjusted: the least it could be with this number of differences and pairs.
    effect: matched-pairs rank-biserial correlation; 1 if `first` is better in every block, -1 if `second` is.
    """

    first: str
    second: str
    n_nonzero: int
    p_value: float
    p_adjusted: float
    smallest_p_adjusted: float
    effect: float
    significant: bool
    can_reject: bool


def wilcoxon_holm(scores: ArrayLike, names: Sequence[str], alpha: float = 0.05) -> list[PairComparison]:
    """Compare all pairs by Wilcoxon's signed-rank test, corrected by Holm; scores (n_blocks, k_methods).

    Blocks weigh by the size of their difference: give logarithms if the scales of the blocks are far apart.
    With up to 50 differences p is exact, ties or not; beyond, it is the normal approximation.

    >>> pairs = wilcoxon_holm([[1, 2], [3, 5], [2, 5], [4, 8], [1, 6], [1, 7]], ["A", "B"])
    >>> pairs[0].p_value, pairs[0].effect
    (0.03125, 1.0)
    """
    table, alpha = read_table(scores, names), read_share("alpha", alpha)
    pairs = list(combinations(range(len(names)), 2))
    gains = [_nonzero_gains(table[:, i], table[:, j]) for i, j in pairs]
    p, least = [_signed_rank_p(gain) for gain in gains], [_signed_rank_p(np.abs(gain)) for gain in gains]
    adjusted, least_adjusted = _holm(p), _holm(least)
    return [
        PairComparison(
            first=names[i],
            second=names[j],
            n_nonzero=gains[at].size,
            p_value=p[at],
            p_adjusted=adjusted[at],
            smallest_p_adjusted=least_adjusted[at],
            effect=_rank_biserial(gains[at]),
            significant=adjusted[at] <= alpha,
            can_reject=least_adjusted[at] <= alpha,
        )
        for at, (i, j) in enumerate(pairs)
    ]


def _nonzero_gains(first: Array, second: Array) -> Array:
    """Return by how much the first is smaller, where the two differ; equal infinities do not differ."""
    differ = first != second
    with np.errstate(over="ignore"):
        gains: Array = second[differ] - first[differ]
    return gains


def _signed_rank_p(gains: Array) -> float:
    """Return the two-sided p-value of the signed-rank test for nonzero gains."""
    ranks = stats.rankdata(np.abs(gains))
    if gains.size > LARGEST_EXACT_N:
        return float(2 * stats.norm.sf(abs(ranks @ np.sign(gains)) / np.linalg.norm(ranks)))
    doubled = (2 * ranks).astype(int)  # shared ranks are halves
    chances = np.ones(1)  # chances[t]: that the doubled ranks of the positive gains add up to t
    for rank in doubled:
        chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
    observed = doubled[gains > 0].sum()
    return min(1.0, 2 * float(chances[: observed + 1].sum()), 2 * float(chances[observed:].sum()))


def _rank_biserial(gains: Array) -> float:
    ranks = stats.rankdata(np.abs(gains))
    return float(ranks @ np.sign(gains) / ranks.sum()) if gains.size else 0.0


def _holm(p_values: Sequence[float]) -> list[float]:
    """Multiply the smallest p by the number of tests, the next by one less, ..., but keep their order."""
    p = np.array(p_values)
    order = np.argsort(p, kind="stable")
    p[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), 1.0)
    return [float(adjusted) for adjusted in p]
