"""Which answer leads, what is known of it, and what is said about it."""

import numpy as np
import pytest

from reckless import minimax
from reckless.core.task import Agreement
from reckless.methods.danskin import Danskin
from reckless.methods.danskin.closing import reserve_of
from reckless.methods.danskin.incumbent import MOST_PASSED, Answer, Incumbent
from reckless.methods.danskin.oracle import MOST_FATAL, MOST_MET, Fatal
from support import X_BOUNDS, tilted_bowl


def height(X, Y):
    """At every x the value is y."""
    return Y[:, 0] + 0.0 * X[:, 0]


def point(*values):
    return np.array(values, dtype=float)


def ask(run, x, *ys):
    return run.run(run.inner.oracle.ask(point(x), np.array(ys, dtype=float)[:, None]))


@pytest.fixture
def run(driver):
    return driver(height, 1, 1)


@pytest.fixture
def incumbent(run):
    return Incumbent(run.inner.oracle)


def test_the_oracle_remembers_the_highest_and_the_lowest_value_at_an_x(run):
    oracle = run.inner.oracle
    assert oracle.met_at(point(0.5)) is None
    ask(run, 0.5, 0.2, 0.7, 0.4)
    ask(run, 0.5, 0.1, 0.6)
    met = oracle.met_at(point(0.5))
    assert (met.high, met.low, met.y.tolist()) == (0.7, 0.1, [0.7])
    assert oracle.spread_at(point(0.5)) == pytest.approx(0.6)


def test_failures_and_comparisons_of_several_x_are_not_remembered(driver):
    run = driver(lambda X, Y: np.where(Y[:, 0] > 0.5, np.nan, Y[:, 0]), 1, 1)
    ask(run, 0.5, 0.9, 0.8)
    run.run(run.inner.oracle.ask(np.full((2, 1), 0.5), point(0.3)))
    assert run.inner.oracle.met_at(point(0.5)) is None
    ask(run, 0.5, 0.9, 0.4)
    assert run.inner.oracle.met_at(point(0.5)).low == 0.4


def test_the_memory_of_x_is_bounded(run):
    for k in range(MOST_MET + 10):
        ask(run, k * 1e-4, 0.5)
    assert len(run.inner.oracle.met) == MOST_MET
    assert run.inner.oracle.met_at(point(0.0)) is None


def test_an_infinite_value_ends_the_attack_and_its_y_is_kept(driver):
    run = driver(lambda X, Y: np.where(Y[:, 0] > 0.5, np.inf, Y[:, 0]), 1, 1)
    with pytest.raises(Fatal):
        ask(run, 0.5, 0.1, 0.9)
    assert run.inner.oracle.met_at(point(0.5)).high == np.inf
    with pytest.raises(Fatal):
        ask(run, 0.4, 0.91)
    assert run.inner.oracle.fatal.tolist() == [[0.91]]  # in place of the one close by
    for y in np.linspace(0.55, 1.0, 2 * MOST_FATAL):
        with pytest.raises(Fatal):
            ask(run, 0.4, y)
    assert len(run.inner.oracle.fatal) == MOST_FATAL


def test_a_search_arrives_if_it_misses_by_less_than_a_thousandth_of_the_range():
    answer = Answer(point(0.5), point(1.0), 10.0)
    for value in (10.0, 9.9981, 9.9979):
        answer.note_search(value, spread=2.0)
    assert (answer.n_agreed, answer.n_searches) == (2, 3)


def test_a_refutation_clears_what_searches_said(run, incumbent):
    incumbent.settle(Answer(point(0.5), point(0.6), 0.6, n_searches=3, n_agreed=3))
    assert (run.task.agreement, run.task.settled) == (Agreement(3, 3), True)
    ask(run, 0.5, 0.9)
    incumbent.recommend()
    assert run.task.recommendation.fun == 0.9
    assert run.task.recommendation.y.tolist() == [0.9]
    assert run.task.agreement == Agreement(0, 0)


def test_a_rise_within_rounding_error_refutes_nothing(run, incumbent):
    incumbent.settle(Answer(point(0.5), point(0.6), 0.6, n_searches=3, n_agreed=2))
    ask(run, 0.5, 0.6 + 1e-12)
    incumbent.recommend()
    assert run.task.recommendation.fun == 0.6 + 1e-12
    assert run.task.agreement == Agreement(2, 3)


def test_what_a_descent_left_behind_leads_only_until_something_is_validated(run, incumbent):
    """It was hardly attacked: its value is low because nobody looked."""
    incumbent.report(point(0.2), point(0.6), 0.3)
    incumbent.report(point(0.3), point(0.6), 0.4)
    assert run.task.recommendation.fun == 0.3
    incumbent.settle(Answer(point(0.4), point(0.6), 0.5, n_searches=2, n_agreed=2))
    assert run.task.recommendation.fun == 0.5
    assert run.task.agreement == Agreement(2, 2)


def test_the_leader_is_chosen_after_what_is_known(run, incumbent):
    incumbent.settle(Answer(point(0.5), point(0.6), 0.6))
    incumbent.settle(Answer(point(0.7), point(0.7), 0.7))
    ask(run, 0.5, 0.8)
    incumbent.recommend()
    assert run.task.recommendation.x.tolist() == [0.7]


def test_a_provisional_answer_keeps_the_better_one_that_it_leaves(run, incumbent):
    incumbent.report(point(0.1), point(0.5), 0.5)
    incumbent.report(point(0.2), point(0.4), 0.4)
    assert run.task.recommendation.x.tolist() == [0.2]
    ask(run, 0.2, 0.9)
    incumbent.report(point(0.2), point(0.9), 0.9)
    assert run.task.recommendation.x.tolist() == [0.1]
    assert run.task.settled is False
    for k in range(10):
        incumbent.report(point(0.3 + 0.01 * k), point(0.9), 0.9)
    assert run.task.recommendation.x.tolist() == [0.1]
    assert len(incumbent.passed) == MOST_PASSED


def test_an_x_that_fails_leads_only_if_nothing_else_is_known(driver):
    run = driver(lambda X, Y: np.where(Y[:, 0] > 0.5, np.inf, Y[:, 0]), 1, 1)
    incumbent = Incumbent(run.inner.oracle)
    incumbent.report(point(0.1), point(0.4), 0.4)
    with pytest.raises(Fatal):
        ask(run, 0.1, 0.9)
    incumbent.recommend()
    assert run.task.recommendation.fun == np.inf
    incumbent.settle(Answer(point(0.2), point(0.5), 100.0))
    assert run.task.recommendation.x.tolist() == [0.2]


def test_small_budgets_keep_more_for_the_closing_attacks(driver):
    def reserve(maxfev):
        return reserve_of(driver(height, 1, 2, maxfev=maxfev).task, 0.05)

    assert [reserve(n) for n in (1, 100, 1000, 4000, 10_000, 100_000)] == [0, 15, 150, 210, 500, 800]
    assert reserve_of(driver(height, 1, 2, maxfev=1000).task, 0.0) == 0


def test_a_run_that_is_cut_says_what_is_true_by_then(driver):
    """The first descent ends between the two cuts."""
    run = driver(lambda X, Y: ((X - 0.3) ** 2).sum(axis=1) - ((Y - 0.6) ** 2).sum(axis=1), 2, 2)
    search = Danskin().search(run.task)
    pairs = next(search)
    assert run.task.agreement == Agreement(0, 0)
    while run.task.n_used < 150:
        pairs = search.send(run.values(pairs))
    assert (run.task.agreement, run.task.settled) == (Agreement(0, 0), False)
    while run.task.n_used < 1000:
        pairs = search.send(run.values(pairs))
    assert run.task.agreement.n_agreed == run.task.agreement.n_searches >= 2
    assert run.task.settled


@pytest.mark.parametrize("maxfev", [30, 75])
def test_no_agreement_without_a_completed_search(maxfev):
    """At these budgets nothing but parts of attacks can be made; a refutation is no agreement."""
    for seed in range(5):
        result = minimax(tilted_bowl, X_BOUNDS, [(-7.0, -2.0)] * 4, maxfev=maxfev, method=Danskin(), rng=seed)
        assert result.agreement is None
