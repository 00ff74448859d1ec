"""Run single parts of the method, which are generators, on a function of the unit cubes."""

import numpy as np
import pytest

from reckless.core.generators import answered
from reckless.core.task import Budget, Task
from reckless.methods.danskin.inner import Inner
from reckless.methods.danskin.oracle import Oracle


def drive_climb(ascent, f):
    """Answer a climb with f on rows; its peak, and how many points it asked for."""
    n_asked = 0

    def answer(points):
        nonlocal n_asked
        n_asked += len(points)
        return f(points)

    return answered(ascent, answer), n_asked


class Driver:
    """An inner search on f(X, Y) in the unit cubes; `run` answers what a part asks for and returns its result."""

    def __init__(self, f, n_x, n_y, maxfev=100_000, seed=0):
        self.f = f
        self.task = Task(n_x, n_y, Budget(maxfev), np.random.default_rng(seed))
        self.inner = Inner(Oracle(self.task, maxfev))
        self.batches = []

    def run(self, part):
        return answered(part, self.values)

    def values(self, pairs):
        X, Y = np.atleast_2d(pairs[0]), np.atleast_2d(pairs[1])
        m = max(len(X), len(Y))
        X, Y = np.broadcast_to(X, (m, X.shape[1])), np.broadcast_to(Y, (m, Y.shape[1]))
        assert X.min() >= 0.0
        assert X.max() <= 1.0
        assert Y.min() >= 0.0
        assert Y.max() <= 1.0
        self.task.budget.count(m)
        self.batches.append(m)
        return self.f(X, Y)


@pytest.fixture
def climb_on():
    return drive_climb


@pytest.fixture
def driver():
    return Driver
