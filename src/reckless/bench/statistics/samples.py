"""Samples of runs: effect sizes between two of them, and the summary of one."""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from reckless.bench.statistics.tables import read_runs, read_share
from reckless.core.arrays import Array


@dataclass(frozen=True, slots=True)
class EffectSize:
    """How often a run of the first method beats a run of the second.

    superiority: chance of a smaller score, ties half: A12 of Vargha and Delaney, turned for minimization.
    delta: Cliff's, `2 * superiority - 1`; positive favors the first method.
    """

    superiority: float
    delta: float

    @property
    def magnitude(self) -> str:
        """The word of Romano et al. (2006): abs(delta) below .147 is negligible, .33 small, .474 medium."""
        limits = {"negligible": 0.147, "small": 0.33, "medium": 0.474}
        return next((word for word, limit in limits.items() if abs(self.delta) < limit), "large")


def effect_size(first: ArrayLike, second: ArrayLike) -> EffectSize:
    """Compare two independent samples of runs, smaller is better.

    >>> effect_size([1, 2, 3], [2, 3, 4]).superiority
    0.7777777777777778
    """
    a, b = read_runs("first", first), read_runs("second", second)
    rank_sum = float(stats.rankdata(np.concatenate([a, b]))[a.size :].sum())
    n_wins, n_pairs = rank_sum - b.size * (b.size + 1) / 2, a.size * b.size  # ties are half a win
    return EffectSize(superiority=n_wins / n_pairs, delta=(2 * n_wins - n_pairs) / n_pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """Location and spread of runs; the sample standard deviation is NaN for one run or with an infinite one.

    median_low, median_high: two of the runs; the median of the distribution lies between them with chance
    `coverage` or more, whatever the distribution. Too few runs leave `coverage` short of what was asked for.
    """

    n_runs: int
    median: float
    lower_quartile: float
    upper_quartile: float
    mean: float
    standard_deviation: float
    median_low: float
    median_high: float
    coverage: float


def summarize(runs: ArrayLike, confidence: float = 0.95) -> RunSummary:
    """Summarize the scores of one method's runs, with the narrowest symmetric order-statistic interval.

    >>> summary = summarize([4, 1, 3, 2, 6, 5])
    >>> summary.median, summary.median_low, summary.median_high, summary.coverage
    (3.5, 1.0, 6.0, 0.96875)
    """
    ordered = np.sort(read_runs("runs", runs))
    n = ordered.size
    # misses[i]: chance that at most i of n runs fall below the median, i.e. that it lies left of ordered[i].
    misses = stats.binom.cdf(np.arange((n + 1) // 2), n, 0.5)
    cut = max(0, int(np.count_nonzero(misses <= (1.0 - read_share("confidence", confidence)) / 2)) - 1)
    with np.errstate(invalid="ignore", over="ignore"):  # infinite runs are legal
        mean, deviation = ordered.mean(), ordered.std(ddof=1) if n > 1 else nan
    return RunSummary(
        n_runs=n,
        median=_quantile(ordered, 0.5),
        lower_quartile=_quantile(ordered, 0.25),
        upper_quartile=_quantile(ordered, 0.75),
        mean=float(mean),
        standard_deviation=float(deviation),
        median_low=float(ordered[cut]),
        median_high=float(ordered[n - 1 - cut]),
        coverage=float(1.0 - 2.0 * misses[cut]),
    )


def _quantile(ordered: Array, share: float) -> float:
    """Interpolate linearly, as NumPy does, but let infinities be."""
    below, part = divmod(share * (ordered.size - 1), 1.0)
    low = float(ordered[int(below)])
    high = float(ordered[int(below) + 1]) if part > 0.0 else low
    return low if low == high else (1.0 - part) * low + part * high
