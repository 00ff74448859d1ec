"""What f starts ends with whoever called f: workers, programs and the main process, however they end."""

import signal
import subprocess
import sys

import pytest

from processes import is_running, wait_until
from reckless.evaluation.guard import HAS_PROC

pytestmark = pytest.mark.skipif(not HAS_PROC, reason="elsewhere only process groups are killed")

# f starts a process, in a session of its own, and notes both; `then` says what it does next.
SCRIPT = """
import os, signal, subprocess, sys, time, reckless
def f(x, y):
    child = subprocess.Popen(["sleep", "1000"], start_new_session=True, {options})
    with open({notes!r}, "a") as file:
        file.write(f"{{os.getpid()}} {{child.pid}}\\n")
    {then}
    return x[0] - y[0]
reckless.minimax(f, [(1, 2)], [(3, 4)], maxfev={maxfev}, method="random-search", rng=1, **{arguments})
"""
WAIT = "time.sleep(1000)"

PROGRAM = """
import json, subprocess, sys, time
child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
with open({notes!r}, "a") as file:
    file.write(f"{{child.pid}}\\n")
time.sleep(1000)
"""

CALLER = """
import sys, reckless
f = reckless.Command([sys.executable, "-c", {program!r}])
reckless.minimax(f, [(1, 2)], [(3, 4)], maxfev=9, method="random-search", rng=1, **{arguments})
"""


def pids(notes):
    return [int(word) for word in notes.read_text().split()] if notes.exists() else []


def wait_for_the_end(notes):
    wait_until(lambda: not any(is_running(pid) for pid in pids(notes)))


def script(notes, then="pass", maxfev=2, options="", **arguments):
    return SCRIPT.format(notes=str(notes), then=then, maxfev=maxfev, options=options, arguments=arguments)


@pytest.mark.parametrize(
    ("then", "arguments"),
    [
        ("pass", {"workers": 1, "on_error": "ignore"}),
        (WAIT, {"maxfev": 1, "eval_timeout": 1.0, "workers": 1, "on_error": "ignore"}),
        (WAIT, {"maxfev": 1, "eval_timeout": 1.0, "workers": 1, "on_error": "ignore", "options": "env={}"}),
        ("os.kill(os.getpid(), signal.SIGKILL)", {"workers": 1, "on_error": "ignore"}),
        ("raise ValueError", {"workers": 1}),
    ],
    ids=["the end", "a timeout", "a timeout, without an environment", "kill -9 of the worker", "an exception"],
)
def test_what_f_started_ends_with_its_worker(tmp_path, then, arguments):
    notes = tmp_path / "pids"
    subprocess.run([sys.executable, "-c", script(notes, then, **arguments)], stderr=subprocess.DEVNULL, timeout=120)
    assert len(pids(notes)) >= 2
    assert not [pid for pid in pids(notes) if is_running(pid)]


def check_nothing_outlives(code, notes, n_processes, number):
    """Send a signal to a caller once it has that many processes noted; all of them must end."""
    main = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: len(pids(notes)) >= n_processes)
        main.send_signal(number)
        wait_for_the_end(notes)
        main.wait(60)
    finally:
        main.kill()
        main.wait()
    assert len(pids(notes)) >= n_processes


SIGNALS = pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name
)


@SIGNALS
def test_two_workers_and_what_f_started_in_them_end_with_the_caller(tmp_path, number):
    notes = tmp_path / "pids"
    check_nothing_outlives(script(notes, WAIT, maxfev=9, workers=2), notes, 4, number)


@SIGNALS
@pytest.mark.parametrize("workers", [None, 2])
def test_what_a_program_started_ends_with_the_caller(tmp_path, number, workers):
    notes = tmp_path / "pids"
    code = CALLER.format(program=PROGRAM.format(notes=str(notes)), arguments={"workers": workers})
    check_nothing_outlives(code, notes, workers or 1, number)


def test_a_program_that_is_replaced_leaves_nothing_behind_in_its_worker(tmp_path):
    notes = tmp_path / "pids"
    program = PROGRAM.format(notes=str(notes)).replace("time.sleep(1000)", "print('no answer', flush=True)")
    wait = (
        f"while any(os.path.exists(f'/proc/{{pid}}') for pid in open({str(notes)!r}).read().split()): time.sleep(.01)"
    )
    code = (
        "import os, sys, time, reckless\n"
        f"program = reckless.Command([sys.executable, '-c', {program!r}])\n"
        "def f(x, y):\n    try:\n        program(x, y)\n    except reckless.CommandFailed:\n        pass\n"
        f"    {wait}\n    return 1.0\n"
        "reckless.minimax(f, [(1, 2)], [(3, 4)], maxfev=1, method='random-search', rng=1, eval_timeout=60)\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=120)
    assert len(pids(notes)) == 1


def test_f_may_start_processes_and_workers_of_its_own(tmp_path):
    code = (
        "import multiprocessing, os, reckless\n"
        "def inner(x, y):\n    return float(os.getpid())\n"
        "def f(x, y):\n"
        "    for method in ('spawn', 'fork', None):\n"
        "        with multiprocessing.get_context(method).Pool(1) as pool:\n"
        "            assert pool.apply(abs, (-3,)) == 3\n"
        "    r = reckless.minimax(inner, [(1, 2)], [(3, 4)], maxfev=2, method='random-search',\n"
        "                         workers=1, on_error='ignore')\n"
        "    assert r.n_failed == 0 and r.fun != os.getpid()\n"
        "    return x[0] - y[0]\n"
        "r = reckless.minimax(f, [(1, 2)], [(3, 4)], maxfev=2, method='random-search', rng=1, workers=1)\n"
        "print(r.nfev, r.n_failed)\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("2 0\n", "")


def test_the_death_of_a_worker_is_noticed_though_a_fork_of_it_holds_its_pipe(tmp_path):
    then = "os.fork() or time.sleep(1000); os.kill(os.getpid(), signal.SIGKILL)"
    code = script(tmp_path / "pids", then, maxfev=1, workers=1, on_error="ignore")
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
    assert not [pid for pid in pids(tmp_path / "pids") if is_running(pid)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=lambda number: number.name)
def test_workers_of_workers_end_with_the_caller(tmp_path, number):
    notes = tmp_path / "pids"
    inner = script(notes, WAIT, workers=1)
    code = (
        f"import reckless\ndef f(x, y):\n    exec({inner!r}, {{}})\n"
        "reckless.minimax(f, [(1, 2)], [(3, 4)], maxfev=2, method='random-search', rng=1, workers=1)\n"
    )
    check_nothing_outlives(code, notes, 2, number)
