"""The density of a Gaussian process with a quadratic trend, and the linear algebra behind it.

    g(z) = b_0 + b_1' u + u' B u + sigma (h(z) + sqrt(nugget) noise),    u = 2 z - 1 for z in [0, 1]^d

h is a process of variance 1 with a Gaussian or a Matern-5/2 kernel and one scale per coordinate. The intercept is flat.
Linear and quadratic coefficients are normal with standard deviations tau_1 sigma and tau_2 sigma, so that there may be
fewer values than coefficients; large taus give universal kriging. sigma is profiled out. The hyperparameters are

    theta = log scales (d), log nugget, log tau_1, log tau_2

Scales of one group share a level; their deviations from it have Student's t, so that a coordinate may clearly differ.

See Rasmussen and Williams, Gaussian Processes for Machine Learning (2006), sections 2.7 (trend) and 5.4.1 (gradient).
"""

from math import exp, log, sqrt
from typing import NamedTuple, Self

import numpy as np
from scipy.linalg import lapack

from reckless.core.arrays import Array, Flags
from reckless.methods.surrogate.form import Form, Metric, embedded, features, others

SCALES, NUGGETS, TAUS = (0.03, 30.0), (1e-10, 1.0), (1e-3, 1e8)  # a scale of 30 switches a coordinate off
SCALE, LEVEL_SD = 0.5, 1.2  # median over sqrt(d), and sd of the log, of the level of a group's scales
WITHIN, FREEDOM = 0.4, 3.0  # scale and degrees of freedom of Student's t for the log scales of a group
NUGGET_SD, TAU, TAU_SD = 10.0, 10.0, 4.0  # all wide; the nugget is pulled to its smallest value
START_TAUS, START_NUGGETS = (TAU, 0.1), (1e-8, 1e-2)  # of the two starts: a trend of exact values, neither
SIGMA_FLOOR = 1e-10  # what stays if the trend explains all values, in units of their standard deviation
BLOCK = 8  # columns that LAPACK factors at a time; the fastest of 4, 8, 16, 32 for 29 columns
MOST_RAISES = 13  # of the nugget by tens: no kernel matrix needs more


class Data(NamedTuple):
    """What does not depend on theta."""

    E: Array
    F: Array
    g: Array
    others: Flags | None
    form: Form

    @classmethod
    def of(cls, Z: Array, g: Array, form: Form) -> Self:
        E = embedded(Z, Z.shape[1] - form.is_labeled)
        return cls(E, features(E, form), g, others(Z, Z, form), form)


class Factors(NamedTuple):
    """K = L L' is the kernel matrix with nugget, A = L^-1 [F, g], T the triangle of the QR factors of [ridge; A]."""

    L: Array  # (n, n)
    A: Array  # (n, p + 1)
    T: Array  # (p + 1, p + 1): of the normal equations, their right-hand side, and in the corner the residual
    nugget: float

    @property
    def sigma(self) -> float:
        return sqrt(self.T[-1, -1] ** 2 / max(len(self.L) - 1, 1) + SIGMA_FLOOR**2)


def starts(d: int) -> list[Array]:
    """Return two starts: the prior's center, and the same with a weak trend and noise.

    From the first alone, the search often ends in a lower mode: a quadratic through all values, or a rough process
    through noisy ones. The better of both was within 2 nats of the best of eight starts in 97 to 100 % of 96 models.
    """
    scales = np.full(d, log(SCALE * sqrt(d)))
    return [
        np.concatenate([scales, np.log([nugget, tau, tau])])
        for tau, nugget in zip(START_TAUS, START_NUGGETS, strict=True)
    ]


def limits(d: int) -> Array:
    """Return the bounds (d + 3, 2) of theta."""
    return np.log([SCALES] * d + [NUGGETS, TAUS, TAUS])


def log_density(theta: Array, Z: Array, g: Array, form: Form) -> tuple[float, Array]:
    """Return the log posterior density and its gradient.

    The constant left out is the same for all forms: each prior of theta is 1 at its peak, so that one more scale costs
    nothing by itself.
    """
    value, slope = loss(theta, Data.of(Z, g, form))
    return -value, -slope


def loss(theta: Array, data: Data) -> tuple[float, Array]:
    """Return minus the log density and its gradient."""
    factors, kernels = factored(theta, data, 1)
    prior, slope = log_prior(theta, data.form)
    evidence = log_evidence(theta, factors, data.form)
    return -evidence - prior, -_evidence_slope(theta, data, factors, kernels[1]) - slope


def log_evidence(theta: Array, factors: Factors, form: Form) -> float:
    """Return the log density of the values, with the coefficients integrated out and sigma profiled."""
    L, _, T, _ = factors
    ridge = _ridge(theta, len(theta) - 3 - form.is_labeled, form)
    logs = np.log(L.diagonal()).sum() + np.log(np.abs(T.diagonal()[:-1])).sum() - np.log(ridge[1:]).sum()
    return float(-logs - (len(L) - 1) * log(factors.sigma))


def _evidence_slope(theta: Array, data: Data, factors: Factors, R1: Array) -> Array:
    """Return tr(P dK) / 2 for each of theta that changes K, and the slopes for the taus."""
    coefficients, alpha = solution(factors)
    metric, U = Metric.of(theta, data.form), data.E[:, 1:]
    slope = np.zeros(len(theta))
    # P = alpha alpha' / sigma^2 - precision, in few arrays: memory for one takes as long as a pass over it.
    half, V = precision(factors)
    G = np.vstack([V, alpha / factors.sigma])
    P = G.T @ G
    P -= half
    P -= half.T
    slope[-3] = 0.5 * factors.nugget * (P.trace() + half.trace())
    M = np.multiply(P, R1, out=P)
    M.flat[:: len(M) + 1] = 0.0  # no distance, but large enough to leave rounding errors
    slope[: U.shape[1]] = -2.0 * metric.weights * (M.sum(axis=1) @ (U * U) - np.einsum("ij,ij->j", U, M @ U))
    if data.others is not None:
        slope[-4] = -metric.label_weight * M[data.others].sum()
    if data.form.trend != "flat":
        T, r = factors.T[:-1, :-1], U.shape[1]
        ridge = _ridge(theta, r, data.form)
        inverse = solved(T, np.eye(len(T)))
        each = ridge**2 * (np.einsum("ij,ij->i", inverse, inverse) + (coefficients / factors.sigma) ** 2) - 1.0
        slope[-2:] = each[1 : 1 + r].sum(), each[1 + r :].sum()
    return slope


def log_prior(theta: Array, form: Form) -> tuple[float, Array]:
    """Return the log of the prior, which is 0 at its peak, and its gradient."""
    d = len(theta) - 3
    sizes = np.array([size for size in form.groups or (d - form.is_labeled,) if size] + [1] * form.is_labeled)
    group = np.repeat(np.arange(len(sizes)), sizes)
    off = theta - np.concatenate([np.full(d, log(SCALE * sqrt(d))), np.log([NUGGETS[0], TAU, TAU])])
    levels = np.bincount(group, off[:d]) / sizes
    within = (off[:d] - levels[group]) / WITHIN
    tails = 1.0 + within**2 / FREEDOM
    spread = np.array([NUGGET_SD, TAU_SD, TAU_SD])
    rest = off[d:] / spread
    value = -0.5 * ((levels / LEVEL_SD) ** 2).sum() - 0.5 * (rest**2).sum()
    value -= 0.5 * (FREEDOM + 1.0) * np.log(tails).sum()
    pull = -(FREEDOM + 1.0) / FREEDOM * within / tails / WITHIN
    common = (-levels / LEVEL_SD**2 - np.bincount(group, pull)) / sizes
    return float(value), np.concatenate([pull + common[group], -rest / spread])


def solved(T: Array, B: Array, lower: int = 0, trans: int = 0, overwrite: int = 0) -> Array:
    """Solve a triangular system; SciPy's own function takes longer to call than small systems to solve."""
    X: Array = lapack.dtrtrs(T, B, lower=lower, trans=trans, overwrite_b=overwrite)[0]
    return X


def absorbed(T: Array, rows: Array) -> Array:
    """Return the triangle of the QR factorization of [T; rows]."""
    triangle: Array = lapack.dtpqrt(0, min(len(T), BLOCK), T, rows)[0]
    return triangle


def _ridge(theta: Array, r: int, form: Form) -> Array:
    """Return 1 / tau (p,) of every coefficient; 0 for the intercept, which is flat."""
    if form.trend == "flat":
        return np.zeros(1)
    return np.concatenate([[0.0], np.exp(-np.repeat(theta[-2:], [r, r * (r + 1) // 2]))])


def factored(theta: Array, data: Data, order: int) -> tuple[Factors, list[Array]]:
    """Return the factors and the kernel matrix with derivatives; where rounding asks for it, raise the nugget."""
    metric = Metric.of(theta, data.form)
    kernels = metric.kernels(data.E, metric.dual(data.E), data.others, order)
    nugget = exp(theta[-3])
    for _ in range(MOST_RAISES):
        K = kernels[0].copy()
        K.flat[:: len(K) + 1] = 1.0 + nugget
        L, failed = lapack.dpotrf(K.T, lower=1, overwrite_a=1)  # transposed: LAPACK's order of memory
        if not failed and L[-1, -1] > 0.0:  # not NaN, which LAPACK may overlook
            break
        nugget *= 10.0
    else:
        raise np.linalg.LinAlgError("the kernel matrix is not positive definite: is there a NaN in the points?")
    A = solved(L, np.column_stack([data.F, data.g]), lower=1)
    ridge = np.diag(np.append(_ridge(theta, data.E.shape[1] - 1, data.form), 0.0))
    return Factors(L, A, absorbed(ridge, A), nugget), kernels


def solution(factors: Factors) -> tuple[Array, Array]:
    """Return the trend's coefficients (p,) and the kernels' (n,)."""
    L, A, T, _ = factors
    coefficients = solved(T[:-1, :-1], T[:-1, -1])
    return coefficients, solved(L, A[:, -1] - A[:, :-1] @ coefficients, lower=1, trans=1)


def precision(factors: Factors) -> tuple[Array, Array]:
    """Return K^-1 (n, n), its lower triangle, and V (p, n): K^-1 - V'V is sigma^2 times the precision of the values."""
    L, A, T, _ = factors
    V = solved(T[:-1, :-1], solved(L, A[:, :-1], lower=1, trans=1).T, trans=1)
    half: Array = lapack.dpotri(L, lower=1)[0]
    return half, V
