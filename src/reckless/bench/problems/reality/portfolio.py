"""Minimax regret portfolio over real returns: the market, small companies, value, treasury bills and crude oil.

Every 12-month window from 1987 to 2018 is a scenario, 383 of them. f is how much better the best of the five would
have done, in percent. `returns.md` says where the data come from.
"""

from functools import cache
from importlib.resources import files

import numpy as np

from reckless.bench.problems.problem import Optimum, Problem
from reckless.bench.problems.reality.searching import by_rows, by_x
from reckless.core.arrays import Array
from reckless.domains.sets import Scenarios, Simplex


@cache
def returns() -> Array:
    """Return the returns in percent, (383, 5)."""
    text = files(__package__).joinpath("returns.csv").read_text(encoding="utf-8")
    return 100.0 * np.loadtxt(text.splitlines(), delimiter=",", skiprows=1)


def _regret(x: Array, y: Array) -> float:
    return float(np.max(y) - x @ y)


def _worst(x: Array) -> tuple[float, Array]:
    Y = returns()
    values = Y.max(axis=1) - Y @ x
    return float(values.max()), Y[values.argmax()]


def build(name: str) -> Problem:
    Y = returns()
    return Problem(
        name=name,
        summary="regret in % of the shares x in five assets over a year with returns y, each of 383 real ones",
        function=by_rows(_regret),
        x_bounds=Simplex(5),
        y_bounds=Scenarios(Y),
        optimum=Optimum(
            x=(0.0, 0.087654, 0.30270421, 0.0, 0.60964179),
            y=None,
            value=60.8813361,
            source="Computed: a linear program.",
        ),
        worst_case=by_x(_worst, 5),
        guess=(0.3, 0.2, 0.2, 0.1, 0.2),
    )
