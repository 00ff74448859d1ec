"""What the user sees: progress on stderr, tables on stdout."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import click
import numpy as np
from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from reckless.cli.sentences import cleaned
from reckless.core.arrays import Array
from reckless.run.result import MinimaxResult


class Watch:
    """A progress bar over evaluations; it looks at their number whenever it is drawn, so counting costs nothing."""

    def __init__(self, progress: "Following", maxfev: int) -> None:
        self._n_evaluations, self._estimate = 0, ""
        self._progress, self._bar = progress, progress.add_task("", total=maxfev, estimate="")
        progress.before_drawing = self._follow

    def count(self, n_evaluations: int) -> None:
        """Take how many evaluations were made so far, those of a verification included."""
        self._n_evaluations = n_evaluations

    def callback(self, intermediate_result: MinimaxResult) -> None:
        """Take how far a round has come, and the estimate of the present recommendation."""
        fun = intermediate_result.fun
        self._n_evaluations = intermediate_result.nfev
        self._estimate = "" if np.isnan(fun) else f"estimate {fun:.6g}"

    def _follow(self) -> None:
        self._progress.update(self._bar, completed=self._n_evaluations, estimate=self._estimate)


class Following(Progress):
    """A progress bar that is brought up to date right before it is drawn, several times a second."""

    before_drawing: Callable[[], None] | None = None

    def get_renderables(self) -> Iterable[RenderableType]:
        if self.before_drawing is not None:
            self.before_drawing()
        return super().get_renderables()


@contextmanager
def watching(maxfev: int) -> Iterator[Watch]:
    """Show a progress bar over the evaluations of one run."""
    done = "[bold]{task.completed:,.0f}[/] of {task.total:,.0f} evaluations"
    with progress_bar(done, "{task.fields[estimate]}") as progress:
        yield Watch(progress, maxfev)


def progress_bar(before: str, after: str) -> Following:
    """Return a progress bar on stderr between two texts, silent where that is no terminal."""
    console = Console(stderr=True)
    columns = TextColumn(before), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), TextColumn(after)
    return Following(*columns, console=console, disable=not console.is_terminal, transient=True)


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
    try:
        for part in parts:
            console.print(cleaned(part) if isinstance(part, str) else part)
    except (BrokenPipeError, SystemExit):  # rich raises the second where the reader has gone, as `head` does
        raise click.exceptions.Exit(1) from None


def vector(values: Array) -> str:
    """Return a point in a form that fits into a table and can be read back by a program."""
    return ", ".join(f"{value:.6g}" for value in values)
