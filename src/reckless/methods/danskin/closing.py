"""The end of a run: attacks on the leader with the evaluations that were kept for it."""

from itertools import count

import numpy as np

from reckless.core.task import Task
from reckless.methods.danskin.attack import attack, attack_by_hops, keep_attacking, recall, violates
from reckless.methods.danskin.climb import Peak
from reckless.methods.danskin.incumbent import Answer, Incumbent
from reckless.methods.danskin.inner import FULL_PRECISION, Inner
from reckless.methods.danskin.oracle import FAILED, Asking, Fatal, Spent
from reckless.methods.danskin.vertices import is_cornered, search_vertices

LEAST = 90  # evaluations that two attacks take, after a few candidates were refuted,
PER_Y = 60  # and for each coordinate of y; enough in most runs
SMALL_FACTOR = 3.0  # by which the share of a small budget may be larger
LARGEST_PER_Y = 400  # evaluations per coordinate of y, more is not of use
POLISHING_STEP = 1e-3  # first probing distance of a climb that begins near the top
N_ON_LINE = 9  # points per coordinate of an attack along lines,
N_ON_ONLY_LINE = 33  # more where y has one, and the line is all there is
COARSE = 1e-4  # of the range of values at x: a tenth of what a search may miss
N_LATEST = 6  # maximizers of the archive that an x must survive before it is attacked


def reserve_of(task: Task, share: float) -> int:
    """Return how many evaluations to keep: a share of the budget, of a small one more, to make two attacks."""
    small = min(SMALL_FACTOR * share * task.maxfev, LEAST + PER_Y * task.n_y)
    return int(min(max(share * task.maxfev, small), LARGEST_PER_Y * task.n_y))


def conclude(inner: Inner, incumbent: Incumbent) -> Asking[None]:
    """Attack the leader with the remaining evaluations; one that is refuted may lose its lead to another."""
    try:
        for k in count():
            answer = incumbent.leader
            if answer is None or answer.value >= -FAILED:
                break
            try:
                violator = yield from _attack_leader(inner, incumbent, answer, k)
            except Fatal:
                violator = None
            if violator is not None:
                inner.oracle.remember(violator.z)
            incumbent.recommend()
    except Spent:
        pass
    yield from spend_rest(inner, incumbent)


def _attack_leader(inner: Inner, incumbent: Incumbent, answer: Answer, k: int) -> Asking[Peak | None]:
    """Make the k-th attempt to refute an answer, first by what refuted others; return the violator, or None."""
    oracle = inner.oracle
    if answer.n_searches == 0:
        rivals = [other.y for other in incumbent.unsettled() if other is not answer]
        Y = np.vstack([oracle.fatal, oracle.archive[-N_LATEST:], *rivals])
        if len(Y):
            values = yield from oracle.ask(answer.x, Y)
            if oracle.exceeds(float(values.max()), answer.value):
                return None
        if not answer.is_settled:  # tracked while x moved, but perhaps not to the top
            top = yield from inner.rise(answer.x, answer.y, answer.value, POLISHING_STEP)
            answer.y, answer.value = top.z, top.value
        violator = yield from _search_twice(inner, answer)
        if violator is None and not answer.is_settled:
            violator = yield from recall(inner, answer, [answer.y])
    elif answer.is_doubtful and k % 2 == 0:
        violator = yield from attack_by_hops(inner, answer)
    else:
        violator = yield from keep_attacking(inner, answer, [answer.y], 0, at_least=1)
    return violator


def _search_twice(inner: Inner, answer: Answer) -> Asking[Peak | None]:
    """Make two attacks, climbing no further than it takes to tell whether they arrive; return the violator, or None."""
    oracle, x, known = inner.oracle, answer.x, [answer.y]
    n_points = N_ON_ONLY_LINE if inner.n_y == 1 else N_ON_LINE
    for k in range(2):
        precision = max(COARSE * oracle.spread_at(x) / (abs(answer.value) + 1e-300), FULL_PRECISION)
        if k == 0 and is_cornered(inner, answer.y):
            peak = yield from search_vertices(inner, x)
        else:
            peak = yield from attack(inner, x, known, n_points, min(precision, COARSE))
        if peak.value > answer.value:
            peak = yield from inner.rise(x, peak.z, peak.value, POLISHING_STEP)
        if violates(inner, peak, answer.value):
            return peak
        answer.note_search(peak.value, oracle.spread_at(x))
        known.append(peak.z)
    return None


def spend_rest(inner: Inner, incumbent: Incumbent) -> Asking[None]:
    """Spend the remaining evaluations on a random sample of y, as a last attack."""
    answer, task = incumbent.leader, inner.oracle.task
    if task.n_left:
        has_answer = answer is not None and answer.value < -FAILED
        x = answer.x if answer is not None and has_answer else task.random_x()
        Y = task.rng.random((task.n_left, task.n_y))
        try:
            values = yield from inner.oracle.ask(x, Y)
            y, value = Y[values.argmax()], float(values.max())
        except Fatal as end:
            y, value = end.y, np.inf
        if not has_answer:
            incumbent.report(x, y, value)
    incumbent.recommend()
