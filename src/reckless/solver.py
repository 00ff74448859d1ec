"""Ask and tell: the `Solver` lets a method run and leaves the evaluation of f to the caller."""

from collections.abc import Callable
from typing import Any

import numpy as np

from reckless.core.arguments import read_count, read_rng
from reckless.core.arrays import Array, Flags
from reckless.core.domains import DomainLike, read_domain
from reckless.core.evaluator import read_values
from reckless.core.failures import Failure, has_failures
from reckless.core.result import History, MinimaxResult
from reckless.core.task import Method, Recommendation, Task
from reckless.errors import OutOfTurn, Status
from reckless.evaluation import RETURNED_NAN
from reckless.methods import fit_to_workers, read_method
from reckless.methods.scenarios import ScenarioDescent


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
    n_workers : int, optional
        How many pairs you evaluate at a time, for methods with ``population_size="workers"``.

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
        n_workers: int | None = None,
    ) -> None:
        self._x_box = read_domain(x_bounds, "x_bounds", x_integrality)
        self._y_box = read_domain(y_bounds, "y_bounds", y_integrality)
        n_scenarios = self._y_box.n_scenarios
        if method == "auto" and n_scenarios is not None:
            method = ScenarioDescent(n_scenarios=n_scenarios)
        found, self._method_name = read_method(method)
        self._method = fit_to_workers(found, max(self._x_box.n, self._y_box.n), n_workers)
        self._task = Task(
            self._x_box.n, self._y_box.n, read_count(maxfev, "maxfev"), read_rng(rng), n_scenarios=n_scenarios
        )
        self._search = self._method.search(self._task)
        self._status = Status.RUNNING
        self._history: list[Recommendation] = []
        self._last_recommendation: Recommendation | None = None
        self._X: Array  # the pairs asked for, in the unit cubes; of a series, those that are left
        self._Y: Array
        self._limit: float | None  # what ends the series, if it is one, and its values so far
        self._told: list[float]
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

    # What follows runs once per batch, of which there are millions: it is written with few calls.

    def _step(self, evaluate: Callable[[Array, Array], Array]) -> None:
        """Evaluate what the method asked for, and let it go on."""
        if self._limit is None:
            self._receive(evaluate(self._x_box.rows(self._X, self._m), self._y_box.rows(self._Y, self._m)))
        else:
            self._advance(self._series_values(evaluate, self._limit))

    def _series_values(self, evaluate: Callable[[Array, Array], Array], limit: float) -> Array:
        """What `_receive` gathers one by one, at half the price: the pairs are mapped into the boxes together."""
        task, series, told = self._task, self._Y, self._told
        X, Y = self._x_box.rows(self._X, len(series)), self._y_box.rows(series, len(series))
        for x, y in zip(X[:, None], Y[:, None], strict=True):
            value = evaluate(x, y).item()
            task.n_used += 1
            if value != value:
                self._Y = series[len(told) :]
                self._note_failures(np.array([True]))
            told.append(value)
            if value > limit or task.n_used >= task.maxfev:  # not known beforehand: retries take evaluations too
                break
        return np.array(told)

    def _receive(self, values: Array) -> None:
        task = self._task
        task.n_used += self._m
        if has_failures(values):
            self._note_failures(np.isnan(values))
        if self._limit is not None:
            self._told.append(values.item())
            self._Y = self._Y[1:]
            if not self._told[-1] > self._limit and len(self._Y) and task.n_left:
                return
            values = np.array(self._told)
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
            request = next(self._search) if values is None else self._search.send(values)
        except StopIteration:
            self._status = Status.PLAN_COMPLETE if task.n_left else Status.BUDGET_SPENT
        else:
            if len(request) == 2:
                (self._X, self._Y), self._limit = request, None
            else:
                (self._X, self._Y, self._limit), self._told = request, []
            self._cut_to_budget()
        if task.recommendation is not self._last_recommendation:
            self._note_recommendation()

    def _note_recommendation(self) -> None:
        latest = self._last_recommendation = self._task.recommendation
        if latest is not None:
            x, y = self._x_box.from_unit(latest.x), self._y_box.from_unit(latest.y)
            x.flags.writeable = y.flags.writeable = False
            self._history.append(Recommendation(latest.nfev, x, y, latest.fun))

    def _cut_to_budget(self) -> None:
        task, X, Y = self._task, self._X, self._Y
        n_left = task.maxfev - task.n_used
        m = 1 if self._limit is not None else len(Y) if Y.ndim == 2 else len(X) if X.ndim == 2 else 1
        self._is_cut = m > n_left
        self._m = n_left if m > n_left else m
        if self._m == 0:
            self.stop(Status.BUDGET_SPENT)
