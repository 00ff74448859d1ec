"""Parts that share batches: the same outcome as one after the other, in fewer requests."""

import numpy as np
import pytest

from reckless.methods.danskin.ascent import ascend
from reckless.methods.danskin.oracle import Spent
from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.together import together

X = np.array([0.2, 0.9])
STARTS = ([0.1, 0.2, 0.9], [0.8, 0.6, 0.3], [0.5, 0.5, 0.5])


def hills(X, Y):
    return -((Y - 0.4) ** 2) @ np.array([1.0, 5.0, 0.3]) - (Y[:, 0] - 0.2) * (Y[:, 1] - 0.1) + X.sum(1)


def climbs(run):
    peaks = [Peak(np.array(y), run.value(X, y)) for y in STARTS]
    return peaks, [ascend(run.oracle, X, peak, 1e-12) for peak in peaks]


def test_climbs_side_by_side_end_where_each_ends_alone(driver):
    alone, shared = driver(hills, 2, 3, seed=4), driver(hills, 2, 3, seed=4)
    peaks, parts = climbs(alone)
    for part in parts:
        alone.run(part)
    others, parts = climbs(shared)
    shared.run(together(shared.oracle, parts))
    assert shared.task.n_used == alone.task.n_used
    for peak, other in zip(peaks, others, strict=True):
        assert other.y.tolist() == peak.y.tolist()
        assert other.value == peak.value


def test_a_batch_holds_the_next_request_of_every_part(driver):
    run = driver(hills, 2, 3)

    def asks(sizes):
        for n in sizes:
            yield from run.oracle.ask(X, np.full((n, 3), 0.5))

    search, sizes = together(run.oracle, [asks([2, 1]), asks([3]), asks([])]), []
    pairs = next(search)
    while True:
        sizes.append(len(np.atleast_2d(pairs[1])))
        try:
            pairs = search.send(np.zeros(sizes[-1]))
        except StopIteration:
            break
    assert sizes == [5, 1]


def test_a_batch_does_not_exceed_the_limit(driver):
    run = driver(hills, 2, 3)
    run.oracle.limit = 6
    with pytest.raises(Spent):
        run.run(together(run.oracle, [run.oracle.ask(X, np.full((4, 3), 0.5)) for _ in range(2)]))
    assert run.task.n_used == 0
