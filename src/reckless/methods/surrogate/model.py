"""A model of f over the pair (x, y): a process seen through a view of the pairs and a warp of the values."""

from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.surrogate.archive import LARGEST
from reckless.methods.surrogate.form import Form, Jet
from reckless.methods.surrogate.process import Process, fit, starts
from reckless.methods.surrogate.section import Section
from reckless.methods.surrogate.views import View
from reckless.methods.surrogate.warps import WARP_COST, Warp, standardized, warps

KERNELS = ("gauss", "matern")
N_TRIAL_STEPS = 15  # of a fit that is compared with others
N_STEPS = 40  # of the fit that is chosen
N_MORE_STEPS = 12  # of a fit that goes on from the last one


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted model. What it predicts are *levels*: warped values, standardized. `value` turns them back."""

    process: Process
    view: View
    warp: Warp
    shift: float
    unit: float
    density: float  # log density of the values as they are

    @property
    def nugget(self) -> float:
        return self.process.nugget

    @property
    def noise(self) -> float:
        """Standard deviation of one value around the function, in levels."""
        return float(self.process.sigma * self.process.nugget**0.5)

    @property
    def n(self) -> int:
        return len(self.process.Z)

    def level(self, v: Any) -> Any:
        with np.errstate(over="ignore"):  # by a value that is far from those the model knows
            return np.clip((self.warp(v) - self.shift) / self.unit, -LARGEST, LARGEST)

    def value(self, level: Any) -> Any:
        return self.warp.inverse(self.shift + self.unit * np.asarray(level))

    def mean(self, Q: Array) -> Array:
        return self.process.mean(self.view(Q))

    def sd(self, Q: Array) -> Array:
        return self.process.sd(self.view(Q))

    def covariance(self, Q: Array) -> Array:
        return self.process.covariance(self.view(Q))

    def jet(self, Q: Array) -> Jet:
        return self.view.pull(Q, self.process.jet(self.view(Q)))

    def bound(self, Q: Array, c: float) -> tuple[Array, Array]:
        """Return mean + c sd (m,) and its slope along the real coordinates of the pairs (m, r)."""
        level, slope = self.process.bound(self.view(Q), c)
        flat = np.zeros((len(slope), slope.shape[1], slope.shape[1]))
        return level, self.view.pull(Q, Jet(level, slope, flat)).slope

    def section(self, x: Array) -> Section | None:
        """Return the mean at one x as a function of y, if the process sees the pair as it is."""
        return self.process.section(x) if self.view.is_identity else None

    def across(self, X: Array, Y: Array) -> Array:
        """Return the mean (rows of X, rows of Y) of every pair."""
        if self.view.is_identity:
            return self.process.across(X, Y)
        Q = np.hstack([np.repeat(X, len(Y), axis=0), np.tile(Y, (len(X), 1))])
        return self.mean(Q).reshape(len(X), len(Y))

    def mean_and_sd(self, Q: Array) -> tuple[Array, Array]:
        return self.process.mean_and_sd(self.view(Q))

    def extended(self, Q: Array, v: Array) -> "Model":
        """Return the model with more values, and the same parameters."""
        return replace(self, process=self.process.extended(self.view(Q), self.level(v)))

    def loo_score(self) -> float:
        """Return the log density of each value given all others, summed, as values and not as levels."""
        mean, sd = self.process.loo()
        g = self.process.g
        z = (g - mean) / sd
        slopes = self.warp.log_slope(self.value(g)) - len(g) * np.log(self.unit)
        return float(-0.5 * (z @ z) - np.log(sd).sum() + slopes)


def fit_model(Q: Array, v: Array, view: View, warp: Warp, kernel: str, theta: Array | None, n_steps: int) -> Model:
    """Fit a process to values seen through a view and a warp; theta: where to start."""
    g, shift, unit = standardized(warp(v))
    form = Form(kernel=kernel, groups=view.groups, is_labeled=view.is_labeled)
    inputs = view(Q)
    theta = None if theta is None or len(theta) != inputs.shape[1] + 3 else theta
    process = fit(inputs, g, form, theta, n_steps)
    # n - 1 differences have a density: the intercept is flat. With n slopes, the unit of f would decide about a warp.
    density = process.density - (len(v) - 1) * (np.log(unit) - warp.log_slope(v) / len(v))
    return Model(process, view, warp, shift, unit, density)


def choose_model(Q: Array, v: Array, level: float, views: tuple[View, ...], last: Model | None) -> Model:
    """Fit all views, then all warps and kernels, and return the one with the highest density, fitted to its end.

    level: the value that matters, around which a warp stretches. Each is fitted from the last parameters and from two
    starts of its own, since few values leave several modes.
    """

    def tried(view: View, warp: Warp, kernel: str) -> list[Model]:
        first = [] if last is None else [last.process.theta]
        begins = [*first, *starts(view(Q[:1]).shape[1])[len(first) :]]
        return [fit_model(Q, v, view, warp, kernel, theta, N_TRIAL_STEPS) for theta in begins]

    def merit(model: Model) -> float:
        return model.density - (0.0 if model.warp.kind == "identity" else WARP_COST)

    shapes = warps(v, level)
    view = views[0]
    if len(views) > 1:
        kernel = KERNELS[0] if last is None else last.process.form.kernel
        view = max((m for view in views for m in tried(view, shapes[0], kernel)), key=merit).view
    best = max((m for warp, kernel in product(shapes, KERNELS) for m in tried(view, warp, kernel)), key=merit)
    return refit(best, Q, v, N_STEPS)


def refit(model: Model, Q: Array, v: Array, n_steps: int = N_MORE_STEPS) -> Model:
    """Fit the parameters of a model anew, from where they are."""
    return fit_model(Q, v, model.view, model.warp, model.process.form.kernel, model.process.theta, n_steps)
