"""The descent on a worst case that is a sum over the coordinates of y: the loop of `descent`, with the sum model."""

from dataclasses import dataclass, replace

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.methods.descent.additive import Others, pin, survey
from reckless.methods.descent.ascent import ascend, inward, measure_x
from reckless.methods.descent.incumbent import Incumbent
from reckless.methods.descent.learning import bent, bfgs
from reckless.methods.descent.oracle import Asking, Oracle
from reckless.methods.descent.peak import Peak, climb_left, cut, response
from reckless.methods.descent.place import Place
from reckless.methods.descent.step import TINY, Step, is_enough, next_radius, room_in_box
from reckless.methods.descent.tuning import guards, trust
from reckless.methods.program import solve_program


@dataclass(slots=True, eq=False)
class Fan:
    """An x, the base y there with its alternatives, and the curvature B of the Lagrangian.

    last: the x where B last learned, and the slope of the Lagrangian there; None after a surprise.
    """

    x: Array
    base: Peak
    others: Others
    B: Array | None = None
    last: tuple[Array, Array] | None = None

    @property
    def place(self) -> Place:
        return Place(self.x, [self.base])


def descend_sum(oracle: Oracle, incumbent: Incumbent, place: Place, radius: float) -> Asking[Place]:
    """Go down until no step helps, as `descend` does, with one alternative per coordinate of y."""
    fan, n_refused = (yield from _unfold(oracle, place)), 0
    while n_refused <= trust.most_refused and radius > trust.smallest and np.isfinite(fan.base.value):
        step = yield from _plan(oracle, fan, radius)
        incumbent.report(fan.place)
        F = fan.base.value
        floor = oracle.floor(F)
        if (yield from _climb(oracle, fan, trust.inner * max(step.predicted, floor))):
            continue
        if step.predicted <= floor or not step.d.any():
            break
        new, seen = yield from _try(oracle, fan, step)
        F_new, n_active = new.base.value, int((fan.others.weights > guards.holds).sum())
        ratio = (F - F_new) / step.predicted
        if is_enough(F, F_new, step.predicted):
            incumbent.note("accepted", F_new, radius, ratio, n_active)
            radius, fan, n_refused = next_radius(radius, step.reach, ratio), new, 0
            continue
        n_refused += 1
        is_learned = yield from _learn(oracle, fan, seen, n_refused)
        incumbent.note("refused: gaps" if is_learned else "refused", F, radius, ratio, n_active)
        if not is_learned:
            fan.B = bent(fan.B, step.d, step.predicted - (F - F_new))
            radius = trust.refused * step.reach
    return fan.place


def _climb(oracle: Oracle, fan: Fan, tolerance: float) -> Asking[bool]:
    """Climb the base if its model expects more than a tolerance; tell whether it rose."""
    before = fan.base.value
    if climb_left(fan.base)[1] > tolerance:
        yield from ascend(oracle, fan.x, fan.base, 0.5 * tolerance)
    return fan.base.value > before + tolerance or not fan.base.is_fresh_x


def _unfold(oracle: Oracle, place: Place) -> Asking[Fan]:
    """Climb the top and find the alternatives of its coordinates."""
    base = Peak(place.top.y, place.F)
    yield from ascend(oracle, place.x, base, guards.precision * abs(place.F))
    if np.isfinite(base.value):
        pin(base)
    others = yield from survey(oracle, place.x, base)
    return Fan(place.x, base, others)


def _plan(oracle: Oracle, fan: Fan, radius: float) -> Asking[Step]:
    """Flip what overtook the base, measure the base's slope, let B learn, and solve for the step."""
    x = fan.x
    if flip(fan):
        yield from _measure_gaps(oracle, fan)
    fan.base.last_x = None  # its own curvature is part of B
    if not fan.base.is_fresh_x:
        yield from measure_x(oracle, x, fan.base)
    slope, others = cut(fan.base, x.size)[1], fan.others
    if fan.last is not None and np.abs(x - fan.last[0]).max() > guards.moved:
        fan.B = bfgs(fan.B, x - fan.last[0], slope + others.weights @ others.G - fan.last[1])
    step = solve_sum(slope, fan.B, others, x, radius)
    fan.others = replace(others, weights=step.weights)
    fan.last = (x, slope + step.weights @ others.G)
    return step


def solve_sum(slope: Array, B: Array | None, others: Others, x: Array, radius: float) -> Step:
    """Return the step that minimizes the sum model over |d| <= radius; the multipliers are those of the others."""
    n, room = x.size, room_in_box(x)
    near = np.flatnonzero(others.gaps < radius * np.abs(others.G).sum(axis=1))  # the others stay below
    k, G, gaps = near.size, others.G[near], others.gaps[near]
    low, high = np.maximum(-1.0, room.low / radius), np.minimum(1.0, room.high / radius)
    scale = radius * max(float(np.abs(slope).max()), float(np.abs(G).max(initial=0.0))) + TINY
    H = np.zeros((n + k, n + k))
    H[:n, :n] = guards.flat * np.eye(n)
    if B is not None:
        H[:n, :n] += B * (radius * radius / scale)
    f = np.concatenate([slope * (radius / scale), np.ones(k)])
    A = np.hstack([G * (radius / scale), -np.eye(k)])
    u, held = solve_program(H, f, A, gaps / scale, low, high)
    d = room.clip(np.clip(u[:n], low, high) * radius)
    weights = np.zeros(others.i.size)
    weights[near] = held
    change = float(slope @ d + np.maximum(0.0, G @ d - gaps).sum())
    change += 0.0 if B is None else 0.5 * float(d @ B @ d)
    return Step(d, -change, weights)


def flip(fan: Fan) -> bool:
    """Let alternatives that overtook the base become part of it, by algebra; tell whether there were any."""
    base, others = fan.base, fan.others
    overtook = others.gaps < 0.0
    if not overtook.any():
        return False
    y, i = base.y.copy(), others.i[overtook]
    y[i], z = others.z[overtook], others.z.copy()
    z[overtook] = base.y[i]
    sign = np.where(overtook, -1.0, 1.0)
    fan.base = replace(
        base,
        y=y,
        value=base.value - float(others.gaps[overtook].sum()),
        gx=None if base.gx is None else base.gx + others.G[overtook].sum(axis=0),
        gy=None if base.gy is None else _flipped(base.gy, i),
        is_fresh_x=False,
        is_fresh_y=False,
        last_y=None,
    )
    weights = np.where(overtook, 1.0 - others.weights, others.weights)
    fan.others = replace(others, z=z, gaps=sign * others.gaps, G=sign[:, None] * others.G, weights=weights)
    return True


def _flipped(gy: Array, i: Indices) -> Array:
    """Return slopes in y at the other bound, where they point outward again; elsewhere they are measured."""
    gy = gy.copy()
    gy[i] *= -1.0
    return gy


def _measure_gaps(oracle: Oracle, fan: Fan) -> Asking[None]:
    """Evaluate all alternatives at x; one that fails cannot be worse."""
    values = yield from oracle.ask(fan.x, fan.others.rows(fan.base.y))
    fan.others = replace(fan.others, gaps=np.where(np.isnan(values), np.inf, fan.base.value - values))


def _try(oracle: Oracle, fan: Fan, step: Step) -> Asking[tuple[Fan, Others | None]]:
    """Follow the base to x + d, then its alternatives; climb if F may be low enough.

    Return the fan there, and the alternatives as they were seen before some overtook the base, if they were.
    """
    x, F = np.clip(fan.x + step.d, 0.0, 1.0), fan.base.value
    s, _ = response(fan.base, step.d)
    value = yield from oracle.ask_one(x, np.clip(fan.base.y + s, 0.0, 1.0))
    new, seen = replace(fan, x=x, base=fan.base.followed(step.d, s, value if value == value else np.inf)), None
    if is_enough(F, new.base.value, step.predicted):
        yield from _measure_gaps(oracle, new)
        new.others = seen = learned(fan.others, new.others, step.d)
        flip(new)
    if is_enough(F, new.base.value, step.predicted):
        yield from ascend(oracle, x, new.base, trust.inner * step.predicted)
    return new, seen


def learned(old: Others, new: Others, d: Array) -> Others:
    """Return alternatives whose slopes explain how the gaps changed with d; those foretold well keep what they had."""
    fell = np.where(np.isfinite(new.gaps) & np.isfinite(old.gaps), old.gaps - new.gaps, 0.0)
    error = fell - old.G @ d
    is_off = np.abs(error) > guards.foretold * (np.abs(fell) + np.abs(old.G @ d))
    G = old.G + np.outer(np.where(is_off, error, 0.0), d / float(d @ d))
    return replace(new, G=G, is_measured=old.is_measured & ~is_off, weights=old.weights)


def _learn(oracle: Oracle, fan: Fan, seen: Others | None, n_refused: int) -> Asking[bool]:
    """Learn the slopes of alternatives that overtook unforeseen: first from their gaps, then by differences."""
    if seen is None:
        return False
    surprising = (seen.gaps < 0.0) & ~seen.is_measured & (seen.G != fan.others.G).any(axis=1)
    if not surprising.any():
        return False
    fan.others = replace(fan.others, G=seen.G, is_measured=seen.is_measured)
    if n_refused > 1:
        for j in np.flatnonzero(surprising).tolist():
            yield from _measure_other(oracle, fan, j)
    return True


def _measure_other(oracle: Oracle, fan: Fan, j: int) -> Asking[None]:
    """Measure the slope in x of the j-th alternative (n_x)."""
    assert fan.base.gx is not None
    others, h = fan.others, inward(fan.x, oracle.forward)
    values = yield from oracle.ask(fan.x + np.diag(h), others.rows(fan.base.y)[j])
    rise = values - (fan.base.value - others.gaps[j])
    G, is_measured = others.G.copy(), others.is_measured.copy()
    G[j] = np.where(np.isfinite(rise), rise / h - fan.base.gx, 0.0)
    is_measured[j] = True
    fan.others = replace(others, G=G, is_measured=is_measured)
