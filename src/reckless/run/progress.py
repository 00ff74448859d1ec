"""Show how far a run is, on stderr: as a bar in a terminal, as a line that updates itself in a notebook, or as lines.

Only here does the library draw or print, and only if it is asked to.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from math import isnan, nan
from time import monotonic
from typing import Any, Literal

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from reckless.core.compiling import noticing
from reckless.run.watcher import Watcher

COMPILING = "compiling, which only the first call does"
DRAWINGS_PER_SECOND = 4
NOTEBOOK_SECONDS = 0.5  # between two updates of the line in a notebook
LINE_SECONDS = 60.0  # between two lines in a log

Clock = Callable[[], float]


class Sight:
    """How far a run is: a `Watcher` that keeps what it is told, for whoever draws it."""

    def __init__(self) -> None:
        self.n_done, self.n_all = 0, 0
        self.estimate = nan
        self.is_verifying = self.is_compiling = False

    def begin(self, n_evaluations: int) -> None:
        """Take how many evaluations may be made, those of a verification included."""
        self.n_all = n_evaluations

    def count(self, n_evaluations: int) -> None:
        """Take how many evaluations were made so far."""
        self.n_done = n_evaluations

    def recommend(self, estimate: float) -> None:
        """Take the estimate of a new recommendation."""
        self.estimate = estimate

    def verify(self) -> None:
        """Take that the search is over, and its answer is verified."""
        self.is_verifying = True

    def compile(self, is_compiling: bool) -> None:
        """Take that compiling begins, or is done."""
        self.is_compiling = is_compiling

    def close(self) -> None:
        """Take that the run has come to its end, by Ctrl-C too; not called if an exception ends it."""

    @property
    def remarks(self) -> str:
        """What there is to say besides the number of evaluations."""
        words = [
            "" if isnan(self.estimate) else f"estimate {self.estimate:.6g}",
            "verifying" if self.is_verifying else "",
            COMPILING if self.is_compiling else "",
        ]
        return ", ".join(filter(None, words))

    @property
    def line(self) -> str:
        """All there is to say, on one line."""
        return ", ".join(filter(None, (f"{self.n_done:,} of {self.n_all:,} evaluations", self.remarks)))


class Lines(Sight):
    """Writes a line now and then, one at the end, and one if the run begins by compiling."""

    def __init__(self, write: Callable[[str], object], clock: Clock, seconds: float = LINE_SECONDS) -> None:
        super().__init__()
        self._write, self._clock, self._seconds = write, clock, seconds
        self._begun = self._written = clock()
        self._has_compiled = False

    def count(self, n_evaluations: int) -> None:
        self.n_done = n_evaluations
        if self._clock() - self._written >= self._seconds:
            self._say()

    def compile(self, is_compiling: bool) -> None:
        if not self._has_compiled:
            self._has_compiled = True
            self._write(COMPILING.capitalize())

    def close(self) -> None:
        self._say()

    def _say(self) -> None:
        self._written = self._clock()
        self._write(f"{self.line}, {_duration(self._written - self._begun)}")


class Updating(Sight):
    """Keeps one line of a notebook up to date."""

    def __init__(self, show: Callable[[str], object], clock: Clock) -> None:
        super().__init__()
        self._show, self._clock = show, clock
        self._shown = clock() - NOTEBOOK_SECONDS

    def count(self, n_evaluations: int) -> None:
        self.n_done = n_evaluations
        if self._clock() - self._shown >= NOTEBOOK_SECONDS:
            self._update()

    def compile(self, is_compiling: bool) -> None:
        self.is_compiling = is_compiling
        self._update()

    def close(self) -> None:
        self._update()

    def _update(self) -> None:
        self._shown = self._clock()
        self._show(self.line if self.n_all else self.remarks)


class Bar(Progress):
    """A progress bar that is brought up to date right before it is drawn, so that counting costs nothing."""

    before_drawing: Callable[[], None] | None = None

    def get_renderables(self) -> Iterable[RenderableType]:
        if self.before_drawing is not None:
            self.before_drawing()
        return super().get_renderables()


def progress_bar(before: str, after: str, console: Console | None = None) -> Bar:
    """Return a progress bar on stderr between two texts, silent where that is no terminal."""
    console = console or Console(stderr=True)
    columns = TextColumn(before), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), TextColumn(after)
    return Bar(
        *columns,
        console=console,
        disable=not console.is_terminal,
        transient=True,
        refresh_per_second=DRAWINGS_PER_SECOND,
        redirect_stdout=_is_terminal(sys.stdout),  # else what f prints would miss the file that it is meant for
    )


@contextmanager
def showing(style: Literal["lines"] | bool, clock: Clock = monotonic) -> Iterator[Watcher | None]:
    """Show how far a run is while the block runs, and yield whom to tell; None if nobody would see it."""
    sight, drawing = _begun(style, clock)
    if sight is None:
        yield None
        return
    with drawing, noticing(sight.compile):
        yield sight
        sight.close()


def _begun(style: Literal["lines"] | bool, clock: Clock) -> tuple[Sight | None, Any]:
    """Return whom to tell, and what is to be entered while it draws."""
    if style == "lines":
        return Lines(_write, clock), nullcontext()
    if style and (display := _notebook_display()) is not None:
        return Updating(_updated(display), clock), nullcontext()
    if style and _is_terminal(sys.stderr):
        sight = Sight()
        return sight, bar_of(sight)
    return None, nullcontext()


def bar_of(sight: Sight, console: Console | None = None) -> Bar:
    """Return a progress bar over the evaluations of one run."""
    done = "[bold]{task.completed:,.0f}[/] of {task.total:,.0f} evaluations"
    bar = progress_bar(done, "{task.fields[remarks]}", console)
    row = bar.add_task("", total=0, remarks="")

    def follow() -> None:
        bar.update(row, completed=sight.n_done, total=sight.n_all, remarks=sight.remarks)

    bar.before_drawing = follow
    return bar


def _is_terminal(stream: Any) -> bool:
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


def _write(line: str) -> None:
    """Write a line to stderr; a run does not end because nobody reads that any more."""
    with suppress(AttributeError, OSError, ValueError):
        sys.stderr.write(f"reckless: {line}.\n")
        sys.stderr.flush()


def _notebook_display() -> Any:
    """Return what IPython displays by, if this process is the kernel of a notebook; else None."""
    ipython = sys.modules.get("IPython")  # a kernel has imported it
    shell = None if ipython is None else ipython.get_ipython()
    if not any(kind.__name__ == "ZMQInteractiveShell" for kind in type(shell).__mro__):
        return None
    from IPython.display import display

    return display


def _updated(display: Any) -> Callable[[str], object]:
    """Return what shows a line in the place of the one before."""
    handle = None

    def show(line: str) -> None:
        nonlocal handle
        content = {"text/plain": line}
        if handle is None:
            handle = display(content, raw=True, display_id=True)
        else:
            handle.update(content, raw=True)

    return show


def _duration(seconds: float) -> str:
    """Return a time as people read it, such as 2:03:04."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
