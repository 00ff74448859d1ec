"""The digital filter of the paper (Charalambous 1979): match the amplitude |1 - 2 psi| for psi in [0, 1].

H is a cascade of two second-order sections. With theta = pi psi, each bracket of the printed product is

    1 + a^2 + b^2 + 2 b (2 cos^2 theta - 1) + 2 a (1 + b) cos theta
        = ((1 + b) cos theta + a)^2 + ((1 - b) sin theta)^2,

and the sum of squares is what is computed: it cannot turn negative by rounding.
"""

import math
from functools import partial

import numpy as np

from reckless.bench.problems.compiled import compile_rows
from reckless.bench.problems.inner import attained_among, crossings, nodes_around
from reckless.bench.problems.problem import Optimum, Problem
from reckless.core.arrays import Array
from reckless.core.compiling import compiled_as


@partial(compiled_as, error_model="numpy")
def _amplitude(X: Array, k: int, psi: float) -> float:
    """Return |H| for row k, x = (A, a1, a2, b1, b2, c1, c2, d1, d2).

    The paper prints the factor A without bars, yet an amplitude is not negative: abs(A). A pole on the unit
    circle gives +inf. Where numerator and denominator vanish together they are taken to cancel, and A = 0 is
    silence whatever the poles, so no x in the box gives NaN.
    """
    gain = float(abs(X[k, 0]))
    if gain == 0.0:
        return 0.0
    cosine = math.sin(math.pi * (0.5 - psi))  # exact at psi = 0, 0.5 and 1, where cos(pi psi) is not
    sine = math.sin(math.pi * min(psi, 1.0 - psi))
    above, below = 1.0, 1.0
    for i in range(2):
        a, b, c, d = X[k, 1 + i], X[k, 3 + i], X[k, 5 + i], X[k, 7 + i]
        above *= ((1.0 + b) * cosine + a) ** 2 + ((1.0 - b) * sine) ** 2
        below *= ((1.0 + d) * cosine + c) ** 2 + ((1.0 - d) * sine) ** 2
    if below > 0.0:
        gain *= math.sqrt(above / below)
    elif above > 0.0:
        gain = math.inf
    return gain


@compile_rows
def _error(X: Array, Y: Array, values: Array) -> None:
    for k in range(len(values)):
        psi = Y[k, 0]
        values[k] = abs(_amplitude(X, k, psi) - abs(1.0 - 2.0 * psi))


@compile_rows
def _signed_error(X: Array, Y: Array, values: Array) -> None:
    for k in range(len(values)):
        psi = Y[k, 0]
        values[k] = _amplitude(X, k, psi) - abs(1.0 - 2.0 * psi)


def _slope(x: Array, psi: Array) -> Array:
    """Return d|H| / d psi for x (9, ...) and psi that broadcast."""
    cosine, sine = np.sin(math.pi * (0.5 - psi)), np.sin(math.pi * np.minimum(psi, 1.0 - psi))
    # (H / A)^2, and half its logarithmic slope by theta
    square, relative = np.ones_like(psi), np.zeros_like(psi)
    for first, second, power in ((1, 3, 1.0), (2, 4, 1.0), (5, 7, -1.0), (6, 8, -1.0)):
        real, imaginary = (1.0 + x[second]) * cosine + x[first], (1.0 - x[second]) * sine
        factor = real**2 + imaginary**2
        turn = (1.0 - x[second]) * imaginary * cosine - (1.0 + x[second]) * real * sine
        square, relative = square * factor**power, relative + power * turn / factor
    slope: Array = math.pi * np.abs(x[0]) * np.sqrt(square) * relative
    return slope


def _candidates(X: Array) -> Array:
    """Return the ends, the middle (where |1 - 2 psi| bends), and every psi at which the signed error has slope 0.

    The roots of z^2 + a z + b, and of z^2 + c z + d, shape |H| around their angle, over a width that is their
    distance from the unit circle. With a pole on the circle itself, a psi next to it stands for infinity.
    """
    first, second = X[:, [1, 2, 5, 6]], X[:, [3, 4, 7, 8]]
    half_gap = np.sqrt((0.25 * first**2 - second).astype(complex))
    roots = np.hstack([half_gap - 0.5 * first, -half_gap - 0.5 * first])
    nodes = nodes_around(np.abs(np.angle(roots)) / math.pi, np.abs(1.0 - np.abs(roots)) / math.pi, 1.0)
    slope_of_target = np.where(nodes[:, :-1] < 0.5, -2.0, 2.0)  # 0.5 is a node
    ends = np.broadcast_to([0.0, 0.5, 1.0], (len(X), 3))
    return np.hstack([ends, crossings(_slope, X, nodes, slope_of_target)])


FILTERS = (
    Problem(
        name="filter",
        summary="| |H(A, a, b, c, d; pi psi)| - |1 - 2 psi| |, H of two second-order sections",
        function=_error,
        x_bounds=((-1.0, 1.0),) * 9,
        y_bounds=((0.0, 1.0),),
        optimum=Optimum(
            x=(
                *(0.36791498245469445, 0.0, 0.0, 0.9786495410629414, -0.7393737272867245),
                *(0.0, 0.0, -0.168224855608429, -0.7703813393417595),
            ),
            y=(0.5,),
            value=0.00660623972239425,
            source="Computed: the error alternates between equal peaks at 6 points of [0, 0.5], solved by "
            "Newton; the best of hundreds of local searches. The point of Charalambous (1979) has 7.146e-3.",
        ),
        worst_case=attained_among(_error, _candidates),
    ),
    Problem(
        name="filter-signed",
        summary="|H(A, a, b, c, d; pi psi)| - |1 - 2 psi|, the filter's error without the outer bars",
        function=_signed_error,
        x_bounds=((-1.0, 1.0),) * 9,
        y_bounds=((0.0, 1.0),),
        optimum=Optimum(
            x=(0.0,) * 9, y=(0.5,), value=0.0, source="Exact: f(x, 0.5) = |H| >= 0, and A = 0 gives -|1 - 2 psi| <= 0."
        ),
        worst_case=attained_among(_signed_error, _candidates),
    ),
)
