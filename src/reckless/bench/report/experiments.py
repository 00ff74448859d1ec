"""What a report is divided into: the experiments of the paper that the records cover, and the rest."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from reckless.bench import paper
from reckless.bench.figures import MethodStyle, assign_styles
from reckless.bench.record import Record
from reckless.bench.report.groups import Group, group_records
from reckless.bench.report.words import Comparison, compare

Published = Callable[[Group], float | None]


class JudgedClaim(NamedTuple):
    """What the paper said, where, and what became of it."""

    text: str
    where: str
    outcome: str
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Experiment:
    """One section of the report.

    key, title, text: its address, its heading, and what it is about.
    groups: its runs. labels: short names of methods in this section.
    n_full: how many runs the paper's experiment has in full; 0 outside the paper.
    claims: those of the paper that it bears on. published: the paper's median of a group, or None.
    comparisons: its methods against each other, over one choice of blocks or two.
    """

    key: str
    title: str
    text: str
    groups: tuple[Group, ...]
    labels: dict[str, str]
    n_full: int = 0
    claims: tuple[JudgedClaim, ...] = ()
    published: Published | None = None
    comparisons: tuple[Comparison, ...] = ()

    @property
    def methods(self) -> list[str]:
        return list(dict.fromkeys(group.method for group in self.groups))

    @property
    def n_runs(self) -> int:
        return sum(len(group.records) for group in self.groups)

    @property
    def problems(self) -> list[str]:
        return list(dict.fromkeys(group.problem for group in self.groups))


class _Heading(NamedTuple):
    title: str
    text: str


_HEADINGS = {
    "steps": _Heading(
        "Steps along the descent direction",
        "Reckless, variant N, with the share s of the evaluations of a round that the descent in x gets. "
        "The paper's first experiment.",
    ),
    "variants": _Heading(
        "Variants of Reckless",
        "The eight variants: N or C for the strategy of the descent (NES, CMA-ES), A for antithetic sampling, R for "
        "restarts. The paper's second experiment.",
    ),
    "convergence": _Heading(
        "Convergence of four methods",
        "Reckless CR, minimax differential evolution (MMDE), alternating (CoevA) and parallel (CoevP) "
        "coevolution, each run anew for every budget. The paper's third experiment.",
    ),
    "scalability": _Heading(
        "Scalability",
        "The four methods on L1 and L2 in n dimensions with 10,000 n evaluations. The paper's fourth experiment.",
    ),
    "filter": _Heading(
        "Digital filter",
        "The paper's application: nine coefficients against one frequency. Problem filter measures |e| as the "
        "paper prints it; filter-signed leaves out the bars, as the published numbers do.",
    ),
}
_RIVAL_LABELS = dict(zip(paper.RIVALS, ("Reckless CR", "MMDE", "CoevA", "CoevP"), strict=True))
_LABELS = {
    "steps": {method: f"s = {share}" for method, share in zip(paper.STEPS, paper.SHARES, strict=True)},
    "variants": {method: method.removeprefix("reckless-").upper() for method in paper.VARIANT_METHODS},
}


def split_experiments(records: Sequence[Record]) -> list[Experiment]:
    """The experiments of the paper whose methods met all their problems, then everything that is in none of them."""
    claims = paper.judge_claims(records)
    found, used = [], set[int]()
    for name in paper.EXPERIMENTS:
        members = _members(name, records)
        if not members:
            continue
        used |= {id(record) for record in members}
        judged = [(claim, v) for claim, v in claims if claim.experiment == name]
        labels = _LABELS.get(name, _RIVAL_LABELS)
        groups = tuple(group_records(members, labels))
        found.append(
            Experiment(
                key=name,
                title=_HEADINGS[name].title,
                text=_HEADINGS[name].text,
                groups=groups,
                labels=labels,
                n_full=sum(1 for _ in paper.experiment(name).cells()),
                claims=tuple(JudgedClaim(c.text, c.where, str(v.outcome), v.sentence) for c, v in judged),
                published=_published(name),
                comparisons=tuple(compare(groups, labels)),
            )
        )
    rest = [record for record in records if id(record) not in used]
    if rest:
        text = "Every method on every problem with every budget of the study."
        if found:
            text = "Runs that belong to none of the paper's experiments, or to one that is far from complete."
        groups = tuple(group_records(rest))
        compared = tuple(compare(groups, {}))
        found.append(
            Experiment(key="comparison", title="Comparison", text=text, groups=groups, labels={}, comparisons=compared)
        )
    return found


def styles_of(experiments: Sequence[Experiment]) -> dict[str, MethodStyle]:
    """One look per method for all figures; the paper's four methods look the same in every report on it."""
    looks = assign_styles([paper.RIVALS, *(experiment.methods for experiment in experiments)])
    used = dict.fromkeys(method for experiment in experiments for method in experiment.methods)
    return {method: looks[method] for method in used}


def _members(name: str, records: Sequence[Record]) -> list[Record]:
    """The records of an experiment, full or quick; none unless each method has runs on each problem."""
    cells = {}
    for quick in (False, True):
        study = paper.experiment(name, quick=quick)
        cells[quick] = {(cell.problem, cell.method, cell.budget) for cell in study.cells()}
    either = cells[False] | cells[True]
    members = [record for record in records if (record.problem, record.method, record.budget) in either]
    seen = {(record.problem, record.method) for record in members}
    is_covered = any({(p, m) for p, m, _ in wanted} <= seen for wanted in cells.values())
    return members if is_covered else []


def _published(name: str) -> Published:
    return lambda group: paper.published_median(name, group.problem, group.method, group.budget)
