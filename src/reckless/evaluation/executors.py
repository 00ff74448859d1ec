"""Where evaluations happen: in this process, in local processes, in an executor, or through a map.

Every engine takes a batch of pairs and yields outcomes in the order in which they are done. Neither the engine
nor its number of workers changes an outcome.
"""

import statistics
import time
import warnings
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor
from itertools import count
from math import inf
from typing import Any, Protocol

import numpy as np

from reckless.core.arguments import read_count
from reckless.core.arrays import Array
from reckless.core.outcome import Cause, Outcome, Reason
from reckless.core.words import safe_repr
from reckless.errors import InvalidArgument, WorkersWarning
from reckless.evaluation.carriers import Carrier, ExecutorCarrier, MapCarrier, MapLike
from reckless.evaluation.cluster import Cluster, steady
from reckless.evaluation.objective import Evaluator
from reckless.evaluation.pool import Delivery, Parcel, Pool
from reckless.evaluation.wire import Chunks, Evaluated, Job, Portable, fault_in

MAX_SENDS = 3  # how often a pair is sent whose worker died
USUAL_PER_PROCESSOR = 4  # processes; more only use memory, unless f waits for others
MOST_PROCESSES = 100  # however many are asked for, unless there are that many processors
CHEAP_SECONDS = 2e-4  # below this an evaluation is not worth a message to another process
WorkersLike = int | Executor | MapLike | None


class Engine(Protocol):
    """Evaluates batches of pairs."""

    def outcomes(self, X: Array, Y: Array, deadline: float) -> Iterator[Outcome]:
        """Yield what is done, in any order; end early only at the time `deadline`."""

    def close(self, *, at_once: bool) -> None:
        """Let the workers go; `at_once` while some of them may still be busy."""


def _checked(delivery: Delivery) -> Delivery:
    """Treat an answer to other work as a loss."""
    if delivery.loss is None and (fault := fault_in(delivery.answer, delivery.parcel.content)) is not None:
        return Delivery(delivery.parcel, loss=f"The executor gave {fault}")
    return delivery


class Elsewhere:
    """Evaluate by workers, but here while evaluations are too cheap for them; warn once.

    Pairs whose worker died are sent again one by one, MAX_SENDS times at most. timeout: seconds per evaluation.
    isolated: whether f must never run here. one_by_one: whether each pair must be a parcel of its own.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        carrier: Carrier,
        timeout: float | None = None,
        *,
        isolated: bool = False,
        one_by_one: bool = False,
    ) -> None:
        self._here, self._carrier, self._timeout = evaluator, carrier, timeout
        self._isolated = isolated or timeout is not None
        self._one_by_one = one_by_one or (timeout is not None and not evaluator.vectorized)
        self._chunks = Chunks()
        self._tickets = count()  # by which answers are known; a scheduler must not take a repeated pair for an old one
        self._cost_here: float | None = None
        self._sizes: list[int] = []
        self._has_warned = False

    def outcomes(self, X: Array, Y: Array, deadline: float) -> Iterator[Outcome]:
        self._look_at_size(len(X))
        cost = self._cost_here or self._chunks.cost
        if cost is None or cost >= CHEAP_SECONDS or self._isolated or self._carrier.is_isolated:
            self._cost_here = None
            return self._by_workers(X, Y, deadline)
        if not self._has_warned:
            self._has_warned = True
            _warn(
                f"workers: one evaluation takes about {1e6 * cost:.0f} microseconds, cheaper than sending it to "
                f"another process (about {1e6 * CHEAP_SECONDS:.0f}), so the work stays in this one. If f may crash, "
                f"on_error='worst' or 'ignore' keeps it in the workers."
            )
        return self._by_this_process(X, Y, deadline)

    def close(self, *, at_once: bool) -> None:
        self._carrier.close(at_once=at_once)

    def _by_this_process(self, X: Array, Y: Array, deadline: float) -> Iterator[Outcome]:
        started = time.perf_counter()
        yield from self._here.outcomes(X, Y, deadline)
        latest = (time.perf_counter() - started) / len(X)
        self._cost_here = latest if self._cost_here is None else 0.9 * self._cost_here + 0.1 * latest

    def _by_workers(self, X: Array, Y: Array, deadline: float) -> Iterator[Outcome]:
        jobs = self._chunks.jobs(len(X), len(X) if self._one_by_one else self._carrier.n_workers)
        parcels, n_open = deque(self._parcel(job, X, Y) for job in jobs), len(X)
        while n_open and time.monotonic() < deadline:
            for delivery in self._carrier.deliver(parcels, deadline):
                job: Job = delivery.parcel.label
                delivery = _checked(delivery)
                if delivery.loss is not None and not delivery.is_late and job.n_sent < MAX_SENDS:
                    parcels.extendleft(self._parcel(Job([row], job.n_sent + 1), X, Y) for row in job.rows)
                else:
                    done = self._settled(job, delivery)
                    n_open -= len(done.values)
                    yield done

    def _parcel(self, job: Job, X: Array, Y: Array) -> Parcel:
        rows = list(job.rows)
        seconds = inf if self._timeout is None else self._timeout * len(rows)
        return Parcel((X[rows], Y[rows], next(self._tickets)), job, seconds)

    def _settled(self, job: Job, delivery: Delivery) -> Outcome:
        if delivery.loss is None:
            reply: Evaluated = delivery.answer
            self._chunks.note(reply.seconds, len(job.rows))
            return reply.outcome(job.rows)
        reason = Reason(
            f"{delivery.loss} during this evaluation; this pair was sent {job.n_sent} times.", cause=Cause.UNKNOWN
        )
        if delivery.is_late:
            reason = Reason(f"The evaluation took longer than eval_timeout={self._timeout} seconds; it was ended.")
        return Outcome(np.array(job.rows), np.full(len(job.rows), np.nan), dict.fromkeys(job.rows, reason))

    def _look_at_size(self, m: int) -> None:
        """Warn once if most batches are smaller than the number of workers."""
        n_workers = self._carrier.n_workers
        if n_workers is None or len(self._sizes) >= 11:
            return
        self._sizes.append(m)
        if len(self._sizes) == 11 and (usual := statistics.median(self._sizes)) < n_workers:
            _warn(
                f"workers: there are {n_workers}, but this method asks for {usual:.0f} pairs at a time, so the "
                f"others have nothing to do. With method='reckless', batch_size={n_workers} asks for more."
            )


def _warn(sentence: str) -> None:
    warnings.warn(sentence, WorkersWarning, stacklevel=2)


def read_workers(workers: Any) -> WorkersLike:
    """Check the argument `workers`."""
    if workers is None or isinstance(workers, Executor):
        return workers
    if isinstance(workers, (int, float, np.integer)) and not isinstance(workers, bool):
        if workers == -1:
            return _n_processors()
        try:
            return read_count(workers, "workers")
        except InvalidArgument:
            raise InvalidArgument(
                f"workers: expected a whole number of at least 1, or -1 for one per processor, but got "
                f"{safe_repr(workers)}. For example workers=4."
            ) from None
    if callable(workers) and not (isinstance(workers, type) and issubclass(workers, Executor)):
        return workers  # type: ignore[no-any-return]
    raise InvalidArgument(
        f"workers: expected a number of processes (-1 for one per processor), a concurrent.futures.Executor or a "
        f"callable like map, but got {safe_repr(workers)}."
    )


def _n_processors() -> int:
    from loky import cpu_count  # knows of the limits of a container

    return int(cpu_count())


def _sensible(n_workers: int) -> int:
    """Return how many processes to start at most; warn of many more than there are processors."""
    if n_workers <= USUAL_PER_PROCESSOR * (n_processors := _n_processors()):
        return n_workers
    n_started = min(n_workers, max(MOST_PROCESSES, USUAL_PER_PROCESSOR * n_processors))
    _warn(
        f"workers: {n_workers} processes are many for {n_processors} processors, and help only if f waits for "
        f"others most of the time; at most {n_started} are started. Did you mean workers=-1?"
    )
    return n_started


def start_engine(
    evaluator: Evaluator, workers: WorkersLike, timeout: float | None, *, isolated: bool = False
) -> Engine:
    """Return the engine for what the user gave as `workers` and `eval_timeout`.

    isolated: whether workers, if there are any, must evaluate even what is cheap, since f may crash.
    """
    if workers is None and timeout is not None:
        _warn("eval_timeout: only another process can be ended, so f runs in one worker process, as with workers=1.")
        workers = 1
    if workers is None:
        return evaluator
    task = Portable(evaluator)
    if isinstance(workers, int):
        task.blob()  # says why f cannot be sent, if so, before anything starts
        return Elsewhere(evaluator, Pool(task, _sensible(workers)), timeout, isolated=isolated)
    if timeout is not None:
        raise InvalidArgument(
            "eval_timeout: the workers of an executor or a map cannot be ended from here. Give a number of local "
            "processes, as in workers=4, or let f end itself."
        )
    if not isinstance(workers, Executor):
        return Elsewhere(evaluator, MapCarrier(task, workers), isolated=isolated, one_by_one=True)
    executor = steady(workers)
    if isinstance(executor, Cluster):
        task.blob()  # Dask would hide the sentence
    return Elsewhere(evaluator, ExecutorCarrier(task, executor), isolated=isolated)
