"""The parts of the page: summary, experiments, provenance."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import nan

from reckless.bench.record import Record
from reckless.bench.report import explain
from reckless.bench.report.drawing import Drawing, draw_filters, draw_ranks, draw_regrets, draw_runtimes
from reckless.bench.report.experiments import Experiment
from reckless.bench.report.groups import Group
from reckless.bench.report.markup import Column, Row, Value, duration, legend, slug, table, text
from reckless.bench.report.svg import figure_block
from reckless.bench.report.words import PAIR_COLUMNS

COLUMNS = (
    Column("problem"),
    Column("regret against", "The optimum of the problem, or the best worst case known, of all runs in the store"),
    Column("evaluations", "The budget of a run"),
    Column("method"),
    Column("runs"),
    Column("median", "Median regret"),
    Column("lower quartile"),
    Column("upper quartile"),
    Column("mean"),
    Column("standard deviation"),
    Column("≤\u00a010⁻¹⁶", "Runs whose regret is at most 1e-16, zero and negative ones included"),
    Column("negative", "Runs whose regret is negative"),
    Column("inner gap", "Median of the worst case minus the method's own estimate: how far it deceived itself"),
    Column("seconds", "Median time of a run"),
    Column("published median", "Median of the runs published with the paper's code"),
    Column("ours / published", "Our median divided by the published one"),
)
MOST_NAMED = 10  # problems in a sentence


def summary_section(records: Sequence[Record], experiments: Sequence[Experiment]) -> str:
    """Write what a person reads in a minute."""
    facts = {
        "runs": f"{len(records):,}",
        "evaluations": f"{sum(record.nfev for record in records):,}",
        "problems": f"{len({record.problem for record in records}):,}",
        "methods": f"{len({record.method for record in records}):,}",
        "computing": duration(sum(record.seconds for record in records)),
    }
    cards = "".join(f"<li><b>{text(value)}</b>{text(name)}</li>" for name, value in facts.items())
    findings = [f'<li><a href="#{e.key}">{text(e.title)}</a>: {text(e.comparison.verdict)}</li>' for e in experiments]
    findings += _best_known(experiments)
    n_negative = sum(record.regret < 0.0 for record in records)
    if n_negative:
        least = min(record.regret for record in records)
        findings.append(
            f"<li>Negative regrets, reported as measured: {n_negative:,}, down to {least:.2e}. Either the referee "
            "missed the worst y, or the optimum is known to fewer digits.</li>"
        )
    return f'<ul class="facts">{cards}</ul><ul class="findings">{"".join(findings)}</ul>{_verdicts(experiments)}'


def _verdicts(experiments: Sequence[Experiment]) -> str:
    """Write all claims of the paper in one table; nothing if the records are not about it."""
    rows = [Row([e.title, c.text, str(v.outcome), v.sentence]) for e in experiments for c, v in e.claims]
    if not rows:
        return ""
    counts = Counter(str(verdict.outcome) for e in experiments for _, verdict in e.claims)
    told = "; ".join(f"{outcome}: {n}" for outcome, n in counts.items()).capitalize()
    n_runs, n_full = (sum(n) for n in zip(*((e.n_runs, e.n_full) for e in experiments if e.n_full), strict=True))
    basis = "" if n_runs >= n_full else f" They are judged on a part of the study only, {n_runs:,} of {n_full:,} runs."
    headings = (Column("experiment"), Column("the paper says"), Column("verdict"), Column("what was measured"))
    claims = table("claims", "Claim by claim", headings, rows, is_whole=True)
    return f"<h3>What the paper claimed</h3><p>{len(rows)} claims. {text(told)}.{text(basis)}</p>{claims}"


def _best_known(experiments: Sequence[Experiment]) -> list[str]:
    """Say on which problems regret is measured against the best worst case known, and what that is."""
    found = {g.problem: g.reference.value for e in experiments for g in e.groups if g.reference.name == "best known"}
    if not found:
        return []
    told = [f"{problem}: {value:.6g}" for problem, value in found.items()]
    more = f", and {len(told) - MOST_NAMED} more" if len(told) > MOST_NAMED else ""
    return [
        "<li>No optimum is known, so regret is measured against the best worst case known, that of the best run in the "
        f"store ({text(', '.join(told[:MOST_NAMED]))}{more}). The best run has regret 0, however good it is.</li>"
    ]


def explanation_section(drawing: Drawing | None) -> str:
    """Write what is measured, with a picture if there is one."""
    return f"<p>{text(explain.TEXT)}</p>" + (figure_block(drawing, drawing.name, {}) if drawing else "")


def experiment_section(experiment: Experiment) -> str:
    """Write an experiment: figures, table, statistics, claims."""
    share = f"{experiment.n_runs:,} of {experiment.n_full:,} runs." if experiment.n_full else ""
    return "\n".join(
        [
            f"<p>{text(experiment.text)} {text(share)}</p>",
            legend(experiment.numbers, experiment.styles, experiment.labels),
            *(_titled(experiment, drawing) for drawing in draw_regrets(experiment)),  # medians first
            *(_titled(experiment, drawing) for drawing in draw_filters(experiment)),
            _results(experiment),
            *_comparison(experiment),
            *(_titled(experiment, drawing) for drawing in draw_runtimes(experiment)),
            *_claims(experiment),
        ]
    )


def _titled(experiment: Experiment, drawing: Drawing) -> str:
    """Write a drawing under its title; what is there for comparison with the paper alone is folded away."""
    block = figure_block(drawing, f"{experiment.key}-{slug(drawing.name)}", experiment.numbers)
    if drawing.name.endswith("-mean"):
        return f"<details><summary>{text(drawing.title)}</summary>{block}</details>"
    return f"<h3>{text(drawing.title)}</h3>{block}"


def _comparison(experiment: Experiment) -> Iterator[str]:
    comparison = experiment.comparison
    yield f"<h3>Compared over {text(comparison.blocks)}</h3>"
    yield from (f"<p>{text(sentence)}</p>" for sentence in comparison.sentences)
    yield from (figure_block(d, f"{experiment.key}-{d.name}", experiment.numbers) for d in draw_ranks(experiment))
    if comparison.pairs:
        caption = f"How often one is ahead, over {comparison.blocks}: a description, not a test"
        yield table(f"{experiment.key}-pairs", caption, PAIR_COLUMNS, comparison.pairs)


def _results(experiment: Experiment) -> str:
    rows = [_result(group, experiment) for group in experiment.groups]
    is_shown = {
        "regret against": any(group.reference.name == "best known" for group in experiment.groups),
        "negative": any(group.off_scale.n_negative for group in experiment.groups),
        "published median": any(experiment.published(group) is not None for group in experiment.groups),
    }
    is_shown["ours / published"] = is_shown["published median"]
    shown = [at for at, column in enumerate(COLUMNS) if is_shown.get(column.heading, True)]
    return table(
        f"{experiment.key}-results",
        "Regret of every problem, budget and method",
        [COLUMNS[at] for at in shown],
        [row._replace(cells=[row.cells[at] for at in shown]) for row in rows],
    )


def _result(group: Group, experiment: Experiment) -> Row:
    """Return the cells of all columns."""
    s, published = group.summary, experiment.published(group)
    cells: list[Value] = [group.problem, group.reference.name, group.budget]
    cells += [experiment.labels.get(group.method, group.method), s.n_runs]
    cells += [s.median, s.lower_quartile, s.upper_quartile, s.mean, s.standard_deviation]
    cells += [group.off_scale.n_floor, group.off_scale.n_negative, group.inner_gap, group.seconds]
    cells += [nan if published is None else published, s.median / published if published else nan]
    return Row(cells, experiment.numbers[group.method])


def _claims(experiment: Experiment) -> Iterator[str]:
    items = "".join(
        f'<li class="{slug(verdict.outcome)}"><span class="verdict">{text(verdict.outcome.capitalize())}.</span> '
        f'<q>{text(claim.text)}</q> <span class="hint">({text(claim.where)})</span><br>{text(verdict.sentence)}</li>'
        for claim, verdict in experiment.claims
    )
    if items:
        yield f'<h3>What the paper claimed</h3><ul class="claims">{items}</ul>'


def provenance_section(provenance: Mapping[str, str]) -> str:
    """Write where the numbers come from."""
    rule = (
        "The seed of a run is a digest of its problem, method, budget and repetition, so results depend neither on "
        "the number of workers nor on the order of the runs."
    )
    rows = [Row([name, value]) for name, value in provenance.items()]
    facts = table("provenance-facts", "How this was made", (Column("what"), Column("value")), rows) if rows else ""
    button = '<p><button type="button" class="data script-only">Download all numbers as JSON</button></p>'
    return f"<p>{text(rule)}</p>{facts}{button}"
