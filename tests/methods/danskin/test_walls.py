"""The plane between x and the points that failed."""

import numpy as np
import pytest

from reckless.methods.danskin.jumps import add_wall, walled
from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.step import Cuts, room_in_box, solve_cuts

X = np.array([0.4, 0.6])
CUTS = Cuts(np.array([2.0]), np.array([[1.0, 0.5]]), np.zeros((2, 2)))


def a_place(*failed, radius=0.2):
    place = Place(X, [Peak(np.array([0.5]), 2.0)], radius)
    for z in failed:
        add_wall(place, np.array(z))
    return place


def test_without_failures_the_cuts_stay():
    assert walled(a_place(), CUTS) is CUTS


def test_a_step_goes_halfway_to_a_point_that_failed():
    """It failed 0.1 to the left; the step may go 0.05 there, less what a steep cut takes, and on along the wall."""
    step = solve_cuts(walled(a_place([0.3, 0.6]), CUTS), room_in_box(X), 0.2)
    assert step.d.tolist() == pytest.approx([-0.0475, -0.2], abs=1e-4)


def test_points_that_failed_tell_the_direction_of_the_wall():
    """x1 + x2 < 0.9 fails: the wall is 0.1 away along the first axis and 0.1 along the second."""
    step = solve_cuts(walled(a_place([0.3, 0.6], [0.4, 0.5]), CUTS), room_in_box(X), 0.2)
    assert step.d.sum() == pytest.approx(-0.048, abs=1e-3)
    assert step.d[0] == pytest.approx(-0.2, abs=1e-6)  # the steeper slope


def test_far_failures_and_failures_all_around_make_no_wall():
    assert walled(a_place([0.3, 0.6], radius=0.04), CUTS) is CUTS
    around = a_place([0.3, 0.6], [0.5, 0.6], [0.4, 0.7], [0.4, 0.5])
    assert walled(around, CUTS) is CUTS


def test_failures_are_kept_up_to_a_number():
    place = a_place(*([0.3, 0.001 * k] for k in range(80)))
    assert len(place.failed) == 50
    assert place.failed[-1].tolist() == [0.3, 0.079]
