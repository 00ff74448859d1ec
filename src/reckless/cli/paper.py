"""`reckless paper`: recompute every figure and table of the paper, and write the report."""

import os
from pathlib import Path

import click

from reckless.cli.bench import WORKERS, run_with_progress
from reckless.cli.files import check_file
from reckless.cli.options import file_option
from reckless.cli.report import provenance_of, write_report

EXPERIMENTS = ("steps", "variants", "convergence", "scalability", "filter")  # as in bench/paper.py


@click.command()
@click.option("--quick", is_flag=True, help="Run a stated fraction, in about a minute.")
@click.option("--experiment", type=click.Choice(EXPERIMENTS), multiple=True, help="Only this one; may be repeated.")
@file_option("--store", "reckless-paper.sqlite", "The file with the results.", dir_okay=True)
@file_option("--out", "reckless-paper.html", "Where to write the report.")
@WORKERS
def paper(quick: bool, experiment: tuple[str, ...], store: Path, out: Path, workers: int | None) -> None:
    """Recompute the paper: its experiments, figures, tables and statistics, in one HTML report.

    Interrupt it whenever you like: the same command resumes it. --quick and the full study may share a store.
    """
    from reckless.bench.paper import QUICK_STATEMENT, experiments, judge_claims
    from reckless.bench.store import Store
    from reckless.bench.study import count_evaluations, every_cell
    from reckless.cli.console import add_row, show, table

    check_file(out)
    studies = [study for study in experiments(quick=quick) if not experiment or study.name in experiment]
    cells = every_cell(studies)
    if quick:
        click.echo(f"--quick: {QUICK_STATEMENT}.", err=True)
    with Store(store) as results:
        seconds = run_with_progress(cells, results, workers)
        records = results.records(cells)
        this_call = {"workers": str(workers or os.cpu_count()), "seconds of this call": f"{seconds:.0f}"}
        provenance = provenance_of(results, results.records(), this_call) | {
            "experiments": ", ".join(study.name for study in studies),
            "cells": f"{len(cells):,}",
            "evaluations": f"{count_evaluations(cells):,} at most, {sum(r.nfev for r in records):,} spent",
            "fraction": QUICK_STATEMENT if quick else "all",
        }
    verdicts = table("Claims of the paper", "claim", "outcome")
    for claim, verdict in judge_claims(records):
        if not experiment or claim.experiment in experiment:
            add_row(verdicts, claim.text, str(verdict.outcome))
    show(verdicts)
    write_report(out, records, provenance, quick=quick)
    click.echo(f"Report: {out}. Results: {store}.", err=True)
