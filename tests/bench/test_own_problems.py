"""Problems in files of users: any set, f of vectors or rows, an optimum or none, and mistakes."""

import re

import numpy as np
import pytest
from click.testing import CliRunner

import reckless
from reckless.bench.problems import Problem, problem
from reckless.cli.catalogs import problems
from reckless.errors import InvalidArgument

FILE = """
from reckless.bench.problems import Optimum, Problem


def square(x, y):
    return (x[0] - y[0]) ** 2


parts = dict(function=square, x_bounds=[(1, 4)], y_bounds=[(2, 9)], vectorized=False) | dict({changes})
tank = Problem(**parts)
"""
MISTAKES = [
    ("function=3.0", "function: expected a function f(x, y), but got 3.0."),
    ("x_bounds=[(4, 1)]", "x_bounds: each lower bound must be below its upper bound"),
    ("y_bounds={'ball': 3}", "y_bounds: ball must have center and radius"),
    ("optimum=2.0", "optimum: expected an Optimum, or None if none is known, but got 2.0."),
    ("optimum=Optimum(x=(2.0, 3.0), y=None, value=1.0, source='')", "optimum: expected 1 coordinates of x, but got 2."),
]


@pytest.mark.parametrize(("changes", "said"), MISTAKES)
def test_a_problem_with_a_mistake_is_refused_before_it_is_run(tmp_path, changes, said):
    path = tmp_path / "tank.py"
    path.write_text(FILE.format(changes=changes))
    with pytest.raises(InvalidArgument, match=f"^problem: {re.escape(f'{path}:tank: {said}')}"):
        problem(f"{path}:tank")


def test_a_problem_of_a_file_needs_no_name_and_no_optimum(tmp_path):
    path = tmp_path / "tank.py"
    path.write_text(FILE.format(changes=""))
    found = problem(f"{path}:tank")
    assert (found.name, found.n_x, found.n_y, found.optimum) == (f"{path}:tank", 1, 1, None)
    assert found.function(np.array([1.5]), np.array([4.0])) == 6.25


@pytest.mark.parametrize(
    ("bounds", "n"),
    [
        ([(1, 4), (2, 9, "int")], 2),
        ({"gain": (1, 4), "teeth": (8, 40, "int")}, 2),
        (reckless.Simplex(3), 3),
        (reckless.Ball([1.0, 2.0], 0.5), 2),
        (reckless.Scenarios([[1.0, 2.0, 3.0]]), 3),
        (np.array([[1.0, 4.0]]), 1),
    ],
)
def test_the_sets_of_a_problem_are_those_of_minimax(bounds, n):
    made = Problem(function=max, x_bounds=bounds, y_bounds=bounds, vectorized=False)
    made.check()
    assert (made.n_x, made.n_y) == (n, n)


def test_an_installed_problem_without_an_optimum_is_listed_as_such(monkeypatch):
    made = Problem(function=max, x_bounds=[(1, 4)], y_bounds=[(2, 9)], vectorized=False, name="tank", summary="a tank")
    monkeypatch.setattr("reckless.core.userfile.installed", lambda group: {"tank": made})
    monkeypatch.setattr("reckless.bench.problems.installed", lambda group: {"tank": made})
    monkeypatch.setattr("reckless.bench.problems.load_entry", lambda entry, argument: entry)
    shown = CliRunner().invoke(problems).stdout
    assert re.search(r"installed +tank +1 +1 +unknown +a tank", shown)
    assert '"optimum": null' in CliRunner().invoke(problems, ["--json"]).stdout
