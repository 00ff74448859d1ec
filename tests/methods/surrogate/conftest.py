"""A search in the middle of its work, on a bowl in the unit square of which all is known."""

import numpy as np
import pytest

from reckless.methods.surrogate.answer import best_answer
from reckless.methods.surrogate.archive import Archive
from reckless.methods.surrogate.knowledge import Knowledge
from reckless.methods.surrogate.spaces import net, sample, space_of
from reckless.methods.surrogate.state import State
from reckless.methods.surrogate.views import views_of


def bowl(X, Y):
    """A saddle at x = (0.3, 0.6), y = 0.7 with value -4; not a quadratic."""
    x, y = X - [0.3, 0.6], Y[:, 0] - 0.7
    return -4.0 + 5.0 * (x * x).sum(axis=1) + x[:, 0] * y - 2.0 * y * y + 0.3 * np.sin(5.0 * y) * x[:, 1] ** 2


def blank(xs=None, ys=None):
    """Return a knowledge of nothing; the sets are unit cubes of 2 and 1 coordinates unless given."""
    xs, ys = xs or space_of(None, 2), ys or space_of(None, 1)
    return Knowledge(xs, ys, net(ys, np.random.default_rng(0)), views_of(xs, ys), Archive(xs.n, ys.n))


def draw(known, rng, n):
    return sample(known.xs, rng, n), sample(known.ys, rng, n)


def state_of(known, rng, n_left=30):
    found = np.empty((0, known.ys.n))
    return State(known, rng, n_left, found=found, answer=best_answer(known, found, False))


@pytest.fixture(scope="session")
def learned():
    """25 values of the bowl, and three at one x."""
    known, rng = blank(), np.random.default_rng(1)
    X, Y = draw(known, rng, 25)
    X[22:] = 0.35, 0.5
    known.learn(X, Y, bowl(X, Y), None)
    return known


@pytest.fixture
def state(learned):
    """A search that may go on, without changing what others see."""
    return state_of(learned.copy(), np.random.default_rng(2))


@pytest.fixture(scope="session")
def parts():
    """The functions above, for tests that begin with something else."""
    return {"bowl": bowl, "blank": blank, "draw": draw, "state_of": state_of}
