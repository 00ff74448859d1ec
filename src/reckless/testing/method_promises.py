"""What every method promises, whatever its idea."""

from collections.abc import Callable, Generator, Sequence
from functools import partial
from math import inf, isnan, nan
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.core.generators import relayed
from reckless.core.task import Handover, Method, Pairs, Recommendation, Series, Task
from reckless.run.minimax import minimax
from reckless.run.result import MinimaxResult
from reckless.run.solver import Solver
from reckless.testing.requiring import blaming, global_state, require

Bounds = Sequence[tuple[float, float]]
Scalar = Callable[[Array, Array], float]

X_BOUNDS: Bounds = [(1.0, 4.0), (-7.0, -2.0)]  # lopsided and without zero, or a forgotten offset passes unnoticed
Y_BOUNDS: Bounds = [(2.0, 9.0)]
ENOUGH = 200  # evaluations that worked, after which a method must have an answer whatever else failed


class _Asked(NamedTuple):
    """A request of a method: pairs in the unit cubes, and the evaluations made once they are evaluated."""

    X: Array
    Y: Array
    n_used: int


class _Watched:
    """A method whose requests are noted on their way out."""

    def __init__(self, method: Method, where: str) -> None:
        self._method, self._where, self.asked = method, where, list[_Asked]()

    def search(self, task: Task) -> Handover:
        def ask(request: Pairs | Series) -> Generator[Pairs | Series, Array, Array]:
            self.asked.append(_read_request(request, task, self._where))
            return (yield request)

        return relayed(self._method.search(task), ask)


def _read_request(request: Pairs | Series, task: Task, where: str) -> _Asked:
    X, Y = (np.array(points) for points in request[:2])
    lengths = {len(points) for points in (X, Y) if points.ndim == 2} or {1}
    rule = f"X ({task.n_x},) or (m, {task.n_x}) and Y ({task.n_y},) or (m, {task.n_y}), m >= 1"
    is_right = X.shape[-1:] == (task.n_x,) and Y.shape[-1:] == (task.n_y,) and max(X.ndim, Y.ndim) <= 2
    is_right = is_right and len(lengths) == 1 and 0 not in lengths
    require(is_right, f"method: yielded X {X.shape} and Y {Y.shape}, not {rule}, with a {where}.")
    return _Asked(X, Y, task.n_used + (1 if isinstance(request, Series) else max(lengths)))  # a series ends in time


class _Run(NamedTuple):
    """One run of a method: its result, its requests, and each pair that f was given, with its value."""

    result: MinimaxResult
    asked: list[_Asked]
    calls: list[tuple[bytes, bytes, float]]
    where: str

    def require(self, is_kept: bool, sentence: str) -> None:
        require(is_kept, f"method: {sentence} with a {self.where}.")

    @property
    def answer(self) -> Recommendation | None:
        """What the method recommended last; the result may tell of something better that the run knows."""
        return self.result.history[-1] if self.result.history else None

    def is_evaluated(self, moment: Recommendation) -> bool:
        """Return whether a recommendation is a pair that was evaluated by then, with its value."""
        return (moment.x.tobytes(), moment.y.tobytes(), moment.fun) in self.calls[: moment.nfev]


def bowl(x: Array, y: Array) -> float:
    """Return a saddle at x = (2, -3), y = 5 with value 0."""
    return float((x[0] - 2) ** 2 + (x[1] + 3) ** 2 + 0.5 * (x[0] - 2) * (y[0] - 5) - (y[0] - 5) ** 2)


def _run(
    method: Method, budget: int, seed: int, f: Scalar = bowl, x_bounds: Bounds = X_BOUNDS, y_bounds: Bounds = Y_BOUNDS
) -> _Run:
    """Run a method on f, whose failures it is told as NaN."""
    calls, where = list[tuple[bytes, bytes, float]](), f"budget of {budget} (seed {seed})"
    watched = _Watched(method, where)

    def noted(x: Array, y: Array) -> float:
        calls.append((x.tobytes(), y.tobytes(), f(x, y)))
        return calls[-1][2]

    with blaming("method", f"with a {where}"):
        result = minimax(noted, x_bounds, y_bounds, maxfev=budget, method=watched, rng=seed, nan_policy="ignore")
    return _Run(result, watched.asked, calls, where)


def _keeps_to_the_budget(method: Method, budget: int, seed: int) -> None:
    run = _run(method, budget, seed)
    for asked in run.asked:
        run.require(asked.n_used <= budget, f"asked for {asked.n_used} evaluations")
    run.require(len(run.calls) == run.result.nfev, f"called f {len(run.calls)} times, not nfev={run.result.nfev} times")


def _stays_in_the_boxes(method: Method, budget: int, seed: int) -> None:
    run = _run(method, budget, seed)
    for asked in run.asked:
        for points in (asked.X, asked.Y):
            is_inside = np.all((points >= 0.0) & (points <= 1.0))
            run.require(bool(is_inside), f"asked for the point {points}, which is outside of the unit cube,")
    for given, bounds in zip(list(zip(*run.calls, strict=True))[:2], (X_BOUNDS, Y_BOUNDS), strict=False):
        points, (low, high) = np.frombuffer(b"".join(given)).reshape(-1, len(bounds)), np.transpose(bounds)
        run.require(bool(np.all((points >= low) & (points <= high))), "called f outside of the bounds")


def _answers_with_a_pair_it_evaluated(method: Method, budget: int, seed: int) -> None:
    run = _run(method, budget, seed)
    run.require(run.answer is not None, "recommended nothing although every evaluation worked")
    is_known = run.answer is not None and run.is_evaluated(run.answer)
    run.require(is_known, "recommended a pair that was not evaluated, or not with its value,")


def _recommends_only_what_it_knows(method: Method, budget: int, seed: int) -> None:
    run = _run(method, budget, seed)
    for moment in run.result.history:
        told = f"after {moment.nfev} evaluations recommended a pair that was not evaluated, or not with its value,"
        run.require(run.is_evaluated(moment), told)


def _takes_all_dimensions(method: Method, budget: int, seed: int) -> None:
    for n_x, n_y in [(1, 1), (1, 3), (4, 1), (2, 2)]:
        x_bounds, y_bounds = [(1.0 + i, 3.0 + 2 * i) for i in range(n_x)], [(-5.0 - j, -1.0) for j in range(n_y)]
        run = _run(method, budget, seed, lambda x, y: float(x.sum() - y.sum() ** 2), x_bounds, y_bounds)
        run.require(run.answer is not None, f"recommended nothing where x has {n_x} coordinates and y has {n_y},")


def _never_recommends_a_failure(fails: Callable[[Array, Array], bool], method: Method, budget: int, seed: int) -> None:
    run = _run(method, budget, seed, lambda x, y: nan if fails(x, y) else bowl(x, y))
    n_worked = sum(not isnan(value) for _, _, value in run.calls)
    run.require(run.result.n_failed == len(run.calls) - n_worked, f"counted {run.result.n_failed} failures wrongly")
    is_good = n_worked < ENOUGH if run.answer is None else run.is_evaluated(run.answer)
    run.require(
        is_good, f"recommended {run.result.x}, {run.result.y}, where f fails, or nothing after {n_worked} values,"
    )


def _leaves_what_is_infinite(
    is_infinite: Callable[[Array, Array], bool], method: Method, budget: int, seed: int
) -> None:
    run = _run(method, budget, seed, lambda x, y: inf if is_infinite(x, y) else bowl(x, y))
    n_finite = sum(value < inf for _, _, value in run.calls)
    is_good = n_finite < ENOUGH or (run.answer is not None and run.answer.fun < inf)
    run.require(is_good, f"recommended {run.answer} after {n_finite} finite values")


def _says_so_if_everything_fails(method: Method, budget: int, seed: int) -> None:
    run = _run(method, budget, seed, lambda x, y: nan)
    is_honest = run.answer is None and "nothing to recommend" in run.result.message
    run.require(is_honest, f"recommended {run.result.x} although every evaluation failed")


def _bears_constants(method: Method, budget: int, seed: int) -> None:
    for value in (3.0, inf, -inf):
        run = _run(method, budget, seed, lambda x, y, value=value: value)  # type: ignore[misc]
        is_right = run.result.n_failed == 0 and (value != 3.0 or run.result.fun == 3.0)
        run.require(is_right, f"recommended {run.result.fun} for an f that is {value} everywhere,")


def _repeats_itself(method: Method, budget: int, seed: int) -> None:
    first, second = _run(method, budget, seed), _run(method, budget, seed)
    first.require(first.calls == second.calls, "asked for other pairs the second time")
    first.require(first.result.fun == second.result.fun, "recommended something else the second time")


def _leaves_global_randomness_alone(method: Method, budget: int, seed: int) -> None:
    before = global_state()
    run = _run(method, budget, seed)
    run.require(global_state() == before, "used the global random state, not task.rng,")


def _is_the_same_by_ask_and_tell(method: Method, budget: int, seed: int) -> None:
    run, told = _run(method, budget, seed), []
    solver = Solver(method, X_BOUNDS, Y_BOUNDS, maxfev=budget, rng=seed)
    while not solver.done:
        pairs = [(x.tobytes(), y.tobytes(), bowl(x, y)) for x, y in zip(*solver.ask(), strict=True)]
        solver.tell([value for _, _, value in pairs])
        told += pairs
    run.require(told == run.calls, "asked for other pairs by ask and tell than by one call,")
    run.require(solver.result().fun == run.result.fun, "gave another answer by ask and tell than by one call,")


METHOD_PROMISES: dict[str, Callable[[Method, int, int], None]] = {
    "keeps to the budget": _keeps_to_the_budget,
    "stays in the boxes": _stays_in_the_boxes,
    "answers with a pair it evaluated": _answers_with_a_pair_it_evaluated,
    "recommends only what it knows": _recommends_only_what_it_knows,
    "takes all dimensions": _takes_all_dimensions,
    "never recommends an x that fails": partial(_never_recommends_a_failure, lambda x, y: x[0] < 2.5),
    "never recommends a y that fails": partial(_never_recommends_a_failure, lambda x, y: y[0] > 8.0),
    "leaves an x that is infinite": partial(_leaves_what_is_infinite, lambda x, y: x[0] < 2.5),
    "leaves an x that is infinite for some y": partial(
        _leaves_what_is_infinite, lambda x, y: x[0] < 3.0 and y[0] > 7.0
    ),
    "says so if everything fails": _says_so_if_everything_fails,
    "bears constants": _bears_constants,
    "repeats itself": _repeats_itself,
    "leaves global randomness alone": _leaves_global_randomness_alone,
    "is the same by ask and tell": _is_the_same_by_ask_and_tell,
}
