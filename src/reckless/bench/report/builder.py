"""Put the page together: sections, style, script and data in one text."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from math import isfinite
from string import Template
from typing import Any

from reckless.bench import paper
from reckless.bench.record import Record
from reckless.bench.report.experiments import Experiment, split_experiments, styles_of
from reckless.bench.report.markup import embed_json, text
from reckless.bench.report.sections import (
    Page,
    experiment_section,
    explanation_section,
    provenance_section,
    summary_section,
)
from reckless.errors import InvalidArgument


def build_report(records: Sequence[Record], *, quick: bool, provenance: Mapping[str, str]) -> str:
    """Write the report on these records as HTML text: one page that loads nothing.

    records: of any study. Those that make up an experiment of the paper are set against it.
    quick: whether they are the stated fraction of the paper's study, which the page then says.
    provenance: what to tell of versions, command and time, by name.

    Raises InvalidArgument if there are no records.
    """
    if not records:
        raise InvalidArgument("records: a report needs one finished run or more, but there are none.")
    experiments = split_experiments(records)
    styles = styles_of(experiments)
    page = Page(list(styles), styles)
    is_paper = any(experiment.n_full for experiment in experiments)
    sections = {"summary": ("Summary", summary_section(records, experiments))}
    sections["minimax"] = ("Minimax in one picture", explanation_section())
    sections |= {e.key: (e.title, experiment_section(e, page)) for e in experiments}
    sections["provenance"] = ("Provenance", provenance_section(provenance))
    notice = f"A quick look, not the full study: {paper.QUICK_STATEMENT}." if quick else ""
    script = _asset("report.js").strip()
    return Template(_asset("page.html")).substitute(
        policy=_policy(script),
        title="Reckless: the paper recomputed" if is_paper else "Reckless: comparison of minimax methods",
        lead=text("Black-box minimax optimization: regrets measured by an independent referee; smaller is better."),
        notice=f'<p class="notice">{text(notice)}</p>' if notice else "",
        contents="\n".join(f'<li><a href="#{key}">{text(title)}</a></li>' for key, (title, _) in sections.items()),
        body="\n".join(
            f'<section id="{key}" aria-labelledby="{key}-title"><h2 id="{key}-title">{text(title)}</h2>\n'
            f"{content}\n</section>"
            for key, (title, content) in sections.items()
        ),
        css=_asset("report.css").strip(),
        script=script,
        data=embed_json({"provenance": dict(provenance), "experiments": [_data(e) for e in experiments]}),
    )


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _policy(script: str) -> str:
    """Forbid the page all loading; of scripts only this one may run."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _data(experiment: Experiment) -> dict[str, Any]:
    """The numbers of an experiment for other programs; what JSON cannot say, NaN and infinity, is null."""
    rows = []
    for group in experiment.groups:
        s = group.summary
        numbers = {
            "median": s.median,
            "lower_quartile": s.lower_quartile,
            "upper_quartile": s.upper_quartile,
            "mean": s.mean,
            "standard_deviation": s.standard_deviation,
            "inner_gap": group.inner_gap,
            "published_median": experiment.published(group) if experiment.published else None,
        }
        known = {key: v if v is not None and isfinite(v) else None for key, v in numbers.items()}
        counts = {"n_runs": s.n_runs, "n_floor": group.n_floor, "n_negative": group.n_negative}
        cell = {"problem": group.problem, "method": group.method, "budget": group.budget}
        rows.append(cell | counts | {"n_infinite": group.n_infinite} | known)
    claims = [claim._asdict() for claim in experiment.claims]
    return {"name": experiment.key, "title": experiment.title, "groups": rows, "claims": claims}
