"""Find the objective that a user names: a function in a file of theirs, a program, or a benchmark problem."""

import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from reckless.cli.options import spelled_options
from reckless.cli.sentences import complain
from reckless.core.arrays import Array
from reckless.core.spelling import Spelling, find_in_file, read_spelling
from reckless.core.words import named, safe_repr, shortened
from reckless.errors import InvalidArgument, JournalWarning, ObjectiveFailed, ScaleWarning, WorkersWarning
from reckless.evaluation.objective import Objective

if TYPE_CHECKING:  # a worker process imports this module to find a user's function, and should be quick about it
    from reckless.domains.reading import DomainLike


class Target(NamedTuple):
    """What to solve. processes: those of f, which end when the block is left."""

    f: Objective
    x_bounds: "DomainLike"
    y_bounds: "DomainLike"
    vectorized: bool
    optimum: float | None = None
    processes: AbstractContextManager[Any] = nullcontext()


def is_own(given: Mapping[str, Any]) -> bool:
    """Return whether the objective is the user's: then the bounds must be, too."""
    return "command" in given or read_spelling(given["objective"]).file != ""


def find_target(given: Mapping[str, Any]) -> Target:
    """Return what the settings name, with the sets of x and y, which only a benchmark problem brings along."""
    if not is_own(given):
        return _benchmark(given)
    if "command" in given:
        from reckless.evaluation.command import Command

        x_bounds, y_bounds = _need_bounds(given, "a program")
        try:
            program = Command(given["command"], per_call=given.get("per_call", False))
        except InvalidArgument as error:  # which blames the argument of Python
            raise InvalidArgument(f"command: {str(error).removeprefix('argv: ')}") from None
        return Target(program, x_bounds, y_bounds, vectorized=False, processes=closing(program))
    from reckless.domains.reading import Perturbing

    file, name, _ = read_spelling(given["objective"])
    if not name:
        raise InvalidArgument(f"objective: say which function of {file} to use, for example {file}:f.")
    x_bounds, y_bounds = _need_bounds(given, "a function of yours")
    f: Objective = FileFunction(file, name, is_blamed=given["on_error"] == "raise")
    if isinstance(y_bounds, Perturbing):
        f, y_bounds = y_bounds.of(f, x_bounds)
    return Target(f, x_bounds, y_bounds, given["vectorized"])


def options_of(given: Mapping[str, Any], target: Target, *, searching: bool) -> dict[str, Any]:
    """Return the options of a run or of an attack."""
    return {key: given[key] for key in spelled_options(searching=searching)} | {"vectorized": target.vectorized}


def _benchmark(given: Mapping[str, Any]) -> Target:
    from reckless.bench.problems import problem

    _refuse_other(given["objective"])
    found = problem(given["objective"])
    if found.lacks:
        raise InvalidArgument(f"problem: {found.lacks}")
    if "x_bounds" in given or "y_bounds" in given:
        raise InvalidArgument(f"--x, --y: the problem {found.name} has bounds of its own. Leave these options out.")
    if given.get("args"):
        raise InvalidArgument(f"args: the problem {found.name} takes none, but got {safe_repr(given['args'])}.")
    optimum = None if found.optimum is None else found.optimum.value
    return Target(found.function, found.x_bounds, found.y_bounds, found.vectorized, optimum)


def _refuse_other(objective: str) -> None:
    """Say how a function in a file or a program is spelled, if that was meant by what is no problem."""
    module, _, name = objective.rpartition(".")
    if module and name.isidentifier() and Path(f"{module}.py").is_file():
        raise InvalidArgument(f"objective: a function in a file is spelled {shortened(f'{module}.py:{name}')}.")
    if "/" in objective or Path(objective).is_file():
        raise InvalidArgument(
            f"objective: expected file.py:f, a problem or a file that ends in .toml, but got "
            f"{shortened(safe_repr(objective))}. A program is given by --command."
        )


def _need_bounds(given: Mapping[str, Any], whose: str) -> tuple[Any, Any]:
    for option in ("--x", "--y"):
        if f"{option[2:]}_bounds" not in given:
            rule = f"{whose} needs bounds, one {option} LOW:HIGH per coordinate"
            raise InvalidArgument(f"{option}: {rule}, but there is none. For example {option} 0:10.")
    return given["x_bounds"], given["y_bounds"]


class FileFunction:
    """A function in a user's file, of x and y or of x alone; another process finds it by loading the file too.

    If `is_blamed`, what it raises becomes one line that says where.
    """

    def __init__(self, path: str, name: str, is_blamed: bool) -> None:
        self._path, self._name, self._is_blamed = Path(path), name, is_blamed
        self._f = find_in_file(Spelling(path, name, None), "objective", "function")

    def __reduce__(self) -> tuple[Any, ...]:
        return FileFunction, (str(self._path.absolute()), self._name, self._is_blamed)

    def __call__(self, *points: Array) -> Any:
        try:
            return self._f(*points)
        except SystemExit as error:  # which would end the run without a word
            raised = CalledExit(f"f called sys.exit({safe_repr(error.code)})")
            if not self._is_blamed:
                raise raised from error
            raise ObjectiveRaised(self._blame(error, f"{raised}", points)) from error
        except Exception as error:
            if not self._is_blamed:
                raise
            raise ObjectiveRaised(self._blame(error, f"f raised {named(error)}", points)) from error

    def _blame(self, error: BaseException, what: str, points: tuple[Array, ...]) -> str:
        """Say in one line what f did, in which line of the file, and at which point."""
        frames = traceback.extract_tb(error.__traceback__)
        inside = [frame for frame in frames if Path(frame.filename) == self._path.absolute()]
        line = f", line {inside[-1].lineno}" if inside else ""
        where = ", ".join(f"{name}={shortened(_told(point, name))}" for name, point in zip("xy", points, strict=False))
        return f"{self._path}{line}: {what} (at {where})."


def _told(point: Array, player: str) -> str:
    """Return a point as text, with names if it has any."""
    from reckless.domains.labels import Legend, shown
    from reckless.domains.named import names_of

    names = names_of(point)
    return shown(Legend(names), point, player) if names and point.ndim == 1 else str(point)


class CalledExit(RuntimeError):
    """The user's function called sys.exit: an evaluation that failed, and no reason to end."""


class ObjectiveRaised(click.ClickException):
    """The user's function raised."""


@contextmanager
def evaluating(target: Target) -> Iterator[None]:
    """Say in one line what goes wrong with evaluations, and end the processes of f afterwards.

    An evaluation that ends the run is no mistake of the input: it has another exit code.
    """
    try:
        with complaining(), target.processes:
            warnings.simplefilter("always", WorkersWarning)
            yield
    except ObjectiveFailed as error:
        raise ObjectiveRaised(str(error)) from error


@contextmanager
def complaining() -> Iterator[None]:
    """Say in one line each what we warn of."""
    show_others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if issubclass(category, (WorkersWarning, JournalWarning, ScaleWarning)):
            complain(str(message))
        else:
            show_others(message, category, *where, **more)

    with warnings.catch_warnings():
        warnings.simplefilter("always", ScaleWarning)
        warnings.showwarning = show
        yield
