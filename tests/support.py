"""Objectives and helpers that several tests share. The boxes are lopsided and exclude zero."""

import numpy as np
import pytest

from reckless.core.generators import answered

X_BOUNDS = [(1.0, 4.0), (-7.0, -2.0)]
Y_BOUNDS = [(2.0, 9.0)]


def tilted_bowl(x, y):
    """A saddle at x = (2, -3), y = 5 with value 0."""
    return (x[0] - 2.0) ** 2 + (x[1] + 3.0) ** 2 + 0.5 * (x[0] - 2.0) * (y[0] - 5.0) - (y[0] - 5.0) ** 2


class Recorder:
    """A scalar objective that remembers every pair it was given."""

    def __init__(self, f):
        self.f, self.pairs = f, []

    def __call__(self, x, y):
        self.pairs.append((x.copy(), y.copy()))
        return self.f(x, y)

    def __len__(self):
        return len(self.pairs)

    def all_inside(self, x_bounds, y_bounds):
        return all(_inside(x, x_bounds) and _inside(y, y_bounds) for x, y in self.pairs)


class Interrupted(Recorder):
    """The same, but somebody presses Ctrl-C during one call."""

    def __init__(self, f, at):
        super().__init__(f)
        self.at = at

    def __call__(self, x, y):
        value = super().__call__(x, y)
        if len(self) == self.at:
            raise KeyboardInterrupt
        return value


def _inside(point, bounds):
    low, high = np.array(bounds, dtype=float).T
    return point.shape == low.shape and bool(np.all((low <= point) & (point <= high)))


def minimize(strategy, f, start, n_evaluations, seed=0):
    """Drive a strategy on f (rows of the unit cube to values); return its best and every batch it asked for."""
    search = strategy.search(np.asarray(start, dtype=float), n_evaluations, np.random.default_rng(seed))
    batches = []

    def answer(points):
        batches.append(points.copy())
        return f(points)

    return answered(search, answer), batches


def sphere(target):
    return lambda points: np.sum((points - target) ** 2, axis=1)


def refuses(check, words):
    """A check of `reckless.testing` raises one sentence with these words."""
    with pytest.raises(AssertionError, match=words) as caught:
        check()
    sentence = str(caught.value)
    assert sentence.startswith(("method: ", "strategy: ", "domain: ", "engine: "))
    assert sentence.endswith(".")
