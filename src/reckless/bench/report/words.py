"""Statistics in words: what the blocks are, what the test says, and what it could have said at best.

There is one test per question. With two methods, "is one ahead?": Wilcoxon's signed-rank test. With more, "do they
differ?": Friedman's test, and only if it says so, "which ones?": Nemenyi's. The table of pairs tests nothing.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from reckless.bench.paper import RANKED_FROM
from reckless.bench.report.groups import Group, at_largest_budget, family, scaled_families
from reckless.bench.report.markup import Column, Row, number
from reckless.bench.statistics import NemenyiTest, PairComparison, friedman, nemenyi, superiority, wilcoxon_holm
from reckless.core.arrays import Array

ALPHA = 0.05

PAIR_COLUMNS = (
    Column("method"),
    Column("against"),
    Column("ahead", "Blocks in which the median of the first is smaller"),
    Column("behind", "Blocks in which it is larger"),
    Column("equal", "Blocks in which the two medians count as equal"),
    Column("effect", "Rank-biserial correlation: 1 if the first is better in every block, -1 if the second is"),
    Column("wins", "Chance that a run of the first beats a run of the second, mean over blocks; ties half"),
)
DEPENDENT = (
    "Runs of one problem with several budgets or sizes depend on each other, so every problem counts once, with its "
    "largest."
)


class Comparison(NamedTuple):
    """All methods against each other over problems.

    blocks: what they are compared over, as in "6 problems at their largest budget".
    verdict: the outcome in a few words. sentences: the test in full. pairs: rows of the table that describes.
    ranks: average ranks of three methods or more. note: why their diagram joins none of them.
    """

    blocks: str
    verdict: str
    sentences: tuple[str, ...]
    pairs: tuple[Row, ...] = ()
    ranks: NemenyiTest | None = None
    note: str = ""


def compare(groups: Sequence[Group], labels: dict[str, str]) -> Comparison:
    """Compare over problems at their largest budget, as the paper does; of a family only the largest size counts."""
    largest = at_largest_budget(groups)
    scaled = scaled_families(groups)
    if scaled:
        last = {list(sizes)[-1] for sizes in scaled.values()}
        largest = [g for g in largest if family(g.problem) not in scaled or g.problem in last]
    where = "at their largest budget" + (" and size" if scaled else "")
    notes = [DEPENDENT] if len(_blocks(groups)) > len(_blocks(largest)) else []
    return _compare(largest, where, labels, notes)


def _blocks(groups: Sequence[Group]) -> dict[tuple[str, int], dict[str, Group]]:
    blocks: dict[tuple[str, int], dict[str, Group]] = {}
    for group in groups:
        blocks.setdefault((group.problem, group.budget), {})[group.method] = group
    return blocks


def _compare(groups: Sequence[Group], where: str, labels: dict[str, str], notes: Sequence[str]) -> Comparison:
    methods = list(dict.fromkeys(group.method for group in groups))
    blocks = _blocks(groups)
    complete = [block for block in blocks.values() if len(block) == len(methods)]
    told = f"{len(complete)} problem{'' if len(complete) == 1 else 's'} {where}"
    left_out = len(blocks) - len(complete)
    notes = [*notes, *([f"Blocks left out because some method has no runs there: {left_out}."] if left_out else [])]
    if len(methods) < 2 or len(complete) < 2:
        had = f"complete blocks: {len(complete)}, methods: {len(methods)}"
        why = f"No test: it takes two blocks and two methods or more ({had})."
        return Comparison(told, why, (why, *notes))
    medians = np.array([[block[method].summary.median for method in methods] for block in complete])
    scores = np.maximum(medians, RANKED_FROM)
    names = [labels.get(method, method) for method in methods]
    names = names if len(set(names)) == len(names) else methods
    outcome = (_test_two if len(methods) == 2 else _test_many)(scores, methods, names, told)
    rule = f"Compared are median regrets; below {RANKED_FROM:g} all count as equal."
    pairs = _describe_pairs(complete, methods, scores, names)
    return outcome._replace(sentences=(*outcome.sentences, rule, *notes), pairs=pairs)


def _test_two(scores: Array, methods: Sequence[str], names: Sequence[str], told: str) -> Comparison:
    """Ask whether one of two methods is ahead."""
    (pair,) = wilcoxon_holm(np.log10(scores), names, ALPHA)
    verdict = f"over {told} (Wilcoxon p = {pair.p_value:.2g}): {_say_pair(pair)}."
    least = ""
    if not pair.can_reject:
        least = f" {pair.n_nonzero} blocks that differ give p = {pair.smallest_p_adjusted:.2g} at best."
    sentence = (
        f"Wilcoxon's signed-rank test over {told}, on logarithms of the medians: p = {pair.p_value:.2g}, "
        f"{_say_pair(pair)}.{least}"
    )
    return Comparison(told, verdict, (sentence,))


def _say_pair(pair: PairComparison) -> str:
    if not pair.can_reject:
        return "the test cannot reject, whatever the data"
    if not pair.significant:
        return "no difference is shown, which is no proof of equality"
    first, second = (pair.first, pair.second) if pair.effect > 0 else (pair.second, pair.first)
    return f"{first} is ahead of {second}"


def _test_many(scores: Array, methods: Sequence[str], names: Sequence[str], told: str) -> Comparison:
    """Ask whether methods differ, and only then which ones."""
    overall, ranks = friedman(scores), nemenyi(scores, methods, ALPHA)
    friedman_said = f"Friedman's test over {told}: chi-square {overall.statistic:.3g}, p = {overall.p_value:.2g}"
    agreement = f"(Kendall's W = {overall.kendall_w:.2f})"
    (best, first), (worst, last) = (pick(zip(ranks.ranks.tolist(), names, strict=True)) for pick in (min, max))
    ranked = f"best average rank {first} ({number(best)}), last {last} ({number(worst)}), over {told}"
    if overall.can_reject(ALPHA) and overall.p_value <= ALPHA:
        pairs_said = replace(ranks, names=tuple(names)).sentence()
        n = int(ranks.significant.sum()) // 2
        verdict = f"{ranked}; {'one pair differs' if n == 1 else f'{n} pairs differ'} significantly."
        sentences = f"{friedman_said}: the methods differ {agreement}.", f"Nemenyi's test: {pairs_said}"
        return Comparison(told, verdict, sentences, ranks=ranks)
    if overall.can_reject(ALPHA):
        note = f"Friedman p = {overall.p_value:.2g}: no difference is shown, so no pairs are tested."
        said = f"{friedman_said}: no difference is shown {agreement}, so no pairs are tested."
    else:
        note = f"{overall.n_blocks} blocks are too few for a test of {overall.n_methods} methods."
        least = f"{overall.n_blocks} blocks and {overall.n_methods} methods give p = {overall.smallest_p:.2g} at best"
        said = f"{friedman_said}, which says nothing: {least}, so the test cannot reject, whatever the data."
    return Comparison(told, f"{ranked}. {note}", (said,), ranks=ranks, note=note)


def _describe_pairs(
    blocks: Sequence[dict[str, Group]], methods: Sequence[str], scores: Array, names: Sequence[str]
) -> tuple[Row, ...]:
    rows = []
    compared = wilcoxon_holm(np.log10(scores), names, ALPHA)
    for pair, (i, j) in zip(compared, combinations(range(len(methods)), 2), strict=True):
        runs = [(block[methods[i]].regrets, block[methods[j]].regrets) for block in blocks]
        n_ahead = int((scores[:, i] < scores[:, j]).sum())
        counts = n_ahead, pair.n_nonzero - n_ahead, len(blocks) - pair.n_nonzero
        chance = float(np.mean([superiority(*both) for both in runs]))
        rows.append(Row([pair.first, pair.second, *counts, pair.effect, chance]))
    return tuple(rows)
