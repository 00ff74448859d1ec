"""From a batch of pairs to its values: recall, evaluate, count, judge, keep. Every batch of every run takes this path.

`Batch` follows one batch through its attempts, whoever evaluates; `Evaluations` lets an engine evaluate, and returns
early with a batch that worked as a whole.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from types import TracebackType
from typing import Any

import numpy as np

from reckless.core.arguments import read_choice, read_count, read_positive
from reckless.core.arrays import Array, Indices
from reckless.core.evaluator import Evaluator
from reckless.core.outcome import Failure, Outcome, has_failures
from reckless.core.task import Budget
from reckless.errors import Halt, ObjectiveFailed, Status
from reckless.journal import Journal
from reckless.workers import Engine, WorkersLike, read_workers

POLICIES = ("raise", "count")
HOPELESS_DESIGNS = 10  # different x at which all evaluations raised, before a run is given up

Rows = Callable[[], tuple[Array, Array]]  # makes the rows of a batch anew


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


@dataclass(slots=True, eq=False)
class Account:
    """What becomes of every evaluation: it is counted, judged by the settings, and written to the journal.

    whole: the budget of all phases of the run, which also numbers the evaluations. watch: called with their number
    whenever it has changed. failed_designs: the x at which f raised, None as soon as anything worked.
    """

    whole: Budget
    settings: Settings
    journal: Journal | None = None
    watch: Callable[[int], object] | None = None
    failed_designs: set[bytes] | None = field(default_factory=set)

    def count(self, n: int, budget: Budget, n_failed: int = 0, failure: Failure | None = None) -> None:
        """Count evaluations on the budget of their phase."""
        budget.count(n, n_failed, failure)
        if self.watch is not None:
            self.watch(self.whole.n_used)

    def note_errors(self, X: Array, *, are_all: bool) -> None:
        """Note at which x evaluations raised; `are_all`: all that were made together with them did."""
        if not are_all:
            self.failed_designs = None
        elif self.failed_designs is not None and len(self.failed_designs) < HOPELESS_DESIGNS:
            self.failed_designs.update(x.tobytes() for x in X)

    def give_up_if_hopeless(self, budget: Budget) -> None:
        """End a run all of whose evaluations raised, at HOPELESS_DESIGNS or more different x."""
        n_used, failure = self.whole.n_used, budget.first_failure
        is_hopeless = self.failed_designs is not None and len(self.failed_designs) >= HOPELESS_DESIGNS
        if is_hopeless and failure is not None and n_used >= max(20, min(budget.limit // 10, 200)):
            raise Halt(Status.NOTHING_FOUND, f"All of the first {n_used} failed, the first with: {failure.summary}")

    def error(self, X: Array, Y: Array, done: Outcome, failed: Indices) -> BaseException | None:
        """Return the exception by which a failed row ends the run, if the settings say so."""
        for row in failed.tolist():
            reason, where = done.reason(row), f"x={X[row]}, y={Y[row]}"
            if reason.is_nan and self.settings.nan_policy == "raise":
                return ObjectiveFailed(f"f returned NaN at {where}, and nan_policy='raise' ends the run then.")
            if not reason.is_nan and self.settings.on_error == "raise":
                return reason.error or ObjectiveFailed(f"{reason.text.strip()} (at {where})")
        return None


class Batch:
    """One batch on its way to its values, whoever evaluates it: rows X (m, n_x) and Y (m, n_y).

    missing: the rows to evaluate next. At first these are all that the journal does not know; once they are done, those
    that failed, as often as `retries` and the budget allow. values: (m,), complete when nothing is missing.
    """

    def __init__(self, account: Account, X: Array, Y: Array, budget: Budget) -> None:
        self._account, self._X, self._Y, self._budget = account, X, Y, budget
        self._n_retries = account.settings.retries  # how many are left
        self._numbers = np.zeros(len(X), dtype=np.intp)
        self.values = np.full(len(X), np.nan)
        self._begin(np.arange(len(X)))

    @property
    def pairs(self) -> tuple[Array, Array]:
        """The missing rows; copies, since f may write into them."""
        return self._X[self.missing], self._Y[self.missing]

    def take(self, done: Outcome) -> None:
        """Take what came of some of the missing rows; raise what ends the run."""
        failed, failure = self._count(done)
        error = self._account.error(self._X, self._Y, done, failed) if failed.size and not self._n_retries else None
        if self._account.journal is not None:
            self._keep(self._account.journal, done, failed, failure, error)
        if error is not None:
            raise error
        if done.interrupt is not None:
            raise done.interrupt
        self._continue()

    def _begin(self, rows: Indices) -> None:
        """Begin an attempt at some rows: number them, and recall those that the journal knows."""
        self._attempted = self.missing = rows
        first, journal = self._account.whole.n_used, self._account.journal
        self._numbers[rows] = np.arange(first, first + rows.size)
        recalled = None if journal is None else journal.recall(first, self._X[rows], self._Y[rows])
        if recalled is not None:
            self._count(recalled.at(rows))
            self._continue()

    def _continue(self) -> None:
        """Begin the next attempt if this one is done and left failures."""
        if self.missing.size:
            return
        failed = self._attempted[np.isnan(self.values[self._attempted])]
        if failed.size:
            self._account.give_up_if_hopeless(self._budget)
        if failed.size and self._n_retries:
            self._n_retries -= 1
            # Where the budget leaves no room for a retry, the run is at its end, and ends as it should.
            self._begin(failed[: self._budget.n_left])

    def _count(self, done: Outcome) -> tuple[Indices, Failure | None]:
        """Count the rows as done; return those that failed, and the first failure of the run if it is one of them."""
        rows = np.arange(len(self.values))[done.rows]
        self.values[rows] = done.values
        self.missing = self.missing[np.isin(self.missing, rows, invert=True)]
        failed = rows[np.isnan(done.values)]
        n_errors = sum(not done.reason(row).is_nan for row in failed.tolist())
        self._account.note_errors(self._X[rows], are_all=n_errors == rows.size)
        failure = self._first_failure(done, int(failed[0])) if failed.size else None
        self._account.count(rows.size, self._budget, failed.size, failure)
        return failed, failure

    def _first_failure(self, done: Outcome, row: int) -> Failure | None:
        known, number = self._budget.first_failure, int(self._numbers[row])
        if known is not None and known.number < number:
            return None
        return Failure(self._X[row].copy(), self._Y[row].copy(), done.reason(row).text, number)

    def _keep(
        self, journal: Journal, done: Outcome, failed: Indices, failure: Failure | None, error: BaseException | None
    ) -> None:
        """Write values to the journal before they are used; not what ends the run, so that f can be mended."""
        if error is None:
            if failure is not None:
                journal.explain(failure)
            journal.keep(self._numbers, self._X, self._Y, done)
        elif len(done.values) > failed.size:
            worked = ~np.isnan(done.values)
            rows = np.arange(len(self.values))[done.rows][worked]
            journal.keep(self._numbers, self._X, self._Y, Outcome(rows, done.values[worked]))
        if error is not None or done.interrupt is not None or not self.missing.size:
            journal.flush()


class Evaluations:
    """The only way from a batch of pairs to its values: an engine evaluates, an account counts, judges and keeps.

    A context manager that owns the engine.
    """

    def __init__(self, account: Account, engine: Engine, deadline: float = inf) -> None:
        self._account, self._engine, self._deadline = account, engine, deadline
        self._direct: Evaluator | None = None  # the same, if it may return a whole batch at once
        may_go_on = account.settings.nan_policy == "count" and account.journal is None
        if isinstance(engine, Evaluator) and deadline == inf and may_go_on:
            self._direct = engine

    def __enter__(self) -> "Evaluations":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: Any, trace: TracebackType | None) -> None:
        self._engine.close(at_once=kind is not None)

    def __call__(self, X: Array, Y: Array, budget: Budget, rows: Rows) -> Array:
        """Return the values (m,) of rows X (m, n_x), Y (m, n_y); `rows` makes them anew after f wrote into them."""
        if self._direct is None:
            return self._settled(Batch(self._account, X, Y, budget))
        done = self._direct.outcome(X, Y)
        values = done.values
        if len(values) == len(X) and not has_failures(values):  # most batches end here
            self._account.failed_designs = None
            self._account.count(len(values), budget)
            return values
        batch = Batch(self._account, *rows(), budget)
        batch.take(done)
        return self._settled(batch)

    def series(self, X: Array, Y: Array, limit: float, budget: Budget, rows: Rows) -> Array:
        """Return the values of rows one after the other, up to the first above `limit`."""
        values: list[float] = []
        if self._direct is not None:
            done = self._direct.series(X[: budget.n_left], Y[: budget.n_left], limit)
            if done.interrupt is None and not has_failures(done.values):  # most series end here
                self._account.failed_designs = None
                self._account.count(len(done.values), budget)
                return done.values
            X, Y = rows()
            batch = Batch(self._account, X[done.rows], Y[done.rows], budget)
            batch.take(done)
            values = self._settled(batch).tolist()
        while len(values) < len(X) and budget.n_left and not (values and values[-1] > limit):
            values.append(self._one(len(values), X, Y, budget, rows))
        return np.array(values)

    def _one(self, k: int, X: Array, Y: Array, budget: Budget, rows: Rows) -> float:
        """Return the value of one row of a series."""
        at = slice(k, k + 1)

        def row() -> tuple[Array, Array]:
            X, Y = rows()
            return X[at], Y[at]

        return self(X[at], Y[at], budget, row).item()

    def _settled(self, batch: Batch) -> Array:
        """Let the engine evaluate what is missing until nothing is."""
        while batch.missing.size:
            if monotonic() >= self._deadline:
                raise Halt(Status.TIME_SPENT)
            asked = batch.missing
            for done in self._engine.outcomes(*batch.pairs, self._deadline):
                batch.take(done.at(asked))
        return batch.values
