"""`reckless worst-case`: attack one design from the command line or of a file."""

import json
from typing import TYPE_CHECKING, Any

import click

from reckless.cli.options import COMMAND, JSON, options_of_a_run, set_of_y
from reckless.errors import InvalidArgument

if TYPE_CHECKING:
    from reckless.core.arrays import Array
    from reckless.run.result import WorstCase


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
@set_of_y
@COMMAND
@options_of_a_run(searching=False)
@JSON
def worst_case(objective: str | None, at: tuple[float, ...], as_json: bool, **options: Any) -> None:
    """Measure how bad one design x can really get: the largest f(x, y) over y that independent searches find.

    OBJECTIVE is a function f(x, y) in a Python file, as in path/to/file.py:f, the name of a benchmark problem (see
    `reckless problems`), or a file such as problem.toml (see `reckless solve --init`), of which those settings
    do not matter here that are for the search of x.
    """
    from reckless.cli.console import plain_warnings, vector
    from reckless.cli.settings import read_settings
    from reckless.core.arguments import read_point, read_rng

    settings = read_settings(objective, options)
    if options["rng"] is None and settings["rng"] is not None:
        settings["rng"] = read_rng(settings["rng"]).spawn(1)[0]  # independent of the run that the file's seed is for
    x = read_point(at, None, "--at")
    with plain_warnings():
        found = _measure(settings, x)
    if as_json:
        click.echo(json.dumps({"x": list(at), **found.to_dict()}, indent=2))
    else:
        click.echo(f"{settings['name']}: how bad one x can get\nx = ({vector(x)})\n{found.report()}")
    if not found.success:
        raise click.exceptions.Exit(1)


def _measure(given: dict[str, Any], x: "Array") -> "WorstCase":
    from reckless.cli.objectives import failing_plainly, find_target, is_own, options_of
    from reckless.domains.reading import read_domain
    from reckless.domains.sets import Scenarios
    from reckless.run.verification import worst_case as measure

    only_x = {"x_bounds": Scenarios(x[None, :])} if is_own(given) else {}  # unless a file says more
    target = find_target({**only_x, **given})
    n_x = read_domain(target.x_bounds, "x_bounds").n_out
    if x.size != n_x:
        raise InvalidArgument(f"--at: {given['name']} has {n_x} coordinates in x, but got {x.size}.")
    with failing_plainly(), target.closing():
        return measure(target.f, x, target.y_bounds, **options_of(given, target, searching=False))
