"""`reckless solve`: one run from the command line or from a file."""

from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

import click

from reckless.cli.completion import complete_objective
from reckless.cli.files import check_file, writing
from reckless.cli.objectives import evaluating, find_target, options_of
from reckless.cli.options import JSON, Value, options_of_a_run
from reckless.cli.sentences import cleaned, say
from reckless.cli.signals import INTERRUPTED
from reckless.cli.template import write_template
from reckless.errors import Status
from reckless.run.options import read_file_name


def _read_writable(value: Any, option: str) -> Path:
    """Return a file that can be written."""
    path = Path(read_file_name(value, option))
    check_file(path, option)
    return path


@click.command()
@click.argument("objective", required=False, shell_complete=complete_objective)
@options_of_a_run(searching=True)
@click.option(
    "--trace",
    type=Value(_read_writable, "trace", is_text=True),
    metavar="FILE",
    help="Write the events that the method notes to this CSV file.",
)
@click.option(
    "--out",
    type=Value(_read_writable, "out", is_text=True),
    metavar="FILE",
    help="Save the result to this JSON file, for --start, `worst-case --at` and reckless.load.",
)
@click.option("--init", is_flag=True, help="Write a commented problem.toml (or OBJECTIVE) and do nothing else.")
@JSON
def solve(
    objective: str | None, trace: Path | None, out: Path | None, init: bool, as_json: bool, **options: Any
) -> None:
    """Find the x whose worst case over y is smallest.

    OBJECTIVE is a function f(x, y) in a Python file, as in path/to/file.py:f, the name of a benchmark problem (see
    `reckless problems`), or a file such as problem.toml that says all of this and more (see --init). A Python file, a
    method in one and a program are run, and what an installed distribution brings is imported: name what you trust.
    With --maximin large values are good: find the x whose smallest value over y is largest.
    """
    if init:
        path = Path(objective or "problem.toml")
        write_template(path)
        say(f"{path} is written. Say in it what to solve, then: reckless solve {path}")
        return
    from reckless.cli.config import read_settings
    from reckless.run.minimax import minimax
    from reckless.run.saving import text_of

    settings = read_settings(objective, options)
    target = find_target(settings)
    given = options_of(settings, target, searching=True)
    with evaluating(target):
        result = minimax(target.f, target.x_bounds, target.y_bounds, trace=trace is not None, **given)
    if out is not None:
        result.save(out)
    if as_json:  # the same run prints the same text
        result.origin = replace(result.origin, seconds=None)
        click.echo(text_of(result.to_dict()), nl=False)
    else:
        optimum = "" if target.optimum is None or result.maximin else f"optimal worst case: {target.optimum:.9g}\n"
        click.echo(cleaned(f"{settings['name']}\n{result.report()}\n{optimum}"), nl=False)
    if result.trace is not None:
        with writing(trace, "--trace") as file:
            file.write(result.trace.to_csv())
    if result.status == Status.INTERRUPTED.code:
        raise click.exceptions.Exit(INTERRUPTED)
    if result.refuted or not isfinite(result.fun):  # an answer that is only unverified is one
        raise click.exceptions.Exit(1)
