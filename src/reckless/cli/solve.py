"""`reckless solve`: one run from the command line or from a file."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reckless.cli.options import JSON, MAXFEV, RNG, OptionalCount, bounds_of, evaluation, set_of_y
from reckless.errors import Status

if TYPE_CHECKING:
    from reckless.cli.objectives import Target
    from reckless.run.result import MinimaxResult


@click.command()
@click.argument("objective", required=False)
@bounds_of("x")
@set_of_y
@MAXFEV
@click.option("--method", help="A name from `reckless methods`.  [default: auto]")
@RNG
@click.option(
    "--certify",
    type=OptionalCount(),
    is_flag=False,
    flag_value=True,
    metavar="[COUNT]",
    help="Attack the answer again, independently, with so many evaluations; with maxfev if no count follows.",
)
@evaluation
@click.option("--checkpoint", type=click.Path(dir_okay=False), help="Journal: the same command goes on where it was.")
@click.option("--maxtime", type=float, help="Stop after so many seconds.")
@click.option("--target", type=float, help="Stop at an x whose worst case is at most this.")
@click.option("--init", is_flag=True, help="Write a commented problem.toml (or OBJECTIVE) and do nothing else.")
@JSON
def solve(objective: str | None, init: bool, as_json: bool, **options: Any) -> None:
    """Find the x whose worst case over y is smallest.

    OBJECTIVE is a function f(x, y) in a Python file, as in path/to/file.py:f, the name of a benchmark problem (see
    `reckless problems`), or a file such as problem.toml that says all of this and more (see --init).
    """
    if init:
        _init(Path(objective or "problem.toml"))
        return
    from reckless.cli.settings import read_settings

    settings = read_settings(objective, options)
    from reckless.cli.answers import result_data, show_result
    from reckless.cli.console import plain_warnings

    with plain_warnings():
        target, result = _run(settings)
    if as_json:
        click.echo(json.dumps(result_data(result), indent=2))
    else:
        show_result(settings["name"], result, target.optimum)
    if not result.success:
        raise click.exceptions.Exit(130 if result.status == Status.INTERRUPTED.code else 1)


def _init(path: Path) -> None:
    from reckless.cli.template import write_template

    write_template(path)
    click.echo(f"{path} is written. Say in it what to solve, then: reckless solve {path}")


def _run(given: dict[str, Any]) -> "tuple[Target, MinimaxResult]":
    from reckless.cli.console import watching
    from reckless.cli.objectives import evaluation_words, failing_plainly, find_target
    from reckless.core.arguments import read_count, read_number
    from reckless.domains.domain import read_domain
    from reckless.evaluation.executors import count_workers
    from reckless.evaluation.objective import Evaluator
    from reckless.evaluation.path import Settings
    from reckless.run.run import Run
    from reckless.run.verification import read_certify

    goal = given.get("target")
    goal = None if goal is None else read_number(goal, "target")
    maxfev = read_count(given["maxfev"], "maxfev")
    n_certify = read_certify(given.get("certify", False), maxfev)
    settings = Settings.read(**evaluation_words(given), maxtime=given.get("maxtime"))
    target = find_target(given)
    evaluator = Evaluator(target.f, vectorized=target.vectorized)
    with failing_plainly(), target.closing(), watching(maxfev + n_certify) as watch:
        run = Run(
            given["method"],
            read_domain(target.x_bounds, "x_bounds"),
            read_domain(target.y_bounds, "y_bounds"),
            maxfev=maxfev,
            rng=given.get("rng"),
            settings=settings,
            n_workers=count_workers(settings.workers) or evaluator.n_workers,
            checkpoint=given.get("checkpoint"),
            target=goal,
            n_certify=n_certify,
            callback=watch.callback,
            watch=watch.show,
        )
        return target, run.drive(evaluator)
