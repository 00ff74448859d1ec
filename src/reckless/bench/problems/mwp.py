"""MWP1-MWP7: polynomial problems of Rustem & Howe (2002), as used by Marzat, Walter & Piet-Lahanier (2013).

In all of them each y_i enters as a parabola of its own: f = base + sum_i linear_i y_i + square_i y_i^2.
They are written by these coefficients, which give the worst case too; the summaries show the printed form.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from reckless.bench.problems.inner import quadratic_peak, solved_problem
from reckless.bench.problems.problem import Problem
from reckless.core.arrays import Array

_Terms = tuple[Array, tuple[Array, ...], tuple[Array | float, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Formula:
    """One problem on abs(x_i) <= 5 and abs(y_i) <= y_reach.

    terms: from the coordinates of x, each (m,), to base (m,), linear and square, the latter two with one entry per y_i.
    x, value: the optimum, to double precision. source: how it follows.
    """

    summary: str
    terms: Callable[..., _Terms]
    y_reach: float
    x: tuple[float, ...]
    value: float
    source: str = "a root of the gradient of the worst case, by Newton"


def build(formula: _Formula, name: str) -> Problem:
    reach = formula.y_reach

    def function(X: Array, Y: Array) -> Array:
        base, linear, square = formula.terms(*X.T)
        values = np.array(base)
        for y, p, q in zip(Y.T, linear, square, strict=True):
            values += y * (p + q * y)
        return values

    def maximizer(X: Array) -> Array:
        _, linear, square = formula.terms(*X.T)
        return np.column_stack([quadratic_peak(p, q, -reach, reach) for p, q in zip(linear, square, strict=True)])

    return solved_problem(
        name=name,
        summary=formula.summary,
        function=function,
        maximizer=maximizer,
        x_reach=5.0,
        y_reach=reach,
        x=np.array(formula.x),
        source=f"Quoted by Marzat et al. (2013); recomputed here as {formula.source}.",
        value=formula.value,
    )


_FORMULAS = {
    "MWP1": _Formula(
        summary="5 (x1^2 + x2^2) - (y1^2 + y2^2) + x1 (-y1 + y2 + 5) + x2 (y1 - y2 + 3)",
        terms=lambda x1, x2: (5.0 * (x1**2 + x2**2) + 5.0 * x1 + 3.0 * x2, (x2 - x1, x1 - x2), (-1.0, -1.0)),
        y_reach=5.0,
        x=(-29.0 / 60.0, -19.0 / 60.0),
        value=-101.0 / 60.0,
        source="x = (-29, -19) / 60 and -101 / 60 exactly",
    ),
    "MWP2": _Formula(
        summary="4 (x1 - 2)^2 - 2 y1^2 + x1^2 y1 - y2^2 + 2 x2^2 y2",
        terms=lambda x1, x2: (4.0 * (x1 - 2.0) ** 2, (x1**2, 2.0 * x2**2), (-2.0, -1.0)),
        y_reach=5.0,
        x=(1.6954151962791328, 0.0),
        value=1.4038830201988257,
        source="the real root of x1^3 + 16 x1 = 32",
    ),
    # The parabola of MWP3 in y1 opens upward where x2 < 0: there the worst y1 is an end of its interval.
    "MWP3": _Formula(
        summary="x1^4 y2 + 2 x1^3 y1 - x2^2 y2 (y2 - 3) - 2 x2 (y1 - 3)^2",
        terms=lambda x1, x2: (-18.0 * x2, (2.0 * x1**3 + 12.0 * x2, x1**4 + 3.0 * x2**2), (-2.0 * x2, -(x2**2))),
        y_reach=3.0,
        x=(-1.1806742778229231, 0.9128256381811238),
        value=-2.4687753046373064,
    ),
    "MWP4": _Formula(
        summary="-sum_{i<=3} (y_i - 1)^2 + sum_{i<=2} (x_i - 1)^2 + y3 (x2 - 1) + y1 (x1 - 1) + y2 x1 x2",
        terms=lambda x1, x2: (
            (x1 - 1.0) ** 2 + (x2 - 1.0) ** 2 - 3.0,
            (x1 + 1.0, x1 * x2 + 2.0, x2 + 1.0),
            (-1.0,) * 3,
        ),
        y_reach=3.0,
        x=(0.41812829948014213, 0.41812829948014213),
        value=-0.13483394288454764,
        source="the real root of x^3 + 7 x = 3, twice",
    ),
    "MWP5": _Formula(
        summary="-(x1 - 1) y1 - (x2 - 2) y2 - (x3 - 1) y3 + 2 x1^2 + 3 x2^2 + x3^2 - ||y||^2",
        terms=lambda x1, x2, x3: (
            2.0 * x1**2 + 3.0 * x2**2 + x3**2,
            (1.0 - x1, 2.0 - x2, 1.0 - x3),
            (-1.0,) * 3,
        ),
        y_reach=1.0,
        x=(1.0 / 9.0, 2.0 / 13.0, 1.0 / 5.0),
        value=787.0 / 585.0,
        source="x = (1/9, 2/13, 1/5) and 2/9 + 12/13 + 1/5 exactly",
    ),
    "MWP6": _Formula(
        summary="y1 (x1^2 - x2 + x3 - x4 + 2) + y2 (-x1 + 2 x2^2 - x3^2 + 2 x4 + 1)"
        " + y3 (2 x1 - x2 + 2 x3 - x4^2 + 5) + 5 x1^2 + 4 x2^2 + 3 x3^2 + 2 x4^2 - ||y||^2",
        terms=lambda x1, x2, x3, x4: (
            5.0 * x1**2 + 4.0 * x2**2 + 3.0 * x3**2 + 2.0 * x4**2,
            (
                x1**2 - x2 + x3 - x4 + 2.0,
                -x1 + 2.0 * x2**2 - x3**2 + 2.0 * x4 + 1.0,
                2.0 * x1 - x2 + 2.0 * x3 - x4**2 + 5.0,
            ),
            (-1.0,) * 3,
        ),
        y_reach=2.0,
        x=(-0.23156024432992425, 0.22281091283141777, -0.6755202571704173, -0.08376931360548069),
        value=4.542969682225802,
    ),
    "MWP7": _Formula(
        summary="2 x1 x5 + 3 x4 x2 + x5 x3 + 5 x4^2 + 5 x5^2 - x4 (y4 - y5 - 5) + x5 (y4 - y5 + 3)"
        " + sum_{i<=3} y_i (x_i^2 - 1) - ||y||^2",
        terms=lambda x1, x2, x3, x4, x5: (
            2.0 * x1 * x5 + 3.0 * x4 * x2 + x5 * x3 + 5.0 * (x4**2 + x5**2) + 5.0 * x4 + 3.0 * x5,
            (x1**2 - 1.0, x2**2 - 1.0, x3**2 - 1.0, x5 - x4, x4 - x5),
            (-1.0,) * 5,
        ),
        y_reach=3.0,
        x=(1.425208328800312, 1.6612294891063901, 1.2585294531408924, -0.9744126604271033, -0.7348507973789654),
        value=-6.3509153582430855,
    ),
}

BUILDERS: dict[str, Callable[..., Problem]] = {name: partial(build, formula) for name, formula in _FORMULAS.items()}
