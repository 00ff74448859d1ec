"""Names, units, choices and fixed values of coordinates."""

import copy
import pickle

import numpy as np
import pytest

import reckless
from reckless.domains.box import Box
from reckless.domains.inside import moved_inside
from reckless.domains.named import Named, names_of
from reckless.domains.reading import read_domain, read_edges
from reckless.errors import InvalidArgument, ScaleWarning
from reckless.methods.danskin.integers import units_of
from reckless.methods.surrogate.spaces import is_whole, space_of
from reckless.testing import check_domain

PARTS = {
    "R": {"range": (10, 1000), "scale": "log", "unit": "ohm"},
    "T": {"fixed": 293, "unit": "K"},
    "n": [2, 9, "int"],
    "C": {"choices": {"4n7": 4.7e-9, "1n": 1e-9, "2n2": 2.2e-9}},
    "metal": {"choices": ["steel", "brass"]},
    "gain": (0.5, 4.0),
}


def is_same(one, other):
    return repr(one) == repr(other) and np.array_equal(one.edges, other.edges)


def test_a_box_of_all_kinds_keeps_the_promises_of_a_set():
    check_domain(Box(PARTS))
    check_domain(Box([{"choices": [4.7, 1.2]}, (3, 8)]))


def test_fixed_values_are_in_the_points_but_take_no_room_in_the_cube():
    box = Box(PARTS)
    assert (box.n, box.n_out) == (5, 6)
    assert box.from_unit(np.array([1.0, 0.0, 0.99, 0.1, 1.0])).tolist() == [1000.0, 293.0, 2.0, 4.7e-9, 0.0, 4.0]
    assert box.from_unit(np.array([0.0, 1.0, 0.5, 0.9, 0.0])).tolist() == [10.0, 293.0, 9.0, 2.2e-9, 1.0, 0.5]


def test_a_box_says_what_its_coordinates_are():
    box = Box(PARTS)
    assert box.kinds == ("log", "fixed", "int", "choices", "choices", "linear")
    assert box.lower.tolist() == [10.0, 293.0, 2.0, 1e-9, 0.0, 0.5]
    assert box.upper.tolist() == [1000.0, 293.0, 9.0, 4.7e-9, 1.0, 4.0]
    assert box.units == ("ohm", "K", "", "", "", "")
    assert box.values(3) == [1e-9, 2.2e-9, 4.7e-9]


def test_the_repr_of_a_box_makes_the_same_box():
    box = Box(PARTS)
    assert is_same(eval(repr(box), {"Box": Box}), box)
    assert is_same(Box(box), box)
    assert is_same(pickle.loads(pickle.dumps(box)), box)


def test_integrality_counts_all_coordinates_and_spares_those_that_are_steps_already():
    box = Box([(1, 4), {"fixed": 2.5}, {"choices": [1.5, 2.5]}, (3.0, 9.0)], integrality=[True, False, False, False])
    assert box.kinds == ("int", "fixed", "choices", "linear")
    assert read_domain(Box(PARTS), "x_bounds", [False] * 5 + [True]).kinds[-1] == "int"


def test_choices_are_steps_of_one_unit_to_the_methods():
    box = Box(PARTS)
    assert units_of(box, 5).tolist() == [0.0, 1 / 8, 1 / 3, 1 / 2, 0.0]
    assert is_whole(space_of(box, 5)).tolist() == [False, True, True, True, False]


def test_one_choice_alone_is_fixed():
    assert Box([{"choices": [3.5]}, (1, 2)]).n == 1


def test_lines_run_along_what_is_not_fixed():
    box = Box(PARTS)
    lines = box.paths(box.from_unit(np.full(5, 0.3)), 9, 4)
    assert [line.label for line in lines] == ["R [ohm]", "n", "C", "metal"]
    assert lines[2].at.tolist() == [1e-9, 2.2e-9, 4.7e-9]
    assert lines[3].at.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("side", "words"),
    [
        ({}, "'a' must have one of range, choices and fixed, .* but has nothing"),
        ({"choice": [1, 2]}, "'a' must have one of range, .* but has choice. For example"),
        ({"range": (1, 2), "fixed": 3}, "must have one of range, choices and fixed, .* but has range, fixed"),
        ({"choices": [1, 2], "scale": "log"}, "but has choices, scale"),
        ({"range": 3}, "the range must be two numbers, as in .* but is 3"),
        ({"range": (1, 2), "scale": "cubic"}, "must be one of linear, log, int, but index 0 has 'cubic'"),
        ({"range": (1, 2), "scale": 3}, "must be one of linear, log, int, but index 0 has '3'"),
        ({"range": (4, 1)}, r"each lower bound must be below .* index 0 \(a\) has lower=4.0"),
        ({"range": (0, 1), "scale": "log"}, "a logarithmic coordinate must have bounds above 0"),
        ({"range": (1, 2), "unit": 3}, "the unit must be a text, .* but is 3"),
        ({"choices": []}, "choices must be different numbers, different words, or .* but are \\[\\]"),
        ({"choices": 3}, "choices must be different numbers, .* but are 3"),
        ({"choices": "abc"}, "choices must be different numbers, .* but are 'abc'"),
        ({"choices": [1, "two"]}, "choices must be different numbers"),
        ({"choices": [1, 1.0]}, "choices must be different numbers"),
        ({"choices": ["steel", "steel"]}, "choices must be different numbers"),
        ({"choices": {"one": 1, "uno": 1}}, "choices must be different numbers"),
        ({"choices": [1.0, np.inf]}, "choices must be different numbers"),
        ({"fixed": "cold"}, "fixed: expected a finite number, but got 'cold'"),
    ],
)
def test_a_coordinate_that_cannot_be_read_is_refused_in_a_sentence(side, words):
    with pytest.raises(InvalidArgument, match=f"^x_bounds: .*{words}") as caught:
        Box({"a": side, "b": (2, 9)}, "x_bounds")
    assert str(caught.value).count("\n") == 0


def test_a_mistake_among_coordinates_is_named_in_any_mapping():
    with pytest.raises(InvalidArgument, match="^y_bounds: 'b' must have one of range"):
        read_domain({"a": (1, 2), "b": {"choice": [1]}}, "y_bounds")


def test_something_must_be_free():
    with pytest.raises(InvalidArgument, match="^x_bounds: every coordinate is fixed"):
        Box({"T": {"fixed": 293}}, "x_bounds")


def test_typed_points_go_to_their_choices_and_others_are_refused_by_name():
    box = Box(PARTS)
    point = [47.0, 293.0, 3.0, 2.200001e-9, 1.0, 1.5]
    assert moved_inside(np.array([point]), box, "x0")[0, 3] == 2.2e-9
    for i, value, words in [
        (3, 3.3e-9, "x: 'C' must be one of its choices, 1n, 2n2, 4n7, but is 3.3e-09"),
        (1, 300.0, "x: 'T' is fixed at 293, but is 300"),
        (0, 5.0, "'R' is 5, outside of the numbers from 10 to 1000"),
    ]:
        with pytest.raises(InvalidArgument, match=words):
            moved_inside(np.array([[*point[:i], value, *point[i + 1 :]]]), box, "x0")


@pytest.mark.parametrize(
    ("spelled", "box"),
    [
        (["R=10:1000:log", "n=2:9:int"], {"R": (10, 1000, "log"), "n": (2, 9, "int")}),
        (["C=1e-9,2.2e-9", "T=293", "g=1:4"], {"C": {"choices": [1e-9, 2.2e-9]}, "T": {"fixed": 293}, "g": (1, 4)}),
        (["metal=steel,brass"], {"metal": {"choices": ["steel", "brass"]}}),
        (["1,2.2,4.7", "1:4"], [{"choices": [1, 2.2, 4.7]}, (1, 4)]),
        (
            ["R={range=[10, 50], unit='ohm'}", "n=[2, 9, 'int']"],
            {"R": {"range": (10, 50), "unit": "ohm"}, "n": (2, 9, "int")},
        ),
    ],
)
def test_the_command_line_spells_names_choices_and_fixed_values(spelled, box):
    assert is_same(read_edges(spelled, "--x"), Box(box))


@pytest.mark.parametrize(
    ("spelled", "words"),
    [
        (["R=1:4", "2:9"], "^--x: name all coordinates, .* or none of them"),
        (["R=1:4", "R=2:9"], "^--x: 'R' is given twice"),
        (["R=1:4:cubic"], "^--x R: expected LOW:HIGH"),
        (["R=wide", "n=1:2"], "^--x R: expected LOW:HIGH"),
        (["R={rang=[1, 2]}"], "^--x: "),
        (["R={", "n=1:2"], "^--x: expected a set as in a problem file"),
        (["C=1,1"], "^--x: 'C': choices must be different"),
    ],
)
def test_a_mistake_on_the_command_line_gets_a_sentence(spelled, words):
    with pytest.raises(InvalidArgument, match=words):
        read_edges(spelled, "--x")


@pytest.mark.parametrize("bounds", [[(0.001, 9.0)], {"a": (0.001, 9.0)}, {"a": {"range": (0.001, 9.0)}}])
def test_three_decades_without_a_kind_cause_a_warning(bounds):
    with pytest.warns(ScaleWarning, match="^x_bounds: index 0.* goes from 0.001 to 9 on a linear scale"):
        read_domain(bounds, "x_bounds")


@pytest.mark.parametrize(
    "bounds",
    [
        [(0.001, 9.0, "linear")],
        [(0.001, 9.0, "log")],
        [(-1.0, 9000.0)],
        [(0.01, 9.0)],
        [(1, 9000, "int")],
        {"a": {"range": (0.001, 9.0), "scale": "linear"}},
        np.array([[0.001, 9.0]]),
    ],
)
def test_a_scale_that_is_meant_or_cannot_be_said_causes_none(bounds):
    assert read_domain(bounds, "x_bounds").n == 1  # a warning would be an error here


def test_a_perturbation_of_a_choice_is_refused():
    with pytest.raises(InvalidArgument, match="^x_bounds: a perturbation adds y to all of x"):
        reckless.perturbation(sum, PARTS, 0.5)


def test_a_point_answers_to_its_names():
    x = Named([47.0, 293.0, 5.0], ("R", "T", "size"))
    assert (x.R, x["R"], x[0], x.T, x["size"], x.size) == (47.0, 47.0, 47.0, 293.0, 5.0, 3)
    with pytest.raises(AttributeError, match="there is no 'C' here; the names are R, T, size"):
        _ = x.C
    with pytest.raises(KeyError, match="there is no 'C'"):
        x["C"]


def test_rows_answer_by_column_and_their_rows_by_number():
    X = Named([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ("a", "b"))
    assert X.b.tolist() == [2.0, 4.0, 6.0]
    assert type(X.b) is np.ndarray
    assert [x.a for x in X] == [X[0].a, X[1].a, X[2].a] == [1.0, 3.0, 5.0]
    assert X[1:].a.tolist() == X[np.array([False, True, True])].a.tolist() == [3.0, 5.0]
    assert X.T.shape == (2, 3)


def test_what_is_computed_from_a_point_is_a_plain_array():
    x = Named([1.0, 2.0], ("a", "b"))
    for made in (x + 1.0, x[::-1], np.sqrt(x), x @ np.eye(2), np.asarray(x)):
        assert type(made) is np.ndarray
    assert isinstance(x.sum(), float)
    assert isinstance(x @ x, float)
    assert np.max(x) == 2.0


def test_copies_keep_the_names():
    x = Named([1.0, 2.0], ("a", "b"))
    for other in (x.copy(), copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert names_of(other) == ("a", "b")
        other["a"] = 9.0
        assert (other.a, x.a) == (9.0, 1.0)
