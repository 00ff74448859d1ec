"""Sizing an oil cooler by the mean logarithmic temperature difference, which does not exist everywhere: NaN.

Design: oil outlet temperature, coolant flow, tube velocity. Uncertain: fouling, coolant inlet temperature, oil flow.
f is the cost per year. Where the temperatures would cross, the sizing routine fails. The referee leaves failed pairs
out: costs grow without bound toward them.
"""

import numpy as np

from reckless.bench.problems.problem import Optimum, Problem
from reckless.bench.problems.reality.searching import SURE, by_rows, searched
from reckless.core.arrays import Array

HOT = 120.0  # temperature of the oil at the inlet
Y_BOUNDS = ((0.0, 6e-4), (12.0, 32.0), (0.8, 1.25))


def _many(x: Array, Y: Array) -> Array:
    out, flow, v = (float(k) for k in x)
    fouling, cold, load = Y.T
    with np.errstate(all="ignore"):
        heat = load * 8.0 * 2.1e3 * (HOT - out)  # W
        cold_out = cold + heat / (flow * 4.18e3)
        d1, d2 = HOT - cold_out, out - cold
        lmtd = np.where(np.abs(d1 - d2) < 1e-9, d1, (d1 - d2) / np.log(d1 / d2))
        lmtd = np.where((d1 > 0) & (d2 > 0), lmtd, np.nan)
        U = 1.0 / (1.0 / (900.0 * v**0.8) + 1.0 / 700.0 + fouling)
        area = heat / (U * lmtd)
        warm = 0.012 * np.maximum(out - 45.0, 0.0) ** 2
        cost: Array = 0.12 * area**0.8 * 5 + 0.35 * flow + 0.04 * area * v**2.8 + warm
    return cost


def _cost(x: Array, y: Array) -> float:
    return float(_many(x, y[None])[0])


EXCHANGER = Problem(
    name="exchanger",
    summary="cost of an oil cooler x = (outlet, flow, velocity) for fouling, coolant and load y; NaN where it fails",
    function=by_rows(_cost),
    x_bounds=((20.0, 90.0), (2.0, 30.0), (0.3, 4.0)),
    y_bounds=Y_BOUNDS,
    optimum=Optimum(
        x=(69.647259, 10.078283, 0.848654),
        y=None,
        value=30.733925,
        source=f"Computed: 4 of 4 restarts ({SURE}) agree to 1e-4.",
    ),
    worst_case=searched(_many, Y_BOUNDS, n_sobol=2048, n_polish=4),
    is_exact=False,
    guess=(60.0, 12.0, 1.5),
)
