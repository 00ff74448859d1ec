"""What was evaluated, and what it says about each x."""

import numpy as np
import pytest

from reckless.methods.surrogate.archive import Archive

A, B, C = [0.1, 0.9], [0.4, 0.2], [0.8, 0.3]


@pytest.fixture
def archive():
    found = Archive(2, 1)
    found.add(np.array([B, A, B]), np.array([[0.1], [0.2], [0.3]]), np.array([3.0, -1.0, 7.0]))
    found.add(np.array([A, C, C, B]), np.array([[0.4], [0.5], [0.6], [0.7]]), np.array([np.inf, np.nan, np.nan, 5.0]))
    return found


def test_places_have_the_highest_value_of_each_x_and_its_row(archive):
    places = archive.places()
    assert places.X.tolist() == [A, B]
    assert places.worst.tolist() == [np.inf, 7.0]
    assert places.rows.tolist() == [3, 2]
    assert places.counts.tolist() == [2, 3]


def test_an_archive_without_values_has_no_places():
    found = Archive(2, 1)
    assert len(found.places().X) == 0
    found.add(np.array([A]), np.array([[0.5]]), np.array([np.nan]))
    assert len(found.places().X) == 0


def test_failures_are_of_two_kinds(archive):
    assert archive.is_good.tolist() == [True, True, True, False, False, False, True]
    assert np.flatnonzero(archive.is_fatal).tolist() == [3]
    assert np.flatnonzero(archive.is_unknown).tolist() == [4, 5]


def test_the_highest_value_at_an_x_is_minus_infinity_where_nothing_is_known(archive):
    assert [archive.highest_at(np.array(x)) for x in (A, B, C, [0.0, 0.0])] == [np.inf, 7.0, -np.inf, -np.inf]


def test_a_pair_next_to_an_evaluated_one_is_there(archive):
    assert archive.has(np.array(B), np.array([0.3]))
    assert archive.has(np.array(B) + 5e-8, np.array([0.3 - 5e-8]))
    assert not archive.has(np.array(B) + 2e-7, np.array([0.3]))
    assert not archive.has(np.array(B), np.array([0.2]))
    assert archive.has(np.array(B) + 2e-7, np.array([0.3]), gap=1e-6)


def test_pairs_are_in_the_order_in_which_they_came(archive):
    assert archive.Q[:, 2].tolist() == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    assert np.flatnonzero(archive.at(np.array(B))).tolist() == [0, 2, 6]


def test_a_copy_learns_alone(archive):
    other = archive.copy()
    other.add(np.array([C]), np.array([[0.9]]), np.array([2.0]))
    assert len(archive.v) == 7
    assert other.highest_at(np.array(C)) == 2.0
