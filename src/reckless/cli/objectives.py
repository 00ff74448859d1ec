"""Finding the objective that a user names: a function in a file of theirs, or a benchmark problem."""

import importlib.util
import sys
import traceback
from collections.abc import Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from reckless.core.arrays import Array
from reckless.core.evaluator import Objective
from reckless.errors import InvalidArgument

if TYPE_CHECKING:  # a worker process imports this module to find a user's function, and should be quick about it
    from reckless.core.box import BoundsLike


class Target(NamedTuple):
    """What to solve."""

    f: Objective
    x_bounds: "BoundsLike"
    y_bounds: "BoundsLike"
    vectorized: bool
    optimum: float | None = None
    is_closed_after: bool = False

    def closing(self) -> AbstractContextManager[Any]:
        """Within, f may be called; afterwards its processes, if it has any, are gone."""
        f: Any = self.f
        return closing(f) if self.is_closed_after else nullcontext()


def find_target(
    name: str,
    x_bounds: tuple[tuple[float, float], ...],
    y_bounds: tuple[tuple[float, float], ...],
    vectorized: bool,
    *,
    is_blamed: bool = True,
) -> Target:
    """The objective called `name`, with its boxes, which only a benchmark problem brings along."""
    path, _, function = name.rpartition(":")
    if path.endswith(".py"):
        _need_bounds(x_bounds, y_bounds, "a function of yours")
        return Target(FileFunction(path, function, is_blamed), list(x_bounds), list(y_bounds), vectorized)
    if name.endswith(".py"):
        raise InvalidArgument(f"objective: say which function of {name} to use, for example {name}:f.")
    from reckless.bench.problems import problem

    found = problem(name)
    if x_bounds or y_bounds:
        raise InvalidArgument(f"--x, --y: the problem {found.name} has bounds of its own. Leave these options out.")
    return Target(found.function, found.x_bounds, found.y_bounds, True, found.optimum.value)


def command_target(given: Mapping[str, Any]) -> Target:
    """A program as the objective; it gets the settings for workers and failures, which it carries out itself."""
    from reckless.command import Command
    from reckless.workers import read_workers

    x_bounds, y_bounds = given.get("x_bounds", ()), given.get("y_bounds", ())
    _need_bounds(x_bounds, y_bounds, "a program")
    n_workers = read_workers(given.get("workers", 1))
    assert isinstance(n_workers, int)
    f = Command(
        given["command"],
        workers=n_workers,
        timeout=given.get("eval_timeout"),
        on_error=given["on_error"],
    )
    return Target(f, list(x_bounds), list(y_bounds), vectorized=True, is_closed_after=True)


def _need_bounds(x_bounds: tuple[Any, ...], y_bounds: tuple[Any, ...], whose: str) -> None:
    for option, bounds in (("--x", x_bounds), ("--y", y_bounds)):
        if not bounds:
            raise InvalidArgument(
                f"{option}: {whose} needs bounds, one {option} LOW:HIGH per coordinate, but there is none. "
                f"For example {option} 0:10."
            )


class FileFunction:
    """A function in a user's file; another process finds it by loading the file too.

    If `is_blamed`, what it raises becomes one line that says where.
    """

    def __init__(self, path: str, function: str, is_blamed: bool) -> None:
        self._arguments = (path, function, is_blamed)
        self._path, self._is_blamed = Path(path), is_blamed
        self._f = _load(self._path, function)

    def __reduce__(self) -> tuple[Any, ...]:
        path, *others = self._arguments
        return FileFunction, (str(Path(path).absolute()), *others)

    def __call__(self, x: Array, y: Array) -> Any:
        try:
            return self._f(x, y)
        except Exception as error:
            if not self._is_blamed:
                raise
            frames = traceback.extract_tb(error.__traceback__)
            inside = [frame for frame in frames if Path(frame.filename) == self._path] or frames[-1:]
            raise ObjectiveRaised(
                f"{self._path}, line {inside[-1].lineno}: f raised {type(error).__name__}: {error} (at x={x}, y={y})."
            ) from error


class ObjectiveRaised(click.ClickException):
    """The user's function raised."""


def _load(path: Path, function: str) -> Objective:
    if not path.is_file():
        raise InvalidArgument(f"objective: there is no file {path}. Is the path relative to another directory?")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    sys.path.insert(0, str(path.parent))  # so that it finds its neighbors, as a script would
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InvalidArgument(f"objective: {path} cannot be imported ({type(error).__name__}: {error}).") from error
    found: Objective | None = vars(module).get(function)
    if not callable(found):
        names = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise InvalidArgument(
            f"objective: {path} defines no function {function!r}. It defines: {', '.join(names) or 'none'}."
        )
    return found
