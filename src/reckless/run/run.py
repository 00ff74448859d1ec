"""One run from its first request to its result: a search, its requests, its history, and the phases that follow."""

from collections.abc import Mapping
from contextlib import suppress
from math import inf, nan
from time import monotonic
from typing import Any

import numpy as np

from reckless.core.arguments import draw_seed, read_rng
from reckless.core.arrays import Array
from reckless.core.outcome import Outcome
from reckless.core.sense import sense_of
from reckless.core.task import Budget, Recommendation, Task
from reckless.core.words import named, safe_repr
from reckless.domains.anchored import Anchored
from reckless.domains.domain import placed_rows
from reckless.domains.named import with_names
from reckless.domains.reading import DomainLike
from reckless.errors import (
    Halt,
    InvalidJournal,
    InvalidObjective,
    ObjectiveFailed,
    OptimizationError,
    OutOfTurn,
    Status,
)
from reckless.evaluation.executors import start_engine
from reckless.evaluation.journal import Journal
from reckless.evaluation.known import known_at
from reckless.evaluation.ledger import Ledger
from reckless.evaluation.objective import Evaluator, read_values
from reckless.evaluation.path import Account, Batch, Evaluations, Policies
from reckless.evaluation.records import VERIFY
from reckless.methods.registry import can_extend
from reckless.run.answers import RUNNING, Answers
from reckless.run.callback import Caller, read_callback
from reckless.run.cases import Cases
from reckless.run.claim import Choice, Claims
from reckless.run.log import Log
from reckless.run.opening import Opening
from reckless.run.origin import Origin, origin_of
from reckless.run.phase import AnySearch, Phase
from reckless.run.plan import read_plan
from reckless.run.result import MinimaxResult, WorstCase
from reckless.run.scatter import Scatter, beside_in, nudged
from reckless.run.target import Goal
from reckless.run.verification import measure
from reckless.run.watcher import Watcher


class Run:
    """A method at work: what it asks for, what it is told and what it recommends; then its answer is verified.

    `drive` evaluates; `ask` and `tell` leave that to the caller. What comes of it takes the same path.

    options: as `read_options` returns them.
    """

    def __init__(self, x_bounds: DomainLike, y_bounds: DomainLike, options: Mapping[str, Any]) -> None:
        self._begun, self._seconds = monotonic(), 0.0
        self._plan = plan = read_plan(x_bounds, y_bounds, options)
        report = read_callback(options["callback"])
        self._caller = None if report is None else Caller(report, monotonic)
        self._watcher: Watcher | None = None
        self._log = Log()
        self._deadline = inf if options["maxtime"] is None else monotonic() + options["maxtime"]
        self._journal = None if options["checkpoint"] is None else Journal(options["checkpoint"])
        try:
            drawn = draw_seed() if options["rng"] is None else options["rng"]
            rng, seed = read_rng(drawn), None
            if self._journal is not None:
                rng, seed = self._journal.choose_rng(options["rng"])
                drawn = int(seed["drawn"]) if "drawn" in seed else drawn
                self._journal.begin(plan.head(seed), can_extend=can_extend(plan.method))
            whole = Budget(plan.maxfev + plan.n_verify)
            policies = Policies(options["on_error"], options["nan_policy"], options["retries"])
            ledger = Ledger(plan.x_domain.n_out, plan.y_domain.n_out)
            sense = sense_of(options["maximin"])
            self._account = Account(whole, policies, ledger, self._journal, sense=sense, legends=plan.legends)
            self._account.on_failure = self._log.fail
            origin = origin_of(plan.options, plan.x_domain, plan.y_domain, drawn)
            self._begin(whole.part(plan.maxfev) if plan.n_verify else whole, rng, origin)
        except BaseException:
            with suppress(InvalidJournal, OSError):
                self.close()
            raise

    def _begin(self, budget: Budget, rng: np.random.Generator, origin: Origin) -> None:
        """Start the method, which says what it wants to know first."""
        plan, journal = self._plan, self._journal
        x_domain, y_domain, size = plan.x_domain, plan.y_domain, plan.options["batch_size"]
        task = Task(x_domain.n, y_domain.n, budget, rng, n_scenarios=y_domain.n_scenarios, batch_size=size)
        task.x_domain, task.y_domain = x_domain, y_domain
        noise = plan.options["noise"]
        task.noise = None if noise == "auto" else float(noise)
        task.tol = plan.options["tol"]
        task.trace = [] if plan.options["trace"] else None
        self._task = task
        self._log.begin(plan.method_name, task)
        cases = Cases(self._account, plan.x_places, plan.y_places, y_domain, plan.options["y_nominal"])
        self._claims = Claims(task, self._account, y_domain, plan.hint, cases)
        self._answers = Answers(plan, task, self._account, cases, origin)
        self._goal = Goal(task, self._turned(plan.options["target"]), self._highest_at)
        search: AnySearch = plan.method.search(task)
        task.begun_with = budget.limit
        if journal is not None:
            task.begun_with = journal.decisions[0].get("maxfev")
            journal.replay.on_segment = self._decide
            self._decide()
        if isinstance(plan.x_places, Anchored) and isinstance(plan.y_places, Anchored) and plan.givens is not None:
            opening = Opening(plan.givens, self._account, plan.x_places, plan.y_places)
            search = opening.pursue(plan.method, task)
        if any(target is not None for target in self._targets):
            search = self._goal.pursue(search)
        self._scatter = Scatter(self._account) if self._account.policies.has_worst else None
        if self._scatter is not None:
            search = self._scatter.pursue(search, budget, lambda X, Y: (nudged(X), nudged(Y)))
        self._phase = Phase(search, budget, plan.x_places.rows, plan.y_places.rows)
        self._batch: Batch | None = None  # of the caller who asks and tells
        self._told: list[float] = []  # of a series
        self._history: list[Recommendation] = []
        self._latest: Recommendation | None = None
        self._status, self._is_verifying, self._is_done = Status.RUNNING, False, False
        self._choice: Choice | None = None  # what is verified
        self._verification: WorstCase | None = None
        self._cut_short: Status | None = None  # what ended the verification too early
        self._first_pair = x_domain.from_unit(np.full(task.n_x, 0.5)), y_domain.from_unit(np.full(task.n_y, 0.5))
        ending = self._phase.answer(None)
        if ending is not None:
            self._end(ending)
        else:
            X, Y = self._phase.rows()
            self._first_pair = X[0], Y[0]

    @property
    def _targets(self) -> list[float | None]:
        """The targets of this call and of those before."""
        calls = [self._plan.options] if self._journal is None else self._journal.decisions
        return [call.get("target") for call in calls]

    def _turned(self, target: float | None) -> float | None:
        """Return a target as the search has it."""
        return None if target is None else self._account.sense.turn(target)

    def _decide(self) -> None:
        """Decide as the call did that wrote the records which are replayed, or as this call where there are no more.

        A smaller tol of a later call holds at once: with the larger one, the replay would end where that call ended.
        """
        assert self._journal is not None
        calls = self._journal.decisions[self._journal.replay.segment :]
        self._goal.target = self._turned(calls[0].get("target"))
        self._task.tol = min((call.get("tol") or 0.0 for call in calls), default=0.0) or None

    @property
    def done(self) -> bool:
        """Whether the run has ended, and the verification of its answer too."""
        return self._is_done

    @property
    def nfev(self) -> int:
        """Evaluations so far, those of the verification not included."""
        return self._task.budget.n_used

    @property
    def nit(self) -> int:
        """Rounds begun so far."""
        return self._task.n_rounds

    def drive(self, evaluator: Evaluator, watcher: Watcher | None = None) -> MinimaxResult:
        """Evaluate, in this process or by workers, to the end of the run or to Ctrl-C.

        watcher: told of every evaluation, those of the verification included, as soon as its value is known.
        """
        if watcher is not None:
            self._watcher, self._account.watch, self._account.in_parts = watcher, watcher.count, True
            watcher.begin(self._account.whole.limit)
        self._account.pause = None if self._caller is None else self._pause
        try:
            evaluator.name(self._plan.x_domain.names, self._plan.y_domain.names)
            while not self._is_done:
                self._evaluate(evaluator)
        except KeyboardInterrupt:
            self.stop(Status.INTERRUPTED)
        except BaseException:
            with suppress(InvalidJournal, OSError):  # what f raised is not hidden behind a file error
                self.close()
            raise
        self.close()
        return self.result()

    def _evaluate(self, evaluator: Evaluator) -> None:
        """Evaluate to the end of the run, or until the callback ends the search within a batch."""
        workers, timeout, on_error = (self._plan.options[name] for name in ("workers", "eval_timeout", "on_error"))
        engine = start_engine(evaluator, workers, timeout, isolated=on_error != "raise")
        try:
            with Evaluations(self._account, engine, self._deadline) as evaluate:
                while not self._is_done:
                    self._receive(self._phase.values(evaluate))
        except Halt as halt:
            if halt.status is Status.STOPPED_BY_CALLBACK:
                self._quit()
            else:
                self.stop(halt.status, halt.remark)

    def ask(self) -> tuple[Array, Array]:
        """Return the pairs to evaluate next; asking again returns the same."""
        if self._is_done:
            raise OutOfTurn(f"ask: the run has ended ({self._status.sentence}) Check `solver.done` before asking.")
        X, Y = self._opened().pairs
        return with_names(X, self._plan.x_domain.names), with_names(Y, self._plan.y_domain.names)

    def tell(self, values: Any) -> None:
        """Take the values of the pairs last asked for."""
        if self._is_done:
            raise OutOfTurn(f"tell: the run has ended ({self._status.sentence}) Check `solver.done` before telling.")
        batch = self._opened()
        told = _read_told(values, batch.missing.size)
        try:
            batch.take(Outcome(batch.missing, told))
            self._close_batch()
            self.catch_up()
            if monotonic() >= self._deadline:
                raise Halt(Status.TIME_SPENT)
        except Halt as halt:
            self.stop(halt.status, halt.remark)
        except ObjectiveFailed:
            self.stop(Status.INTERRUPTED)
            raise

    def catch_up(self) -> None:
        """Advance as far as the values are known."""
        account = self._account
        while (account.journal or account.memory) and not self._is_done and not self._opened().missing.size:
            self._close_batch()

    def stop(self, status: Status, remark: str = "") -> None:
        """End the run now; `result` keeps its answer, and its message ends with the remark."""
        if self._is_done:
            return
        self._phase.close()
        if self._is_verifying:
            self._cut_short = status
        else:
            self._status = status
            self._task.remark = remark or self._task.remark
        self._log_end(status)
        self._finish()

    def _finish(self) -> None:
        """Note that there is nothing more to do."""
        self._is_done, self._seconds = True, monotonic() - self._begun
        self.close()

    def close(self) -> None:
        """Leave the journal to others."""
        if self._journal is not None:
            self._journal.close()

    def result(self) -> MinimaxResult:
        """Return the answer so far, or the final one once `done`."""
        result = self._answer(self._status)
        if self._plan.options["keep"]:
            result.pairs = self._answers.pairs()
        return result

    @property
    def _elapsed(self) -> float:
        """Seconds that the run took, or has taken so far."""
        return self._seconds or monotonic() - self._begun

    def _answer(self, status: Status) -> MinimaxResult:
        """Return what is known of the answer, as the result of a run with this status."""
        if not self._history:
            claim = self._claims.state_nothing(self._first_pair, status, self._verification)
        else:
            choice = self._choice or self._claims.choose(self._history[-1])
            claim = self._claims.state(choice, status, self._verification, self._cut_short)
        return self._answers.of(claim, self._history, self._verification, self._elapsed)

    def _glimpse(self) -> MinimaxResult:
        """Return what a callback is shown."""
        message = _verifying(self._phase.budget) if self._is_verifying else RUNNING
        return self._answers.glimpse(self._history, self._choice, message, self._elapsed)

    def _highest_at(self, x: Array) -> float:
        """Return the highest value known at a point of the unit cube."""
        known = known_at(self._account.ledger, self._plan.x_places.from_unit(x), self._account.is_worst)
        return -inf if known is None else known.highest

    # What follows runs once per batch, of which there are millions: it is written with few calls.

    def _receive(self, values: Array) -> None:
        """Advance the search to its next request, and note what it recommends."""
        ending, task = self._phase.answer(values), self._task
        if task.recommendation is not self._latest:
            self._note_recommendation()
        if self._log.is_detailed:
            self._log.follow(task)
        if self._caller is not None and self._is_stopped(self._caller):
            self._quit(ending)
        elif ending is not None:
            self._end(ending)

    def _note_recommendation(self) -> None:
        latest = self._latest = self._task.recommendation
        if latest is not None:
            x, y = self._plan.x_places.from_unit(latest.x), self._plan.y_places.from_unit(latest.y)
            x.flags.writeable = y.flags.writeable = False
            x, y = with_names(x, self._plan.x_domain.names), with_names(y, self._plan.y_domain.names)
            self._history.append(Recommendation(latest.nfev, x, y, latest.fun))
            if self._caller is not None:
                self._caller.hurry()
            if self._watcher is not None:
                self._watcher.recommend(self._account.sense.turn(latest.fun))
            if self._log.is_detailed:
                self._log.recommend(self._history[-1], self._account)

    def _is_stopped(self, caller: Caller) -> bool:
        """Call back if it is time and there is an answer; return whether that ends the search or the verification."""
        n_evaluations = self._account.whole.n_used
        if (n_evaluations < caller.n_due and monotonic() < caller.due) or not self._history:
            return False
        x = (self._choice or self._history[-1]).x
        is_ending = caller.is_ending(n_evaluations, x, self._glimpse)
        self._account.in_parts = self._watcher is not None or caller.is_slow
        if is_ending:
            self._caller = self._account.pause = None  # a verification that follows is not for it to end
        return is_ending

    def _pause(self) -> None:
        """Call back between two parts of a batch, if it is time."""
        if self._caller is not None and self._is_stopped(self._caller):
            raise Halt(Status.STOPPED_BY_CALLBACK)

    def _quit(self, ending: Status | None = None) -> None:
        """End the present phase, as the callback says, unless it comes to its end anyway."""
        self._told = []
        if self._is_verifying and ending is None:
            self.stop(Status.STOPPED_BY_CALLBACK)
        else:
            self._end(ending or Status.STOPPED_BY_CALLBACK)

    def _log_end(self, status: Status) -> None:
        """Say how the present phase ended."""
        self._log.fail(self._account)
        if self._is_verifying:
            words = status.sentence if self._verification is None else self._verification.message
            self._log.end_verification(words, self._phase.budget.n_used)
        else:
            self._log.end(status, self._task, self._account.sense)

    def _end(self, status: Status) -> None:
        """End the present phase; after the search comes the verification, if there is to be one."""
        self._phase.close()
        if self._is_verifying:
            self._verification = self._phase.found
        else:
            self._status = status
            self._leave_search()
        self._log_end(status)
        if self._is_verifying or not self._plan.n_verify:
            self._finish()
        else:
            self._verify()

    def _leave_search(self) -> None:
        """Count what else earlier calls evaluated; what is known is part of the verification's plan."""
        if self._journal is not None and (self._plan.n_verify or self._journal.has_more):
            self._account.turn(VERIFY if self._plan.n_verify else None, self._task.budget)
        self._account.counts_known = True

    def _verify(self) -> None:
        """Begin to attack the answer, with a budget and a random generator apart from the search's."""
        self._is_verifying = True
        self._log.begin_verification(self._plan.n_verify)
        if self._watcher is not None:
            self._watcher.verify()
        if self._history:
            self._choice = self._claims.choose(self._history[-1])
        x, y = self._first_pair if self._choice is None else self._choice[:2]
        fun = nan if self._choice is None else self._choice.fun
        domain, rng, budget = (
            self._plan.y_domain,
            self._task.rng.spawn(1)[0],
            self._account.whole.part(self._plan.n_verify),
        )
        task = Task(x.size, domain.n, budget, rng, n_scenarios=domain.n_scenarios, y_domain=domain)
        first = None if self._plan.givens is None else self._plan.givens.y
        search: AnySearch = measure(task, x, domain, slices=True, known=(y, fun), first=first)
        if self._scatter is not None:
            search = self._scatter.pursue(search, budget, beside_in(domain))
        self._phase = Phase(search, budget, placed_rows, placed_rows)
        ending = self._phase.answer(None)
        if ending is not None:
            self._end(ending)

    def _opened(self) -> Batch:
        """Return the batch that a caller evaluates; of a series, one pair at a time."""
        if self._batch is None:
            X, Y = self._phase.rows()
            m = len(X) if self._phase.limit is None else 1
            self._batch = Batch(self._account, X[:m], Y[:m], self._phase.budget)
        return self._batch

    def _close_batch(self) -> None:
        """Give the values of a batch to the search, once none is missing."""
        assert self._batch is not None
        if self._batch.missing.size:
            return
        values, limit = self._batch.values, self._phase.limit
        self._batch = None
        if limit is not None:
            self._told.append(values.item())
            if not self._told[-1] > limit and self._phase.next_of_series():
                self._look_between()
                return
            values, self._told = np.array(self._told), []
        self._receive(values)

    def _look_between(self) -> None:
        """Call back between two pairs of a series, if it is time."""
        try:
            self._pause()
        except Halt:
            self._quit()


def _verifying(budget: Budget) -> str:
    """Say how far a verification is."""
    return f"The answer is being verified: {budget.n_used:,} of {budget.limit:,} evaluations."


def _read_told(values: Any, m: int) -> Array:
    """Return the m values that a caller tells; what an object of theirs raises when it is read is no value."""
    try:
        return read_values(values, m, "values")
    except OptimizationError:
        raise
    except Exception as error:
        raise InvalidObjective(
            f"values: expected {m} numbers, but got {safe_repr(values)} ({named(error)})."
        ) from error
