"""Sallen-Key low-pass of E12 parts: four integers pick the parts, tolerances and the frequency are the adversary's.

f is the distance in dB from a Butterworth response at 1 kHz, anywhere from 100 Hz to 5 kHz.
"""

import numpy as np

from reckless.bench.problems.problem import Optimum, Problem
from reckless.bench.problems.reality.searching import by_rows, searched, vertices
from reckless.core.arrays import Array
from reckless.core.compiling import compiled
from reckless.domains.box import Box

E12 = (1.0, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3, 3.9, 4.7, 5.6, 6.8, 8.2)
PARTS = np.array([*E12, *(10.0 * part for part in E12)])  # kiloohms, nanofarads
Y_BOUNDS = ((-0.01, 0.01), (-0.01, 0.01), (-0.05, 0.05), (-0.05, 0.05), (2.0, 3.7))  # of R1, R2, C1, C2; log10 Hz
N_FREQUENCIES = 400  # of the referee's grid


@compiled
def _deviation(r1: float, r2: float, c1: float, c2: float, log_frequency: float) -> float:
    w = 2.0 * np.pi * 10.0**log_frequency
    re, im = 1.0 - w * w * r1 * r2 * c1 * c2, w * c2 * (r1 + r2)
    ratio = 10.0**log_frequency / 1000.0
    distance: float = abs(10.0 * np.log10((re * re + im * im) / (1.0 + ratio**4)))
    return distance


@compiled
def _many_parts(p: Array, Y: Array) -> Array:
    values = np.empty(len(Y))
    for k in range(len(Y)):
        values[k] = _deviation(
            p[0] * 1e3 * (1 + Y[k, 0]),
            p[1] * 1e3 * (1 + Y[k, 1]),
            p[2] * 1e-9 * (1 + Y[k, 2]),
            p[3] * 1e-9 * (1 + Y[k, 3]),
            Y[k, 4],
        )
    return values


def _many(x: Array, Y: Array) -> Array:
    return _many_parts(PARTS[x.astype(int)], Y)


def _candidates() -> Array:
    """Return all vertices of the tolerances, where f is highest almost everywhere, times a grid of frequencies."""
    corners, grid = vertices(Y_BOUNDS[:4]), np.linspace(*Y_BOUNDS[4], N_FREQUENCIES)
    return np.column_stack([np.repeat(corners, len(grid), axis=0), np.tile(grid, len(corners))])


def build(name: str) -> Problem:
    return Problem(
        name=name,
        summary="dB between a filter of parts x (integers) and its target, for tolerances and a frequency y",
        function=by_rows(lambda x, y: float(_many(x, y[None])[0])),
        x_bounds=Box([(0, 23)] * 4, integrality=True),  # R1, R2: 1k to 82k; C1, C2: 1n to 82n
        y_bounds=Y_BOUNDS,
        optimum=Optimum(
            x=(6.0, 22.0, 18.0, 6.0),
            y=None,
            value=1.32153607,
            source="Computed: all pairs of parts whose nominal deviation allows it were enumerated.",
        ),
        worst_case=searched(_many, Y_BOUNDS, n_sobol=1024, n_polish=4, extra=_candidates),
        is_exact=False,
        guess=(12.0, 12.0, 16.0, 12.0),  # 10k, 10k, 22n, 10n
    )
