"""What the user sees: progress on stderr, tables on stdout."""

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from reckless.core.arrays import Array
from reckless.errors import WorkersWarning
from reckless.run.result import MinimaxResult

if TYPE_CHECKING:
    from reckless.cli.objectives import Target
    from reckless.evaluation.objective import Objective


class Watch:
    """A progress bar over evaluations; it costs next to nothing between two refreshes."""

    def __init__(self, progress: Progress, maxfev: int) -> None:
        self._progress, self._bar = progress, progress.add_task("", total=maxfev, estimate="")
        self._next_refresh = 0.0

    def objective(self, target: "Target") -> "Objective":
        """Return the same objective, seen by the bar."""
        f, n_seen = target.f, 0

        def watched(x: Array, *others: Any) -> object:
            nonlocal n_seen
            value = f(x, *others)
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
    """A progress bar on stderr, silent where that is no terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("[bold]{task.completed:,.0f}[/] of {task.total:,.0f} evaluations"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[estimate]}"),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        yield Watch(progress, maxfev)


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Advice about workers in one line, without the place in the source."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", WorkersWarning)
        others = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, WorkersWarning):
                click.echo(f"reckless: {message}", err=True)
            else:
                others(message, category, *where, **more)

        warnings.showwarning = show
        yield


def table(title: str, *columns: str, right: tuple[str, ...] = ()) -> Table:
    """An empty table in the house style; `right` names the columns of numbers."""
    empty = Table(title=title, title_justify="left", title_style="bold", header_style="bold", box=None, pad_edge=False)
    for column in columns:
        empty.add_column(column, justify="right" if column in right else "left", overflow="fold")
    return empty


def show(*parts: object) -> None:
    """Print to stdout, brackets as they are; wide tables are never cut when stdout is a file."""
    console = Console(markup=False)
    if not console.is_terminal:
        console = Console(width=110, markup=False)
    for part in parts:
        console.print(part, highlight=False)


def vector(values: Array, digits: int = 6) -> str:
    """A point in a form that fits into a table and can be read back by a program."""
    return ", ".join(f"{value:.{digits}g}" for value in values)
