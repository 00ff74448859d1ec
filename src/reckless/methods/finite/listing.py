"""What is known of every scenario of a list: its last value, where that was, and a quadratic of those that matter."""

from dataclasses import dataclass, field

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.methods.danskin.curvature import symmetric_broyden
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.tuning import guards
from reckless.methods.finite.piece import Piece
from reckless.methods.finite.space import Space, moves_at, slope_along
from reckless.methods.finite.tuning import effort


@dataclass(slots=True, eq=False)
class Stand:
    """An x and the values (m,) of the scenarios there: NaN for those not tried, -inf for those that failed."""

    x: Array
    values: Array

    @property
    def worst(self) -> int:
        return int(np.nanargmax(self.values))

    @property
    def value(self) -> float:
        return float(self.values[self.worst])

    @property
    def rest(self) -> Indices:
        """The scenarios that were not tried."""
        return np.flatnonzero(np.isnan(self.values))


@dataclass(slots=True, eq=False)
class Listing:
    """The scenarios of a list, m of them.

    values (m,), X (m, n): the last value of each, NaN if there is none, and where that was. rates (m,): the fastest
    change per length seen lately, infinite if it ever failed as the worst case. weights (m,): multipliers in the last
    step, which began at `weighed_at`. pieces: the quadratics.
    """

    space: Space
    values: Array
    X: Array
    rates: Array
    weights: Array
    pieces: dict[int, Piece] = field(default_factory=dict)
    weighed_at: Array | None = None

    @property
    def m(self) -> int:
        return self.values.size

    def holding(self) -> Indices:
        """Return the scenarios that held the last step."""
        return np.flatnonzero(self.weights > guards.holds)

    def point(self, i: int | Indices) -> Array:
        """Return scenarios as points of the unit interval, (1,) or (k, 1)."""
        return np.atleast_1d((np.asarray(i)[..., None] + 0.5) / self.m)

    def ask(self, oracle: Oracle, X: Array, i: int | Indices) -> Asking[Array]:
        """Evaluate scenarios at rows of x, or one of both at all of the other."""
        return (yield from oracle.ask(self.space.to_cube(np.atleast_2d(X)).reshape(*X.shape[:-1], -1), self.point(i)))

    def visit(self, oracle: Oracle, stand: Stand, chosen: Indices) -> Asking[None]:
        """Try the chosen scenarios at x; their rates learn from it."""
        if not chosen.size:
            return
        values = yield from self.ask(oracle, stand.x, chosen)
        stand.values[chosen] = np.where(np.isnan(values), -np.inf, values)
        reach = np.abs(self.X[chosen] - stand.x).max(axis=1)
        is_news = np.isfinite(values) & np.isfinite(self.values[chosen]) & (reach > guards.moved)
        seen = np.zeros(chosen.size)
        seen[is_news] = np.abs(values - self.values[chosen])[is_news] / reach[is_news]
        seen[np.isposinf(values)] = np.inf
        self.rates[chosen] = np.maximum(seen, effort.remembered * self.rates[chosen])
        is_known = np.isfinite(values)
        self.values[chosen[is_known]], self.X[chosen[is_known]] = values[is_known], stand.x

    def gather(self, stand: Stand, predicted: float) -> None:
        """Move the models to x as far as values are known there; predicted: decrease that the step here promised."""
        for i, piece in list(self.pieces.items()):
            value = float(stand.values[i])
            if not np.isfinite(value) and not np.isnan(value):
                del self.pieces[i]
            elif np.isfinite(value) and piece.x is not stand.x:
                piece.move(stand.x, value, predicted)

    def highest(self, x: Array) -> Array:
        """Return how high each scenario may be at x, by the changes seen lately; -inf for those without a value."""
        reach = np.abs(self.X - x).max(axis=1)
        rise = effort.caution * self.rates * np.maximum(reach, guards.moved)
        unknown = np.where(np.isinf(self.rates), np.inf, -np.inf)
        high: Array = np.where(np.isnan(self.values), unknown, self.values + rise)
        return high

    def measure(self, oracle: Oracle, stand: Stand, i: int) -> Asking[None]:
        """Measure the slope of scenario i at x, by differences (n_x); B learns from the change since the last time."""
        if np.isnan(stand.values[i]):
            yield from self.visit(oracle, stand, np.array([i]))
        x, value, old = stand.x, float(stand.values[i]), self.pieces.get(i)
        if not np.isfinite(value):
            return
        moves, B = moves_at(self.space, x, oracle.forward), None if old is None else old.B
        values = yield from self.ask(oracle, x + moves, i)
        changes = values - value
        if B is not None:
            changes = changes - 0.5 * ((moves @ B) * moves).sum(axis=1)
        slope = slope_along(moves, np.where(np.isfinite(changes), changes, 0.0))
        if old is not None and np.abs(x - old.measured[0]).max() > guards.moved:
            B = symmetric_broyden(B, x - old.measured[0], slope - old.measured[1])
        self.pieces[i] = Piece(x, value, slope, (x, slope), B)
        self.rates[i] = max(self.rates[i], float(np.abs(slope).sum()))


def new_listing(space: Space, m: int, x: Array) -> Listing:
    """Return a list of which nothing is known."""
    return Listing(space, np.full(m, np.nan), np.tile(x, (m, 1)), np.zeros(m), np.zeros(m))
