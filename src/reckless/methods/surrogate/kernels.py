"""Compiled climbs on the mean of a Gaussian process at one x; each kernel has a naive twin in the tests.

The arrays that describe the mean as a function of y in the unit cube, by u = 2 y - 1:

    U (n, n_y), far (n,), alpha (n,)   the data's u, its squared distance along x, and the coefficients of the kernels
    weights (n_y,)                     of squared distances along y
    trend (n_y + 1, n_y + 1)           symmetric, the quadratic form of [1, u]
    scratch (2 n_y, n_y)               memory to work in
"""

import math

import numpy as np

from reckless.core.arrays import Array
from reckless.core.compiling import compiled

FIRST_RADIUS = 0.2  # of a climb, in the coordinates of y
LEAST_CURVATURE = 1e-9
NEARLY_THERE = 1e-6  # a Newton step below this is the last: the next would be its square
MOST_SWEEPS = 30  # of Jacobi rotations; 4 to 6 suffice
DIAGONAL = 1e-34  # what may be left beside the diagonal: squares, relative to those on it


@compiled
def jet_along(
    y: Array,
    U: Array,
    far: Array,
    alpha: Array,
    weights: Array,
    trend: Array,
    is_gauss: bool,
    slope: Array,
    bend: Array,
) -> float:
    """Return the mean at y (n_y,); write its slope (n_y,) and the second derivatives (n_y, n_y)."""
    n, n_y = U.shape
    away, level, sums = np.empty(n_y), 0.0, 0.0
    for j in range(n_y):
        slope[j] = 0.0
        for m in range(j + 1):
            bend[j, m] = 0.0
    for i in range(n):
        s = far[i]
        for j in range(n_y):
            gap = 2.0 * y[j] - 1.0 - U[i, j]
            away[j] = weights[j] * gap
            s += away[j] * gap
        if is_gauss:
            k = alpha[i] * math.exp(-0.5 * s)
            k1, k2 = -0.5 * k, 0.25 * k
        else:
            r = math.sqrt(5.0 * s)
            e = alpha[i] * math.exp(-r)
            k, k1, k2 = (1.0 + r + r * r / 3.0) * e, (-5.0 / 6.0) * (1.0 + r) * e, (25.0 / 12.0) * e
        level += k
        sums += k1
        for j in range(n_y):
            slope[j] += k1 * away[j]
            part = k2 * away[j]
            for m in range(j + 1):
                bend[j, m] += part * away[m]
    return level + add_trend(y, weights, trend, sums, slope, bend)


@compiled
def add_trend(y: Array, weights: Array, trend: Array, sums: float, slope: Array, bend: Array) -> float:
    """Return the trend at y; turn sums over the data, the lower triangle of `bend`, into derivatives with the trend."""
    n_y, level = len(y), float(trend[0, 0])
    for j in range(n_y):
        u, pull = 2.0 * y[j] - 1.0, trend[j + 1, 0]
        for m in range(n_y):
            pull += trend[j + 1, m + 1] * (2.0 * y[m] - 1.0)
        level += u * (trend[j + 1, 0] + pull)
        slope[j] = 4.0 * (slope[j] + pull)
        for m in range(j + 1):
            bend[j, m] = 16.0 * bend[j, m] + 8.0 * trend[j + 1, m + 1]
            bend[m, j] = bend[j, m]
        bend[j, j] += 8.0 * weights[j] * sums
    return level


@compiled
def diagonalize(A: Array, V: Array) -> None:
    """Turn a symmetric A (n, n) into its eigenvalues, on its diagonal, and V into their vectors: Jacobi's rotations."""
    n = len(A)
    for i in range(n):
        for j in range(n):
            V[i, j] = 1.0 if i == j else 0.0
    for _ in range(MOST_SWEEPS):
        on, off = 0.0, 0.0
        for i in range(n):
            on += A[i, i] * A[i, i]
            for j in range(i):
                off += A[i, j] * A[i, j]
        if off <= DIAGONAL * on:
            break
        for i in range(n):
            for j in range(i + 1, n):
                if A[i, j] != 0.0:
                    rotate(A, V, i, j)


@compiled
def rotate(A: Array, V: Array, i: int, j: int) -> None:
    """Rotate so that A[i, j] becomes 0 (Golub and Van Loan, Matrix Computations, 8.5.2)."""
    half = 0.5 * (A[j, j] - A[i, i])
    t = A[i, j] / (half + math.copysign(math.hypot(half, A[i, j]), half))
    c = 1.0 / math.sqrt(1.0 + t * t)
    s = t * c
    for m in range(len(A)):
        p, q = A[m, i], A[m, j]
        A[m, i], A[m, j] = c * p - s * q, s * p + c * q
        p, q = V[m, i], V[m, j]
        V[m, i], V[m, j] = c * p - s * q, s * p + c * q
    for m in range(len(A)):
        p, q = A[i, m], A[j, m]
        A[i, m], A[j, m] = c * p - s * q, s * p + c * q


@compiled
def newton_in_cube(y: Array, slope: Array, bend: Array, scratch: Array, step: Array) -> float:
    """Write the step to the maximum of a quadratic model, uphill where it has none; return its largest coordinate.

    A coordinate at a bound that its slope pushes against stays.
    """
    n = len(y)
    A, V = scratch[:n], scratch[n:]
    is_held = np.empty(n, np.bool_)
    for i in range(n):
        step[i] = 0.0
        is_held[i] = (y[i] <= 0.0 and slope[i] < 0.0) or (y[i] >= 1.0 and slope[i] > 0.0)
        for j in range(i + 1):
            A[i, j] = A[j, i] = 0.0 if is_held[i] or is_held[j] else bend[i, j]
    diagonalize(A, V)
    for m in range(n):
        along = 0.0
        for j in range(n):
            if not is_held[j]:
                along += V[j, m] * slope[j]
        along /= max(abs(A[m, m]), LEAST_CURVATURE)
        for j in range(n):
            if not is_held[j]:
                step[j] += along * V[j, m]
    length = 0.0
    for j in range(n):
        length = max(length, abs(step[j]))
    return length


@compiled
def climb_rows(
    Y: Array,
    levels: Array,
    U: Array,
    far: Array,
    alpha: Array,
    weights: Array,
    trend: Array,
    is_gauss: bool,
    n_steps: int,
) -> None:
    """Climb from each row of Y to a local maximum in the unit cube, in place, and write its level."""
    n = Y.shape[1]
    slopes, bends, scratch = np.empty((2, n)), np.empty((2, n, n)), np.empty((2 * n, n))
    step, trial = np.empty(n), np.empty(n)
    for k in range(len(Y)):
        y, radius, here = Y[k], FIRST_RADIUS, 0
        level = jet_along(y, U, far, alpha, weights, trend, is_gauss, slopes[0], bends[0])
        for _ in range(n_steps):
            length = newton_in_cube(y, slopes[here], bends[here], scratch, step)
            reach = min(length, radius)
            share = reach / length if length > 0.0 else 0.0
            for j in range(n):
                trial[j] = min(max(y[j] + share * step[j], 0.0), 1.0)
            there = 1 - here
            new = jet_along(trial, U, far, alpha, weights, trend, is_gauss, slopes[there], bends[there])
            if new >= level:
                for j in range(n):
                    y[j] = trial[j]
                level, here = new, there
                radius = max(radius, 2.0 * reach)
            else:
                radius = 0.25 * reach
            if length < NEARLY_THERE:
                break
        levels[k] = level
