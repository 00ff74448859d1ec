"""What is sent to workers, what they send back, and how much at a time."""

import os
import pickle
import platform
import statistics
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property, partial
from hashlib import blake2b
from math import ceil
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.core.outcome import Cause, Outcome, Reason
from reckless.core.words import named
from reckless.errors import InvalidArgument
from reckless.evaluation.objective import Evaluator

CHUNK_SECONDS = 1e-2  # as much work as one message should bring
MOST_KEPT = 4  # evaluators that a worker of an executor keeps
Wire = tuple[Reason, bytes]  # how a `Reason` travels: without its exception, and that pickled
Sent = tuple[Array, Array, int]  # rows X and Y, and a number that no other message has


class Job(NamedTuple):
    """Rows of a batch that are sent together, and how often they were sent."""

    rows: Sequence[int]
    n_sent: int = 1


class Evaluated(NamedTuple):
    """A worker's answer: the number of the message, the seconds it took, a value per row, and why rows failed."""

    ticket: int
    seconds: float
    values: Array
    reasons: dict[int, Wire]

    def outcome(self, rows: Sequence[int]) -> Outcome:
        """Return the outcome of these rows of a batch."""
        reasons = {row: _from_wire(*wire) for row, wire in self.reasons.items()}
        return Outcome(slice(0, len(self.values)), self.values, reasons).at(np.array(rows))


class Lacking(NamedTuple):
    """The answer of a worker, a process of some machine, that was sent the key of an f that it does not have."""

    worker: str


class Portable:
    """An evaluator that can travel: pickled when needed, and by cloudpickle, so that lambdas and closures work.

    Where it arrives, f is kept. A `KeyOf` it is enough from then on.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._blob: bytes | None = None

    def __call__(self, pairs: Sent) -> Evaluated:
        """Evaluate all rows, even if some fail."""
        X, Y, ticket = pairs
        values, reasons = np.full(len(X), np.nan), dict[int, Reason]()
        started = time.perf_counter()
        for done in self._evaluator.outcomes(X, Y):
            if done.interrupt is not None:
                raise done.interrupt
            values[done.rows] = done.values
            reasons.update(done.reasons)
        seconds = time.perf_counter() - started
        return Evaluated(ticket, seconds, values, {row: _to_wire(reason) for row, reason in reasons.items()})

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpack_evaluator, (self.key, self.blob(), self._evaluator.vectorized)

    @cached_property
    def key(self) -> str:
        return f"{blake2b(self.blob(), digest_size=16).hexdigest()} {self._evaluator.vectorized}"

    def blob(self) -> bytes:
        """Return f as bytes, or say in a sentence why that cannot be."""
        if self._blob is None:
            import cloudpickle

            try:
                self._blob = cloudpickle.dumps(self._evaluator.f)
            except Exception as error:
                raise InvalidArgument(
                    f"workers: f cannot be sent to another process ({named(error)}). Let f open "
                    f"files, connections and locks itself, when it is called, or use a ThreadPoolExecutor."
                ) from error
        return self._blob


class KeyOf:
    """Stands for an evaluator: the same in this process, but only its key travels to another one."""

    def __init__(self, portable: Portable) -> None:
        self._portable = portable

    def __call__(self, pairs: Sent) -> Evaluated:
        return self._portable(pairs)

    def __reduce__(self) -> tuple[Any, ...]:
        return _find_evaluator, (self._portable.key,)


_kept: dict[str, Callable[[Sent], Evaluated]] = {}  # by key; the oldest first
_keeping = Lock()  # threads of a worker share an f


def _find_evaluator(key: str) -> Callable[[Sent], Evaluated | Lacking]:
    return _kept.get(key, _lack)


def _lack(pairs: Sent) -> Lacking:
    return Lacking(f"{platform.node()} {os.getpid()}")


def _unpack_evaluator(key: str, blob: bytes, vectorized: bool) -> Callable[[Sent], Evaluated]:
    with _keeping:
        if key not in _kept:
            while len(_kept) >= MOST_KEPT:
                del _kept[next(iter(_kept))]
            _kept[key] = _loaded(blob, vectorized)
        return _kept[key]


def _loaded(blob: bytes, vectorized: bool) -> Callable[[Sent], Evaluated]:
    """Return the evaluator; to raise here would end the worker, a Dask worker too, and leave nobody to say why."""
    try:
        f = pickle.loads(blob)
    except (Exception, SystemExit) as error:  # whatever importing the user's modules raises
        return partial(_fail, _to_wire(Reason.of(error, Cause.UNKNOWN)))
    return Portable(Evaluator(f, vectorized=vectorized))


def _fail(reason: Wire, pairs: Sent) -> Evaluated:
    """Answer in place of an f that could not be loaded."""
    m, ticket = len(pairs[0]), pairs[2]
    return Evaluated(ticket, 1.0, np.full(m, np.nan), dict.fromkeys(range(m), reason))


def fault_in(answer: Any, pairs: Sent) -> str | None:
    """Say what is wrong with an answer that does not belong to these pairs, None if it does."""
    if not isinstance(answer, Evaluated):
        return f"an object of type {type(answer).__name__}"
    return None if answer.ticket == pairs[2] else "the answer to other pairs"


def _to_wire(reason: Reason) -> Wire:
    import cloudpickle

    blob = b""
    with suppress(Exception):  # an exception of the user's that cannot travel; its words do
        blob = cloudpickle.dumps(reason.error)
    return reason._replace(error=None), blob


def _from_wire(reason: Reason, blob: bytes) -> Reason:
    with suppress(Exception):
        return reason._replace(error=pickle.loads(blob))
    return reason


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
        size = max(1, min(int(CHUNK_SECONDS / max(self.cost or np.inf, 1e-9)), ceil(m / (n_workers or 1))))
        return deque(Job(range(start, min(start + size, m))) for start in range(0, m, size))
