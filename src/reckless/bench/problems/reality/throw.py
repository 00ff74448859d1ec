"""A ball thrown over a wall at a target, with drag: wind and drag are uncertain. Two valleys, and a cliff that moves.

A flat and a steep throw both reach the target. A ball that does not clear the wall falls down there: f jumps.
"""

import numpy as np

from reckless.bench.problems.problem import Optimum, Problem
from reckless.bench.problems.reality.searching import SURE, by_rows, grid, searched
from reckless.core.arrays import Array
from reckless.core.compiling import compiled

WALL, HEIGHT, TARGET = 25.0, 9.0, 60.0  # m
STEP, N_STEPS = 0.01, 3000  # s
Y_BOUNDS = ((-5.0, 5.0), (0.7, 1.3))  # wind m/s, factor of the drag


@compiled
def _miss(x: Array, y: Array) -> float:
    speed, degrees, wind = x[0], x[1], y[0]
    dt, c = STEP, 0.006 * y[1]
    at, z = 0.0, 1.0
    u, w = speed * np.cos(np.radians(degrees)), speed * np.sin(np.radians(degrees))
    for _ in range(N_STEPS):
        at_old, z_old = at, z
        # midpoint rule
        r = u - wind
        v = np.sqrt(r * r + w * w)
        um, wm = u - 0.5 * dt * c * v * r, w - 0.5 * dt * (9.81 + c * v * w)
        r = um - wind
        v = np.sqrt(r * r + wm * wm)
        at += dt * um
        z += dt * wm
        u -= dt * c * v * r
        w -= dt * (9.81 + c * v * wm)
        if at_old < WALL <= at:
            part = (WALL - at_old) / (at - at_old)
            if z_old + part * (z - z_old) < HEIGHT:
                return TARGET - WALL
        if z < 0.0:
            part = z_old / (z_old - z)
            miss: float = abs(at_old + part * (at - at_old) - TARGET)
            return miss
    return TARGET


@compiled
def _many(x: Array, Y: Array) -> Array:
    values = np.empty(len(Y))
    for k in range(len(Y)):
        values[k] = _miss(x, Y[k])
    return values


THROW = Problem(
    name="throw",
    summary="miss in m of a throw x = (speed, angle) over a wall, for wind and drag y; it jumps where the wall is hit",
    function=by_rows(_miss),
    x_bounds=((15.0, 60.0), (10.0, 80.0)),  # m/s, degrees
    y_bounds=Y_BOUNDS,
    optimum=Optimum(
        x=(30.48558886880263, 27.299657262080935),  # at the edge of the cliff: every digit counts
        y=None,
        value=8.5704243,
        source=f"Computed: 5 of 5 restarts ({SURE}) agree to 1e-4.",
    ),
    worst_case=searched(_many, Y_BOUNDS, n_sobol=0, n_polish=4, extra=lambda: grid(Y_BOUNDS, 33)),
    is_exact=False,
    guess=(30.0, 45.0),
)
