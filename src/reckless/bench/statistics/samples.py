"""Samples of runs: how often one beats another, and the summary of one."""

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from reckless.bench.statistics.tables import read_runs
from reckless.core.arrays import Array


def superiority(first: ArrayLike, second: ArrayLike) -> float:
    """Return the chance that a run of the first sample is smaller than one of the second, ties half.

    A12 of Vargha and Delaney, turned for minimization.

    >>> superiority([1, 2, 3], [2, 3, 4])
    0.7777777777777778
    """
    a, b = read_runs("first", first), read_runs("second", second)
    rank_sum = float(stats.rankdata(np.concatenate([a, b]))[a.size :].sum())
    return (rank_sum - b.size * (b.size + 1) / 2) / (a.size * b.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """Location and spread of runs; the sample standard deviation is NaN for one run or with an infinite one."""

    n_runs: int
    median: float
    lower_quartile: float
    upper_quartile: float
    mean: float
    standard_deviation: float


def summarize(runs: ArrayLike) -> RunSummary:
    """Summarize the scores of one method's runs.

    >>> summary = summarize([4, 1, 3, 2, 6, 5])
    >>> summary.median, summary.lower_quartile, summary.upper_quartile
    (3.5, 2.25, 4.75)
    """
    ordered = np.sort(read_runs("runs", runs))
    n = ordered.size
    with np.errstate(invalid="ignore", over="ignore"):  # infinite runs are legal
        mean, deviation = ordered.mean(), ordered.std(ddof=1) if n > 1 else nan
    return RunSummary(
        n_runs=n,
        median=_quantile(ordered, 0.5),
        lower_quartile=_quantile(ordered, 0.25),
        upper_quartile=_quantile(ordered, 0.75),
        mean=float(mean),
        standard_deviation=float(deviation),
    )


def _quantile(ordered: Array, share: float) -> float:
    """Interpolate linearly, as NumPy does, but keep infinities."""
    below, part = divmod(share * (ordered.size - 1), 1.0)
    low = float(ordered[int(below)])
    high = float(ordered[int(below) + 1]) if part > 0.0 else low
    return low if low == high else (1.0 - part) * low + part * high
