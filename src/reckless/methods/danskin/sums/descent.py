"""The descent on a worst case that is a sum over the coordinates of y: the loop of `descend`, with the sum model."""

from dataclasses import dataclass, replace

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.core.task import Balance
from reckless.methods.danskin.ascent import measure_x
from reckless.methods.danskin.curvature import bent, bfgs
from reckless.methods.danskin.incumbent import Incumbent
from reckless.methods.danskin.oracle import Asking, Oracle, inward
from reckless.methods.danskin.peak import Peak, climb_left, cut, response
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.step import Step, is_enough, next_radius
from reckless.methods.danskin.sums.additive import Others, along, pin, rescan, rise, rough_lines, survey
from reckless.methods.danskin.sums.lines import Line, climb_lines
from reckless.methods.danskin.sums.sweep import solve_sum, sweep, unbent
from reckless.methods.danskin.tuning import effort, guards, trust


@dataclass(slots=True, eq=False)
class Fan:
    """An x, the base y there with its alternatives, the curvature B of f in x, and the radius of the trust region.

    last: the x where the slope of the base was last measured, and that slope; None after a surprise. slack: what may be
    left to climb along lines. missed: length and error of the last step that the base refused. is_kinked: whether such
    errors shrink as their length, so that f has kinks in x.
    """

    x: Array
    base: Peak
    others: Others
    B: Array | None = None
    radius: float = trust.first
    last: tuple[Array, Array] | None = None
    slack: float = 0.0
    missed: tuple[float, float] = (0.0, 0.0)
    is_kinked: bool = False

    @property
    def place(self) -> Place:
        return Place(self.x, [self.base], self.radius, weighed=self._weighed())

    def _weighed(self) -> Balance | None:
        """Return the multipliers of the base and of its alternatives, if they were solved for here.

        Alternatives of several coordinates may hold the step together; their multipliers add up to more than 1 then.
        """
        weights = self.others.weights
        if self.last is None or self.last[0] is not self.x or weights.sum() > 1.0:
            return None
        Y = np.vstack([self.base.y, self.others.rows(self.base.y)])
        return Balance(self.x, Y, np.concatenate([[1.0 - weights.sum()], weights]))

    @property
    def worst(self) -> float:
        """The worst case with alternatives that overtook the base."""
        return self.base.value - float(np.minimum(self.others.gaps, 0.0).sum())


def descend_sum(oracle: Oracle, incumbent: Incumbent, place: Place) -> Asking[Place]:
    """Go down until no step helps, as `descend` does, with one alternative per coordinate of y."""
    fan, n_refused = (yield from _unfold(oracle, place)), 0
    ceiling, reach = np.inf, fan.radius  # F before the last step, and how long that was
    while n_refused <= trust.most_refused and fan.radius > trust.smallest and np.isfinite(fan.base.value):
        if fan.worst > ceiling:  # the last step did not lower F after all
            fan.radius, ceiling = trust.refused * reach, np.inf
        step = yield from _plan(oracle, fan)
        if fan.is_kinked:
            lines = yield from sweep(oracle, fan.x, fan.base, fan.radius)
            step = solve_sum(*unbent(lines, fan.x, fan.others), fan.x, fan.radius)
        incumbent.report(fan.place)
        F = fan.base.value
        floor = oracle.floor(F)
        if (yield from _climb(oracle, fan, trust.inner * max(step.predicted, floor))):
            continue
        if step.predicted <= floor or not step.d.any():
            if (yield from _has_more(oracle, fan)):
                continue
            break
        new, seen = yield from _try(oracle, fan, step)
        F_new, n_active = new.base.value, int((fan.others.weights > guards.holds).sum())
        ratio = (F - F_new) / step.predicted
        if is_enough(F, F_new, step.predicted):
            incumbent.note("accepted", F_new, fan.radius, ratio, n_active)
            new.radius = next_radius(fan.radius, step.reach, ratio)
            fan, n_refused, ceiling, reach = new, 0, F, step.reach
            yield from _has_more(oracle, fan, is_due=step.reach > guards.jump)
            incumbent.report(fan.place)
            continue
        n_refused += 1
        is_learned = (yield from _learn(oracle, fan, seen)) or (yield from _adopt(oracle, fan, new))
        incumbent.note("refused: gaps" if is_learned else "refused", F, fan.radius, ratio, n_active)
        if not is_learned:
            if seen is None:  # the base itself did not fall as foretold
                fan.is_kinked |= _is_kink(fan, step, F_new)
                fan.B = bent(fan.B, step.d, F_new - F - float(cut(fan.base, fan.x.size)[1] @ step.d))
            fan.radius = trust.refused * step.reach
    return fan.place


def _climb(oracle: Oracle, fan: Fan, tolerance: float) -> Asking[bool]:
    """Climb the base if its model expects more than a tolerance; tell whether it rose."""
    before = fan.base.value
    if max(climb_left(fan.base)[1], fan.slack) > tolerance:
        fan.slack = 0.5 * tolerance if rough_lines(oracle).size else 0.0
        yield from rise(oracle, fan.x, fan.base, 0.5 * tolerance)
        if fan.slack:
            yield from _sharpen(oracle, fan, fan.slack)
    return fan.base.value > before + tolerance or not fan.base.is_fresh_x


def _has_more(oracle: Oracle, fan: Fan, *, is_due: bool = True) -> Asking[bool]:
    """Look for other alternatives while the share for it lasts, or if it is due; tell whether there are."""
    first, cost = oracle.n_used, effort.n_line * rough_lines(oracle).size
    if not is_due and oracle.n_searched + cost > effort.search_share * first:
        return False
    others = yield from rescan(oracle, fan.x, fan.base, fan.others)
    oracle.n_searched += oracle.n_used - first
    fan.others, old = others, fan.others
    return others is not old


def _unfold(oracle: Oracle, place: Place) -> Asking[Fan]:
    """Climb the top and find the alternatives of its coordinates."""
    base = replace(place.top, is_fixed=False, last_x=None, B=None)  # its curvature is part of the Lagrangian's
    base.is_pinned = np.isin(np.arange(base.y.size), rough_lines(oracle))
    yield from rise(oracle, place.x, base, guards.precision * abs(place.F))
    others = yield from survey(oracle, place.x, base)
    if np.isfinite(base.value):
        pin(oracle, base)
    return Fan(place.x, base, others, radius=place.radius, slack=np.inf if rough_lines(oracle).size else 0.0)


def _plan(oracle: Oracle, fan: Fan) -> Asking[Step]:
    """Flip what overtook the base, measure the base's slope, let B learn, and solve for the step."""
    x = fan.x
    if flip(fan):
        yield from _measure_gaps(oracle, fan)
    fan.base.last_x = None
    if not fan.base.is_fresh_x:
        yield from measure_x(oracle, x, fan.base)
    slope = cut(fan.base, x.size)[1]
    if fan.last is not None and np.abs(x - fan.last[0]).max() > guards.moved:
        fan.B = bfgs(fan.B, x - fan.last[0], slope - fan.last[1])
    while True:
        step = solve_sum(slope, fan.B, fan.others, x, fan.radius)
        fan.others = replace(fan.others, weights=step.weights)
        held = np.flatnonzero((step.weights > guards.holds) & ~fan.others.is_measured)
        if step.predicted > oracle.floor(fan.base.value) or not held.size:
            break
        for j in held.tolist():
            yield from _measure_other(oracle, fan, j)
    fan.last = (x, slope)
    return step


def _is_kink(fan: Fan, step: Step, F_new: float) -> bool:
    """Tell whether the error of refused steps shrinks as their length, not as its square."""
    (reach, error), slope = fan.missed, cut(fan.base, fan.x.size)[1]
    fan.missed = step.reach, F_new - fan.base.value - float(slope @ step.d)
    return reach > step.reach and fan.missed[1] > error * (step.reach / reach) ** 1.5 > 0.0


def flip(fan: Fan) -> bool:
    """Let alternatives that overtook the base become part of it, by algebra; tell whether there were any."""
    base, others = fan.base, fan.others
    overtook = others.gaps < 0.0
    if not overtook.any():
        return False
    y, i = base.y.copy(), others.i[overtook]
    y[i], z = others.z[overtook], others.z.copy()
    z[overtook] = base.y[i]
    sign, turn = np.where(overtook, -1.0, 1.0), others.G[overtook].sum(axis=0)
    fan.base = replace(
        base,
        y=y,
        value=base.value - float(others.gaps[overtook].sum()),
        gx=None if base.gx is None else base.gx + turn,
        gy=None if base.gy is None else _flipped(base.gy, i),
        is_fresh_x=False,
        is_fresh_y=False,
        last_y=None,
    )
    is_sure = fan.last is not None and others.is_measured[overtook].all()
    fan.last = (fan.last[0], fan.last[1] + turn) if fan.last is not None and is_sure else None
    weights = np.where(overtook, 1.0 - others.weights, others.weights)
    fan.others = replace(others, z=z, gaps=sign * others.gaps, G=sign[:, None] * others.G, weights=weights)
    return True


def _flipped(gy: Array, i: Indices) -> Array:
    """Return slopes in y at the other bound, where they point outward again; elsewhere they are measured."""
    gy = gy.copy()
    gy[i] *= -1.0
    return gy


def _measure_gaps(oracle: Oracle, fan: Fan) -> Asking[None]:
    """Evaluate all alternatives at x; one that fails cannot be worse, and one that the base met is none."""
    others, y = fan.others, fan.base.y
    if not others.i.size:
        return
    values = yield from oracle.ask(fan.x, others.rows(y))
    is_void = np.isnan(values) | (np.abs(others.z - y[others.i]) < guards.same)
    fan.others = replace(others, gaps=np.where(is_void, np.inf, fan.base.value - values))


def _sharpen(oracle: Oracle, fan: Fan, tolerance: float) -> Asking[None]:
    """Measure all gaps, and climb the alternatives that held the step along their lines."""
    yield from _measure_gaps(oracle, fan)
    others, base = fan.others, fan.base
    is_rough = np.isin(others.i, rough_lines(oracle)) & (others.weights > guards.holds) & np.isfinite(others.gaps)
    chosen = np.flatnonzero(is_rough)
    points = zip(others.z[chosen].tolist(), (base.value - others.gaps[chosen]).tolist(), strict=True)
    lines = [Line(0.0, 1.0, effort.line_steps[0], [point]) for point in points]
    yield from climb_lines(along(oracle, fan.x, base.y, others.i[chosen]), lines, tolerance / max(1, chosen.size))
    z, gaps = others.z.copy(), others.gaps.copy()
    z[chosen], gaps[chosen] = [line.top[0] for line in lines], [base.value - line.top[1] for line in lines]
    fan.others = replace(others, z=z, gaps=gaps)


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
        new.others = seen = carried(fan.others, new.others, step.d)
        flip(new)
    if is_enough(F, new.base.value, step.predicted):
        new.slack = trust.inner * step.predicted if rough_lines(oracle).size else 0.0
        climbed = new.base.value
        yield from rise(oracle, x, new.base, trust.inner * step.predicted, min(step.reach, effort.line_steps[0]))
        if new.base.value > climbed and new.slack:
            yield from _measure_gaps(oracle, new)
    return new, seen


def carried(old: Others, new: Others, d: Array) -> Others:
    """Return alternatives with their slopes from before a step d; those whose gap was foretold badly are unmeasured."""
    is_known = np.isfinite(new.gaps) & np.isfinite(old.gaps)
    fell = np.where(is_known, old.gaps, 0.0) - np.where(is_known, new.gaps, 0.0)
    is_off = np.abs(fell - old.G @ d) > guards.foretold * (np.abs(fell) + np.abs(old.G) @ np.abs(d))
    is_measured, is_fresh = old.is_measured & ~is_off, np.zeros_like(is_off)
    return replace(new, G=old.G, is_measured=is_measured, is_fresh=is_fresh, weights=old.weights)


def _learn(oracle: Oracle, fan: Fan, seen: Others | None) -> Asking[bool]:
    """Measure the slopes of alternatives that overtook unforeseen; tell whether there were any."""
    if seen is None:
        return False
    surprising = (seen.gaps < 0.0) & ~seen.is_measured & ~fan.others.is_fresh
    if not surprising.any():
        return False
    for j in np.flatnonzero(surprising).tolist():
        yield from _measure_other(oracle, fan, j)
    return True


def _adopt(oracle: Oracle, fan: Fan, new: Fan) -> Asking[bool]:
    """Make alternatives of the places that coordinates of y jumped to at x + d; tell whether there were any."""
    jumped = np.abs(new.base.y - fan.base.y) > guards.jump + 2.0 * np.abs(new.x - fan.x).max()
    jumped[fan.others.i[np.abs(fan.others.z - new.base.y[fan.others.i]) < guards.same]] = False
    for i in np.flatnonzero(jumped).tolist():
        fan.others = fan.others.with_other(i, float(new.base.y[i]), np.inf)
    if jumped.any():
        yield from _measure_gaps(oracle, fan)
        return True
    assert fan.base.gx is not None
    is_sudden = new.base.value - fan.base.value > float(np.abs(fan.base.gx) @ np.abs(new.x - fan.x))
    return is_sudden and (yield from _has_more(oracle, fan))


def _measure_other(oracle: Oracle, fan: Fan, j: int) -> Asking[None]:
    """Measure the slope in x of the j-th alternative (n_x)."""
    assert fan.base.gx is not None
    others, h = fan.others, inward(fan.x, oracle.forward)
    values = yield from oracle.ask(fan.x + np.diag(h), others.rows(fan.base.y)[j])
    rise = values - (fan.base.value - others.gaps[j])
    G, is_measured, is_fresh = others.G.copy(), others.is_measured.copy(), others.is_fresh.copy()
    G[j] = np.where(np.isfinite(rise), rise / h - fan.base.gx, 0.0)
    is_measured[j] = is_fresh[j] = True
    fan.others = replace(others, G=G, is_measured=is_measured, is_fresh=is_fresh)
