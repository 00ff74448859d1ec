"""Which answer is recommended, and how far it can be trusted."""

import numpy as np
import pytest

from reckless import minimax
from reckless.core.task import Agreement, Budget, Task
from reckless.methods.danskin.incumbent import Answer, Incumbent, answer_at
from reckless.methods.danskin.method import challenge_leader, handover, improve
from reckless.methods.danskin.oracle import Oracle
from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.place import Place, tidied


def a_place(x, value, y=0.5, radius=0.1):
    return Place(np.array([x]), [Peak(np.array([y]), value)], radius)


@pytest.fixture
def incumbent():
    return Incumbent(Task(1, 1, Budget(1000), np.random.default_rng(0)))


def test_the_lowest_of_ends_and_the_current_descent_leads(incumbent):
    incumbent.end(Answer(a_place(0.2, 3.0), 3.0, np.array([0.5]), 4, 2))
    incumbent.report(a_place(0.7, 5.0))
    assert incumbent.task.recommendation.x.tolist() == [0.2]
    assert incumbent.task.agreement == Agreement(2, 4)
    assert incumbent.task.settled
    incumbent.report(a_place(0.6, 2.0))
    assert incumbent.task.recommendation.x.tolist() == [0.6]
    assert incumbent.task.agreement == Agreement(0, 0)
    assert not incumbent.task.settled
    assert incumbent.value == 3.0  # what survived its attacks


def test_a_refuted_answer_loses_what_searches_said(incumbent):
    answer = Answer(a_place(0.2, 3.0), 3.0, np.array([0.5]), 4, 2)
    incumbent.end(answer)
    incumbent.end(Answer(a_place(0.9, 3.5), 3.5, np.array([0.5]), 1, 1))
    answer.refute(np.array([0.8]), 4.0)
    incumbent.recommend()
    assert incumbent.task.recommendation.x.tolist() == [0.9]
    assert (answer.n_searches, answer.n_agreed) == (0, 0)


def test_a_descent_in_progress_leads_at_the_end_only_if_it_is_clearly_lower(incumbent):
    incumbent.end(Answer(a_place(0.2, 3.0), 3.0, np.array([0.5]), 4, 2))
    incumbent.report(a_place(0.6, 2.9))
    incumbent.settle(1e-3)
    assert incumbent.task.recommendation.x.tolist() == [0.6]
    incumbent.settle(0.2)
    assert incumbent.task.recommendation.x.tolist() == [0.2]
    assert incumbent.task.agreement == Agreement(2, 4)


def test_a_descent_that_no_search_attacked_loses_to_an_answer_that_withstood(incumbent):
    incumbent.report(a_place(0.6, 2.0))
    incumbent.fall_back()
    assert incumbent.task.recommendation.x.tolist() == [0.6]
    incumbent.end(Answer(a_place(0.2, 3.0), 3.0, np.array([0.5]), 2, 2))
    incumbent.report(a_place(0.6, 2.0))
    incumbent.current.n_searches = 1
    incumbent.fall_back()
    assert incumbent.task.recommendation.x.tolist() == [0.6]
    incumbent.report(a_place(0.6, 2.0))
    incumbent.fall_back()
    assert incumbent.task.recommendation.x.tolist() == [0.2]
    assert incumbent.task.settled


def test_no_more_than_twenty_ends_are_kept(incumbent):
    for k in range(30):
        incumbent.end(answer_at(a_place(0.01 * k, 30.0 - k)))
    assert [answer.value for answer in incumbent.ends] == list(range(1, 21))


def test_the_trail_holds_every_x_of_the_current_descent_once(incumbent):
    first, second = a_place(0.2, 3.0), a_place(0.3, 2.0)
    for place in (first, first, second):
        incumbent.report(place)
    assert incumbent.trail == [first, second]
    incumbent.end(answer_at(second))
    assert incumbent.trail == []


def test_a_place_is_behind_if_its_worst_case_can_only_be_higher(incumbent):
    incumbent.end(answer_at(a_place(0.2, 3.0)))
    assert incumbent.is_ahead_of(a_place(0.4, 3.0 - 1e-7), 1e-6)
    assert not incumbent.is_ahead_of(a_place(0.4, 2.9), 1e-6)


def test_an_answer_that_was_not_attacked_does_not_replace_an_equal_one(driver):
    run = driver(twin, 1, 1)
    incumbent = Incumbent(run.task)
    incumbent.end(Answer(a_place(0.8, 1.0, y=0.9), 1.0, np.array([0.9]), 5, 5))
    run.run(challenge_leader(run.oracle, incumbent, a_place(0.81, 1.0 - 1e-12, y=0.9)))
    incumbent.recommend()
    assert run.task.agreement == Agreement(5, 5)
    assert len(incumbent.ends) == 1


def twin(X, Y):
    """x = 0.2 looks best until y = 0.9 is known; x = 0.8 is, with a worst case of 1."""
    at_low = 0.5 + 4.0 * (Y[:, 0] > 0.85)
    return np.where(X[:, 0] < 0.5, at_low, 1.0 - (Y[:, 0] - 0.9) ** 2)


def test_a_leader_must_withstand_the_maximizers_of_later_descents(driver):
    run = driver(twin, 1, 1)
    incumbent = Incumbent(run.task)
    incumbent.end(Answer(a_place(0.2, 0.5, y=0.3), 0.5, np.array([0.3]), 5, 5))
    later = a_place(0.8, 1.0, y=0.9)
    refuted = run.run(challenge_leader(run.oracle, incumbent, later))
    assert refuted.x.tolist() == [0.2]
    assert refuted.F == 4.5
    assert [answer.value for answer in incumbent.ends] == [1.0]
    assert run.task.n_used == 1


def test_a_leader_that_withstands_stays(driver):
    run = driver(twin, 1, 1)
    incumbent = Incumbent(run.task)
    incumbent.end(Answer(a_place(0.8, 1.0, y=0.9), 1.0, np.array([0.9]), 5, 5))
    assert run.run(challenge_leader(run.oracle, incumbent, a_place(0.7, 1.1, y=0.2))) is None
    assert incumbent.leader.place.x.tolist() == [0.8]
    assert len(incumbent.ends) == 2


def test_an_answer_that_is_refuted_is_improved(driver):
    """A bowl in x for y = 0, another for y = 1: the descent that knows one of them ends where both are equal."""

    def bowls(X, Y):
        return (X[:, 0] - 0.3) ** 2 * (1 - Y[:, 0]) + (X[:, 0] - 0.9) ** 2 * Y[:, 0] - 3 * Y[:, 0] * (1 - Y[:, 0])

    run = driver(bowls, 1, 1, seed=2)
    incumbent = Incumbent(run.task)
    run.run(improve(run.oracle, incumbent, a_place(0.35, run.value([0.35], [0.0]), y=0.0)))
    assert incumbent.leader.place.x.tolist() == pytest.approx([0.6], abs=1e-6)
    assert incumbent.leader.is_settled


def test_a_handover_holds_the_leader_its_peaks_and_a_radius_that_can_move(incumbent):
    assert handover(incumbent) is None
    place = a_place(0.2, 3.0, radius=1e-8)
    place.peaks.append(Peak(np.array([0.9]), 2.5, gx=np.ones(1)))
    incumbent.end(answer_at(place))
    starts = handover(incumbent)
    assert starts.x.tolist() == [[0.2]]
    assert starts.values.tolist() == [3.0]
    assert starts.y.tolist() == [[0.5], [0.9]]
    assert starts.peaks[1].gx.tolist() == [1.0]
    assert starts.radius == 0.02
    incumbent.end(answer_at(a_place(0.3, 1.0, radius=0.25)))
    assert handover(incumbent).radius == 0.25


def test_peaks_that_are_one_or_idle_are_left_behind():
    """Of two that are closer than 0.005 the higher stays; an idle one is archived, a fixed one forgotten."""
    oracle = Oracle(Task(1, 1, Budget(1000), np.random.default_rng(0)), 1000)
    peaks = [Peak(np.array([0.5]), 3.0, weight=1.0), Peak(np.array([0.503]), 2.9)]
    peaks += [Peak(np.array([0.1]), 1.0, n_idle=4), Peak(np.array([0.9]), 1.0, n_idle=4, is_fixed=True)]
    peaks += [Peak(np.array([0.3]), 1.0, n_idle=3), Peak(np.array([0.7]), 2.95, n_idle=9)]
    kept = tidied(oracle, Place(np.array([0.5]), peaks, 0.3), predicted=0.1)
    assert sorted(float(peak.y[0]) for peak in kept.peaks) == [0.3, 0.5, 0.7]
    assert [y.tolist() for y in oracle.archive] == [[0.1]]
    assert kept.radius == 0.3


@pytest.mark.parametrize("seed", range(6))
def test_the_last_evaluations_void_no_search_for_a_difference_of_rounding(seed):
    """Both ends of y are as bad but for 1e-12; the evaluations left at the end may meet the other one."""
    result = minimax(
        lambda x, y: (x[0] - y[0]) ** 2 + 0.1 * x[1] ** 2 * y[0],
        [(0, 5), (-2, 2)],
        [(1, 3)],
        maxfev=1000,
        method="danskin",
        rng=seed,
    )
    assert result.success
    assert result.agreement.n_agreed >= 2
