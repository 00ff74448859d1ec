"""Coordinates as people read them."""

import json

import numpy as np

from reckless.domains.box import Box
from reckless.domains.labels import Legend, Legends, labels_of, legend_of, read_legends, shown
from reckless.domains.sets import Ball

PARTS = Legend(("R", "C"), ("ohm", ""), ({}, {1e-9: "1n", 2.2e-9: "2n2"}))


def test_names_come_with_their_units():
    assert labels_of(PARTS, "x") == ("R [ohm]", "C")


def test_coordinates_without_names_have_the_letter_of_their_player():
    assert labels_of(Box([(1.0, 4.0), (2.0, 3.0)]), "x") == ("x[0]", "x[1]")
    assert labels_of(Ball([1.0, 2.0], 0.5), "y") == ("y[0]", "y[1]")
    assert labels_of(Legend(units=("", "K")), "y") == ("y[0]", "y[1] [K]")
    assert labels_of(Legend(), "x", 1) == ("x[0]",)


def test_a_point_is_shown_with_names_units_and_the_words_of_its_parts():
    assert shown(PARTS, np.array([47.0, 2.2e-9]), "x") == "(R = 47 ohm, C = 2n2)"


def test_a_value_that_is_no_part_is_shown_as_a_number():
    assert shown(PARTS, np.array([47.0, 3.3e-9]), "x") == "(R = 47 ohm, C = 3.3e-09)"


def test_a_point_without_names_is_a_vector():
    assert shown(Box([(1.0, 4.0), (2.0, 3.0)]), np.array([1.5, 1 / 3 + 2.0]), "x") == "(1.5, 2.33333)"


def test_a_set_with_names_alone_has_a_legend_of_names():
    assert legend_of(Box({"gain": (1, 4)})).names == ("gain",)


def test_legends_come_back_from_json():
    legends = Legends(PARTS, Legend(("load",)))
    told = json.loads(json.dumps(legends.to_dict()))
    assert told["names"] == {"x": ["R", "C"], "y": ["load"]}
    assert told["words"] == {"x": [{}, {"1n": 1e-9, "2n2": 2.2e-9}], "y": []}
    assert read_legends(told) == legends
    assert Legends().to_dict() == {}
    assert read_legends({}) == Legends()
