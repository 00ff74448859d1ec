"""What every one-player strategy promises."""

from collections.abc import Callable
from math import isnan
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.core.generators import answered
from reckless.strategies.strategy import Best, Strategy
from reckless.testing.requiring import blaming, global_state, require

Values = Callable[[Array], Array]  # rows of the unit cube to their values


class _Descent(NamedTuple):
    """One search: what it returned, the points (k, n) it asked for, and their values (k,)."""

    best: Best
    points: Array
    values: Array
    where: str

    def require(self, is_kept: bool, sentence: str) -> None:
        require(is_kept, f"strategy: {sentence} with {self.where}.")


def _sphere(points: Array) -> Array:
    values: Array = np.sum((points - 0.3) ** 2, axis=1)
    return values


def _search(strategy: Strategy, n: int, budget: int, seed: int, f: Values = _sphere) -> _Descent:
    where, batches = f"n_evaluations={budget} in {n} dimensions (seed {seed})", [np.empty((0, n))]

    def answer(points: Array) -> Array:
        is_batch = points.ndim == 2 and points.shape[1] == n and len(points) > 0
        require(is_batch, f"strategy: yielded shape {points.shape}, not (m, {n}) with m >= 1, with {where}.")
        batches.append(points.copy())
        n_asked = sum(map(len, batches))
        require(n_asked <= budget, f"strategy: asked for {n_asked} points with {where}.")
        return f(points)

    with blaming("strategy", f"with {where}"):
        best = answered(strategy.search(np.full(n, 0.4), budget, np.random.default_rng(seed)), answer)
    points = np.concatenate(batches)
    return _Descent(best, points, f(points), where)


def _keeps_to_the_budget(strategy: Strategy, n: int, budget: int, seed: int) -> None:
    done = _search(strategy, n, budget, seed)
    n_asked = len(done.points)
    done.require(done.best.n_used == n_asked, f"said that it used {done.best.n_used} evaluations, not {n_asked},")


def _stays_in_the_unit_cube(strategy: Strategy, n: int, budget: int, seed: int) -> None:
    done = _search(strategy, n, budget, seed)
    outside = done.points[~np.all((done.points >= 0.0) & (done.points <= 1.0), axis=1)]
    done.require(len(outside) == 0, f"asked for the point {outside[:1]}, which is outside of the unit cube,")


def _returns_the_best_it_saw(strategy: Strategy, n: int, budget: int, seed: int) -> None:
    done = _search(strategy, n, budget, seed)
    best, lowest = done.best, done.values.min(initial=np.inf)
    done.require(best.value == lowest, f"returned the value {best.value}, but saw {lowest},")
    has_point = np.any(np.all(done.points == best.point, axis=1) & (done.values == best.value))
    done.require(bool(has_point), f"returned the point {best.point}, which does not have the best value,")


def _never_returns_a_failure(strategy: Strategy, n: int, budget: int, seed: int) -> None:
    done = _search(strategy, n, budget, seed, lambda points: np.where(points[:, 0] < 0.5, np.inf, points[:, 0]))
    lowest = done.values.min()
    is_right = done.best.value == lowest if lowest < np.inf else isnan(done.best.value)
    done.require(is_right, f"returned {done.best.value}, but saw {lowest}, where +inf is a failure,")


def _knows_when_everything_failed(strategy: Strategy, n: int, budget: int, seed: int) -> None:
    done = _search(strategy, n, budget, seed, lambda points: np.full(len(points), np.inf))
    done.require(isnan(done.best.value), f"returned {done.best.value}, not NaN, although every evaluation failed")


def _bears_a_constant(strategy: Strategy, n: int, budget: int, seed: int) -> None:
    done = _search(strategy, n, budget, seed, lambda points: np.full(len(points), 3.0))
    done.require(done.best.value == 3.0, f"returned {done.best.value} for a function that is 3 everywhere,")


def _repeats_itself(strategy: Strategy, n: int, budget: int, seed: int) -> None:
    first, second = _search(strategy, n, budget, seed), _search(strategy, n, budget, seed)
    first.require(np.array_equal(first.points, second.points), "asked for other points the second time")


def _leaves_global_randomness_alone(strategy: Strategy, n: int, budget: int, seed: int) -> None:
    before = global_state()
    done = _search(strategy, n, budget, seed)
    done.require(global_state() == before, "used the global random state, not rng,")


STRATEGY_PROMISES: dict[str, Callable[[Strategy, int, int, int], None]] = {
    "keeps to the budget": _keeps_to_the_budget,
    "stays in the unit cube": _stays_in_the_unit_cube,
    "returns the best it saw": _returns_the_best_it_saw,
    "never returns a failure": _never_returns_a_failure,
    "knows when everything failed": _knows_when_everything_failed,
    "bears a constant": _bears_a_constant,
    "repeats itself": _repeats_itself,
    "leaves global randomness alone": _leaves_global_randomness_alone,
}
