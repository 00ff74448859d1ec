"""All worst cases, and the nominal y, on the command line and in files."""

import json

import pytest

FILE = """
objective = "simulate.py:f"
x_bounds = [[1, 4]]
y_bounds = [[2, 9]]
method = "danskin"
maxfev = 300
rng = 7
"""

SIMULATE = """
def f(x, y):
    return 1.0 + max(x[0] - 2 - (y[0] - 3) ** 2, 2 - x[0] - (y[0] - 8) ** 2)
"""


@pytest.fixture
def problem(tmp_path):
    (tmp_path / "simulate.py").write_text(SIMULATE)
    (tmp_path / "problem.toml").write_text(FILE)
    return tmp_path / "problem.toml"


def test_all_worst_cases_are_printed_and_in_the_json(run, problem):
    code, out, _ = run("solve", problem, "--json")
    active = json.loads(out)["active"]
    assert code == 0
    assert sorted(round(case["y"][0]) for case in active) == [3, 8]
    assert [case["weight"] for case in active] == pytest.approx([0.5, 0.5], abs=1e-3)
    assert "2 worst cases:" in run("solve", problem)[1]


def test_a_nominal_y_is_an_option_and_a_line_of_a_file(run, problem):
    out = run("solve", problem, "--y0", "5.5", "--y-nominal", "5.5", "--json")[1]
    nominal = json.loads(out)["nominal"]
    assert set(nominal) == {"x", "fun"}
    problem.write_text(f"{FILE}y0 = [[5.5]]\ny_nominal = [5.5]")
    assert json.loads(run("solve", problem, "--json")[1])["nominal"] == nominal
    assert "price of robustness: " in run("solve", problem)[1]


@pytest.mark.parametrize("bad", ["30", "3,4", "3;4", "middle"])
def test_a_bad_nominal_y_is_refused_in_one_sentence(run, problem, bad):
    code, out, err = run("solve", problem, "--y-nominal", bad)
    assert (code, out) == (2, "")
    assert "y_nominal: " in err or "y-nominal" in err
