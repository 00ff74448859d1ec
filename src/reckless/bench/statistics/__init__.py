"""Compare methods over blocks: rank tests, pairwise tests, summaries of runs.

A table of scores has one row per block and one column per method; smaller is better. Blocks must be independent: a
problem is one, a problem at several budgets is not several. Each test also tells what it could show at best: with too
few blocks it cannot reject, whatever the data, and its silence means nothing.

The Friedman and Nemenyi tests follow J. Demsar, "Statistical comparisons of classifiers over
multiple data sets", JMLR 7 (2006), except that the chi-square statistic is corrected for ties.
"""

from reckless.bench.statistics.pairs import PairComparison, wilcoxon_holm
from reckless.bench.statistics.ranks import FriedmanTest, NemenyiTest, average_ranks, friedman, nemenyi
from reckless.bench.statistics.samples import RunSummary, summarize, superiority

__all__ = [
    "FriedmanTest",
    "NemenyiTest",
    "PairComparison",
    "RunSummary",
    "average_ranks",
    "friedman",
    "nemenyi",
    "summarize",
    "superiority",
    "wilcoxon_holm",
]
