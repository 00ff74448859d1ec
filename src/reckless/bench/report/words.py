"""Statistics in words: what the blocks are, what the tests say, and what they could have said at best."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from reckless.bench.paper import RANKED_FROM
from reckless.bench.report.groups import Group, at_largest_budget, family, scaled_families
from reckless.bench.report.markup import Column, Row, Value, number
from reckless.bench.statistics import NemenyiTest, friedman, nemenyi, superiority, wilcoxon_holm
from reckless.core.arrays import Array

ALPHA = 0.05

PAIR_COLUMNS = (
    Column("method"),
    Column("against"),
    Column("blocks that differ", "Blocks in which the two medians differ; only these count"),
    Column("p", "Wilcoxon's signed-rank test on logarithms of the medians, two-sided"),
    Column("p, Holm", "The same after Holm's correction for all pairs"),
    Column("least p, Holm", "The least it could be with so many differences and pairs"),
    Column("effect", "Rank-biserial correlation: 1 if the first is better in every block, -1 if the second is"),
    Column("wins", "Chance that a run of the first beats a run of the second, mean over blocks; ties half"),
    Column("verdict"),
)


class Comparison(NamedTuple):
    """All methods over one choice of blocks: the test behind the diagram, sentences, and the table of pairs."""

    blocks: str
    test: NemenyiTest | None
    sentences: tuple[str, ...]
    pairs: tuple[Row, ...]


def compare(groups: Sequence[Group], labels: dict[str, str]) -> list[Comparison]:
    """Compare over problems at their largest budget, as the paper does, and over all budgets and sizes."""
    largest = at_largest_budget(groups)
    scaled = scaled_families(groups)
    if scaled:  # of a family only its largest size counts as a problem
        last = {list(sizes)[-1] for sizes in scaled.values()}
        largest = [g for g in largest if family(g.problem) not in scaled or g.problem in last]
    where = "problems at their largest budget" + (" and size" if scaled else "")
    found = [_compare(largest, where, labels)]
    if len(_blocks(groups)) > len(_blocks(largest)):
        found.append(_compare(groups, "combinations of problem and budget", labels))
    return found


def _blocks(groups: Sequence[Group]) -> dict[tuple[str, int], dict[str, Group]]:
    blocks: dict[tuple[str, int], dict[str, Group]] = {}
    for group in groups:
        blocks.setdefault((group.problem, group.budget), {})[group.method] = group
    return blocks


def _compare(groups: Sequence[Group], where: str, labels: dict[str, str]) -> Comparison:
    methods = list(dict.fromkeys(group.method for group in groups))
    blocks = _blocks(groups)
    complete = [block for block in blocks.values() if len(block) == len(methods)]
    told = f"{len(complete)} {where}"
    left_out = len(blocks) - len(complete)
    notes = [f"Blocks left out because some method has no runs there: {left_out}."] if left_out else []
    if len(methods) < 2 or len(complete) < 2:
        had = f"complete blocks: {len(complete)}, methods: {len(methods)}"
        why = f"No test: it takes two blocks and two methods or more ({had})."
        return Comparison(told, None, (why, *notes), ())
    medians = np.array([[block[method].summary.median for method in methods] for block in complete])
    scores = np.maximum(medians, RANKED_FROM)
    names = [labels.get(method, method) for method in methods]
    if len(set(names)) < len(names):
        names = methods
    test = nemenyi(scores, methods, ALPHA)
    said = replace(test, names=tuple(names)).sentence(told)
    rule = f"Ranked are median regrets; below {RANKED_FROM:g} all count as equal."
    sentences = (_say_friedman(scores, told), said, rule, *notes)
    return Comparison(told, test, sentences, _pairs(complete, methods, scores, names))


def _say_friedman(scores: Array, told: str) -> str:
    test = friedman(scores)
    outcome, able = "which says nothing", "so it can never reject."
    if test.can_reject(ALPHA):
        outcome = "the methods differ" if test.p_value <= ALPHA else "no difference is shown"
        able = f"so the test can reject at {ALPHA:g}."
    least = f"The smallest p that {test.n_blocks} blocks and {test.n_methods} methods can give is {test.smallest_p:.2g}"
    return (
        f"Friedman over {told}: chi-square {test.statistic:.3g}, p = {test.p_value:.2g}, {outcome} "
        f"(Iman-Davenport p = {test.f_p_value:.2g}, Kendall's W = {test.kendall_w:.2f}). {least}, {able}"
    )


def _pairs(
    blocks: Sequence[dict[str, Group]], methods: Sequence[str], scores: Array, names: Sequence[str]
) -> tuple[Row, ...]:
    rows = []
    compared = wilcoxon_holm(np.log10(scores), names, ALPHA)
    for pair, (first, second) in zip(compared, combinations(methods, 2), strict=True):
        wins = [superiority(block[first].regrets, block[second].regrets) for block in blocks]
        verdict = "no difference shown"
        if not pair.can_reject:
            verdict = "cannot reject"
        elif pair.significant:
            verdict = f"{pair.first if pair.effect > 0 else pair.second} ahead"
        cells: list[Value] = [pair.first, pair.second, pair.n_nonzero, pair.p_value, pair.p_adjusted]
        rows.append(Row([*cells, pair.smallest_p_adjusted, pair.effect, float(np.mean(wins)), verdict]))
    return tuple(rows)


def headline(comparison: Comparison, labels: dict[str, str]) -> str:
    """Say the outcome in a sentence for the summary."""
    test = comparison.test
    if test is None:
        return comparison.sentences[0]
    ranked = sorted(zip(test.ranks.tolist(), test.names, strict=True))
    (rank, first), (worst, last) = ranked[0], ranked[-1]
    verdict = "the test cannot reject, whatever the data"
    if test.can_reject:
        n = int(test.significant.sum()) // 2
        verdict = f"{n} pairs differ significantly" if n != 1 else "one pair differs significantly"
    return (
        f"best average rank {labels.get(first, first)} ({number(rank)}), last {labels.get(last, last)} "
        f"({number(worst)}), over {comparison.blocks}; {verdict}."
    )
