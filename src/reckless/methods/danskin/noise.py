"""Noise and stairs: a trust region of regressions, where differences of single values would tell nothing.

It takes over when one pair, evaluated twice, gives two values, or when f is a fine staircase. The first is noise, and
the answer's value a mean; a staircase is exact. Each scenario (a worst y)
has a quadratic fitted to samples around it; the step minimizes the highest of them, and repeated evaluations, not the
models, decide whether it is taken.
"""

from dataclasses import dataclass, field
from math import sqrt

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.attack import attack
from reckless.methods.danskin.detection import N_REPEATS
from reckless.methods.danskin.incumbent import Answer, Incumbent
from reckless.methods.danskin.inner import Inner
from reckless.methods.danskin.oracle import FAILED, Asking, Fatal, Spent
from reckless.methods.danskin.regression import (
    SMALLEST_RADIUS,
    MinimaxStep,
    Scenario,
    fit_scenario,
    minimax_step,
    reply,
)
from reckless.methods.noisy.quadratic import n_coefficients

N_MEAN = 6  # values per mean
LARGEST_RADIUS = 0.3
MOST_REJECTIONS = 6


@dataclass(slots=True)
class Region:
    """The state of one descent under noise."""

    inner: Inner
    incumbent: Incumbent
    sd: float
    x: Array
    scenarios: list[Scenario] = field(default_factory=list)
    estimate: float = np.inf
    n_rejected: int = 0

    def means(self, x: Array, Y: Array, n: int = N_MEAN) -> Asking[Array]:
        """Return the mean of n evaluations of x against each row of Y; of one, if f is exact."""
        n = n if self.inner.oracle.is_noisy else 1
        values = yield from self.inner.oracle.ask(x, np.repeat(Y, n, axis=0))
        means: Array = values.reshape(len(Y), n).mean(axis=1)
        return means

    def snap(self, y: Array, x: Array) -> Asking[Array]:
        """Move coordinates that are not clearly better inside than at a bound to the better bound."""
        y = np.where(y < 0.02, 0.0, np.where(y > 0.98, 1.0, y))
        for i in np.flatnonzero((y > 0.0) & (y < 1.0)).tolist():
            Y = np.repeat(y[None], 3, axis=0)
            Y[1, i], Y[2, i] = 0.0, 1.0
            inside, low, high = (yield from self.means(x, Y)).tolist()
            if inside < max(low, high) + 3.0 * self.sd / sqrt(3.0):
                y = Y[1] if low > high else Y[2]
        return y

    def add(self, y: Array) -> Asking[None]:
        """Make y a scenario unless there is one close by."""
        y = yield from self.snap(y, self.x)
        for s in self.scenarios:
            if np.abs(s.y - y).max() < max(0.05, s.radius if s.free.size else 0.0):
                return
        self.scenarios.append(Scenario(y))


def descend_by_regression(inner: Inner, incumbent: Incumbent, x: Array, first: list[Array], sd: float) -> Asking[None]:
    """Descend from x against worst cases near `first` until the models are of no more use or x fails; then validate."""
    try:
        yield from _descend(Region(inner, incumbent, sd, x), first)
    except Fatal:
        incumbent.recommend()


def _descend(region: Region, first: list[Array]) -> Asking[None]:
    for y in first:
        yield from region.add(y)
    k = 0
    while True:
        if k % 4 == 0:
            yield from _look_around(region)
        yield from _fit_all(region)
        radius = min(s.radius for s in region.scenarios)
        step = minimax_step(region.scenarios, region.x, radius)
        yield from _take_step(region, step, radius)
        _report(region)
        k += 1
        smallest = min(s.radius for s in region.scenarios if s.is_active or len(region.scenarios) == 1)
        if region.n_rejected >= MOST_REJECTIONS or (k > 1 and smallest < 2.0 * SMALLEST_RADIUS):
            break
    region.incumbent.settle((yield from _validated(region)))


def conclude_under_noise(inner: Inner, incumbent: Incumbent, sd: float) -> Asking[None]:
    """Attack the answer unless that was done, then spend the rest on its mean, and report how far it may be off."""
    oracle, task = inner.oracle, inner.oracle.task
    answer = incumbent.leader
    if answer is not None and answer.n_searches == 0:
        region = Region(inner, incumbent, sd, answer.x, [Scenario(answer.y)])
        try:
            attacked = yield from _validated(region)
            attacked.is_settled = answer.is_settled
            incumbent.settled, incumbent.provisional = [*incumbent.settled, attacked], None
        except (Spent, Fatal):
            pass
        answer = incumbent.leader
    task.remark = f"The noise of f has a standard deviation of about {sd:.2g}."
    if answer is None or task.n_left < 2:
        return
    values = yield from oracle.ask(np.repeat(answer.x[None], task.n_left, axis=0), answer.y)
    values = values[np.abs(values) < -FAILED]
    if values.size:
        answer.value = float(values.mean())
        incumbent.settled, incumbent.provisional = [answer], None
        incumbent.recommend()
        task.remark = (
            f"The noise of f has a standard deviation of about {sd:.2g}, the estimate a standard error of "
            f"{sd / sqrt(values.size):.1g}."
        )


def _validated(region: Region) -> Asking[Answer]:
    """Return the worst of the scenarios and of two attacks, by their means, as an answer.

    An attack arrived if its y is as bad as that, up to the noise of one value, below which no search can see.
    """
    inner, x, sd = region.inner, region.x, region.sd if region.inner.oracle.is_noisy else 0.0
    Y = [s.y for s in region.scenarios]
    for _ in range(2):
        peak = yield from attack(inner, x, Y, n_points=9)
        Y.append(peak.z)
    n_affordable = (inner.oracle.limit - inner.oracle.n_used) // (2 * len(Y))
    means = yield from region.means(x, np.array(Y), min(N_REPEATS, max(1, n_affordable)))
    k = int(means.argmax())
    answer = Answer(x, Y[k], float(means[k]))
    for mean in means[-2:].tolist():
        answer.note_search(mean + sd, float(np.ptp(means)))
    return answer


def _report(region: Region) -> None:
    """Report x with its worst scenario; under noise the estimate is the model's, which averages."""
    oracle = region.inner.oracle
    met = oracle.met_at(region.x)
    if not oracle.is_noisy and met is not None:
        region.incumbent.report(region.x, met.y, met.high)
        return
    replies = [(reply(s, np.zeros(region.x.size)), s) for s in region.scenarios if s.fit is not None]
    if replies:
        top, scenario = max(replies, key=lambda pair: pair[0].value)
        y = scenario.y.copy()
        y[scenario.free] = np.clip(y[scenario.free] + top.e, 0.0, 1.0)
        region.incumbent.report(region.x, y, region.estimate)


def _look_around(region: Region) -> Asking[None]:
    """Add one-flip neighbors of the scenarios, and what an attack finds, if they come near the worst case."""
    inner, rng, x = region.inner, region.inner.oracle.rng, region.x
    inner.n_attacks = 0
    peak = yield from attack(inner, x, [])
    candidates = [peak.z]
    for s in region.scenarios[:6]:
        for i in np.flatnonzero((s.y <= 0.0) | (s.y >= 1.0)):
            y = s.y.copy()
            y[i] = 1.0 - y[i]
            candidates.append(y)
    if len(candidates) > 40:
        candidates = [candidates[i] for i in rng.permutation(len(candidates))[:40]]
    Y = np.array(candidates)
    Y = np.where(Y < 0.02, 0.0, np.where(Y > 0.98, 1.0, Y))
    known = yield from region.means(x, np.array([s.y for s in region.scenarios]), 4)
    values = yield from region.means(x, Y, 4)
    fitted = [s.fit for s in region.scenarios if s.fit is not None]
    steepest = max((float(np.abs(fit.slope[: x.size]).sum()) for fit in fitted), default=np.inf)
    radius = max(0.02, min(s.radius for s in region.scenarios))
    for k in np.argsort(-values)[:8].tolist():
        is_near = values[k] > known.max() - 3.0 * radius * steepest - 2.0 * region.sd
        if is_near and len(region.scenarios) < 2 * x.size + 4:
            yield from region.add(Y[k])


def _fit_all(region: Region) -> Asking[None]:
    """Sample every scenario, most where it matters, and fit; free y move to the top of their model."""
    oracle, n = region.inner.oracle, region.x.size
    maxfev = oracle.task.maxfev
    for s in region.scenarios:
        p = n_coefficients(n + s.free.size, False)
        wanted = max(p, 0.02 * maxfev / len(region.scenarios), 0.12 * s.n_samples)
        yield from _sample_and_fit(region, s, int(wanted) if s.is_active else p // 2 + 2)
        if s.free.size and s.fit is not None:
            e = reply(s, np.zeros(n)).e
            y = s.y.copy()
            y[s.free] = np.clip(y[s.free] + e, 0.0, 1.0)
            s.y = y
            yield from _sample_and_fit(region, s, 0)
    worst = max(reply(s, np.zeros(n)).value for s in region.scenarios)
    region.scenarios = [  # those that the next steps cannot raise to the top are dropped
        s
        for s in region.scenarios
        if s.is_active
        or s.fit is None
        or s.fit.value + 3.0 * max(s.radius, 0.02) * np.abs(s.fit.slope[:n]).sum() > worst - 4.0 * region.sd
    ]


def _sample_and_fit(region: Region, s: Scenario, n_samples: int) -> Asking[None]:
    """Evaluate new samples, and more as long as the fit lacks some."""
    oracle = region.inner.oracle
    n_missing = n_samples
    for _ in range(40):
        if n_missing > 0:
            X, Y = s.sample(oracle.rng, region.x, n_missing)
            values = yield from oracle.ask(X, Y)
            is_good = np.abs(values) < -FAILED
            s.learn(X[is_good], Y[is_good], values[is_good])
        n_missing = fit_scenario(s, region.x, region.sd, int(0.05 * oracle.task.maxfev))
        if n_missing == 0:
            return


def _take_step(region: Region, step: MinimaxStep, radius: float) -> Asking[None]:
    """Move if repeated evaluations at the new x do not contradict; adapt the radii."""
    sd = region.sd
    x = np.clip(region.x + step.d, 0.0, 1.0)
    Y = []
    for s in region.scenarios:
        y = s.y.copy()
        y[s.free] = np.clip(y[s.free] + reply(s, step.d).e, 0.0, 1.0)
        Y.append(y)
    moved = float(np.abs(step.d).max())
    try:
        worst = yield from _worst_at(region, x, Y, is_far=moved > 0.05 * radius)
    except Fatal:
        worst = np.inf
    errors = [s.fit.error for s in region.scenarios if s.fit is not None and s.is_active]
    is_worse = worst > step.before + 4.0 * sd / sqrt(N_MEAN) + 4.0 * max(errors, default=0.0)
    if is_worse:
        region.n_rejected += 1
    else:
        region.x, region.estimate = x, step.after
        for s in region.scenarios:
            if s.fit is not None and s.free.size:
                s.y = Y[region.scenarios.index(s)]
    for s in region.scenarios:
        if is_worse:
            s.radius = max(0.6 * s.radius, SMALLEST_RADIUS)
        elif not s.is_lacking and s.fit is not None and (moved < 0.3 * radius or moved > 0.9 * radius):
            s.radius = min(LARGEST_RADIUS, 1.25 * s.radius)


def _worst_at(region: Region, x: Array, Y: list[Array], *, is_far: bool) -> Asking[float]:
    """Return the highest mean at x, if it is far from the last one also with y moved inside, a new scenario then."""
    if len(region.inner.oracle.fatal):
        yield from region.inner.oracle.ask(x, region.inner.oracle.fatal)
    means = yield from region.means(x, np.array(Y))
    worst, k = float(means.max()), int(means.argmax())
    if not is_far:
        return worst
    inside = yield from _better_inside(region, x, Y[k], worst)
    if inside is None:
        return worst
    if all(np.abs(s.y - inside[0]).max() > 0.02 for s in region.scenarios):
        region.scenarios.append(Scenario(inside[0], 0.1))
    return max(worst, inside[1])


def _better_inside(region: Region, x: Array, y: Array, worst: float) -> Asking[tuple[Array, float] | None]:
    """Move a coordinate at its bound a little inside if that is worse; return the new y and its value, or None."""
    at = np.flatnonzero((y <= 0.0) | (y >= 1.0))[:20]
    if not at.size:
        return None
    Y = np.repeat(y[None], 2 * at.size, axis=0)
    for k, i in enumerate(at):
        for j, inset in enumerate((0.04, 0.15)):
            Y[2 * k + j, i] = inset if y[i] <= 0.0 else 1.0 - inset
    values = yield from region.means(x, Y, 3)
    k = int(values.argmax())
    if values[k] <= worst + 3.5 * region.sd / sqrt(3.0):
        return None
    snapped = yield from region.snap(Y[k], x)
    return snapped, float(values[k])
