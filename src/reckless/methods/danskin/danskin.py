"""Danskin: descend on the worst case against every maximizer that may matter, and verify before believing.

Danskin (1967): the slope of F(x) = max_y f(x, y) along d is the largest slope of f along d over all maximizers y. So
all near-active maximizers are tracked as x moves (`state`), a step is chosen against all of them at once (`model`), new
ones are looked for in between (`inner`, `attack`), and no x leads before its worst case survived independent attacks.
"""

from dataclasses import dataclass

import numpy as np

from reckless.core.arguments import keep, read_between
from reckless.core.arrays import Array
from reckless.core.task import Agreement, Search, Task
from reckless.methods.danskin.attack import (
    attack_along_lines,
    attack_by_hops,
    attack_from_sample,
    keep_attacking,
    validate,
)
from reckless.methods.danskin.climb import Peak
from reckless.methods.danskin.closing import conclude, reserve_of
from reckless.methods.danskin.descent import FIRST_RADIUS, descend
from reckless.methods.danskin.detection import detect_noise
from reckless.methods.danskin.hopping import N_ON_LINE, Hopping, Landing, ground_at, hop, search_lines
from reckless.methods.danskin.incumbent import Answer, Incumbent
from reckless.methods.danskin.inner import Inner
from reckless.methods.danskin.noise import conclude_under_noise, descend_by_regression
from reckless.methods.danskin.oracle import FAILED, Asking, Fatal, Oracle, Spent
from reckless.methods.danskin.state import State
from reckless.methods.danskin.trial import way_back

LEAST_FOR_NOISE = 200  # a smaller budget is of no use against noise, which then goes unnoticed
MOST_REFUTED = 8  # ends of one descent
RESUMED_RADIUS = 0.02  # of a descent that goes on after its end was refuted
LEAD_SHARE = 0.1  # of the evaluations so far, to validate an x that would lead
LINE_SHARE = 0.3  # of the evaluations so far, for a search along the lines through the incumbent
GUARD_SHARE = 0.05  # of the evaluations so far, for attacks on the x that leads
HOP_SHARE = 0.15  # of the evaluations so far, for hops in y, if the attacks disagree


@dataclass(frozen=True, slots=True, kw_only=True)
class Danskin:
    """Trust-region SQP on the worst case, from many starts; the default method.

    reserve_share: part of the budget kept to attack the answer at the end; up to three times as much if it is small.
    """

    reserve_share: float = 0.05

    def __post_init__(self) -> None:
        keep(self, reserve_share=read_between(self.reserve_share, "reserve_share", 0.0, 1.0, "[)"))

    def search(self, task: Task) -> Search:
        task.agreement = Agreement(0, 0)
        oracle = Oracle(task, task.maxfev - reserve_of(task, self.reserve_share))
        inner, incumbent, offset = Inner(oracle), Incumbent(oracle), task.random_x()
        sd = 0.0
        try:
            if task.maxfev >= LEAST_FOR_NOISE:
                sd = yield from detect_noise(inner, task.random_x(), task.random_y())
            if sd > 0.0:
                yield from search_by_regression(inner, incumbent, offset, sd)
            yield from search_exactly(inner, incumbent, offset)
        except Spent:
            oracle.limit = task.maxfev
        if oracle.is_noisy:
            yield from conclude_under_noise(inner, incumbent, sd)
        else:
            yield from conclude(inner, incumbent)


def search_exactly(inner: Inner, incumbent: Incumbent, offset: Array) -> Asking[None]:
    """Run without noise: start somewhere, descend, validate; hop around the leader and keep attacking it."""
    hopping, n_starts = Hopping(), 0
    for _ in inner.oracle.task.rounds():
        landing = yield from leap(inner, incumbent, hopping, n_starts)
        if landing is None:
            landing = yield from start(inner, incumbent, n_starts, offset)
            n_starts += 1
        if landing is not None:
            yield from improve(inner, incumbent, landing.x, landing.peaks)
        yield from guard(inner, incumbent)


def search_by_regression(inner: Inner, incumbent: Incumbent, offset: Array, sd: float) -> Asking[None]:
    """Run under noise, or on a staircase, with regressions in place of differences."""
    for k in inner.oracle.task.rounds():
        landing = yield from start(inner, incumbent, k, offset)
        if landing is not None:
            yield from descend_by_regression(inner, incumbent, landing.x, [peak.z for peak in landing.peaks], sd)


def start(inner: Inner, incumbent: Incumbent, k: int, offset: Array) -> Asking[Landing | None]:
    """Return the k-th starting x and its maximizers, alternating between the best of a sample and a lattice point.

    None if all of them fail.
    """
    oracle, task = inner.oracle, inner.oracle.task
    Y = np.vstack([task.rng.random((min(4, task.maxfev), task.n_y)), oracle.archive[-6:], oracle.fatal])
    X = kronecker_point(k, offset)[None]
    if k % 2 == 0:
        n = min(max(task.maxfev // 60, 6), 20, max(1, (oracle.limit - oracle.n_used) // len(Y)))
        X = latin_hypercube(task.rng, n, task.n_x)
    values = yield from oracle.ask(np.repeat(X, len(Y), axis=0), np.tile(Y, (len(X), 1)))
    values = values.reshape(len(X), len(Y))
    scores = np.where(values.max(axis=1) > FAILED, values.max(axis=1), np.inf)
    ranked = np.argsort(scores, kind="stable")
    if incumbent.validated is None and scores[ranked[0]] < np.inf:
        incumbent.report(X[ranked[0]], Y[values[ranked[0]].argmax()], float(scores[ranked[0]]))
    found: list[tuple[float, Landing]] = []
    for i in ranked[: 3 if task.n_y <= 4 else 1].tolist():
        try:
            peaks = yield from _first_maximizers(inner, X[i])
        except Fatal:
            continue
        height = max(peak.value for peak in peaks)
        found.append((height if height > FAILED else np.inf, Landing(X[i], peaks)))
        if incumbent.validated is None and not oracle.is_noisy:
            incumbent.report(X[i], Y[values[i].argmax()], float(values[i].max()))  # the attack is known to the oracle
    for _, landing in sorted(found, key=lambda pair: pair[0]):
        try:
            if not inner.is_additive:
                landing.peaks.append((yield from attack_from_sample(inner, landing.x, [])))
        except Fatal:
            continue
        return landing
    return None


def leap(inner: Inner, incumbent: Incumbent, hopping: Hopping, n_starts: int) -> Asking[Landing | None]:
    """Look for lower ground around the incumbent: along lines as soon as that is cheap, by hops after some starts."""
    answer, oracle = incumbent.validated, inner.oracle
    if answer is None:
        return None
    ground, first, landing = ground_at(inner, answer), oracle.n_used, None
    line_cost = N_ON_LINE * answer.x.size * len(ground.scenarios)
    is_searched = hopping.searched_x is not None and np.abs(hopping.searched_x - answer.x).max() < 1e-3
    if not is_searched and line_cost <= LINE_SHARE * first:
        hopping.searched_x = answer.x
        landing = yield from search_lines(ground, answer.x)
    if landing is None and n_starts >= 3 and hopping.is_due(oracle.n_used):
        landing = yield from hop(ground, hopping, answer.x, max(60 * answer.x.size, oracle.n_used // 10))
        hopping.note(oracle.n_used - first, landing is not None)
    return landing


def _first_maximizers(inner: Inner, x: Array) -> Asking[list[Peak]]:
    """Return the result of one attack, climbed only if that is cheap, and the last three of the archive."""
    peak = yield from attack_along_lines(inner, x, 5)
    if inner.n_y == 1:
        peak = yield from inner.rise(x, peak.z, peak.value, 0.08)
    old = inner.oracle.archive[-3:]
    if not len(old):
        return [peak]
    values = yield from inner.oracle.ask(x, old)
    h = np.full(inner.n_y, 0.05)
    return [peak, *(Peak(y, value, h) for y, value in zip(old, values.tolist(), strict=True))]


def improve(
    inner: Inner, incumbent: Incumbent, x: Array, peaks: list[Peak], radius: float = FIRST_RADIUS
) -> Asking[None]:
    """Descend and validate until validation finds nothing new; go back on the path where an x turns out to fail."""
    path: list[State] = []
    n_refuted = 0
    while n_refuted < MOST_REFUTED:
        try:
            state = yield from descend(inner, incumbent, x, peaks, radius, path)
            violator = yield from _settle(inner, incumbent, state)
        except Fatal as end:
            incumbent.recommend()
            back = yield from way_back(inner, path, end.y)
            if back is None:
                return
            x, peaks, radius = back.x, _maximizers(inner, back), max(0.5 * float(np.abs(end.x - back.x).max()), 1e-6)
            continue
        if violator is None:
            return
        n_refuted += 1
        x, peaks, radius = state.x, [violator, *_maximizers(inner, state)], RESUMED_RADIUS


def _maximizers(inner: Inner, state: State) -> list[Peak]:
    """Return the base of a state and its scenarios, highest first."""
    pieces = sorted(state.pieces, key=state.gap)
    return [state.base.peak, *(piece.peak for piece in pieces if piece.z.size == inner.n_y)]


def _settle(inner: Inner, incumbent: Incumbent, state: State) -> Asking[Peak | None]:
    """Validate the end of a descent and make it an answer, refuted or not; return the violator, or None."""
    oracle, base = inner.oracle, state.base
    if base.value <= FAILED:
        return None
    maximizers = _maximizers(inner, state)
    for peak in maximizers[:31]:
        oracle.remember(peak.z)
    answer = Answer(state.x, base.z, base.value)
    leads = base.value < incumbent.value - 1e-12 * abs(base.value)
    effort = int(LEAD_SHARE * oracle.n_used) if leads else 0
    violator = yield from validate(inner, answer, [peak.z for peak in maximizers[1:]], effort)
    if violator is not None:
        oracle.remember(violator.z)
    incumbent.settle(answer)  # even if refuted, since what follows may lead nowhere
    return violator


def guard(inner: Inner, incumbent: Incumbent) -> Asking[None]:
    """Keep attacking the validated answer, the more the longer it leads; if it is refuted, descend from there."""
    answer = incumbent.validated
    if answer is None or answer.value >= -FAILED:
        return
    n_used = inner.oracle.n_used
    try:
        violator = yield from keep_attacking(inner, answer, [answer.y], int(GUARD_SHARE * n_used))
        while violator is None and answer.is_doubtful and inner.n_hopped < HOP_SHARE * n_used:
            violator = yield from attack_by_hops(inner, answer)
    except Fatal:
        incumbent.recommend()
        return
    if violator is not None:
        inner.oracle.remember(violator.z)
        last = Peak(answer.y, answer.value, np.full(inner.n_y, 1e-3))
        incumbent.recommend()
        yield from improve(inner, incumbent, answer.x, [violator, last], RESUMED_RADIUS)


def latin_hypercube(rng: np.random.Generator, n: int, n_x: int) -> Array:
    """Return n points (n, n_x), one in each of n slices of every coordinate."""
    return np.stack([(rng.permutation(n) + rng.random(n)) / n for _ in range(n_x)], axis=1)


def kronecker_point(k: int, offset: Array) -> Array:
    """Return the k-th point of a lattice that fills the cube evenly at any length (Roberts 2018)."""
    golden = 2.0
    for _ in range(30):
        golden = (1.0 + golden) ** (1.0 / (offset.size + 1))
    point: Array = (offset + k * golden ** -np.arange(1.0, offset.size + 1.0)) % 1.0
    return point
