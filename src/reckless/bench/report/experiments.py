"""The experiments of a report: those of the paper that the records cover, and one for the rest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from reckless.bench import paper
from reckless.bench.figures.style import Styles, assign_styles
from reckless.bench.record import Record
from reckless.bench.report.groups import Group, group_records
from reckless.bench.report.words import Comparison, compare
from reckless.core.words import printable


@dataclass(frozen=True, kw_only=True, eq=False)
class Experiment:
    """One section of the report.

    key, title, text: its address, its heading, and what it is about.
    groups: its runs. labels: short names of methods in this section.
    n_full: how many runs the paper's experiment has in full; 0 outside the paper.
    claims: what the paper says of it, each with our verdict.
    styles, numbers: how each of its methods looks in all figures, and its number on the page.
    """

    key: str
    title: str
    text: str
    groups: tuple[Group, ...]
    labels: dict[str, str]
    n_full: int = 0
    claims: tuple[tuple[paper.Claim, paper.Verdict], ...] = ()
    styles: Styles = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)

    @property
    def methods(self) -> list[str]:
        return list(dict.fromkeys(group.method for group in self.groups))

    @property
    def n_runs(self) -> int:
        return sum(len(group.records) for group in self.groups)

    @cached_property
    def comparison(self) -> Comparison:
        """Its methods against each other."""
        return compare(self.groups, self.labels)

    def published(self, group: Group) -> float | None:
        """Return the paper's median of this group, or None."""
        return paper.published_median(self.key, group.problem, group.method, group.budget)


_HEADINGS = {
    "steps": (
        "Steps along the descent direction",
        "Reckless, variant N, with the share s of the evaluations of a round that the descent in x gets. "
        "The paper's first experiment.",
    ),
    "variants": (
        "Variants of Reckless",
        "The eight variants: N or C for the strategy of the descent (NES, CMA-ES), A for antithetic sampling, R for "
        "restarts. The paper's second experiment.",
    ),
    "convergence": (
        "Convergence of four methods",
        "Reckless CR, minimax differential evolution (MMDE), alternating (CoevA) and parallel (CoevP) "
        "coevolution, each run anew for every budget. The paper's third experiment.",
    ),
    "scalability": (
        "Scalability",
        "The four methods on L1 and L2 in n dimensions with 10,000 n evaluations. The paper's fourth experiment.",
    ),
    "filter": (
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


def _readable(record: Record) -> Record:
    """Return the record, control characters in its names escaped: a page cannot hold them."""
    problem, method = printable(record.problem), printable(record.method)
    is_so = (problem, method) == (record.problem, record.method)
    return record if is_so else replace(record, problem=problem, method=method)


def split_experiments(records: Sequence[Record]) -> list[Experiment]:
    """Return the paper's experiments whose methods met all their problems, then all records in none of them."""
    records = [_readable(record) for record in records]
    judged = paper.judge_claims(records)
    found, used = [], set[int]()
    for name, (title, text) in _HEADINGS.items():
        members = _members(name, records)
        if not members:
            continue
        used |= {id(record) for record in members}
        labels = _LABELS.get(name, _RIVAL_LABELS)
        found.append(
            Experiment(
                key=name,
                title=title,
                text=text,
                groups=tuple(group_records(members, labels)),
                labels=labels,
                n_full=sum(1 for _ in paper.experiment(name).cells()),
                claims=tuple((claim, verdict) for claim, verdict in judged if claim.experiment == name),
            )
        )
    rest = tuple(group_records(record for record in records if id(record) not in used))
    if rest:
        text = "Every method on every problem with every budget of the study."
        if found:
            text = "Runs that belong to none of the paper's experiments, or to one that is far from complete."
        found.append(Experiment(key="comparison", title="Comparison", text=text, groups=rest, labels={}))
    return _with_looks(found)


def _with_looks(experiments: Sequence[Experiment]) -> list[Experiment]:
    """Give each method one look and one number; the paper's four methods look the same in every report on it."""
    looks = assign_styles([paper.RIVALS, *(experiment.methods for experiment in experiments)])
    used = dict.fromkeys(method for experiment in experiments for method in experiment.methods)
    numbers = {method: at for at, method in enumerate(used)}
    return [
        replace(e, styles={m: looks[m] for m in e.methods}, numbers={m: numbers[m] for m in e.methods})
        for e in experiments
    ]


def _members(name: str, records: Sequence[Record]) -> list[Record]:
    """Return the records of an experiment, full or quick; none unless each method has runs on each problem."""
    studies = [
        {(cell.problem, cell.method, cell.budget) for cell in paper.experiment(name, quick=quick).cells()}
        for quick in (False, True)
    ]
    either = set.union(*studies)
    members = [record for record in records if (record.problem, record.method, record.budget) in either]
    seen = {(record.problem, record.method) for record in members}
    return members if any({(p, m) for p, m, _ in wanted} <= seen for wanted in studies) else []
