"""The test for a sum over the coordinates of y, and what else each coordinate could be.

If f(x, .) is a sum over the coordinates of y, one alternative per coordinate stands for 2^n maximizers:

    F(x + d) = value + g d + d'Bd / 2 + sum_i max(0, G_i d - gap_i)

where gap_i is what f loses if coordinate i takes its alternative, and G_i how that changes with x.
"""

from dataclasses import dataclass

import numpy as np

from reckless.core.arrays import Array, Flags, Indices
from reckless.methods.descent.ascent import ascend
from reckless.methods.descent.oracle import Asking, Oracle
from reckless.methods.descent.peak import Peak, is_cornered, n_cornered
from reckless.methods.descent.place import Place
from reckless.methods.descent.tuning import effort, guards


@dataclass(frozen=True, slots=True, eq=False)
class Others:
    """Alternatives of coordinates of a base y.

    i (k,): which coordinates. z (k,): their alternative values. gaps (k,): what f loses by them. G (k, n_x): by how
    much their slope in x exceeds the base's, 0 as long as it was not measured. is_measured (k,): whether it was, and
    foretold the gaps since; is_fresh (k,): whether it was at this x. weights (k,): multipliers in the last step.
    """

    i: Indices
    z: Array
    gaps: Array
    G: Array
    is_measured: Flags
    is_fresh: Flags
    weights: Array

    def rows(self, y: Array) -> Array:
        """Return y with each of the alternatives, one per row."""
        Y = np.repeat(y[None], self.i.size, axis=0)
        Y[np.arange(self.i.size), self.i] = self.z
        return Y


def is_sum(oracle: Oracle, place: Place) -> Asking[bool]:
    """Tell whether f is a sum over y; tested once, when enough coordinates sit at bounds without being concave.

    A joint change of y is compared with the sum of single ones (n_y + 1 evaluations).
    """
    top, n_y = place.top, oracle.task.n_y
    if oracle.is_sum is None and n_y >= effort.n_cornered and n_cornered(top) >= effort.n_cornered:
        yield from ascend(oracle, place.x, top, oracle.violation(top.value))
        share = oracle.rng.uniform(0.0, 0.5, n_y)
        z = np.where(top.y > 0.5, top.y * share, 1.0 - (1.0 - top.y) * share)
        singles = np.where(np.eye(n_y, dtype=bool), z, top.y)
        values = yield from oracle.ask(place.x, np.vstack([singles, z]))
        changes = values - top.value
        size = float(np.abs(changes[:-1]).sum())
        error = abs(float(changes[-1] - changes[:-1].sum()))
        oracle.is_sum = error <= guards.additive * size + oracle.floor(top.value)
        oracle.singles = (top.y, z, values[:-1])
    return bool(oracle.is_sum)


def survey(oracle: Oracle, x: Array, base: Peak) -> Asking[Others]:
    """Find the alternative of each coordinate: the other bound where f is a parabola along it, else by a scan."""
    y, n_y = base.y, base.y.size
    z = np.where(y > 0.5, 0.0, 1.0)
    values = yield from oracle.ask(x, np.where(np.eye(n_y, dtype=bool), z, y))
    gaps = np.where(np.isnan(values), np.inf, base.value - values)
    if oracle.is_parabola is None:
        oracle.is_parabola = _parabolas(oracle, base, z, values)
    gaps[np.minimum(y, 1.0 - y) >= guards.at_bound] = np.inf  # inside, a bound is no maximum
    for i in np.flatnonzero(~oracle.is_parabola).tolist():
        other, gap = yield from _scan_line(oracle, x, base, i)
        if gap < gaps[i]:
            z[i], gaps[i] = other, gap
    chosen = np.flatnonzero(np.isfinite(gaps))
    k = chosen.size
    nothing = np.zeros((k, x.size))
    never = np.zeros(k, dtype=bool)
    return Others(chosen, z[chosen], gaps[chosen], nothing, never, never, np.zeros(k))


def _parabolas(oracle: Oracle, base: Peak, opposite: Array, values: Array) -> Flags:
    """Tell along which coordinates f is a parabola: slope and both ends foretell what the test for a sum met."""
    assert base.gy is not None
    assert oracle.singles is not None
    y, between, met = oracle.singles
    if not np.array_equal(y, base.y):
        return np.zeros(y.size, dtype=bool)
    width, step = opposite - y, between - y
    bend = (values - base.value - base.gy * width) / width**2
    foretold = base.value + base.gy * step + bend * step**2
    size = np.abs(met - base.value) + np.abs(values - base.value)
    flags: Flags = np.abs(foretold - met) <= guards.parabola * size
    return flags


def _scan_line(oracle: Oracle, x: Array, base: Peak, i: int) -> Asking[tuple[float, float]]:
    """Return the best value of coordinate i that is not the base's own maximum, and its gap; infinite if none is."""
    n = effort.n_line
    at = np.linspace(0.0, 1.0, n)
    Y = np.repeat(base.y[None], n, axis=0)
    Y[:, i] = at
    values = np.nan_to_num((yield from oracle.ask(x, Y)), nan=-np.inf)
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    is_top = (values >= padded[:-2]) & (values >= padded[2:]) & (np.abs(at - base.y[i]) > 1.0 / (n - 1))
    if not is_top.any():
        return 0.0, np.inf
    k = int(np.where(is_top, values, -np.inf).argmax())
    if k in (0, n - 1):
        return float(at[k]), base.value - float(values[k])
    return (yield from _refine(oracle, x, base, i, float(at[k])))


def _refine(oracle: Oracle, x: Array, base: Peak, i: int, z: float) -> Asking[tuple[float, float]]:
    """Sharpen a maximum on a line by parabolas through ever closer points."""
    best, value = z, -np.inf
    for h in effort.line_steps:
        Y = np.repeat(base.y[None], 3, axis=0)
        Y[:, i] = np.clip([best - h, best, best + h], 0.0, 1.0)
        low, value, high = (yield from oracle.ask(x, Y)).tolist()
        bend = low - 2.0 * value + high
        if not bend < 0.0:
            break
        best = float(np.clip(best + h * np.clip(0.5 * (low - high) / bend, -3.0, 3.0), 0.0, 1.0))
    y = base.y.copy()
    y[i] = best
    value = yield from oracle.ask_one(x, y)
    return best, base.value - value if np.isfinite(value) else np.inf


def pin(base: Peak) -> None:
    """Mark the coordinates at a bound that are not concave and slope outward: only their alternative can be worse."""
    assert base.gy is not None
    assert base.H is not None
    outward = np.where(base.y > 0.5, base.gy, -base.gy) > 0.0
    base.climb = None
    base.is_pinned = outward & is_cornered(base.y, np.diag(base.H), base.gy)
