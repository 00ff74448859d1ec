"""How values are spelled on the command line, and the options that several commands share."""

from collections.abc import Callable
from typing import Any, NamedTuple

import click

from reckless.errors import InvalidArgument

Function = Callable[..., Any]


class Edge(NamedTuple):
    """The bounds of one coordinate."""

    low: float
    high: float
    is_integer: bool = False


class Interval(click.ParamType[Edge]):
    """LOW:HIGH, two numbers, and :int behind them for a coordinate of whole numbers."""

    name = "low:high[:int]"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Edge:
        text = str(value)
        low, _, high = text.removesuffix(":int").partition(":")
        try:
            return Edge(float(low), float(high), text.endswith(":int"))
        except ValueError:
            option = param.opts[0] if param else "bounds"
            raise InvalidArgument(
                f"{option}: expected LOW:HIGH, two numbers such as 0:10, or 0:10:int for whole numbers, "
                f"but got {value!r}. Repeat the option for every further coordinate."
            ) from None


class Count(click.ParamType[int]):
    """A whole number; 1e5 and 100_000 are welcome."""

    name = "count"
    cure = ""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        option = param.opts[0] if param else "count"
        try:
            number = float(str(value))
        except ValueError:
            number = 0.5
        if not number.is_integer() or number < 1:
            raise InvalidArgument(
                f"{option}: expected a whole number of at least 1, such as 20000, but got {value!r}.{self.cure}"
            )
        return int(number)


class OptionalCount(Count):
    """A whole number, or True where the option stands alone."""

    cure = " The option may stand alone, but then OBJECTIVE comes before it."

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        return True if value is True else super().convert(value, param, ctx)


def bounds_of(player: str) -> Callable[[Function], Function]:
    """The option --x or --y."""
    return click.option(
        f"--{player}",
        f"{player}_bounds",
        type=Interval(),
        multiple=True,
        metavar="LOW:HIGH[:int]",
        help=f"Bounds of one coordinate of {player}, with :int for whole numbers; repeat it.",
    )


POLICY = click.Choice(["raise", "count"])
MAXFEV = click.option("--maxfev", type=Count(), help="How many evaluations to spend.  [default: 20000]")
RNG = click.option("--rng", type=click.IntRange(min=0), help="Seed: the same seed gives the same answer.")
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

_SET_OF_Y = (
    bounds_of("y"),
    click.option("--y-scenarios", type=click.Path(), help="The y there are, in place of --y: a CSV file, one per row."),
)
_EVALUATION = (
    click.option("--vectorized", is_flag=True, default=None, help="f takes many pairs at once, as rows."),
    click.option(
        "--command", help="A program to ask line by line in JSON, in place of OBJECTIVE; no shell reads this."
    ),
    click.option("--workers", type=int, help="Evaluate in so many processes; -1: one per processor."),
    click.option("--on-error", type=POLICY, help="What an exception of f does.  [default: raise]"),
    click.option("--nan-policy", type=POLICY, help="What a NaN of f does.  [default: count]"),
    click.option("--retries", type=click.IntRange(min=0), help="How often a failed evaluation is repeated."),
    click.option("--eval-timeout", type=float, help="Seconds after which an evaluation is ended."),
)


def set_of_y(function: Function) -> Function:
    """The options that say where y lives."""
    return _with(function, _SET_OF_Y)


def evaluation(function: Function) -> Function:
    """The options that say how f is evaluated."""
    return _with(function, _EVALUATION)


def _with(function: Function, options: tuple[Callable[[Function], Function], ...]) -> Function:
    for option in reversed(options):
        function = option(function)
    return function
