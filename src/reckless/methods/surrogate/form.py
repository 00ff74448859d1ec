"""The form of a Gaussian process: kernel, squared distances, trend.

Distances and trend are both quadratic in E = [1, u], u = 2 z - 1 for z in the unit cube, so that most of the work is
matrix products with E.
"""

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np

from reckless.core.arrays import Array, Flags


class Form(NamedTuple):
    """What kind of process: everything that is not a number to be fitted.

    kernel: "gauss" or "matern". trend: "quadratic", or "flat" for the intercept alone.
    groups: sizes of consecutive groups of coordinates whose scales share a level; (): all are one group.
    is_labeled: whether the last column is the number of a case. Cases i != j have squared distance 1 / scale^2 in this
    coordinate, which is a group of its own and no part of the trend.
    """

    kernel: str = "gauss"
    trend: str = "quadratic"
    groups: tuple[int, ...] = ()
    is_labeled: bool = False


class Jet(NamedTuple):
    """Mean (m,), slope (m, r) and second derivatives (m, r, r) in the r coordinates that are not labels."""

    level: Array
    slope: Array
    bend: Array


def _gauss(s: Array, order: int) -> list[Array]:
    """Return exp(-s / 2) and its first derivatives. Overwrite s: memory for so large an array takes time."""
    s *= -0.5
    k = np.exp(s, out=s)
    return [k, *(factor * k for factor in (-0.5, 0.25)[:order])]


def _matern(s: Array, order: int) -> list[Array]:
    """Return the Matern kernel of smoothness 5/2 and its first derivatives in s, the squared distance. Overwrite s."""
    np.maximum(s, 0.0, out=s)
    s *= 5.0
    u = np.sqrt(s, out=s)
    e = np.exp(-u)
    k = u / 3.0
    k += 1.0
    k *= u
    k += 1.0
    k *= e
    return [k] if order == 0 else [k, (-5.0 / 6.0) * (1.0 + u) * e, (25.0 / 12.0) * e][: order + 1]


_KERNELS: dict[str, Callable[[Array, int], list[Array]]] = {"gauss": _gauss, "matern": _matern}


def kernels_of(s: Array, kernel: str, order: int) -> list[Array]:
    """Return a kernel of squared distances s and its first derivatives in s. Overwrite s."""
    return _KERNELS[kernel](s, order)


class Metric(NamedTuple):
    """Squared distances, s = sum of weights * (u_i - u_j)^2, and for cases that differ label_weight more."""

    kernel: str
    weights: Array
    label_weight: float

    @classmethod
    def of(cls, theta: Array, form: Form) -> Self:
        inverse = np.exp(-2.0 * theta[:-3])
        r = len(inverse) - form.is_labeled
        return cls(form.kernel, 0.25 * inverse[:r], float(inverse[-1]) if form.is_labeled else 0.0)

    def dual(self, E: Array) -> Array:
        """Return (r + 1, n), whose product with other rows E is the squared distance up to their own squared norm."""
        U = E[:, 1:]
        return np.vstack([(U * U) @ self.weights, (-2.0 * self.weights * U).T])

    def kernels(self, E: Array, dual: Array, others: Flags | None, order: int) -> list[Array]:
        U = E[:, 1:]
        s = E @ dual
        s += ((U * U) @ self.weights)[:, None]
        if others is not None:
            s += self.label_weight * others
        return kernels_of(s, self.kernel, order)


def embedded(Z: Array, r: int) -> Array:
    """Return E = [1, u] (n, r + 1)."""
    E = np.ones((len(Z), r + 1))
    E[:, 1:] = 2.0 * Z[:, :r] - 1.0
    return E


def others(Q: Array, Z: Array, form: Form) -> Flags | None:
    """Tell which rows of Q and of Z belong to different cases."""
    return Q[:, -1][:, None] != Z[:, -1] if form.is_labeled else None


def features(E: Array, form: Form) -> Array:
    """Return the features (n, p) of the trend: 1, u_i, u_i u_j for i <= j. These are the products of two of [1, u]."""
    if form.trend == "flat":
        return E[:, :1]
    rows = np.ascontiguousarray(E.T)
    return np.vstack([rows[i] * rows[i:] for i in range(len(rows))]).T


def quadratic_form(coefficients: Array, r: int) -> Array:
    """Return the symmetric matrix B (r + 1, r + 1) of the trend E B E' with these coefficients (p,)."""
    B = np.zeros((r + 1, r + 1))
    if len(coefficients) == 1:
        B[0, 0] = coefficients[0]
        return B
    B[np.triu_indices(r + 1)] = 0.5 * coefficients
    return B + B.T


def trend_slopes(E: Array, coefficients: Array) -> Array:
    """Return the slopes (m, r) in z, at rows E, of trends with a column of coefficients (p, m) each."""
    rows = np.ascontiguousarray(E.T)
    slopes, begin = np.zeros(rows.shape), 0
    if len(coefficients) > 1:
        for i in range(len(rows)):
            part = coefficients[begin : begin + len(rows) - i]
            slopes[i:] += part * rows[i]
            slopes[i] += np.einsum("ij,ij->j", part, rows[i:])
            begin += len(part)
    return 2.0 * slopes[1:].T
