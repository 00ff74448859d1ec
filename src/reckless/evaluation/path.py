"""From a batch of pairs to its values: recall, evaluate, count, judge, keep. Every batch of every run takes this path.

`Batch` follows one batch through its attempts, whether an engine or the user evaluates; `Evaluations` has an engine
evaluate, and returns early if a batch worked as a whole.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.core.outcome import Cause, Failure, Outcome, Reason, has_failures, last_line
from reckless.core.sense import MINIMAX, Sense
from reckless.core.task import Budget
from reckless.domains.labels import Legends, shown
from reckless.errors import Halt, InvalidJournal, InvalidObjective, ObjectiveFailed, OptimizationError, Status
from reckless.evaluation.executors import Engine
from reckless.evaluation.journal import Journal
from reckless.evaluation.ledger import Ledger
from reckless.evaluation.memory import NO_REASONS, Memory
from reckless.evaluation.objective import CutShort, Evaluator
from reckless.evaluation.recheck import Recheck
from reckless.evaluation.replay import Passed

ROW_ERRORS = (IndexError, ValueError, TypeError)  # what an f for rows raises if it is given vectors
HOPELESS_DESIGNS = 10  # different x at which all evaluations raised, before a run is given up

NO_LEGENDS = Legends()
NO_ROWS = np.empty(0, dtype=np.intp)
Rows = Callable[[], tuple[Array, Array]]  # makes the rows of a batch anew
Watch = Callable[[int], object]  # takes the number of evaluations made


class Policies(NamedTuple):
    """What to do about failed evaluations; the fields are options of `minimax`, where they are explained."""

    on_error: str = "raise"
    nan_policy: str = "worst"
    retries: int = 0

    @property
    def has_worst(self) -> bool:
        """Whether any failure is the worst case of its x."""
        return "worst" in (self.on_error, self.nan_policy)

    def of(self, cause: Cause) -> str:
        """Return what to do about a failure of this cause."""
        return self.nan_policy if cause is Cause.NAN else self.on_error

    def is_worst(self, cause: Cause) -> bool:
        """Tell whether such a failure is the worst case of its x; only what f returns or raises can be."""
        return cause is not Cause.UNKNOWN and self.of(cause) == "worst"


@dataclass(slots=True, eq=False)
class Account:
    """Counts every evaluation, judges it by the policies, and writes it to the ledger and the journal.

    whole: the budget of all phases of the run, which also numbers the evaluations. failed_designs: the x at which f
    raised, None as soon as anything worked. is_random: whether failures come at random, so that none is a worst case.
    here: who calls f in this process, if that is done. memory: values that need no evaluation. counts_known: whether
    they count nevertheless, as in a verification, whose plan they are part of. watch: told how many evaluations the run
    has made, after each slow one and after each batch. in_parts: whether a batch that takes long is counted in parts.
    pause: called between two parts of a batch; it may end the run by raising `Halt`. on_failure: called with this
    account after failures. sense: whether f's values change their sign on the way to the ledger. legends: what the
    coordinates are called.
    """

    whole: Budget
    policies: Policies
    ledger: Ledger
    journal: Journal | None = None
    failed_designs: set[bytes] | None = field(default_factory=set)
    is_random: bool = False
    here: Evaluator | None = None
    memory: Memory = field(default_factory=Memory)
    counts_known: bool = False
    watch: Watch | None = None
    in_parts: bool = False
    pause: Callable[[], object] | None = None
    on_failure: Callable[["Account"], object] | None = None
    sense: Sense = MINIMAX
    legends: Legends = NO_LEGENDS

    def is_worst(self, cause: Cause) -> bool:
        """Tell whether a failure of this cause is the worst case of its x."""
        return not self.is_random and self.policies.is_worst(cause)

    def remember(self, X: Array, Y: Array, values: Array, reasons: Mapping[int, Reason] = NO_REASONS) -> None:
        """Take known values (m,) of f: they are in the ledger now, and answer one request of their pairs, uncounted.

        reasons: why a value is NaN, unless f returned that.
        """
        told = Outcome(slice(0, len(values)), values, reasons)
        causes = {k: told.reason(k).cause for k in np.flatnonzero(np.isnan(values)).tolist()}
        rows = self.ledger.give(X, Y, self.sense.turn(values), causes)
        if lost := [k for k, cause in causes.items() if cause is Cause.UNKNOWN]:  # nothing is known there
            kept = np.setdiff1d(np.arange(len(values)), lost)
            reasons = {int(new): reasons[k] for new, k in enumerate(kept.tolist()) if k in reasons}
            X, Y, values, rows = X[kept], Y[kept], values[kept], rows[kept]
        self.memory.add(X, Y, values, rows, reasons)

    def turn(self, phase: str | None, budget: Budget) -> None:
        """Enter a phase of the journal; what it passes over is remembered, and counted if the search made it."""
        assert self.journal is not None
        for passed in self.journal.turn(phase, self.ledger.X.shape[1], self.ledger.Y.shape[1]):
            if passed.is_counted:
                self._count_passed(passed, budget)
            self.remember(passed.X, passed.Y, passed.done.values, passed.done.reasons)

    def _count_passed(self, passed: Passed, budget: Budget) -> None:
        X, Y, done, numbers, _ = passed
        failed = np.flatnonzero(np.isnan(done.values)).tolist()
        if not failed:
            return self.count_good(len(numbers), budget)
        n_errors = sum(done.reason(k).cause is not Cause.NAN for k in failed)
        first = Failure(X[failed[0]], Y[failed[0]], done.reason(failed[0]).text, numbers[failed[0]])
        return self.count_mixed(X, len(failed), n_errors, budget, first)

    def count_good(self, n: int, budget: Budget) -> None:
        """Count evaluations that worked, on the budget of their phase."""
        self.failed_designs = None
        budget.count(n)
        if self.watch is not None:
            self.watch(self.whole.n_used)

    def count_mixed(self, X: Array, n_failed: int, n_errors: int, budget: Budget, failure: Failure | None) -> None:
        """Count evaluations at rows X, some of which failed, by an exception in `n_errors` cases."""
        if n_errors < len(X):
            self.failed_designs = None
        elif self.failed_designs is not None and len(self.failed_designs) < HOPELESS_DESIGNS:
            self.failed_designs.update(x.tobytes() for x in X)
        budget.count(len(X), n_failed, failure)
        if self.on_failure is not None:
            self.on_failure(self)
        if self.watch is not None:
            self.watch(self.whole.n_used)

    def give_up_if_hopeless(self, budget: Budget) -> None:
        """End a run all of whose evaluations raised, at HOPELESS_DESIGNS or more different x."""
        n_used, failure = self.whole.n_used, budget.first_failure
        is_hopeless = self.failed_designs is not None and len(self.failed_designs) >= HOPELESS_DESIGNS
        if is_hopeless and failure is not None and n_used >= max(20, min(budget.limit // 10, 200)):
            raise Halt(Status.NOTHING_FOUND, f"All of the first {n_used} failed, the first with: {failure.summary}")

    def error(self, X: Array, Y: Array, done: Outcome, failed: Indices) -> BaseException | None:
        """Return the exception by which a failed row ends the run, if the policies say so."""
        for row in failed.tolist():
            reason, where = done.reason(row), self._where(X[row], Y[row])
            if self.policies.of(reason.cause) != "raise":
                continue
            if reason.cause is Cause.NAN:
                return ObjectiveFailed(f"f returned NaN at {where}, and nan_policy='raise' ends the run then.")
            return self._advised(reason.error, X[row], Y[row]) or ObjectiveFailed(
                f"{last_line(reason.text)} (at {where})"
            )
        return None

    def _where(self, x: Array, y: Array) -> str:
        """Return a pair as errors name it."""
        pair = ((player, z, getattr(self.legends, player)) for player, z in (("x", x), ("y", y)))
        return ", ".join(f"{player}={shown(it, z, player) if it.names or it.words else z}" for player, z, it in pair)

    def _advised(self, error: BaseException | None, x: Array, y: Array) -> BaseException | None:
        """Return an exception of f; if f never worked and was written for x alone or for rows, one that says so."""
        if self.here is None or self.whole.n_used > self.whole.n_failed or not isinstance(error, ROW_ERRORS):
            return error
        if isinstance(error, OptimizationError):
            return error
        if self.here.takes_x_alone():
            advice = InvalidObjective(
                "f: expected a function of x and y, but it takes one argument. If y is how far x may be off, write "
                "f, y_bounds = reckless.perturbation(g, x_bounds, radius)."
            )
        elif self.here.takes_rows(x, y):
            advice = InvalidObjective(
                f"f: expected a function of vectors x and y, but it raised {type(error).__name__} for them and works "
                f"for rows. If f takes many pairs as rows, pass vectorized=True."
            )
        else:
            return error
        advice.__cause__ = error
        return advice


class Batch:
    """One batch on its way to its values, whether an engine or the user evaluates: rows X (m, n_x) and Y (m, n_y).

    missing: the rows to evaluate next. At first these are all that neither the memory nor the journal knows; once they
    are done, those that failed, as often as `retries` and the budget allow. opened: the first row in the ledger, if the
    rows were opened there.
    """

    def __init__(self, account: Account, X: Array, Y: Array, budget: Budget, opened: int | None = None) -> None:
        self._account, self._X, self._Y, self._budget = account, X, Y, budget
        self._n_retries = account.policies.retries  # how many are left
        self._opened = account.ledger.open(X, Y) if opened is None else opened
        self._values = np.empty(len(X))
        self._values.fill(np.nan)
        self._begin(np.arange(len(X)))

    def __len__(self) -> int:
        return len(self._values)

    @property
    def values(self) -> Array:
        """The values (m,) as a method is told them: a failure is NaN, or +inf if it is the worst case of its x."""
        if not has_failures(self._values):
            return self._values
        causes, values = self._account.ledger.causes, self._values.copy()
        for row in np.flatnonzero(np.isnan(values)).tolist():
            if self._account.is_worst(causes.get(self._opened + row, Cause.UNKNOWN)):
                values[row] = np.inf
        return values

    @property
    def pairs(self) -> tuple[Array, Array]:
        """The missing rows; copies, since f may write into them."""
        if self.missing.size == len(self):
            return self._X.copy(), self._Y.copy()
        return self._X[self.missing], self._Y[self.missing]

    def take(self, done: Outcome) -> None:
        """Take the outcome of some of the missing rows; raise what ends the run."""
        failed, failure = self._count(done)
        error = self._account.error(self._X, self._Y, done, failed) if failed.size and not self._n_retries else None
        ending = done.interrupt if error is None else error
        if self._account.journal is not None:
            try:
                self._keep(self._account.journal, done, failed, failure, error)
            except InvalidJournal:
                if ending is None:  # what f raised is not hidden behind a file error
                    raise
        if ending is not None:
            raise ending
        self._continue()

    def _begin(self, rows: Indices) -> None:
        """Begin an attempt at some rows, the first of which has the next number; recall what is known of them."""
        rows = self._remembered(rows) if self._account.memory.entries else rows
        rows = rows[: self._budget.n_left]  # without budget for a row, it is not missing, and the run ends as usual
        self._attempted = self.missing = rows
        self._first, journal = self._account.whole.n_used, self._account.journal
        if journal is not None and journal.has_more and rows.size:
            done, is_over = journal.recall(self._first, self._X[rows], self._Y[rows])
            self._count(done.at(rows))
            if is_over:
                self._account.turn(journal.replay.chapter.phase, self._budget)
                return self._begin(self.missing)
        return self._continue()

    def _remembered(self, rows: Indices) -> Indices:
        """Settle those of the rows whose values are known; return the others."""
        account = self._account
        known, given = account.memory.recall(self._X[rows], self._Y[rows])
        if not given.size:
            return rows
        places, known = rows[known.rows], known.at(rows)
        account.ledger.drop(given)
        if account.counts_known:
            self._attempted, self.missing, self._first = places, places, account.whole.n_used
            self._count(known)
        else:
            self._settle(known)
        return np.setdiff1d(rows, places, assume_unique=True)

    def _continue(self) -> None:
        """Begin the next attempt if this one is done and there are failures."""
        if self.missing.size or not has_failures(self._values):
            return
        self._account.give_up_if_hopeless(self._budget)
        if self._n_retries:
            self._n_retries -= 1
            self._begin(np.flatnonzero(np.isnan(self._values)))

    def _count(self, done: Outcome) -> tuple[Indices, Failure | None]:
        """Count rows as done; return those that failed, and the first failure of the run if it is one of them."""
        n_done = len(done.values)
        if n_done == self.missing.size:
            self.missing = NO_ROWS
        elif n_done:
            self.missing = np.setdiff1d(self.missing, self._places(done), assume_unique=True)
        else:
            return NO_ROWS, None
        failed = self._settle(done)
        if not failed.size:
            self._account.count_good(n_done, self._budget)
            return NO_ROWS, None
        rows = self._places(done)
        n_errors = sum(done.reason(row).cause is not Cause.NAN for row in failed.tolist())
        failure = self._first_failure(done, int(failed[0]))
        self._account.count_mixed(self._X[rows], failed.size, n_errors, self._budget, failure)
        return failed, failure

    def _settle(self, done: Outcome) -> Indices:
        """Write values to the ledger, and why there is none; return the rows that failed.

        Here f's values become those of the search, whoever brought them.
        """
        ledger, rows, values = self._account.ledger, self._places(done), self._account.sense.turn(done.values)
        self._values[done.rows] = values
        ledger.settle(self._opened + rows, values)
        if not has_failures(values):
            return NO_ROWS
        failed: Indices = rows[np.isnan(values)]
        ledger.causes.update({self._opened + row: done.reason(row).cause for row in failed.tolist()})
        return failed

    def _first_failure(self, done: Outcome, row: int) -> Failure | None:
        known, number = self._budget.first_failure, self._first + int(np.searchsorted(self._attempted, row))
        if known is not None and known.number < number:
            return None
        return Failure(self._X[row].copy(), self._Y[row].copy(), done.reason(row).text, number)

    def _places(self, done: Outcome) -> Indices:
        places: Indices = np.arange(len(self))[done.rows]
        return places

    def _numbers(self, done: Outcome) -> Sequence[int]:
        if len(done.values) == self._attempted.size:
            return range(self._first, self._first + self._attempted.size)
        numbers: list[int] = (self._first + np.searchsorted(self._attempted, self._places(done))).tolist()
        return numbers

    def _keep(
        self, journal: Journal, done: Outcome, failed: Indices, failure: Failure | None, error: BaseException | None
    ) -> None:
        """Write values to the journal before they are used, but not the failure that ends the run: f may be mended."""
        if failure is not None and error is None:
            journal.explain(failure)
        if not failed.size:
            journal.keep(self._numbers(done), self._X[done.rows], self._Y[done.rows], done.values)
        else:
            is_kept = np.full(len(done.values), True) if error is None else ~np.isnan(done.values)
            rows = self._places(done)[is_kept]
            causes = {k: done.reason(row).cause for k, row in enumerate(rows.tolist()) if row in failed}
            causes = {k: cause for k, cause in causes.items() if cause is not Cause.NAN}
            kept = Outcome(rows, done.values[is_kept])
            journal.keep(self._numbers(kept), self._X[rows], self._Y[rows], kept.values, causes)
        if error is not None or done.interrupt is not None or not self.missing.size:
            journal.flush()


class Evaluations(AbstractContextManager["Evaluations"]):
    """The only way from a batch of pairs to its values: an engine, owned, evaluates; an account does the rest."""

    def __init__(self, account: Account, engine: Engine, deadline: float = inf) -> None:
        self._account, self._ledger, self._engine, self._deadline = account, account.ledger, engine, deadline
        account.here = engine if isinstance(engine, Evaluator) else None
        journal = account.journal
        self._recheck: Recheck | None = None
        if journal is not None and journal.has_more:
            self._recheck = Recheck(journal, engine, deadline, account.error)
        is_simple = deadline == inf and account.journal is None and account.policies.nan_policy != "raise"
        is_simple = is_simple and not account.sense.is_turned
        # In this process, and with nothing to do between two pairs, whole batches are evaluated at once.
        self._here = account.here if is_simple else None
        self._known = account.memory.entries

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._engine.close(at_once=kind is not None)

    def __call__(self, X: Array, Y: Array, budget: Budget, rows: Rows) -> Array:
        """Return the values (m,) of rows X (m, n_x), Y (m, n_y); `rows` makes them anew after f wrote into them."""
        here = self._here
        if here is None or self._known:
            return self._settled(Batch(self._account, X, Y, budget))
        opened = self._ledger.open(X, Y)
        try:
            values = here.watched_values(X, Y) if self._account.in_parts else here.values(X, Y)
        except CutShort as cut:
            done = cut.done
        else:
            if not has_failures(values):  # most batches end here
                self._ledger.close(opened, values)
                self._account.count_good(len(values), budget)
                return values
            done = Outcome(slice(0, len(values)), values)
        return self._settled(Batch(self._account, *rows(), budget, opened), done)

    def series(self, X: Array, Y: Array, limit: float, budget: Budget, rows: Rows) -> Array:
        """Return the values of rows one after the other, up to the first above `limit`."""
        here = self._here
        if here is None or self._known:
            return self._rest_of_series([], X, Y, limit, budget)
        opened = self._ledger.open(X, Y)
        try:
            values = (here.watched_series if self._account.in_parts else here.series)(X, Y, limit)
        except CutShort as cut:
            done = cut.done
        else:
            if not has_failures(values):  # most series end here
                self._ledger.close(opened, values)
                self._account.count_good(len(values), budget)
                return values
            done = Outcome(slice(0, len(values)), values)
        self._ledger.close(opened, done.values)
        X, Y = rows()
        begun = self._settled(Batch(self._account, X[done.rows], Y[done.rows], budget, opened), done)
        return self._rest_of_series(begun.tolist(), X, Y, limit, budget)

    def _rest_of_series(self, values: list[float], X: Array, Y: Array, limit: float, budget: Budget) -> Array:
        for k in range(len(values), len(X)):
            if not budget.n_left or (values and values[-1] > limit):
                break
            if values and self._account.pause is not None:
                self._account.pause()
            values.append(self._settled(Batch(self._account, X[k : k + 1], Y[k : k + 1], budget)).item())
        return np.array(values)

    def _settled(self, batch: Batch, begun: Outcome | None = None) -> Array:
        """Evaluate until nothing is missing, and return the values; `begun` is the outcome of some rows, if known."""
        if self._recheck is not None and self._recheck.proceed(is_last=batch.missing.size > 0):
            self._recheck = None
        if begun is not None:
            batch.take(begun)
        while (missing := batch.missing).size:
            if monotonic() >= self._deadline:
                raise Halt(Status.TIME_SPENT)
            for done in self._engine.outcomes(*batch.pairs, self._deadline):
                batch.take(done if missing.size == len(batch) else done.at(missing))
                if self._account.pause is not None and batch.missing.size:
                    self._account.pause()
        return batch.values
