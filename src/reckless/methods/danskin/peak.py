"""What is known around one maximizer y of f(x, .): values, slopes, and one learned quadratic.

    H   second derivatives in y        a measured diagonal, then BFGS over moves of y at one x
    M   mixed ones, (n_y, n_x)         Broyden: how the slope in y changes with x
    B   curvature in x, y following    BFGS over moves of x: convex
    C   the same                       symmetric Broyden: it may bend both ways
    A   curvature in x at fixed y      only where M was measured: its diagonal, then BFGS over moves of x

They tell how far y is from its top, how y answers a step of x, and which cut the peak puts on the worst case.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Flags
from reckless.core.task import Hill
from reckless.methods.danskin.tuning import bundles, guards
from reckless.methods.program import solve_inside, solve_program


class Measured(NamedTuple):
    """A slope as it was measured, and where."""

    x: Array
    y: Array
    slope: Array


class Climb(NamedTuple):
    """The move to the top of a hill and its gain, and what they were computed from."""

    H: Array
    gy: Array
    y: Array
    s: Array
    gain: float


class Ridge(NamedTuple):
    """How a kinked top follows x: y moves by R d.

    x, y: where it was last found. left: what was left to climb there. steepness: how fast f falls beside it. is_sure:
    whether a climb after a move confirmed R.
    """

    R: Array
    x: Array
    y: Array
    left: float
    steepness: float
    is_sure: bool = False

    @property
    def is_moving(self) -> bool:
        return bool(np.abs(self.R).max() > bundles.strayed)


@dataclass(slots=True, eq=False)
class Peak:
    """A local maximizer that is followed as x moves.

    gx, gy: slopes, measured or foretold. is_fresh_x, is_fresh_y: measured at this x and y. last_x: the slope of the
    cut when gx was last measured. last_gx: gx itself. last_y: gy when it was last measured. weight: multiplier in the
    last step. n_idle: accepted steps since the peak last held one. is_fixed: y stays, since it is no maximizer here but
    stopped a step elsewhere. is_pinned: coordinates of y that stay, if any. is_blended: y reached or left a bound when
    B last learned. is_checked: H was tested, and measured if that failed. climb: the last one computed.
    closeness: factor on the length of central differences. ridge: how y follows x, if it is a kink.
    """

    y: Array
    value: float
    gx: Array | None = None
    gy: Array | None = None
    H: Array | None = None
    M: Array | None = None
    B: Array | None = None
    C: Array | None = None
    A: Array | None = None
    is_fresh_x: bool = False
    is_fresh_y: bool = False
    last_x: Measured | None = None
    last_gx: Measured | None = None
    last_y: Measured | None = None
    weight: float = 0.0
    n_idle: int = 0
    is_fixed: bool = False
    is_pinned: Flags | None = None
    is_blended: bool = False
    is_checked: bool = False
    closeness: float = 1.0
    climb: Climb | None = None
    ridge: Ridge | None = None

    @property
    def is_known(self) -> bool:
        """Whether the slope and the curvature in y are known."""
        return (self.gy is not None and self.H is not None) or self.ridge is not None

    @property
    def is_full(self) -> bool:
        """Whether the quadratic in x and y is known in all its parts."""
        return self.is_known and self.gx is not None and self.M is not None and self.A is not None

    def free(self, gy: Array) -> Array:
        """Return a slope in y without the coordinates that are pinned."""
        return gy if self.is_pinned is None else np.where(self.is_pinned, 0.0, gy)

    def move(self, s: Array, value: float) -> None:
        """Let y move by s: slopes follow by the model, and are no longer measured ones."""
        self.y, self.value = np.clip(self.y + s, 0.0, 1.0), value
        if self.gy is not None and self.H is not None:
            self.gy = self.gy + self.H @ s
        if self.gx is not None and self.M is not None:
            self.gx = self.gx + self.M.T @ s
        self.is_fresh_x = self.is_fresh_y = False

    def forget(self) -> None:
        """Drop what was learned about y."""
        self.H = self.gy = self.M = self.last_y = None
        self.is_fresh_x = self.is_fresh_y = False

    def followed(self, d: Array, s: Array, value: float) -> "Peak":
        """Return the peak after x moved by d and y by s, its slopes as the model has them there."""
        new = replace(self, y=np.clip(self.y + s, 0.0, 1.0), value=value, is_fresh_x=False, is_fresh_y=False)
        if self.gy is not None and self.H is not None and self.M is not None:
            new.gy = self.gy + self.H @ s + self.M @ d
        if self.gx is not None:
            if self.B is not None:
                new.gx = self.gx + self.B @ d
            elif self.M is not None:
                new.gx = self.gx + self.M.T @ s
        return new

    def hill(self) -> Hill:
        """Return what another search may begin with."""
        return Hill(self.y, self.gx, self.gy, self.H, self.M, self.B)


def from_hill(hill: Hill, value: float) -> Peak:
    """Return the peak that another search left; slopes and curvatures count as foretold."""
    M = hill.M
    if M is None and hill.H is not None and hill.gx is not None:
        M = np.zeros((hill.y.size, hill.gx.size))
    return Peak(hill.y, value, hill.gx, hill.gy, hill.H, M, hill.B)


def highest(peaks: Iterable[Peak]) -> Peak:
    """Return the peak with the highest value."""
    return max(peaks, key=lambda peak: peak.value)


def nearest(peaks: Iterable[Peak], y: Array) -> Peak:
    """Return the peak closest to y."""
    return min(peaks, key=lambda peak: distance(peak.y, y))


def distance(y: Array, z: Array) -> float:
    return float(np.abs(y - z).max())


def is_among(y: Array, known: Iterable[Array]) -> bool:
    """Tell whether y is one of the maximizers known."""
    return any(distance(y, z) < guards.same for z in known)


def best_move(H: Array, g: Array, y: Array) -> tuple[Array, float]:
    """Return the s with y + s in the box that maximizes g s + s'Hs / 2, and its gain; H is concave."""
    slope = float(np.abs(g).max())
    if slope == 0.0:
        return np.zeros_like(y), 0.0
    missing = np.maximum(guards.straight * np.abs(g) + H.diagonal(), 0.0)  # without curvature, to the bound
    C = -H
    C.flat[:: y.size + 1] += missing + guards.flat * slope
    s = solve_inside(C, -g, -y, 1.0 - y)
    if s is None:
        nothing = np.zeros((0, y.size))
        s, _ = solve_program(C / slope, -g / slope, nothing, np.zeros(0), -y, 1.0 - y)
        s = np.clip(s, -y, 1.0 - y)
    return s, float(g @ s - 0.5 * s @ C @ s)


def climb_left(peak: Peak) -> tuple[Array, float]:
    """Return the move to the top of the peak's hill, and its gain, as the model has them; unknown on a ridge."""
    if peak.ridge is not None:
        return np.zeros_like(peak.y), peak.ridge.left
    H, gy, y = peak.H, peak.gy, peak.y
    assert H is not None
    assert gy is not None
    known = peak.climb
    if known is None or known.H is not H or known.gy is not gy or known.y is not y:
        known = peak.climb = Climb(H, gy, y, *best_move(H, peak.free(gy), y))
    return known.s, known.gain


def local_climb(peak: Peak) -> tuple[Array, float]:
    """Return the same; no move if the top is far away, since then it belongs to another hill."""
    if not peak.is_fixed and peak.is_known and peak.ridge is None:
        s, gain = climb_left(peak)
        if np.abs(s).max() <= guards.jump:
            return s, gain
    return np.zeros_like(peak.y), 0.0


def response(peak: Peak, d: Array) -> tuple[Array, Array | None]:
    """Return how y moves if x moves by d, and a second move if y may jump to another hill, where it stays."""
    still = np.zeros_like(peak.y)
    if peak.ridge is not None and not peak.is_fixed:
        return np.clip(peak.y + peak.ridge.R @ d, 0.0, 1.0) - peak.y, None
    if peak.is_fixed or peak.H is None or peak.gy is None or peak.M is None:
        return still, None
    s, _ = best_move(peak.H, peak.free(peak.gy + peak.M @ d), peak.y)
    return (still, s) if is_jump(s, d) else (s, None)


def is_jump(s: Array, d: Array) -> bool:
    """Tell whether y moved farther than an answer to the step d would."""
    return bool(np.abs(s).max() > guards.jump + 2.0 * np.abs(d).max())


def cut(peak: Peak, n_x: int) -> tuple[float, Array]:
    """Return value and slope of the worst case under this peak, with y moved on to its top; flat without a slope."""
    if peak.gx is None:
        return peak.value, np.zeros(n_x)
    s, gain = local_climb(peak)
    return peak.value + gain, peak.gx if peak.M is None else peak.gx + peak.M.T @ s


def bounds_held(y: Array) -> Array:
    """Return -1 for each coordinate at its lower bound, 1 for each at its upper one, else 0."""
    held: Array = np.where(y < guards.at_bound, -1.0, np.where(y > 1.0 - guards.at_bound, 1.0, 0.0))
    return held


def n_cornered(peak: Peak) -> int:
    """Count the coordinates of y that sit at a bound without being concave: they make 2^n maximizers likely."""
    if peak.H is None or peak.gy is None:
        return 0
    return int(np.count_nonzero(is_cornered(peak.y, np.diag(peak.H), peak.gy)))


def is_cornered(y: Array, curvature: Array, slope: Array) -> Flags:
    """Tell which coordinates of y sit at a bound without being concave."""
    at_bound = np.minimum(y, 1.0 - y) < guards.at_bound
    flags: Flags = at_bound & (curvature > -guards.concave * np.abs(slope))
    return flags
