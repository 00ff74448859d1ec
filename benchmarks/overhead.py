"""Measure what one batch of pairs costs beyond f, and compare it with another checkout on the same machine.

python benchmarks/overhead.py                       this checkout: microseconds per batch
python benchmarks/overhead.py --against CHECKOUT    both in turn, their ratios and the bars; 3 minutes
python benchmarks/overhead.py --quick ...           a rough look at either in half a minute

A probe asks for batches of 1, 10 and 100 pairs and does nothing else. Every method of the catalog solves a small
problem. The time of a run divided by the number of batches is the price of a batch. It includes f, which takes less
than 1 microsecond per batch, and the start of the run, which takes less than 1 of some 30 milliseconds.

plain       a vectorized f and no options
counted     failures are repeated once, then counted; f has none
journal     a checkpoint file
scalar f    plain, but f takes one pair

All times are processor time: waiting for a disk or for other programs is not counted. Each checkout runs in a process
of its own, and one of them at a time. A ratio is the median over pairs of successive runs, one of each checkout, since
the speed of a machine drifts. Both processes are restarted several times, since the same code may be 3 percent faster
in one process than in another. Do not edit either checkout meanwhile.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

import reckless

HERE = Path(__file__).resolve().parent.parent
X_BOUNDS, Y_BOUNDS = [(0.0, 5.0)] * 3, [(1.0, 4.0)] * 3
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "NUMBA", "VECLIB_MAXIMUM")}

METHOD_BUDGETS = {
    "danskin": 3_000,
    "reckless-cr": 15_000,
    "reckless-anr": 15_000,
    "mmde": 8_000,
    "coevolution-alternating": 40_000,
    "coevolution-parallel": 40_000,
    "random-search": 160_000,
}
BUDGET_SHARES = {"plain": 1.0, "counted": 0.5, "journal": 0.25}  # shorter where a batch costs more
PROBE_BATCHES = {  # way -> batch size -> number of batches; a run takes some 30 ms
    "plain": {1: 8_000, 10: 7_000, 100: 6_000},
    "counted": {1: 2_000, 10: 1_200, 100: 300},
    "journal": {1: 1_200, 10: 600, 100: 100},
    "scalar f": {1: 5_000, 10: 3_000},
}
PROBE_BARS = {"plain": 1.03, "counted": 1.05, "journal": 1.05}  # for each batch size, against the commit before
MEDIAN_BAR, WORST_BAR = 1.03, 1.1  # for the methods, plain


class Effort(NamedTuple):
    """How often each checkout gets a fresh process, and how often every case is run in each."""

    n_processes: int
    n_runs: int


FULL, QUICK = Effort(6, 8), Effort(2, 4)


class Case(NamedTuple):
    """What is run: a method of the catalog or, if `batch_size` is not 0, the probe."""

    method: str
    way: str
    maxfev: int
    batch_size: int = 0

    @property
    def is_scalar(self):
        return self.way == "scalar f"


def all_cases():
    for way, n_batches in PROBE_BATCHES.items():
        for size, n in n_batches.items():
            yield Case(f"batches of {size}", way, size * n, size)
    for method, maxfev in METHOD_BUDGETS.items():
        for way, share in BUDGET_SHARES.items():
            yield Case(method, way, int(share * maxfev))


# In a worker process.


class Probe:
    """Ask for batches of one size, drawn beforehand, and recommend a pair of every 16th."""

    def __init__(self, batch_size):
        rng = np.random.default_rng(1)
        self._batches = [tuple(rng.random((2, batch_size, 3))) for _ in range(7)]

    def __repr__(self):
        return "Probe()"

    def search(self, task):
        for k in task.rounds():
            X, Y = self._batches[k % 7]
            values = yield X, Y
            if k % 16 == 0:
                task.recommend(X[0], Y[0], float(values[0]))


def difference(X, Y):
    return X[:, 0] - Y[:, 0]


def scalar_difference(x, y):
    return float(x[0] - y[0])


@njit(cache=True)  # in NumPy it would cost as much as the rest of a batch
def saddle(X, Y):
    values = np.zeros(X.shape[0])
    for k in range(X.shape[0]):
        for i in range(X.shape[1]):
            values[k] += (X[k, i] - 2.0 * Y[k, i]) * (X[k, i] + Y[k, i] - 5.0)
    return values


@cache
def counting_failures():
    """Return the options that repeat a failed evaluation once and then go on, in the words of this version."""
    for word in ("ignore", "count"):
        options = {"retries": 1, "on_error": word, "nan_policy": word}
        try:
            reckless.minimax(scalar_difference, X_BOUNDS, Y_BOUNDS, maxfev=1, method="random-search", rng=7, **options)
        except ValueError:
            continue
        return options
    raise RuntimeError("This version has no known word for failures that do not end a run.")


def options_of(case, folder):
    """Return the arguments of `minimax` other than f."""
    options = {
        "x_bounds": X_BOUNDS,
        "y_bounds": Y_BOUNDS,
        "maxfev": case.maxfev,
        "method": Probe(case.batch_size) if case.batch_size else case.method,
        "rng": 7,
        "vectorized": not case.is_scalar,
    }
    if case.way == "counted":
        options |= counting_failures()
    elif case.way == "journal":
        options["checkpoint"] = Path(folder) / "run.journal"
    return options


def objective_of(case):
    if case.is_scalar:
        return scalar_difference
    return difference if case.batch_size else saddle


def seconds_of(case, f):
    """Run once; return the processor time."""
    with tempfile.TemporaryDirectory() as folder:
        options = options_of(case, folder)
        gc.collect()
        begun = time.process_time()
        reckless.minimax(f, **options)
        return time.process_time() - begun


def n_batches_of(case):
    """Run once; return the number of batches that reach f."""
    f, n_calls = objective_of(case), 0

    def counted(X, Y):
        nonlocal n_calls
        n_calls += 1
        return f(X, Y)

    seconds_of(case, counted)
    return n_calls // case.batch_size if case.is_scalar else n_calls


def work():
    """Say where the package is and how many batches each case has; then run the cases asked for, a line each."""
    cases = list(all_cases())
    n_batches = [n_batches_of(case) for case in cases]  # also compiles all kernels
    gc.freeze()
    print(json.dumps({"package": reckless.__file__, "n_batches": n_batches}), flush=True)
    for line in sys.stdin:
        k = json.loads(line)["case"]
        seconds = seconds_of(cases[k], objective_of(cases[k]))
        print(json.dumps({"microseconds": 1e6 * seconds / n_batches[k]}), flush=True)


# In the process that asks.


class Worker:
    """A process that runs the code of one checkout; a context manager."""

    def __init__(self, checkout):
        source = (checkout / "src").resolve()
        path = os.pathsep.join(filter(None, [str(source), os.environ.get("PYTHONPATH")]))
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": path},
        )
        hello = self._reply()
        if source not in Path(hello["package"]).resolve().parents:
            sys.exit(f"{checkout}: expected a package in {source}, but imported {hello['package']}.")
        self.n_batches = hello["n_batches"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait()

    def microseconds(self, k):
        """Run case k once; return the microseconds per batch."""
        self._process.stdin.write(json.dumps({"case": k}) + "\n")
        self._process.stdin.flush()
        return self._reply()["microseconds"]

    def _reply(self):
        line = self._process.stdout.readline()
        if not line:
            sys.exit("A worker process ended; its error is above.")
        return json.loads(line)


def measure(checkouts, effort):
    """Return microseconds per batch (case, run, checkout), and how many batches a run has (checkout, case)."""
    cases, runs = range(len(list(all_cases()))), []
    for _ in range(effort.n_processes):
        with ExitStack() as stack:
            workers = [stack.enter_context(Worker(checkout)) for checkout in checkouts]
            n_batches = [worker.n_batches for worker in workers]
            for turn in range(effort.n_runs):
                runs.append([in_turn(workers, k, is_reversed=turn % 2 == 1) for k in cases])
    return np.array(runs).swapaxes(0, 1), n_batches


def in_turn(workers, k, *, is_reversed):
    """Run case k once in each worker, in either order; return the times in the order of the workers."""
    if is_reversed:
        return [worker.microseconds(k) for worker in reversed(workers)][::-1]
    return [worker.microseconds(k) for worker in workers]


def print_times(runs):
    print(f"{'':24} {'way':8} {'us':>8}")
    for case, times in zip(all_cases(), runs[:, :, 0], strict=True):
        print(f"{case.method:24} {case.way:8} {np.median(times):8.1f}")


def print_ratios(runs, n_batches):
    """Print both checkouts' times, the old one's first; return the ratios by case."""
    print(f"{'':24} {'way':8} {'old us':>8} {'new us':>8} {'ratio':>6}")
    ratios = {}
    for case, times, *counts in zip(all_cases(), runs, *n_batches, strict=True):
        old, new = np.median(times, axis=0)
        ratios[case] = float(np.median(times[:, 1] / times[:, 0]))
        remark = "" if counts[0] == counts[1] else f"  {counts[0]} batches before, {counts[1]} now"
        print(f"{case.method:24} {case.way:8} {old:8.1f} {new:8.1f} {ratios[case]:6.2f}{remark}")
    return ratios


def bars_of(ratios):
    """Yield what is limited, its ratio and the limit."""
    for case, ratio in ratios.items():
        if case.batch_size and case.way in PROBE_BARS:
            yield f"{case.method}, {case.way}", ratio, PROBE_BARS[case.way]
    plain = [ratio for case, ratio in ratios.items() if not case.batch_size and case.way == "plain"]
    yield "methods, plain, median", float(np.median(plain)), MEDIAN_BAR
    yield "methods, plain, worst", max(plain), WORST_BAR


def print_bars(ratios):
    """Print the bars; return whether all are met."""
    print(f"\n{'bar':33} {'ratio':>8} {'at most':>8}")
    are_met = True
    for words, ratio, limit in bars_of(ratios):
        are_met = are_met and ratio <= limit
        print(f"{words:33} {ratio:8.2f} {limit:8.2f}  {'met' if ratio <= limit else 'missed'}")
    return are_met


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", metavar="CHECKOUT", type=Path, help="another copy of this repository, the old one")
    parser.add_argument("--quick", action="store_true", help="take fewer runs; ratios then vary by 10 percent")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        return work()
    effort = QUICK if given.quick else FULL
    if given.against is None:
        return print_times(measure([HERE], effort)[0])
    ratios = print_ratios(*measure([given.against, HERE], effort))
    return 0 if print_bars(ratios) else 1


if __name__ == "__main__":
    sys.exit(main())
