"""Typed points that lie in their set, and those that do not."""

import numpy as np
import pytest

import reckless
from reckless.domains.inside import moved_inside
from reckless.errors import InvalidArgument

BOX = reckless.Box({"gain": (0.1, 10.0, "log"), "teeth": (8, 40, "int"), "angle": (20.0, 200.0 / 3.0)})
SHARES = np.array([0.9, *[0.1 / 99] * 99])


@pytest.mark.parametrize(
    ("domain", "x"),
    [
        (BOX, [0.1, 8, 20.0]),
        (BOX, [0.3, 40, 60.0]),
        (reckless.Ball([3.0, -1.0], 0.5), [3.3, -1.4]),
        (reckless.Ball([3.0, -1.0], 0.5), [3.0, -1.0]),
        (reckless.Simplex(3), [0.333333, 0.333333, 0.333333]),
        (reckless.Simplex(100), SHARES),
        (reckless.Scenarios([[1.0, 2.0], [3.0, 4.0]]), [3.0, 4.0]),
    ],
)
def test_a_design_in_its_set_stays_as_it_is(domain, x):
    assert moved_inside(np.array([x], dtype=float), domain, "--at").tolist() == [list(x)]


def test_a_design_that_rounding_took_out_is_moved_to_its_bound():
    assert moved_inside(np.array([[0.3, 9.0, 66.6667]]), BOX, "--at").tolist() == [[0.3, 9.0, 200.0 / 3.0]]


@pytest.mark.parametrize(
    ("domain", "x", "words"),
    [
        (BOX, [11.0, 9, 50.0], "'gain' is 11, outside of the numbers from 0.1 to 10"),
        (BOX, [0.3, 9.5, 50.0], "'teeth' is 9.5, outside of the integers from 8 to 40"),
        (reckless.Box([(1, 4), (2, 9)]), [2.0, 1.9], "coordinate 1 is 1.9, outside of the numbers from 2 to 9"),
        (reckless.Ball([3.0, -1.0], 0.5), [3.5, -1.5], "must lie in its set, Ball"),
        (reckless.Simplex(3), [0.5, 0.5, 0.5], "must lie in its set, Simplex"),
        (reckless.Simplex(3), [-0.5, 1.0, 0.5], "must lie in its set, Simplex"),
        (reckless.Simplex(3), [0.0, 0.0, 0.0], "must lie in its set, Simplex"),
        (reckless.Scenarios([[1.0, 2.0], [3.0, 4.0]]), [2.0, 3.0], "must lie in its set, Scenarios"),
    ],
)
def test_a_design_elsewhere_is_refused(domain, x, words):
    with pytest.raises(InvalidArgument, match=f"^--at: .*{words}"):
        moved_inside(np.array([x], dtype=float), domain, "--at")


def test_of_several_points_the_first_that_lies_elsewhere_is_named():
    with pytest.raises(InvalidArgument, match=r"^y0, row 1: y must lie within its bounds, but coordinate 0 is 5"):
        moved_inside(np.array([[2.0], [5.0], [6.0]]), reckless.Box([(1, 4)]), "y0", "y")
