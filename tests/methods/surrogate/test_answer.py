"""Which evaluated x is the answer."""

import numpy as np
import pytest

from reckless.methods.surrogate.answer import best_answer, handicaps_of, highest_mean, untried_danger
from reckless.methods.surrogate.climbing import joined
from reckless.methods.surrogate.spaces import space_of

NONE = np.empty((0, 1))


def add(known, x, ys, values):
    X = np.repeat(np.asarray(x, dtype=float)[None], len(ys), axis=0)
    known.learn(X, np.asarray(ys, dtype=float)[:, None], np.asarray(values, dtype=float), None)


def measured(known, parts, x, ys):
    X, Y = np.repeat(np.asarray(x, dtype=float)[None], len(ys), axis=0), np.asarray(ys, dtype=float)[:, None]
    add(known, x, ys, parts["bowl"](X, Y))


def test_nothing_is_answered_before_something_is_known(parts):
    known = parts["blank"]()
    assert best_answer(known, NONE, False) is None
    add(known, [0.2, 0.3], [0.4], [np.nan])
    assert best_answer(known, NONE, False) is None


def test_without_a_model_the_lowest_worst_value_leads(parts):
    known = parts["blank"]()
    add(known, [0.2, 0.3], [0.4], [5.0])
    add(known, [0.7, 0.1], [0.6], [3.0])
    answer = best_answer(known, NONE, False)
    assert (answer.x.tolist(), answer.y.tolist(), answer.fun) == ([0.7, 0.1], [0.6], 3.0)


def test_an_x_with_one_harmless_value_does_not_lead(learned, parts):
    """At (0.45, 0.55) y = 0 is harmless: the value is low, but the model knows what y = 0.7 does."""
    known = learned.copy()
    measured(known, parts, [0.3, 0.6], [0.7])
    measured(known, parts, [0.45, 0.55], [0.0])
    answer = best_answer(known, NONE, False)
    assert known.archive.highest_at(np.array([0.45, 0.55])) < known.archive.highest_at(np.array([0.3, 0.6]))
    assert answer.x.tolist() == [0.3, 0.6]
    assert answer.fun == pytest.approx(-4.0)
    assert answer.y.tolist() == [0.7]


def test_the_value_of_an_answer_is_the_highest_measured_there(learned, parts):
    known = learned.copy()
    measured(known, parts, [0.3, 0.6], [0.2, 0.69, 0.9])
    answer = best_answer(known, NONE, False)
    assert answer.x.tolist() == [0.3, 0.6]
    assert answer.fun == known.archive.highest_at(answer.x) == pytest.approx(-4.0 - 2e-4)
    assert answer.y.tolist() == [0.69]


def test_an_x_falls_back_when_something_higher_is_measured_there(learned, parts):
    known = learned.copy()
    measured(known, parts, [0.3, 0.6], [0.7])
    measured(known, parts, [0.31, 0.6], [0.7])
    assert best_answer(known, NONE, False).x.tolist() == [0.3, 0.6]
    add(known, [0.3, 0.6], [0.05], [3.0])
    answer = best_answer(known, NONE, False)
    assert answer.x.tolist() != [0.3, 0.6]
    assert answer.fun < 3.0


def test_an_x_that_failed_is_last(learned, parts):
    known = learned.copy()
    measured(known, parts, [0.3, 0.6], [0.7])
    add(known, [0.3, 0.6], [0.1], [np.inf])
    answer = best_answer(known, NONE, False)
    assert answer.x.tolist() != [0.3, 0.6]
    assert np.isfinite(answer.fun)
    places = known.archive.places()
    assert handicaps_of(known, places)[np.isinf(places.worst)].tolist() == [2]


def test_where_every_x_failed_one_is_answered_with_infinity(parts):
    known = parts["blank"]()
    add(known, [0.2, 0.3], [0.4, 0.5], [np.inf, 1.0])
    add(known, [0.7, 0.1], [0.6, 0.5, 0.4], [np.inf, 2.0, 0.5])
    answer = best_answer(known, NONE, False)
    assert known.model is not None
    assert answer.fun == np.inf


def failing_beyond(parts, edge):
    """Return a knowledge of 40 values, of which those with y above the edge failed."""
    known, rng = parts["blank"](), np.random.default_rng(4)
    X, Y = parts["draw"](known, rng, 40)
    known.learn(X, Y, np.where(Y[:, 0] > edge, np.inf, parts["bowl"](X, Y)), None)
    return known


def test_an_x_whose_danger_is_untried_is_set_back_until_it_is_tried(parts):
    known = failing_beyond(parts, 0.8)
    x = np.array([0.3, 0.6])
    measured(known, parts, x, [0.5])
    y = untried_danger(known, x)
    assert y[0] > 0.8
    here = (x == known.archive.places().X).all(axis=1)
    assert handicaps_of(known, known.archive.places())[here].tolist() == [1]
    measured(known, parts, x, np.linspace(0.6, 1.0, 6))
    assert handicaps_of(known, known.archive.places())[here].tolist() == [0]
    assert untried_danger(known, x, 0.0) is None


def test_an_x_at_which_most_y_do_not_count_is_last(parts):
    known, rng = parts["blank"](), np.random.default_rng(4)
    X, Y = parts["draw"](known, rng, 40)
    known.learn(X, Y, np.where(X[:, 0] < 0.5, np.nan, parts["bowl"](X, Y)), None)
    measured(known, parts, [0.1, 0.6], [0.7])
    places = known.archive.places()
    handicaps = handicaps_of(known, places)
    assert handicaps[places.X[:, 0] == 0.1].tolist() == [2]
    assert handicaps[places.X[:, 0] > 0.7].max() == 0
    assert best_answer(known, NONE, False).x[0] > 0.4


def test_noisy_values_are_compared_by_their_means(parts):
    """One lucky and one unlucky draw of 40, each off by ten deviations, decide nothing."""
    known, rng = parts["blank"](), np.random.default_rng(5)
    X, Y = parts["draw"](known, rng, 40)
    X[:4], X[4:8] = [0.3, 0.6], [0.8, 0.1]
    Y[:4, 0] = Y[4:8, 0] = 0.7, 0.7, 0.5, 0.9
    v = parts["bowl"](X, Y) + 0.05 * rng.standard_normal(40)
    v[0] += 0.3
    known.learn(X, Y, v, None)
    assert known.model.nugget > 1e-5
    answer = best_answer(known, NONE, True)
    row, mean = highest_mean(known, answer.x)
    assert answer.x.tolist() == [0.3, 0.6]
    assert answer.fun == mean == pytest.approx(-4.0, abs=0.15)
    assert answer.fun < known.archive.highest_at(answer.x)
    at = joined(answer.x, known.archive.Y[known.archive.at(answer.x)])
    assert mean == pytest.approx(float(known.model.value(known.model.mean(at).max())))
    assert answer.y.tolist() == known.archive.Y[row].tolist()


def test_on_a_list_every_scenario_is_feared(parts):
    ys = space_of(None, 1, n_scenarios=4)
    known = parts["blank"](ys=ys)
    worth = np.array([1.0, 0.0, 3.0, 2.0])
    rng = np.random.default_rng(6)
    X, Y = parts["draw"](known, rng, 24)
    known.learn(X, Y, ((X - [0.3, 0.6]) ** 2).sum(axis=1) * 4.0 + worth[Y[:, 0].astype(int)], None)
    for x, y in (([0.3, 0.6], 2.0), ([0.5, 0.5], 1.0)):
        value = 4.0 * float(((np.array(x) - [0.3, 0.6]) ** 2).sum()) + worth[int(y)]
        known.learn(np.array([x]), np.array([[y]]), np.array([value]), None)
    answer = best_answer(known, NONE, False)
    assert (answer.x.tolist(), answer.y.tolist(), answer.fun) == ([0.3, 0.6], [2.0], pytest.approx(3.0))
