"""The front doors: `minimax` for one call, `Solver` for ask and tell."""

from collections.abc import Callable
from typing import Any

import numpy as np

from reckless.core.arguments import read_count, read_rng
from reckless.core.arrays import Array
from reckless.core.box import BoundsLike, Box
from reckless.core.evaluator import Evaluator, Objective, read_values
from reckless.core.failures import has_failures
from reckless.core.result import History, MinimaxResult
from reckless.core.task import Method, Recommendation, Task
from reckless.errors import OutOfTurn, Status
from reckless.methods import read_method


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
        x_bounds: BoundsLike,
        y_bounds: BoundsLike,
        *,
        maxfev: int,
        rng: Any = None,
    ) -> None:
        chosen, self._method_name = read_method(method)
        self._x_box, self._y_box = Box.parse(x_bounds, "x_bounds"), Box.parse(y_bounds, "y_bounds")
        self._task = Task(self._x_box.n, self._y_box.n, read_count(maxfev, "maxfev"), read_rng(rng))
        self._search = chosen.search(self._task)
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
        status, task = self._status, self._task
        if self._history:
            _, x, y, fun = self._history[-1]
        else:
            x, y, fun = self._first_pair[0][0], self._first_pair[1][0], np.nan
            status = Status.NOTHING_FOUND if status.success else status
        return MinimaxResult(
            x=x,
            y=y,
            fun=fun,
            nfev=task.n_used,
            nit=task.n_rounds,
            n_failed=task.n_failed,
            success=status.success,
            status=status.code,
            message=f"{status.sentence} {task.remark}".rstrip(),
            confidence=task.confidence,
            method=self._method_name,
            history=History(self._history),
        )

    def stop(self, status: Status = Status.STOPPED_BY_CALLBACK) -> None:
        """End the run now; `result` keeps its answer."""
        if not self.done:
            self._search.close()
            self._status = status

    def _receive(self, values: Array) -> None:
        self._task.n_used += self._m
        if has_failures(values):
            self._task.n_failed += int(np.isnan(values).sum())
        if self._is_cut:
            self.stop(Status.BUDGET_SPENT)
        else:
            self._advance(values)

    def _advance(self, values: Array | None) -> None:
        """Let the method go on to its next request, cut to the budget, and note what it recommends."""
        task = self._task
        try:
            self._X, self._Y = self._search.send(values)  # type: ignore[arg-type]
        except StopIteration:
            self._status = Status.PLAN_COMPLETE if task.n_left else Status.BUDGET_SPENT
        else:
            m = len(self._X) if self._X.ndim == 2 else len(self._Y) if self._Y.ndim == 2 else 1
            self._m, self._is_cut = min(m, task.n_left), m > task.n_left
            if self._m == 0:
                self.stop(Status.BUDGET_SPENT)
        latest = task.recommendation
        if latest is not None and latest is not self._last_recommendation:
            self._last_recommendation = latest
            x, y = self._x_box.from_unit(latest.x), self._y_box.from_unit(latest.y)
            x.flags.writeable = y.flags.writeable = False
            self._history.append(Recommendation(latest.nfev, x, y, latest.fun))


def minimax(
    f: Objective,
    x_bounds: BoundsLike,
    y_bounds: BoundsLike,
    *,
    maxfev: int,
    method: str | Method = "auto",
    rng: Any = None,
    vectorized: bool = False,
    callback: Callable[..., object] | None = None,
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
    evaluate = Evaluator(f, vectorized=vectorized)
    solver = Solver(method, x_bounds, y_bounds, maxfev=maxfev, rng=rng)
    n_rounds = solver.nit
    try:
        while not solver.done:
            solver._receive(evaluate(*solver.ask()))
            if callback is not None and solver.nit != n_rounds:
                n_rounds = solver.nit
                _report(solver, callback)
    except KeyboardInterrupt:
        solver.stop(Status.INTERRUPTED)
    return solver.result()


def _report(solver: Solver, callback: Callable[..., object]) -> None:
    try:
        callback(intermediate_result=solver.result())
    except StopIteration:
        solver.stop(Status.STOPPED_BY_CALLBACK)
