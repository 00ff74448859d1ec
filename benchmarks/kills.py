"""Kill workers and callers at random moments: the journal must resume to the same bits, and no process may be left.

python benchmarks/kills.py                      50 moments each, about 40 minutes on two cores
python benchmarks/kills.py 10                   10 moments each
python benchmarks/kills.py 10 program SIGINT    only cases with these words
Linux only. All that is started carries a mark in its environment; only what carries it is ended.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

MARK = f"RECKLESS_KILLS={os.getpid()}.{time.time_ns()}"
MOST_SECONDS = 60.0  # for one run; one that takes longer hangs
LEFT_SECONDS = 2.0  # after the end of the caller, in which all must be gone

# A simulator that starts one process for good, and one per evaluation, each second one in a session of its own.
SIMULATE = """
import itertools, subprocess, time
numbers = itertools.count()
def start(number):
    return subprocess.Popen(["sleep", "600"], start_new_session=number % 2 == 0)
def simulate(x, y):
    number = next(numbers)
    if number == 0:
        start(number)
    child = start(number)
    time.sleep(0.005)
    child.kill()
    child.wait()
    return (x[0] - 2.0) ** 2 + 0.5 * (x[0] - 2.0) * (y[0] - 5.0) - (y[0] - 5.0) ** 2
"""
PROGRAM = f"""{SIMULATE}
import json, sys
for line in sys.stdin:
    pair = json.loads(line)
    print(json.dumps({{"id": pair["id"], "value": simulate(pair["x"], pair["y"])}}), flush=True)
"""
CALLER = """
import sys, warnings
from contextlib import suppress
warnings.simplefilter("ignore")
import reckless
def solve(f):
    options = dict(maxfev=100, rng=7, checkpoint="run.journal") | dict(method="reckless") | dict({options})
    for maxfev in options.pop("before", []):
        with suppress(reckless.InvalidJournal):  # the file has gone on meanwhile
            reckless.minimax(f, [(1, 4)], [(2, 9)], **{{**options, "maxfev": maxfev}})
    found = reckless.minimax(f, [(1, 4)], [(2, 9)], **options)
    with open("answer", "w") as file:
        file.write(" ".join(map(float.hex, [found.fun, *found.x, *found.y])) + f" {{found.nfev}} {{found.status}}")
"""
FUNCTION = f"{SIMULATE}\n{CALLER.format(options='workers=2')}\nsolve(simulate)"
EXTENDED = f"""{SIMULATE}
{CALLER.format(options='workers=2, method="danskin", before=[40, 60], verify=30')}
solve(simulate)"""
SINGLE = f"{CALLER.format(options='')}\nsolve(reckless.Command([sys.executable, '-c', {PROGRAM!r}]))"
SEVERAL = f"{CALLER.format(options='workers=2')}\nsolve(reckless.Command([sys.executable, '-c', {PROGRAM!r}]))"

CASES = {
    "function, workers=2, SIGKILL of a worker": (FUNCTION, None),
    "function, workers=2, SIGTERM of the caller": (FUNCTION, signal.SIGTERM),
    "function, workers=2, SIGINT of the caller": (FUNCTION, signal.SIGINT),
    "function, workers=2, SIGKILL of the caller": (FUNCTION, signal.SIGKILL),
    "extended twice, workers=2, SIGKILL of the caller": (EXTENDED, signal.SIGKILL),
    "program, workers=2, SIGKILL of a worker": (SEVERAL, None),
    "program, SIGTERM of the caller": (SINGLE, signal.SIGTERM),
    "program, SIGINT of the caller": (SINGLE, signal.SIGINT),
    "program, SIGKILL of the caller": (SINGLE, signal.SIGKILL),
}


def start(code, folder):
    name, _, value = MARK.partition("=")
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, name: value, "OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def marked():
    """Return the numbers and the command lines of what was started here and is still running."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            if MARK.encode() in Path(f"/proc/{name}/environ").read_bytes():
                found[int(name)] = Path(f"/proc/{name}/cmdline").read_bytes()
    return found


def n_left():
    """Return how many processes are left when all must be gone, and end them."""
    deadline = time.monotonic() + LEFT_SECONDS
    while (left := marked()) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid, words in left.items():
        print(f"  left: {pid} {words[:80]!r}")
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return len(left)


def undisturbed(code, folder):
    """Run to the end; return the answer, the seconds it took, and how many processes it left."""
    begun = time.monotonic()
    start(code, folder).wait(MOST_SECONDS)
    return (Path(folder) / "answer").read_text(), time.monotonic() - begun, n_left()


def strike(caller, number, rng):
    """Kill a worker, as soon as there is one, or send a signal to the caller; return whether it was there.

    Ctrl-C goes to the whole group, as from a terminal.
    """
    workers = []
    while caller.poll() is None and number is None and not workers:
        workers = sorted(pid for pid, words in marked().items() if b"popen_loky" in words)
    if caller.poll() is not None:
        return False
    if number is None:
        with suppress(ProcessLookupError):
            os.kill(int(rng.choice(workers)), signal.SIGKILL)
        return True
    if number is signal.SIGINT:
        os.killpg(caller.pid, number)
    else:
        caller.send_signal(number)
    return True


def measure(name, n_moments):
    code, number = CASES[name]
    rng = np.random.default_rng([n_moments, list(CASES).index(name)])
    with tempfile.TemporaryDirectory() as folder:
        expected, seconds, n_processes = undisturbed(code, folder)
    n_same = n_struck = 0
    for moment in rng.uniform(0.1 * seconds, seconds, n_moments):
        with tempfile.TemporaryDirectory() as folder:
            caller = start(code, folder)
            time.sleep(moment)
            n_struck += strike(caller, number, rng)
            try:
                caller.wait(MOST_SECONDS)
            except subprocess.TimeoutExpired:
                print(f"  hangs after {moment:.3f} s")
                caller.kill()
                caller.wait()
            n_processes += n_left()
            answer, _, n_more = undisturbed(code, folder)
            n_processes += n_more
            n_same += answer == expected
    print(f"{name}: {n_struck} of {n_moments} struck, {n_same} the same bits, {n_processes} processes left", flush=True)


if __name__ == "__main__":
    n_moments = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    for name in CASES:
        if all(word in name for word in sys.argv[2:]):
            measure(name, n_moments)
