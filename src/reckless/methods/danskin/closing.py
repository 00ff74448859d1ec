"""The end of a run: attacks on the leader with the evaluations that were kept for it."""

from itertools import count

import numpy as np

from reckless.core.task import Task
from reckless.methods.danskin.attack import attack_by_hops, keep_attacking, recall
from reckless.methods.danskin.climb import Peak
from reckless.methods.danskin.incumbent import Answer, Incumbent
from reckless.methods.danskin.inner import Inner
from reckless.methods.danskin.oracle import FAILED, Asking, Fatal, Spent

ATTACKS_PER_Y = 100  # evaluations for two attacks, per coordinate of y: enough in most runs
SMALL_FACTOR = 3.0  # by which the share of a small budget may be larger
LARGEST_PER_Y = 400  # evaluations per coordinate of y, more is not of use
N_LATEST = 6  # maximizers of the archive that an x must survive before it is attacked


def reserve_of(task: Task, share: float) -> int:
    """Return how many evaluations to keep: a share of the budget, of a small one more, to make two attacks."""
    small = min(SMALL_FACTOR * share * task.maxfev, ATTACKS_PER_Y * task.n_y)
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
        violator = yield from keep_attacking(inner, answer, [answer.y], 0, at_least=2)
        if violator is None and not answer.is_settled:
            violator = yield from recall(inner, answer, [answer.y])
    elif answer.is_doubtful and k % 2 == 0:
        violator = yield from attack_by_hops(inner, answer)
    else:
        violator = yield from keep_attacking(inner, answer, [answer.y], 0, at_least=1)
    return violator


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
