"""The command line: what it prints, and how it refuses."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

from reckless import MinimaxResult, minimax
from reckless.cli.demo import _trust
from reckless.core.task import Agreement
from reckless.errors import Status

BOWL = """
import numpy as np

def bowl(x, y):
    return (x[0] - 2.0) ** 2 - (y[0] - 5.0) ** 2

def rows(X, Y):
    return (X[:, 0] - 2.0) ** 2 - (Y[:, 0] - 5.0) ** 2

def broken(x, y):
    return 1 / 0

def text(x, y):
    return "high"

def infinite(x, y):
    return float("inf")

number = 3
"""

BOXES = ["--x", "1:4", "--y", "2:9"]


@pytest.fixture
def bowl(tmp_path):
    path = tmp_path / "bowl.py"
    path.write_text(BOWL)
    return path


def test_a_users_own_function_is_solved(run, bowl):
    code, out, err = run("solve", f"{bowl}:bowl", *BOXES, "--maxfev", "2000", "--rng", "7", "--json")
    result = json.loads(out)
    assert code == 0
    assert err == ""
    assert result["x"][0] == pytest.approx(2.0, abs=1e-3)
    assert result["nfev"] == 2000
    assert result["history"][-1]["fun"] == result["fun"]


def test_a_vectorized_function_gives_the_same_answer(run, bowl):
    answers = [
        json.loads(run("solve", target, *BOXES, "--maxfev", "500", "--rng", "7", "--json", *flags)[1])["x"]
        for target, flags in ((f"{bowl}:bowl", []), (f"{bowl}:rows", ["--vectorized"]))
    ]
    assert answers[0] == pytest.approx(answers[1], rel=1e-9)


def test_a_table_for_people_names_x_and_the_estimate(run):
    code, out, _ = run("solve", "L1:n=2", "--maxfev", "1e3", "--rng", "1", "--method", "reckless-acr")
    assert code == 0
    for words in (
        "L1:n=2",
        "of reckless-acr",
        "worst case known",
        "optimal worst case",
        "Not verified",
    ):
        assert words in out


def test_a_negative_bound_is_a_bound_and_not_an_option(run, bowl):
    code, _, _ = run("solve", f"{bowl}:bowl", "--x", "-4:-1", "--y", "-9:-2", "--maxfev", "50", "--method", "danskin")
    assert code == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "L7"], "there is no problem called 'L7'. Did you mean"),
        (["solve", "L1", "--maxfev", "0"], "--maxfev: expected a whole number of at least 1"),
        (["solve", "L1", "--maxfev", "1.5"], "--maxfev: expected a whole number"),
        (
            ["solve", "L1", "--method", "mdme"],
            "method: there is no method called 'mdme'. Did you mean 'mmde'?",
        ),
        (["solve", "L1", "--method", "mmde:scale=x"], "scale must be a number, but mmde got 'x'"),
        (["solve", "L1", "--x", "0:1"], "has bounds of its own"),
        (["solve", "nowhere.py:f", *BOXES], "there is no file nowhere.py"),
        (["solve", "nowhere.py"], "say which function"),
        (["solve", "{bowl}:bowl", "--x", "1:4"], "--y: a function of yours needs bounds"),
        (["solve", "{bowl}:bowl", "--x", "4:1", "--y", "2:9"], "--x: each lower bound must be below"),
        (["solve", "{bowl}:bowl", "--x", "4", "--y", "2:9"], "--x: expected LOW:HIGH"),
        (["solve", "{bowl}:bowl", "--x", "0:inf", "--y", "2:9"], "--x: bounds must be finite"),
        (["solve", "{bowl}:bowls", *BOXES], "defines no function called 'bowls'. It defines: bowl, rows"),
        (["solve", "{bowl}:number", *BOXES], "defines no function called 'number'"),
        (["solve", "{bowl}:text", *BOXES], "f: expected real numbers, but got 'high' of type str"),
        (["solve", "{bowl}:bowl", *BOXES, "--vectorized"], "f: expected"),
        (["solve", "{bowl}:bowl", "--x", "1:4:integer", "--y", "2:9"], "or 0:10:int for whole numbers"),
        (["solve", "{bowl}:bowl", "--x", "1.2:1.8:int", "--y", "2:9"], "--x: coordinate 0 is to be an integer"),
        (["solve", "{bowl}:bowl", "--x", "1:4", "--y-scenarios", "nowhere.csv"], "--y-scenarios: nowhere.csv cannot"),
        (["solve", "{bowl}:bowl", *BOXES, "--y-scenarios", "nowhere.csv"], "--y-scenarios: the file takes the place"),
        (["solve", "L1", "--y-scenarios", "{bowl}"], "bowl.py, line 4: expected finite numbers"),
        (["solve", "L1", "--verify", "0"], "--verify: expected a whole number of at least 1"),
        (["solve", "--verify", "L1"], "--verify may stand alone, but then OBJECTIVE comes before it."),
        (["solve", "L1", "--rng", "-1"], "rng: expected a non-negative integer"),
        (["solve", "L1", "--trace", "nowhere/run.csv"], "--trace: there is no directory nowhere. Create it"),
        (["solve", "L1", "--trace", "/"], "--trace: / is a directory. Name a file in it."),
        (["solve", "L1", "--trace", ""], "--trace: expected the name of a file, but got ''"),
        (["solv", "L1"], "solv"),
        (["solve"], "OBJECTIVE"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(run, bowl, arguments, words):
    code, out, err = run(*(argument.format(bowl=bowl) for argument in arguments))
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("reckless: ")
    assert words in err


def test_an_objective_that_raises_is_named_with_its_line(run, bowl):
    code, out, err = run("solve", f"{bowl}:broken", *BOXES)
    assert code == 1
    assert out == ""
    assert "bowl.py, line 11: f raised ZeroDivisionError: division by zero" in err


def test_a_file_that_cannot_be_imported_is_named(run, tmp_path):
    path = tmp_path / "bad.py"
    path.write_text("import no_such_module_anywhere\n")
    code, _, err = run("solve", f"{path}:f", *BOXES)
    assert code == 2
    assert "cannot be imported (ModuleNotFoundError" in err


def test_methods_and_problems_are_listed(run):
    _, out, _ = run("methods")
    assert "reckless-acr" in out
    assert "random-search" in out
    names = [entry["name"] for entry in json.loads(run("methods", "--json")[1])]
    assert "mmde" in names
    entries = json.loads(run("problems", "--json")[1])
    assert {"L1", "filter", "f11", "MWP7", "absorber"} <= {entry["name"] for entry in entries}
    assert "optimum" in run("problems")[1]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, 0),
        ({"success": False}, 0),
        ({"refuted": True}, 1),
        ({"fun": float("nan"), "success": False}, 1),
        ({"fun": float("inf"), "success": False}, 1),
        ({"status": Status.INTERRUPTED.code, "success": False}, 130),
        ({"status": Status.INTERRUPTED.code, "success": False, "fun": float("nan")}, 130),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_exit_code_tells_whether_there_is_an_answer_that_stands(run, bowl, monkeypatch, fields, expected, form):
    result = minimax(lambda x, y: x[0] - y[0], [(1, 4)], [(2, 9)], maxfev=20, rng=1, method="random-search")
    changed = MinimaxResult(**{**result, "refuted": False, **fields})
    monkeypatch.setattr("reckless.run.run.Run.drive", lambda *_: changed)
    code, out, _ = run("solve", f"{bowl}:bowl", *BOXES, *form)
    assert code == expected
    assert out


def test_a_run_too_short_to_be_sure_is_still_an_answer(run, bowl):
    assert run("solve", f"{bowl}:bowl", *BOXES, "--maxfev", "5", "--method", "danskin")[0] == 0


def test_a_worst_case_that_is_infinite_for_every_x_is_no_answer(run, bowl):
    assert run("solve", f"{bowl}:infinite", *BOXES, "--maxfev", "300", "--method", "mmde")[0] == 1


def test_the_demo_designs_a_filter_and_saves_a_picture(run, tmp_path):
    picture = tmp_path / "filter.png"
    code, out, _ = run("demo", "--maxfev", "3000", "--picture", picture)
    assert code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    for words in ("verification", "Charalambous 1979", "known optimum", "6.606240e-03", "3,000 evaluations"):
        assert words in out
    assert "Agreement: " in out or "The evaluation budget (maxfev) is spent." in out


def test_the_demo_says_how_far_the_run_can_be_trusted(run, tmp_path):
    """Ten evaluations leave no room for a search: the message stands in place of an agreement."""
    _, out, _ = run("demo", "--maxfev", "10", "--picture", tmp_path / "filter.png")
    assert "The evaluation budget (maxfev) is spent." in out
    sure = MinimaxResult(success=True, agreement=Agreement(4, 5), message="The evaluation budget (maxfev) is spent.")
    assert _trust(sure) == "Agreement: 4 of 5 independent searches arrived at the estimate."
    for doubt in ({"success": False}, {"agreement": None}):
        assert _trust(MinimaxResult(**{**sure, **doubt})) == sure.message


def test_the_demo_refuses_a_picture_it_cannot_write(run, tmp_path):
    code, _, err = run("demo", "--maxfev", "10", "--picture", tmp_path / "nowhere" / "filter.png")
    assert code != 0
    assert "cannot be written" in err


def test_without_arguments_help_is_shown(run):
    code, out, _ = run()
    assert code == 0
    assert "Find the design with the best worst case" in out


SLOW = """
import time
def slow(x, y):
    time.sleep(0.002)
    return (x[0] - 2.0) ** 2 - (y[0] - 5.0) ** 2
"""


def start(path, *arguments, **options):
    # A shell's background jobs ignore Ctrl-C, and so would the processes that these start.
    code = "import signal as s; s.signal(s.SIGINT, s.default_int_handler); from reckless.cli import main; main()"
    command = [sys.executable, "-c", code, "solve", f"{path}:slow", *BOXES]
    return subprocess.Popen([*command, "--maxfev", "1000000", *arguments], **options)


def read_until(descriptor, words, seconds=60.0):
    """Read from a terminal until the words appear, or nobody writes to it any more."""
    seen, deadline = "", time.monotonic() + seconds
    with suppress(OSError):
        while words not in seen and time.monotonic() < deadline:
            seen += os.read(descriptor, 4096).decode(errors="replace")
    return seen


def test_on_a_terminal_progress_is_shown_and_ctrl_c_gives_the_answer_so_far(tmp_path):
    path = tmp_path / "slow.py"
    path.write_text(SLOW)
    ours, theirs = pty.openpty()
    process = start(path, "--json", stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    try:
        assert "evaluations" in read_until(ours, "estimate")
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        os.close(ours)
    assert process.returncode == 130
    result = json.loads(out)
    assert not result["success"]
    assert result["x"][0] == pytest.approx(2.0, abs=1.5)


@pytest.mark.parametrize("command", ["solve", "worst-case", "methods", "problems", "report"])
def test_the_help_says_what_is_imported_or_run(run, command):
    said = run(command, "--help")[1]
    assert "imported" in said or "is run" in said
