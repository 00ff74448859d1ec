"""How far an answer can be trusted."""

import numpy as np
import pytest

from reckless.core.task import Agreement
from reckless.methods.surrogate.state import Attack, Prediction
from reckless.methods.surrogate.trust import (
    agreement_of,
    inflation_of,
    is_settled,
    note_attacks,
    standard_error,
    upper_bound,
)

GOOD, BAD = Prediction(0.1, 5e-4), Prediction(0.1, 2e-3)


@pytest.mark.parametrize(
    ("predictions", "moves", "expected"),
    [
        ([GOOD] * 4, [5e-4] * 3, True),
        ([BAD, *[GOOD] * 4], [0.3, *[5e-4] * 3], True),
        ([*[GOOD] * 4, BAD], [5e-4] * 3, False),
        ([GOOD] * 4, [5e-4, 5e-4, 2e-3], False),
        ([GOOD] * 3, [5e-4] * 3, False),
        ([GOOD] * 4, [5e-4] * 2, False),
        ([], [], False),
    ],
)
def test_a_search_is_settled_when_it_predicts_and_rests(state, predictions, moves, expected):
    state.predictions, state.moves = predictions, moves
    assert is_settled(state) is expected


def test_attacks_on_the_answer_are_counted_and_those_that_found_nothing_agree(state):
    x, other = state.answer.x, np.array([0.11, 0.22])
    state.attacks = [
        Attack(x, -0.5, 0.0, 2.0),
        Attack(x, 0.0019, 0.001, 2.0),
        Attack(x, 0.0021, 0.0, 2.0),  # found more than 0.1 % of what y matters
        Attack(x, -0.5, 0.3, 2.0),  # leaves a doubt
        Attack(x, np.inf, 0.0, 2.0),  # failed
        Attack(other, -0.5, 0.0, 2.0),
    ]
    assert agreement_of(state) == Agreement(2, 5)
    state.answer = None
    assert agreement_of(state) == Agreement(0, 0)


def test_attacks_are_noted_with_what_they_found(state, parts):
    answer, n_before = state.answer, len(state.known.archive.v)
    X, Y = np.repeat(answer.x[None], 3, axis=0), np.array([[0.01], [0.7], [0.3]])
    values = parts["bowl"](X, Y)
    state.known.learn(X, Y, np.append(values[:2], np.nan), None)
    note_attacks(state, answer, n_before)
    np.testing.assert_allclose([attack.excess for attack in state.attacks[:2]], values[:2] - answer.fun)
    assert state.attacks[2].excess == np.inf
    fine = parts["bowl"](np.repeat(answer.x[None], 200, axis=0), np.linspace(0.0, 1.0, 200)[:, None])
    assert state.attacks[0].spread == pytest.approx(np.ptp(fine), rel=0.1)
    assert all(attack.x is answer.x for attack in state.attacks)


def test_deviations_are_inflated_by_what_predictions_missed(state):
    assert inflation_of(state) == 1.0
    state.predictions = [Prediction(0.2, 0.0)] * 5
    assert inflation_of(state) == 1.0
    state.predictions = [Prediction(99.0, 0.0), *[Prediction(2.0, 0.0), Prediction(-1.0, 0.0)] * 6]
    assert inflation_of(state) == pytest.approx(np.sqrt(2.5))


def test_the_upper_bound_covers_the_worst_case_and_is_not_below_the_value(state, parts):
    fine = np.linspace(0.0, 1.0, 400)[:, None]
    truth = parts["bowl"](np.repeat(state.answer.x[None], 400, axis=0), fine).max()
    upper = upper_bound(state)
    assert truth <= upper
    assert state.answer.fun <= upper < state.answer.fun + 0.5 * np.ptp(state.known.archive.v)
    state.answer = state.answer._replace(fun=upper + 1.0)
    assert upper_bound(state) == upper + 1.0


def test_worse_predictions_raise_the_upper_bound(state):
    before = upper_bound(state)
    state.predictions = [Prediction(2.5, 0.1)] * 12
    assert upper_bound(state) > before


def test_nothing_is_said_when_predictions_were_far_off(state):
    state.predictions = [Prediction(3.1, 0.1)] * 12
    assert upper_bound(state) is None


def test_nothing_is_said_of_an_answer_that_failed_or_is_not_there(state):
    state.answer = state.answer._replace(fun=np.inf)
    assert upper_bound(state) is None
    state.answer = None
    assert upper_bound(state) is None


def test_the_standard_error_is_that_of_the_model_in_units_of_f(state):
    assert standard_error(state) is None
    state.is_noisy = True
    model, q = state.known.model, np.concatenate([state.answer.x, state.answer.y])[None]
    low, high = (float(model.value(model.mean(q)[0] + s * model.sd(q)[0])) for s in (-1.0, 1.0))
    assert standard_error(state) == pytest.approx(0.5 * (high - low))
