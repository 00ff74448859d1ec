"""When searches that begin anew have gained nothing for long enough."""

import numpy as np
import pytest

from reckless.core.task import Budget, Task
from reckless.methods.convergence import Convergence, effort, range_of

X, FAR = np.array([0.3, 0.6]), np.array([0.4, 0.6])


@pytest.fixture
def rest():
    """A run whose first search ended at 5.0 after 100 evaluations; f has a range of 10."""
    task = Task(2, 1, Budget(10_000), np.random.default_rng(0), tol=1e-3)
    rest = Convergence(task, range=10.0)
    spend(rest, 100)
    rest.follow(5.0)
    return rest


def spend(rest, n):
    rest.task.budget.count(n)


def test_one_search_from_elsewhere_suffices_where_both_ended_at_one_value(rest):
    assert not rest.is_done
    rest.note(5.0, 5.009)
    assert rest.is_done


def test_a_search_that_found_no_place_to_begin_counts_as_one(rest):
    rest.note(5.0, None)
    assert rest.is_done


def test_without_a_tolerance_no_search_is_the_last(rest):
    rest.task.tol = None
    rest.note(5.0, 5.0)
    assert not rest.is_done


def test_a_gain_begins_the_count_anew_unless_it_is_smaller_than_the_tolerance(rest):
    rest.note(4.995, 4.995)
    assert rest.is_done
    spend(rest, 50)
    rest.note(4.98, 4.98)
    assert not rest.is_done
    assert (rest.n_gained, rest.n_since, rest.n_other) == (150, 0, 1)


def test_where_searches_ended_at_several_values_more_of_them_and_more_evaluations_are_asked_for(rest):
    for _ in range(effort.n_several):
        rest.note(5.0, 7.0)
        assert not rest.is_done
    spend(rest, 99)
    assert not rest.is_done
    spend(rest, 101)
    assert rest.is_done  # twice the 100 evaluations of the last gain have passed


def test_a_worst_case_that_rises_begins_the_count_anew_and_is_no_other_minimum(rest):
    assert rest.follow(5.5)
    assert (rest.n_since, rest.n_other) == (0, 0)


def test_a_method_that_has_learned_f_everywhere_counts_as_a_search():
    task = Task(2, 1, Budget(10_000), np.random.default_rng(0), tol=1e-3, is_known=True)
    rest = Convergence(task, range=10.0)
    rest.follow(5.0)
    assert rest.is_done
    rest.conclude(7)
    assert task.converged == (
        "Converged at evaluation 0: the surrogate foretells every value within tol = 0.001 of the range of f, and a "
        "descent came to rest at its answer; 7 evaluations that attacked the answer found no worse y."
    )


@pytest.mark.parametrize(
    ("x", "value", "arrived"),
    [(X, 5.001, True), (X + 0.005, 4.995, True), (FAR, 5.0, False), (X, 5.1, False), (X, 4.9, False)],
)
def test_a_search_has_arrived_that_is_near_the_best_x_and_neither_higher_nor_lower(rest, x, value, arrived):
    rest.is_away = True
    assert rest.has_arrived(x, value, X, 5.0) == arrived


def test_a_search_that_began_at_the_best_x_does_not_arrive_there(rest):
    assert not rest.has_arrived(X, 5.0, X, 5.0)


def test_a_search_that_is_not_the_last_one_needed_is_not_stopped(rest):
    rest.note(4.0, 4.0)
    rest.is_away = True
    assert not rest.has_arrived(X, 4.0, X, 4.0)


def test_the_range_of_values_is_that_of_their_lower_half():
    assert range_of(np.array([1.0, 2.0, 3.0, 1e9, np.nan])) == 1.0
    assert range_of(np.array([np.nan])) == 0.0


def test_the_words_say_where_searches_ended(rest):
    rest.note(5.0, 5.0)
    rest.conclude(0)
    assert rest.task.converged == (
        "Converged at evaluation 100: 2 searches from different starts ended at one value, within tol = 0.001 of the "
        "range of f."
    )
    rest.note(5.0, 8.0)
    rest.conclude(30)
    assert rest.task.converged == (
        "Converged at evaluation 100: searches ended at several values, but the last 2 gained no more than tol = 0.001 "
        "of the range of f; 30 evaluations that attacked the answer found no worse y."
    )
