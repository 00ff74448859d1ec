"""How values are spelled on the command line, and the options that several commands share."""

import tomllib
from collections.abc import Callable
from typing import Any

import click

from reckless.core.arguments import read_count
from reckless.errors import InvalidArgument
from reckless.run.options import OPTIONS, read_flag, read_flag_or_count

Function = Callable[..., Any]


class Count(click.ParamType[int]):
    """A whole number of at least 1, such as 20000 or 1e5."""

    name = "count"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return read_count(literal(value), param.opts[0] if param else self.name)


class Spelled(click.ParamType[Any]):
    """The value of an option of a run, read as everywhere else."""

    def __init__(self, key: str) -> None:
        self._option = OPTIONS[key]
        self.name = key

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        is_text = self._option.example.startswith('"')
        flag = param.opts[0] if param else self.name
        try:
            return self._option.read(value if is_text else literal(value), flag)
        except InvalidArgument as error:
            if self._option.read is not read_flag_or_count:
                raise
            raise InvalidArgument(f"{error} {flag} may stand alone, but then OBJECTIVE comes before it.") from None


def literal(value: object) -> object:
    """Return what a text such as 1e5 or [0.5, 2] means in a problem file; a word is itself."""
    try:
        return tomllib.loads(f"value = {value}")["value"] if isinstance(value, str) else value
    except tomllib.TOMLDecodeError:
        return value


def bounds_of(player: str) -> Callable[[Function], Function]:
    """Add the option --x or --y."""
    return click.option(
        f"--{player}",
        f"{player}_bounds",
        multiple=True,
        metavar="LOW:HIGH[:int|:log]",
        help=f"Bounds of one coordinate of {player}; repeat it. Or once a set, such as 'simplex = 3'.",
    )


JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
COMMAND = click.option(
    "--command", help="A program to ask line by line in JSON, in place of OBJECTIVE; no shell reads this."
)


def set_of_y(function: Function) -> Function:
    """Add the options that say where y lives."""
    scenarios = click.option(
        "--y-scenarios", type=click.Path(), help="The y there are, in place of --y: a CSV file, one per row."
    )
    return bounds_of("y")(scenarios(function))


def spelled_options(*, searching: bool) -> list[str]:
    """List the options of a run, or of an attack, that can be spelled; --x and --y tell the integers themselves."""
    rows = OPTIONS.items()
    return [k for k, o in rows if o.spelled and (searching or not o.searches) and not k.endswith("integrality")]


def options_of_a_run(*, searching: bool) -> Callable[[Function], Function]:
    """Add the options of a run, or of an attack on one x."""

    def add(function: Function) -> Function:
        for key in reversed(spelled_options(searching=searching)):
            function = _option(key)(function)
        return function

    return add


def _option(key: str) -> Callable[[Function], Function]:
    option, flag = OPTIONS[key], f"--{key.replace('_', '-')}"
    default = "" if option.default is None or option.default is False else f"  [default: {option.default}]"
    if option.read is read_flag:
        return click.option(flag, key, is_flag=True, default=None, help=option.help)
    if option.read is read_flag_or_count:
        return click.option(
            flag, key, type=Spelled(key), is_flag=False, flag_value=True, metavar="[COUNT]", help=option.help
        )
    return click.option(flag, key, type=Spelled(key), metavar="VALUE", help=f"{option.help}{default}")
