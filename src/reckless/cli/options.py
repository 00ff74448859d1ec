"""How values are spelled on the command line, and the options that several commands share."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import Any

import click

from reckless.cli.completion import complete_method
from reckless.core.arguments import read_count
from reckless.core.tomlfile import parse_toml
from reckless.errors import InvalidArgument
from reckless.run.options import OPTIONS, read_flag, read_flag_or_count

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class Value(click.ParamType[Any]):
    """What `read(value, option)` returns; unless `is_text`, the value is spelled as in a problem file."""

    def __init__(self, read: Callable[[Any, str], Any], name: str, *, is_text: bool = False) -> None:
        self.name, self._read, self._is_text = name, read, is_text

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return self._read(value if self._is_text else literal(value), param.opts[0] if param else self.name)


def literal(value: object) -> object:
    """Return what a text such as 1e5 or [0.5, 2] means in a problem file; a word is itself."""
    try:
        return parse_toml(f"value = {value}")["value"] if isinstance(value, str) else value
    except ValueError:
        return value


@contextmanager
def blaming(place: object) -> Iterator[None]:
    """Begin the sentence of an invalid argument with the file or the option it comes from."""
    try:
        yield
    except InvalidArgument as error:
        raise InvalidArgument(f"{place}: {error}") from None


COUNT = Value(read_count, "count")
COMPLETIONS = {"method": complete_method}
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def file_option(flag: str, default: str, help: str, *, dir_okay: bool = False) -> Decorator:
    """Add an option that names a file to write; if `dir_okay`, the command itself refuses a directory."""
    kind = click.Path(dir_okay=dir_okay, path_type=Path)
    return click.option(flag, type=kind, default=Path(default), show_default=True, help=help)


def spelled_options(*, searching: bool) -> list[str]:
    """List the options of a run, or of an attack, that can be spelled; --x and --y tell the integers themselves."""
    rows = OPTIONS.items()
    return [k for k, o in rows if o.spelled and (searching or not o.searches) and not k.endswith("integrality")]


def options_of_a_run(*, searching: bool) -> Decorator:
    """Add the sets, the program and the options of a run, or of an attack on one x."""
    scenarios = "The y there are, in place of --y: a CSV file, one per row."
    program = "A program to ask line by line in JSON, in place of OBJECTIVE; no shell reads this."
    per_call = "Start the program for each pair, with {x[0]} and {y[0]} replaced; the last number it prints counts."
    options: list[Decorator] = [
        *map(_bounds_of, "xy" if searching else "y"),
        click.option("--y-scenarios", type=click.Path(), help=scenarios),
        click.option("--command", help=program),
        click.option("--per-call", is_flag=True, default=None, help=per_call),
        *map(_option, spelled_options(searching=searching)),
    ]
    return lambda function: reduce(lambda decorated, option: option(decorated), reversed(options), function)


def _bounds_of(player: str) -> Decorator:
    help = (
        f"One coordinate of {player}; repeat it. With a name, it may also be a choice, C=1,2.2,4.7, or fixed, T=293. "
        f"Or once a set, such as 'simplex = 3'."
    )
    kind = "[NAME=]LOW:HIGH[:int|:log]"
    return click.option(f"--{player}", f"{player}_bounds", multiple=True, metavar=kind, help=help)


def _option(key: str) -> Decorator:
    option, flag = OPTIONS[key], f"--{key.replace('_', '-')}"
    if option.read is read_flag:
        return click.option(flag, key, is_flag=True, default=None, help=option.help)
    if option.read is read_flag_or_count:
        kind = Value(_read_flag_or_count, key)
        return click.option(flag, key, type=kind, is_flag=False, flag_value=True, metavar="[COUNT]", help=option.help)
    kind = Value(option.read, key, is_text=option.example.startswith('"'))
    default = "" if option.default in (None, False) else f"  [default: {option.default}]"
    complete = COMPLETIONS.get(key)
    return click.option(flag, key, type=kind, metavar="VALUE", shell_complete=complete, help=f"{option.help}{default}")


def _read_flag_or_count(value: Any, flag: str) -> bool | int:
    try:
        return read_flag_or_count(value, flag)
    except InvalidArgument as error:
        raise InvalidArgument(f"{error} {flag} may stand alone, but then OBJECTIVE comes before it.") from None
