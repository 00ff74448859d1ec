"""Where evaluations happen: in this process, in local processes, in an executor, or through a map.

Every engine takes a batch of pairs and yields outcomes in the order in which they are done. Neither the engine
nor its number of workers changes an outcome.
"""

import statistics
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import count
from math import inf
from typing import Any, Protocol

import numpy as np

from reckless.core.arguments import read_count
from reckless.core.arrays import Array
from reckless.core.outcome import Cause, Outcome, Reason
from reckless.errors import InvalidArgument, ObjectiveFailed, WorkersWarning
from reckless.evaluation.cluster import Cluster, steady
from reckless.evaluation.objective import Evaluator
from reckless.evaluation.pool import Delivery, Parcel, Pool
from reckless.evaluation.wire import Chunks, Evaluated, Job, Portable

MAX_SENDS = 3  # how often a pair is sent whose worker died
USUAL_PER_PROCESSOR = 4  # processes; more only use memory, unless f waits for others
MOST_PROCESSES = 100  # however many are asked for, unless there are that many processors
LONGEST_WAIT = 3600.0  # seconds; operating systems do not take just any number
CHEAP_SECONDS = 2e-4  # below this an evaluation is not worth a message to another process
MapLike = Callable[[Callable[..., Any], Iterable[Any]], Iterable[Any]]
WorkersLike = int | Executor | MapLike | None


class Engine(Protocol):
    """Evaluates batches of pairs."""

    def outcomes(self, X: Array, Y: Array, deadline: float) -> Iterator[Outcome]:
        """Yield what is done, in any order; end early only at the time `deadline`."""

    def close(self, *, at_once: bool) -> None:
        """Let the workers go; `at_once` while some of them may still be busy."""


class ExecutorCarrier:
    """Any `concurrent.futures.Executor`: Dask, MPI, Ray, threads. n_workers is None if it does not say."""

    is_isolated = False

    def __init__(self, task: Callable[[Any], Any], executor: Executor) -> None:
        self._task, self._executor = task, executor
        size = getattr(executor, "_max_workers", None)  # the standard library has no public name for it
        self.n_workers: int | None = size if isinstance(size, int) else None
        self._pending: dict[Future[Any], Parcel] = {}

    @property
    def is_busy(self) -> bool:
        return bool(self._pending)

    def deliver(self, parcels: deque[Parcel], deadline: float) -> Iterator[Delivery]:
        """Submit all parcels, wait for some at most until the deadline, and yield what is done."""
        while parcels:
            parcel = parcels.popleft()
            self._pending[self._submitted(parcel.content)] = parcel
        seconds = min(max(0.0, deadline - time.monotonic()), LONGEST_WAIT)
        wait(self._pending, timeout=seconds, return_when=FIRST_COMPLETED)
        for future in [future for future in self._pending if future.done()]:  # in the order of submission
            yield _delivery(self._pending.pop(future), future)

    def close(self, *, at_once: bool) -> None:
        """Leave the executor open, since it is the user's."""
        for future in self._pending:
            future.cancel()

    def _submitted(self, content: Any) -> "Future[Any]":
        try:
            return self._executor.submit(self._task, content)
        except InvalidArgument:
            raise
        except Exception as error:  # a Dask client that is closed has an exception of its own
            raise ObjectiveFailed(
                f"workers: the executor takes no more work ({type(error).__name__}: {error}). An integer, as in "
                f"workers=4, starts processes that are replaced when they die."
            ) from error


def _delivery(parcel: Parcel, future: "Future[Any]") -> Delivery:
    try:
        return Delivery(parcel, future.result())
    except InvalidArgument:
        raise
    except Exception as error:  # what the work itself raises comes in the answer: this one is the executor's
        return Delivery(parcel, loss=f"The executor lost the work ({type(error).__name__}: {error})")


def _checked(delivery: Delivery, m: int) -> Delivery:
    """Treat an answer to other work as a loss."""
    if delivery.loss is None and len(delivery.answer.values) != m:
        return Delivery(delivery.parcel, loss=f"The executor gave {len(delivery.answer.values)} values for {m} pairs")
    return delivery


class MapCarrier:
    """A callable like `map`, as in SciPy: it gets a function and the pairs."""

    n_workers = None
    is_isolated = False

    def __init__(self, task: Callable[[Any], Any], map_like: MapLike) -> None:
        self._task, self._map = task, map_like

    def deliver(self, parcels: deque[Parcel], deadline: float) -> Iterator[Delivery]:
        sent = list(parcels)
        parcels.clear()
        for parcel, answer in zip(sent, self._map(self._task, [parcel.content for parcel in sent]), strict=True):
            yield Delivery(parcel, answer)
            if time.monotonic() >= deadline:
                return

    def close(self, *, at_once: bool) -> None:
        """Leave the map alone, since it is the user's."""


Carrier = Pool | ExecutorCarrier | MapCarrier  # has parcels worked on elsewhere, `n_workers` at a time


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
        self._tickets = count()  # a scheduler must not take a repeated pair for one it knows
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
                delivery = _checked(delivery, len(job.rows))
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
        if workers > 0 or workers != workers:
            return read_count(workers, "workers")
    if callable(workers) and not (isinstance(workers, type) and issubclass(workers, Executor)):
        return workers  # type: ignore[no-any-return]
    raise InvalidArgument(
        f"workers: expected a number of processes (-1 for one per processor), a concurrent.futures.Executor or a "
        f"callable like map, but got {workers!r}. For example workers=4."
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
