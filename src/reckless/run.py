"""One run from its first evaluation to its result: evaluation, journal, callback, target."""

from collections.abc import Callable
from typing import Any

import numpy as np

from reckless._version import __version__
from reckless.certificate import certify as add_certificate
from reckless.command import Command
from reckless.core.arrays import Array
from reckless.core.domains import DomainLike
from reckless.core.evaluator import Evaluator
from reckless.core.failures import against_maximizer
from reckless.core.result import MinimaxResult
from reckless.core.task import Method, Recommendation, Task
from reckless.errors import Halt, Status
from reckless.evaluation import Evaluation, Settings, open_evaluation
from reckless.journal import Journal, fingerprint, stable_repr
from reckless.methods.levels import maximize_over_y
from reckless.solver import Solver
from reckless.strategies.restarts import BIPOP
from reckless.workers import count_workers

Evaluate = Callable[[Array, Array], Array]


def run(
    evaluator: Evaluator,
    method: str | Method,
    x_bounds: DomainLike,
    y_bounds: DomainLike,
    *,
    maxfev: int,
    rng: Any,
    settings: Settings,
    checkpoint: Any = None,
    target: float | None = None,
    callback: Callable[..., object] | None = None,
    certify: int = 0,
    on_value: Callable[[], object] | None = None,
) -> MinimaxResult:
    """What `minimax` does once its arguments are read.

    certify: evaluations of the certificate, 0 for none. on_value: called after every evaluation.
    """
    journal = None if checkpoint is None else Journal(checkpoint)
    try:
        rng, seed = (rng, None) if journal is None else journal.choose_rng(rng)
        n_workers = count_workers(settings.workers, evaluator.f)
        solver = Solver(method, x_bounds, y_bounds, maxfev=maxfev, rng=rng, n_workers=n_workers)
        if journal is not None:
            journal.begin(_head(solver, settings, target, certify, seed))
        opened = open_evaluation(evaluator, solver._task, settings, journal=journal, on_value=on_value)
    except BaseException:
        if journal is not None:
            journal.close()
        raise
    try:
        with opened as evaluate:
            _drive(solver, evaluate, target, callback)
            _explain_failure(solver._task, evaluator.f)
            return _certified(solver, evaluate, certify) if certify else solver.result()
    except KeyboardInterrupt:
        halt = Halt(Status.INTERRUPTED)
    except Halt as reason:
        halt = reason
    _explain_failure(solver._task, evaluator.f)
    if solver.done:
        return _uncertified(solver.result(), halt.status)
    solver.stop(halt.status, halt.remark)
    return solver.result()


def _drive(solver: Solver, evaluate: Evaluate, target: float | None, callback: Callable[..., object] | None) -> None:
    n_rounds = solver.nit
    goal = None if target is None else _Goal(solver, evaluate, target)
    while not solver.done:
        solver._step(evaluate)
        if callback is not None and solver.nit != n_rounds:
            n_rounds = solver.nit
            _report(solver, callback)
        if goal is not None:
            goal.check()


def _report(solver: Solver, callback: Callable[..., object]) -> None:
    try:
        callback(intermediate_result=solver.result())
    except StopIteration:
        solver.stop(Status.STOPPED_BY_CALLBACK)


def _certified(solver: Solver, evaluate: Evaluate, n_certify: int) -> MinimaxResult:
    """The result with a certificate, for which there is a budget and a random generator apart from the run's."""
    result, y_box, run = solver.result(), solver._y_box, solver._task
    task = Task(result.x.size, y_box.n, n_certify, run.rng.spawn(1)[0], n_scenarios=y_box.n_scenarios)
    if isinstance(evaluate, Evaluation):
        evaluate.turn_to(task)
    return add_certificate(result, task, evaluate, y_box)


def _uncertified(result: MinimaxResult, reason: Status) -> MinimaxResult:
    """The result of a run that was over when its certificate was cut short."""
    ended = {"success": False, "status": reason.code} if reason is Status.INTERRUPTED else {}
    words = "interrupted" if reason is Status.INTERRUPTED else "cut short: the time (maxtime) is spent"
    return MinimaxResult(**{**result, **ended, "message": f"{result.message} The certificate was {words}."})


def _explain_failure(task: Task, f: object) -> None:
    """Let a program say why its first failure was one: the run itself saw no more than NaN."""
    seen, known = task.first_failure, f.first_failure if isinstance(f, Command) else None
    if seen and known and np.array_equal(seen.x, known.x) and np.array_equal(seen.y, known.y):
        task.first_failure = known


def _head(solver: Solver, settings: Settings, target: float | None, n_certify: int, seed: Any) -> dict[str, Any]:
    """What a journal says about its run: whatever decides which pairs are asked for."""
    return {
        "version": __version__,
        "problem": fingerprint((solver._x_box, solver._y_box)),
        "n_x": solver._x_box.n,
        "n_y": solver._y_box.n,
        "method": stable_repr(solver._method),
        "rng": seed,
        "maxfev": solver._task.maxfev,
        "retries": settings.retries,
        "target": target,
        "certify": n_certify,
    }


class _Goal:
    """Ends a run whose estimate is at most `target`, if an attack of its own finds nothing worse than that.

    An estimate is a lower bound, and a method's first ones are often far too low. The attacks take at most a fifth of
    the evaluations, and end as soon as they succeed.
    """

    def __init__(self, solver: Solver, evaluate: Evaluate, target: float) -> None:
        self._solver, self._evaluate, self._target = solver, evaluate, target
        self._rng = solver._task.rng.spawn(1)[0]
        self._last: Recommendation | None = None
        self._n_spent = 0

    def check(self) -> None:
        """Look at the present recommendation, unless it was looked at before."""
        solver, task = self._solver, self._solver._task
        latest = task.recommendation
        if solver.done or latest is None or latest is self._last or latest.fun > self._target:
            return
        n_evaluations = min(100 * (task.n_y + 1), task.n_left)
        if self._n_spent > task.n_used // 5 or n_evaluations == 0:
            return
        self._last = latest
        worst = self._attack(latest, n_evaluations)
        if worst.fun > self._target:
            solver._cut_to_budget()
            return
        if worst.fun > latest.fun:
            task.recommendation = worst
            solver._note_recommendation()
        solver.stop(Status.TARGET_REACHED)

    def _attack(self, candidate: Recommendation, n_evaluations: int) -> Recommendation:
        """The worst y found for the candidate, the one that was known included."""
        solver, task = self._solver, self._solver._task
        worst, alone = candidate, Task(task.n_x, task.n_y, n_evaluations, self._rng, n_scenarios=task.n_scenarios)
        search = maximize_over_y(alone, candidate.x, BIPOP(), start=candidate.y, n_evaluations=n_evaluations)
        n_left = n_evaluations
        try:
            x, Y = next(search)
            while n_left > 0 and worst.fun <= self._target:
                m = min(len(Y), n_left, task.n_left)
                values = self._evaluate(solver._x_box.rows(x, m), solver._y_box.rows(Y, m))
                task.n_used += m
                task.n_failed += int(np.isnan(values).sum())
                n_left = min(n_left - m, task.n_left)
                self._n_spent += m
                k = int(np.argmax(against_maximizer(values)))
                if values[k] > worst.fun:
                    worst = Recommendation(task.n_used, candidate.x, Y[k].copy(), float(values[k]))
                if m < len(Y):
                    break
                x, Y = search.send(values)
        except StopIteration:
            pass
        return worst
