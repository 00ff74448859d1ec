"""progress=: a bar in a terminal, a line in a notebook, lines in a log, and nothing where nobody would see it."""

import os
import pty
import subprocess
import sys
import types
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from reckless import InvalidArgument, maximin, minimax, worst_case
from reckless.core.compiling import compiled, noticing
from reckless.run.options import read_progress
from reckless.run.progress import COMPILING, Lines, Sight, Updating, bar_of, showing
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

RUN = {"maxfev": 300, "method": "danskin", "rng": 7}


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def lines(seconds):
    """A `Lines` with its clock and what it wrote."""
    clock, written = Clock(), []
    return Lines(written.append, clock, seconds), clock, written


@pytest.mark.parametrize(
    ("value", "expected"), [(True, True), ("bar", True), (False, False), ("none", False), ("lines", "lines")]
)
def test_progress_is_a_flag_or_a_word(value, expected):
    assert read_progress(value, "progress") is expected


@pytest.mark.parametrize("value", [None, 1, "Bar", "yes", "", ["bar"], 0.5])
def test_other_values_are_refused_in_one_sentence(value):
    with pytest.raises(
        InvalidArgument, match=r"^progress: expected True, False, 'bar', 'lines' or 'none', but got .*\.$"
    ):
        minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, progress=value, **RUN)


def test_a_line_is_written_once_a_minute_and_one_at_the_end():
    shown, clock, written = lines(60.0)
    shown.begin(20_000)
    for n, seconds in ((1, 59.0), (1_234, 1.5), (2_000, 30.0), (2_500, 40.0)):
        clock.now += seconds
        shown.count(n)
        shown.recommend(1.0 / n)
    clock.now += 7_200
    shown.verify()
    shown.close()
    assert written == [
        "1,234 of 20,000 evaluations, estimate 1, 0:01:00",
        "2,500 of 20,000 evaluations, estimate 0.0005, 0:02:10",
        "2,500 of 20,000 evaluations, estimate 0.0004, verifying, 2:02:10",
    ]


def test_compiling_is_said_once():
    shown, _, written = lines(60.0)
    for is_compiling in (True, False, True, False):
        shown.compile(is_compiling)
    assert written == ["Compiling, which only the first call does"]


def test_a_notebook_shows_one_line_twice_a_second_and_at_the_end():
    clock, shown = Clock(), []
    line = Updating(shown.append, clock)
    line.compile(True)
    line.begin(500)
    line.compile(False)
    for n in range(1, 6):
        clock.now += 0.25
        line.count(n)
    line.recommend(0.25)
    line.close()
    assert shown == [
        COMPILING,
        "0 of 500 evaluations",
        "2 of 500 evaluations",
        "4 of 500 evaluations",
        "5 of 500 evaluations, estimate 0.25",
    ]


def test_the_bar_shows_the_latest_facts_whenever_it_is_drawn():
    screen, sight = StringIO(), Sight()
    console = Console(file=screen, force_terminal=True, width=150)
    with bar_of(sight, console) as bar:
        sight.begin(2_000)
        for n in (7, 1_234):
            sight.count(n)
            bar.refresh()
            assert f"{n:,}\x1b[0m of 2,000 evaluations" in screen.getvalue()
        assert "estimate" not in screen.getvalue()
        sight.recommend(0.25)
        sight.compile(True)
        bar.refresh()
        assert f"estimate 0.25, {COMPILING}" in screen.getvalue()
        sight.compile(False)
        sight.verify()
        bar.refresh()
        assert "estimate 0.25, verifying" in screen.getvalue()


def test_numba_says_when_it_compiles_and_not_when_it_is_done_with_that():
    def double(value):
        return twice(value)

    told, twice = [], compiled(lambda value: 2.0 * value)
    double = compiled(double)
    with noticing(told.append):
        assert double(3.0) == 6.0
        n_told = len(told)
        double(4.0)
    double(np.float32(5.0))  # compiled anew, but nobody listens
    assert told == [True, False]
    assert n_told == 2


@pytest.mark.parametrize("progress", [True, "bar", False, "none"])
def test_nothing_is_written_where_stderr_is_redirected(progress, capfd):
    minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, progress=progress, **RUN)
    assert capfd.readouterr() == ("", "")


def test_lines_are_written_to_stderr_whatever_that_is(capsys):
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, progress="lines", verify=100, **RUN)
    out, err = capsys.readouterr()
    assert out == ""
    line = err.splitlines()[-1]
    n_all = result.nfev + result.verification.nfev
    assert line.startswith(f"reckless: {n_all:,} of 400 evaluations, estimate ")
    assert ", verifying, 0:00:0" in line


def test_an_attack_shows_its_evaluations_too(capsys):
    found = worst_case(tilted_bowl, [2.0, -4.0], Y_BOUNDS, maxfev=200, rng=1, progress="lines")
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"reckless: {found.nfev} of 200 evaluations, 0:00:0")
    assert found.fun == worst_case(tilted_bowl, [2.0, -4.0], Y_BOUNDS, maxfev=200, rng=1).fun


@pytest.mark.parametrize("progress", [True, "lines"])
def test_a_program_without_stderr_runs_all_the_same(progress, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, progress=progress, **RUN).nfev <= 300


def test_an_exception_of_f_is_not_followed_by_a_line(capsys):
    with pytest.raises(ZeroDivisionError):
        minimax(lambda x, y: 1 / 0, X_BOUNDS, Y_BOUNDS, progress="lines", **RUN)
    assert "evaluations" not in capsys.readouterr().err


def notebook(monkeypatch, name):
    """Pretend to be the kernel of a notebook whose shell is of this class; return what it displays."""

    class Handle:
        def update(self, content, *, raw):
            shown.append(content["text/plain"])

    def display(content, *, raw, display_id):
        assert raw
        assert display_id is True
        shown.append(content["text/plain"])
        return Handle()

    shown, shell = [], type(name, (type("ZMQInteractiveShell" if name == "Shell" else "Base", (), {}),), {})()
    package, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    package.get_ipython, module.display = lambda: shell, display
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return shown


@pytest.mark.parametrize("name", ["ZMQInteractiveShell", "Shell"])
def test_a_notebook_is_known_by_its_shell(monkeypatch, capfd, name):
    shown = notebook(monkeypatch, name)
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, progress=True, **RUN)
    assert shown[-1] == f"{result.nfev} of 300 evaluations, estimate {result.history[-1].fun:.6g}"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["TerminalInteractiveShell", "NoneType"])
def test_other_shells_are_no_notebooks(monkeypatch, capfd, name):
    shown = notebook(monkeypatch, name)
    minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, progress=True, **RUN)
    assert (shown, capfd.readouterr()) == ([], ("", ""))


def test_nobody_is_told_where_nobody_would_see_it():
    for style in (True, False):
        with showing(style) as watcher:
            assert watcher is None


def test_progress_changes_no_result():
    plain = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, **RUN)
    for progress in (True, "lines"):
        found = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, progress=progress, **RUN)
        assert (found.x.tolist(), found.fun, found.message) == (plain.x.tolist(), plain.fun, plain.message)


def test_what_f_prints_reaches_its_file_while_a_bar_is_on_the_terminal(tmp_path):
    """stdout is a file, stderr a terminal: the bar must not take what f prints along to the terminal."""
    code = (
        "import reckless\n"
        "def f(x, y):\n"
        "    print('pressure', y[0])\n"
        "    return x[0] * y[0]\n"
        "reckless.minimax(f, [(1, 4)], [(2, 9)], maxfev=60, method='random-search', rng=1, progress=True)\n"
    )
    ours, theirs = pty.openpty()
    try:
        with open(tmp_path / "out.txt", "w", encoding="utf-8") as out:
            process = subprocess.Popen([sys.executable, "-c", code], stdout=out, stderr=theirs)
        os.close(theirs)
        seen = b""
        while chunk := read(ours):
            seen += chunk
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
        os.close(ours)
    assert b"60" in seen
    assert b"evaluations" in seen
    assert b"pressure" not in seen
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").count("pressure") == 60


def read(descriptor):
    """Read from a terminal; nothing once nobody writes to it any more."""
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""


def test_drawing_is_loaded_only_if_it_is_asked_for():
    code = (
        "import sys, reckless\n"
        "reckless.minimax(lambda x, y: x[0] * y[0], [(1, 4)], [(2, 9)], maxfev=30, method='random-search')\n"
        "assert not {'rich', 'reckless.run.progress', 'IPython'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_where_large_values_are_good_the_estimate_is_that_of_f(capsys):
    result = maximin(lambda x, y: 7.0 - tilted_bowl(x, y), X_BOUNDS, Y_BOUNDS, progress="lines", **RUN)
    assert f"estimate {result.history[-1].fun:.6g}, " in capsys.readouterr().err.splitlines()[-1]
