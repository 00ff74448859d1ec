"""`reckless worst-case`: attack one design from the command line or of a file."""

import json
from math import isfinite
from typing import Any

import click

from reckless.cli.objectives import evaluating, find_target, is_own, options_of
from reckless.cli.options import JSON, Value, options_of_a_run
from reckless.cli.sentences import cleaned
from reckless.core.words import shortened
from reckless.errors import InvalidArgument


def _read_numbers(value: str, option: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in value.split(","))
    except ValueError:
        raise InvalidArgument(
            f"{option}: expected numbers with commas between them, such as 1.0,2.5, but got {shortened(repr(value))}."
        ) from None


@click.command("worst-case")
@click.argument("objective", required=False)
@click.option(
    "--at", type=Value(_read_numbers, "x1,x2,...", is_text=True), required=True, help="The design x to attack."
)
@options_of_a_run(searching=False)
@JSON
def worst_case(objective: str | None, at: tuple[float, ...], as_json: bool, **options: Any) -> None:
    """Measure how bad one design x can really get: the largest f(x, y) over y that independent searches find.

    OBJECTIVE is a function f(x, y) in a Python file, as in path/to/file.py:f, the name of a benchmark problem (see
    `reckless problems`), or a file such as problem.toml (see `reckless solve --init`), of which those settings
    do not matter here that are for the search of x. A Python file or a program is run: name what you trust.
    """
    from reckless.cli.config import read_settings
    from reckless.cli.console import vector
    from reckless.core.arguments import read_point, read_rng
    from reckless.domains.reading import read_domain
    from reckless.domains.sets import Scenarios
    from reckless.run.verification import worst_case as measure

    settings = read_settings(objective, options)
    if options["rng"] is None and settings["rng"] is not None:
        settings["rng"] = read_rng(settings["rng"]).spawn(1)[0]  # independent of the run that the file's seed is for
    x = read_point(at, None, "--at")
    only_x = {"x_bounds": Scenarios(x[None, :])} if is_own(settings) else {}  # unless a file says more
    target = find_target({**only_x, **settings})
    n_x = read_domain(target.x_bounds, "x_bounds").n_out
    if x.size != n_x:
        raise InvalidArgument(f"--at: {settings['name']} has {n_x} coordinates in x, but got {x.size}.")
    with evaluating(target):
        found = measure(target.f, x, target.y_bounds, **options_of(settings, target, searching=False))
    if as_json:
        click.echo(json.dumps({"x": list(at), **found.to_dict()}, indent=2))
    else:
        click.echo(cleaned(f"{settings['name']}: how bad one x can get\nx = ({vector(x)})\n{found.report()}"))
    if not isfinite(found.fun):
        raise click.exceptions.Exit(1)
