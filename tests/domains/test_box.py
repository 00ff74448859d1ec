import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds

from reckless.domains.box import Box
from reckless.errors import InvalidArgument

finite = st.floats(-1e12, 1e12)


@pytest.mark.parametrize(
    "bounds",
    [
        [(1, 4), (-7, -2)],
        ((1.0, 4.0), (-7.0, -2.0)),
        np.array([[1, 4], [-7, -2]]),
        Bounds([1, -7], [4, -2]),
    ],
)
def test_every_form_of_scipy_bounds_gives_the_same_box(bounds):
    box = Box(bounds, "x_bounds")
    assert box.n == 2
    assert box.lower.tolist() == [1.0, -7.0]
    assert box.upper.tolist() == [4.0, -2.0]


def test_scalar_sides_of_bounds_are_spread_over_the_coordinates():
    box = Box(Bounds(0.5, [2.0, 3.0]), "x_bounds")
    assert box.lower.tolist() == [0.5, 0.5]


@given(low=finite, width=st.floats(1e-9, 1e12), u=st.floats(0, 1))
def test_zero_and_one_are_the_bounds_exactly_and_all_between_is_inside(low, width, u):
    high = low + width
    if not low < high:
        return
    box = Box([(low, high)], "x_bounds")
    assert box.from_unit(np.array([0.0]))[0] == low
    assert box.from_unit(np.array([1.0]))[0] == high
    assert low <= box.from_unit(np.array([u]))[0] <= high


def test_points_become_rows_and_one_point_is_repeated():
    box = Box([(1, 4), (-7, -2)], "x_bounds")
    points = np.array([[0.5, 0.2], [0.0, 1.0], [0.3, 0.3]])
    assert box.rows(points, 2).tolist() == [[2.5, -6.0], [1.0, -2.0]]
    assert box.rows(points[0], 3).tolist() == [[2.5, -6.0]] * 3
    assert box.from_unit(points[1]).tolist() == [1.0, -2.0]


def test_later_changes_of_the_users_array_do_not_reach_the_box():
    bounds = np.array([[1.0, 4.0]])
    box = Box(bounds, "x_bounds")
    bounds[0, 0] = 3.0
    assert box.lower[0] == 1.0


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ([(4, 1)], "index 0 has lower=4.0 and upper=1.0. Did you swap them?"),
        ([(0, 1), (2, 2)], "index 1 has lower=2.0 and upper=2.0. Fix this coordinate"),
        ([(0, np.inf)], "must be finite numbers, but index 0"),
        ([(np.nan, 1)], "must be finite numbers, but index 0 has lower=nan"),
        ([(-1.7e308, 1.7e308)], "must be finite numbers"),
        ((0, 1), r"one bare pair. Did you mean \[\(0, 1\)\]"),
        ([(0, 1, 2)], r"shape \(1, 3\)"),
        ([], r"shape \(0,\)"),
        ("0:1", "expected a sequence of"),
        (None, "expected a sequence of"),
        ([(0, "a")], "expected a sequence of"),
        (Bounds([], []), "at least one coordinate"),
    ],
)
def test_bad_bounds_are_refused_in_a_sentence_that_names_the_argument(bounds, words):
    with pytest.raises(InvalidArgument, match=f"^y_bounds: .*{words}"):
        Box(bounds, "y_bounds")
