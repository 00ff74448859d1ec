"""Put the page together: sections, style, script and data in one text."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.resources import files
from math import isfinite
from string import Template
from typing import Any

from reckless.bench import paper
from reckless.bench.record import Record
from reckless.bench.report import sections
from reckless.bench.report.experiments import Experiment, split_experiments
from reckless.bench.report.explain import draw_landscape
from reckless.bench.report.markup import embed_json, text
from reckless.core.words import printable
from reckless.errors import InvalidArgument


def build_report(
    records: Sequence[Record], *, title: str = "", quick: bool = False, provenance: Mapping[str, str]
) -> str:
    """Write the report on these records as HTML text: one page that loads nothing.

    title: the name of the study.
    records: of any study. Those that make up an experiment of the paper are set against it.
    quick: whether they are the stated fraction of the paper's study, which the page then says.
    provenance: versions, command, time and the like, by name.

    Raises InvalidArgument if there are no records.
    """
    if not records:
        raise InvalidArgument("records: a report needs one finished run or more, but there are none.")
    experiments = split_experiments(records)
    is_paper = any(experiment.n_full for experiment in experiments)
    landscape = draw_landscape(records)
    parts = {
        "summary": ("Summary", sections.summary_section(records, experiments)),
        "minimax": (landscape.title if landscape else "What is measured", sections.explanation_section(landscape)),
        **{e.key: (e.title, sections.experiment_section(e)) for e in experiments},
        "provenance": ("Provenance", sections.provenance_section(provenance)),
    }
    notice = f"A quick look, not the full study: {paper.QUICK_STATEMENT}." if quick else ""
    script = _asset("report.js").strip()
    return Template(_asset("page.html")).substitute(
        policy=_policy(script),
        title=text(printable(title) or ("The paper recomputed" if is_paper else "Comparison of minimax methods")),
        lead=text("Black-box minimax optimization: regrets measured by an independent referee; smaller is better."),
        notice=f'<p class="notice">{text(notice)}</p>' if notice else "",
        contents="\n".join(f'<li><a href="#{key}">{text(title)}</a></li>' for key, (title, _) in parts.items()),
        body="\n".join(
            f'<section id="{key}" aria-labelledby="{key}-title"><h2 id="{key}-title">{text(title)}</h2>\n'
            f"{content}\n</section>"
            for key, (title, content) in parts.items()
        ),
        css=_asset("report.css").strip(),
        script=script,
        data=embed_json({"provenance": dict(provenance), "experiments": [_data(e) for e in experiments]}),
    )


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """Forbid the page to load anything, and to run any script but this one."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _data(experiment: Experiment) -> dict[str, Any]:
    """Return the numbers of an experiment for other programs; what JSON cannot say, NaN and infinity, is null."""
    rows = []
    for group in experiment.groups:
        cell: dict[str, Any] = {"problem": group.problem, "method": group.method, "budget": group.budget}
        counts = {"n_runs": group.summary.n_runs, **group.off_scale._asdict()}
        cell["against"] = group.reference.name
        others: dict[str, float | None] = {"reference": group.reference.value, "inner_gap": group.inner_gap}
        others["published_median"] = experiment.published(group)
        numbers = (asdict(group.summary) | others).items()
        rows.append(cell | counts | {key: v if v is not None and isfinite(v) else None for key, v in numbers})
    claims = [
        {"text": claim.text, "where": claim.where, "outcome": str(verdict.outcome), "sentence": verdict.sentence}
        for claim, verdict in experiment.claims
    ]
    return {"name": experiment.key, "title": experiment.title, "groups": rows, "claims": claims}
