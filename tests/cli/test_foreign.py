"""Code and words of others: none ends a command in silence, none reaches the terminal raw or without end."""

import re

import pytest

from reckless.bench.store import Store
from reckless.errors import InvalidArgument
from reckless.methods.registry import find_method

AT = ["--y", "2:9", "--maxfev", "30"]
BOXES = ["--x", "1:4", *AT, "--method", "danskin"]
RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "code",
    ["import sys; sys.exit(0)\ndef f(x, y): return 0.0", "def f(x, y): raise SystemExit", "def f(x, y): exit(0)"],
)
@pytest.mark.parametrize("command", [("solve",), ("worst-case", "--at", "2")])
def test_a_file_that_calls_exit_is_named(run, here, command, code):
    (here / "o.py").write_text(code)
    boxes = BOXES if command == ("solve",) else AT
    code, out, err = run(*command, "o.py:f", *boxes)
    assert code in (1, 2)
    assert out == ""
    assert "o.py" in err
    assert "called sys.exit" in err


def test_a_call_of_exit_is_a_failure_like_others(run, here):
    (here / "o.py").write_text("import sys\ndef f(x, y):\n    return sys.exit(0) if y[0] > 8 else y[0]")
    code, out, err = run("solve", "o.py:f", *BOXES, "--on-error", "ignore", "--rng", "1")
    assert (code, err) == (0, "")
    assert "sys.exit" in out


def test_a_study_whose_file_calls_exit_is_refused(run, here):
    (here / "o.py").write_text("raise SystemExit(0)")
    (here / "s.toml").write_text('problems = ["o.py:tank"]\nmethods = ["mmde"]\nbudgets = [30]\nrepetitions = 1')
    code, _, err = run("bench", "run", "s.toml", "--workers", 1)
    assert code == 2
    assert "o.py called sys.exit" in err
    assert run("bench", "status", "s.toml")[0] == 0  # which imports nothing
    assert not (here / "s.sqlite").exists()


OWN = """
import sys
from reckless.bench.problems import Optimum, Problem

optimum = Optimum(x=(2.5,), y=None, value=0.0, source="by hand")
f = lambda X, Y: sys.exit(0)
tank = Problem(name="", summary="", function=f, x_bounds=((1, 4),), y_bounds=((2, 3),), optimum=optimum)
def make(n=1): sys.exit(0)
"""


@pytest.mark.parametrize("name", ["tank", "make"])
def test_a_problem_that_calls_exit_when_it_is_made_or_run_says_so(run, here, name):
    (here / "o.py").write_text(OWN)
    text = f'problems = ["o.py:{name}"]\nmethods = ["mmde"]\nbudgets = [30]\nrepetitions = 1'
    (here / "s.toml").write_text(text)
    code, out, err = run("bench", "run", "s.toml", "--workers", 1)
    assert code in (1, 2)
    assert out == ""
    assert "SystemExit" in err or "sys.exit" in err


FOREIGN = {
    "escapes": "raise ValueError(chr(27) + ']0;owned' + chr(7) + chr(155) + chr(0x9d))",
    "long": "raise ValueError('A' * 10**6)",
    "mute": "raise Mute",
    "long name": "raise type('A' * 10**5, (Exception,), {})",
    "lines": "raise ValueError('a\\n' * 10**5)",
}


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("command", [("solve",), ("worst-case", "--at", "2")])
def test_what_f_raises_is_told_in_few_printable_words(run, here, command, kind):
    mute = "class Mute(Exception):\n    def __str__(self): raise RuntimeError\n"
    (here / "o.py").write_text(f"{mute}def f(x, y):\n    {FOREIGN[kind]}\n")
    boxes = BOXES if command == ("solve",) else AT
    code, out, err = run(*command, "o.py:f", *boxes)
    assert code == 1
    assert not RAW.search(out + err)
    assert len(out + err) < 600
    assert "Traceback" not in err


@pytest.mark.parametrize("command", [("solve",), ("worst-case", "--at", "2")])
def test_a_failure_that_is_ignored_is_told_in_printable_words(run, here, command):
    (here / "o.py").write_text(f"def f(x, y):\n    {FOREIGN['escapes']}\n")
    boxes = BOXES if command == ("solve",) else AT
    code, out, err = run(*command, "o.py:f", *boxes, "--on-error", "ignore")
    assert code == 1
    assert not RAW.search(out + err)


def test_what_a_program_says_reaches_no_terminal_raw(run, here):
    (here / "p.sh").write_text("#!/bin/sh\nprintf '\\033]0;owned\\007' >&2\nexit 3\n")
    (here / "p.sh").chmod(0o755)
    code, out, err = run("solve", "--command", "./p.sh", *BOXES)
    assert code != 0
    assert "owned" in err
    assert not RAW.search(out + err)


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "\x1b]0;owned\x07", *BOXES),
        ("solve", "A" * 100_000, *BOXES),
        ("solve", "L1", "--method", "A" * 100_000),
        ("solve", "L1", "--maxfev", "\x1b" * 10_000),
        ("worst-case", "L1", "--at", "A" * 100_000),
        ("worst-case", "L1", "--at", "\x1b"),
        ("A" * 100_000,),
        ("bench", "status", "\x1b.toml"),
        ("report", "\x1b.sqlite"),
    ],
)
def test_arguments_come_back_short_and_printable(run, here, words):
    code, out, err = run(*words)
    assert code == 2
    assert not RAW.search(out + err)
    assert len(out + err) < 2_500


def test_names_of_a_study_reach_the_terminal_escaped(run, here):
    names = 'name = "\\u001bN"\nproblems = ["\\u001b.py:tank"]\nmethods = ["\\u001b.py:Mine"]\n'
    (here / "s.toml").write_text(names + "budgets = [30]\nrepetitions = 1")
    assert not RAW.search(run("bench", "status", "s.toml")[1])
    Store(here / "s.sqlite").close()
    assert not RAW.search(run("bench", "status", "s.toml")[1])


def test_arguments_for_a_benchmark_problem_are_refused(run):
    code, _, err = run("solve", "L1", "--args", "3", "--maxfev", "20")
    assert code == 2
    assert err == "reckless: args: the problem L1 takes none, but got (3,).\n"


@pytest.mark.parametrize("method", ["A" * 5000 + ".py:f", "nul\0.py:f"])
def test_a_name_that_no_file_can_have_names_none(method):
    with pytest.raises(InvalidArgument, match="^method: there is no file"):
        find_method(method)
