"""Compare methods over blocks: rank tests, pairwise tests, effect sizes, summaries of runs.

A table of scores has one row per block (a problem, or a problem at one budget: the caller knows, and says so)
and one column per method; smaller is better. Each test also tells what it could show at best: with too few
blocks it cannot reject, whatever the data, and its silence means nothing.

The Friedman, Iman-Davenport and Nemenyi tests follow J. Demsar, "Statistical comparisons of classifiers over
multiple data sets", JMLR 7 (2006), except that the chi-square statistic is corrected for ties.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, inf, lgamma, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from reckless.errors import InvalidArgument

Floats = NDArray[np.float64]

LARGEST_EXACT_N = 50  # so many differences get the exact signed-rank distribution; SciPy has the same limit


def average_ranks(scores: ArrayLike) -> Floats:
    """Rank the methods in each block, 1 for the smallest score, ties sharing; return the means, shape (k,).

    >>> average_ranks([[0.1, 0.2, 0.3], [5.0, 5.0, 9.0]]).tolist()
    [1.25, 1.75, 3.0]
    """
    means: Floats = stats.rankdata(_table(scores, min_blocks=1), axis=1).mean(axis=0)
    return means


@dataclass(frozen=True, slots=True)
class FriedmanTest:
    """Whether the methods differ at all over these blocks.

    statistic, p_value: chi-square, corrected for ties, by its large-sample approximation.
    f_statistic, f_p_value: Iman and Davenport's less conservative version; inf and 0 if all blocks agree.
    kendall_w: agreement of the blocks, from 0 (none) to 1 (all rank the methods alike).
    """

    n_blocks: int
    n_methods: int
    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float
    kendall_w: float

    @property
    def smallest_p(self) -> float:
        """The least `p_value` so many blocks and methods can give: every block ranks alike, without ties."""
        return float(stats.chi2.sf(self.n_blocks * (self.n_methods - 1), self.n_methods - 1))

    @property
    def smallest_exact_p(self) -> float:
        """The same for the permutation test, k! ** (1 - n); for few blocks it lies far below `smallest_p`."""
        return exp(-(self.n_blocks - 1) * lgamma(self.n_methods + 1))

    def can_reject(self, alpha: float = 0.05) -> bool:
        """Tell whether any data at all could bring `p_value` down to alpha."""
        return self.smallest_p <= _share("alpha", alpha)


def friedman(scores: ArrayLike) -> FriedmanTest:
    """Test whether all methods rank alike; scores has shape (n_blocks, k_methods).

    >>> test = friedman([[1, 2, 3, 4], [1, 2, 3, 4]])
    >>> round(test.smallest_p, 3), test.can_reject(0.05)
    (0.112, False)
    """
    table = _table(scores)
    n, k = table.shape
    deviations = stats.rankdata(table, axis=1) - (k + 1) / 2  # multiples of 1/2: all sums below are exact
    spread = n * float((deviations**2).sum())  # smaller with ties, which is the correction
    w = float((deviations.sum(axis=0) ** 2).sum()) / spread if spread > 0.0 else 0.0
    chi2 = n * (k - 1) * w
    f = (n - 1) * w / (1.0 - w) if w < 1.0 else inf
    p_value, f_p_value = stats.chi2.sf(chi2, k - 1), stats.f.sf(f, k - 1, (k - 1) * (n - 1))
    return FriedmanTest(n, k, chi2, float(p_value), f, float(f_p_value), kendall_w=w)


@dataclass(frozen=True, slots=True, eq=False)
class NemenyiTest:
    """Which methods differ, all pairs at once; arrays are read-only and in the order of `names`.

    critical_difference: average ranks at least this far apart differ significantly at level alpha.
    p_values: shape (k, k), symmetric, 1 on the diagonal.
    cliques: the largest groups without a significant difference inside, best name first; no singletons.
    """

    names: tuple[str, ...]
    n_blocks: int
    alpha: float
    ranks: Floats
    critical_difference: float
    p_values: Floats
    cliques: tuple[tuple[str, ...], ...]

    @property
    def largest_difference(self) -> int:
        """How far apart two average ranks can be: one method first and the other last in every block."""
        return len(self.names) - 1

    @property
    def can_reject(self) -> bool:
        """Whether any data at all could show a significant difference."""
        return self.critical_difference <= self.largest_difference

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Which pairs differ significantly, shape (k, k)."""
        different: NDArray[np.bool_] = _distances(self.ranks) >= self.critical_difference
        return different

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
    table = _table(scores, names)
    n, k = table.shape
    ranks: Floats = stats.rankdata(table, axis=1).mean(axis=0)
    # Ranks vary as k normal variables of this spread would, but for their common mean.
    spread = sqrt(k * (k + 1) / (12 * n))
    critical = spread * float(stats.studentized_range.isf(_share("alpha", alpha), k, inf))
    pairs = np.triu_indices(k, 1)
    p_values = np.ones((k, k))
    p_values[pairs] = np.clip(stats.studentized_range.sf(_distances(ranks)[pairs] / spread, k, inf), 0.0, 1.0)
    p_values = np.minimum(p_values, p_values.T)
    ranks.flags.writeable = p_values.flags.writeable = False
    return NemenyiTest(tuple(names), n, alpha, ranks, critical, p_values, _cliques(ranks, names, critical))


@dataclass(frozen=True, slots=True, kw_only=True)
class PairComparison:
    """Two methods over the same blocks, as one of all pairs.

    n_nonzero: blocks in which the two differ; only these count.
    p_value, p_adjusted: signed-rank test, two-sided, alone and after Holm's correction for all pairs.
    smallest_p, smallest_p_adjusted: the least these could be with so many differences and so many pairs.
    effect: matched-pairs rank-biserial correlation; 1 if `first` is better in every block, -1 if `second` is.
    """

    first: str
    second: str
    n_nonzero: int
    p_value: float
    p_adjusted: float
    smallest_p: float
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
    table, alpha = _table(scores, names), _share("alpha", alpha)
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
            smallest_p=least[at],
            smallest_p_adjusted=least_adjusted[at],
            effect=_rank_biserial(gains[at]),
            significant=adjusted[at] <= alpha,
            can_reject=least_adjusted[at] <= alpha,
        )
        for at, (i, j) in enumerate(pairs)
    ]


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
    a, b = _runs("first", first), _runs("second", second)
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
    ordered = np.sort(_runs("runs", runs))
    n = ordered.size
    # misses[i]: chance that at most i of n runs fall below the median, i.e. that it lies left of ordered[i].
    misses = stats.binom.cdf(np.arange((n + 1) // 2), n, 0.5)
    cut = max(0, int(np.count_nonzero(misses <= (1.0 - _share("confidence", confidence)) / 2)) - 1)
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


def _distances(ranks: Floats) -> Floats:
    distances: Floats = np.abs(ranks[:, None] - ranks)
    return distances


def _best_first(ranks: Floats, names: Sequence[str]) -> list[int]:
    """Order by rank, ties by name, so that the order of the columns does not matter."""
    return sorted(range(len(names)), key=lambda i: (ranks[i], names[i]))


def _cliques(ranks: Floats, names: Sequence[str], critical: float) -> tuple[tuple[str, ...], ...]:
    """From each method reach as far as the critical difference lets; keep what no earlier group contains."""
    order = _best_first(ranks, names)
    cliques, reached = [], 0
    for start, i in enumerate(order):
        end = int(np.count_nonzero(ranks - ranks[i] < critical))
        if end > max(reached, start + 1):
            cliques.append(tuple(names[j] for j in order[start:end]))
            reached = end
    return tuple(cliques)


def _nonzero_gains(first: Floats, second: Floats) -> Floats:
    """By how much the first is smaller, where the two differ; equal infinities do not differ."""
    differ = first != second
    with np.errstate(over="ignore"):
        gains: Floats = second[differ] - first[differ]
    return gains


def _signed_rank_p(gains: Floats) -> float:
    """Two-sided p-value of the signed-rank test for nonzero gains."""
    ranks = stats.rankdata(np.abs(gains))
    if gains.size > LARGEST_EXACT_N:
        return float(2 * stats.norm.sf(abs(ranks @ np.sign(gains)) / np.linalg.norm(ranks)))
    doubled = (2 * ranks).astype(int)  # shared ranks are halves
    chances = np.ones(1)  # chances[t]: that the doubled ranks of the positive gains add up to t
    for rank in doubled:
        chances = (np.pad(chances, (0, rank)) + np.pad(chances, (rank, 0))) / 2
    observed = doubled[gains > 0].sum()
    return min(1.0, 2 * float(chances[: observed + 1].sum()), 2 * float(chances[observed:].sum()))


def _rank_biserial(gains: Floats) -> float:
    ranks = stats.rankdata(np.abs(gains))
    return float(ranks @ np.sign(gains) / ranks.sum()) if gains.size else 0.0


def _holm(p_values: Sequence[float]) -> list[float]:
    """Multiply the smallest p by the number of tests, the next by one less, ..., but keep their order."""
    p = np.array(p_values)
    order = np.argsort(p, kind="stable")
    p[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), 1.0)
    return [float(adjusted) for adjusted in p]


def _quantile(ordered: Floats, share: float) -> float:
    """Interpolate linearly, as NumPy does, but let infinities be."""
    below, part = divmod(share * (ordered.size - 1), 1.0)
    low = float(ordered[int(below)])
    high = float(ordered[int(below) + 1]) if part > 0.0 else low
    return low if low == high else (1.0 - part) * low + part * high


def _share(argument: str, value: float) -> float:
    if not 0.0 < value < 1.0:
        raise InvalidArgument(f"{argument}: must lie between 0 and 1, but is {value}. Is it in percent?")
    return value


def _numbers(argument: str, values: ArrayLike, ndim: int, rule: str) -> Floats:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"{argument}: must be {rule}, but NumPy says: {error}") from error
    if array.ndim != ndim or array.size == 0:
        raise InvalidArgument(f"{argument}: must be {rule}, but has shape {array.shape}.")
    return array


def _runs(argument: str, values: ArrayLike) -> Floats:
    runs = _numbers(argument, values, 1, "a sequence of at least one run")
    if np.isnan(runs).any():
        raise InvalidArgument(
            f"{argument}: must not hold NaN, but run {np.isnan(runs).argmax()} (from 0) is NaN. "
            "Leave it out, or count a failed run as +inf."
        )
    return runs


def _table(scores: ArrayLike, names: Sequence[str] | None = None, min_blocks: int = 2) -> Floats:
    table = _numbers("scores", scores, 2, "a table with one row per block and one column per method")
    n, k = table.shape
    if n < min_blocks or k < 2:
        raise InvalidArgument(f"scores: needs {min_blocks} blocks and 2 methods or more, but has {n}, {k}.")
    if names is not None and len(names) != k:
        raise InvalidArgument(f"names: must be {k}, one per column of scores, but are {len(names)}. Is it transposed?")
    if names is not None and len(set(names)) < k:
        raise InvalidArgument(f"names: each method needs its own, but some occur twice: {sorted(names)}.")
    for block, column in np.argwhere(np.isnan(table)):
        method = f"in column {column}" if names is None else repr(names[column])
        raise InvalidArgument(
            f"scores: every method needs a score in every block, but block {block} (from 0) has NaN for "
            f"method {method}. Leave the block out, or count a failure as +inf."
        )
    return table
