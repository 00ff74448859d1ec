"""Max-min, habits, completion and the module on the command line and in problem files."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from reckless.cli import cli
from reckless.cli.worst_case import Known
from reckless.core.sense import MAXIMIN, MINIMAX

FILE = """
def profit(x, y):
    return 5.0 - (x[0] - 2.0) ** 2 + (y[0] - 5.0) ** 2

def loss(x, y):
    return -profit(x, y)
"""

BOXES = ["--x", "1:4", "--y", "2:9"]
RUN = ["--maxfev", "300", "--method", "danskin", "--rng", "7", "--json"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bowl.py").write_text(FILE)
    return tmp_path


def solved(run, *arguments):
    code, out, err = run("solve", *arguments)
    assert (code, err) == (0, "")
    return json.loads(out)


def test_the_flag_and_the_setting_are_the_same_run_with_the_signs_of_f(run, folder):
    by_flag = solved(run, "bowl.py:profit", *BOXES, *RUN, "--maximin")
    mirrored = solved(run, "bowl.py:loss", *BOXES, *RUN)
    (folder / "problem.toml").write_text(
        'objective = "bowl.py:profit"\nx_bounds = [[1, 4]]\ny_bounds = [[2, 9]]\nmaximin = true\n'
    )
    assert solved(run, "problem.toml", *RUN) == by_flag
    assert (by_flag["x"], by_flag["fun"]) == (mirrored["x"], -mirrored["fun"])
    assert by_flag["fun"] == pytest.approx(5.0, abs=1e-6)
    assert (by_flag["maximin"], mirrored["maximin"]) == (True, False)


def test_a_target_and_a_verification_are_those_of_f(run, folder):
    found = solved(run, "bowl.py:profit", *BOXES, *RUN, "--maximin", "--target", "4", "--verify", "90")
    assert found["fun"] >= 4.0
    assert found["verification"]["fun"] <= found["fun"]


def test_a_trace_file_has_the_signs_of_f(run, folder):
    solved(run, "bowl.py:profit", *BOXES, *RUN, "--maximin", "--trace", "one.csv")
    solved(run, "bowl.py:loss", *BOXES, *RUN, "--trace", "two.csv")
    one, two = (
        [line.split(",")[2] for line in (folder / name).read_text().splitlines()] for name in ("one.csv", "two.csv")
    )
    assert len(one) == len(two) > 3
    assert [float(cell) for cell in one[1:] if cell] == [0.0 - float(cell) for cell in two[1:] if cell]


def test_an_attack_measures_the_smallest_value(run, folder):
    code, out, _ = run(
        "worst-case",
        "bowl.py:profit",
        "--at",
        "2.5",
        "--y",
        "2:9",
        "--maximin",
        "--maxfev",
        "200",
        "--rng",
        "1",
        "--json",
    )
    assert code == 0
    assert json.loads(out)["fun"] == pytest.approx(4.75, abs=1e-3)


def test_a_benchmark_problem_has_no_known_optimum_then(run):
    for flags, is_said in (([], True), (["--maximin"], False)):
        code, out, _ = run("solve", "L1:n=2", "--maxfev", "50", "--method", "random-search", *flags)
        assert (code, "optimal worst case" in out) == (0, is_said)


@pytest.mark.parametrize(("sense", "worst", "y"), [(MINIMAX, 3.0, 8.0), (MAXIMIN, -2.0, 6.0)])
def test_an_interrupted_attack_keeps_the_worst_value_so_far(sense, worst, y):
    class Target:
        f = staticmethod(lambda x, y: {4.0: 1.0, 6.0: -2.0, 8.0: 3.0}[y[0]])

    known = Known(Target, sense)
    for value in (4.0, 6.0, 8.0):
        known([1.0], [value])
    assert (known.result().fun, known.result().y.item(), known.result().nfev) == (worst, y, 3)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["solve", "L1", "--seed", "7"], "--seed: reckless solve has no option of this name; write --rng 7, the seed"),
        (["solve", "L1", "--maxiter", "9"], "write --maxfev 20_000, the number of evaluations of f"),
        (["solve", "L1", "--log", "a.csv"], "write --trace run.csv, which keeps the events of the run."),
        (["solve", "L1", "--n-jobs", "3"], "write --workers 4, the number of processes"),
        (["solve", "L1", "--bounds", "0:1"], "write --x 0:10 --y 0:5, one range per coordinate"),
        (["solve", "L1", "--callback", "f"], "leave it out, since callback can be given in Python alone."),
        (["worst-case", "L1", "--at", "1", "--target", "3"], "leave it out, since target is for the search of x."),
        (["solve", "L1", "--mathod", "mmde"], "has no option of this name. Did you mean '--method'?"),
        (["solve", "L1", "--y-scenario", "a.csv"], "Did you mean '--y-scenarios'?"),
        (["demo", "--zzz"], "has no option of this name. `reckless demo --help` lists them."),
        (["solve", "bowl.profit"], "objective: a function in a file is spelled bowl.py:profit."),
        (["solve", "./nowhere"], "but got './nowhere'. A program is given by --command."),
        (["solve", "--command", "./nowhere", *BOXES], "command: there is no program './nowhere'."),
    ],
)
def test_a_mistake_gets_one_line_with_its_cure(run, folder, words, sentence):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_the_package_is_a_command():
    done = subprocess.run([sys.executable, "-m", "reckless", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("reckless, version ")


def completed(words, position):
    """Return what a shell is told to offer."""
    asking = {**os.environ, "_RECKLESS_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(position)}
    code = "import sys; sys.argv = ['reckless']; from reckless.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=asking, check=True)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_a_shell_completes_commands_options_methods_and_problems():
    assert completed("reckless wo", 1) == ["plain,worst-case"]
    assert completed("reckless solve --maxi", 2) == ["plain,--maximin"]
    assert completed("reckless solve L1 --method mm", 4) == ["plain,mmde"]
    assert completed("reckless solve filt", 2) == ["plain,filter", "plain,filter-signed", "plain,filter41", "file,filt"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_asks_by_the_right_variable(shell):
    said = CliRunner().invoke(cli, ["completion", shell])
    assert said.exit_code == 0
    assert "_RECKLESS_COMPLETE" in said.stdout
