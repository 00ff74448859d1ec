"""Studies: cells, seeds, and the sentence for every way a study file can be wrong."""

import subprocess
import sys

import pytest

from reckless.bench.problems import find_problem
from reckless.bench.study import Cell, Study, count_evaluations, every_cell, read_study
from reckless.errors import InvalidArgument

GOOD = """
name = "mine"
problems = ["l1:n=2", "L3"]
methods = ["MMDE", "reckless-n:descent_share=0.3"]
budgets = [100, 1e3]
repetitions = 2
"""


def write(tmp_path, text):
    path = tmp_path / "study.toml"
    path.write_text(text)
    return path


def test_a_study_file_gives_canonical_cells_in_a_stable_order(tmp_path):
    cells = read_study(write(tmp_path, GOOD)).cells()
    assert len(cells) == len(set(cells)) == 2 * 2 * 2 * 2
    assert cells[0] == Cell("L1:n=2", "mmde", 100, 0)
    assert cells[1] == Cell("L1:n=2", "mmde", 100, 1)
    assert cells[-1] == Cell("L3", "reckless-n:descent_share=0.3", 1000, 1)
    assert count_evaluations(cells) == 8 * 1100


def test_the_name_of_the_file_serves_as_name(tmp_path):
    assert read_study(write(tmp_path, GOOD.replace('name = "mine"', ""))).name == "study"


def test_budgets_per_dimension_grow_with_the_problem():
    study = Study(name="growing", problems=("L1:n=2", "L1:n=7"), methods=("mmde",), budgets_per_dimension=(100,))
    assert [cell.budget for cell in study.cells()] == [200, 700]


def test_a_budget_that_stands_in_both_lists_is_run_once():
    study = Study(name="both", problems=("L1:n=2",), methods=("mmde",), budgets=(200,), budgets_per_dimension=(100,))
    assert [cell.budget for cell in study.cells()] == [200]


def test_the_seed_of_a_cell_is_a_fixed_number():
    assert Cell("L1", "mmde", 100, 0).seed == 7062865337038458603
    assert 0 <= Cell("L1", "mmde", 100, 1).seed < 2**63


def test_the_seed_is_the_same_in_another_process():
    code = "from reckless.bench.study import Cell; print(Cell('L1', 'mmde', 100, 0).seed)"
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "77"}
    )
    assert int(printed.stdout) == Cell("L1", "mmde", 100, 0).seed


def test_every_part_of_a_cell_changes_its_seed():
    cells = [
        Cell("L1", "mmde", 100, 0),
        Cell("L2", "mmde", 100, 0),
        Cell("L1", "reckless", 100, 0),
        Cell("L1", "mmde", 1000, 0),
        Cell("L1", "mmde", 100, 1),
    ]
    assert len({cell.seed for cell in cells}) == len(cells)


def test_studies_that_share_cells_run_them_once():
    first = Study(name="a", problems=("L1",), methods=("mmde",), budgets=(100, 200), repetitions=2)
    second = Study(name="b", problems=("l1:n=3",), methods=("MMDE",), budgets=(200, 300), repetitions=3)
    assert len(every_cell([first, second])) == 2 + 3 + 3


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"L3"', '"L7"', ["L7", "Did you mean 'L1'"]),
        ('"L3"', '"L3:n=4"', ["L3", "nothing to set"]),
        ('"MMDE"', '"MMD"', ["'MMD'", "Did you mean 'mmde'"]),
        ("descent_share=0.3", "descent_share=0.7", ["descent_share", "0.7"]),
        ("descent_share", "decent_share", ["reckless-n", "decent_share"]),
        ("budgets", "bugdets", ["'bugdets'", "Did you mean 'budgets'"]),
        ("repetitions", "reps", ["'reps'", "Did you mean 'repetitions'"]),
        ("repetitions = 2", "", ["repetitions", "missing"]),
        ("budgets = [100, 1e3]", "", ["budgets"]),
        ("budgets = [100, 1e3]", "budgets = 100", ["budgets", "list", "100"]),
        ("1e3", "1.5", ["budgets", "1.5"]),
        ("1e3", "-5", ["budgets", "-5"]),
        ("1e3", "inf", ["budgets", "inf"]),
        ("1e3", "true", ["budgets", "True"]),
        ("1e3", "100", ["budgets", "duplicate entry 100"]),
        ("repetitions = 2", 'repetitions = "2"', ["repetitions", "'2'"]),
        ("repetitions = 2", "repetitions = 0", ["repetitions", "0"]),
        ('["l1:n=2", "L3"]', "[]", ["problems", "empty"]),
        ('["l1:n=2", "L3"]', '"L3"', ["problems", "list", "L3"]),
        ('["l1:n=2", "L3"]', "[3]", ["problems", "3"]),
        ('"l1:n=2", "L3"', '"L3", "l3"', ["problems", "duplicate entry 'L3'"]),
        ('["MMDE", "reckless-n:descent_share=0.3"]', "[]", ["methods", "empty"]),
        ('name = "mine"', "name = 5", ["name", "5"]),
        ("budgets = [100", "budgets = [100,,", ["not valid TOML", "line"]),
    ],
)
def test_a_mistake_in_a_study_file_gets_one_clear_sentence(tmp_path, old, new, words):
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(InvalidArgument) as refusal:
        read_study(path)
    sentence = str(refusal.value)
    assert "\n" not in sentence
    assert str(path) in sentence
    for word in words:
        assert word in sentence


def test_a_study_file_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(InvalidArgument, match=r"no file .*nowhere\.toml"):
        read_study(tmp_path / "nowhere.toml")


def test_a_study_file_that_is_a_directory_or_not_text_is_refused(tmp_path):
    with pytest.raises(InvalidArgument, match="cannot be read"):
        read_study(tmp_path)
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(InvalidArgument, match="cannot be read"):
        read_study(tmp_path / "binary.toml")


OWN = """
import numpy as np
from reckless.bench.problems import Optimum, Problem

tank = Problem(
    name="tank",
    summary="(x - y)^2",
    function=lambda X, Y: (X[:, 0] - Y[:, 0]) ** 2,
    x_bounds=((1.0, 4.0),),
    y_bounds=((2.0, 3.0),),
    optimum=Optimum(x=(2.5,), y=None, value=0.25, source="by hand"),
)
"""


def test_a_problem_of_the_reader_is_found_by_file_and_name(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(OWN)
    assert find_problem(f"{path}:tank").name == f"{path}:tank"
    assert find_problem(f"{path}:tank").n_x == 1
    with pytest.raises(InvalidArgument, match="no Problem called 'tonk'. It defines: tank"):
        find_problem(f"{path}:tonk")
    with pytest.raises(InvalidArgument, match="tank has nothing to set, but got 'n=2'"):
        find_problem(f"{path}:tank:n=2")
    with pytest.raises(InvalidArgument, match="no file"):
        find_problem(f"{tmp_path}/nowhere.py:tank")
    (tmp_path / "broken.py").write_text("1 / 0")
    with pytest.raises(InvalidArgument, match="ZeroDivisionError"):
        find_problem(f"{tmp_path}/broken.py:tank")


def test_a_file_may_hold_a_function_that_makes_problems(tmp_path):
    path = tmp_path / "tanks.py"
    path.write_text(OWN + "def wide(high=4.0):\n    return replace(tank, x_bounds=((1.0, high),))\n")
    path.write_text("from dataclasses import replace\n" + path.read_text())
    study = Study(name="own", problems=(f"{path}:wide", f"{path}:wide: high = 9"), methods=("mmde",), budgets=(10,))
    assert study.problems == (f"{path}:wide", f"{path}:wide:high=9")
    assert [find_problem(name).x_bounds[0][1] for name in study.problems] == [4.0, 9.0]


def test_the_file_of_a_problem_may_import_its_neighbors_and_define_dataclasses(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "tank_model.py").write_text(OWN)
    path = tmp_path / "tank_study.py"
    path.write_text(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "from tank_model import tank\n"
        "@dataclass\n"
        "class Pump:\n"
        "    power: float\n"
    )
    assert find_problem(f"{path}:tank").y_bounds == ((2.0, 3.0),)


def test_cells_are_counted_and_not_listed():
    study = Study(name="huge", problems=("L1:n=2", "L3"), methods=("mmde",), budgets=(100,), repetitions=10**9)
    cells = study.cells()
    assert len(cells) == 2 * 10**9
    assert Cell("L3", "mmde", 100, 10**9 - 1) in cells
    assert Cell("L3", "mmde", 100, 10**9) not in cells
    assert cells[-1] == Cell("L3", "mmde", 100, 10**9 - 1)
    assert cells[10**9] == Cell("L3", "mmde", 100, 0)


def test_cells_by_number_are_those_in_order():
    study = Study(
        name="all", problems=("L1:n=2", "L3"), methods=("mmde", "auto"), budgets_per_dimension=(5, 7), repetitions=3
    )
    cells = study.cells()
    assert [cells[i] for i in range(len(cells))] == list(cells) == cells[:]
    assert all(cell in cells for cell in cells)
    with pytest.raises(IndexError):
        cells[len(cells)]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("repetitions = 2", f"repetitions = {10**15}", ["repetitions", "cells at most", "Lower"]),
        ("[100, 1e3]", str(list(range(1, 1002))), ["budgets", "1,000 entries", "1,001"]),
        ('"L3"', '"vertices:n=24"', ["vertices", "from 1 to 16", "24"]),
        ('"L3"', '"deviations:n=100000"', ["deviations", "from 1 to 200"]),
    ],
)
def test_a_study_that_no_machine_can_run_is_refused(tmp_path, old, new, words):
    with pytest.raises(InvalidArgument) as refusal:
        read_study(write(tmp_path, GOOD.replace(old, new)))
    assert all(word in str(refusal.value) for word in words)


def test_a_name_with_control_characters_is_refused(tmp_path):
    with pytest.raises(InvalidArgument, match=r"name: expected a printable text, but got '\\x1b\]0;'"):
        read_study(write(tmp_path, GOOD.replace("mine", "\\u001b]0;")))
