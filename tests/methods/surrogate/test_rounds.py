"""The parts of a round: where it looks, and what it asks for."""

import numpy as np
import pytest

from reckless.core.generators import answered
from reckless.domains.sets import Scenarios, Simplex
from reckless.methods.surrogate.climbing import joined
from reckless.methods.surrogate.rounds import bisection, cautious, explore, play, snapped, solve, sweep
from reckless.methods.surrogate.saddle import scan
from reckless.methods.surrogate.spaces import space_of


def scenarios_state(parts, n=5):
    """A search over a square of x and a list of y, with some values."""
    ys = space_of(Scenarios([[2.0, 5.0], [3.0, 1.0], [7.0, 2.0], [4.0, 4.0], [6.0, 3.0]][:n]), 1)
    known = parts["blank"](ys=ys)
    X, Y = parts["draw"](known, np.random.default_rng(1), 16)
    known.learn(X, Y, value_of(X, Y), None)
    return parts["state_of"](known, np.random.default_rng(2))


def value_of(X, Y):
    return 4.0 * ((X - [0.3, 0.6]) ** 2).sum(axis=1) + X[:, 0] * Y[:, 0] - Y[:, 1] ** 2


def test_a_sweep_goes_through_all_untried_scenarios_by_their_bound(parts):
    state = scenarios_state(parts)
    x, archive = state.answer.x, state.known.archive
    n_tried = len(np.unique(archive.Y[archive.at(x), -1]))
    for n_left in range(5 - n_tried, 0, -1):
        at, y = sweep(state)
        assert at.tolist() == x.tolist()
        rest = state.known.ys.points[~np.isin(state.known.ys.points[:, -1], archive.Y[archive.at(x), -1])]
        assert len(rest) == n_left
        Q, model = joined(x, rest), state.known.model
        assert y.tolist() == rest[(model.mean(Q) + 2.0 * model.sd(Q)).argmax()].tolist()
        state.known.learn(x[None], y[None], value_of(x[None], y[None]), None)
    assert n_tried < 5
    assert sweep(state) is None


def test_there_is_no_sweep_without_a_list(state):
    assert sweep(state) is None


# Bisection


def test_a_bisection_halves_the_way_to_the_nearest_failure_that_looks_better(state, parts):
    """x = (0.36, 0.6) is the answer; better ones fail."""
    known, x = state.known, np.array([0.36, 0.6])
    known.learn(x[None], np.array([[0.7]]), parts["bowl"](x[None], np.array([[0.7]])), None)
    failed, y = np.array([[0.3, 0.6], [0.31, 0.6], [0.42, 0.6]]), np.array([[0.7], [0.65], [0.7]])
    known.learn(failed, y, np.full(3, np.inf), None)
    state.answer = state.answer._replace(x=x, y=np.array([0.7]), fun=known.archive.highest_at(x))
    at, against = bisection(state)
    np.testing.assert_allclose(at, [0.335, 0.6])
    assert against.tolist() == [0.65]
    known.learn(at[None], against[None], np.array([np.inf]), None)
    np.testing.assert_allclose(bisection(state)[0], [0.3475, 0.6])


def test_there_is_no_bisection_without_failures_nor_far_from_them(state, parts):
    assert bisection(state) is None
    state.known.learn(np.array([[0.9, 0.9]]), np.array([[0.5]]), np.array([np.inf]), None)
    assert np.abs(state.answer.x - 0.9).max() > 0.1
    assert bisection(state) is None


# Where to look


def test_the_minimax_of_the_model_is_near_that_of_f(state):
    """Saddle at x = (0.3, 0.6), y = 0.7 with value -4."""
    solution = solve(state, 0)
    np.testing.assert_allclose(solution.x, [0.3, 0.6], atol=0.05)
    assert state.known.model.value(solution.level) == pytest.approx(-4.0, abs=0.1)
    heights = scan(state.known.model, state.known.archive.X, state.known.net)
    assert solution.level <= heights.min() + 1e-9


def test_a_solution_next_to_an_answer_as_good_becomes_the_answer(state):
    solution = solve(state, 0)
    assert snapped(state, solution) is solution.x
    state.answer = state.answer._replace(x=solution.x + 1e-7)
    assert snapped(state, solution) is state.answer.x
    state.answer = state.answer._replace(x=solution.x + 5e-3)
    assert snapped(state, solution) is solution.x


def test_a_cautious_place_has_a_lower_bound_or_is_the_solution(state):
    solution = solve(state, 0)
    found = cautious(state, solution)
    model, net = state.known.model, state.known.net

    def bound(x):
        return (model.mean(joined(x, net)) + model.sd(joined(x, net))).max()

    assert found is solution or bound(found.x) < bound(solution.x) + 1e-2
    far = solution._replace(x=np.array([0.95, 0.05]))
    careful = cautious(state, far)
    assert bound(careful.x) < bound(far.x) - 0.1
    assert careful.weights[0] == 1.0
    assert careful.level == pytest.approx(model.mean(joined(careful.x, careful.Y))[0])


@pytest.mark.parametrize("xs", [space_of(Simplex(3), 2), space_of(Scenarios([[1.0, 5.0], [2.0, 6.5], [4.0, 5.5]]), 1)])
def test_exploration_stays_in_the_set_and_asks_for_news(parts, xs):
    known, rng = parts["blank"](xs=xs), np.random.default_rng(3)
    X, Y = parts["draw"](known, rng, 14)
    known.learn(X, Y, X[:, 0] ** 2 + X[:, 1] * np.sin(6.0 * Y[:, 0]), None)
    state = parts["state_of"](known, rng)
    solution = solve(state, 0)
    for _ in range(6):
        x, y = explore(state, solution.x)
        np.testing.assert_allclose(xs.clip(x[None])[0], x, atol=1e-12)
        assert 0.0 <= y[0] <= 1.0
        assert not known.archive.has(x, y)
        known.learn(x[None], y[None], x[:1] ** 2 + x[1] * np.sin(6.0 * y), None)


def test_a_model_that_is_sure_of_everything_is_tested(parts):
    """Two x to choose from, and a quadratic: the model is exact, and the highest y of both is known."""
    known = parts["blank"](xs=space_of(Scenarios([[1.0, 5.0], [2.0, 6.0]]), 1))
    rng = np.random.default_rng(4)
    X, Y = parts["draw"](known, rng, 12)
    Y[:2], X[:2] = 1.0, known.xs.points
    known.learn(X, Y, 3.0 * X[:, 0] + Y[:, 0] ** 2, None)
    state = parts["state_of"](known, rng)
    pairs = [explore(state, solve(state, 0).x) for _ in range(5)]
    assert not any(known.archive.has(x, y) for x, y in pairs)


# A whole round


def test_a_round_measures_the_minimax_and_learns(state, parts):
    asked = []

    def answer(pairs):
        asked.append(pairs)
        return parts["bowl"](*pairs)

    before = state.answer.fun
    for k in range(4):
        answered(play(state, k), answer)
    n_asked = sum(len(X) for X, _ in asked)
    assert state.n_left == 30 - n_asked
    assert len(state.known.archive.v) == 25 + n_asked
    assert len(state.moves) == 3
    assert state.answer.fun < before - 0.01
    assert state.answer.fun == state.known.archive.highest_at(state.answer.x)
    assert state.answer.fun == pytest.approx(-4.0, abs=1e-2)
