"""How values are spelled on the command line."""

import click

from reckless.errors import InvalidArgument


class Interval(click.ParamType[tuple[float, float]]):
    """LOW:HIGH, two numbers."""

    name = "low:high"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, float]:
        low, _, high = str(value).partition(":")
        try:
            return float(low), float(high)
        except ValueError:
            option = param.opts[0] if param else "bounds"
            raise InvalidArgument(
                f"{option}: expected LOW:HIGH, two numbers such as 0:10, but got {value!r}. "
                f"Repeat the option for every further coordinate."
            ) from None


class Count(click.ParamType[int]):
    """A whole number; 1e5 and 100_000 are welcome."""

    name = "count"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        option = param.opts[0] if param else "count"
        try:
            number = float(str(value))
        except ValueError:
            number = 0.5
        if not number.is_integer() or number < 1:
            raise InvalidArgument(f"{option}: expected a whole number of at least 1, such as 20000, but got {value!r}.")
        return int(number)
