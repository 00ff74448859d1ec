"""StableOpt: which pair it asks for by its model, and how near it comes."""

import numpy as np
import pytest

from reckless import InvalidArgument, Scenarios, minimax
from reckless.methods.stableopt import StableOpt, most_promising, optimistic
from reckless.methods.surrogate.answer import best_answer
from reckless.methods.surrogate.archive import Archive
from reckless.methods.surrogate.climbing import crossed
from reckless.methods.surrogate.knowledge import Knowledge
from reckless.methods.surrogate.saddle import highest_bound
from reckless.methods.surrogate.spaces import Cube, net
from reckless.methods.surrogate.state import State
from reckless.methods.surrogate.views import views_of
from support import X_BOUNDS, Y_BOUNDS, Recorder, tilted_bowl

GRID = np.linspace(0.0, 1.0, 301)[:, None]


def wavy(X, Y):
    """Two valleys over x, whose depths depend on y."""
    return np.sin(9.0 * X[:, 0]) * (0.4 + Y[:, 0]) + 0.7 * (Y[:, 0] - X[:, 0]) ** 2


@pytest.fixture
def state():
    rng = np.random.default_rng(5)
    xs = ys = Cube(1, np.zeros(1))
    known = Knowledge(xs, ys, net(ys, rng), views_of(xs, ys), Archive(1, 1))
    X, Y = rng.random((14, 1)), rng.random((14, 1))
    known.learn(X, Y, wavy(X, Y), None)
    state = State(known, rng, 10, found=np.empty((0, 1)))
    state.answer = best_answer(known, state.found, is_noisy=False)
    return state


@pytest.mark.parametrize("c", [0.0, 2.0])
def test_x_has_the_lowest_optimistic_worst_case(state, c):
    """Of 20 such x, none was above the lowest of a grid; asserted: by at most 1e-4 levels."""
    x = most_promising(state, c)
    model = state.known.model
    Q = crossed(GRID, GRID)
    heights = (model.mean(Q) - c * model.sd(Q)).reshape(301, 301).max(axis=1)
    found = optimistic(state, x[None], GRID, c)[0]
    assert heights.min() - 1e-3 < found < heights.min() + 1e-4
    assert np.ptp(heights) > 1.0


def test_what_it_asks_for_are_such_an_x_and_the_y_that_could_be_worst_there(state):
    plain = most_promising(state, 0.0)
    bold = most_promising(state, 2.0)
    assert abs(plain[0] - bold[0]) > 1e-3  # doubt attracts
    y, level = highest_bound(state.known.arena, bold, state.candidates(), 2.0)
    Q = np.column_stack([np.full(301, bold[0]), GRID[:, 0]])
    bounds = state.known.model.mean(Q) + 2.0 * state.known.model.sd(Q)
    assert level >= bounds.max() - 1e-9
    assert abs(y[0] - GRID[bounds.argmax(), 0]) < 0.01


def test_the_design_is_that_of_the_surrogate_and_what_follows_differs():
    one, other = Recorder(tilted_bowl), Recorder(tilted_bowl)
    minimax(one, X_BOUNDS, Y_BOUNDS, maxfev=15, method="stableopt", rng=3)
    minimax(other, X_BOUNDS, Y_BOUNDS, maxfev=15, method="surrogate", rng=3)
    same = [np.array_equal(np.hstack(a), np.hstack(b)) for a, b in zip(one.pairs, other.pairs, strict=True)]
    assert same == [True] * 5 + [False] * 10


def test_a_bowl_is_solved():
    """Of 10 seeds 10 come within 1.6e-3 of the saddle's value; asserted: 5e-3."""
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=25, method="stableopt", rng=7)
    assert abs(result.fun) < 5e-3
    assert result.x == pytest.approx([2.0, -3.0], abs=0.07)
    assert (result.nfev, result.agreement, result.upper) == (25, None, None)


def test_a_list_is_asked_for_its_entries():
    listed = Scenarios([[2.0], [3.5], [5.0], [8.0]])
    calls = Recorder(tilted_bowl)
    result = minimax(calls, X_BOUNDS, listed, maxfev=20, method="stableopt", rng=7)
    assert {y.item() for _, y in calls.pairs} <= {2.0, 3.5, 5.0, 8.0}
    assert result.x == pytest.approx([2.0, -3.0], abs=0.1)


@pytest.mark.parametrize("policy", ["worst", "ignore"])
def test_failures_are_no_answers(policy):
    f = lambda x, y: np.nan if x[0] < 2.5 and y[0] > 4.0 else tilted_bowl(x, y)  # noqa: E731
    result = minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=22, method=StableOpt(), rng=2, nan_policy=policy)
    assert np.isfinite(result.fun)
    assert result.n_failed > 0
    if policy == "worst":
        assert result.x[0] >= 2.5


@pytest.mark.parametrize("confidence", [-1.0, 101.0, np.nan, "2", True])
def test_a_confidence_that_is_none_is_refused(confidence):
    with pytest.raises(InvalidArgument, match="^confidence: expected a number"):
        StableOpt(confidence=confidence)
