"""The test for a sum over the coordinates of y, and what else each coordinate could be.

If f(x, .) is a sum over the coordinates of y, one alternative per coordinate stands for 2^n maximizers:

    F(x + d) = value + g d + d'Bd / 2 + sum_i max(0, G_i d - gap_i)

where gap_i is what f loses if coordinate i takes its alternative, and G_i how that changes with x.
"""

from dataclasses import dataclass

import numpy as np

from reckless.core.arrays import Array, Flags, Indices
from reckless.methods.danskin.ascent import ascend, measure_y
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.peak import Peak, bounds_held, is_cornered, n_cornered
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.sums.lines import Ask, Line, climb_lines
from reckless.methods.danskin.tuning import effort, guards

NONE = np.arange(0)  # no coordinates
GOLDEN = 0.5 * (5.0**0.5 - 1.0)


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

    def with_other(self, i: int, z: float, gap: float) -> "Others":
        """Return the alternatives with a new one for coordinate i."""
        keep = self.i != i
        return Others(
            np.append(self.i[keep], i),
            np.append(self.z[keep], z),
            np.append(self.gaps[keep], gap),
            np.vstack([self.G[keep], np.zeros(self.G.shape[1])]),
            np.append(self.is_measured[keep], False),
            np.append(self.is_fresh[keep], False),
            np.append(self.weights[keep], 0.0),
        )


def is_sum(oracle: Oracle, place: Place, *, is_due: bool = False) -> Asking[bool]:
    """Tell whether f is a sum over y that has more than one hill or kinks; tested once.

    The test is made if enough coordinates sit at bounds without being concave, or if it is due. A joint change of y is
    compared with the sum of single ones (n_y + 1 evaluations). A test that is due begins with two halves of y (3), and
    ends there if f is no sum, or if the top's quadratic foretells them: then it suffices.
    """
    top, n_y = place.top, oracle.task.n_y
    many = n_cornered(top) >= effort.n_cornered
    if oracle.is_sum is None and (many or (is_due and n_y >= effort.n_many)):
        singles, halves = np.eye(n_y, dtype=bool), np.arange(n_y) % 2 == np.arange(2)[:, None]
        if many:
            yield from ascend(oracle, place.x, top, oracle.violation(top.value))
            yield from _adds_up(oracle, place.x, top, singles)
        elif (yield from _adds_up(oracle, place.x, top, halves)):
            if not top.is_fresh_y:
                yield from measure_y(oracle, place.x, top)
            if _is_one_hill(oracle, top):
                oracle.is_parabola = np.ones(n_y, dtype=bool)
            elif (yield from _adds_up(oracle, place.x, top, singles)):
                oracle.is_parabola = yield from _hills(oracle, place.x, top)
    return bool(oracle.is_sum) and (many or oracle.is_parabola is None or not oracle.is_parabola.all())


def _adds_up(oracle: Oracle, x: Array, top: Peak, parts: Array) -> Asking[bool]:
    """Tell whether changing y in all parts at once equals the sum of the changes, parts being rows of flags."""
    low, high = effort.sum_shares
    share = low + (high - low) * (GOLDEN * np.arange(1.0, top.y.size + 1.0) % 1.0)
    z = np.where(top.y > 0.5, top.y * share, 1.0 - (1.0 - top.y) * share)
    Y = np.where(parts, z, top.y)
    values = yield from oracle.ask(x, np.vstack([Y, z]))
    changes = values - top.value
    size = float(np.abs(changes[:-1]).sum())
    error = abs(float(changes[-1] - changes[:-1].sum()))
    oracle.is_sum = error <= guards.additive * size + oracle.floor(top.value)
    oracle.tested = (top.y, Y, values[:-1])
    return oracle.is_sum


def _is_one_hill(oracle: Oracle, top: Peak) -> bool:
    """Tell whether the top's quadratic foretold what the test for a sum met, and has its top close by."""
    assert top.gy is not None
    assert top.H is not None
    assert oracle.tested is not None
    y, Y, values = oracle.tested
    steps, met = Y - y, values - top.value
    linear = steps @ top.gy
    error = np.abs(met - linear - 0.5 * np.einsum("ki,ij,kj->k", steps, top.H, steps))
    is_foretold = error <= guards.parabola * (np.abs(met) + np.abs(linear))
    return bool(is_foretold.all() and _is_topped(top, 0.5 * top.H.diagonal()).all())


def _hills(oracle: Oracle, x: Array, top: Peak) -> Asking[Flags]:
    """Tell along which coordinates f is a parabola: all, if the top's quadratic foretold single changes."""
    if _is_one_hill(oracle, top):
        return np.ones(top.y.size, dtype=bool)
    opposite = np.where(top.y > 0.5, 0.0, 1.0)
    values = yield from oracle.ask(x, np.where(np.eye(top.y.size, dtype=bool), opposite, top.y))
    return _parabolas(oracle, top, opposite, values)


def rough_lines(oracle: Oracle) -> Indices:
    """Return the coordinates of y along which f, a sum, is known to be no parabola."""
    return NONE if oracle.is_parabola is None else np.flatnonzero(~oracle.is_parabola)


def rise(oracle: Oracle, x: Array, base: Peak, tolerance: float, h: float = effort.line_steps[0]) -> Asking[None]:
    """Climb the base: along lines where f is no parabola, first by moves of h, by its model in other coordinates."""
    rough, n_y = rough_lines(oracle), base.y.size
    if rough.size < n_y:
        yield from ascend(oracle, x, base, tolerance)
    elif not base.is_known:
        base.gy, base.H, base.M = np.zeros(n_y), np.zeros((n_y, n_y)), np.zeros((n_y, x.size))
    if not rough.size or not np.isfinite(base.value):
        return
    lines = [Line(0.0, 1.0, h, [(t, base.value)]) for t in base.y[rough].tolist()]
    yield from climb_lines(along(oracle, x, base.y, rough), lines, tolerance / rough.size)
    y = base.y.copy()
    y[rough] = [line.top[0] for line in lines]
    if (y != base.y).any():
        value = yield from oracle.ask_one(x, y)
        if value > base.value:
            base.move(y - base.y, value)
            base.last_y = None  # its slope along lines is not known


def along(oracle: Oracle, x: Array, y: Array, coordinates: Indices) -> Ask:
    """Return how to ask for values along lines through y."""

    def ask(which: Indices, at: Array) -> Asking[Array]:
        Y = np.repeat(y[None], at.size, axis=0)
        Y[np.arange(at.size), coordinates[which]] = at
        return oracle.ask(x, Y)

    return ask


def survey(oracle: Oracle, x: Array, base: Peak) -> Asking[Others]:
    """Find the alternative of each coordinate: the other bound where f is a parabola along it, else by a scan."""
    y, n_y = base.y, base.y.size
    z = np.where(y > 0.5, 0.0, 1.0)
    values = yield from oracle.ask(x, np.where(np.eye(n_y, dtype=bool), z, y))
    gaps = np.where(np.isnan(values), np.inf, base.value - values)
    if oracle.is_parabola is None:
        oracle.is_parabola = _parabolas(oracle, base, z, values)
    gaps[np.minimum(y, 1.0 - y) >= guards.at_bound] = np.inf  # inside, a bound is no maximum
    rough = rough_lines(oracle)
    others, lost = yield from scan(oracle, x, base, rough)
    is_best = lost < gaps[rough]
    z[rough[is_best]], gaps[rough[is_best]] = others[is_best], lost[is_best]
    chosen = np.flatnonzero(np.isfinite(gaps))
    k = chosen.size
    nothing = np.zeros((k, x.size))
    never = np.zeros(k, dtype=bool)
    return Others(chosen, z[chosen], gaps[chosen], nothing, never, never, np.zeros(k))


def _parabolas(oracle: Oracle, base: Peak, opposite: Array, values: Array) -> Flags:
    """Tell along which coordinates f is a parabola: slope and both ends foretell what the test for a sum met."""
    assert base.gy is not None
    assert oracle.tested is not None
    y, Y, met = oracle.tested
    if not np.array_equal(y, base.y):
        return np.zeros(y.size, dtype=bool)
    width, step = opposite - y, Y.diagonal() - y
    bend = (values - base.value - base.gy * width) / width**2
    foretold = base.value + base.gy * step + bend * step**2
    size = np.abs(met - base.value) + np.abs(values - base.value)
    flags: Flags = (np.abs(foretold - met) <= guards.parabola * size) & _is_topped(base, bend)
    return flags


def _is_topped(peak: Peak, bends: Array) -> Flags:
    """Tell which coordinates are at a bound or near the top of their parabola, not on a slope that ends at a kink."""
    assert peak.gy is not None
    flags: Flags = (bounds_held(peak.y) != 0.0) | (np.abs(peak.gy) <= -2.0 * guards.jump * bends)
    return flags


def scan(oracle: Oracle, x: Array, base: Peak, rough: Indices) -> Asking[tuple[Array, Array]]:
    """Return the best place on each line that is not the base's own maximum, and its gap; infinite if there is none."""
    n, k, gaps, z = effort.n_line, rough.size, np.full(rough.size, np.inf), base.y[rough]
    at, ask = np.linspace(0.0, 1.0, n), along(oracle, x, base.y, rough)
    if not k:
        return z, gaps
    values = np.nan_to_num((yield from ask(np.repeat(np.arange(k), n), np.tile(at, k))), nan=-np.inf).reshape(k, n)
    padded = np.pad(values, ((0, 0), (1, 1)), constant_values=-np.inf)
    is_far = np.abs(at - z[:, None]) > 1.0 / (n - 1)
    heights = np.where((values >= padded[:, :-2]) & (values >= padded[:, 2:]) & is_far, values, -np.inf)
    found, best = np.flatnonzero(heights.max(axis=1) > -np.inf), heights.argmax(axis=1)
    lines = []
    for i in found.tolist():
        near = slice(max(best[i] - 1, 0), best[i] + 2)
        lines.append(Line(0.0, 1.0, 0.0, list(zip(at[near].tolist(), values[i, near].tolist(), strict=True))))
    yield from climb_lines(along(oracle, x, base.y, rough[found]), lines, oracle.violation(base.value))
    for i, line in zip(found.tolist(), lines, strict=True):
        z[i], gaps[i] = line.top[0], base.value - line.top[1]
    return z, gaps


def climb_anew(
    oracle: Oracle, x: Array, peak: Peak, tolerance: float, n_rounds: int, known: tuple[Array, ...] = ()
) -> Asking[None]:
    """Climb from nothing learned; along lines where f is no parabola, from the best place of a scan."""
    rough = rough_lines(oracle)
    if not rough.size:
        yield from ascend(oracle, x, peak, tolerance, n_rounds, known)
        return
    peak.is_pinned = np.isin(np.arange(peak.y.size), rough)
    yield from rise(oracle, x, peak, tolerance)
    z, gaps = yield from scan(oracle, x, peak, rough)
    y = peak.y.copy()
    y[rough] = np.where(gaps < 0.0, z, y[rough])
    value = yield from oracle.ask_one(x, y)
    if value > peak.value:
        peak.move(y - peak.y, value)


def rescan(oracle: Oracle, x: Array, base: Peak, others: Others) -> Asking[Others]:
    """Scan the lines where f is no parabola again; what is found there replaces other alternatives."""
    rough = rough_lines(oracle)
    z, gaps = yield from scan(oracle, x, base, rough)
    for i, other, gap in zip(rough.tolist(), z.tolist(), gaps.tolist(), strict=True):
        same = (others.i == i) & (np.abs(others.z - other) < guards.same)
        if np.isfinite(gap) and not same.any():
            others = others.with_other(i, other, gap)
    return others


def pin(oracle: Oracle, base: Peak) -> None:
    """Mark the coordinates at a bound that are not concave and slope outward: only their alternative can be worse.

    So are those along which f is no parabola: they are climbed on their lines.
    """
    assert base.gy is not None
    assert base.H is not None
    outward = np.where(base.y > 0.5, base.gy, -base.gy) > 0.0
    base.climb = None
    base.is_pinned = outward & is_cornered(base.y, np.diag(base.H), base.gy)
    is_rough = np.isin(np.arange(base.y.size), rough_lines(oracle))
    base.is_pinned |= is_rough
    base.H = np.where(is_rough | is_rough[:, None], 0.0, base.H)
