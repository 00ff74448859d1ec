"""The referee: closed forms against searches, and the measures of an answer."""

import math
from dataclasses import replace

import numpy as np
import pytest

from reckless import Ball, Box, Scenarios, Simplex
from reckless.bench.problems import Problem, problem, suites
from reckless.bench.referee import ensemble_worst_case, exact_worst_cases, history_worst_cases, judge

# Vertex maxima at n = 5, which has 32 of them; problems with kinks, on which the searches are slow, at n = 2.
SIZES = {"L1": 2, "L2": 2, "f6": 2, "f8": 2, **{f"f{i}": 5 for i in (1, 2, 3, 4, 5, 7, 9, 10, 11)}}
SMALL = [
    f"{name}:n={SIZES[name]}" if name in SIZES else name
    for suite, names in suites().items()
    for name in names
    if suite not in ("reality", "smooth", "rotated", "lists")  # no closed forms, or held against searches elsewhere
    and not name.startswith("noisy")
]


def somewhere(which: Problem, seed: int) -> np.ndarray:
    low, high = np.array(which.x_bounds).T
    return np.random.default_rng(seed).uniform(low, high)


@pytest.mark.parametrize("name", SMALL)
def test_closed_form_and_ensemble_agree(name):
    which = problem(name)
    x = somewhere(which, 11)
    searched, y = ensemble_worst_case(which, x, np.random.default_rng(5))
    exact = exact_worst_cases(which, x[None, :])[0]
    assert searched == pytest.approx(exact, rel=1e-9, abs=1e-9)
    assert which.function(x[None, :], y[None, :])[0] == searched


def test_the_measures_of_an_answer_are_those_worked_by_hand():
    verdict = judge(problem("L1:n=2"), np.array([6.0, 3.0]), 4.5, np.random.default_rng(0))
    # worst case 1 + 4 at y = 5, distance from the optimum (1 + 4) / 2
    assert verdict == (5.0, 2.5, 0.5)


def test_an_answer_without_an_estimate_is_judged_all_the_same():
    verdict = judge(problem("L1:n=2"), np.array([6.0, 3.0]), math.nan, np.random.default_rng(0))
    assert verdict.worst_case == 5.0
    assert math.isnan(verdict.inner_gap)


def test_without_a_closed_form_the_ensemble_judges():
    which = replace(problem("L6"), worst_case=None)
    x = np.array([0.3, 1.7])
    verdict = judge(which, x, 0.0, np.random.default_rng(1))
    assert verdict.worst_case == pytest.approx(problem("L6").worst_case(x[None, :])[0][0], rel=1e-9)
    assert history_worst_cases(which, x[None, :]).size == 0


def test_the_ensemble_gives_the_same_answer_for_the_same_generator():
    which, x = problem("L5"), np.array([0.1, 0.7])
    first, second = (ensemble_worst_case(which, x, np.random.default_rng(3)) for _ in range(2))
    assert first[0] == second[0]
    assert np.array_equal(first[1], second[1])


# Problems as users write them: f of vectors, any set, no optimum, no closed form.

CASES = [[2.0, -1.0], [0.5, 4.0], [3.0, 3.5]]


def tilted(x, y):
    return (x[0] - y[0]) ** 2 + 0.5 * x[1] * y[1]


def own(y_bounds, f=tilted, **more):
    return Problem(function=f, x_bounds=[(1, 4), (2, 9)], y_bounds=y_bounds, vectorized=False, **more)


def worst_of(which, x=(1.5, 3.0)):
    value, y = ensemble_worst_case(which, np.array(x), np.random.default_rng(7))
    assert math.isinf(value) or which.function(np.array(x), y) == value
    return value, y.tolist()


def test_a_list_of_y_is_tried_in_full():
    asked = []

    def f(x, y):
        asked.append(y.tolist())
        return tilted(x, y)

    assert worst_of(own(Scenarios(CASES), f)) == (pytest.approx(1.5**2 + 0.5 * 3.0 * 3.5), [3.0, 3.5])
    assert sorted(asked[: len(CASES)]) == sorted(CASES)


@pytest.mark.parametrize(
    ("y_bounds", "y"),
    [
        ([(1, 3), (-2, 5)], [3.0, 5.0]),
        ({"wind": (1, 3), "gear": (-2, 5, "int")}, [3.0, 5.0]),
        (Box([(1, 3), (0.5, 5, "log")]), [3.0, 5.0]),
        (Simplex(2, 2.0), [0.0, 2.0]),  # 1.5^2 + 3 at (0, 2), 0.25 at (2, 0)
    ],
)
def test_the_searches_take_any_set_and_an_f_of_vectors(y_bounds, y):
    value, found = worst_of(own(y_bounds))
    assert found == pytest.approx(y, abs=1e-9)
    assert value == pytest.approx(tilted(np.array([1.5, 3.0]), np.array(y)), rel=1e-9)


def test_the_worst_of_a_ball_is_on_its_edge():
    def f(x, y):
        return x[0] * y[0] + x[1] * y[1]

    value, y = worst_of(own(Ball([2.0, -3.0], 0.5), f), (3.0, 4.0))
    assert value == pytest.approx(6.0 - 12.0 + 0.5 * 5.0, rel=1e-9)  # along x, whose length is 5
    assert y == pytest.approx([2.3, -2.6], abs=1e-5)


def test_a_y_at_which_f_is_nan_is_the_worst_case():
    def f(x, y):
        return math.nan if y[0] > 2.9 else tilted(x, y)

    value, y = worst_of(own([(1, 3), (-2, 5)], f))
    assert value == math.inf
    assert y[0] > 2.9
    assert worst_of(own(Scenarios(CASES), f)) == (math.inf, [3.0, 3.5])


def test_an_answer_without_a_known_optimum_has_no_distance_from_it():
    verdict = judge(own(Scenarios(CASES)), np.array([1.5, 3.0]), 5.0, np.random.default_rng(0))
    assert (verdict.worst_case, verdict.inner_gap) == (7.5, 2.5)
    assert math.isnan(verdict.mse)


@pytest.mark.parametrize("with_y", [True, False])
def test_a_closed_form_of_a_vector_judges_a_whole_history(with_y):
    def worst_case(x):
        value = max(tilted(x, y) for y in CASES)
        return (value, CASES[0]) if with_y else value

    which = own(Scenarios(CASES), worst_case=worst_case)
    X = np.array([[1.5, 3.0], [3.0, 2.0]])
    assert history_worst_cases(which, X).tolist() == [7.5, 10.25]  # at (3, 3.5) and at (0.5, 4)
    assert history_worst_cases(which, X[:0]).shape == (0,)


@pytest.mark.parametrize("m", [0, 1, 300])
def test_a_whole_history_is_judged_row_by_row(m):
    which = problem("filter")
    X = np.array([somewhere(which, seed) for seed in range(m)]).reshape(m, which.n_x)
    one_by_one = [judge(which, x, 0.0, np.random.default_rng(0)).worst_case for x in X[:3]]
    assert history_worst_cases(which, X).shape == (m,)
    assert history_worst_cases(which, X)[:3].tolist() == one_by_one
