"""The claims of the paper, each with its test."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from reckless.bench.paper import verdicts
from reckless.bench.paper.medians import Medians, Missing
from reckless.bench.paper.verdicts import Finding, Verdict
from reckless.bench.record import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Something the paper says that runs can confirm or contradict.

    key: short name. experiment: one of EXPERIMENTS. text: what the paper says, in its words or nearly.
    where: section and paragraph. test: whether our medians bear it out.
    """

    key: str
    experiment: str
    text: str
    where: str
    test: Callable[[Medians], Verdict]

    def verdict(self, medians: Medians) -> Verdict:
        """Test the claim; it is untested if the medians lack cells that it needs."""
        try:
            return self.test(medians)
        except Missing as missing:
            return Verdict(Finding.UNTESTED, str(missing))


def judge_claims(records: Iterable[Record]) -> list[tuple[Claim, Verdict]]:
    """Test every claim of the paper on these records."""
    medians = Medians(records)
    return [(claim, claim.verdict(medians)) for claim in CLAIMS]


_on_variants = partial(Claim, experiment="variants", where="Results, Variants")
_on_rivals = partial(Claim, where="Results, Comparison of Algorithms")

CLAIMS: tuple[Claim, ...] = (
    Claim(
        key="table-2",
        experiment="steps",
        text="Table 2: T rounds and (1-s)v, sv evaluations, given s and the budget.",
        where="Setup, Steps along the Descent Direction",
        test=verdicts.table_2_follows,
    ),
    Claim(
        key="share-0.3",
        experiment="steps",
        text="For high budgets s = 0.3 is the most robust value across the benchmark problems.",
        where="Results, Steps along the Descent Direction; Conclusions",
        test=verdicts.share_03_is_most_robust,
    ),
    _on_variants(
        key="variants-low-budget",
        text="For low budgets there is no difference between the variants.",
        test=verdicts.variants_start_alike,
    ),
    _on_variants(
        key="restart",
        text="Towards high budgets, variants with restart perform marginally better.",
        test=verdicts.restart_helps,
    ),
    _on_variants(
        key="antithetic",
        text="No significant difference between antithetic variants and their counterparts.",
        test=verdicts.mirroring_makes_no_difference,
    ),
    _on_variants(
        key="cma-on-L1",
        text="CMA-ES-based variants perform exceptionally well on the symmetrical, quadratic L1.",
        test=verdicts.cma_excels_on_l1,
    ),
    _on_rivals(
        key="decrease",
        experiment="convergence",
        text="With a larger budget the regret of Reckless and MMDE consistently decreases.",
        test=verdicts.reckless_and_mmde_decrease,
    ),
    _on_rivals(
        key="memoryless",
        experiment="convergence",
        text="This is not the case for the two coevolutionary algorithms, due to their memoryless nature.",
        test=verdicts.coevolution_does_not_decrease,
    ),
    _on_rivals(
        key="mmde-scales-poorly",
        experiment="scalability",
        text="MMDE scales poorly in comparison to the other algorithms.",
        test=verdicts.mmde_scales_poorly,
    ),
    _on_rivals(
        key="consistent-on-L1",
        experiment="scalability",
        text="The performance of Reckless is consistent on L1 as n grows.",
        test=verdicts.reckless_is_consistent_on_l1,
    ),
    _on_rivals(
        key="comparable-on-L2",
        experiment="scalability",
        text="On L2 Reckless is comparable with CoevA and outperforms both MMDE and CoevP.",
        test=verdicts.reckless_is_like_alternating_on_l2,
    ),
    Claim(
        key="friedman",
        experiment="scalability",
        text="In each of the four Friedman tests the null hypothesis was rejected with p < 1e-3.",
        where="Figure of critical differences, caption",
        test=verdicts.all_four_reject,
    ),
    Claim(
        key="significance",
        experiment="convergence",
        text="A significant difference was only found between Reckless and CoevP, in convergence.",
        where="Results, Statistical Significance",
        test=verdicts.only_parallel_differs,
    ),
    Claim(
        key="high-dimension",
        experiment="scalability",
        text="Reckless outperforms the majority of the coevolutionary algorithms in high dimension.",
        where="Conclusions",
        test=verdicts.outperforms_the_majority,
    ),
    Claim(
        key="filter",
        experiment="filter",
        text="Reckless outperforms all others in finding the best worst-case design of the digital filter.",
        where="Application Example, text and table",
        test=verdicts.reckless_wins_the_filter,
    ),
    Claim(
        key="filter-regret",
        experiment="filter",
        text="The median regret of Reckless on the digital filter is 4.16e-13.",
        where="Application Example, table",
        test=verdicts.signed_filter_vanishes,
    ),
)
