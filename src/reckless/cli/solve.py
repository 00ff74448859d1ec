"""`reckless solve`: one run from the command line or from a file."""

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reckless.cli.options import Count, Interval
from reckless.errors import InvalidArgument, ObjectiveFailed, Status, WorkersWarning

if TYPE_CHECKING:
    from reckless.cli.objectives import Target
    from reckless.core.result import MinimaxResult

DEFAULTS = {"maxfev": 20_000, "method": "auto", "on_error": "raise", "nan_policy": "count", "retries": 0}
POLICY = click.Choice(["raise", "count"])


@click.command()
@click.argument("objective", required=False)
@click.option("--x", "x_bounds", type=Interval(), multiple=True, help="Bounds of one coordinate of x; repeat it.")
@click.option("--y", "y_bounds", type=Interval(), multiple=True, help="Bounds of one coordinate of y; repeat it.")
@click.option("--maxfev", type=Count(), help="How many evaluations to spend.  [default: 20000]")
@click.option("--method", help="A name from `reckless methods`.  [default: auto]")
@click.option("--rng", type=click.IntRange(min=0), help="Seed: the same seed gives the same run.")
@click.option("--vectorized", is_flag=True, default=None, help="f takes many pairs at once, as rows.")
@click.option("--command", help="A program to ask line by line in JSON, in place of OBJECTIVE; no shell reads this.")
@click.option("--workers", type=int, help="Evaluate in so many processes; -1: one per processor.")
@click.option("--checkpoint", type=click.Path(dir_okay=False), help="Journal: the same command goes on where it was.")
@click.option("--maxtime", type=float, help="Stop after so many seconds.")
@click.option("--target", type=float, help="Stop at an x whose worst case is at most this.")
@click.option("--on-error", type=POLICY, help="What an exception of f does.  [default: raise]")
@click.option("--nan-policy", type=POLICY, help="What a NaN of f does.  [default: count]")
@click.option("--retries", type=click.IntRange(min=0), help="How often a failed evaluation is repeated.  [default: 0]")
@click.option("--eval-timeout", type=float, help="Seconds after which an evaluation is ended.")
@click.option("--init", is_flag=True, help="Write a commented problem.toml (or OBJECTIVE) and do nothing else.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def solve(objective: str | None, init: bool, as_json: bool, **options: Any) -> None:
    """Find the x whose worst case over y is smallest.

    OBJECTIVE is a function f(x, y) in a Python file, as in path/to/file.py:f, the name of a benchmark problem (see
    `reckless problems`), or a file such as problem.toml that says all of this (see --init).
    """
    if init:
        _init(Path(objective or "problem.toml"))
        return
    settings = _merged(objective, {key: value for key, value in options.items() if value not in (None, ())})
    with _plain_warnings():
        target, result = _run(settings)
    if as_json:
        click.echo(json.dumps(_as_data(result), indent=2))
    else:
        _show(settings["name"], target, result)
    if not result.success:
        raise click.exceptions.Exit(130 if result.status == Status.INTERRUPTED.code else 1)


def _init(path: Path) -> None:
    from reckless.cli.config import write_template

    write_template(path)
    click.echo(f"{path} is written. Say in it what to solve, then: reckless solve {path}")


def _merged(objective: str | None, options: dict[str, Any]) -> dict[str, Any]:
    """Defaults, then what the file says, then what the command line says."""
    if "command" in options:
        from reckless.command import split_command

        if objective is not None:
            raise InvalidArgument(f"--command: a program takes the place of OBJECTIVE, but {objective!r} is given too.")
        return {**DEFAULTS, "name": options["command"], **options, "command": split_command(options["command"])}
    if objective is None:
        raise click.UsageError("Missing argument 'OBJECTIVE': what is to be solved? Or use --init.")
    name: dict[str, Any] = {"name": objective, "objective": objective}
    if objective.endswith(".toml"):
        from reckless.cli.config import read_config

        return {**DEFAULTS, **name, "objective": None, **read_config(Path(objective)), **options}
    return {**DEFAULTS, **name, **options}


def _run(given: dict[str, Any]) -> "tuple[Target, MinimaxResult]":
    from reckless.cli import objectives
    from reckless.cli.console import watching
    from reckless.core.arguments import read_number
    from reckless.core.evaluator import Evaluator
    from reckless.evaluation import Settings
    from reckless.run import run

    words = {key: given.get(key) for key in ("workers", "on_error", "nan_policy", "retries", "eval_timeout", "maxtime")}
    goal = given.get("target")
    goal = None if goal is None else read_number(goal, "target")
    if given.get("command"):
        target = objectives.command_target(given)
        words |= {"workers": None, "eval_timeout": None}  # the command has processes of its own
    else:
        target = objectives.find_target(
            given["objective"],
            given.get("x_bounds", ()),
            given.get("y_bounds", ()),
            given.get("vectorized", False),
            is_blamed=given["on_error"] == "raise",
        )
    settings = Settings.read(**words)
    is_plain = settings == Settings() and "checkpoint" not in given
    try:
        with target.closing(), watching(given["maxfev"]) as watch:
            f = watch.objective(target.f, vectorized=target.vectorized) if is_plain else target.f
            result = run(
                Evaluator(f, vectorized=target.vectorized),
                given["method"],
                target.x_bounds,
                target.y_bounds,
                maxfev=given["maxfev"],
                rng=given.get("rng"),
                settings=settings,
                checkpoint=given.get("checkpoint"),
                target=goal,
                callback=watch.callback,
                on_value=None if is_plain else watch.tick,
            )
    except ObjectiveFailed as error:
        raise objectives.ObjectiveRaised(str(error)) from error
    return target, result


@contextmanager
def _plain_warnings() -> Iterator[None]:
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


def _as_data(result: "MinimaxResult") -> dict[str, Any]:
    failure = result.first_failure
    return {
        "x": result.x.tolist(),
        "y": result.y.tolist(),
        "estimate": result.fun if isfinite(result.fun) else None,
        **{key: result[key] for key in ("nfev", "nit", "n_failed", "success", "status", "message", "method")},
        "first_failure": failure and {"x": failure.x.tolist(), "y": failure.y.tolist(), "traceback": failure.traceback},
        "history": [
            {"nfev": nfev, "x": x.tolist(), "y": y.tolist(), "estimate": fun} for nfev, x, y, fun in result.history
        ],
    }


def _show(name: str, target: "Target", result: "MinimaxResult") -> None:
    from reckless.cli.console import show, table, vector

    rows = table(f"{name} by {result.method}", "", "")
    rows.show_header = False
    rows.add_row("x", vector(result.x))
    rows.add_row("worst y found for it", vector(result.y))
    rows.add_row("estimate f(x, y)", f"{result.fun:.9g}")
    if target.optimum is not None:
        rows.add_row("optimal worst case", f"{target.optimum:.9g}")
    rows.add_row("evaluations", f"{result.nfev:,} in {result.nit:,} rounds")
    if result.n_failed:
        rows.add_row("failed evaluations", f"{result.n_failed:,}")
    if (failure := result.first_failure) is not None:
        rows.add_row("the first of them", failure.summary)
        rows.add_row("", f"at x = {vector(failure.x)}, y = {vector(failure.y)}")
    show(
        rows,
        result.message,
        "The estimate is a lower bound of the worst case of x; reckless.worst_case measures it.",
    )
