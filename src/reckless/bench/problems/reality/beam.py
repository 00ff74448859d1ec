"""A bridge beam on two end bearings and two elastic piers, crossed by a two-axle vehicle: finite elements.

The piers' places and how a fixed stiffness is shared between them are the design; the vehicle's place and its axle
distance are the adversary's. f is the largest deflection along the beam in mm.
"""

import numpy as np

from reckless.bench.problems.problem import Optimum, Problem
from reckless.bench.problems.reality.searching import SURE, by_rows, grid, searched
from reckless.core.arrays import Array
from reckless.core.compiling import compiled

N_ELEMENTS = 20
LENGTH = 2.0  # of an element, m
Y_BOUNDS = ((0.0, 40.0), (2.0, 9.0))
Shape = tuple[float, float, float, float]


@compiled
def _shape(t: float) -> Shape:
    """Return Hermite's cubic shape functions at t of an element."""
    L = LENGTH
    return 1 - 3 * t**2 + 2 * t**3, L * (t - 2 * t**2 + t**3), 3 * t**2 - 2 * t**3, L * (t**3 - t**2)


@compiled
def _at(place: float) -> tuple[int, Shape]:
    e = min(int(place / LENGTH), N_ELEMENTS - 1)
    return e, _shape(place / LENGTH - e)


@compiled
def _stiffness(x: Array) -> Array:
    """Return the upper band of the stiffness matrix: K[i, j] is entry (i, i + j)."""
    L, n = LENGTH, 2 * N_ELEMENTS + 2
    K = np.zeros((n, 4))
    EI = 2.0e9 / L**3
    ke = np.array(
        [
            [12, 6 * L, -12, 6 * L],
            [6 * L, 4 * L * L, -6 * L, 2 * L * L],
            [-12, -6 * L, 12, -6 * L],
            [6 * L, 2 * L * L, -6 * L, 4 * L * L],
        ]
    )
    for e in range(N_ELEMENTS):
        factor = EI * (0.7 if 7 <= e < 11 else 1.0)  # a weaker part, off the middle
        for i in range(4):
            for j in range(i, 4):
                K[2 * e + i, j - i] += factor * ke[i, j]
    K[0, 0] += 1e12
    K[n - 2, 0] += 1e12
    for s in range(2):
        stiffness = 6.0e7 * (x[2] if s == 0 else 1.0 - x[2])
        e, N = _at(x[s])
        for i in range(4):
            for j in range(i, 4):
                K[2 * e + i, j - i] += stiffness * N[i] * N[j]
    return K


@compiled
def _load(y: Array) -> Array:
    p = np.zeros(2 * N_ELEMENTS + 2)
    for axle in range(2):
        place = y[0] + axle * y[1]
        if place <= N_ELEMENTS * LENGTH:
            e, N = _at(place)
            for i in range(4):
                p[2 * e + i] += (120e3 if axle == 0 else 180e3) * N[i]
    return p


@compiled
def _solve(K: Array, p: Array) -> None:
    """Solve K u = p by banded Gaussian elimination; p becomes u, and K is overwritten."""
    n = len(p)
    for i in range(n):
        for j in range(1, min(4, n - i)):
            factor = K[i, j] / K[i, 0]
            for k in range(j, 4):
                K[i + j, k - j] -= factor * K[i, k]
            p[i + j] -= factor * p[i]
    for i in range(n - 1, -1, -1):
        total = p[i]
        for j in range(1, min(4, n - i)):
            total -= K[i, j] * p[i + j]
        p[i] = total / K[i, 0]


@compiled
def _deflection(x: Array, y: Array) -> float:
    K, p = _stiffness(x), _load(y)
    _solve(K, p)
    top = 0.0
    for e in range(N_ELEMENTS):
        for t in (0.0, 0.25, 0.5, 0.75):
            N = _shape(t)
            w = abs(N[0] * p[2 * e] + N[1] * p[2 * e + 1] + N[2] * p[2 * e + 2] + N[3] * p[2 * e + 3])
            top = max(top, w)
    return 1e3 * top


@compiled
def _many(x: Array, Y: Array) -> Array:
    values = np.empty(len(Y))
    for k in range(len(Y)):
        values[k] = _deflection(x, Y[k])
    return values


BEAM = Problem(
    name="beam",
    summary="largest deflection of a beam on elastic piers x = (place, place, share) under a vehicle y",
    function=by_rows(_deflection),
    x_bounds=((2.0, 38.0), (2.0, 38.0), (0.1, 0.9)),
    y_bounds=Y_BOUNDS,
    optimum=Optimum(
        x=(26.198718, 13.788637, 0.49971264),
        y=None,
        value=10.4032166,
        source=f"Computed: 5 of 5 restarts ({SURE}) agree to 1e-4.",
    ),
    worst_case=searched(_many, Y_BOUNDS, n_sobol=0, n_polish=4, extra=lambda: grid(Y_BOUNDS, 61)),
    is_exact=False,
    guess=(13.3, 26.7, 0.5),
)
