"""Test the claims of the paper on our medians: one function per claim, in the order of the paper."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import product
from typing import NamedTuple

import numpy as np

from reckless.bench.paper.medians import RANKED_FROM, Medians, Missing
from reckless.bench.paper.published import CHARALAMBOUS_1979
from reckless.bench.paper.studies import (
    ALTERNATING,
    BUDGETS,
    FILTERS,
    MMDE,
    PARALLEL,
    PROBLEMS,
    RECKLESS,
    RIVALS,
    SHARES,
    STEPS,
    TABLE_2_PRINTED,
    VARIANT_METHODS,
    table_2,
)
from reckless.bench.statistics import average_ranks, friedman, nemenyi, wilcoxon_holm
from reckless.core.arrays import Array


class Finding(StrEnum):
    """Whether a claim held."""

    HOLDS = "holds"
    FAILS = "does not hold"
    UNTESTED = "cannot be tested"


class Verdict(NamedTuple):
    """The outcome of a claim on our runs, and a sentence with the numbers behind it."""

    outcome: Finding
    sentence: str


def _said(outcome: bool, sentence: str) -> Verdict:
    return Verdict(Finding.HOLDS if outcome else Finding.FAILS, sentence)


def _numbers(labels: Sequence[object], values: Iterable[float]) -> str:
    return ", ".join(f"{label} {value:.3g}" for label, value in zip(labels, values, strict=True))


def _rows(labels: Sequence[object], rows: dict[str, list[float]]) -> str:
    return "; ".join(f"{name}: {_numbers(labels, row)}" for name, row in rows.items())


def table_2_follows(medians: Medians) -> Verdict:
    ours = table_2()
    equal = sum(row == printed for row, printed in zip(ours, TABLE_2_PRINTED, strict=True))
    return _said(
        equal == len(ours),
        f"{equal} of {len(ours)} rows come out as printed, with T rounded down and n = 5; the formula "
        f"rounds T up, which gives {ours[-1].n_rounds + 1}, not {ours[-1].n_rounds} rounds in the last.",
    )


def share_03_is_most_robust(medians: Medians) -> Verdict:
    budget = medians.budgets(PROBLEMS, STEPS)[-1]
    table = medians.table(PROBLEMS, STEPS, budget)
    worst = np.array([average_ranks(row[None, :]) for row in table]).max(axis=0)
    return _said(
        bool(worst[SHARES.index(0.3)] == worst.min()),
        f"At {budget:,} evaluations the worst rank over six problems is, by s: {_numbers(SHARES, worst)} "
        f"(average ranks {_numbers(SHARES, average_ranks(table))}); robust means that the worst rank is small.",
    )


def variants_start_alike(medians: Medians) -> Verdict:
    budget = medians.budgets(PROBLEMS, VARIANT_METHODS)[0]
    test = friedman(medians.table(PROBLEMS, VARIANT_METHODS, budget))
    return _said(
        test.p_value >= 0.05,
        f"At {budget:,} evaluations a Friedman test over six problems gives p = {test.p_value:.3g} "
        f"(the smallest it could give is {test.smallest_p:.2g}).",
    )


def _pairs(medians: Medians, *, without: Sequence[str], with_it: Sequence[str]) -> tuple[int, Array]:
    """Return the largest budget, and medians (problems x pairs of variants, 2): plain first."""
    budget = medians.budgets(PROBLEMS, VARIANT_METHODS)[-1]
    plain = medians.table(PROBLEMS, [f"reckless-{name}" for name in without], budget)
    other = medians.table(PROBLEMS, [f"reckless-{name}" for name in with_it], budget)
    return budget, np.column_stack([plain.ravel(), other.ravel()])


def restart_helps(medians: Medians) -> Verdict:
    budget, table = _pairs(medians, without=("n", "an", "c", "ac"), with_it=("nr", "anr", "cr", "acr"))
    better, worse = np.sum(table[:, 1] < table[:, 0]), np.sum(table[:, 1] > table[:, 0])
    return _said(
        bool(better > worse),
        f"At {budget:,} evaluations restart has the smaller median in {better} of {len(table)} pairs (four "
        f"variants on six problems), the larger in {worse}.",
    )


def mirroring_makes_no_difference(medians: Medians) -> Verdict:
    budget, table = _pairs(medians, without=("n", "nr", "c", "cr"), with_it=("an", "anr", "ac", "acr"))
    (pair,) = wilcoxon_holm(np.log10(table), ["plain", "antithetic"])
    better, worse = np.sum(table[:, 1] < table[:, 0]), np.sum(table[:, 1] > table[:, 0])
    return _said(
        not pair.significant,
        f"At {budget:,} evaluations antithetic sampling has the smaller median in {better} of {len(table)} "
        f"pairs, the larger in {worse}; signed-rank p = {pair.p_value:.3g} on logarithms. Pairs on the same "
        f"problem are not independent, so this p is rather too small.",
    )


def cma_excels_on_l1(medians: Medians) -> Verdict:
    budget = medians.budgets(PROBLEMS[:1], VARIANT_METHODS)[-1]
    values = {name: medians.regret("L1", name, budget) for name in VARIANT_METHODS}
    cma = max(value for name, value in values.items() if "c" in name.removeprefix("reckless-"))
    nes = min(value for name, value in values.items() if "n" in name.removeprefix("reckless-"))
    return _said(
        1000.0 * cma <= nes,
        f"At {budget:,} evaluations the worst CMA-ES variant has {cma:.2g} on L1, the best NES variant "
        f"{nes:.2g}; a factor 1000 between them is asked for.",
    )


def _rises(medians: Medians, *methods: str) -> dict[str, list[str]]:
    """Find where the median regret of each method grows from one budget to the next."""
    budgets = medians.budgets(PROBLEMS, RIVALS)
    if len(budgets) < 2:
        raise Missing("Only one budget was run.")
    tables = [medians.table(PROBLEMS, methods, budget) for budget in budgets]
    rises: dict[str, list[str]] = {method: [] for method in methods}
    for (j, method), (i, problem) in product(enumerate(methods), enumerate(PROBLEMS)):
        for budget, before, after in zip(budgets[1:], tables, tables[1:], strict=False):
            if after[i, j] > before[i, j]:
                rises[method].append(f"{problem} {before[i, j]:.2g} to {after[i, j]:.2g} at {budget:,}")
    return rises


def _told(rises: dict[str, list[str]]) -> str:
    parts = (f"{m} " + (f"rises on {', '.join(r)}" if r else "never rises") for m, r in rises.items())
    return f"Median regret from budget to budget: {'; '.join(parts)}."


def reckless_and_mmde_decrease(medians: Medians) -> Verdict:
    rises = _rises(medians, RECKLESS, MMDE)
    return _said(not any(rises.values()), _told(rises))


def coevolution_does_not_decrease(medians: Medians) -> Verdict:
    rises = _rises(medians, ALTERNATING, PARALLEL)
    return _said(all(rises.values()), _told(rises))


def _at_largest_size(medians: Medians) -> tuple[int, dict[str, list[float]]]:
    n = medians.sizes()[-1]
    return n, {name: [medians.at_size(name, method, n) for method in RIVALS] for name in ("L1", "L2")}


def mmde_scales_poorly(medians: Medians) -> Verdict:
    n, rows = _at_largest_size(medians)
    return _said(all(row[1] == max(row) for row in rows.values()), f"At n = {n}: {_rows(RIVALS, rows)}.")


def reckless_is_consistent_on_l1(medians: Medians) -> Verdict:
    sizes = medians.sizes()
    first = [n for n in sizes if medians.at_size("L1", RECKLESS, n) <= min(medians.at_size("L1", m, n) for m in RIVALS)]
    values = [medians.at_size("L1", RECKLESS, n) for n in sizes]
    return _said(
        first == sizes,
        f"It has the smallest median of the four at {len(first)} of {len(sizes)} sizes; its medians by n: "
        f"{_numbers(sizes, values)}.",
    )


def reckless_is_like_alternating_on_l2(medians: Medians) -> Verdict:
    sizes = medians.sizes()
    values = {method: [medians.at_size("L2", method, n) for n in sizes] for method in RIVALS}
    ours = values[RECKLESS]
    near = sum(max(a, b) <= 2.0 * min(a, b) + 0.1 for a, b in zip(ours, values[ALTERNATING], strict=True))
    ahead = sum(a <= min(b, c) for a, b, c in zip(ours, values[MMDE], values[PARALLEL], strict=True))
    return _said(
        near == ahead == len(sizes),
        f"Within a factor 2 of {ALTERNATING} at {near} of {len(sizes)} sizes, ahead of both at {ahead}; "
        f"{_rows(sizes, values)}.",
    )


def _experiment_tables(medians: Medians) -> dict[str, Array]:
    """Return the medians at the largest budget, or n, of each of the four experiments with a statistical test."""
    tables = {
        name: medians.table(PROBLEMS, methods, medians.budgets(PROBLEMS, methods)[-1])
        for name, methods in (("steps", STEPS), ("variants", VARIANT_METHODS), ("convergence", RIVALS))
    }
    _, rows = _at_largest_size(medians)
    return {**tables, "scalability": np.maximum(list(rows.values()), RANKED_FROM)}


def all_four_reject(medians: Medians) -> Verdict:
    tests = {name: friedman(table) for name, table in _experiment_tables(medians).items()}
    told = ", ".join(f"{name} {test.p_value:.2g} (at best {test.smallest_p:.2g})" for name, test in tests.items())
    return _said(
        all(test.p_value < 1e-3 for test in tests.values()),
        f"Friedman p over medians at the largest budget, blocks = problems: {told}. With two problems no "
        f"data can reach 1e-3.",
    )


def only_parallel_differs(medians: Medians) -> Verdict:
    budget = medians.budgets(PROBLEMS, RIVALS)[-1]
    test = nemenyi(medians.table(PROBLEMS, RIVALS, budget), RIVALS)
    found = {(i, j) for i, j in zip(*np.nonzero(test.significant), strict=True) if i < j}
    return _said(
        found == {(0, 3)},
        f"At {budget:,} evaluations: {test.sentence('6 problems')} Average ranks: {_numbers(RIVALS, test.ranks)}.",
    )


def outperforms_the_majority(medians: Medians) -> Verdict:
    n, rows = _at_largest_size(medians)
    on_l1, on_l2 = (sum(row[0] < value for value in row[1:]) for row in rows.values())
    return _said(
        min(on_l1, on_l2) >= 2,
        f"At n = {n} it is ahead of {on_l1} of 3 on L1 and of {on_l2} of 3 on L2; {_rows(RIVALS, rows)}.",
    )


def reckless_wins_the_filter(medians: Medians) -> Verdict:
    budget = medians.budgets(["filter"], RIVALS)[-1]
    values = [medians.worst_case("filter", method, budget) for method in RIVALS]
    return _said(
        values[0] == min(values) and values[0] < CHARALAMBOUS_1979,
        f"On the error |e| as printed the median worst cases at {budget:,} evaluations are "
        f"{_numbers(RIVALS, values)}; Charalambous's point has {CHARALAMBOUS_1979:.3g}, the optimum 6.61e-3.",
    )


def signed_filter_vanishes(medians: Medians) -> Verdict:
    budget = BUDGETS[-1]  # the printed number is one for this budget, and no other can confirm it
    signed, printed = (medians.worst_case(name, RECKLESS, budget) for name in FILTERS[::-1])
    return _said(
        signed < 1e-9,
        f"Without the bars around e the median worst case of {RECKLESS} at {budget:,} evaluations is "
        f"{signed:.3g}, with them {printed:.3g}. The small number is that of a filter that is silent (A near "
        f"0), whose signed error is never positive: an artefact.",
    )
