"""The step: a quadratic program against all cuts, or against the full model of one peak; acceptance and radius.

Of one peak whose quadratic is known in full, y answers each d by its best move within the box:

    min over d   g d + d'Ad / 2 + max over s of (gy + M d) s + s'Hs / 2,   y + s in the box

The inner maximum is replaced by its dual, so that both are one convex program: with multipliers p, q >= 0 of the bounds
of s, the answer s obeys  gy + M d + H s = p - q,  and the inner maximum is  -s'Hs / 2 + p high - q low.
"""

from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.peak import Peak, best_move
from reckless.methods.danskin.tuning import guards, trust
from reckless.methods.program import FREE, solve_equalities, solve_inside, solve_program

TINY = 1e-300  # keeps a scale above 0


class Cuts(NamedTuple):
    """A model of F around x: max over j of values_j + slopes_j d, plus d'Bd / 2.

    values (m,), slopes (m, n), B (n, n).
    """

    values: Array
    slopes: Array
    B: Array

    def decrease(self, d: Array) -> float:
        """Return by how much the model falls from its own height at d = 0."""
        after = float((self.values + self.slopes @ d).max()) + 0.5 * float(d @ self.B @ d)
        return float(self.values.max()) - after


class Step(NamedTuple):
    """A step d, the decrease it promises, and the multipliers (m,) of the cuts that hold it, 1 in sum."""

    d: Array
    predicted: float
    weights: Array

    @property
    def reach(self) -> float:
        return float(np.abs(self.d).max())


class Room(NamedTuple):
    """How far x may move: low <= d <= high, and if balanced, the coordinates of d add up to 0."""

    low: Array
    high: Array
    balanced: bool = False

    def clip(self, d: Array) -> Array:
        clipped: Array = np.clip(d, self.low, self.high)
        return clipped


def room_in_box(x: Array) -> Room:
    """Return the room that x has in the unit cube."""
    return Room(-x, 1.0 - x)


def solve_cuts(cuts: Cuts, room: Room, radius: float) -> Step:
    """Minimize the model over |d| <= radius.

    The highest cut is the base; one variable t >= 0 is what the highest of the others has above it.
    """
    values, slopes, B = cuts
    n, base = room.low.size, int(values.argmax())
    low, high = np.maximum(-1.0, room.low / radius), np.minimum(1.0, room.high / radius)
    scale = radius * float(np.abs(slopes).max()) + TINY
    others = np.flatnonzero(np.arange(values.size) != base)
    H = np.zeros((n + 1, n + 1))
    H[:n, :n] = B * (radius * radius / scale)
    H.flat[: n * (n + 2) : n + 2] += guards.flat
    f = np.append(slopes[base] * (radius / scale), 1.0)
    A = np.column_stack([(slopes[others] - slopes[base]) * (radius / scale), np.full(others.size, -1.0)])
    with np.errstate(over="ignore"):
        b = np.minimum((values[base] - values[others]) / scale, FREE)
    u, held = None if room.balanced else solve_inside(H[:n, :n], f[:n], low, high), np.zeros(others.size)
    if u is None or (A[:, :n] @ u > b).any():  # not by the base alone
        u, held = solve_program(H, f, A, b, low, high, balanced=room.balanced)
    d = room.clip(np.clip(u[:n], low, high) * radius)
    weights = np.zeros(values.size)
    weights[others] = held
    weights[base] = max(1.0 - float(held.sum()), 0.0)
    return Step(d, cuts.decrease(d), weights)


def is_enough(before: float, after: float, predicted: float) -> bool:
    """Tell whether a trial lowered F enough to be accepted."""
    return after <= before - trust.enough * predicted


def next_radius(radius: float, reach: float, ratio: float) -> float:
    """Return the radius after an accepted step of length `reach` that achieved `ratio` of what it promised."""
    if ratio > trust.good and reach > trust.border * radius:
        return min(trust.widen * radius, trust.largest)
    if ratio < trust.bad:
        return max(trust.narrow * reach, trust.least_narrow * radius)
    return radius


def solve_saddle(peak: Peak, room: Room, radius: float) -> Step | None:
    """Return the step that minimizes the worst case by the peak's full model over |d| <= radius; None if that fails."""
    gx, gy, H, M, A = peak.gx, peak.gy, peak.H, peak.M, peak.A
    assert gx is not None
    assert gy is not None
    assert H is not None
    assert M is not None
    assert A is not None
    n, m = gx.size, gy.size
    scale = max(radius * _largest(gx), _largest(gy), radius * _largest(M)) + TINY
    low, high = np.maximum(-1.0, room.low / radius), np.minimum(1.0, room.high / radius)
    C = -H / scale + guards.flat * np.eye(m)
    # Variables: d / radius (n), s (m), p (m), q (m).
    Q = np.zeros((n + 3 * m, n + 3 * m))
    Q[:n, :n] = A * (radius * radius / scale) + guards.flat * np.eye(n)
    Q[n : n + m, n : n + m] = C
    f = np.concatenate([gx * (radius / scale), np.zeros(m), 1.0 - peak.y, peak.y])
    E = np.hstack([M * (radius / scale), -C, -np.eye(m), np.eye(m)])
    free, none = np.full(m, np.inf), np.zeros(2 * m)
    bounds = np.concatenate([low, -free, none]), np.concatenate([high, free, free, free])
    u = solve_equalities(Q, f, E, -gy / scale, *bounds)
    if u is None:
        return None
    d = room.clip(np.clip(u[:n], low, high) * radius)
    before, after = best_move(H, gy, peak.y)[1], best_move(H, gy + M @ d, peak.y)[1]
    return Step(d, before - after - float(gx @ d + 0.5 * d @ A @ d), np.ones(1))


def _largest(a: Array) -> float:
    return float(np.abs(a).max())
