"""PID controller of a plant with uncertain gain, time constant and dead time, simulated for 20 s after a step.

f is the integral of t |error| plus a price of control moves. An unstable loop grows: values from 1 to 1e12, where the
simulation stops.
"""

import numpy as np

from reckless.bench.problems.problem import Optimum, Problem
from reckless.bench.problems.reality.searching import SURE, by_rows, searched
from reckless.core.arrays import Array
from reckless.core.compiling import compiled

STEP, N_STEPS = 0.02, 1000
N_PAST = 64  # steps whose control is kept; the longest dead time is 30 of them
LARGEST = 1e12
Y_BOUNDS = ((0.7, 1.5), (0.6, 1.6), (0.2, 0.6))  # gain, time constant, dead time


@compiled
def _cost(x: Array, y: Array) -> float:
    (kp, ki, kd), (gain, T, delay) = (x[0], x[1], x[2]), (y[0], y[1], y[2])
    dt = STEP
    past = np.zeros(N_PAST)
    back = delay / dt
    whole = int(back)
    part = back - whole
    a = b = integral = slope = 0.0
    old_e, old_u, cost = 1.0, 0.0, 0.0
    for k in range(N_STEPS):
        e = 1.0 - b
        integral += e * dt
        slope += dt / 0.1 * ((e - old_e) / dt - slope)
        old_e = e
        u = kp * e + ki * integral + kd * slope
        past[k % N_PAST] = u
        late = (1.0 - part) * past[(k - whole) % N_PAST] + part * past[(k - whole - 1) % N_PAST]
        a += dt / T * (gain * late - a)
        b += dt / T * (a - b)
        cost += dt * (k * dt * abs(e) + 0.2 * (u - old_u) ** 2)
        old_u = u
        if cost > LARGEST:
            return LARGEST
    return cost


@compiled
def _many(x: Array, Y: Array) -> Array:
    values = np.empty(len(Y))
    for k in range(len(Y)):
        values[k] = _cost(x, Y[k])
    return values


PID = Problem(
    name="pid",
    summary="error of a loop with gains x for a plant of gain, lag and dead time y; unstable loops reach 1e12",
    function=by_rows(_cost),
    x_bounds=((0.0, 6.0), (0.0, 4.0), (0.0, 3.0)),  # proportional, integral, derivative gain
    y_bounds=Y_BOUNDS,
    optimum=Optimum(
        x=(1.3579401, 0.56084168, 0.50363447),
        y=None,
        value=7.94749182,
        source=f"Computed: 4 of 4 restarts ({SURE}) agree to 1e-4.",
    ),
    worst_case=searched(_many, Y_BOUNDS, n_sobol=2048, n_polish=5),
    is_exact=False,
    guess=(1.4, 0.8, 0.6),  # SIMC-like rules for the nominal plant
)
