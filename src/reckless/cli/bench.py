"""`reckless bench`: run a study of one's own, see how far it is, and take the results elsewhere."""

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from reckless.cli.files import check_file, writing
from reckless.cli.options import COUNT, blaming, file_option
from reckless.cli.report import report_on
from reckless.cli.sentences import complain, say
from reckless.cli.signals import INTERRUPTED
from reckless.errors import InvalidArgument

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from reckless.bench.record import Record
    from reckless.bench.store import Store
    from reckless.bench.study import Cell, Cells, Study

PATH = click.Path(path_type=Path)
STUDY = click.argument("study", type=PATH)
_BESIDE = "The file with the results; beside the study file and named like it unless given."
STORE = click.option("--store", "store_path", type=PATH, help=_BESIDE)
TABLE_ENTRIES = 10_000  # more are not read, and take long to lay out
WORKERS = click.option("--workers", type=COUNT, help="Processes; one per processor unless given.")


@click.group()
def bench() -> None:
    """Compare methods on problems: run a study, and read its results."""


@bench.command()
@STUDY
@STORE
@WORKERS
@click.option("--dask", metavar="ADDRESS", help="Run on the Dask cluster whose scheduler is there, in place of here.")
def run(study: Path, store_path: Path | None, workers: int | None, dask: str | None) -> None:
    """Run what the study file STUDY (TOML) lists and the store lacks.

    Interrupt it whenever you like, even by force: the same command resumes it. The number of workers does not
    change the results. The files and distributions that the study names are imported: run those that you trust.
    """
    from reckless.bench.store import Store

    if workers is not None and dask is not None:
        raise InvalidArgument("--workers: a cluster has its own number of workers. Leave out --workers or --dask.")
    planned, path = _read(study, store_path)
    with blaming(study):
        planned.check()
    with Store(path) as store:
        cells = _without_lacking(planned.cells())
        run_with_progress(cells, store, workers, dask)
        _show_table(planned.name, cells, store.records(cells))
    say(f"Results: {path}. `reckless bench report {study}` makes a page of them, `bench export` a table.", err=True)


@bench.command()
@STUDY
@STORE
def status(study: Path, store_path: Path | None) -> None:
    """Show how far the study is, and the median regrets so far. Nothing that it names is imported."""
    from reckless.bench.store import Store

    planned, path = _read(study, store_path)
    if not path.exists():
        n_cells = f"{len(planned.cells({})):,}"
        say(f"{planned.name}: 0 of {n_cells} cells finished; there is no {path} yet.{_remark(planned, {})}")
        return
    with Store(path, readonly=True) as store:
        sizes = store.sizes()
        cells = planned.cells(sizes)
        records, versions = store.records(cells), store.versions()
    n_finished = f"{len(records):,} of {len(cells):,}"
    say(f"{planned.name}: {n_finished} cells finished.{_remark(planned, sizes)}")
    if len(versions) > 1:
        known = ", ".join(sorted({found.get("reckless", "unknown") for found in versions}))
        say(f"The store holds runs by {len(versions)} sets of versions and processors (reckless {known}).")
    _show_table(planned.name, cells, records)


def _without_lacking(cells: "Cells") -> "Cells":
    """Leave out the problems whose packages are not installed, and say so."""
    from reckless.bench.problems import find_problem
    from reckless.bench.study import Cells

    lacking = {name: sentence for name in cells.budgets if (sentence := find_problem(name).lacks)}
    for sentence in lacking.values():
        complain(f"{sentence} It is skipped.")
    kept = {name: budgets for name, budgets in cells.budgets.items() if name not in lacking}
    return Cells(kept, cells.methods, cells.repetitions)


def _remark(study: "Study", sizes: "Mapping[str, int]") -> str:
    """Say which cells are not counted."""
    unknown = study.unsized(sizes)
    if not unknown:
        return ""
    others = f" and {len(unknown) - 1} others" if len(unknown) > 1 else ""
    return f" Not counted: budgets per dimension of {unknown[0]}{others}, until its first run tells the dimension."


@bench.command("export")
@click.argument("study", type=PATH, required=False)
@STORE
@click.option("--format", type=click.Choice(["csv", "json"]), default="csv", show_default=True, help="Of the output.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Where to write; stdout unless given.")
@click.option("--provenance", is_flag=True, help="Add time spent, time of day and package versions.")
def export_(
    study: Path | None, store_path: Path | None, format: Literal["csv", "json"], out: Path | None, provenance: bool
) -> None:
    """Write the finished runs of STUDY, or with --store alone all runs of a store, as a table.

    Without --provenance the same cells give the same bytes, whenever and wherever they were run. Nothing that the study
    or the store names is imported.
    """
    from reckless.bench.export import export
    from reckless.bench.store import Store

    if study is not None:
        planned, store_path = _read(study, store_path)
    elif store_path is None:
        raise click.UsageError("export: name a study file, or a store with --store.")
    with Store(store_path, readonly=True) as store, writing(out) as file:
        cells = None if study is None else planned.cells(store.sizes())
        n_runs = export(store, file, format=format, cells=cells, provenance=provenance)
    if out is not None:
        click.echo(f"{n_runs:,} runs written to {out}.", err=True)


@bench.command()
@STUDY
@STORE
@file_option("--out", "report.html", "Where to write the report.")
def report(study: Path, store_path: Path | None, out: Path) -> None:
    """Write one HTML file on the finished runs of the study file STUDY, named like the study.

    The file works offline. `reckless report` does the same for all runs of a store. Nothing that the study names is
    imported.
    """
    from reckless.bench.store import Store

    check_file(out)
    planned, path = _read(study, store_path)
    with Store(path, readonly=True) as store:
        report_on(store, store.records(planned.cells(store.sizes())), out, title=planned.name)


def _read(study: Path, store_path: Path | None) -> "tuple[Study, Path]":
    """Read a study file; its store lies beside it unless given."""
    from reckless.bench.study import read_study

    return read_study(study), store_path or study.with_suffix(".sqlite")


def _count_finished(store: "Store", cells: "Collection[Cell]") -> int:
    from reckless.bench.study import Cells

    wanted = cells if isinstance(cells, Cells) else set(cells)
    return sum(cell in wanted for cell in store.finished())


def run_with_progress(cells: "Sequence[Cell]", store: "Store", workers: int | None, dask: str | None = None) -> float:
    """Run the missing cells under a progress bar on stderr; return the seconds that took."""
    from reckless.bench.runner import run_cells
    from reckless.run.progress import progress_bar

    steps = run_cells(cells, store, workers=workers, dask=dask)
    versions = store.versions()  # of what was run before
    try:
        with progress_bar("[bold]{task.fields[cells]}[/] cells", "{task.fields[speed]}") as progress:
            step = first = next(steps)
            if first.cells_done < first.cells:
                _warn_elsewhere(versions, is_cluster=dask is not None)
            bar = progress.add_task("", total=first.evaluations, cells="", speed="")
            for step in chain([first], steps):
                speed = (step.evaluations_done - first.evaluations_done) / (step.seconds or 1.0)
                cells_done = f"{step.cells_done:,} of {step.cells:,}"
                rate = f"{speed:,.0f} evaluations a second" if speed else ""
                progress.update(bar, completed=step.evaluations_done, cells=cells_done, speed=rate)
    except KeyboardInterrupt:
        steps.close()
        n_done = f"{_count_finished(store, cells):,} of {len(cells):,}"
        where = f"{store.path}; the same command resumes from there."
        click.echo(f"Interrupted. {n_done} cells are finished and stored in {where}", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    return step.seconds


def _warn_elsewhere(versions: "Iterable[Mapping[str, str]]", *, is_cluster: bool) -> None:
    """Say it if some of the runs come from another machine or other versions: their last digits may differ."""
    from reckless.bench.machine import provenance, say_differences

    if differences := say_differences(versions, provenance(is_cluster)):
        complain(f"the store holds runs from elsewhere ({differences}). The last digits of runs may differ by that.")


def _show_table(name: str, cells: "Cells", records: "Iterable[Record]") -> None:
    """Print median regrets by problem and budget, a column per method."""
    import numpy as np

    from reckless.cli.console import add_row, show, table

    regrets: dict[tuple[str, str, int], list[float]] = {}
    best_known: dict[str, str] = {}
    for record in records:
        regrets.setdefault((record.problem, record.method, record.budget), []).append(record.regret)
        if record.against == "best known":
            best_known[record.problem] = f"best known, {record.reference.value:.6g}"
    columns = (*(("regret against",) if best_known else ()), "budget", *cells.methods)
    title = f"{name}: median regret (finished of {cells.repetitions} runs)"
    listing = table(title, "problem", *columns, right=columns[1:] if best_known else columns)
    rows = [(problem, budget) for problem, budgets in cells.budgets.items() for budget in budgets]
    n_shown = max(1, TABLE_ENTRIES // len(columns))
    for problem, budget in rows[:n_shown]:
        against = [best_known.get(problem, "optimum")] if best_known else []
        found = [regrets.get((problem, method, budget), []) for method in cells.methods]
        values = [f"{np.median(runs):.3g} ({len(runs)})" if runs else "(0)" for runs in found]
        add_row(listing, problem, *against, f"{budget:,}", *values)
    left_out = f"{len(rows) - n_shown:,} more rows: `reckless bench export` has them all."
    show(listing, *([left_out] if len(rows) > n_shown else []))
