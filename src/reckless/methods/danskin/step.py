"""The step against all cuts: a quadratic program, the rule of acceptance, and the rule of the radius."""

from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.tuning import guards, trust
from reckless.methods.program import FREE, solve_inside, solve_program

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
