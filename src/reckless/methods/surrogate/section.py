"""A Gaussian process where the first coordinates, x, are given: a function of the others, y, in the unit cube."""

from typing import NamedTuple, Self

import numpy as np
from scipy.spatial.distance import cdist

from reckless.core.arrays import Array
from reckless.methods.surrogate.form import Metric, embedded, kernels_of
from reckless.methods.surrogate.kernels import climb_rows


class Section(NamedTuple):
    """The mean as a function of y; the fields are those of `kernels`."""

    U: Array
    far: Array
    alpha: Array
    weights: Array
    trend: Array
    is_gauss: bool

    def climb(self, Y: Array, n_steps: int) -> tuple[Array, Array]:
        """Climb from all rows of Y to local maxima; return them and their levels."""
        Y, levels = Y.copy(), np.empty(len(Y))
        climb_rows(Y, levels, *self, n_steps)
        return Y, levels


class Strip(NamedTuple):
    """Rows of y to be paired with many x: squared distances of the data along y, or of a Gauss kernel the factors."""

    Y: Array
    along: Array  # (k, n)

    @classmethod
    def of(cls, E: Array, metric: Metric, Y: Array) -> Self:
        n_x = E.shape[1] - 1 - Y.shape[1]
        return cls(Y, _along(E, metric, Y, n_x))

    def means(self, E: Array, alpha: Array, metric: Metric, B: Array, X: Array) -> Array:
        """Return the mean (m, k) of every row of X with every y."""
        along, k = _along(E, metric, X, 0), 1 + X.shape[1]
        if metric.kernel == "gauss":
            levels: Array = (along * alpha) @ self.along.T
        else:
            squares = (along[:, None, :] + self.along).reshape(-1, len(E))
            levels = (kernels_of(squares, metric.kernel, 0)[0] @ alpha).reshape(len(X), len(self.Y))
        e, U = embedded(X, k - 1), 2.0 * self.Y - 1.0
        levels += np.einsum("ij,ij->i", e @ B[:k, :k], e)[:, None] + np.einsum("ij,ij->i", U @ B[k:, k:], U)
        levels += 2.0 * (e @ B[:k, k:]) @ U.T
        return levels


def _along(E: Array, metric: Metric, rows: Array, begin: int) -> Array:
    """Return the squared distances (m, n) of rows and data along some coordinates, or of a Gauss kernel the factors."""
    part = slice(begin, begin + rows.shape[1])
    root = np.sqrt(metric.weights[part])
    squares = cdist((2.0 * rows - 1.0) * root, E[:, 1:][:, part] * root, "sqeuclidean")
    return kernels_of(squares, "gauss", 0)[0] if metric.kernel == "gauss" else squares


def cross_section(E: Array, alpha: Array, metric: Metric, B: Array, x: Array) -> Section:
    """Return the section at x of a process with data E = [1, u], coefficients alpha and the trend E B E'."""
    k = 1 + len(x)
    e = np.concatenate([[1.0], 2.0 * x - 1.0])
    gaps = E[:, 1:k] - e[1:]
    trend = B[k - 1 :, k - 1 :].copy()
    trend[0, 1:] = trend[1:, 0] = e @ B[:k, k:]
    trend[0, 0] = e @ B[:k, :k] @ e
    far = (gaps * gaps) @ metric.weights[: k - 1]
    return Section(E[:, k:].copy(), far, alpha, metric.weights[k - 1 :], trend, metric.kernel == "gauss")
