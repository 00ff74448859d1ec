"""A quadratic fitted to noisy values around a pair, and what it says of the worst case around its x."""

from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.methods.danskin.tuning import guards
from reckless.methods.noisy.tuning import fits
from reckless.methods.program import solve_inside, solve_program


class Quadratic(NamedTuple):
    """f(z + s) = value + slope s + s' bends s / 2, with the standard error of the value."""

    value: float
    slope: Array
    bends: Array
    error: float


class Worst(NamedTuple):
    """The worst case around an x by one quadratic: the answer of y, its value, and slope and bends in x."""

    answer: Array
    value: float
    slope: Array
    bends: Array


@dataclass(slots=True, eq=False)
class Samples:
    """Values around a pair z = (x, y), within a radius that adapts to how far f is a quadratic.

    is_lacking: errors of f do not explain what the last fit left over.
    """

    Z: Array
    values: Array = field(default_factory=lambda: np.zeros(0))
    radius: float = fits.largest_radius
    is_lacking: bool = False

    def draw(self, rng: np.random.Generator, z: Array, moving: Indices, n: int, n_near: int = 0) -> Array:
        """Draw n pairs around z, some of them near it; the coordinates that do not move stay."""
        Z = np.repeat(z[None], n, axis=0)
        reach = np.where(np.arange(n) < n_near, fits.near, 1.0) * self.radius
        Z[:, moving] += reach[:, None] * rng.uniform(-1.0, 1.0, (n, moving.size))
        return np.clip(Z, 0.0, 1.0)

    def add(self, Z: Array, values: Array) -> None:
        """Keep what has a value; where f fails, the radius shrinks."""
        good = np.isfinite(values)
        self.Z, self.values = np.vstack([self.Z, Z[good]]), np.append(self.values, values[good])
        if not good.all():
            self.radius = max(fits.narrow * self.radius, fits.smallest_radius)

    def fit(self, z: Array, moving: Indices, sd: float) -> Quadratic | int:
        """Fit around z in the coordinates that move; where errors of f do not explain the residuals, within less.

        Return how many samples are missing if they are too few.
        """
        D = self.Z - z
        is_off = np.abs(np.delete(D, moving, axis=1)).max(axis=1, initial=0.0) > guards.at_bound
        D = D[:, moving]
        size, n = np.where(is_off, np.inf, np.abs(D).max(axis=1)), moving.size
        while True:
            taken = size <= fits.window * self.radius
            is_full = n_coefficients(n, True) <= fits.most
            p, m = n_coefficients(n, is_full), int(taken.sum())
            if m < fits.enough * p:
                return int(np.ceil(fits.wanted * p)) - m
            A = features(D[taken] / self.radius, is_full)
            # Sums over samples by einsum: BLAS adds in another order with every number of threads.
            inverse = np.linalg.pinv(np.einsum("ki,kj->ij", A, A), hermitian=True)
            coefficients = inverse @ np.einsum("ki,k->i", A, self.values[taken])
            residuals = self.values[taken] - np.einsum("ki,i->k", A, coefficients)
            variance = float(np.einsum("k,k->", residuals, residuals)) / (m - p)
            self.is_lacking = variance > sd**2 * (fits.excess + fits.sigmas * sqrt(2.0 / (m - p)))
            if not self.is_lacking or self.radius <= fits.smallest_radius:
                return _quadratic(coefficients, n, self.radius, is_full, sqrt(variance * max(inverse[0, 0], 0.0)))
            self.radius = max(fits.narrow * self.radius, fits.smallest_radius)


def first_radius(share: float) -> float:
    """Return the radius at which the third derivatives of f err as much as its values do, as a share of their range."""
    return min(max(float(np.cbrt(share)), fits.smallest_radius), fits.first_radius)


def features(D: Array, is_full: bool) -> Array:
    """Return the rows of a quadratic: 1, d_i, d_i^2 / 2, and, if full, the products d_i d_j."""
    columns = [np.ones((len(D), 1)), D, 0.5 * D * D]
    if is_full:
        i, j = np.triu_indices(D.shape[1], 1)
        columns.append(D[:, i] * D[:, j])
    return np.hstack(columns)


def n_coefficients(n: int, is_full: bool) -> int:
    return 1 + n + n * (n + 1) // 2 if is_full else 1 + 2 * n


def _quadratic(coefficients: Array, n: int, radius: float, is_full: bool, error: float) -> Quadratic:
    bends = np.diag(coefficients[1 + n : 1 + 2 * n])
    if is_full:
        i, j = np.triu_indices(n, 1)
        bends[i, j] = bends[j, i] = coefficients[1 + 2 * n :]
    return Quadratic(float(coefficients[0]), coefficients[1 : 1 + n] / radius, bends / radius**2, error)


def worst_of(model: Quadratic, y: Array, radius: float) -> Worst:
    """Let y answer by its best move within the radius and the box, and follow x where it is free to."""
    n = model.slope.size - y.size
    low, high = np.maximum(-radius, -y), np.minimum(radius, 1.0 - y)
    H = concave(model.bends[n:, n:])
    s = _best_move(H, model.slope[n:], low, high)
    mixed = model.bends[:n, n:]
    value = model.value + float(model.slope[n:] @ s + 0.5 * s @ H @ s)
    free = (s > low + guards.at_bound) & (s < high - guards.at_bound)
    follow = mixed[:, free] @ np.linalg.pinv(-H[np.ix_(free, free)], hermitian=True) @ mixed[:, free].T
    return Worst(s, value, model.slope[:n] + mixed @ s, model.bends[:n, :n] + follow)


def concave(H: Array) -> Array:
    """Return the matrix closest to H without positive curvature."""
    scales, axes = np.linalg.eigh(H)
    bent: Array = (axes * np.minimum(scales, 0.0)) @ axes.T
    return bent


def _best_move(H: Array, g: Array, low: Array, high: Array) -> Array:
    """Maximize g s + s'Hs / 2 over low <= s <= high."""
    s = solve_inside(-H, -g, low, high)
    if s is None:
        scale = float(np.abs(g).max()) or 1.0
        s = solve_program(-H / scale, -g / scale, np.zeros((0, g.size)), np.zeros(0), low, high)[0]
    return np.clip(s, low, high)
