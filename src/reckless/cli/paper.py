"""`reckless paper`: recompute every figure and table of the paper, and write the report."""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reckless.cli.bench import WORKERS, run_with_progress
from reckless.errors import InvalidArgument

if TYPE_CHECKING:
    from reckless.bench.store import Store

EXPERIMENTS = ("steps", "variants", "convergence", "scalability", "filter")  # as in bench/paper.py


@click.command()
@click.option("--quick", is_flag=True, help="Run a stated fraction, in about a minute.")
@click.option("--experiment", type=click.Choice(EXPERIMENTS), multiple=True, help="Only this one; may be repeated.")
@click.option(
    "--store",
    "store_path",
    type=click.Path(path_type=Path),
    default=Path("reckless-paper.sqlite"),
    show_default=True,
    help="The file with the results.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("reckless-paper.html"),
    show_default=True,
    help="Where to write the report.",
)
@WORKERS
def paper(quick: bool, experiment: tuple[str, ...], store_path: Path, out: Path, workers: int | None) -> None:
    """Recompute the paper: its experiments, figures, tables and statistics, in one HTML report.

    Interrupt it whenever you like: the same command goes on where it was. --quick and the full study may
    share a store.
    """
    from reckless.bench.paper import QUICK_STATEMENT, experiments, judge_claims
    from reckless.bench.report import build_report
    from reckless.bench.store import Store
    from reckless.bench.study import count_evaluations, every_cell
    from reckless.cli.console import show, table

    if not out.parent.is_dir():
        raise InvalidArgument(f"--out: there is no directory {out.parent}.")
    studies = [study for study in experiments(quick=quick) if not experiment or study.name in experiment]
    cells = every_cell(studies)
    if quick:
        click.echo(f"--quick: {QUICK_STATEMENT}.", err=True)
    with Store(store_path) as store:
        seconds = run_with_progress(cells, store, workers)
        records = store.records(cells)
        provenance = _provenance(store, seconds, workers) | {
            "experiments": ", ".join(study.name for study in studies),
            "cells": f"{len(cells):,}",
            "evaluations": f"{count_evaluations(cells):,} at most, {sum(r.nfev for r in records):,} spent",
            "fraction": QUICK_STATEMENT if quick else "all",
        }
    verdicts = table("Claims of the paper", "claim", "outcome")
    for claim, verdict in judge_claims(records):
        if not experiment or claim.experiment in experiment:
            verdicts.add_row(claim.text, str(verdict.outcome))
    show(verdicts)
    page = build_report(records, quick=quick, provenance=provenance)
    try:
        out.write_text(page, encoding="utf-8")
    except OSError as error:
        raise InvalidArgument(f"--out: {out} cannot be written ({error.strerror}).") from error
    click.echo(f"Report: {out}. Results: {store_path}.", err=True)


def _provenance(store: "Store", seconds: float, workers: int | None) -> dict[str, str]:
    """Where the numbers of the report come from, as label and text."""
    import os

    versions = [" ".join(f"{name} {number}" for name, number in found.items()) for found in store.versions()]
    return {
        "command": " ".join(["reckless", *sys.argv[1:]]),
        "versions": "; ".join(versions),
        "seeds": "a digest of problem, method, budget and repetition",
        "workers": str(workers or os.cpu_count()),
        "seconds of this call": f"{seconds:.0f}",
        "seconds of all runs": f"{sum(record.seconds for record in store.records()):.0f}",
        "report made": datetime.now(UTC).isoformat(timespec="seconds"),
    }
