"""Prepare values for a Gaussian process: warp them, tame penalties, standardize.

Warps increase. One is chosen by the density of the values v = warp.inverse(shift + unit g), where the process sees g:

    process.density - (n - 1) (log(unit) - warp.log_slope(v) / n), less WARP_COST unless the warp is the identity

Differences are taken of halves, which is exact, so that values near the largest float do not overflow.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from reckless.core.arrays import Array

WARP_COST = 6.0  # nats by which a warp must be better than none: few values choose wrongly
WIDE = 20.0  # a range of this many spreads also asks for a narrow warp
NARROW = 0.1  # width of that warp, in spreads
DECADE = 10.0  # ratio of positive values from which the logarithm is worth trying
SMALLEST_SPREAD = 1e-200  # relative to the largest value: a quotient by it is finite
N_SHARING = 3  # values that share a top before it looks like a penalty, and values that must stay without it
FAR = 0.5  # gap below a penalty, in ranges of the other values
LIFT = 0.05  # gap that is left, in the same ranges
_LARGEST, _SMALLEST = np.finfo(float).max, np.finfo(float).tiny


@dataclass(frozen=True, slots=True)
class Warp:
    """Map values: identity: v; log: log(u); asinh: asinh(u), a logarithm to both sides; u = (v - center) / width."""

    kind: Literal["identity", "asinh", "log"] = "identity"
    center: float = 0.0
    width: float = 1.0

    def __call__(self, v: Array) -> Array:
        if self.kind == "identity":
            return v
        u = self._relative(v)
        return np.log(np.maximum(u, _SMALLEST)) if self.kind == "log" else np.arcsinh(u)

    def inverse(self, g: Array) -> Array:
        """Return the values of warped ones, at most the largest float."""
        if self.kind == "identity":
            return g
        with np.errstate(over="ignore"):  # a process may well promise more than a float can hold
            v = self.center + self.width * (np.exp(g) if self.kind == "log" else np.sinh(g))
        return np.clip(v, -_LARGEST, _LARGEST)

    def log_slope(self, v: Array) -> float:
        """Return the sum of the logarithms of the warp's derivative: the Jacobian in the density of v."""
        if self.kind == "identity":
            return 0.0
        u = self._relative(v)
        slopes = -np.log(u) if self.kind == "log" else -np.log(np.hypot(1.0, u))
        return float(np.sum(slopes) - len(v) * np.log(self.width))

    def covers(self, v: Array) -> bool:
        """Tell whether the warp is defined for all these values; a logarithm may meet a value below its center."""
        return self.kind != "log" or bool(np.all(v > self.center))

    def _relative(self, v: Array) -> Array:
        with np.errstate(over="ignore"):  # by a value that is far from those the warp was made for
            return np.clip((0.5 * v - 0.5 * self.center) / (0.5 * self.width), -_LARGEST, _LARGEST)


def warps(v: Array, level: float) -> list[Warp]:
    """List the warps worth trying: the identity, asinh around `level`, the value that matters, and the logarithm."""
    found = [Warp()]
    largest = float(np.abs(v).max(initial=0.0))
    if largest == 0.0:
        return found
    scaled = v / largest
    spread = float(np.subtract(*np.percentile(scaled, [75, 25])))
    if spread > SMALLEST_SPREAD and largest * (NARROW * spread) > 0.0:
        found.append(Warp("asinh", level, min(largest * spread, _LARGEST)))
        if np.ptp(scaled) > WIDE * spread:
            found.append(Warp("asinh", level, largest * (NARROW * spread)))
    if v.min() > 0.0 and scaled.max() > DECADE * scaled.min():
        found.append(Warp("log"))
    return found


def tamed(v: Array) -> Array:
    """Return values for the model: bring a penalty, a top shared by many and far above the rest, down to the rest."""
    rest = v[v < v.max(initial=-np.inf)]
    if len(rest) < N_SHARING or len(v) - len(rest) < N_SHARING:
        return v
    half_gap, half_range = 0.5 * v.max() - 0.5 * rest.max(), 0.5 * rest.max() - 0.5 * rest.min()
    if half_range == 0.0 or half_gap <= FAR * half_range:
        return v
    top = float(rest.max() + 2.0 * LIFT * half_range)
    return np.minimum(v, top)


def standardized(g: Array) -> tuple[Array, float, float]:
    """Return (g - shift) / unit with mean 0 and standard deviation 1, shift and unit; constant values become 0."""
    largest = float(np.abs(g).max(initial=0.0)) or 1.0
    scaled = g / largest
    center = float(scaled.mean())
    spread = float(scaled.std())
    if spread <= np.finfo(float).eps:  # rounding
        return np.zeros(len(g)), largest * center, 1.0
    return (scaled - center) / spread, largest * center, largest * spread
