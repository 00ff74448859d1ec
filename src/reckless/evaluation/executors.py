"""Where evaluations happen: in this process, in local processes, in an executor, or through a map.

Every engine takes a batch of pairs and yields outcomes in the order in which they are done. Neither the engine
nor its number of workers changes an outcome.
"""

import statistics
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import count
from math import inf
from typing import Any, Protocol

import numpy as np

from reckless.core.arguments import read_count
from reckless.core.arrays import Array
from reckless.core.outcome import Outcome
from reckless.errors import InvalidArgument, ObjectiveFailed, WorkersWarning
from reckless.evaluation.cluster import Cluster, steady
from reckless.evaluation.objective import Evaluator
from reckless.evaluation.pool import Processes
from reckless.evaluation.wire import Chunks, Job, Portable, Reply, Settled, again, settled

CHEAP_SECONDS = 2e-4  # below this an evaluation is not worth a message to another process
MapLike = Callable[[Callable[..., Any], Iterable[Any]], Iterable[Any]]
WorkersLike = int | Executor | MapLike | None


class Engine(Protocol):
    """Evaluates batches; `n_workers` is how many pairs at a time, None if unknown."""

    @property
    def n_workers(self) -> int | None: ...

    def outcomes(self, X: Array, Y: Array, deadline: float) -> Iterator[Outcome]:
        """Yield what is done, in any order; end early only when the time `deadline` has come."""
        ...

    def close(self, *, at_once: bool) -> None:
        """Let the workers go; `at_once` while some of them may still be busy."""
        ...


class Executors:
    """Any `concurrent.futures.Executor`: Dask, MPI, Ray, threads. Pairs whose worker died are sent again."""

    is_isolated = False

    def __init__(self, evaluator: Evaluator, executor: Executor) -> None:
        self._executor = steady(executor)
        self.n_workers = count_workers(self._executor)
        self._task = Portable(evaluator)
        if isinstance(self._executor, Cluster):
            self._task.blob()  # Dask would hide the sentence that says why f cannot be sent
        self._chunks = Chunks()
        self._tickets = count()  # a scheduler must not take a repeated pair for one it knows
        self._pending: dict[Future[Reply], Job] = {}

    @property
    def cost(self) -> float | None:
        return self._chunks.cost

    def outcomes(self, X: Array, Y: Array, deadline: float) -> Iterator[Outcome]:
        jobs = self._chunks.jobs(len(X), self.n_workers)
        self._pending = {}
        while (jobs or self._pending) and time.monotonic() < deadline:
            while jobs:
                job = jobs.popleft()
                self._pending[self._submitted(job, X, Y)] = job
            seconds = None if deadline == inf else max(0.0, deadline - time.monotonic())
            ready, _ = wait(self._pending, timeout=seconds, return_when=FIRST_COMPLETED)
            for future in ready:
                done, to_do_again = self._collected(future, self._pending.pop(future))
                jobs.extend(to_do_again)
                yield from done

    def close(self, *, at_once: bool) -> None:
        """The executor is the user's and stays open."""
        for future in self._pending:
            future.cancel()

    def _submitted(self, job: Job, X: Array, Y: Array) -> "Future[Reply]":
        rows = list(job.rows)
        try:
            return self._executor.submit(self._task, (X[rows], Y[rows], next(self._tickets)))
        except InvalidArgument:
            raise
        except Exception as error:  # a Dask client that is closed has an exception of its own
            raise ObjectiveFailed(
                f"workers: the executor takes no more work ({type(error).__name__}: {error}). An integer, as in "
                f"workers=4, starts processes that are replaced when they die."
            ) from error

    def _collected(self, future: "Future[Reply]", job: Job) -> Settled:
        try:
            reply = future.result()
        except InvalidArgument:
            raise
        except Exception as error:  # f's own exceptions come in the reply: this one is the executor's
            return again(job, f"The executor lost this evaluation ({type(error).__name__}: {error})")
        self._chunks.note(reply.seconds, len(job.rows))
        return settled(job, reply)


class Mapped:
    """A callable like `map`, as in SciPy: it gets a function and the pairs."""

    n_workers = None
    is_isolated = False

    def __init__(self, evaluator: Evaluator, map_like: MapLike) -> None:
        self._map, self._task = map_like, Portable(evaluator)
        self._chunks = Chunks()

    @property
    def cost(self) -> float | None:
        return self._chunks.cost

    def outcomes(self, X: Array, Y: Array, deadline: float) -> Iterator[Outcome]:
        replies = self._map(self._task, [(X[row : row + 1], Y[row : row + 1], row) for row in range(len(X))])
        for row, reply in enumerate(replies):
            self._chunks.note(reply.seconds, 1)
            yield from settled(Job([row]), reply)[0]
            if time.monotonic() >= deadline:
                return

    def close(self, *, at_once: bool) -> None:
        pass


class Thrifty:
    """Leaves the workers out while evaluations are too cheap for them, and says so once."""

    def __init__(self, evaluator: Evaluator, engine: Processes | Executors | Mapped) -> None:
        self.n_workers = engine.n_workers
        self._engine, self._here = engine, evaluator
        self._cost_here: float | None = None
        self._sizes: list[int] = []
        self._has_warned = False

    def outcomes(self, X: Array, Y: Array, deadline: float) -> Iterator[Outcome]:
        self._look_at_size(len(X))
        cost = self._cost_here or self._engine.cost
        if cost is None or cost >= CHEAP_SECONDS or self._engine.is_isolated:
            self._cost_here = None
            yield from self._engine.outcomes(X, Y, deadline)
            return
        if not self._has_warned:
            self._has_warned = True
            _warn(
                f"workers: one evaluation takes about {1e6 * cost:.0f} microseconds, less than it is worth to send "
                f"it to another process (about {1e6 * CHEAP_SECONDS:.0f}), so the work stays in this one."
            )
        started = time.perf_counter()
        yield from self._here.outcomes(X, Y, deadline)
        latest = (time.perf_counter() - started) / len(X)
        self._cost_here = latest if self._cost_here is None else 0.9 * self._cost_here + 0.1 * latest

    def close(self, *, at_once: bool) -> None:
        self._engine.close(at_once=at_once)

    def _look_at_size(self, m: int) -> None:
        """Say once when most batches are smaller than the number of workers."""
        if self.n_workers is None or len(self._sizes) >= 11:
            return
        self._sizes.append(m)
        if len(self._sizes) == 11 and (usual := statistics.median(self._sizes)) < self.n_workers:
            _warn(
                f"workers: there are {self.n_workers}, but this method asks for {usual:.0f} pairs at a time, so the "
                f"others have nothing to do. With method='reckless', batch_size={self.n_workers} asks for more."
            )


def _warn(sentence: str) -> None:
    warnings.warn(sentence, WorkersWarning, stacklevel=2)


def read_workers(workers: Any) -> WorkersLike:
    """The argument `workers`, or a sentence that says what it can be."""
    if workers is None or isinstance(workers, Executor):
        return workers
    if isinstance(workers, (int, float, np.integer)) and not isinstance(workers, bool):
        if workers == -1:
            from loky import cpu_count

            return int(cpu_count())
        return read_count(workers, "workers")
    if callable(workers) and not (isinstance(workers, type) and issubclass(workers, Executor)):
        return workers  # type: ignore[no-any-return]
    raise InvalidArgument(
        f"workers: expected a number of processes (-1 for one per processor), a concurrent.futures.Executor or a "
        f"callable like map, but got {workers!r}."
    )


def count_workers(workers: WorkersLike) -> int | None:
    """Return how many evaluations go on at a time, None if that is unknown."""
    workers = steady(workers) if isinstance(workers, Executor) else workers
    # The executors of the standard library tell it by no public name.
    size = workers if isinstance(workers, int) else getattr(workers, "_max_workers", None)
    return size if isinstance(size, int) else None


def start_engine(evaluator: Evaluator, workers: WorkersLike, timeout: float | None) -> Engine:
    """The engine for what the user gave as `workers` and `eval_timeout`."""
    if workers is None and timeout is not None:
        _warn("eval_timeout: only another process can be ended, so f runs in one worker process, as with workers=1.")
        workers = 1
    if workers is None:
        return evaluator
    if isinstance(workers, int):
        return Thrifty(evaluator, Processes(evaluator, workers, timeout))
    if timeout is not None:
        raise InvalidArgument(
            "eval_timeout: the workers of an executor or a map cannot be ended from here. Give a number of local "
            "processes, as in workers=4, or let f end itself."
        )
    if isinstance(workers, Executor):
        return Thrifty(evaluator, Executors(evaluator, workers))
    return Thrifty(evaluator, Mapped(evaluator, workers))
