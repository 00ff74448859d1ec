"""Boxes: every form of bounds, the three kinds of coordinates, names, and the way back to the cube."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds

from reckless.domains.bounds import KINDS
from reckless.domains.box import Box
from reckless.errors import InvalidArgument
from reckless.evaluation.fingerprint import fingerprint

finite = st.floats(-1e12, 1e12)
unit = st.floats(0.0, 1.0)
GEAR = {"gain": (0.1, 10.0, "log"), "teeth": (8, 40, "int"), "angle": (-30.0, -7.5)}


@pytest.mark.parametrize(
    "bounds",
    [
        [(1, 4), (-7, -2)],
        ((1.0, 4.0), (-7.0, -2.0)),
        [(1, 4, "linear"), [-7, -2]],
        {"a": (1, 4), "b": (-7, -2)},
        np.array([[1, 4], [-7, -2]]),
        Bounds([1, -7], [4, -2]),
        Box([(1, 4), (-7, -2)]),
    ],
)
def test_every_form_of_bounds_gives_the_same_box(bounds):
    box = Box(bounds)
    assert box.n == box.n_out == 2
    assert box.lower.tolist() == [1.0, -7.0]
    assert box.upper.tolist() == [4.0, -2.0]
    assert box.kinds == ("linear", "linear")


def test_scalar_sides_of_bounds_are_spread_over_the_coordinates():
    box = Box(Bounds(0.5, [2.0, 3.0]))
    assert box.lower.tolist() == [0.5, 0.5]


def test_a_mapping_gives_names_and_a_third_entry_the_kind():
    box = Box(GEAR)
    assert box.names == ("gain", "teeth", "angle")
    assert box.kinds == ("log", "int", "linear")
    assert Box(list(GEAR.values())).names == ()
    assert Box(box, "x_bounds", [False, False, True]).kinds == ("log", "int", "int")
    assert Box(box, "x_bounds", [False, False, True]).names == box.names
    assert repr(box) == "Box({'gain': (0.1, 10.0, 'log'), 'teeth': (8.0, 40.0, 'int'), 'angle': (-30.0, -7.5)})"
    assert repr(Box([(1, 4)])) == "Box([(1.0, 4.0)])"


@given(low=finite, width=st.floats(1e-9, 1e12), u=unit)
def test_zero_and_one_are_the_bounds_exactly_and_all_between_is_inside(low, width, u):
    high = low + width
    if not low < high:
        return
    box = Box([(low, high)])
    assert box.from_unit(np.array([0.0]))[0] == low
    assert box.from_unit(np.array([1.0]))[0] == high
    assert low <= box.from_unit(np.array([u]))[0] <= high


@given(low=st.floats(1e-300, 1e290), factor=st.floats(1.0 + 1e-9, 1e12), u=unit)
def test_a_logarithmic_coordinate_reaches_its_bounds_exactly_and_has_equal_ratios_between(low, factor, u):
    high = low * factor
    box = Box([(low, high, "log")])
    assert box.from_unit(np.array([0.0]))[0] == low
    assert box.from_unit(np.array([1.0]))[0] == high
    value = box.from_unit(np.array([u]))[0]
    assert low <= value <= high
    assert np.log(value) == pytest.approx(np.log(low) + u * (np.log(high) - np.log(low)), rel=1e-13, abs=1e-13)


def test_a_logarithmic_coordinate_may_span_all_numbers():
    rows = Box([(1e-300, 1e300, "log")]).rows(np.array([[0.25], [0.5], [0.75]]), 3)
    np.testing.assert_allclose(rows[:, 0], [1e-150, 1.0, 1e150], rtol=1e-11)


@given(low=st.floats(-50, 50), width=st.floats(1.0, 40.0), u=unit)
def test_integer_coordinates_are_the_integers_between_the_bounds(low, width, u):
    box = Box([(low, low + width, "int"), (0.5, 2.0)])
    row = box.from_unit(np.array([u, u]))
    lowest, highest = np.ceil(low), np.floor(low + width)
    n_values = highest - lowest + 1.0
    assert row[0] == lowest + min(np.floor(u * n_values), n_values - 1.0)
    assert row[1] == Box([(0.5, 2.0)]).from_unit(np.array([u]))[0]
    assert (box.lower[0], box.upper[0]) == (lowest, highest)
    assert box.from_unit(np.zeros(2))[0] == lowest
    assert box.from_unit(np.ones(2))[0] == highest
    assert np.array_equal(Box([(low, low + width), (0.5, 2.0)], "x_bounds", [1, 0]).edges, box.edges)


def test_every_integer_has_an_equal_share_and_the_order_is_kept():
    box = Box([(-2.5, 3.5, "int")])
    values = box.rows((np.arange(600)[:, None] + 0.5) / 600, 600)[:, 0]
    assert np.unique(values, return_counts=True)[1].tolist() == [100] * 6
    assert np.all(np.diff(values) >= 0.0)
    assert Box([(1.5, 2.5, "int")]).rows(np.array([[0.0], [1.0]]), 2).tolist() == [[2.0], [2.0]]


@st.composite
def points_of_boxes(draw):
    """A lopsided box of up to six coordinates of any kind, none of which holds zero, and points of it."""
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=6))
    lower = [draw(st.floats(0.5, 900.0)) for _ in kinds]
    upper = [low + draw(st.floats(1.0, 1e4)) for low in lower]
    signs = [1.0 if kind == "log" else draw(st.sampled_from([1.0, -1.0])) for kind in kinds]
    sides = [
        (low, high, kind) if sign > 0.0 else (-high, -low, kind)
        for low, high, kind, sign in zip(lower, upper, kinds, signs, strict=True)
    ]
    U = [draw(st.lists(st.sampled_from([0.0, 1.0]) | unit, min_size=len(kinds), max_size=len(kinds))) for _ in range(3)]
    return Box(sides), np.array(U)


@given(points_of_boxes())
def test_points_survive_the_way_to_the_cube_and_back(drawn):
    box, U = drawn
    rows = box.rows(U, len(U))
    back = box.to_unit(rows)
    assert back.shape == U.shape
    assert np.all((back >= 0.0) & (back <= 1.0))
    again = box.rows(back, len(U))
    np.testing.assert_allclose(again, rows, rtol=1e-13)
    is_exact = (np.array(box.kinds) == "int") | (rows == box.lower) | (rows == box.upper)
    assert np.array_equal(again[is_exact], rows[is_exact])


def test_points_beside_the_box_go_to_the_nearest_of_it():
    box = Box(GEAR)
    rows = box.rows(box.to_unit(np.array([[0.01, 8.4, 0.0], [99.0, 41.0, -90.0]])), 2)
    assert rows.tolist() == [[0.1, 8.0, -7.5], [10.0, 40.0, -30.0]]


def test_points_become_rows_and_one_point_is_repeated():
    box = Box([(1, 4), (-7, -2), (1, 100, "log"), (3, 5, "int")])
    points = np.array([[0.5, 0.2, 0.0, 0.5], [0.0, 1.0, 1.0, 1.0], [0.3, 0.3, 0.3, 0.3]])
    assert box.rows(points, 2).tolist() == [[2.5, -6.0, 1.0, 4.0], [1.0, -2.0, 100.0, 5.0]]
    assert box.rows(points[0], 3).tolist() == [[2.5, -6.0, 1.0, 4.0]] * 3
    assert np.array_equal(box.rows(points[2], 1), box.rows(points[2:], 1))


def test_lines_follow_the_kind_and_bear_the_name():
    gain, teeth, angle = Box(GEAR).paths(np.array([1.0, 9.0, -20.0]), 5, 3)
    assert [gain.label, teeth.label, angle.label] == ["gain", "teeth", "angle"]
    np.testing.assert_allclose(np.diff(np.log10(gain.at)), 0.5)
    assert teeth.at.tolist() == [8.0, 9.0, 16.0, 24.0, 32.0, 40.0]
    assert teeth.here == 9.0
    assert angle.at[[0, -1]].tolist() == [-30.0, -7.5]
    assert [line.label for line in Box([(1, 4), (-7, -2)]).paths(np.array([2.0, -3.0]), 5, 2)] == ["y[0]", "y[1]"]


def test_boxes_of_other_kinds_or_names_are_other_boxes_to_a_journal():
    bounds = [(2.0, 9.0)], [(2.0, 9.0, "log")], [(2.0, 9.0, "int")], [(2.5, 9.0)], {"load": (2.0, 9.0)}
    assert len({fingerprint((Box(sides), Box([(1, 4)]))) for sides in bounds}) == 5
    assert fingerprint(Box([(2.0, 9.0)])) == fingerprint(Box([(2, 9, "linear")]))


def test_later_changes_of_the_users_array_do_not_reach_the_box():
    bounds = np.array([[1.0, 4.0]])
    box = Box(bounds)
    bounds[0, 0] = 3.0
    assert box.lower[0] == 1.0


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ([(4, 1)], "index 0 has lower=4.0 and upper=1.0. Did you swap them?"),
        ([(4, 1, "int")], "index 0 has lower=4.0 and upper=1.0. Did you swap them?"),
        ([(0, 1), (2, 2)], "index 1 has lower=2.0 and upper=2.0. To fix it, write {'fixed': 2.0} for"),
        ([(0, np.inf)], r"must be finite: \(0, inf\) is open above \(index 0\)"),
        ([(1, 4), (0, None)], r"must be finite: \(0, None\) is open above \(index 1\)"),
        ([(None, None)], r"\(None, None\) is open below and above"),
        (Bounds([-np.inf], [3.0]), r"\(-inf, 3.0\) is open below"),
        ({"gain": (None, 4, "int")}, r"\(None, 4\) is open below"),
        ([(np.nan, 1)], r"must be finite: \(nan, 1\) is no pair of finite numbers"),
        ([(-1.7e308, 1.7e308)], "must be less than 1.8e308 apart, but index 0 has lower=-1.7e"),
        ([(0, 10**400)], "must be finite: .* is no pair of finite numbers"),
        ({(0, 1), (2, 9)}, "expected a sequence of"),  # a set has no order
        ([("0", "1")], "expected a sequence of"),
        ((0, 1), r"one bare pair. Did you mean \[\(0, 1\)\]"),
        ([(0, 1, 2)], r"shape \(1, 3\)"),
        ([(0, 1), (1, 9, "integer")], "one of linear, log, int, but index 1 has 'integer'. For example"),
        ([(1, 4), (0, 9, "log")], "logarithmic coordinate must have bounds above 0, but index 1 has lower=0.0"),
        ([(1.2, 1.8, "int")], "coordinate 0 is to be an integer, but index 0 has lower=1.2 and upper=1.8"),
        ({"gain": (4, 1)}, "Did you swap them?"),
        ({3: (1, 4)}, "name of a coordinate must be a text, short and printable, but one is 3"),
        ({}, r"shape \(0,\)"),
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


@pytest.mark.parametrize(
    "bounds",
    [
        ([0, 1], [5, 9]),
        (np.array([0.0, 1.0]), np.array([5.0, 9.0])),
        ([0, 1], np.array([5.0, 9.0])),
        [np.array([0.0, 1.0]), np.array([5.0, 9.0])],
    ],
    ids=str,
)
def test_two_vectors_that_may_be_lows_and_highs_are_asked_back(bounds):
    words = (
        r"two vectors, .* Write \[\(0.0, 1.0\), \(5.0, 9.0\)\] .* scipy.optimize.Bounds\(\[0.0, 1.0\], \[5.0, 9.0\]\)"
    )
    with pytest.raises(InvalidArgument, match=f"^x_bounds: expected a list of .low, high. pairs, but got {words}"):
        Box(bounds, "x_bounds")


@pytest.mark.parametrize(
    "bounds",
    [[[0, 1], [5, 9]], ((0, 1), (5, 9)), [(0, 1), (5, 9)], np.array([[0, 1], [5, 9]]), ([0, 1, "linear"], [5, 9])],
    ids=str,
)
def test_pairs_that_are_no_vectors_are_pairs(bounds):
    box = Box(bounds)
    assert (box.lower.tolist(), box.upper.tolist()) == ([0.0, 5.0], [1.0, 9.0])


def test_two_rows_of_another_length_are_lows_and_highs_or_cases():
    for bounds in (([0, 1, 2], [5, 9, 8]), [[0, 1, 2], [5, 9, 8]], np.zeros((2, 5)), [np.zeros(1), np.ones(1)]):
        with pytest.raises(
            InvalidArgument, match=r"shape \(2, .\). Did you mean scipy.optimize.Bounds\(lows, highs\), or"
        ):
            Box(bounds)


@pytest.mark.parametrize(
    "rows",
    [
        [[12.0, 0.3, 5.0], [7.5, 0.9, 4.0], [3.0, 2.0, 1.0]],
        np.ones((5, 4)),
        [[1.0], [2.0], [3.0]],
        [1.0, 2.0, 3.0],
        [[12.0, 0.3], [7.5, 0.9], [3.0, 2.0]],
        np.array([[0.3, 12.0], [2.0, 2.0]]),
    ],
    ids=str,
)
def test_a_table_of_cases_is_asked_back(rows):
    with pytest.raises(InvalidArgument, match=r"^y_bounds: .* If the rows are cases, did you mean reckless.Scenarios"):
        Box(rows, "y_bounds")


def test_bounds_that_are_no_table_are_not_called_cases():
    for bounds in ([(4, 1)], {"gain": (4, 1), "teeth": (3, 8)}, Bounds([4, 3], [1, 8]), [(4, 1, "linear"), (3, 8)]):
        with pytest.raises(InvalidArgument, match=r"Did you swap them\?$"):
            Box(bounds)


MASKED = np.ma.array([[0.0, 1.0], [5.0, 9.0]], mask=[[0, 0], [0, 1]])


@pytest.mark.parametrize("bounds", [MASKED, list(MASKED), [(0.0, np.ma.masked)]], ids=["array", "rows", "number"])
def test_masked_bounds_are_refused(bounds):
    with pytest.raises(InvalidArgument, match="^x_bounds: expected a sequence of"):
        Box(bounds, "x_bounds")


@pytest.mark.parametrize(
    ("bounds", "integrality", "words"),
    [
        ([(1.2, 1.8)], True, "^x_bounds: coordinate 0 is to be an integer"),
        ([(1, 8)], [True, False], "^x_integrality: expected True or False, or 1"),
        ([(1, 8)] * 2, [[1], [1, 0]], "^x_integrality: expected True or False"),
        ([(1, 8)], "yes", "^x_integrality: expected True or False"),
        ([(1, 8), (1, 8, "log")], True, "^x_bounds: .* index 1 is to be both"),
    ],
)
def test_bad_integrality_is_refused_in_a_sentence(bounds, integrality, words):
    with pytest.raises(InvalidArgument, match=words):
        Box(bounds, "x_bounds", integrality)
