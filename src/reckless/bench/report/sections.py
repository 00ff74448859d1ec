"""The parts of the page: summary, experiments, provenance."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from math import nan

from reckless.bench.figures import MethodStyle
from reckless.bench.record import Record
from reckless.bench.report import explain
from reckless.bench.report.drawing import Drawing, draw_filters, draw_ranks, draw_regrets, draw_runtimes
from reckless.bench.report.experiments import Experiment, JudgedClaim
from reckless.bench.report.groups import Group
from reckless.bench.report.markup import Column, Row, Value, legend, slug, table, text
from reckless.bench.report.svg import figure_block, inline
from reckless.bench.report.words import PAIR_COLUMNS, headline

COLUMNS = (
    Column("problem"),
    Column("evaluations", "The budget of a run"),
    Column("method"),
    Column("runs"),
    Column("median", "Median regret"),
    Column("lower quartile"),
    Column("upper quartile"),
    Column("mean"),
    Column("standard deviation"),
    Column("≤ 1e-16", "Runs whose regret is at most 1e-16, zero and negative ones included"),
    Column("negative", "Runs whose regret is negative"),
    Column("inner gap", "Median of the worst case minus the method's own estimate: how far it deceived itself"),
    Column("seconds", "Median time of a run"),
)
PUBLISHED_COLUMNS = (
    Column("published median", "Median of the runs published with the paper's code"),
    Column("ours / published", "Our median divided by the published one"),
)


class Page:
    """What all sections share: the numbers and the looks of the methods."""

    def __init__(self, methods: Sequence[str], styles: Mapping[str, MethodStyle]) -> None:
        self.numbers = {method: at for at, method in enumerate(methods)}
        self.styles = styles

    def figure(self, drawing: Drawing, key: str) -> str:
        """A drawing as a part of the page."""
        svg = inline(drawing.figure, key, drawing.title, self.numbers, drawing.tips)
        return figure_block(svg, drawing.caption, key)


def summary_section(records: Sequence[Record], experiments: Sequence[Experiment]) -> str:
    """What a person reads in a minute."""
    facts = {
        "runs": f"{len(records):,}",
        "evaluations": f"{sum(record.nfev for record in records):.3g}",
        "problems": f"{len({record.problem for record in records}):,}",
        "methods": f"{len({record.method for record in records}):,}",
        "hours of computing": f"{sum(record.seconds for record in records) / 3600:.2g}",
    }
    cards = "".join(f"<li><b>{text(value)}</b>{text(name)}</li>" for name, value in facts.items())
    findings = [
        f'<li><a href="#{e.key}">{text(e.title)}</a>: {text(headline(e.comparisons[0], e.labels))}</li>'
        for e in experiments
    ]
    n_negative = sum(record.regret < 0.0 for record in records)
    if n_negative:
        least = min(record.regret for record in records)
        findings.append(
            f"<li>Negative regrets, reported as measured: {n_negative:,}, down to {least:.2e}. Either the referee "
            "missed the worst y, or the optimum is known to fewer digits.</li>"
        )
    listed = "".join(findings)
    return f'<ul class="facts">{cards}</ul><ul class="findings">{listed}</ul>{_verdicts(experiments)}'


def _verdicts(experiments: Sequence[Experiment]) -> str:
    """All claims of the paper in one table; nothing if the records are not about it."""
    rows = [Row([e.title, c.text, c.outcome, c.sentence]) for e in experiments for c in e.claims]
    if not rows:
        return ""
    counts = Counter(claim.outcome for e in experiments for claim in e.claims)
    told = "; ".join(f"{outcome}: {n}" for outcome, n in counts.items()).capitalize()
    n_runs, n_full = (sum(n) for n in zip(*((e.n_runs, e.n_full) for e in experiments if e.n_full), strict=True))
    basis = "" if n_runs >= n_full else f" They are judged on a part of the study only, {n_runs:,} of {n_full:,} runs."
    headings = (Column("experiment"), Column("the paper says"), Column("verdict"), Column("what was measured"))
    claims = table("claims", "Claim by claim", headings, rows)
    return f"<h3>What the paper claimed</h3><p>{len(rows)} claims. {text(told)}.{text(basis)}</p>{claims}"


@cache
def explanation_section() -> str:
    """The same in every report, so it is drawn once."""
    drawing = explain.draw_landscape()
    svg = inline(drawing.figure, drawing.name, drawing.title, {})
    return f"<p>{text(explain.TEXT)}</p>" + figure_block(svg, drawing.caption, drawing.name)


def experiment_section(experiment: Experiment, page: Page) -> str:
    """Figures, table, statistics, claims."""
    own = {method: page.styles[method] for method in experiment.methods}
    numbers = {method: page.numbers[method] for method in own}
    key = experiment.key
    share = f"{experiment.n_runs:,} of {experiment.n_full:,} runs." if experiment.n_full else ""
    parts = [f"<p>{text(experiment.text)} {text(share)}</p>"]
    parts.append(legend(numbers, own, experiment.labels))
    parts += [_titled(page, drawing, key) for drawing in draw_regrets(experiment, own)]
    parts += [_titled(page, drawing, key) for drawing in draw_filters(experiment, own)]
    parts.append(_results(experiment, page))
    for at in range(len(experiment.comparisons)):
        parts += _comparison(experiment, at, page, own)
    runtimes = draw_runtimes(experiment, own)
    parts += [_titled(page, runtimes, key)] if runtimes else []
    if experiment.claims:
        parts.append("<h3>What the paper claimed</h3>" + _claims(experiment.claims))
    return "\n".join(parts)


def _comparison(experiment: Experiment, at: int, page: Page, styles: Mapping[str, MethodStyle]) -> list[str]:
    comparison, key = experiment.comparisons[at], experiment.key
    parts = [f"<h3>{text(comparison.title)}</h3>"]
    ranks = draw_ranks(comparison, experiment, styles)
    parts += [page.figure(ranks, f"{key}-ranks-{at}")] if ranks else []
    parts += [f"<p>{text(sentence)}</p>" for sentence in comparison.sentences]
    if comparison.pairs:
        caption = f"All pairs over {comparison.blocks}"
        parts.append(table(f"{key}-pairs-{at}", caption, PAIR_COLUMNS, comparison.pairs))
    return parts


def _titled(page: Page, drawing: Drawing, key: str) -> str:
    return f"<h3>{text(drawing.title)}</h3>" + page.figure(drawing, f"{key}-{slug(drawing.name)}")


def _results(experiment: Experiment, page: Page) -> str:
    published = [experiment.published(g) if experiment.published else None for g in experiment.groups]
    has_published = any(value is not None for value in published)
    rows = []
    for group, value in zip(experiment.groups, published, strict=True):
        cells = _cells(group, experiment.labels)
        if has_published:
            median = group.summary.median
            cells += [nan if value is None else value, median / value if value else nan]
        rows.append(Row(cells, page.numbers[group.method]))
    columns = (*COLUMNS, *PUBLISHED_COLUMNS) if has_published else COLUMNS
    return table(f"{experiment.key}-results", "Regret of every problem, budget and method", columns, rows)


def _cells(group: Group, labels: Mapping[str, str]) -> list[Value]:
    s = group.summary
    spread = [s.median, s.lower_quartile, s.upper_quartile, s.mean, s.standard_deviation]
    name = labels.get(group.method, group.method)
    counts = [group.n_floor, group.n_negative]
    return [group.problem, group.budget, name, s.n_runs, *spread, *counts, group.inner_gap, group.seconds]


def _claims(claims: Sequence[JudgedClaim]) -> str:
    items = "".join(
        f'<li class="{slug(claim.outcome)}"><span class="verdict">{text(claim.outcome.capitalize())}.</span> '
        f'<q>{text(claim.text)}</q> <span class="hint">({text(claim.where)})</span><br>{text(claim.sentence)}</li>'
        for claim in claims
    )
    return f'<ul class="claims">{items}</ul>'


def provenance_section(provenance: Mapping[str, str]) -> str:
    """Where the numbers come from."""
    rule = (
        "The seed of a run is a digest of its problem, method, budget and repetition, so results depend neither on "
        "the number of workers nor on the order of the runs."
    )
    rows = [Row([name, value]) for name, value in provenance.items()]
    facts = table("provenance-facts", "How this was made", (Column("what"), Column("value")), rows) if rows else ""
    button = '<p><button type="button" class="data script-only">Download all numbers as JSON</button></p>'
    return f"<p>{text(rule)}</p>{facts}{button}"
