"""The test suite f1-f11 of Miyagi, Fukuchi, Sakuma and Akimoto (2022/23), written for worst-case rankings.

Both boxes are [-3, 3] in every coordinate. x and y meet only through z = B'x, where B (n, n_y) has b on its
main diagonal: z_i = b x_i as far as both go, and 0 beyond. Formulas take rows x (m, n), y and z (m, n_y).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from reckless.bench.problems.inner import bisect, solved_problem
from reckless.bench.problems.problem import Problem
from reckless.core.arrays import Array

ALPHA = -0.7  # of f3
N_WAVY = 3  # coordinates of f9 that have two peaks


@dataclass(frozen=True, slots=True, kw_only=True)
class _Coupled:
    """One function of the suite.

    best_z: the z that minimizes the worst case coordinate by coordinate, given the coordinates i = 0, 1, ... and
        the largest abs(z) in the box; 0 everywhere by default.
    """

    summary: str
    value: Callable[[Array, Array, Array], Array]
    maximizer: Callable[[Array], Array]
    best_z: Callable[[Array, float], Array] = lambda i, reach: np.zeros_like(i)


def build(formula: _Coupled, name: str, n: int = 20, b: float = 1.0, n_y: int = 0) -> Problem:
    """Build one problem; n_y = 0 means as many y as x."""
    n_y = n_y or n
    shared = min(n, n_y)

    def coupled(X: Array) -> Array:
        if n == n_y:
            return b * X
        z = np.zeros((len(X), n_y))
        z[:, :shared] = b * X[:, :shared]
        return z

    best_x = np.zeros(n)
    best_x[:shared] = np.clip(formula.best_z(np.arange(float(shared)), 3.0 * b) / b, -3.0, 3.0)
    return solved_problem(
        name=name,
        summary=formula.summary,
        function=lambda X, Y: formula.value(X, Y, coupled(X)),
        maximizer=lambda X: formula.maximizer(coupled(X)),
        x_reach=3.0,
        y_reach=3.0,
        x=best_x,
        source="Miyagi et al. (2022/23) for b = 1; for other b from the closed form of the worst case.",
    )


def _dot(u: Array, v: Array) -> Array:
    total: Array = np.einsum("ij,ij->i", u, v)
    return total


def _norm2(u: Array) -> Array:
    return _dot(u, u)


def _norm1(u: Array) -> Array:
    total: Array = np.abs(u).sum(axis=1)
    return total


def _corner(z: Array) -> Array:
    return np.where(z < 0.0, -3.0, 3.0)


def _clip(z: Array) -> Array:
    return np.clip(z, -3.0, 3.0)


def _quartic_peak(z: Array) -> Array:
    """Return the y of f7, where the gradient vanishes or points outward: y_i = z_i / q clipped, with q = ||y||^2.

    Without the box q would be ||z||^(2/3); clipping can only make it smaller.
    """
    upper = np.cbrt(_norm2(z))[:, None]
    upper = np.where(upper > 0.0, upper, 1.0)
    q = bisect(lambda q: _norm2(_clip(z / q))[:, None] > q, np.zeros_like(upper), upper)
    return _clip(z / q)


def _wave(x: Array, y: Array, z: Array) -> Array:
    z, wavy_z = z[:, N_WAVY:], z[:, :N_WAVY]
    y, wavy_y = y[:, N_WAVY:], y[:, :N_WAVY]
    return _norm2(wavy_z + np.exp(np.sign(wavy_y)) * np.sin(np.pi / 3.0 * wavy_y)) + _norm2(z) - _norm2(y)


def _wave_peak(z: Array) -> Array:
    y = np.zeros_like(z)
    y[:, :N_WAVY] = np.where(z[:, :N_WAVY] < -math.sinh(1.0), -1.5, 1.5)
    return y


@cache
def scales_of(n_y: int) -> Array:
    """Return 10^(-3 i / n) for i = 1..n, the scales of y in f11."""
    scales: Array = 10.0 ** (-3.0 * np.arange(1, n_y + 1) / n_y)
    return scales


def _scaled(x: Array, y: Array, z: Array) -> Array:
    y = y * scales_of(y.shape[1])
    return 0.5 * _norm2(x) + _dot(z, y) - 0.5 * _norm2(y)


FORMULAS = {
    "f1": _Coupled(summary="x'By", value=lambda x, y, z: _dot(z, y), maximizer=_corner),
    "f2": _Coupled(summary="||x||^2 / 2 + x'By", value=lambda x, y, z: 0.5 * _norm2(x) + _dot(z, y), maximizer=_corner),
    # The worst case sums (z_i + 3 - alpha)^2 / 2 + 3 |z_i|: convex, with slope 0 at z_i = alpha < 0.
    "f3": _Coupled(
        summary="||B'x - (alpha - 3) 1||^2 / 2 + x'By, alpha = -0.7",
        value=lambda x, y, z: 0.5 * _norm2(z - (ALPHA - 3.0)) + _dot(z, y),
        maximizer=_corner,
        best_z=lambda i, reach: np.full_like(i, ALPHA),
    ),
    "f4": _Coupled(
        summary="||x||^2 / 2 + x'By + ||y||^2 / 2",
        value=lambda x, y, z: 0.5 * _norm2(x) + _dot(z, y) + 0.5 * _norm2(y),
        maximizer=_corner,
    ),
    "f5": _Coupled(
        summary="||x||^2 / 2 + x'By - ||y||^2 / 2",
        value=lambda x, y, z: 0.5 * _norm2(x) + _dot(z, y) - 0.5 * _norm2(y),
        maximizer=_clip,
    ),
    "f6": _Coupled(
        summary="||x||^2 / 2 + ||x||_1 + x'By - ||y||_1 - ||y||^2 / 2",
        value=lambda x, y, z: 0.5 * _norm2(x) + _norm1(x) + _dot(z, y) - _norm1(y) - 0.5 * _norm2(y),
        maximizer=lambda z: _clip(np.sign(z) * np.maximum(np.abs(z) - 1.0, 0.0)),
    ),
    "f7": _Coupled(
        summary="||x||^4 / 4 + x'By - ||y||^4 / 4",
        value=lambda x, y, z: 0.25 * _norm2(x) ** 2 + _dot(z, y) - 0.25 * _norm2(y) ** 2,
        maximizer=_quartic_peak,
    ),
    "f8": _Coupled(
        summary="||x||_1 + x'By - ||y||_1",
        value=lambda x, y, z: _norm1(x) + _dot(z, y) - _norm1(y),
        maximizer=lambda z: np.where(np.abs(z) > 1.0, _corner(z), 0.0),
    ),
    # The wave in y_i spans [-1/e, e], so its worst case is least where both ends are equally far from -z_i.
    "f9": _Coupled(
        summary="sum_{i<=3} (z_i + e^sgn(y_i) sin(pi y_i / 3))^2 + sum_{i>3} z_i^2 - y_i^2, z = B'x",
        value=_wave,
        maximizer=_wave_peak,
        best_z=lambda i, reach: np.where(i < N_WAVY, -math.sinh(1.0), 0.0),
    ),
    # Beyond |z_i| = 3 the worst case z_i^2 - 2 (|z_i| - 3)^2 bends down and is below 0 from 6 + sqrt(18) on.
    "f10": _Coupled(
        summary="||z||^2 - 2 ||y - z||^2, z = B'x",
        value=lambda x, y, z: _norm2(z) - 2.0 * _norm2(y - z),
        maximizer=_clip,
        best_z=lambda i, reach: np.full_like(i, reach if reach > 6.0 + math.sqrt(18.0) else 0.0),
    ),
    "f11": _Coupled(
        summary="sum_i x_i^2 / 2 + s_i z_i y_i - s_i^2 y_i^2 / 2, s_i = 10^(-3 i / n), z = B'x",
        value=_scaled,
        maximizer=lambda z: _clip(z / scales_of(z.shape[1])),
    ),
}

BUILDERS: dict[str, Callable[..., Problem]] = {name: partial(build, formula) for name, formula in FORMULAS.items()}
