"""The paper's problems: L1-L6 of its table of benchmarks (Qiu et al. 2017), and the digital filter.

The bench evaluates these billions of times in small batches, so each f is a compiled loop over rows.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from reckless.bench.problems.compiled import compile_rows
from reckless.bench.problems.digital_filter import FILTERS
from reckless.bench.problems.inner import attained_among, attained_at, bisect
from reckless.bench.problems.problem import Optimum, Problem
from reckless.core.arrays import Array

TINY = 1e-9  # the lower end of L3's (0, 10]: f has no value at (0, 0)


# L1, L2: any dimension, y takes x coordinate by coordinate.


@compile_rows
def _l1(X: Array, Y: Array, values: Array) -> None:
    for k in range(len(values)):
        total = 0.0
        for i in range(X.shape[1]):
            total += (X[k, i] - 5.0) ** 2 - (Y[k, i] - 5.0) ** 2
        values[k] = total


def build_l1(name: str, n: int = 3) -> Problem:
    return Problem(
        name=name,
        summary="sum_i (x_i - 5)^2 - (y_i - 5)^2",
        function=_l1,
        x_bounds=((0.0, 10.0),) * n,
        y_bounds=((0.0, 10.0),) * n,
        optimum=Optimum(x=(5.0,) * n, y=(5.0,) * n, value=0.0, source="The paper's table; a saddle."),
        worst_case=attained_at(_l1, lambda X: np.full_like(X, 5.0)),
    )


@compile_rows
def _l2(X: Array, Y: Array, values: Array) -> None:
    for k in range(len(values)):
        total = 0.0
        for i in range(X.shape[1]):
            x, y = X[k, i], Y[k, i]
            total += min(3.0 - 0.2 * x + 0.3 * y, 3.0 + 0.2 * x - 0.1 * y)
        values[k] = total


def build_l2(name: str, n: int = 3) -> Problem:
    return Problem(
        name=name,
        summary="sum_i min(3 - 0.2 x_i + 0.3 y_i, 3 + 0.2 x_i - 0.1 y_i)",
        function=_l2,
        x_bounds=((0.0, 10.0),) * n,
        y_bounds=((0.0, 10.0),) * n,
        optimum=Optimum(
            x=(0.0,) * n,
            y=(0.0,) * n,
            value=3.0 * n,
            source="The paper's table; the worst case is 3 n + 0.1 sum_i x_i, at y = x.",
        ),
        worst_case=attained_at(_l2, np.array),
    )


# L3, L4: one coordinate each, several peaks in y.


@compile_rows
def _l3(X: Array, Y: Array, values: Array) -> None:
    for k in range(len(values)):
        x, y = X[k, 0], Y[k, 0]
        values[k] = math.sin(x - y) / math.sqrt(x * x + y * y)


def _l3_candidates(X: Array) -> Array:
    """Return both ends, and the one peak in each stretch pi <= y - x - 2 pi j <= 3 pi / 2.

    Where df/dy = 0, tan(y - x) = (x^2 + y^2) / y. Of its solutions those with sin(y - x) < 0 are the peaks; a
    stretch holds only one, since there the left side grows by at least 1 per unit of y and the right by less.
    """
    starts = X + math.pi * np.array([-3.0, -1.0, 1.0, 3.0])
    peaks = bisect(
        lambda Y: np.cos(X - Y) * (X * X + Y * Y) + Y * np.sin(X - Y) < 0.0,
        np.clip(starts, TINY, 10.0),
        np.clip(starts + 0.5 * math.pi, TINY, 10.0),
    )
    return np.hstack([np.full_like(X, TINY), peaks, np.full_like(X, 10.0)])


@compile_rows
def _l4(X: Array, Y: Array, values: Array) -> None:
    for k in range(len(values)):
        radius = math.sqrt(X[k, 0] ** 2 + Y[k, 0] ** 2)
        values[k] = math.cos(radius) / (radius + 10.0)


def _l4_candidates(X: Array) -> Array:
    """Return both ends, and the y that bring r closest to a peak of cos(r) / (r + 10): tan(r) = -1 / (r + 10)."""
    peaks = np.array([6.221617084561055, 12.521998725440772])  # the two below 200 ** 0.5, the largest radius
    to_peaks = np.sqrt(np.clip((peaks - X) * (peaks + X), 0.0, 100.0))
    return np.hstack([np.zeros_like(X), to_peaks, np.full_like(X, 10.0)])


# L5, L6: linear in y, so the worst y is a vertex, found coordinate by coordinate.


@compile_rows
def _l5(X: Array, Y: Array, values: Array) -> None:
    for k in range(len(values)):
        x1, x2 = X[k, 0], X[k, 1]
        values[k] = 100.0 * (x2 - x1 * x1) ** 2 + (1.0 - x1) ** 2 - Y[k, 0] * (x1 + x2 * x2) - Y[k, 1] * (x1 * x1 + x2)


def _l5_maximizer(X: Array) -> Array:
    x1, x2 = X.T
    return np.where(np.column_stack([x1 + x2 * x2, x1 * x1 + x2]) < 0.0, 10.0, 0.0)


@compile_rows
def _l6(X: Array, Y: Array, values: Array) -> None:
    for k in range(len(values)):
        x1, x2 = X[k, 0], X[k, 1]
        values[k] = (x1 - 2.0) ** 2 + (x2 - 1.0) ** 2 + Y[k, 0] * (x1 * x1 - x2) + Y[k, 1] * (x1 + x2 - 2.0)


def _l6_maximizer(X: Array) -> Array:
    x1, x2 = X.T
    return np.where(np.column_stack([x1 * x1 - x2, x1 + x2 - 2.0]) > 0.0, 10.0, 0.0)


_FIXED = (
    Problem(
        name="L3",
        summary=f"sin(x - y) / sqrt(x^2 + y^2) on (0, 10], here from {TINY:g}",
        function=_l3,
        x_bounds=((TINY, 10.0),),
        y_bounds=((TINY, 10.0),),
        optimum=Optimum(
            x=(10.0,),
            y=(2.1256833085981266,),
            value=0.09779430278156873,
            source="The paper's table; y is the root of tan(y - 10) = (100 + y^2) / y, to full precision.",
        ),
        worst_case=attained_among(_l3, _l3_candidates),
    ),
    Problem(
        name="L4",
        summary="cos(r) / (r + 10), r = sqrt(x^2 + y^2)",
        function=_l4,
        x_bounds=((0.0, 10.0),),
        y_bounds=((0.0, 10.0),),
        optimum=Optimum(
            x=(7.044146333751212,),
            y=(10.0,),
            value=0.04248811234829378,
            source="The paper's table; x makes y = 0 and y = 10 equally bad, solved to full precision.",
        ),
        worst_case=attained_among(_l4, _l4_candidates),
    ),
    Problem(
        name="L5",
        summary="100 (x2 - x1^2)^2 + (1 - x1)^2 - y1 (x1 + x2^2) - y2 (x1^2 + x2)",
        function=_l5,
        x_bounds=((-0.5, 0.5), (0.0, 1.0)),
        y_bounds=((0.0, 10.0),) * 2,
        optimum=Optimum(
            x=(0.5, 0.25),
            y=(0.0, 0.0),
            value=0.25,
            source="The paper's table; exact, since f(x, 0) >= (1 - x1)^2 >= 0.25.",
        ),
        worst_case=attained_at(_l5, _l5_maximizer),
    ),
    Problem(
        name="L6",
        summary="(x1 - 2)^2 + (x2 - 1)^2 + y1 (x1^2 - x2) + y2 (x1 + x2 - 2)",
        function=_l6,
        x_bounds=((-1.0, 3.0),) * 2,
        y_bounds=((0.0, 10.0),) * 2,
        optimum=Optimum(
            x=(1.0, 1.0),
            y=(2.0 / 3.0, 2.0 / 3.0),
            value=1.0,
            source="The paper's table; a saddle point with this y, though any y is as bad at that x.",
        ),
        worst_case=attained_at(_l6, _l6_maximizer),
    ),
    *FILTERS,
)
BUILDERS: dict[str, Callable[..., Problem]] = {
    "L1": build_l1,
    "L2": build_l2,
    **{problem.name: partial(replace, problem) for problem in _FIXED},
}
