"""`reckless solve`: one run from the command line or from a file."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reckless.cli.options import COMMAND, JSON, bounds_of, options_of_a_run, set_of_y
from reckless.errors import Status

if TYPE_CHECKING:
    from reckless.cli.objectives import Target
    from reckless.run.result import MinimaxResult


@click.command()
@click.argument("objective", required=False)
@bounds_of("x")
@set_of_y
@COMMAND
@options_of_a_run(searching=True)
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
    from reckless.cli.console import plain_warnings

    with plain_warnings():
        target, result = _run(settings)
    if as_json:
        click.echo(json.dumps(result.to_dict(), indent=2))
    else:
        optimum = "" if target.optimum is None else f"optimal worst case: {target.optimum:.9g}\n"
        click.echo(f"{settings['name']}\n{result.report()}\n{optimum}", nl=False)
    if not result.success:
        raise click.exceptions.Exit(130 if result.status == Status.INTERRUPTED.code else 1)


def _init(path: Path) -> None:
    from reckless.cli.template import write_template

    write_template(path)
    click.echo(f"{path} is written. Say in it what to solve, then: reckless solve {path}")


def _run(given: dict[str, Any]) -> "tuple[Target, MinimaxResult]":
    from reckless.cli.console import watching
    from reckless.cli.objectives import failing_plainly, find_target, options_of
    from reckless.run.minimax import minimax

    target = find_target(given)
    options = options_of(given, target, searching=True)
    n_verifying = given["maxfev"] if options["verify"] is True else int(options["verify"])
    with failing_plainly(), target.closing(), watching(given["maxfev"] + n_verifying) as watch:
        f = target.f if options["workers"] or options["eval_timeout"] else watch.objective(target)
        return target, minimax(f, target.x_bounds, target.y_bounds, **options, callback=watch.callback)
