"""Pairs on their way to workers and back: what is sent, what comes back, and how much at a time."""

import pickle
import statistics
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.core.outcome import Outcome, Reason
from reckless.errors import InvalidArgument
from reckless.evaluation.objective import Evaluator

CHUNK_SECONDS = 1e-2  # as much work as one message should bring
Wire = tuple[str, bytes | None, bool]  # how a `Reason` travels: its text, the pickled exception, is_nan


class Job(NamedTuple):
    """Rows of a batch that are sent together, and how often they were sent."""

    rows: Sequence[int]
    n_sent: int = 1


class Evaluated(NamedTuple):
    """What a worker sends back: the seconds it took, one value per row, and why rows failed."""

    seconds: float
    values: Array
    reasons: dict[int, Wire]

    @classmethod
    def of(cls, evaluator: Evaluator, X: Array, Y: Array) -> "Evaluated":
        """Evaluate all rows, whatever becomes of some of them."""
        values, reasons = np.full(len(X), np.nan), dict[int, Reason]()
        started = time.perf_counter()
        for done in evaluator.outcomes(X, Y):
            if done.interrupt is not None:
                raise done.interrupt
            values[done.rows] = done.values
            reasons.update(done.reasons)
        seconds = time.perf_counter() - started
        return cls(seconds, values, {row: _to_wire(reason) for row, reason in reasons.items()})

    def outcome(self, rows: Sequence[int]) -> Outcome:
        """Return what came of these rows of a batch."""
        reasons = {row: _from_wire(wire) for row, wire in self.reasons.items()}
        return Outcome(slice(0, len(self.values)), self.values, reasons).at(np.array(rows))


class Portable:
    """An evaluator that can travel: pickled by cloudpickle, so that lambdas and closures work, and only if need be."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._blob: bytes | None = None

    def __call__(self, pairs: tuple[Array, Array, int]) -> Evaluated:
        X, Y, _ = pairs
        return Evaluated.of(self._evaluator, X, Y)

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
        return Unusable(_to_wire(Reason.of(error)))
    return Portable(Evaluator(f, vectorized=vectorized))


class Unusable:
    """Stands in for an f that could not be loaded: every evaluation fails for that reason."""

    def __init__(self, reason: Wire) -> None:
        self._reason = reason

    def __call__(self, pairs: tuple[Array, Array, int]) -> Evaluated:
        m = len(pairs[0])
        return Evaluated(1.0, np.full(m, np.nan), dict.fromkeys(range(m), self._reason))


def _to_wire(reason: Reason) -> Wire:
    import cloudpickle

    blob = None
    if reason.error is not None:
        try:
            blob = cloudpickle.dumps(reason.error)
            pickle.loads(blob)
        except Exception:  # an exception of the user's that cannot travel; its words do
            blob = None
    return reason.text, blob, reason.is_nan


def _from_wire(wire: Wire) -> Reason:
    text, blob, is_nan = wire
    error = None
    if blob is not None:
        with suppress(Exception):
            error = pickle.loads(blob)
    return Reason(text, error, is_nan)


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
