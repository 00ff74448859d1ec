"""The paper as data: its experiments, its Table 2, its published medians, its claims and a test for each.

A. Al-Dujaili, S. Srikant, E. Hemberg, U.-M. O'Reilly, "On the application of Danskin's theorem to
derivative-free minimax optimization", 2018.

Claims are tested on medians over the runs. Where medians are ranked, those below 1e-9 count as equal: there
the differences are rounding. Nothing is clipped where values are reported.
"""

from reckless.bench.paper.claims import CLAIMS, Claim, judge_claims
from reckless.bench.paper.medians import RANKED_FROM, Medians
from reckless.bench.paper.published import CHARALAMBOUS_1979, PUBLISHED, PUBLISHED_FILTER, published_median
from reckless.bench.paper.studies import (
    BUDGETS,
    EXPERIMENTS,
    FILTERS,
    PROBLEMS,
    QUICK_STATEMENT,
    RIVALS,
    SHARES,
    SIZES,
    STEPS,
    TABLE_2_PRINTED,
    VARIANT_METHODS,
    experiment,
    experiments,
    table_2,
)
from reckless.bench.paper.verdicts import Finding, Verdict

__all__ = [
    "BUDGETS",
    "CHARALAMBOUS_1979",
    "CLAIMS",
    "EXPERIMENTS",
    "FILTERS",
    "PROBLEMS",
    "PUBLISHED",
    "PUBLISHED_FILTER",
    "QUICK_STATEMENT",
    "RANKED_FROM",
    "RIVALS",
    "SHARES",
    "SIZES",
    "STEPS",
    "TABLE_2_PRINTED",
    "VARIANT_METHODS",
    "Claim",
    "Finding",
    "Medians",
    "Verdict",
    "experiment",
    "experiments",
    "judge_claims",
    "published_median",
    "table_2",
]
