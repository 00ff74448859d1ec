"""What the user sees: progress on stderr, tables on stdout."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from reckless.cli.objectives import Target
from reckless.cli.sentences import cleaned
from reckless.core.arrays import Array
from reckless.evaluation.objective import Objective
from reckless.run.result import MinimaxResult


class Watch:
    """A progress bar over evaluations; it costs next to nothing between two refreshes."""

    def __init__(self, progress: Progress, maxfev: int) -> None:
        self._progress, self._bar = progress, progress.add_task("", total=maxfev, estimate="")
        self._next_refresh = 0.0

    def objective(self, target: Target) -> Objective:
        """Return the same objective, seen by the bar."""
        n_seen = 0

        def watched(x: Array, *others: Any) -> object:
            nonlocal n_seen
            value = target.f(x, *others)
            n_seen += len(x) if target.vectorized else 1
            now = time.monotonic()
            if now >= self._next_refresh:
                self._next_refresh = now + 0.1
                self._progress.update(self._bar, completed=n_seen)
            return value

        return watched

    def callback(self, intermediate_result: MinimaxResult) -> None:
        """Show how far a round has come, and the estimate of the present recommendation."""
        fun = intermediate_result.fun
        estimate = "" if np.isnan(fun) else f"estimate {fun:.6g}"
        self._progress.update(self._bar, completed=intermediate_result.nfev, estimate=estimate)


@contextmanager
def watching(maxfev: int) -> Iterator[Watch]:
    """Show a progress bar over the evaluations of one run."""
    done = "[bold]{task.completed:,.0f}[/] of {task.total:,.0f} evaluations"
    with progress_bar(done, "{task.fields[estimate]}") as progress:
        yield Watch(progress, maxfev)


def progress_bar(before: str, after: str) -> Progress:
    """Return a progress bar on stderr between two texts, silent where that is no terminal."""
    console = Console(stderr=True)
    columns = TextColumn(before), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), TextColumn(after)
    return Progress(*columns, console=console, disable=not console.is_terminal, transient=True)


def table(title: str, *columns: str, right: tuple[str, ...] = ()) -> Table:
    """Return an empty table in the house style; `right` names the columns of numbers."""
    empty = Table(
        title=cleaned(title), title_justify="left", title_style="bold", header_style="bold", box=None, pad_edge=False
    )
    for column in columns:
        empty.add_column(cleaned(column), justify="right" if column in right else "left", overflow="fold")
    return empty


def add_row(listing: Table, *cells: str) -> None:
    """Add cells to a table; control characters in the words of others are escaped."""
    listing.add_row(*map(cleaned, cells))


def show(*parts: object) -> None:
    """Print to stdout, brackets unchanged; wide tables are never cut when stdout is a file."""
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = 110
    for part in parts:
        console.print(cleaned(part) if isinstance(part, str) else part)


def vector(values: Array) -> str:
    """Return a point in a form that fits into a table and can be read back by a program."""
    return ", ".join(f"{value:.6g}" for value in values)
