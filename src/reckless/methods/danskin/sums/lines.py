"""Maxima along coordinate lines, smooth or kinked, of many lines at once.

A line is climbed by two models in turn, and each is dropped for the other once it foretells badly. A parabola through
the highest point and its neighbors is right at smooth tops. A tent, where the straight lines through the two nearest
points on each side meet, is right at kinks, and above f wherever f is concave.
"""

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.tuning import bundles, effort, guards


class Guess(NamedTuple):
    """Where a model has the top of a line, and how far it is above the highest point."""

    at: float
    gain: float


@dataclass(slots=True, eq=False)
class Line:
    """What is known of one line within bounds: points (place, value) in rising order of places.

    h: length of the first moves. is_confirmed: whether the parabola was tried away from its top. guess: what was last
    foretold, None where a point was asked for without.
    """

    low: float
    high: float
    h: float
    points: list[tuple[float, float]]
    is_tent: bool = False
    is_confirmed: bool = False
    guess: Guess | None = None

    @property
    def top(self) -> tuple[float, float]:
        return max(self.points, key=lambda point: point[1])

    def propose(self, tolerance: float) -> float | None:
        """Return the next place to evaluate, or None if no more than a tolerance is left."""
        self.guess = None
        points, k = self.points, self.points.index(self.top)
        at, value = points[k]
        if value == np.inf:  # nothing can be higher
            return None
        if not 0 < k < len(points) - 1:
            return self._enclose(k)
        guess = tent(points, k) if self.is_tent else parabola(points, k)
        if guess.gain <= tolerance or abs(guess.at - at) <= guards.at_bound + guards.rounding * abs(at):
            return self._doubt(k, tolerance)
        self.guess = guess
        return guess.at

    def _enclose(self, k: int) -> float | None:
        """Return a place beyond the top, or beside one at a bound; None if the line is known to fall from there."""
        points, at = self.points, self.points[k][0]
        for side, end in ((1, self.high), (-1, self.low)):
            if not 0 <= k + side < len(points) and at != end:
                step = self.h if len(points) < 3 else 2.0 * abs(points[-1][0] - points[0][0])
                return float(np.clip(at + side * step, self.low, self.high))
        inner = points[1 if k == 0 else -2][0]
        beside = at + np.copysign(min(guards.beside, 0.5 * abs(inner - at)), inner - at)
        return float(beside) if abs(inner - at) > guards.beside else None

    def _doubt(self, k: int, tolerance: float) -> float | None:
        """Return where to test the highest point, which the model has at the top; None if that was done."""
        if self.is_confirmed:
            return None
        if not self.is_tent and tent(self.points, k).gain > tolerance:
            self.is_confirmed, self.guess = True, halfway(self.points, k)
            return self.guess.at
        return _closer(self.points, k) if missed(self.points, k) > tolerance else None

    def add(self, at: float, value: float) -> None:
        """Add a point, and change the model if it foretold less than half of what was to gain."""
        if self.guess is not None and not abs(value - self.top[1] - self.guess.gain) <= 0.5 * abs(self.guess.gain):
            self.is_tent, self.is_confirmed = not self.is_tent, False
        if all(at != known for known, _ in self.points):
            insort(self.points, (at, -np.inf if np.isnan(value) else value))


def parabola(points: list[tuple[float, float]], k: int) -> Guess:
    """Return the top of the parabola through the k-th point, which is the highest, and its neighbors."""
    (left, a), (at, b), (right, c) = points[k - 1 : k + 2]
    if not (np.isfinite(a) and np.isfinite(c)):
        return Guess(0.5 * (at + (right if np.isfinite(a) else left)), np.inf)
    rise, fall = (b - a) / (at - left), (c - b) / (right - at)
    bend = (fall - rise) / (right - left)
    if not bend < 0.0:
        return Guess(at, 0.0)
    top = 0.5 * (left + at) - 0.5 * rise / bend
    return Guess(top, -bend * (top - at) ** 2)


def halfway(points: list[tuple[float, float]], k: int) -> Guess:
    """Return what a parabola with its top at the k-th point foretells halfway to the farther of its neighbors."""
    at, value = points[k]
    far, low = max(points[k - 1], points[k + 1], key=lambda point: abs(point[0] - at))
    return Guess(0.5 * (at + far), 0.25 * (low - value))


def missed(points: list[tuple[float, float]], k: int) -> float:
    """Return how much a tent may miss next to the k-th point, the highest, if flanks go on to bend up as they do."""
    left, right = points[: k + 1], [(-at, value) for at, value in reversed(points[k:])]
    to_left, to_right = left[-1][0] - left[-2][0], right[-1][0] - right[-2][0]
    parts = ((left[-3:], to_right), (left[-4:-1], to_left), (right[-3:], to_left), (right[-4:-1], to_right))
    return max(_gain_beyond(flank, width) for flank, width in parts)


def _gain_beyond(flank: list[tuple[float, float]], width: float) -> float:
    """Return what the parabola through three points gains over the line through the last two a width beyond them."""
    if len(flank) < 3 or not all(np.isfinite(value) for _, value in flank):
        return 0.0
    (s, a), (t, b), (u, c) = flank
    bend = ((c - b) / (u - t) - (b - a) / (t - s)) / (u - s)
    return bend * width * (width + u - t)


def _closer(points: list[tuple[float, float]], k: int) -> float:
    """Return a place closer to the k-th point than the farther of its neighbors."""
    at = points[k][0]
    far = max(points[k - 1][0], points[k + 1][0], key=lambda other: abs(other - at))
    return at + bundles.closer * (far - at)


def tent(points: list[tuple[float, float]], k: int) -> Guess:
    """Return the highest point of the tent next to the k-th point, which is the highest."""
    right = _roof(points, k)
    left = _roof([(-at, value) for at, value in reversed(points)], len(points) - 1 - k)
    return right if right.gain >= left.gain else Guess(-left.at, left.gain)


def _roof(points: list[tuple[float, float]], k: int) -> Guess:
    """Return where the line through points k - 1, k meets the one through k + 1, k + 2; halfway if they do not."""
    (left, a), (at, b), (right, c) = points[k - 1 : k + 2]
    rise, width = (b - a) / (at - left) if np.isfinite(a) else 0.0, right - at
    fall = (points[k + 2][1] - c) / (points[k + 2][0] - right) if k + 2 < len(points) else np.nan
    share = (c - b - fall * width) / ((rise - fall) * width) if rise > fall > -np.inf else 0.5
    share = min(max(share, 0.0), 1.0)
    return Guess(at + share * width, rise * share * width)


Ask = Callable[[Indices, Array], Asking[Array]]


def climb_lines(ask: Ask, lines: list[Line], tolerance: float) -> Asking[None]:
    """Climb all lines in lockstep; `ask` takes which lines (k,) and the places on them (k,), and returns values."""
    for _ in range(effort.n_line_rounds):
        asked = [(i, at) for i, line in enumerate(lines) if (at := line.propose(tolerance)) is not None]
        if not asked:
            return
        values = yield from ask(np.array([i for i, _ in asked]), np.array([at for _, at in asked]))
        for (i, at), value in zip(asked, values.tolist(), strict=True):
            lines[i].add(at, value)


def on_line(oracle: Oracle, x: Array) -> Ask:
    """Return how to ask for values of a y of one coordinate."""

    def ask(_: Indices, places: Array) -> Asking[Array]:
        return oracle.ask(x, places[:, None])

    return ask
