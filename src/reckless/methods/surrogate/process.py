"""A Gaussian process for few, exact, expensive values: fit it, predict with it, extend it.

The model is in `form` and `density`; the three files need only NumPy and SciPy. Points are rows in the unit cube.
Values are expected with mean 0 and standard deviation 1.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import minimize

from reckless.core.arrays import Array
from reckless.methods.surrogate.density import (
    Data,
    Factors,
    absorbed,
    factored,
    limits,
    log_density,
    log_evidence,
    log_prior,
    loss,
    precision,
    solution,
    solved,
    starts,
)
from reckless.methods.surrogate.form import Form, Jet, Metric, embedded, features, others, quadratic_form, trend_slopes
from reckless.methods.surrogate.section import Section, Strip, cross_section

__all__ = ["Form", "Jet", "Process", "fit", "log_density", "starts"]

VARIANCE_FLOOR = 1e-16  # relative to sigma^2: below this, rounding decides


def fit(Z: Array, g: Array, form: Form, theta: Array | None = None, n_steps: int = 40) -> "Process":
    """Maximize the density from theta, or from the prior's center; with n_steps = 0, keep theta."""
    d = Z.shape[1]
    bounds = limits(d)
    theta = np.clip(starts(d)[0] if theta is None else theta, *bounds.T)
    data = Data.of(Z, g, form)
    if n_steps > 0:
        options = {"maxiter": n_steps, "maxfun": 2 * n_steps}
        theta = minimize(loss, theta, (data,), "L-BFGS-B", jac=True, bounds=bounds, options=options).x
    return Process(Z, g, form, theta, factored(theta, data, 0)[0])


@dataclass(eq=False)
class Process:
    """A process given values g at rows Z. `nugget` is what the algebra needed, `sigma` the profiled deviation."""

    Z: Array
    g: Array
    form: Form
    theta: Array
    factors: Factors
    density: float = field(init=False)
    nugget: float = field(init=False)
    sigma: float = field(init=False)

    def __post_init__(self) -> None:
        self._strip: Strip | None = None
        self.nugget, self.sigma = self.factors.nugget, self.factors.sigma
        self.density = log_evidence(self.theta, self.factors, self.form) + log_prior(self.theta, self.form)[0]
        self._r = self.Z.shape[1] - self.form.is_labeled
        self._E = embedded(self.Z, self._r)
        self._metric = Metric.of(self.theta, self.form)
        self._E_dual = self._metric.dual(self._E)
        coefficients, self._alpha = solution(self.factors)
        self._B = quadratic_form(coefficients, self._r)

    @cached_property
    def _squares(self) -> Array:
        return (self._E[:, :, None] * self._E[:, None, :]).reshape(len(self.Z), -1)  # (n, (r + 1)^2)

    def mean(self, Q: Array) -> Array:
        """Return the posterior mean (m,) at rows Q (m, d)."""
        E = embedded(Q, self._r)
        level: Array = self._kernels(Q, E, 0)[0] @ self._alpha
        level += np.einsum("ij,ij->i", E @ self._B, E)
        return level

    def across(self, X: Array, Y: Array) -> Array:
        """Return the mean (rows of X, rows of Y) of every pair, for a process without labels.

        What depends on Y alone is kept until another Y comes: the same candidates meet many x.
        """
        if self._strip is None or self._strip.Y is not Y:
            self._strip = Strip.of(self._E, self._metric, Y)
        return self._strip.means(self._E, self._alpha, self._metric, self._B, X)

    def section(self, first: Array) -> Section:
        """Return the mean where the first coordinates are given, for a process without labels."""
        return cross_section(self._E, self._alpha, self._metric, self._B, first)

    def jet(self, Q: Array) -> Jet:
        """Return the mean with its first and second derivatives at rows Q (m, d)."""
        E, w = embedded(Q, self._r), self._metric.weights
        k, k1, k2 = self._kernels(Q, E, 2)
        EB = E @ self._B
        level = k @ self._alpha + np.einsum("ij,ij->i", EB, E)
        k1 *= self._alpha
        k2 *= self._alpha
        slope, sums = self._kernel_slopes(E, k1)
        slope += 4.0 * EB[:, 1:]
        # The sums of k'' (u_q - u_z) (u_q - u_z)', multiplied out.
        U, N = E[:, 1:], (k2 @ self._squares).reshape(len(Q), self._r + 1, self._r + 1)
        half = U[:, :, None] * (0.5 * N[:, :1, :1] * U[:, None, :] - N[:, :1, 1:])
        bend = N[:, 1:, 1:] + half + half.transpose(0, 2, 1)
        bend *= 16.0 * w[:, None] * w
        bend += 8.0 * (self._B[1:, 1:] + sums[:, None, None] * np.diag(w))
        return Jet(level, slope, bend)

    def sd(self, Q: Array) -> Array:
        """Return the standard deviation (m,) of the function, without nugget, at rows Q (m, d)."""
        return self.mean_and_sd(Q)[1]

    def mean_and_sd(self, Q: Array) -> tuple[Array, Array]:
        """Return the posterior mean (m,) and the standard deviation (m,), for little more than the latter alone."""
        E = embedded(Q, self._r)
        k = self._kernels(Q, E, 0)[0]
        level: Array = k @ self._alpha
        level += np.einsum("ij,ij->i", E @ self._B, E)
        return level, self.sigma * np.sqrt(_variance(*self._whitened(E, k)))

    def bound(self, Q: Array, c: float) -> tuple[Array, Array]:
        """Return mean + c sd (m,) and its slope (m, r) at rows Q (m, d); an sd that is rounding has slope 0."""
        E = embedded(Q, self._r)
        k, k1 = self._kernels(Q, E, 1)
        level = k @ self._alpha
        W, H = self._whitened(E, k)
        variance = _variance(W, H)
        reach = c * self.sigma * np.sqrt(variance)
        # d variance / 2 = t' df - inner' dk, with t = T^-1 H and inner = L^-T (W + A t): like the slope of a mean.
        t = solved(self.factors.T[:-1, :-1], H)
        W += self.factors.A[:, :-1] @ t
        inner = solved(self.factors.L, W, lower=1, trans=1, overwrite=1).T  # (m, n)
        share = np.where(variance > VARIANCE_FLOOR, reach / variance, 0.0)[:, None]
        inner *= -share
        inner += self._alpha
        k1 *= inner
        EB = E @ self._B
        slope = self._kernel_slopes(E, k1)[0] + 4.0 * EB[:, 1:] + share * trend_slopes(E, t)
        return level + np.einsum("ij,ij->i", EB, E) + reach, slope

    def covariance(self, Q: Array) -> Array:
        """Return the posterior covariance (m, m) of the function at rows Q (m, d)."""
        E = embedded(Q, self._r)
        W, H = self._whitened(E, self._kernels(Q, E, 0)[0])
        prior = self._metric.kernels(E, self._metric.dual(E), others(Q, Q, self.form), 0)[0]
        covariance: Array = self.sigma**2 * (prior - W.T @ W + H.T @ H)
        return covariance

    def extended(self, Z: Array, g: Array) -> "Process":
        """Return the process given further rows, with the same theta: O(n^2) each, by appending to the factors."""
        if len(Z) == 0:
            return self
        E, (L, A, T, nugget) = embedded(Z, self._r), self.factors
        all_Z, all_g = np.vstack([self.Z, Z]), np.concatenate([self.g, g])
        W = solved(L, self._kernels(Z, E, 0)[0].T, lower=1)  # (n, m)
        K = self._metric.kernels(E, self._metric.dual(E), others(Z, Z, self.form), 0)[0] - W.T @ W
        K.flat[:: len(Z) + 1] += nugget
        corner, failed = lapack.dpotrf(K, lower=1)
        if failed:  # by rounding: the factors need a larger nugget as a whole
            return fit(all_Z, all_g, self.form, self.theta, n_steps=0)
        rows = solved(corner, np.column_stack([features(E, self.form), g]) - W.T @ A, lower=1)
        tall = np.zeros((len(all_g), len(all_g)), order="F")
        tall[: len(L), : len(L)], tall[len(L) :, : len(L)], tall[len(L) :, len(L) :] = L, W.T, corner
        factors = Factors(tall, np.asfortranarray(np.vstack([A, rows])), absorbed(T, rows), nugget)
        return Process(all_Z, all_g, self.form, self.theta, factors)

    def loo(self) -> tuple[Array, Array]:
        """Return mean (n,) and deviation (n,) of each value given the others, noise included; theta and sigma stay."""
        half, V = precision(self.factors)
        each = half.diagonal() - np.einsum("ij,ij->j", V, V)
        each = np.maximum(each, np.finfo(float).eps * half.diagonal())  # below this, rounding decides
        return self.g - self._alpha / each, self.sigma / np.sqrt(each)

    def _kernels(self, Q: Array, E: Array, order: int) -> list[Array]:
        """Return the kernel (m, n) between rows Q and the data, and its derivatives in the squared distance."""
        return self._metric.kernels(E, self._E_dual, others(Q, self.Z, self.form), order)

    def _kernel_slopes(self, E: Array, k1: Array) -> tuple[Array, Array]:
        """Return the slopes (m, r) of weighted sums of kernels, given the weighted k' (m, n), and the sums of these."""
        sums = k1 @ self._E
        return 4.0 * self._metric.weights * (E[:, 1:] * sums[:, :1] - sums[:, 1:]), sums[:, 0]

    def _whitened(self, E: Array, k: Array) -> tuple[Array, Array]:
        """Return W (n, m) and H (p, m): what the values explain, and what the trend's coefficients leave open.

        Overwrite k: memory for another (m, n) takes longer than the arithmetic.
        """
        W = solved(self.factors.L, k.T, lower=1, overwrite=1)
        H = features(E, self.form).T - self.factors.A[:, :-1].T @ W
        return W, solved(self.factors.T[:-1, :-1], H, trans=1)


def _variance(W: Array, H: Array) -> Array:
    """Return the variance (m,), relative to sigma^2."""
    variance: Array = 1.0 - np.einsum("ij,ij->j", W, W) + np.einsum("ij,ij->j", H, H)
    return np.maximum(variance, VARIANCE_FLOOR, out=variance)
