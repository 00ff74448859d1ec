"""Workers that are not ours, behind an executor or a map: what they answer is checked."""

import math
import pickle
import threading
from collections import deque
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

from processes import same
from reckless import InvalidArgument, ObjectiveFailed, minimax
from reckless.evaluation import carriers, wire
from reckless.evaluation.carriers import ExecutorCarrier
from reckless.evaluation.objective import Evaluator
from reckless.evaluation.pool import Parcel
from reckless.evaluation.wire import Portable
from simulators import slow_bowl
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl


def solve(f, **options):
    return minimax(f, X_BOUNDS, Y_BOUNDS, **{"maxfev": 60, "method": "reckless", "rng": 7, **options})


def test_any_executor_and_any_map_will_do():
    serial = solve(tilted_bowl)
    with ThreadPoolExecutor(2) as threads:
        lock = threading.Lock()  # cannot be pickled, and need not be

        def f(x, y):
            with lock:
                return slow_bowl(x, y)

        assert same(solve(f, workers=threads), serial)
        assert same(solve(slow_bowl, workers=threads.map), serial)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        assert same(solve(slow_bowl, workers=processes), serial)
    assert same(solve(slow_bowl, workers=map), serial)


class Losing(Executor):
    """An executor that loses every third job, but none twice, as a cluster does whose machines come and go."""

    def __init__(self):
        self.lost = set()
        self.n_submitted = 0

    def submit(self, task, pairs):
        future = Future()
        self.n_submitted += 1
        job = pairs[0].tobytes() + pairs[1].tobytes()
        if self.n_submitted % 3 == 0 and job not in self.lost:
            self.lost.add(job)
            future.set_exception(ConnectionError("the machine is gone"))
        else:
            future.set_result(task(pairs))
        return future


def test_pairs_that_an_executor_loses_are_sent_again():
    executor = Losing()
    assert same(solve(slow_bowl, workers=executor), solve(tilted_bowl))
    assert len(executor.lost) > 10


def test_an_executor_that_loses_everything_is_reported():
    class Gone(Losing):
        def submit(self, task, *arguments):
            future = Future()
            future.set_exception(ConnectionError("the machine is gone"))
            return future

    with pytest.raises(ObjectiveFailed, match="ConnectionError: the machine is gone.*sent 3 times"):
        solve(slow_bowl, workers=Gone())


def test_an_executor_that_takes_no_work_is_reported():
    threads = ThreadPoolExecutor(1)
    threads.shutdown()
    with pytest.raises(ObjectiveFailed, match="^workers: the executor takes no more work"):
        solve(slow_bowl, workers=threads)


BAD_MAPS = {
    "nothing at all": (lambda g, pairs: None, "it returned an object of type NoneType"),
    "an empty list": (lambda g, pairs: [], "it returned 0 for 4 pairs"),
    "a part": (lambda g, pairs: list(map(g, pairs))[:1], "it returned 1 for 4 pairs"),
    "too much": (lambda g, pairs: list(map(g, pairs)) * 2, "it returned more than 4 for 4 pairs"),
    "without end": (
        lambda g, pairs: iter(lambda: g(pairs[0]), None),
        "pair 2 of 4 it returned the answer to other",
    ),
    "reversed": (lambda g, pairs: list(map(g, pairs))[::-1], "for pair 1 of 4 it returned the answer to other pairs"),
    "words": (lambda g, pairs: ["a" for _ in pairs], "for pair 1 of 4 it returned an object of type str"),
    "None": (lambda g, pairs: [None for _ in pairs], "for pair 1 of 4 it returned an object of type NoneType"),
}


@pytest.mark.parametrize(("bad_map", "words"), BAD_MAPS.values(), ids=BAD_MAPS)
def test_a_map_that_returns_something_else_is_told_and_not_believed(bad_map, words):
    with pytest.raises(InvalidArgument, match=f"^workers: a callable like map must return .* in order, but .*{words}"):
        solve(slow_bowl, workers=bad_map)


def test_an_executor_that_answers_other_pairs_is_not_believed():
    class Swapping(ThreadPoolExecutor):
        def submit(self, task, pairs):
            X, Y, ticket = pairs
            return super().submit(task, (X, Y, ticket + 1))

    with Swapping(1) as swapping, pytest.raises(ObjectiveFailed, match="The executor gave the answer to other pairs"):
        solve(slow_bowl, workers=swapping)


class Remote(Executor):
    """Two workers in turn, each with a memory of its own, and a scale for all that is sent to them."""

    def __init__(self, monkeypatch, n_workers=2):
        self.memories, self.n_bytes, self.n_submitted = [{}, {}], 0, 0
        self._max_workers, self._patch = n_workers, monkeypatch

    def submit(self, task, pairs):
        message, future = pickle.dumps((task, pairs)), Future()
        self.n_bytes += len(message)
        self._patch.setattr(wire, "_kept", self.memories[self.n_submitted % 2])
        self.n_submitted += 1
        there, content = pickle.loads(message)
        future.set_result(there(content))
        return future


N_BYTES = 1_000_000


def large_bowl():
    data = bytes(N_BYTES)
    return lambda x, y: slow_bowl(x, y) + 0.0 * len(data)


def test_a_large_objective_is_sent_once_to_each_worker(monkeypatch):
    remote = Remote(monkeypatch)
    found, alone = solve(large_bowl(), workers=remote), solve(slow_bowl)
    assert (found.fun, found.nfev, found.n_failed, found.x.tolist()) == (alone.fun, 60, 0, alone.x.tolist())
    assert 2 <= remote.n_bytes / N_BYTES < 3


def test_a_worker_that_lacks_f_gets_it(monkeypatch):
    remote = Remote(monkeypatch)
    carrier = ExecutorCarrier(Portable(Evaluator(large_bowl(), vectorized=False)), remote)

    def values(n):
        parcels, found = deque(Parcel((np.array([[2.0, -3.0]]), np.array([[5.0]]), k)) for k in range(n)), []
        while parcels or carrier.is_busy:
            found += [delivery.answer.values.item() for delivery in carrier.deliver(parcels, math.inf)]
        return found

    assert values(6) == [0.0] * 6
    for memory in remote.memories:  # other machines take their place
        memory.clear()
    remote.n_bytes = 0
    assert values(6) == [0.0] * 6
    assert remote.n_bytes / N_BYTES < 5


def test_parcels_do_not_wait_for_the_slow_ones_that_brought_f(monkeypatch):
    monkeypatch.setattr(carriers, "PATIENCE", 0.0)
    with ThreadPoolExecutor(3) as threads:
        threads._max_workers = 1  # two have joined since
        met = threading.Barrier(3, timeout=60)

        def f(x, y):
            met.wait()
            return 1.0

        carrier = ExecutorCarrier(Portable(Evaluator(f, vectorized=False)), threads)
        threads._max_workers = 3
        parcels, found = deque(Parcel((np.ones((1, 2)), np.ones((1, 1)), k)) for k in range(3)), []
        while parcels or carrier.is_busy:
            found += [delivery.answer.values.item() for delivery in carrier.deliver(parcels, math.inf)]
    assert found == [1.0] * 3


def test_an_executor_of_unknown_size_gets_f_with_the_first_batch_only(monkeypatch):
    remote = Remote(monkeypatch, n_workers=None)
    assert solve(large_bowl(), workers=remote).nfev == 60
    assert remote.n_bytes / N_BYTES < 5


@pytest.mark.parametrize(
    ("sizes", "n_workers"),
    [
        ({"_max_workers": 3}, 3),
        ({"max_workers": 3}, 3),
        ({"_max_workers": None, "max_workers": 3}, 3),
        ({"_max_workers": 3, "max_workers": 5}, 3),
        ({"max_workers": None}, None),
        ({"max_workers": 0}, None),
        ({"max_workers": True}, None),
        ({"max_workers": lambda: 3}, None),
        ({}, None),
    ],
)
def test_the_size_of_an_executor_is_read_by_the_private_name_and_by_the_public_one(sizes, n_workers):
    executor = Losing()
    vars(executor).update(sizes)
    assert ExecutorCarrier(Portable(Evaluator(tilted_bowl, vectorized=False)), executor).n_workers == n_workers


class Forgetful(Executor):
    """An executor that starts a process for each parcel, as `executorlib` does."""

    def __init__(self, monkeypatch, max_workers):
        self.max_workers, self.n_submitted, self.n_lacking, self._patch = max_workers, 0, 0, monkeypatch

    def submit(self, task, pairs):
        message, future = pickle.dumps((task, pairs)), Future()
        self.n_submitted += 1
        with self._patch.context() as patch:
            patch.setattr(wire, "_kept", {})
            patch.setattr(wire.os, "getpid", lambda: self.n_submitted)
            there, content = pickle.loads(message)
            future.set_result(there(content))
        self.n_lacking += isinstance(future.result(), wire.Lacking)
        return future


def test_workers_that_never_keep_f_are_soon_sent_it_with_each_parcel(monkeypatch):
    forgetful = Forgetful(monkeypatch, 2)
    assert same(solve(slow_bowl, workers=forgetful, batch_size=2), solve(slow_bowl, batch_size=2))
    assert 2 < forgetful.n_lacking < 8  # of the first batch alone; there are two workers
