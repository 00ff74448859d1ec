"""`--tol`, and `maxfev` left out, on the command line and in files."""

import json

import pytest

FILE = """
objective = "simulate.py:f"
x_bounds = [[1, 4], [-7, -2]]
y_bounds = [[2, 9]]
method = "danskin"
rng = 7
"""

SIMULATE = """
def f(x, y):
    return (x[0] - 2.5) ** 2 + (x[1] + 4.5) ** 2 + (y[0] - 5.5) ** 2
"""


@pytest.fixture
def problem(tmp_path):
    (tmp_path / "simulate.py").write_text(SIMULATE)
    (tmp_path / "problem.toml").write_text(FILE)
    return tmp_path / "problem.toml"


def test_a_tolerance_stops_a_run_that_is_done(run, problem):
    code, out, _ = run("solve", problem, "--tol", "1e-4", "--maxfev", "3000", "--json")
    spelled = json.loads(out)
    assert (code, spelled["success"]) == (0, True)
    assert spelled["message"].startswith(f"Converged at evaluation {spelled['nfev']}: ")
    problem.write_text(f"{FILE}tol = 1e-4\nmaxfev = 3000")
    assert json.loads(run("solve", problem, "--json")[1]) == spelled


@pytest.mark.parametrize("bad", ["0", "1", "-0.1", '"small"', "true"])
def test_a_bad_tolerance_is_refused_in_one_sentence(run, problem, bad):
    code, out, err = run("solve", problem, "--tol", bad)
    assert (code, out) == (2, "")
    assert "--tol: expected a number in (0, 1), but got" in err
    problem.write_text(f"{FILE}tol = {bad}")
    assert "tol: expected a number in (0, 1), but got" in run("solve", problem)[2]


def test_a_method_that_cannot_tell_refuses(run, problem):
    code, out, err = run("solve", problem, "--tol", "1e-4", "--method", "mmde")
    assert (code, out) == (2, "")
    assert "tol: the method mmde cannot tell when it is done." in err


def test_methods_that_can_tell_are_listed(run):
    able = [row["name"] for row in json.loads(run("methods", "--json")[1]) if "tol" in row["handles"]]
    assert able == ["auto", "danskin", "finite", "surrogate"]


def test_without_maxfev_the_default_grows_with_the_dimensions(run, problem):
    code, out, _ = run("solve", problem, "--method", "random-search", "--json")
    said = json.loads(out)
    assert (code, said["nfev"]) == (0, 4_000)
    assert "maxfev was not given: 4,000 evaluations were allowed" in said["message"]


def test_measuring_a_worst_case_without_maxfev_keeps_its_own_default(run, problem):
    found = json.loads(run("worst-case", problem, "--at", "2.5,-4.5", "--json")[1])
    assert 10_000 < found["nfev"] <= 20_000
