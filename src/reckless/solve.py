"""The front doors: `minimax` for one call, `Solver` for ask and tell."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from reckless._version import __version__
from reckless.certificate import certify as add_certificate
from reckless.command import Command
from reckless.core.arguments import read_count, read_number, read_rng
from reckless.core.arrays import Array, Flags
from reckless.core.domains import DomainLike, read_domain
from reckless.core.evaluator import Evaluator, Objective, read_values
from reckless.core.failures import Failure, against_maximizer, has_failures
from reckless.core.result import History, MinimaxResult
from reckless.core.task import Method, Recommendation, Task
from reckless.errors import Halt, OutOfTurn, Status
from reckless.evaluation import RETURNED_NAN, Settings, open_evaluation
from reckless.journal import Journal, fingerprint, stable_repr
from reckless.methods import read_method
from reckless.methods.levels import maximize_over_y
from reckless.methods.scenarios import ScenarioDescent
from reckless.strategies.restarts import BIPOP
from reckless.workers import WorkersLike

Evaluate = Callable[[Array, Array], Array]


class Solver:
    """Find the x with the smallest worst case, leaving the evaluation of f to the caller.

    Parameters
    ----------
    method : str or Method
        A name from `reckless methods`, or an object such as ``reckless.Reckless(descent_share=0.3)``.
    x_bounds, y_bounds : sequence of (low, high) pairs or scipy.optimize.Bounds
        The boxes of the minimizing player x and the maximizing player y.
    maxfev : int
        The number of evaluations, never exceeded.
    rng : int, numpy.random.Generator or None
        The seed or source of all random numbers.

    Examples
    --------
    >>> import reckless
    >>> solver = reckless.Solver("reckless", [(0, 10)], [(0, 10)], maxfev=2000, rng=7)
    >>> while not solver.done:
    ...     X, Y = solver.ask()  # rows are pairs
    ...     solver.tell((X[:, 0] - 5) ** 2 - (Y[:, 0] - 5) ** 2)
    >>> round(solver.result().x.item(), 3)
    5.0
    """

    def __init__(
        self,
        method: str | Method,
        x_bounds: DomainLike,
        y_bounds: DomainLike,
        *,
        maxfev: int,
        rng: Any = None,
        x_integrality: Any = None,
        y_integrality: Any = None,
    ) -> None:
        self._x_box = read_domain(x_bounds, "x_bounds", x_integrality)
        self._y_box = read_domain(y_bounds, "y_bounds", y_integrality)
        n_scenarios = self._y_box.n_scenarios
        if method == "auto" and n_scenarios is not None:
            method = ScenarioDescent(n_scenarios=n_scenarios)
        self._method, self._method_name = read_method(method)
        self._task = Task(
            self._x_box.n, self._y_box.n, read_count(maxfev, "maxfev"), read_rng(rng), n_scenarios=n_scenarios
        )
        self._search = self._method.search(self._task)
        self._status = Status.RUNNING
        self._history: list[Recommendation] = []
        self._last_recommendation: Recommendation | None = None
        self._advance(None)
        self._first_pair = self.ask()

    @property
    def done(self) -> bool:
        """Whether the run has ended."""
        return self._status is not Status.RUNNING

    @property
    def nfev(self) -> int:
        """Evaluations told so far."""
        return self._task.n_used

    @property
    def nit(self) -> int:
        """Rounds begun so far."""
        return self._task.n_rounds

    def ask(self) -> tuple[Array, Array]:
        """Return the pairs to evaluate next: X (m, n_x) and Y (m, n_y). Asking again returns the same pairs."""
        if self.done:
            raise OutOfTurn(f"ask: the run has ended ({self._status.sentence}) Check `solver.done` before asking.")
        return self._x_box.rows(self._X, self._m), self._y_box.rows(self._Y, self._m)

    def tell(self, values: Any) -> None:
        """Give the values (m,) of the pairs last asked for, NaN for an evaluation that failed."""
        if self.done:
            raise OutOfTurn(f"tell: the run has ended ({self._status.sentence}) Check `solver.done` before telling.")
        self._receive(read_values(values, self._m, "values"))

    def result(self) -> MinimaxResult:
        """The answer so far, or the final one once `done`."""
        status, task, remark = self._status, self._task, self._task.remark
        if self._history:
            _, x, y, fun = self._history[-1]
        else:
            x, y, fun = self._first_pair[0][0], self._first_pair[1][0], np.nan
            status = Status.NOTHING_FOUND if status.success and task.n_failed else status
            if status.success:
                remark = remark or "Nothing could be recommended by then."
            elif status is Status.NOTHING_FOUND and task.first_failure is not None:
                remark = remark or f"The first with: {task.first_failure.summary}"
        return MinimaxResult(
            x=x,
            y=y,
            fun=fun,
            nfev=task.n_used,
            nit=task.n_rounds,
            n_failed=task.n_failed,
            first_failure=task.first_failure,
            success=status.success and bool(self._history),
            status=status.code,
            message=f"{status.sentence} {remark}".rstrip(),
            confidence=task.confidence,
            method=self._method_name,
            history=History(self._history),
        )

    def stop(self, status: Status = Status.STOPPED_BY_CALLBACK, remark: str = "") -> None:
        """End the run now; `result` keeps its answer, and its message ends with the remark."""
        if not self.done:
            self._search.close()
            self._status = status
            self._task.remark = remark or self._task.remark

    def _receive(self, values: Array) -> None:
        self._task.n_used += self._m
        if has_failures(values):
            self._note_failures(np.isnan(values))
        if self._is_cut:
            self.stop(Status.BUDGET_SPENT)
        else:
            self._advance(values)

    def _note_failures(self, failed: Flags) -> None:
        self._task.n_failed += int(failed.sum())
        if self._task.first_failure is None:
            X, Y = self.ask()
            k = failed.argmax()
            self._task.first_failure = Failure(X[k], Y[k], RETURNED_NAN)

    def _advance(self, values: Array | None) -> None:
        """Let the method go on to its next request, cut to the budget, and note what it recommends."""
        task = self._task
        try:
            self._X, self._Y = self._search.send(values)  # type: ignore[arg-type]
        except StopIteration:
            self._status = Status.PLAN_COMPLETE if task.n_left else Status.BUDGET_SPENT
        else:
            self._cut_to_budget()
        self._note_recommendation()

    def _note_recommendation(self) -> None:
        latest = self._task.recommendation
        if latest is not None and latest is not self._last_recommendation:
            self._last_recommendation = latest
            x, y = self._x_box.from_unit(latest.x), self._y_box.from_unit(latest.y)
            x.flags.writeable = y.flags.writeable = False
            self._history.append(Recommendation(latest.nfev, x, y, latest.fun))

    def _cut_to_budget(self) -> None:
        n_left = self._task.n_left
        m = len(self._X) if self._X.ndim == 2 else len(self._Y) if self._Y.ndim == 2 else 1
        self._m, self._is_cut = min(m, n_left), m > n_left
        if self._m == 0:
            self.stop(Status.BUDGET_SPENT)


def minimax(
    f: Objective,
    x_bounds: DomainLike,
    y_bounds: DomainLike,
    *,
    maxfev: int,
    method: str | Method = "auto",
    rng: Any = None,
    vectorized: bool = False,
    x_integrality: Any = None,
    y_integrality: Any = None,
    certify: bool | int = False,
    callback: Callable[..., object] | None = None,
    workers: WorkersLike = None,
    on_error: Literal["raise", "count"] = "raise",
    nan_policy: Literal["raise", "count"] = "count",
    retries: int = 0,
    eval_timeout: float | None = None,
    checkpoint: Any = None,
    maxtime: float | None = None,
    target: float | None = None,
) -> MinimaxResult:
    """Find the x whose worst case over y is smallest, when f can only be called.

    Parameters
    ----------
    f : callable
        ``f(x, y) -> float`` for vectors x (n_x,) and y (n_y,); with ``vectorized=True`` ``f(X, Y) -> (m,)`` for rows
        X (m, n_x) and Y (m, n_y). NaN means that an evaluation failed.
    x_bounds, y_bounds : sequence of (low, high) pairs or scipy.optimize.Bounds
        The boxes of the minimizing player x and the maximizing player y.
    maxfev : int
        The number of evaluations, never exceeded; a batch of m pairs is m evaluations.
    method : str or Method
        A name from `reckless methods`, or an object such as ``reckless.Reckless(descent_share=0.3)``.
    rng : int, numpy.random.Generator or None
        The seed or source of all random numbers; the same seed gives the same run.
    vectorized : bool
        Whether f takes many pairs at once, as rows.
    callback : callable, optional
        Called as ``callback(intermediate_result=result)`` after every round; raising StopIteration ends the run.
    workers : int, concurrent.futures.Executor or callable like map, optional
        Who evaluates: so many local processes (-1: one per processor), an executor, or a map. The result does not
        depend on it. Evaluations that take less than 0.2 ms stay in this process.
    on_error : {"raise", "count"}
        What an exception of f does: end the run, or count as a failed evaluation, which looks bad to both players.
    nan_policy : {"count", "raise"}
        The same for a NaN that f returns.
    retries : int
        How often a failed evaluation is repeated; every attempt counts as an evaluation.
    eval_timeout : float, optional
        Seconds after which an evaluation is ended and counts as an error; f then runs in worker processes.
    checkpoint : str or path, optional
        A journal: every value is written to this file before it is used. After an interruption, even by kill -9, the
        same call goes on where it was and returns what it would have returned.
    maxtime : float, optional
        Seconds after which the run ends with the answer so far.
    target : float, optional
        End the run at an x whose estimate is at most this, once an attack of its own, within the budget, has found
        nothing worse than the target.

    Returns
    -------
    MinimaxResult
        ``x``, its worst known case ``y``, ``fun`` = f(x, y), ``nfev``, ``success``, ``message`` and more. ``fun`` is
        an estimate from below of the worst case of x; `worst_case` measures it independently.

    Examples
    --------
    >>> import reckless
    >>> def f(x, y):
    ...     return (x[0] - 5) ** 2 - (y[0] - 5) ** 2
    >>> result = reckless.minimax(f, [(0, 10)], [(0, 10)], maxfev=2000, method="reckless", rng=7)
    >>> round(result.x.item(), 3), result.nfev <= 2000
    (5.0, True)
    """
    settings = Settings.read(
        workers=workers,
        on_error=on_error,
        nan_policy=nan_policy,
        retries=retries,
        eval_timeout=eval_timeout,
        maxtime=maxtime,
    )
    goal = None if target is None else read_number(target, "target")
    evaluator = Evaluator(f, vectorized=vectorized or isinstance(f, Command))
    x_domain = read_domain(x_bounds, "x_bounds", x_integrality)
    y_domain = read_domain(y_bounds, "y_bounds", y_integrality)
    n_certify = read_count(maxfev, "maxfev") if certify is True else read_count(int(certify), "certify", 0)
    certifier = read_rng(rng).spawn(2)[1]
    result = run(
        evaluator,
        method,
        x_domain,
        y_domain,
        maxfev=maxfev,
        rng=rng,
        settings=settings,
        checkpoint=checkpoint,
        target=goal,
        callback=callback,
    )
    if not n_certify:
        return result
    task = Task(x_domain.n_out, y_domain.n, n_certify, certifier, n_scenarios=y_domain.n_scenarios)
    with open_evaluation(evaluator, task, settings) as evaluate:
        return add_certificate(result, task, evaluate, y_domain)


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
    on_value: Callable[[], object] | None = None,
) -> MinimaxResult:
    """What `minimax` does once its arguments are read; `on_value` is called after every evaluation."""
    journal = None if checkpoint is None else Journal(checkpoint)
    try:
        rng, seed = (rng, None) if journal is None else journal.choose_rng(rng)
        solver = Solver(method, x_bounds, y_bounds, maxfev=maxfev, rng=rng)
        if journal is not None:
            journal.begin(_head(solver, settings, target, seed))
        opened = open_evaluation(evaluator, solver._task, settings, journal=journal, on_value=on_value)
    except BaseException:
        if journal is not None:
            journal.close()
        raise
    try:
        with opened as evaluate:
            _drive(solver, evaluate, target, callback)
    except KeyboardInterrupt:
        solver.stop(Status.INTERRUPTED)
    except Halt as halt:
        solver.stop(halt.status, halt.remark)
    return solver.result()


def _drive(solver: Solver, evaluate: Evaluate, target: float | None, callback: Callable[..., object] | None) -> None:
    n_rounds = solver.nit
    goal = None if target is None else _Goal(solver, evaluate, target)
    while not solver.done:
        solver._receive(evaluate(*solver.ask()))
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


def _head(solver: Solver, settings: Settings, target: float | None, seed: Any) -> dict[str, Any]:
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
