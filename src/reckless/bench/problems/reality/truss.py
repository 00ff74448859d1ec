"""Ten-bar truss: how to share a fixed amount of steel among the bars, for the worst of 24 load cases.

f is the compliance (work of the loads) by linear finite elements; x are shares of the volume, a simplex.
"""

from functools import cache
from itertools import product

import numpy as np

from reckless.bench.problems.problem import Optimum, Problem
from reckless.bench.problems.reality.searching import by_rows, by_x
from reckless.core.arrays import Array
from reckless.domains.sets import Scenarios, Simplex

NODES = ((2, 1), (2, 0), (1, 1), (1, 0), (0, 1), (0, 0))  # the last two are fixed
BARS = ((4, 2), (2, 0), (5, 3), (3, 1), (2, 3), (0, 1), (4, 3), (5, 2), (2, 1), (3, 0))
N_FREE = 4
SCALE = 10.0


@cache
def loads() -> Array:
    """Return the load cases, (24, 4).

    Dead load always; live load on either joint; wind from left, right or none, with less live load then; crane or not.
    """
    return np.array(
        [
            [
                25.0 * w,
                -(4.0 + 8.0 * l1) * (1 - 0.5 * abs(w)),
                25.0 * w,
                -(4.0 + 6.0 * l2) * (1 - 0.5 * abs(w)) + 7.0 * c,
            ]
            for l1, l2, w, c in product((0, 1), (0, 1), (-1.0, 0.0, 1.0), (-1, 1))
        ]
    )


@cache
def _bars() -> tuple[Array, Array]:
    """Return the lengths (10,) of the bars, and how far each is stretched by moves of the free joints, (10, 8)."""
    nodes = np.array(NODES, dtype=float)
    lengths = np.array([np.linalg.norm(nodes[a] - nodes[b]) for a, b in BARS])
    stretch = np.zeros((len(BARS), 2 * N_FREE))
    for k, (a, b) in enumerate(BARS):
        direction = (nodes[b] - nodes[a]) / lengths[k]
        for node, sign in ((a, -1.0), (b, 1.0)):
            if node < N_FREE:
                stretch[k, 2 * node : 2 * node + 2] = sign * direction
    return lengths, stretch


def _stiffness(x: Array) -> Array:
    lengths, stretch = _bars()
    area = (0.002 + 0.98 * x) / lengths
    stiffness: Array = SCALE * (stretch.T * (area / lengths)) @ stretch
    return stiffness


def _forces(y: Array) -> Array:
    """Return the forces on the free joints of a load case (4,), or of several, one per column."""
    p = np.zeros((2 * N_FREE, *y.shape[1:]))
    p[0], p[1], p[3] = y[2], 0.5 * y[3], y[3]  # joints 0 and 1: the free end
    p[4], p[7] = y[0], y[1]
    return p


def _compliance(x: Array, y: Array) -> float:
    p = _forces(y)
    return float(p @ np.linalg.solve(_stiffness(x), p))


def _worst(x: Array) -> tuple[float, Array]:
    Y = loads()
    P = _forces(Y.T)
    values = (P * np.linalg.solve(_stiffness(x), P)).sum(axis=0)
    return float(values.max()), Y[values.argmax()]


def build(name: str) -> Problem:
    return Problem(
        name=name,
        summary="compliance of a truss of ten bars with shares x of the steel, under a load y, one of 24",
        function=by_rows(_compliance),
        x_bounds=Simplex(10),
        y_bounds=Scenarios(loads()),
        optimum=Optimum(
            x=(0.24545, 0.0831253, 0.163596, 0.0600122, 0.0, 0.0, 0.142348, 0.122503, 0.122065, 0.0608994),
            y=None,
            value=6160.47398,
            source="Computed: convex; sequential quadratic programming from four starts agrees to 1e-9.",
        ),
        worst_case=by_x(_worst, 4),
        guess=(0.1,) * 10,
    )
