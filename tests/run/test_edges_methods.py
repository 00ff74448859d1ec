"""A method that stands still, or asks for nothing, does not run forever."""

import numpy as np
import pytest

from reckless import Solver, Status, minimax
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl


class Idle:
    """A method that evaluates one pair, and then only counts rounds."""

    def search(self, task):
        x, y = task.random_x(), task.random_y()
        (value,) = yield x, y
        task.recommend(x, y, value)
        while task.n_left:
            for _ in task.rounds(10):
                pass


class Empty:
    """A method that asks for no pairs, again and again."""

    def search(self, task):
        while True:
            yield task.random_x(), np.empty((0, task.n_y))


class Hesitant:
    """A method that begins by asking for nothing."""

    def search(self, task):
        assert (yield task.random_x(), np.empty((0, task.n_y))).size == 0
        (value,) = yield 0.5 * np.ones(task.n_x), task.random_y()
        assert (yield np.empty((0, task.n_x)), task.random_y()).size == 0
        task.recommend(0.5 * np.ones(task.n_x), task.random_y(), value)


class Rare:
    """A method that thinks for many rounds before each evaluation."""

    def search(self, task):
        for k in task.rounds():
            if k % 900 == 0:
                x, y = task.random_x(), task.random_y()
                (value,) = yield x, y
                task.recommend_if_better(x, y, value)


@pytest.mark.parametrize(("method", "nfev"), [(Idle(), 1), (Empty(), 0)], ids=["idle", "empty"])
def test_a_method_that_stands_still_is_ended(method, nfev):
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=30, method=method, rng=1)
    assert (result.success, result.status, result.nfev) == (False, Status.STALLED.code, nfev)
    assert "no longer asks for evaluations: it began 1,000 rounds without one." in result.message
    assert np.isnan(result.fun) == (nfev == 0)


def test_f_is_not_called_for_no_pairs():
    sizes = []

    def f(X, Y):
        sizes.append(len(X))
        return tilted_bowl(X.T, Y.T)

    result = minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=30, method=Hesitant(), rng=1, vectorized=True)
    assert (sizes, result.nfev) == ([1], 1)


def test_so_it_is_by_ask_and_tell():
    solver = Solver(Idle(), X_BOUNDS, Y_BOUNDS, maxfev=30, rng=1)
    X, Y = solver.ask()
    solver.tell([tilted_bowl(x, y) for x, y in zip(X, Y, strict=True)])
    assert solver.done
    assert solver.result().status == Status.STALLED.code


def test_a_method_may_think_for_many_rounds():
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=30, method=Rare(), rng=1)
    assert (result.nfev, result.status) == (30, Status.BUDGET_SPENT.code)
