"""Finding the objective that a user names: a function in a file of theirs, or a benchmark problem."""

import importlib.util
import sys
import traceback
from pathlib import Path
from typing import Any, NamedTuple

import click

from reckless.core.arrays import Array
from reckless.core.box import BoundsLike
from reckless.core.evaluator import Objective
from reckless.errors import InvalidArgument


class Target(NamedTuple):
    """What to solve."""

    f: Objective
    x_bounds: BoundsLike
    y_bounds: BoundsLike
    vectorized: bool
    optimum: float | None


def find_target(
    name: str,
    x_bounds: tuple[tuple[float, float], ...],
    y_bounds: tuple[tuple[float, float], ...],
    vectorized: bool,
) -> Target:
    """The objective called `name`, with its boxes, which only a benchmark problem brings along."""
    path, _, function = name.rpartition(":")
    if path.endswith(".py"):
        for option, bounds in (("--x", x_bounds), ("--y", y_bounds)):
            if not bounds:
                raise InvalidArgument(
                    f"{option}: a function of yours needs bounds, one {option} LOW:HIGH per coordinate, but there is "
                    f"none. For example {option} 0:10."
                )
        return Target(_load(Path(path), function), list(x_bounds), list(y_bounds), vectorized, None)
    if name.endswith(".py"):
        raise InvalidArgument(f"objective: say which function of {name} to use, for example {name}:f.")
    from reckless.bench.problems import problem

    found = problem(name)
    if x_bounds or y_bounds:
        raise InvalidArgument(f"--x, --y: the problem {found.name} has bounds of its own. Leave these options out.")
    return Target(found.function, found.x_bounds, found.y_bounds, True, found.optimum.value)


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
    found = vars(module).get(function)
    if not callable(found):
        names = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise InvalidArgument(
            f"objective: {path} defines no function {function!r}. It defines: {', '.join(names) or 'none'}."
        )
    return _blamed(found, path)


def _blamed(f: Objective, path: Path) -> Objective:
    """The same function; what it raises becomes one line that says where."""

    def guarded(x: Array, y: Array) -> Any:
        try:
            return f(x, y)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            inside = [frame for frame in frames if Path(frame.filename) == path] or frames[-1:]
            raise ObjectiveFailed(
                f"{path}, line {inside[-1].lineno}: f raised {type(error).__name__}: {error} (at x={x}, y={y})."
            ) from error

    return guarded


class ObjectiveFailed(click.ClickException):
    """The user's function raised."""
