"""Noise: a trust region of regressions, where differences of single values would tell nothing.

It takes over when one pair, evaluated twice, gives two values, or when f is a fine staircase. Each scenario (a worst y)
has a quadratic fitted to samples around it; the step minimizes the highest of them, and repeated evaluations, not the
models, decide whether it is taken.
"""

from dataclasses import dataclass, field
from math import factorial, sqrt

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.attack import attack
from reckless.methods.danskin.incumbent import Answer, Incumbent
from reckless.methods.danskin.inner import Inner
from reckless.methods.danskin.oracle import FAILED, Asking
from reckless.methods.danskin.regression import (
    SMALLEST_RADIUS,
    MinimaxStep,
    Scenario,
    fit_scenario,
    minimax_step,
    n_features,
    reply,
)

N_REPEATS = 60  # of one pair, to measure the noise: known to 10 %
N_MEAN = 6  # values per mean
LARGEST_RADIUS = 0.3
MOST_REJECTIONS = 6


def detect_noise(inner: Inner, x: Array, y: Array) -> Asking[float]:
    """Return the standard deviation of repeated evaluations, or of a staircase's steps; 0 if there is neither.

    Costs 3 evaluations if there is neither.
    """
    oracle, rng = inner.oracle, inner.oracle.rng
    beside = np.clip(x + 1e-6 * rng.uniform(-1.0, 1.0, x.size), 0.0, 1.0)
    twice = yield from oracle.ask(np.vstack([x, x, beside]), y)
    if twice[0] != twice[1]:
        values = yield from oracle.ask(np.repeat(x[None], N_REPEATS, axis=0), y)
        values = values[values > FAILED]
        return float(np.std(values, ddof=1)) if values.size > 1 else 0.0
    if abs(twice[0]) >= -FAILED or twice[2] != twice[0]:
        return 0.0
    estimates, heights = [], []
    for _ in range(6):
        along = np.arange(9)[:, None] * 1e-3
        X = 0.2 + 0.6 * rng.random(x.size) + along * rng.uniform(-1.0, 1.0, x.size)
        Y = 0.2 + 0.6 * rng.random(y.size) + along * rng.uniform(-1.0, 1.0, y.size)
        values = yield from oracle.ask(X, Y)
        estimates.append(difference_noise(values))
        heights.append(values)
    found = [estimate for estimate in estimates if estimate > 0.0]
    if len(found) < 2:
        return 0.0
    middle = float(np.median(found))
    return min(max(middle, stair_height(np.concatenate(heights)) / sqrt(12.0)), 3.0 * middle)


def stair_height(values: Array) -> float:
    """Return the smallest difference between values that is more than rounding error."""
    gaps = np.diff(np.sort(values))
    gaps = gaps[gaps > 1e-9 * (np.abs(values).max() + 1e-300)]
    return float(gaps.min()) if gaps.size else 0.0


def difference_noise(values: Array) -> float:
    """Estimate noise in evenly spaced values by difference tables (More & Wild 2011); 0 if the levels do not agree."""
    rounding = 1e-10 * float(np.abs(values).max())
    levels, has_both_signs = [], []
    for order in range(1, 7):
        values = np.diff(values)
        weight = factorial(order) ** 2 / factorial(2 * order)
        levels.append(sqrt(weight * float(np.mean(values**2))))
        has_both_signs.append(bool(values.min() < 0.0 < values.max()))
    for k in range(4):
        window = levels[k : k + 3]
        if has_both_signs[k] and rounding < max(window) <= 4.0 * min(window):
            return float(np.median(window))
    return 0.0


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
        """Return the mean of n evaluations of x against each row of Y."""
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


def descend_under_noise(inner: Inner, incumbent: Incumbent, x: Array, first: list[Array], sd: float) -> Asking[None]:
    """Descend from x against worst cases near `first` until the models are of no more use; then validate."""
    region = Region(inner, incumbent, sd, x)
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
    yield from _settle(region)


def conclude_under_noise(inner: Inner, incumbent: Incumbent, sd: float) -> Asking[None]:
    """Spend the remaining evaluations on the mean of the answer, and report how far it may be off."""
    answer, oracle = incumbent.leader, inner.oracle
    n_left = oracle.task.n_left
    if answer is None or n_left < 2:
        return
    values = yield from oracle.ask(np.repeat(answer.x[None], n_left, axis=0), answer.y)
    values = values[values > FAILED]
    if values.size:
        incumbent.settled = []
        incumbent.settle(Answer(answer.x, answer.y, float(values.mean())))
        oracle.task.remark = (
            f"Evaluations are noisy, with a standard deviation of about {sd:.2g}; the estimate is a mean of "
            f"{values.size}, with a standard error of {sd / sqrt(values.size):.1g}."
        )


def _settle(region: Region) -> Asking[None]:
    """End with a mean over the scenarios and two attacks as the estimate."""
    inner, x = region.inner, region.x
    Y = [s.y for s in region.scenarios]
    for _ in range(2):
        peak = yield from attack(inner, x, Y, n_points=9)
        Y.append(peak.z)
    means = yield from region.means(x, np.array(Y), N_REPEATS)
    k = int(means.argmax())
    region.incumbent.settle(Answer(x, Y[k], float(means[k]), n_searches=2))


def _report(region: Region) -> None:
    """Report x with its worst scenario; the estimate is the model's, which averages the noise."""
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
        p = n_features(n + s.free.size, False)
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
            is_good = values > FAILED
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
    means = yield from region.means(x, np.array(Y))
    worst, k = float(means.max()), int(means.argmax())
    moved = float(np.abs(step.d).max())
    inside = yield from _better_inside(region, x, Y[k], worst) if moved > 0.05 * radius else _nothing()
    if inside is not None:
        worst = max(worst, inside[1])
        if all(np.abs(s.y - inside[0]).max() > 0.02 for s in region.scenarios):
            region.scenarios.append(Scenario(inside[0], 0.1))
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


def _nothing() -> Asking[None]:
    return None
    yield  # a generator that asks for nothing


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
