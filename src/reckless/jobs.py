"""Portions of work and how they travel: what is sent to a worker, what comes back, and how much at a time."""

import pickle
import statistics
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.core.evaluator import Evaluator
from reckless.core.failures import Failed, Outcome
from reckless.errors import Halt, InvalidArgument, Status

CHUNK_SECONDS = 1e-2  # as much work as one message should bring
MAX_SENDS = 3  # how often a pair is sent whose worker died
Outcomes = Iterator[tuple[int, Outcome]]
Settled = tuple[list[tuple[int, Outcome]], list["Job"]]  # rows that are done, and jobs to be done again


class Clock:
    """The time a run may still take."""

    def __init__(self, seconds: float | None) -> None:
        self._deadline = np.inf if seconds is None else time.monotonic() + seconds

    def check(self) -> None:
        """End the run if its time is spent."""
        if time.monotonic() >= self._deadline:
            raise Halt(Status.TIME_SPENT)

    def left(self) -> float:
        """Seconds until the end, possibly infinite."""
        return max(0.0, self._deadline - time.monotonic())


class Job(NamedTuple):
    """Rows of a batch that are sent together, and how often they were sent."""

    rows: Sequence[int]
    n_sent: int = 1


class Reply(NamedTuple):
    """What a worker sends back: the seconds it took, and one outcome per row."""

    seconds: float
    outcomes: list[float | tuple[str, bytes | None]]  # a failure travels as its traceback and the pickled exception


class Portable:
    """An evaluator that can travel: pickled by cloudpickle, so that lambdas and closures work, and only if need be."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._blob: bytes | None = None

    def __call__(self, pairs: tuple[Array, Array, int]) -> Reply:
        X, Y, _ = pairs
        started = time.perf_counter()
        outcomes = list(self._evaluator.outcomes(X, Y))
        seconds = time.perf_counter() - started
        return Reply(seconds, [pack(outcome) for outcome in outcomes])

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpack_evaluator, (self.blob(), self._evaluator.vectorized)

    def blob(self) -> bytes:
        """f as bytes, or a sentence that says why that cannot be."""
        if self._blob is None:
            import cloudpickle

            try:
                self._blob = cloudpickle.dumps(self._evaluator.f)
            except Exception as error:
                raise InvalidArgument(
                    f"workers: f cannot be sent to another process ({type(error).__name__}: {error}). Let f open "
                    f"files, connections and locks itself, when it is called, or use a ThreadPoolExecutor."
                ) from error
        return self._blob


@lru_cache(maxsize=4)
def _unpack_evaluator(blob: bytes, vectorized: bool) -> "Portable | Unusable":
    """What arrives; to raise here would end the worker, a Dask worker too, and leave nobody to say why."""
    try:
        f = pickle.loads(blob)
    except (Exception, SystemExit) as error:  # whatever importing the user's modules raises
        return Unusable(pack(Failed.by(error)))
    return Portable(Evaluator(f, vectorized=vectorized))


class Unusable:
    """Stands in for an f that could not be loaded: every evaluation fails for that reason."""

    def __init__(self, failed: float | tuple[str, bytes | None]) -> None:
        self._failed = failed

    def __call__(self, pairs: tuple[Array, Array, int]) -> Reply:
        return Reply(1.0, [self._failed] * len(pairs[0]))


def pack(outcome: Outcome) -> float | tuple[str, bytes | None]:
    if not isinstance(outcome, Failed):
        return outcome
    import cloudpickle

    try:
        blob = cloudpickle.dumps(outcome.error)
        pickle.loads(blob)
    except Exception:  # an exception of the user's that cannot travel; its words do
        blob = None
    return outcome.traceback, blob


def _unpacked(outcome: float | tuple[str, bytes | None]) -> Outcome:
    if isinstance(outcome, float):
        return outcome
    text, blob = outcome
    error = None
    if blob is not None:
        with suppress(Exception):
            error = pickle.loads(blob)
    return Failed(text, error)


class Chunks:
    """How many pairs to send at a time, by what evaluations were measured to cost."""

    def __init__(self) -> None:
        self._recent: deque[float] = deque(maxlen=31)

    def note(self, seconds: float, n_pairs: int) -> None:
        self._recent.append(seconds / n_pairs)

    @property
    def cost(self) -> float | None:
        """Seconds per evaluation, None before the first."""
        return statistics.median(self._recent) if self._recent else None

    def jobs(self, m: int, n_workers: int | None) -> deque[Job]:
        size = min(int(CHUNK_SECONDS / max(self.cost or np.inf, 1e-9)), ceil(m / (n_workers or 1)))
        size = max(1, size)
        return deque(Job(range(start, min(start + size, m))) for start in range(0, m, size))


def settled(job: Job, reply: Reply) -> Settled:
    """The outcomes of a job that came back."""
    return [(row, _unpacked(outcome)) for row, outcome in zip(job.rows, reply.outcomes, strict=True)], []


def again(job: Job, reason: str) -> Settled:
    """What becomes of pairs whose worker is gone: they are sent again one by one, or given up."""
    if job.n_sent < MAX_SENDS:
        return [], [Job([row], job.n_sent + 1) for row in job.rows]
    failed = Failed(f"{reason}; this pair was sent {job.n_sent} times.")
    return [(row, failed) for row in job.rows], []
