"""From pairs to values when f is a simulator: workers, failures, retries, a journal and a clock, in one place.

A run that asks for none of these goes straight to `reckless.core.evaluator.Evaluator`.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from reckless.core.arguments import read_choice, read_count, read_positive
from reckless.core.arrays import Array, Indices
from reckless.core.evaluator import Evaluator
from reckless.core.failures import Failed, Failure, Outcome
from reckless.core.task import Task
from reckless.errors import Halt, ObjectiveFailed, Status
from reckless.jobs import Clock
from reckless.journal import Journal
from reckless.workers import Engine, WorkersLike, read_workers, start_engine

POLICIES = ("raise", "count")
RETURNED_NAN = "f returned NaN."


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How f is to be evaluated; the fields are arguments of `minimax`, where they are explained."""

    workers: WorkersLike = None
    on_error: str = "raise"
    nan_policy: str = "count"
    retries: int = 0
    eval_timeout: float | None = None
    maxtime: float | None = None

    @classmethod
    def read(
        cls,
        *,
        workers: Any = None,
        on_error: Any = "raise",
        nan_policy: Any = "count",
        retries: Any = 0,
        eval_timeout: Any = None,
        maxtime: Any = None,
    ) -> "Settings":
        """Check what a user gave."""
        return cls(
            workers=read_workers(workers),
            on_error=read_choice(on_error, "on_error", POLICIES),
            nan_policy=read_choice(nan_policy, "nan_policy", POLICIES),
            retries=read_count(retries, "retries", smallest=0),
            eval_timeout=None if eval_timeout is None else read_positive(eval_timeout, "eval_timeout"),
            maxtime=None if maxtime is None else read_positive(maxtime, "maxtime"),
        )


class Hopelessness(NamedTuple):
    """When a run is given up because nothing works: all of so many evaluations raised, at so many different x."""

    n_evaluations: int
    n_designs: int = 10

    @classmethod
    def of(cls, maxfev: int) -> "Hopelessness":
        return cls(max(20, min(maxfev // 10, 200)))


class Evaluation:
    """Values (m,) for pairs of rows, NaN for failures; a context manager, since it may own processes and a file.

    The task's counters are kept by the `Solver`, one evaluation per pair; what retries need beyond that is added here.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        task: Task,
        settings: Settings,
        *,
        journal: Journal | None = None,
        on_value: Callable[[], object] | None = None,
    ) -> None:
        self._task, self._settings, self._journal, self._on_value = task, settings, journal, on_value
        self._engine: Engine = start_engine(evaluator, settings.workers, settings.eval_timeout)
        self._clock = Clock(settings.maxtime)
        self._n = 0  # evaluations so far, which is also the number of the next one
        self._n_new = self._n_new_failed = 0  # those of this batch that no counter of the task knows yet
        self._limit = Hopelessness.of(task.maxfev)
        self._failed_designs: set[bytes] | None = set()  # None as soon as anything worked

    def __enter__(self) -> "Evaluation":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: Any, trace: TracebackType | None) -> None:
        self._engine.close(at_once=kind is not None)
        if self._journal is not None:
            self._journal.close()

    def turn_to(self, task: Task) -> None:
        """From now on, retries are counted there; the numbers in the journal go on."""
        self._task = task

    def __call__(self, X: Array, Y: Array) -> Array:
        task, n_retries = self._task, self._settings.retries
        self._n_new = self._n_new_failed = 0
        try:
            rows = np.arange(len(X))
            values = np.full(len(X), np.nan)
            for attempt in range(n_retries + 1):
                self._attempt(X, Y, rows, values, is_last=attempt == n_retries)
                # When the budget leaves no room for a retry, the run is at its end, and ends as it should.
                rows = rows[np.isnan(values[rows])][: task.n_left - len(X)]
                if attempt == n_retries or not rows.size:
                    break
                # A failed attempt is an evaluation; the last one of every pair is counted when its value is received.
                task.n_used += rows.size
                task.n_failed += rows.size
                self._n_new -= rows.size
                self._n_new_failed -= rows.size
        except BaseException:
            task.n_used += self._n_new
            task.n_failed += self._n_new_failed
            raise
        return values

    def _attempt(self, X: Array, Y: Array, rows: Indices, values: Array, *, is_last: bool) -> None:
        """Evaluate some rows of a batch once, those that are not in the journal."""
        first, self._n = self._n, self._n + len(rows)
        reasons: dict[int, str] = {}  # of this attempt's failures, while there was none before
        try:
            unknown = list(range(len(rows))) if self._journal is None else self._recalled(X, Y, rows, values, first)
            asked = rows[unknown]
            stream = self._engine.stream(X[asked], Y[asked], self._clock) if unknown else ()  # copies, f may scribble
            for k, outcome in stream:
                n, row = first + unknown[k], asked[k]
                x, y = X[row], Y[row]
                value = self._judged(outcome, x, y, is_last)
                is_failure = value is None or value != value
                if is_failure and self._task.first_failure is None:
                    reasons[n] = outcome.traceback if isinstance(outcome, Failed) else RETURNED_NAN
                if self._journal is not None:
                    if n in reasons:
                        self._journal.write_failure(n, reasons[n])
                    self._journal.write(n, x, y, value)
                values[row] = np.nan if value is None else value
                self._count(x, value)
                if self._on_value is not None:
                    self._on_value()
        finally:
            if self._journal is not None:
                self._journal.flush()
            if self._task.first_failure is None:
                self._keep_first_failure(X[rows], Y[rows], reasons, first)
        self._give_up_if_hopeless()

    def _recalled(self, X: Array, Y: Array, rows: Indices, values: Array, first: int) -> list[int]:
        """Fill in the values that are in the journal; return the places of the others."""
        assert self._journal is not None
        unknown = []
        for k, row in enumerate(rows):
            text = self._journal.recall(first + k, X[row], Y[row])
            if text is None:
                unknown.append(k)
                continue
            value = None if text == "error" else float.fromhex(text)
            values[row] = np.nan if value is None else value
            self._count(X[row], value)
            if self._on_value is not None:
                self._on_value()
        return unknown

    def _judged(self, outcome: Outcome, x: Array, y: Array, is_last: bool) -> float | None:
        """The value, None for an error; or the exception that ends the run."""
        if isinstance(outcome, Failed):
            if is_last and self._settings.on_error == "raise":
                if outcome.error is not None:
                    raise outcome.error
                raise ObjectiveFailed(f"{outcome.traceback.strip()} (at x={x}, y={y})")
            return None
        if outcome != outcome and is_last and self._settings.nan_policy == "raise":
            raise ObjectiveFailed(f"f returned NaN at x={x}, y={y}, and nan_policy='raise' ends the run then.")
        return outcome

    def _count(self, x: Array, value: float | None) -> None:
        self._n_new += 1
        if value is None or value != value:
            self._n_new_failed += 1
        if value is not None:
            self._failed_designs = None
        elif self._failed_designs is not None and len(self._failed_designs) < self._limit.n_designs:
            self._failed_designs.add(x.tobytes())

    def _keep_first_failure(self, X: Array, Y: Array, reasons: dict[int, str], first: int) -> None:
        """The first by number, not by time, so that it does not depend on who was quicker."""
        if self._journal is not None:
            reasons = self._journal.failures
        numbers = [n for n in reasons if first <= n < first + len(X)]
        if numbers:
            n = min(numbers)
            self._task.first_failure = Failure(X[n - first], Y[n - first], reasons[n])

    def _give_up_if_hopeless(self) -> None:
        failure = self._task.first_failure
        if (
            failure is not None
            and self._failed_designs is not None
            and len(self._failed_designs) >= self._limit.n_designs
            and self._n >= self._limit.n_evaluations
        ):
            raise Halt(Status.NOTHING_FOUND, f"All of the first {self._n} failed, the first with: {failure.summary}")


def open_evaluation(
    evaluator: Evaluator,
    task: Task,
    settings: Settings,
    *,
    journal: Journal | None = None,
    on_value: Callable[[], object] | None = None,
) -> AbstractContextManager[Callable[[Array, Array], Array]]:
    """The shortest way from pairs to values that does what the settings ask for."""
    if settings == Settings() and journal is None and on_value is None:
        return nullcontext(evaluator.values)
    return Evaluation(evaluator, task, settings, journal=journal, on_value=on_value)
