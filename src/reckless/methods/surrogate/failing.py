"""Learn where f fails: a Gaussian process classifier by Laplace's approximation.

The latent g ~ GP(m, a^2 k) has a Gaussian kernel with one scale per coordinate, and f fails at z with the probability
1 / (1 + exp(-g(z))). Scales and a maximize Laplace's evidence times wide priors. Equations and algorithms are those of
Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from scipy.special import expit

from reckless.core.arrays import Array, Flags
from reckless.methods.surrogate.form import Jet

SCALES = (0.03, 30.0)  # bounds, for inputs in the unit cube
AMPLITUDES = (1.0, 300.0)
PRIOR_SCALE, PRIOR_SCALE_SD = 0.5, 1.2  # log scale ~ N(log(0.5 sqrt(d)), 1.2^2): the diagonal of a cube is sqrt(d) long
PRIOR_AMPLITUDE, PRIOR_AMPLITUDE_SD = 5.0, 1.5
PRIOR_MEANS = (-2.0, -0.5)  # the unknown is taken to work, however many points failed

MOST_NEWTON_STEPS = 50
SMALLEST_SHARE = 1e-4  # of a Newton step
CLOSE = 1e-4  # a step of the latent after which the rest, about its square, does not matter


@dataclass(frozen=True, slots=True, eq=False)
class Failing:
    """Where f fails. theta: log scales (d,) and the log amplitude, from which a later fit may start.

    Z: the inputs (n, d). weights (n,): how much each of them pulls the latent up. m: the latent's mean far from them.
    is_labeled: the last column of the inputs is the number of a case.
    """

    theta: Array
    Z: Array
    weights: Array
    m: float
    is_labeled: bool

    def mean(self, Q: Array) -> Array:
        """Return the latent mean (m,) at the points Q (m, d); above 0, failing is more likely than not."""
        return np.asarray(self.m + self._pulls(Q).sum(axis=1), dtype=np.float64)

    def jet(self, Q: Array) -> Jet:
        """Return the latent mean at the points Q (m, d) with its first and second derivatives."""
        r = Q.shape[1] - self.is_labeled
        pulls, precision = self._pulls(Q), np.exp(-2.0 * self.theta[:r])
        away = (self.Z[None, :, :r] - Q[:, None, :r]) * precision  # (m, n, r)
        pulled = away * pulls[:, :, None]
        total = pulls.sum(axis=1)
        bend = pulled.transpose(0, 2, 1) @ away - total[:, None, None] * np.diag(precision)
        return Jet(self.m + total, pulled.sum(axis=1), bend)

    def _pulls(self, Q: Array) -> Array:
        """Return what each input adds to the latent mean at each point: (m, n)."""
        return kernel(Q, self.Z, self.theta, self.is_labeled) * self.weights


def fit_failing(
    Z: Array, is_failed: Flags, theta: Array | None = None, n_steps: int = 15, is_labeled: bool = False
) -> Failing:
    """Learn from the inputs Z (n, d), n > 0, where f failed and where it worked.

    theta: log scales and log amplitude to start from. n_steps: of L-BFGS-B; with 0, theta is not modified.
    is_labeled: the last column of Z is the number of a case; the squared distance of two cases is 1 / scale^2.
    """
    n, d = Z.shape
    target = is_failed.astype(np.float64)
    n_failed = target.sum()
    m = float(np.clip(np.log((n_failed + 1.0) / (n - n_failed + 1.0)), *PRIOR_MEANS))
    theta = prior(d)[0] if theta is None else np.asarray(theta, dtype=np.float64)
    if n_steps:
        loss = negative_density(Z, target, m, is_labeled)
        bounds = np.log([SCALES] * d + [AMPLITUDES])
        options = {"maxiter": n_steps, "maxfun": 2 * n_steps}
        theta = minimize(loss, theta, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    mode = find_mode(kernel(Z, Z, theta, is_labeled), target, m)
    return Failing(theta, Z, mode.weights, m, is_labeled)


def prior(d: int) -> tuple[Array, Array]:
    """Return the means and standard deviations (d + 1,) of the normal prior of theta."""
    means = np.log(np.append(np.full(d, PRIOR_SCALE * d**0.5), PRIOR_AMPLITUDE))
    return means, np.append(np.full(d, PRIOR_SCALE_SD), PRIOR_AMPLITUDE_SD)


def kernel(P: Array, Q: Array, theta: Array, is_labeled: bool) -> Array:
    """Return a^2 exp(-s / 2), where s is the squared distance in units of the scales: (rows of P, rows of Q)."""
    r = P.shape[1] - is_labeled
    frequencies = np.exp(-theta[:r])
    s = cdist(P[:, :r] * frequencies, Q[:, :r] * frequencies, "sqeuclidean")
    if is_labeled:
        s += np.exp(-2.0 * theta[r]) * (P[:, r, None] != Q[:, r])
    return np.asarray(np.exp(2.0 * theta[-1] - 0.5 * s), dtype=np.float64)


class Mode(NamedTuple):
    """The most likely latent at the inputs: m + pulled, where pulled = K weights."""

    weights: Array
    pulled: Array
    probabilities: Array
    factor: Array  # Cholesky's, of I + W^(1/2) K W^(1/2), in the lower triangle
    log_density: float  # of prior times likelihood


def find_mode(K: Array, target: Array, m: float, start: Array | None = None) -> Mode:
    """Find the mode of the latent by Newton's method (algorithm 3.1), halving steps that lead down.

    start: a latent (n,) to begin from, less m. The first step leads to its own K weights, so it is never halved.
    """
    weights = np.zeros(len(target))
    pulled, density, is_close = weights if start is None else start, -np.inf, False
    for _ in range(MOST_NEWTON_STEPS):
        p = expit(pulled + m)
        root = np.sqrt(p * (1.0 - p))
        factor = _factor(K, root)
        if is_close:
            break
        b = root * root * pulled + target - p
        step = b - root * lapack.dpotrs(factor, root * (K @ b), lower=1)[0] - weights
        before, share = density, 1.0
        while True:
            trial = K @ (weights + share * step)
            density = _log_density(weights + share * step, trial, target, m)
            if density >= before or share < SMALLEST_SHARE:
                break
            share *= 0.5
        is_close = float(np.abs(trial - pulled).max()) < CLOSE
        weights, pulled = weights + share * step, trial
    return Mode(weights, pulled, p, factor, density)


def _log_density(weights: Array, pulled: Array, target: Array, m: float) -> float:
    """Return the log of prior times likelihood, up to a constant, at the latent m + pulled, pulled = K weights."""
    latent = pulled + m
    return float(target @ latent - np.logaddexp(0.0, latent).sum() - 0.5 * (weights @ pulled))


def _factor(K: Array, root: Array) -> Array:
    B = K * root[:, None] * root
    B.flat[:: len(B) + 1] += 1.0
    # The transpose of the symmetric B is what Fortran reads without a copy.
    return np.asarray(lapack.dpotrf(B.T, lower=1, clean=0, overwrite_a=1)[0], dtype=np.float64)


def negative_density(Z: Array, target: Array, m: float, is_labeled: bool) -> Callable[[Array], tuple[float, Array]]:
    """Return the function of theta to minimize: minus the log of evidence times prior, with its gradient."""
    d = Z.shape[1]
    r = d - is_labeled
    squares = Z[:, :r] ** 2
    is_other = Z[:, -1, None] != Z[:, -1] if is_labeled else None
    center, width = prior(d)
    start: Array | None = None

    def evaluate(theta: Array) -> tuple[float, Array]:
        nonlocal start
        K = kernel(Z, Z, theta, is_labeled)
        mode = find_mode(K, target, m, start)
        start = mode.pulled
        value, by_kernel = evidence(K, target, mode)
        # K depends on a log scale by K s / scale^2, s: the squared distance along that coordinate.
        by_log = by_kernel * K
        slope = np.empty(d + 1)
        sums = by_log.sum(axis=0) + by_log.sum(axis=1)
        slope[:r] = sums @ squares - 2.0 * np.einsum("ij,ij->j", Z[:, :r], by_log @ Z[:, :r])
        if is_other is not None:
            slope[r] = by_log[is_other].sum()
        slope[:d] *= np.exp(-2.0 * theta[:d])
        slope[d] = sums.sum()
        deviation = (theta - center) / width
        return 0.5 * float(deviation @ deviation) - value, deviation / width - slope

    return evaluate


def evidence(K: Array, target: Array, mode: Mode) -> tuple[float, Array]:
    """Return the log of Laplace's evidence, and its derivative by the entries of K (algorithm 5.1)."""
    p = mode.probabilities
    value = mode.log_density - float(np.log(np.diag(mode.factor)).sum())
    inverse = np.tril(lapack.dpotri(mode.factor, lower=1)[0])
    inverse += np.tril(inverse, -1).T
    # The mode moves with K, and the determinant with the mode: equation 5.23 with its sign put right. The latent's
    # variance times the likelihood's curvature is 1 - diag(inverse).
    by_mode = (np.diag(inverse) - 1.0) * (0.5 - p)
    root = np.sqrt(p * (1.0 - p))
    moved = by_mode - root * (inverse @ (root * (K @ by_mode)))
    by_kernel = np.outer(0.5 * mode.weights, mode.weights) + np.outer(moved, target - p)
    return value, by_kernel - (0.5 * root[:, None]) * inverse * root
