"""`reckless worst-case`: attack one design from the command line."""

import json
from contextlib import nullcontext
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from reckless.cli.options import Count, Interval
from reckless.errors import InvalidArgument

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from reckless.cli.objectives import Target
    from reckless.core.result import WorstCase


class Point(click.ParamType[tuple[float, ...]]):
    """Numbers with commas between them."""

    name = "x1,x2,..."

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        try:
            return tuple(float(part) for part in str(value).split(","))
        except ValueError:
            option = param.opts[0] if param else "point"
            raise InvalidArgument(
                f"{option}: expected numbers with commas between them, such as 1.0,2.5, but got {value!r}."
            ) from None


@click.command("worst-case")
@click.argument("objective", required=False)
@click.option("--at", type=Point(), required=True, help="The design x to attack.")
@click.option("--y", "y_bounds", type=Interval(), multiple=True, help="Bounds of one coordinate of y; repeat it.")
@click.option("--maxfev", type=Count(), default=20_000, show_default=True, help="How many evaluations to spend.")
@click.option("--rng", type=click.IntRange(min=0), help="Seed: the same seed gives the same searches.")
@click.option("--vectorized", is_flag=True, help="f takes many pairs at once, as rows.")
@click.option("--command", "command_line", help="A program in place of OBJECTIVE; see docs/programs.md.")
@click.option("--workers", type=Count(), default=1, show_default=True, help="How many copies of the program to run.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def worst_case(
    objective: str | None,
    at: tuple[float, ...],
    y_bounds: tuple[tuple[float, float], ...],
    maxfev: int,
    rng: int | None,
    vectorized: bool,
    command_line: str | None,
    workers: int,
    as_json: bool,
) -> None:
    """Measure how bad one design x can really get: the largest f(x, y) over y that independent searches find.

    OBJECTIVE is a function f(x, y) in a Python file, as in path/to/file.py:f, or the name of a benchmark problem (see
    `reckless problems`).
    """
    from reckless.certificate import worst_case as measure

    target, opened = _target(objective, command_line, at, y_bounds, vectorized, workers)
    with opened:
        found = measure(target.f, at, target.y_bounds, maxfev=maxfev, rng=rng, vectorized=target.vectorized)
    if as_json:
        click.echo(json.dumps(_as_data(at, found), indent=2))
    else:
        _show(objective or str(command_line), at, found)
    if not found.success:
        raise click.exceptions.Exit(1)


def _target(
    objective: str | None,
    command_line: str | None,
    at: tuple[float, ...],
    y_bounds: tuple[tuple[float, float], ...],
    vectorized: bool,
    workers: int,
) -> "tuple[Target, AbstractContextManager[object]]":
    """What to attack, and what must be closed afterward."""
    from reckless.cli.objectives import Target, find_target
    from reckless.command import Command, split_command

    if (objective is None) == (command_line is None):
        raise InvalidArgument("objective: name either OBJECTIVE or a program by --command, one of the two.")
    if command_line is not None:
        if not y_bounds:
            raise InvalidArgument("--y: a program needs bounds, one --y LOW:HIGH per coordinate, but there is none.")
        program = Command(split_command(command_line), workers=workers, on_error="count")
        return Target(program, [], list(y_bounds), True, None), program
    assert objective is not None
    is_file = objective.rpartition(":")[0].endswith(".py")
    # x has no bounds here; a function of the user's own is asked for some, so it gets a stand-in that nothing reads.
    target = find_target(objective, ((0.0, 1.0),) if is_file else (), y_bounds, vectorized)
    if not is_file and len(at) != len(list(target.x_bounds)):
        raise InvalidArgument(
            f"--at: {objective} has {len(list(target.x_bounds))} coordinates in x, but got {len(at)}."
        )
    return target, nullcontext()


def _as_data(at: tuple[float, ...], found: "WorstCase") -> dict[str, Any]:
    return {
        "x": list(at),
        "y": found.y.tolist(),
        "worst_case": found.fun if isfinite(found.fun) else None,
        **{key: found[key] for key in ("nfev", "n_failed", "n_starts", "n_agreed", "is_exact", "success", "message")},
    }


def _show(title: str, at: tuple[float, ...], found: "WorstCase") -> None:
    import numpy as np

    from reckless.cli.console import show, table, vector

    rows = table(f"{title}: how bad one x can get", "", "")
    rows.show_header = False
    rows.add_row("x", vector(np.array(at)))
    rows.add_row("worst y found", vector(found.y))
    rows.add_row("worst case f(x, y)", f"{found.fun:.9g}")
    rows.add_row("evaluations", f"{found.nfev:,}")
    if found.n_failed:
        rows.add_row("failed evaluations", f"{found.n_failed:,}")
    show(rows, found.message)
