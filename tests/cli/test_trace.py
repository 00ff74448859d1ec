"""`reckless solve --trace FILE`."""

import os

import pytest

FILE = """
class Noting:
    def search(self, task):
        for k in task.rounds():
            x, y = task.random_x(), task.random_y()
            values = yield x, y
            task.recommend(x, y, values.item())
            task.note("descent", "accepted, at last", fun=0.1 + k, radius=0.25, n_active=2)

def f(x, y):
    return x[0] - y[0]

n_calls = 0

def stopped(x, y):
    global n_calls
    n_calls += 1
    if n_calls == 3:
        raise KeyboardInterrupt
    return f(x, y)
"""
ROWS = """nfev,phase,fun,radius,ratio,n_active,event
1,descent,0.1,0.25,,2,"accepted, at last"
2,descent,1.1,0.25,,2,"accepted, at last"
"""


@pytest.fixture
def solve(run, tmp_path):
    """Solve by a method that notes an event per evaluation: (exit code, stdout, stderr)."""
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    words = ("--x", "1:4", "--y", "2:9", "--rng", "1", "--method", f"{path}:Noting")
    return lambda f, *more: run("solve", f"{path}:{f}", *words, *more)


@pytest.mark.parametrize(("f", "maxfev", "code"), [("f", 2, 0), ("stopped", 50, 130)], ids=["to the end", "Ctrl-C"])
def test_the_events_are_written_to_the_file_however_the_run_ends(solve, tmp_path, f, maxfev, code):
    path = tmp_path / "run.csv"
    path.write_text("an older trace\n" * 9)
    found, _, err = solve(f, "--maxfev", maxfev, "--trace", path)
    assert (found, err) == (code, "")
    assert path.read_text() == ROWS
    assert {file.name for file in tmp_path.glob("run*")} == {"run.csv"}


def test_without_the_option_nothing_is_written(solve, tmp_path):
    solve("f", "--maxfev", 2)
    assert not list(tmp_path.glob("*.csv*"))


def test_a_file_that_cannot_be_written_is_refused_before_the_run_and_left_alone(solve, tmp_path):
    folder = tmp_path / "run.csv"
    folder.mkdir()
    code, out, err = solve("stopped", "--trace", folder)
    assert (code, out) == (2, "")
    assert err == f"reckless: --trace: {folder} is a directory. Name a file in it.\n"
    link, older = tmp_path / "link.csv", tmp_path / "older.csv"
    older.write_text("an older trace")
    link.symlink_to(older)
    code, _, err = solve("missing", "--trace", link)  # refused for another reason
    assert code == 2
    assert "missing" in err
    assert older.read_text() == "an older trace"
    assert link.is_symlink()


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="needs devices of POSIX")
def test_what_is_no_regular_file_is_written_to(solve):
    assert solve("f", "--maxfev", 2, "--trace", "/dev/null")[2] == ""
    assert not os.path.isfile("/dev/null")
