"""Quadratic models of f fitted to noisy values around a scenario, and the step that is best against all of them."""

from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from reckless.core.arrays import Array, Indices
from reckless.methods.noisy.quadratic import features, n_coefficients

FIRST_RADIUS = 0.15
SMALLEST_RADIUS = 2e-3
RESOLUTION = 1e-6  # of a step, as a part of its radius: far below what a fit under noise can tell
WINDOW = 1.2  # samples up to this many radii away take part in a fit


class Fit(NamedTuple):
    """f(x + d, y + e) = value + slope (d, e) + (d, e)' hessian (d, e) / 2, with the standard error of the value."""

    value: float
    slope: Array
    hessian: Array
    error: float


@dataclass(slots=True, eq=False)
class Scenario:
    """A maximizer y under noise: coordinates inside the box are free to move, those at a bound stay there."""

    y: Array
    radius: float = FIRST_RADIUS
    is_active: bool = True
    is_lacking: bool = False  # whether the last fit still had more error than the noise explains
    fit: Fit | None = None
    X: list[Array] = field(default_factory=list)
    Y: list[Array] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)

    @property
    def free(self) -> Indices:
        return np.flatnonzero((self.y > 1e-9) & (self.y < 1.0 - 1e-9))

    @property
    def n_samples(self) -> int:
        return sum(len(v) for v in self.values)

    def sample(self, rng: np.random.Generator, x: Array, n: int) -> tuple[Array, Array]:
        """Draw random pairs around (x, y)."""
        X = np.clip(x + self.radius * rng.uniform(-1.0, 1.0, (n, x.size)), 0.0, 1.0)
        Y = np.repeat(self.y[None], n, axis=0)
        free = self.free
        Y[:, free] = np.clip(Y[:, free] + self.radius * rng.uniform(-1.0, 1.0, (n, free.size)), 0.0, 1.0)
        return X, Y

    def learn(self, X: Array, Y: Array, values: Array) -> None:
        self.X.append(X)
        self.Y.append(Y)
        self.values.append(values)


def fit_scenario(scenario: Scenario, x: Array, sd: float, most_samples: int) -> int:
    """Fit by least squares; where noise does not explain the residuals, shrink the radius and fit again.

    Return how many samples are missing, 0 if the fit was made.
    """
    X, Y, V = (np.concatenate(part) for part in (scenario.X, scenario.Y, scenario.values))
    scenario.X, scenario.Y, scenario.values = [X], [Y], [V]
    free = scenario.free
    is_fixed = np.ones(Y.shape[1], dtype=bool)
    is_fixed[free] = False
    n = x.size + free.size
    is_full = 2 * n_coefficients(n, True) <= most_samples
    p = n_coefficients(n, is_full)
    distance = np.hstack([X - x, Y - scenario.y])
    same_side = np.abs(distance[:, x.size :][:, is_fixed]).max(axis=1, initial=0.0) <= 1e-9
    D = np.hstack([distance[:, : x.size], distance[:, x.size :][:, free]])
    size = np.abs(D).max(axis=1)
    for _ in range(12):
        taken = same_side & (size <= WINDOW * scenario.radius)
        if taken.sum() < 2 * p:
            return int(2.5 * p - taken.sum())
        A, dof = features(D[taken] / scenario.radius, is_full), int(taken.sum()) - p
        # Sums over samples by einsum: BLAS adds in another order with every number of threads.
        inverse = np.linalg.pinv(np.einsum("ki,kj->ij", A, A))
        coefficients = inverse @ np.einsum("ki,k->i", A, V[taken])
        residuals = V[taken] - np.einsum("ki,i->k", A, coefficients)
        variance = float(np.einsum("k,k->", residuals, residuals)) / max(dof, 1)
        scenario.is_lacking = variance > sd**2 * (1.4 + 3.0 * sqrt(2.0 / max(dof, 1)))
        if not scenario.is_lacking or scenario.radius <= SMALLEST_RADIUS:
            break
        scenario.radius *= 0.7
    error = sqrt(variance * inverse[0, 0])
    scenario.fit = _as_fit(coefficients, n, scenario.radius, is_full, error)
    return 0


def _as_fit(coefficients: Array, n: int, radius: float, is_full: bool, error: float) -> Fit:
    hessian = np.diag(coefficients[1 + n : 1 + 2 * n])
    if is_full:
        i, j = np.triu_indices(n, 1)
        hessian[i, j] = hessian[j, i] = coefficients[1 + 2 * n :]
    return Fit(float(coefficients[0]), coefficients[1 : 1 + n] / radius, hessian / radius**2, error)


class Reply(NamedTuple):
    """What a scenario answers to a step d: its value, the slope in d, and how its free y moves."""

    value: float
    slope: Array
    e: Array


def reply(scenario: Scenario, d: Array) -> Reply:
    """Maximize the fitted quadratic over the free y within its radius, x moved by d."""
    fit, free, n = scenario.fit, scenario.free, d.size
    assert fit is not None
    value = fit.value + fit.slope[:n] @ d + 0.5 * d @ fit.hessian[:n, :n] @ d
    slope = fit.slope[:n] + fit.hessian[:n, :n] @ d
    if not free.size:
        return Reply(float(value), slope, np.zeros(0))
    pull, H = fit.slope[n:] + fit.hessian[n:, :n] @ d, fit.hessian[n:, n:]
    low = np.maximum(-scenario.radius, -scenario.y[free])
    high = np.minimum(scenario.radius, 1.0 - scenario.y[free])
    e = _box_peak(pull, H, low, high)
    return Reply(float(value + pull @ e + 0.5 * e @ H @ e), slope + fit.hessian[:n, n:] @ e, e)


def _box_peak(pull: Array, H: Array, low: Array, high: Array) -> Array:
    """Maximize pull e + e'He/2 on a box: Newton's point if it lies inside, else coordinate by coordinate."""
    try:
        np.linalg.cholesky(-H)
        e = np.asarray(np.linalg.solve(-H, pull), dtype=np.float64)
        if ((e >= low) & (e <= high)).all():
            return e
    except np.linalg.LinAlgError:
        pass
    e = np.zeros(pull.size)
    for _ in range(30):
        before = e.copy()
        for i in range(e.size):
            rest = pull[i] + H[i] @ e - H[i, i] * e[i]
            if H[i, i] < 0.0:
                e[i] = min(max(-rest / H[i, i], low[i]), high[i])
            else:
                ends = [rest * t + 0.5 * H[i, i] * t * t for t in (low[i], high[i])]
                e[i] = high[i] if ends[1] > ends[0] else low[i]
        if np.abs(e - before).max() < 1e-10:
            break
    return e


class MinimaxStep(NamedTuple):
    """A step with the models' worst case before and after it."""

    d: Array
    before: float
    after: float


def _rounded(z: Array, low: Array, high: Array) -> Array:
    """Round a step within bounds, so that it does not show how SLSQP rounds: that depends on the threads of BLAS."""
    z = np.where(np.abs(z - low) < RESOLUTION, low, np.where(np.abs(z - high) < RESOLUTION, high, z))
    is_inside = (z > low) & (z < high)
    return np.clip(np.where(is_inside, np.round(z / RESOLUTION) * RESOLUTION, z), low, high)


def minimax_step(scenarios: list[Scenario], x: Array, radius: float) -> MinimaxStep:
    """Minimize the highest model over |d| <= radius, and note which models hold the step."""
    n = x.size
    low, high = np.maximum(-1.0, -x / radius), np.minimum(1.0, (1.0 - x) / radius)
    before = max(reply(s, np.zeros(n)).value for s in scenarios)
    scale = max(max(float(np.abs(s.fit.slope[:n]).max()) for s in scenarios if s.fit) * radius, 1e-12)

    def slack(z: Array) -> Array:
        return np.array([z[n] - (reply(s, z[:n] * radius).value - before) / scale for s in scenarios])

    def slack_slopes(z: Array) -> Array:
        return np.array([np.append(-reply(s, z[:n] * radius).slope * radius / scale, 1.0) for s in scenarios])

    top = np.append(np.zeros(n), 1.0)
    solution = minimize(
        lambda z: z[n],
        np.zeros(n + 1),
        jac=lambda z: top,
        bounds=[*zip(low, high, strict=True), (None, None)],
        constraints=[{"type": "ineq", "fun": slack, "jac": slack_slopes}],
        method="SLSQP",
        options={"maxiter": 100, "ftol": 1e-10},
    )
    d = _rounded(solution.x[:n], low, high) * radius
    after = max(reply(s, d).value for s in scenarios) if np.isfinite(d).all() else np.inf
    if not after <= before:
        d, after = np.zeros(n), before
    for s in scenarios:
        assert s.fit is not None
        s.is_active = reply(s, d).value >= after - max(3.0 * s.fit.error, 1e-3 * (before - after))
    return MinimaxStep(d, before, after)
