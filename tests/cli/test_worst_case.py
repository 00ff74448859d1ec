"""`reckless worst-case`."""

import json
import sys

import click
import pytest

from reckless.cli.worst_case import worst_case
from reckless.errors import InvalidArgument

BOWL = """
def bowl(x, y):
    return (x[0] - 2.0) ** 2 + x[1] - (y[0] - 5.0) ** 2

def nothing(x, y):
    return float("nan")
"""
PROGRAM = """
import json, sys
for line in sys.stdin:
    pair = json.loads(line)
    print(json.dumps({"id": pair["id"], "value": pair["x"][0] * pair["y"][0]}), flush=True)
"""


@pytest.fixture
def bowl(tmp_path):
    path = tmp_path / "bowl.py"
    path.write_text(BOWL)
    return path


def run(capsys, *arguments):
    """Exit code and output; what is wrong with the input is raised."""
    try:
        code = worst_case.main([str(argument) for argument in arguments], standalone_mode=False)
    except click.exceptions.Exit as ended:
        code = ended.exit_code
    return code or 0, capsys.readouterr().out


def test_a_design_is_attacked_and_the_answer_is_json(capsys, bowl):
    arguments = ["--at", "4.0,-1.5", "--y", "2:9", "--maxfev", "3000", "--rng", "1", "--json"]
    code, out = run(capsys, f"{bowl}:bowl", *arguments)
    found = json.loads(out)
    assert code == 0
    assert found["x"] == [4.0, -1.5]
    assert found["worst_case"] == pytest.approx(2.5, abs=1e-9)
    assert found["y"] == pytest.approx([5.0], abs=1e-4)
    assert found["nfev"] <= 3000
    assert found["n_agreed"] > found["n_starts"] // 2
    assert run(capsys, f"{bowl}:bowl", *arguments)[1] == out


def test_a_table_for_people_names_the_worst_case_and_how_many_agreed(capsys, bowl):
    code, out = run(capsys, f"{bowl}:bowl", "--at", "4,-1.5", "--y", "2:9", "--maxfev", "1e3")
    assert code == 0
    for words in ("worst y found", "worst case f(x, y)", "2.5", "independent searches arrived"):
        assert words in out


def test_a_benchmark_problem_brings_its_own_bounds(capsys):
    code, out = run(capsys, "L1:n=2", "--at", "0.5,0.5", "--maxfev", "500", "--json")
    assert code == 0
    assert json.loads(out)["success"]


def test_a_program_is_attacked_without_a_shell(capsys, tmp_path):
    path = tmp_path / "two words.py"
    path.write_text(PROGRAM)
    command = f"{sys.executable} '{path}'"
    code, out = run(
        capsys, "--command", command, "--at", "3", "--y", "2:9", "--maxfev", "60", "--workers", "2", "--json"
    )
    assert code == 0
    assert json.loads(out)["worst_case"] == 27.0


def test_where_everything_fails_the_exit_code_says_so(capsys, bowl):
    code, out = run(capsys, f"{bowl}:nothing", "--at", "4,1", "--y", "2:9", "--maxfev", "50", "--json")
    assert code == 1
    assert json.loads(out)["worst_case"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{bowl}:bowl", "--at", "a,b", "--y", "2:9"], "^--at: expected numbers with commas"),
        (["{bowl}:bowl", "--at", "1,2"], "^--y: a function of yours needs bounds"),
        (["{bowl}:bowl", "--at", "1,inf", "--y", "2:9"], "^x: every coordinate must be finite"),
        (["L1:n=2", "--at", "0.5"], "^--at: L1:n=2 has 2 coordinates in x, but got 1"),
        (["L1:n=2", "--at", "0.5,0.5", "--y", "2:9"], "^--x, --y: the problem L1:n=2 has bounds of its own"),
        (["--at", "1", "--y", "2:9"], "^objective: name either OBJECTIVE or a program"),
        (["{bowl}:bowl", "--command", "true", "--at", "1", "--y", "2:9"], "^objective: name either"),
        (["--command", "no-such-simulator", "--at", "1", "--y", "2:9"], "^argv: there is no program"),
        (["--command", "true", "--at", "1"], "^--y: a program needs bounds"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(capsys, bowl, arguments, words):
    with pytest.raises(InvalidArgument, match=words):
        run(capsys, *(argument.format(bowl=bowl) for argument in arguments))
