"""Runs whose coordinates have names, choices and fixed values."""

import json
import sys

import numpy as np
import pytest

import reckless
from reckless.evaluation.oneshot import Template
from simulators import named as f

X = {
    "R": {"range": (10, 1000), "scale": "log", "unit": "ohm"},
    "C": {"choices": {"1n": 1.0, "2n2": 2.2, "4n7": 4.7}},
    "T": {"fixed": 293, "unit": "K"},
    "n": (2, 9, "int"),
}
Y = {"load": (2, 9)}


def rows(X, Y):
    return (np.log(X.R) - 3.0) ** 2 + abs(X.C - 2.0) + (X.n - 4.0) ** 2 - (Y.load - 5.0) ** 2 + (X.T - 293.0)


def plain(x, y):
    return (np.log(x[0]) - 3.0) ** 2 + abs((1.0, 2.2, 4.7)[int(x[1])] - 2.0) + (x[2] - 4.0) ** 2 - (y[0] - 5.0) ** 2


@pytest.mark.parametrize("method", ["auto", "danskin", "surrogate", "mmde"])
def test_a_run_with_names_is_the_run_without(method):
    named = reckless.minimax(f, X, Y, maxfev=50, method=method, rng=3)
    other = reckless.minimax(
        plain, [(10, 1000, "log"), (0, 2, "int"), (2, 9, "int")], [(2, 9)], maxfev=50, method=method, rng=3
    )
    assert named.fun == other.fun
    assert named.x[[0, 3]].tolist() == other.x[[0, 2]].tolist()
    assert named.x.T == 293.0


def test_the_answer_answers_to_its_names():
    result = reckless.minimax(f, X, Y, maxfev=300, rng=1, verify=100)
    assert np.log(result.x.R) == pytest.approx(3.0, rel=1e-3)
    assert (result.x.C, result.x.n) == (2.2, 4.0)
    assert result.y.load == pytest.approx(5.0, rel=1e-3)
    assert result.history[-1].x.C == 2.2
    assert result.verification.y.load == pytest.approx(5.0, rel=1e-3)
    assert "ohm, C = 2n2, T = 293 K, n = 4)" in result.report()
    assert result.report().count("(load = ") == 2
    told = json.loads(json.dumps(result.to_dict()))
    assert (told["legends"]["x"]["names"], told["legends"]["y"]["names"]) == (["R", "C", "T", "n"], ["load"])
    assert (told["legends"]["x"]["units"], told["legends"]["y"]["units"]) == (["ohm", "", "K", ""], [])


def test_a_result_without_names_says_nothing_of_them():
    result = reckless.minimax(lambda x, y: x[0] * y[0], [(1, 4)], [(2, 9)], maxfev=20, rng=1)
    assert type(result.x) is np.ndarray
    assert result.to_dict()["legends"]["x"] == {"names": [], "units": [], "words": []}


@pytest.mark.filterwarnings("ignore::reckless.errors.WorkersWarning")
def test_rows_workers_and_the_caller_get_names_and_the_same_answer():
    one = reckless.minimax(f, X, Y, maxfev=60, rng=1)
    assert reckless.minimax(rows, X, Y, maxfev=60, rng=1, vectorized=True).fun == one.fun
    assert reckless.minimax(f, X, Y, maxfev=60, rng=1, workers=2, on_error="ignore").fun == one.fun
    solver = reckless.Solver("auto", X, Y, maxfev=60, rng=1)
    while not solver.done:
        solver.tell(rows(*solver.ask()))
    assert solver.result().fun == one.fun


def test_arguments_and_callbacks_work_with_names():
    seen = []
    reckless.minimax(
        lambda x, y, k: k * f(x, y), X, Y, maxfev=60, rng=1, args=(2.0,), callback=lambda x: seen.append(x.C)
    )
    assert seen
    assert {*seen} <= {1.0, 2.2, 4.7}


def test_an_error_names_the_coordinates():
    with pytest.raises(reckless.ObjectiveFailed, match=r"NaN at x=\(R = .* ohm, C = .*, T = 293 K.*y=\(load = "):
        reckless.minimax(lambda x, y: np.nan, X, Y, maxfev=60, rng=1, nan_policy="raise")
    with pytest.raises(reckless.InvalidArgument, match="^x0: x: 'C' must be one of its choices, 1n, 2n2, 4n7"):
        reckless.minimax(f, X, Y, maxfev=60, x0=[20.0, 3.0, 293.0, 4.0])


def test_a_given_design_counts_its_fixed_coordinates():
    result = reckless.minimax(f, X, Y, maxfev=60, rng=1, x0=[20.0, 2.2, 293.0, 4.0], y0=[5.0])
    assert result.fun <= f(reckless.minimax(f, X, Y, maxfev=1, x0=[20.0, 2.2, 293.0, 4.0], y0=[5.0]).x, result.y) + 1e-9


def test_an_attack_takes_a_design_by_names():
    found = reckless.worst_case(f, {"R": 20.0, "C": 2.2, "T": 293.0, "n": 4.0}, Y, maxfev=100, rng=1)
    assert found.y.load == pytest.approx(5.0, abs=0.1)
    with pytest.raises(reckless.InvalidArgument, match="^x: expected numbers by name"):
        reckless.worst_case(f, {}, Y, maxfev=100, rng=1)


def test_the_columns_of_a_file_are_found_by_their_names(tmp_path):
    (tmp_path / "values.csv").write_text("load,value,n,T,R [ohm],x.C\n5,-7,4,293,20,2.2\n")
    kept = reckless.minimax(f, X, Y, maxfev=40, rng=1, method="danskin", data=str(tmp_path / "values.csv"))
    given = reckless.minimax(f, X, Y, maxfev=40, rng=1, method="danskin", data=([[20, 2.2, 293, 4]], [[5]], [-7]))
    assert kept.x.tolist() == given.x.tolist()


@pytest.mark.parametrize(
    ("heading", "words"),
    [
        ("load,value,n,T,R,D", "has no column called"),
        ("load,value,n,T,R,R", "has 2 columns called R|has 2 columns called"),
    ],
)
def test_a_heading_with_some_of_the_names_is_refused(tmp_path, heading, words):
    (tmp_path / "values.csv").write_text(f"{heading}\n5,-7,4,293,20,2.2\n")
    with pytest.raises(reckless.InvalidArgument, match=f"^data: .*line 1: the heading must name every .*({words})"):
        reckless.minimax(f, X, Y, maxfev=40, data=str(tmp_path / "values.csv"))


def test_a_program_is_told_the_names():
    program = (
        "import json, sys\nfor line in sys.stdin:\n    pair = json.loads(line)\n    named = pair['named']\n"
        "    value = named['x']['R'] * named['y']['load']\n"
        "    print(json.dumps({'id': pair['id'], 'value': value}), flush=True)"
    )
    with reckless.Command([sys.executable, "-c", program]) as command:
        result = reckless.minimax(command, {"R": (1, 4), "T": {"fixed": 3}}, Y, maxfev=20, rng=1)
    assert result.fun == result.x.R * result.y.load


def test_a_command_line_is_filled_by_name():
    template = Template(["run", "--r={x.R}", "{y.load}", "{x}"])
    assert template.filled([1.5, 3.0], [2.0], ["R", "T"], ["load"]) == ["run", "--r=1.5", "2.0", "1.5", "3.0"]
    with pytest.raises(reckless.InvalidArgument, match=r"\{x.R\} is no coordinate: x has the names T"):
        template.filled([1.5], [2.0], ["T"], ["load"])
    with pytest.raises(reckless.InvalidArgument, match=r"\{x.R\} is no coordinate: x has no names"):
        template.filled([1.5], [2.0])


def test_a_journal_knows_the_names_and_resumes(tmp_path):
    path = tmp_path / "run.journal"
    one = reckless.minimax(f, X, Y, maxfev=60, rng=1, checkpoint=path)
    assert b'"names": {"x": ["R", "C", "T", "n"], "y": ["load"]}' in path.read_bytes().partition(b"\n")[0]
    assert reckless.minimax(f, X, Y, maxfev=60, rng=1, checkpoint=path).x.tolist() == one.x.tolist()
    with pytest.raises(reckless.InvalidJournal, match="for other bounds|names"):
        reckless.minimax(f, {**X, "n": (2, 8, "int")}, Y, maxfev=60, rng=1, checkpoint=path)
