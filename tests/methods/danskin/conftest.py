"""Run single parts of the method, which are generators, on a function of the unit cubes."""

import numpy as np
import pytest

from reckless.core.generators import answered
from reckless.core.task import Budget, Task
from reckless.methods.danskin.oracle import Oracle


class Driver:
    """An oracle on f(X, Y) in the unit cubes; `run` answers what a part asks for and returns its result."""

    def __init__(self, f, n_x, n_y, maxfev=100_000, seed=0):
        self.f = f
        self.task = Task(n_x, n_y, Budget(maxfev), np.random.default_rng(seed))
        self.task.trace = []
        self.oracle = Oracle(self.task, maxfev)

    def run(self, part):
        return answered(part, self.values)

    def values(self, pairs):
        X, Y = np.atleast_2d(pairs[0]), np.atleast_2d(pairs[1])
        m = max(len(X), len(Y))
        X, Y = np.broadcast_to(X, (m, X.shape[1])), np.broadcast_to(Y, (m, Y.shape[1]))
        for Z in (X, Y):
            assert Z.min() >= 0.0
            assert Z.max() <= 1.0
        self.task.budget.count(m)
        return self.f(X, Y)

    def value(self, x, y):
        """f at one pair, not counted."""
        return float(self.f(np.array([x], dtype=float), np.array([y], dtype=float))[0])


class Quadratic:
    """u'Au / 2 + u'Bv - v'Cv / 2 around x = a, y = b inside the unit cubes, with dense matrices."""

    def __init__(self, n_x, n_y, seed):
        rng = np.random.default_rng(seed)
        roots = rng.standard_normal((n_x, n_x)), rng.standard_normal((n_y, n_y))
        self.A, self.C = (root @ root.T + np.eye(len(root)) for root in roots)
        self.B = rng.standard_normal((n_x, n_y))
        self.a, self.b = rng.uniform(0.35, 0.65, n_x), rng.uniform(0.35, 0.65, n_y)

    def __call__(self, X, Y):
        U, V = X - self.a, Y - self.b
        return 0.5 * ((U @ self.A) * U).sum(1) + ((U @ self.B) * V).sum(1) - 0.5 * ((V @ self.C) * V).sum(1)

    def top(self, x):
        """The best y without bounds, and its value."""
        y = self.b + np.linalg.solve(self.C, self.B.T @ (x - self.a))
        return y, float(self(x[None], y[None])[0])


@pytest.fixture
def driver():
    return Driver


@pytest.fixture
def quadratic():
    return Quadratic
