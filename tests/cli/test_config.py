"""`reckless solve problem.toml`: a run as a file, and the options that only matter for simulators."""

import json
import os
import re
import sys

import pytest

from reckless.cli.config import READERS
from reckless.cli.template import template

TEMPLATE = template()

SIMULATE = """
import os, time

def f(x, y):
    return (x[0] - 2.0) ** 2 + x[1] - (y[0] - 3.0) ** 2

def slow(x, y):
    time.sleep(0.001)
    return f(x, y)

def often(x, y):
    if y[0] > 2.5:
        raise ArithmeticError("the mesh is tangled")
    return f(x, y)

def never(x, y):
    raise FileNotFoundError("mesh.dat is missing")

def hangs(x, y):
    time.sleep(1000.0)
"""

MINIMAL = """
objective = "simulate.py:f"
x_bounds = [[0, 10], [0.0, 10.0]]
y_bounds = [[0, 5]]
maxfev = 300
rng = 7
method = "reckless"
"""

BOXES = ["--x", "0:10", "--x", "0:10", "--y", "0:5", "--rng", "7", "--method", "reckless"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "simulate.py").write_text(SIMULATE)
    (tmp_path / "problem.toml").write_text(MINIMAL)
    return tmp_path


def test_a_file_says_it_all_and_paths_in_it_are_relative_to_it(run, folder):
    code, out, err = run("solve", folder / "problem.toml", "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert said["nfev"] == 300
    assert said["x"][0] == pytest.approx(2.0, abs=0.5)
    spelled = run("solve", f"{folder / 'simulate.py'}:f", *BOXES, "--maxfev", "300", "--json")
    assert json.loads(spelled[1]) == said


def test_options_win_over_the_file(run, folder):
    assert json.loads(run("solve", folder / "problem.toml", "--maxfev", "40", "--json")[1])["nfev"] == 40


def test_a_benchmark_problem_needs_no_bounds(run, folder):
    (folder / "problem.toml").write_text('objective = "L1:n=2"\nmaxfev = 50\nmethod = "danskin"\n')
    assert run("solve", folder / "problem.toml")[0] == 0


def test_init_writes_a_file_that_works_and_never_overwrites(run, folder, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "problem.toml").unlink()
    code, out, _ = run("solve", "--init")
    assert code == 0
    assert "reckless solve problem.toml" in out
    assert run("solve", "problem.toml", "--maxfev", "50", "--method", "danskin")[0] == 0
    (folder / "problem.toml").write_text("mine")
    code, out, err = run("solve", "--init")
    assert (code, out) == (2, "")
    assert "problem.toml exists already" in err
    assert (folder / "problem.toml").read_text() == "mine"
    assert run("solve", "--init", "other.toml")[0] == 0


EXAMPLES = re.findall(r"^# (\w+ = .*)$", TEMPLATE, flags=re.MULTILINE)
ONE_SHOT = tuple(line for line in EXAMPLES if line.startswith("per_call") or "{x}" in line)  # only together

ANYTHING = """
import numpy as np

def f(x, y=np.array([3.0]), *further):
    return (x[..., 0] - 2.0) ** 2 + x[..., 1] - (y[..., 0] - 3.0) ** 2
"""

PROGRAM = """
import json, sys
for line in sys.stdin:
    pair = json.loads(line)
    print(json.dumps({"id": pair["id"], "value": pair["x"][0] - pair["y"][0]}), flush=True)
"""


def test_the_template_shows_every_setting():
    shown = re.findall(r"^(?:# )?(\w+) = ", TEMPLATE, flags=re.MULTILINE)
    assert set(shown) == set(READERS)


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_in_the_template_works_without_its_mark(run, folder, example):
    (folder / "simulate.py").write_text(ANYTHING)
    (folder / "simulate").write_text(f"#!{sys.executable}\n{PROGRAM}")
    (folder / "simulate").chmod(0o700)
    (folder / "loads.csv").write_text("1.0,2.0\n3.0,4.0\n")
    (folder / "values.csv").write_text("1.0,2.0,3.0,4.5\n")
    (folder / "result.json").write_text('{"x": [1.0, 2.0], "y": [3.0], "fun": 4.5}')
    (folder / "attack").write_text(f"#!{sys.executable}\nimport sys\nprint(sum(map(float, sys.argv[1:3])))\n")
    (folder / "attack").chmod(0o700)
    key = example.partition(" ")[0]
    shown = ONE_SHOT if example in ONE_SHOT else (example,)
    replaced = "objective" if example.startswith("command") or example in ONE_SHOT else key
    text = TEMPLATE
    for line in shown:
        text = text.replace(f"# {line}", line)
    kept = [line for line in text.splitlines() if line in shown or not line.startswith(f"{replaced} = ")]
    (folder / "problem.toml").write_text("\n".join(kept))
    code, out, _ = run("solve", folder / "problem.toml", "--maxfev", "60", "--method", "danskin", "--json")
    assert code == 0
    assert json.loads(out)["nfev"] <= 60


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("maxfevs = 5", "maxfevs: a problem file has no setting of this name. Did you mean 'maxfev'?"),
        ("color = 5", "color: a problem file has no setting of this name. Known are: objective, command, per_call"),
        ('maxfev = "many"', "problem.toml: maxfev: expected a whole number of at least 1, but got 'many'"),
        ("maxfev = 10.5", "maxfev: expected a whole number of at least 1, but got 10.5"),
        ("maxfev = 0", "maxfev: expected a whole number of at least 1"),
        ("x_bounds = [0, 10]", "x_bounds: expected a sequence of (low, high) pairs"),
        ("x_bounds = [[0, nan]]", "x_bounds: bounds must be finite: (0, nan)"),
        ("x_bounds = [[10, 0]]", "x_bounds: each lower bound must be below"),
        ("rng = -1", "rng: expected a non-negative integer"),
        ("rng = true", "rng: expected a non-negative integer"),
        ("vectorized = 1", "vectorized: expected True or False"),
        ('on_error = "count"', "on_error: expected 'worst' or 'ignore' or 'raise'"),
        ("maxtime = -1.0", "maxtime: expected a number above 0"),
        ("target = inf", "target: expected a finite number"),
        ("checkpoint = 5", "checkpoint: expected the name of a file"),
        ('command = "./simulate"', "command: expected a list of words"),
        ("per_call = true", "problem.toml: per_call: says how a program is started, but there is no command"),
        ("per_call = 1", "problem.toml: per_call: expected True or False"),
        ('command = ["./simulate"]', "say what to solve by one of objective and command"),
        ("workers = 0", "workers: expected a whole number of at least 1, or -1"),
        ("maxfev = ", "is not a TOML file"),
        ("[solver]\nrng = 1", "solver: a problem file has no setting of this name; write method = 'danskin', a name"),
        ("seed = 1", "seed: a problem file has no setting of this name; write rng = 7, the seed"),
        ("[options]\nrng = 1", "options: a problem file has no setting of this name; write each of them by itself"),
        ("callback = 1", "callback: a problem file has no setting of this name; leave it out, since callback can be"),
        ("maximin = 1", "problem.toml: maximin: expected True or False, but got 1"),
        ('objective = "nowhere.py:f"', "there is no file"),
        ('objective = "simulate.py"', "say which function"),
        ('objective = ""', "objective: expected a text such as"),
        ('objective = "L1"', "x_bounds: the problem L1 has bounds of its own"),
        ("verify = -1", "problem.toml: verify: expected a whole number of at least 1, but got -1"),
        ("verify = 0", "verify: expected a whole number of at least 1"),
        ("verify = 2.5", "verify: expected a whole number of at least 1"),
        ('verify = "yes"', "verify: expected a whole number of at least 1"),
    ],
)
def test_a_mistake_in_the_file_gets_one_line(run, folder, change, words):
    key = change.partition(" ")[0]
    lines = [line for line in MINIMAL.splitlines() if not line.startswith(f"{key} ")]
    (folder / "problem.toml").write_text("\n".join([*lines, change]))
    code, out, err = run("solve", folder / "problem.toml")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert words in err


@pytest.mark.parametrize(
    ("key", "words"),
    [("objective", "say what to solve"), ("x_bounds", "x_bounds is missing"), ("y_bounds", "y_bounds is missing")],
)
def test_a_missing_part_is_named(run, folder, key, words):
    lines = [line for line in MINIMAL.splitlines() if not line.startswith(key)]
    (folder / "problem.toml").write_text("\n".join(lines))
    code, _, err = run("solve", folder / "problem.toml")
    assert code == 2
    assert words in err


def test_a_file_that_is_not_there_is_named(run, tmp_path):
    code, _, err = run("solve", tmp_path / "nowhere.toml")
    assert code == 2
    assert "nowhere.toml: cannot be read (No such file or directory)" in err


def test_workers_find_a_function_of_a_file_and_a_journal_keeps_its_values(run, folder):
    journal = folder / "run.journal"
    target, common = f"{folder / 'simulate.py'}:slow", [*BOXES, "--maxfev", "80", "--json"]
    shared = json.loads(run("solve", target, *common, "--workers", "2", "--checkpoint", journal)[1])
    assert journal.read_bytes().count(b"\nvalue ") == 80
    assert json.loads(run("solve", f"{folder / 'simulate.py'}:f", *common, "--checkpoint", journal)[1]) == shared
    assert json.loads(run("solve", f"{folder / 'simulate.py'}:f", *common)[1]) == shared
    code, _, err = run("solve", target, *common, "--rng", "8", "--checkpoint", journal)
    assert code == 2
    assert "was begun from another seed" in err


def test_a_journal_goes_on_with_more_evaluations(run, folder):
    target, journal = f"{folder / 'simulate.py'}:f", folder / "run.journal"

    def solve(maxfev):
        given = [*BOXES[:-1], "mmde", "--maxfev", maxfev, "--json", "--checkpoint", journal]
        return run("solve", target, *given)

    assert json.loads(solve("60")[1])["nfev"] == 60
    assert json.loads(solve("90")[1])["nfev"] == 90
    assert journal.read_bytes().count(b"\nvalue ") == 90
    code, _, err = solve("70")
    assert code == 2
    assert "has 90 evaluations already, so maxfev=70 leaves none" in err
    lines = ["maxfev = 100", 'checkpoint = "run.journal"', 'method = "mmde"', "rng = 7"]
    boxes = ["x_bounds = [[0, 10], [0, 10]]", "y_bounds = [[0, 5]]"]
    (folder / "problem.toml").write_text("\n".join(['objective = "simulate.py:f"', *lines, *boxes]))
    assert json.loads(run("solve", folder / "problem.toml", "--json")[1])["nfev"] == 100
    assert journal.read_bytes().count(b"\nvalue ") == 100


def test_failures_are_counted_and_the_first_is_shown(run, folder):
    target = f"{folder / 'simulate.py'}:often"
    code, out, _ = run("solve", target, *BOXES, "--maxfev", "300", "--on-error", "ignore", "--retries", "1")
    assert code == 0
    assert "of the evaluations failed, the first at x = (" in out
    assert "ArithmeticError: the mesh is tangled" in out
    data = json.loads(run("solve", target, *BOXES, "--maxfev", "300", "--on-error", "ignore", "--json")[1])
    assert data["first_failure"]["y"][0] > 2.5
    code, out, err = run("solve", target, *BOXES, "--workers", "1")
    assert (code, out) == (1, "")
    assert "f raised ArithmeticError: the mesh is tangled (at x=" in err


def test_a_run_in_which_nothing_works_says_why(run, folder):
    code, out, _ = run("solve", f"{folder / 'simulate.py'}:never", *BOXES, "--on-error", "ignore", "--method", "mmde")
    assert code == 1
    assert "FileNotFoundError: mesh.dat is missing" in out


def test_what_hangs_is_ended_in_one_line(run, folder):
    code, out, err = run("solve", f"{folder / 'simulate.py'}:hangs", *BOXES, "--eval-timeout", "0.2")
    assert (code, out) == (1, "")
    assert "took longer than eval_timeout=0.2 seconds" in err
    assert "WorkersWarning" not in err


def test_time_and_target_stop_a_run(run, folder):
    timed = run(
        "solve", f"{folder / 'simulate.py'}:f", *BOXES, "--method", "mmde", "--maxfev", "1e9", "--maxtime", "0.3"
    )
    assert timed[0] == 0
    assert "The time (maxtime) is spent." in timed[1]
    data = json.loads(run("solve", "L1:n=1", "--method", "mmde", "--rng", "1", "--target", "0.5", "--json")[1])
    assert data["message"].startswith("The estimate reached the target.")
    assert data["nfev"] < 20_000


def test_a_program_may_take_the_place_of_a_function(run, folder):
    pytest.importorskip("reckless.evaluation.command")
    program = folder / "program.py"
    program.write_text(PROGRAM)
    arguments = ["--x", "1:4", "--y", "2:9", "--maxfev", "40", "--method", "danskin", "--rng", "1", "--json"]
    told = json.loads(run("solve", "--command", f"{sys.executable} {program}", *arguments, "--workers", "2")[1])
    assert told["nfev"] == 40
    (folder / "problem.toml").write_text(
        f"command = [{sys.executable!r}, {str(program)!r}]\nx_bounds = [[1, 4]]\ny_bounds = [[2, 9]]\n"
        "maxfev = 40\nmethod = 'danskin'\nrng = 1\n"
    )
    assert json.loads(run("solve", folder / "problem.toml", "--json")[1])["x"] == told["x"]
    code, _, err = run("solve", "L1", "--command", "true")
    assert code == 2
    assert "takes the place of OBJECTIVE" in err
    assert "needs bounds" in run("solve", "--command", "true")[2]


def test_a_program_may_be_started_for_each_pair(run, folder):
    attack = folder / "attack"
    attack.write_text(f"#!{sys.executable} -IS\nimport sys\na, b = map(float, sys.argv[1:])\nprint('f:', a - b)\n")
    attack.chmod(0o700)
    arguments = ["--x", "1:4", "--y", "2:9", "--maxfev", "20", "--method", "danskin", "--rng", "1", "--json"]
    told = json.loads(run("solve", "--command", f"{attack} {{x[0]}} {{y[0]}}", "--per-call", *arguments)[1])
    assert (told["nfev"], told["n_failed"]) == (20, 0)
    file = 'x_bounds = [[1, 4]]\ny_bounds = [[2, 9]]\nmaxfev = 20\nmethod = "danskin"\nrng = 1\nworkers = 2\n'
    (folder / "problem.toml").write_text(f'command = ["./attack", "{{x}}", "{{y}}"]\nper_call = true\n{file}')
    assert json.loads(run("solve", folder / "problem.toml", "--json")[1])["x"] == told["x"]
    (folder / "problem.toml").write_text(f'command = ["./attack", "{{x}}", "{{y}}"]\n{file}')
    assert json.loads(run("solve", folder / "problem.toml", "--per-call", "--json")[1])["x"] == told["x"]
    found = run("worst-case", folder / "problem.toml", "--per-call", "--at", "3", "--maxfev", "20", "--json")[1]
    assert json.loads(found)["fun"] == pytest.approx(1.0)
    worst = ["worst-case", "--command", f"{attack} {{x}} {{y}}", "--per-call", "--at", "3", "--y", "2:9"]
    assert json.loads(run(*worst, "--maxfev", "20", "--json")[1])["fun"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["L1", "--per-call"], "--per-call: says how a program is started, but there is no command"),
        (["--command", "true {x}", "--per-call", "--x", "1:4", "--y", "2:9"], "is a value of y. For example '{y[0]}'"),
        (["--command", "true {x} {z}", "--per-call", "--x", "1:4", "--y", "2:9"], "'{z}' in '{z}' is no value"),
        (["--command", "true {x} {y}", "--x", "1:4", "--y", "2:9"], "Did you mean per_call=True?"),
        (["--command", "true {x} {y[3]}", "--per-call", "--x", "1:4", "--y", "2:9"], "beyond the last coordinate of y"),
    ],
)
def test_a_mistake_with_per_call_is_told_in_a_sentence(run, words, sentence):
    code, _, err = run("solve", *words)
    assert code == 2
    assert sentence in err


def test_no_shell_reads_a_command(run, folder):
    pytest.importorskip("reckless.evaluation.command")
    canary = folder / "canary"
    run("solve", "--command", f"true; touch {canary}", "--x", "1:4", "--y", "2:9", "--maxfev", "5")
    assert not os.path.exists(canary)


@pytest.mark.parametrize("command", [("solve",), ("bench", "status"), ("bench", "run"), ("bench", "export")])
@pytest.mark.parametrize(
    "text", ["x=" + "[" * 100_000, "maxfev=1" + "0" * 5000, "[" + ".".join("a" * 100_000) + "]", "#" * 1_000_001]
)
def test_a_file_that_would_keep_the_parser_busy_is_refused_in_a_sentence(run, tmp_path, command, text):
    (tmp_path / "p.toml").write_text(text)
    code, out, err = run(*command, tmp_path / "p.toml")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "p.toml" in err
    assert len(err) < 500


def test_a_value_on_the_command_line_may_not_break_the_parser_either(run):
    for value in ("[" * 50_000, "1" + "0" * 5000, "0x" + "f" * 5000):
        code, _, err = run("solve", "L1", "--maxfev", value)
        assert (code, err.count("\n")) == (2, 1)
