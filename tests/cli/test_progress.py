"""Progress of a run, from the command line and from Python: it moves with every value of a slow f."""

import json
import re
import shutil
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from reckless.cli import config
from reckless.core.task import Series
from reckless.evaluation.objective import Evaluator
from reckless.run.options import read_options
from reckless.run.progress import Lines, Sight
from reckless.run.run import Run

BOWL = """
def bowl(x, y):
    return (x[0] - 2.0) ** 2 - (y[0] - 5.0) ** 2 + x[0] * y[0]
"""
USUAL = config.usual_progress  # which the fixture `run` replaces
BOXES = ["--x", "1:4", "--y", "2:9"]
PROGRAM = Path(__file__).parents[2] / "examples" / "simulators" / "bowl.sh"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bowl.py").write_text(BOWL, encoding="utf-8")


@pytest.fixture
def seen(monkeypatch):
    """The numbers of evaluations that the bar is told, one after the other."""
    told = []
    monkeypatch.setattr(Lines, "count", lambda _, n: told.append(n))
    return told


@pytest.fixture
def slow(monkeypatch):
    """Every look at the clock finds that a second has passed, so that every f is slow."""
    seconds = count(1e6)
    monkeypatch.setattr("reckless.evaluation.objective.monotonic", lambda: float(next(seconds)))


def solve(run, *arguments):
    code, out, err = run("solve", *arguments, "--rng", "3", "--json", "--progress", "lines")
    assert code == 0, err
    return json.loads(out)


@pytest.mark.parametrize("method", ["danskin", "reckless", "mmde", "random-search"])
def test_every_value_of_a_slow_f_is_counted(run, here, seen, slow, method):
    found = solve(run, "bowl.py:bowl", *BOXES, "--maxfev", "40", "--method", method)
    assert seen == list(range(1, found["nfev"] + 1))


@pytest.mark.parametrize("method", ["danskin", "mmde"])
def test_counting_does_not_change_a_run(run, here, monkeypatch, method):
    quick = solve(run, "bowl.py:bowl", *BOXES, "--maxfev", "80", "--method", method)
    seconds = count(1e6)
    monkeypatch.setattr("reckless.evaluation.objective.monotonic", lambda: float(next(seconds)))
    assert solve(run, "bowl.py:bowl", *BOXES, "--maxfev", "80", "--method", method) == quick


class Serial:
    """Try y after y against an x until a value exceeds 3."""

    def search(self, task):
        x, Y = np.array([0.5]), np.linspace(0.1, 0.9, 9)[:, None]
        values = yield Series(x, Y, 3.0)
        self.n_received = len(values)
        task.recommend(x, Y[len(values) - 1], values[-1])


@pytest.mark.parametrize("fails_at", [None, 2])
def test_every_value_of_a_slow_series_is_counted_and_its_limit_still_ends_it(slow, fails_at):
    def f(x, y):
        asked.append(y.item())
        return np.nan if len(asked) == fails_at else float(len(asked))

    asked, told, method = [], [], Serial()
    options = read_options({"maxfev": 20, "method": method, "nan_policy": "ignore"})
    sight = Sight()
    sight.count = told.append
    result = Run([(1, 4)], [(2, 9)], options).drive(Evaluator(f, vectorized=False), sight)
    assert told == [1, 2, 3, 4]
    assert (len(asked), method.n_received, result.nfev, result.fun) == (4, 4, 4, 4.0)
    np.testing.assert_allclose(asked, [2.7, 3.4, 4.1, 4.8])


def test_values_of_a_quick_f_are_counted_by_batches(run, here, seen):
    found = solve(run, "bowl.py:bowl", *BOXES, "--maxfev", "300", "--method", "random-search")
    assert seen == sorted(set(seen))
    assert seen[-1] == found["nfev"] == 300
    assert len(seen) < 100


@pytest.mark.parametrize("options", [["--eval-timeout", "60"], ["--workers", "2"]])
@pytest.mark.filterwarnings("ignore::reckless.WorkersWarning")
def test_every_value_that_workers_bring_is_counted(run, here, seen, monkeypatch, options):
    monkeypatch.setattr("reckless.evaluation.wire.CHUNK_SECONDS", 0.0)  # as if every pair were worth a parcel
    monkeypatch.setattr("reckless.evaluation.executors.CHEAP_SECONDS", 0.0)
    found = solve(run, "bowl.py:bowl", *BOXES, "--maxfev", "12", "--method", "reckless", *options)
    assert seen == list(range(1, found["nfev"] + 1))


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_every_value_of_a_program_is_counted(run, seen, slow):
    box = ["--x", "1:4", "--x", "-7:-2", "--y", "2:9"]
    found = solve(run, "--command", f"bash {PROGRAM}", *box, "--maxfev", "6")
    assert seen == list(range(1, found["nfev"] + 1))


def test_the_verification_and_what_a_journal_recalls_are_counted(run, here, seen, slow):
    given = ["bowl.py:bowl", *BOXES, "--maxfev", "80", "--verify", "15", "--checkpoint", "run.journal"]
    found = solve(run, *given)
    n_all = found["nfev"] + found["verification"]["nfev"]
    assert seen == list(range(1, n_all + 1))
    seen.clear()
    assert solve(run, *given) == found
    assert seen == sorted(set(seen))
    assert seen[-1] == n_all


LAST_LINE = r"reckless: 40 of 40 evaluations, estimate [-+.e0-9]+, 0:0\d:\d\d\.\n$"


def solve_bowl(run, *options):
    code, out, err = run("solve", "bowl.py:bowl", *BOXES, "--maxfev", "40", "--method", "mmde", "--rng", "3", *options)
    assert code == 0
    assert out.startswith("bowl.py:bowl")
    return err


@pytest.mark.parametrize("options", [[], ["--progress", "lines"]], ids=str)
def test_where_stderr_is_no_terminal_lines_are_written(run, here, monkeypatch, options):
    monkeypatch.setattr(config, "usual_progress", USUAL)
    assert re.search(LAST_LINE, solve_bowl(run, *options))


@pytest.mark.parametrize("style", ["none", "bar"])
def test_no_line_is_written_where_none_is_asked_for(run, here, monkeypatch, style):
    monkeypatch.setattr(config, "usual_progress", USUAL)
    assert solve_bowl(run, "--progress", style) == ""


def test_a_file_says_it_and_the_command_line_has_the_last_word(run, here, monkeypatch):
    monkeypatch.setattr(config, "usual_progress", USUAL)
    text = 'objective = "bowl.py:bowl"\nx_bounds = [[1, 4]]\ny_bounds = [[2, 9]]\nmaxfev = 40\nprogress = '
    for value, options, is_shown in [
        ('"none"', [], False),
        ("false", [], False),
        ('"lines"', [], True),
        ('"lines"', ["--progress", "none"], False),
        ('"none"', ["--progress", "lines"], True),
    ]:
        Path("problem.toml").write_text(text + value, encoding="utf-8")
        code, _, err = run("solve", "problem.toml", *options)
        assert (code, "40 of 40 evaluations" in err) == (0, is_shown)
    Path("problem.toml").write_text(text + '"loud"', encoding="utf-8")
    code, _, err = run("solve", "problem.toml")
    assert code == 2
    assert err == (
        "reckless: problem.toml: progress: expected True, False, 'bar', 'lines' or 'none', but got 'loud'.\n"
    )


def test_a_style_that_there_is_not_is_refused_in_one_line(run, here):
    code, out, err = run("solve", "bowl.py:bowl", *BOXES, "--progress", "dots")
    assert (code, out) == (2, "")
    assert "--progress: expected True, False, 'bar', 'lines' or 'none', but got 'dots'." in err


def test_an_attack_writes_lines_too(run, here, monkeypatch):
    monkeypatch.setattr(config, "usual_progress", USUAL)
    code, _, err = run("worst-case", "bowl.py:bowl", "--at", "2", "--y", "2:9", "--maxfev", "60", "--rng", "1")
    assert code == 0
    assert re.search(r"reckless: \d+ of 60 evaluations, 0:0\d:\d\d\.\n$", err)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_unless_told_the_command_line_shows_a_bar_on_a_terminal_and_else_lines(monkeypatch, is_terminal):
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal, raising=False)
    assert USUAL() is (True if is_terminal else "lines")
