"""Batch reactor A -> B -> C with a side reaction A -> D, three temperature stages; the simulator prints four digits.

f is 100 minus the yield of B in percent plus a price of time, rounded to four significant digits: a fine staircase.
"""

import numpy as np

from reckless.bench.problems.problem import Optimum, Problem, WorstCase
from reckless.bench.problems.reality.searching import SURE, by_rows, searched
from reckless.core.arrays import Array
from reckless.core.compiling import compiled

N_STEPS, N_PER_STAGE = 60, 20
Y_BOUNDS = ((0.7, 1.3), (0.6, 1.6), (-4.0, 4.0))  # rate factor, side and consecutive rate factor, thermometer error K


@compiled
def _run(x: Array, y: Array) -> float:
    a, b, dt = 1.0, 0.0, x[3] / 60.0
    for k in range(N_STEPS):
        T = x[k // N_PER_STAGE] + y[2]
        inv = 1.0 / T - 1.0 / 330.0
        k1 = 1.2 * y[0] * np.exp(-7000.0 * inv)
        k2 = 0.25 * y[1] * np.exp(-11000.0 * inv)
        k3 = 0.12 * y[1] * np.exp(-3000.0 * inv)
        decay = k1 + k3
        new = a * np.exp(-decay * dt)
        # B: exact for constant rates within the step
        if abs(k2 - decay) > 1e-9:
            b = b * np.exp(-k2 * dt) + k1 * a / (k2 - decay) * (np.exp(-decay * dt) - np.exp(-k2 * dt))
        else:
            b = (b + k1 * a * dt) * np.exp(-k2 * dt)
        a = new
    lost: float = 100.0 * (1.0 - b) + 1.5 * x[3]
    return lost


@compiled
def _many(x: Array, Y: Array) -> Array:
    """Return the values before they are rounded."""
    values = np.empty(len(Y))
    for k in range(len(Y)):
        values[k] = _run(x, Y[k])
    return values


def _printed(value: float) -> float:
    return float(f"{value:.4g}")


def _rounded(worst_case: WorstCase) -> WorstCase:
    def rounded(X: Array) -> tuple[Array, Array]:
        values, Y = worst_case(X)
        return np.array([_printed(value) for value in values]), Y

    return rounded


REACTOR = Problem(
    name="reactor",
    summary="lost yield in % of a batch with three temperatures and a duration x, for kinetics y; four digits",
    function=by_rows(lambda x, y: _printed(_run(x, y))),
    x_bounds=((300.0, 360.0),) * 3 + ((0.5, 8.0),),  # K, K, K, hours
    y_bounds=Y_BOUNDS,
    optimum=Optimum(
        x=(330.43605, 318.7404, 314.84274, 2.4086142),
        y=None,
        value=57.27,
        source=f"Computed: 3 of 3 restarts ({SURE}) agree to 1e-4.",
    ),
    worst_case=_rounded(searched(_many, Y_BOUNDS, n_sobol=2048, n_polish=4)),
    is_exact=False,
    guess=(325.0, 325.0, 325.0, 3.0),
)
