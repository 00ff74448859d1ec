"""The referee: closed forms against searches, and the measures of an answer."""

import math
from dataclasses import replace

import numpy as np
import pytest

from reckless.bench.problems import Problem, problem, suites
from reckless.bench.referee import ensemble_worst_case, exact_worst_cases, history_regrets, judge

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
    # worst case 1 + 4 at y = 5, optimum 0, distance (1 + 4) / 2
    assert verdict == (5.0, 5.0, 2.5, 0.5)


def test_a_negative_regret_is_reported_as_measured():
    easy = problem("L1:n=2")
    claimed_too_high = replace(easy, optimum=replace(easy.optimum, value=7.0))
    assert judge(claimed_too_high, np.array([6.0, 3.0]), 0.0, np.random.default_rng(0)).regret == -2.0


def test_an_answer_without_an_estimate_is_judged_all_the_same():
    verdict = judge(problem("L1:n=2"), np.array([6.0, 3.0]), math.nan, np.random.default_rng(0))
    assert verdict.worst_case == 5.0
    assert math.isnan(verdict.inner_gap)


def test_without_a_closed_form_the_ensemble_judges():
    which = replace(problem("L6"), worst_case=None)
    x = np.array([0.3, 1.7])
    verdict = judge(which, x, 0.0, np.random.default_rng(1))
    assert verdict.worst_case == pytest.approx(problem("L6").worst_case(x[None, :])[0][0], rel=1e-9)
    assert history_regrets(which, x[None, :]).size == 0


def test_the_ensemble_gives_the_same_answer_for_the_same_generator():
    which, x = problem("L5"), np.array([0.1, 0.7])
    first, second = (ensemble_worst_case(which, x, np.random.default_rng(3)) for _ in range(2))
    assert first[0] == second[0]
    assert np.array_equal(first[1], second[1])


@pytest.mark.parametrize("m", [0, 1, 300])
def test_a_whole_history_is_judged_row_by_row(m):
    which = problem("filter")
    X = np.array([somewhere(which, seed) for seed in range(m)]).reshape(m, which.n_x)
    one_by_one = [judge(which, x, 0.0, np.random.default_rng(0)).regret for x in X[:3]]
    assert history_regrets(which, X).shape == (m,)
    assert history_regrets(which, X)[:3].tolist() == one_by_one
