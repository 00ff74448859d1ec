"""SIGTERM ends a command as Ctrl-C does: with the answer so far, and an exit code of its own."""

import json
import os
import signal
import subprocess
import sys

import pytest

from processes import wait_until
from reckless.cli.signals import terminable

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs signals of POSIX")

SLOW = """
import pathlib, time
n = 0
def f(x, y):
    global n
    n += 1
    if n == 200:
        pathlib.Path("waiting").touch()
        while True:
            time.sleep(0.05)
    return (x[0] - y[0]) ** 2
"""
STUDY = """
import pathlib, time
from reckless.bench.problems import Optimum, Problem

def f(X, Y):
    pathlib.Path("waiting").touch()
    while True:
        time.sleep(0.05)

optimum = Optimum(x=(2.5,), y=None, value=0.0, source="by hand")
tank = Problem(name="", summary="", function=f, x_bounds=((1, 4),), y_bounds=((2, 3),), optimum=optimum)
"""
START = "from reckless.cli import main; main()"


def ended(here, *words, by=signal.SIGTERM):
    """Start a command, send it a signal when f waits for one, and return its exit code and output."""
    process = subprocess.Popen(
        [sys.executable, "-c", START, *words], cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: (here / "waiting").exists() or process.poll() is not None)
    process.send_signal(by)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.parametrize(("by", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.parametrize("words", [["solve", "--x", "1:4"], ["worst-case", "--at", "2"]], ids=["solve", "worst-case"])
def test_the_answer_so_far_is_printed(tmp_path, words, by, code):
    (tmp_path / "o.py").write_text(SLOW)
    words = [
        words[0],
        "o.py:f",
        *words[1:],
        "--y",
        "2:9",
        "--maxfev",
        "1000",
        "--rng",
        "1",
        "--json",
        "--progress",
        "none",
    ]
    found, out, err = ended(tmp_path, *words, by=by)
    assert (found, err) == (code, "")
    answer = json.loads(out)
    assert answer["nfev"] == 199
    assert answer["fun"] > 0.0
    assert "interrupted" in answer["message"]


def test_an_attack_that_is_ended_tells_its_answer_in_words(tmp_path):
    (tmp_path / "o.py").write_text(SLOW)
    code, out, _ = ended(tmp_path, "worst-case", "o.py:f", "--at", "2", "--y", "2:9")
    assert code == 143
    assert "worst case found: 49, at y = (9)\n199 evaluations. The run was interrupted" in out


def test_a_study_that_is_ended_says_where_it_resumes(tmp_path):
    (tmp_path / "o.py").write_text(STUDY)
    text = 'problems = ["o.py:tank"]\nmethods = ["random-search"]\nbudgets = [30]\nrepetitions = 1'
    (tmp_path / "s.toml").write_text(text)
    code, out, err = ended(tmp_path, "bench", "run", "s.toml", "--workers", "1")
    assert (code, out) == (143, "")
    assert "0 of 1 cells are finished" in err
    assert "resumes" in err


def test_a_signal_is_handled_inside_the_block_alone():
    before = signal.getsignal(signal.SIGTERM)
    with terminable() as is_terminated:
        assert signal.getsignal(signal.SIGTERM) is not before
        assert not is_terminated()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        assert is_terminated()
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_call_of_the_library_installs_no_handler():
    code = (
        "import signal, reckless\n"
        "def f(x, y):\n"
        "    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL\n"
        "    return x[0] * y[0]\n"
        "reckless.minimax(f, [(1, 4)], [(2, 9)], maxfev=30, method='random-search')\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_reader_that_has_gone_is_no_error_of_anybodys_code():
    """`reckless methods | head`: the pipe is closed before all is written."""
    command = [sys.executable, "-c", "from reckless.cli import main; main()", "methods"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    complaint = process.stderr.read()
    process.stderr.close()
    assert (process.wait(), complaint) == (1, "")
