"""Measure what people with real simulators are promised; about 3 minutes on two quiet cores.

python benchmarks/simulators.py             all parts
python benchmarks/simulators.py workers     one of: workers, kills, flaky, journal, plain
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from zlib import crc32

import numpy as np

from reckless import minimax
from reckless.bench.problems import problem

TESTS = Path(__file__).resolve().parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from simulators import Counted, Flaky, l1  # noqa: E402

BOX = [(0.0, 10.0)] * 2
N_KILLS = 20


def nap(x, y):
    time.sleep(0.02)
    return l1(x, y)


def timed(**options):
    begun = time.perf_counter()
    result = minimax(**options)
    return time.perf_counter() - begun, result


class Eights:
    """The smallest population of the bar: 8 pairs at a time, the next ones only after all of these."""

    def search(self, task):
        for _ in task.rounds():
            X, Y = task.rng.random((8, task.n_x)), task.rng.random((8, task.n_y))
            values = yield X, Y
            task.recommend_if_better(X[0], Y[0], values[0])


def workers():
    """1000 evaluations of 20 ms on 2 workers against 1, the start of the processes included."""
    for method, words in ((Eights(), "8 pairs at a time"), ("coevolution-alternating", "100 pairs at a time")):
        options = {"x_bounds": BOX, "y_bounds": BOX, "maxfev": 1000, "method": method, "rng": 7}
        one, first = timed(f=nap, workers=1, **options)
        two, second = timed(f=nap, workers=2, **options)
        assert first.fun == second.fun
        assert first.nfev == second.nfev == 1000
        print(f"workers, {words}: {one:.1f} s on 1, {two:.1f} s on 2: {one / two:.2f}x (bar: 1.8x)")


VICTIM = """
import sys, time
sys.path.insert(0, {tests!r})
from simulators import Counted, l1
from reckless import minimax

def f(x, y):
    time.sleep(0.001)
    return l1(x, y)

minimax(Counted({calls!r}, f), {box}, {box}, maxfev={maxfev}, method="reckless", rng=7, checkpoint={path!r})
"""


def kills():
    """kill -9 at 20 random moments of one run, resumed each time."""
    maxfev, moments = 4000, np.sort(np.random.default_rng(1).integers(1, 3500, size=N_KILLS))
    with tempfile.TemporaryDirectory() as folder:
        calls, path = Path(folder) / "calls", Path(folder) / "run.journal"
        code = VICTIM.format(tests=str(TESTS), calls=str(calls), path=str(path), box=BOX, maxfev=maxfev)
        n_repeated = 0
        for moment in moments:
            n_called, journaled = _count(calls, b"\n"), _journaled(path)
            victim = subprocess.Popen([sys.executable, "-c", code])
            while _count(calls, b"\n") < max(moment, n_called + 1):
                time.sleep(0.0005)
            victim.send_signal(signal.SIGKILL)
            victim.wait()
            n_repeated += len(journaled & {_digest(line) for line in calls.read_text().splitlines()[n_called:]})
        options = {"x_bounds": BOX, "y_bounds": BOX, "maxfev": maxfev, "method": "reckless", "rng": 7}
        resumed = minimax(Counted(calls, l1), checkpoint=path, **options)
        plain = minimax(l1, **options)
    is_same = resumed.x.tobytes() == plain.x.tobytes() and resumed.y.tobytes() == plain.y.tobytes()
    is_same = is_same and (resumed.fun, resumed.nfev, resumed.message) == (plain.fun, plain.nfev, plain.message)
    print(
        f"kills: {N_KILLS}, same result bit for bit: {is_same}, journaled evaluations repeated: {n_repeated} "
        f"(bar: {2 * N_KILLS})"
    )


def _journaled(path):
    """The digests of the pairs whose values are on file."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {line.split()[3] for line in lines if line.startswith("value ") and len(line.split()) == 5}


def _digest(line):
    x, y = map(bytes.fromhex, line.split())
    return f"{crc32(y, crc32(x)):08x}"


def _count(path, what):
    return path.read_bytes().count(what) if path.exists() else 0


def flaky():
    """10 % raise, 10 % NaN, 1 % hang, one crash: L1 in two dimensions."""
    for seed in range(3):
        with tempfile.TemporaryDirectory() as folder:
            seconds, result = timed(
                f=Flaky(Path(folder) / "crashed"),
                x_bounds=BOX,
                y_bounds=BOX,
                maxfev=1500,
                method="reckless",
                rng=seed,
                workers=2,
                on_error="ignore",
                eval_timeout=0.25,
            )
        distance = float(np.abs(result.x - 5.0).max())
        print(
            f"flaky: seed {seed}, {result.nfev} of 1500 evaluations, {result.n_failed} bad, |x - 5| = {distance:.2g}, "
            f"{seconds:.0f} s; first failure: {result.first_failure.summary}"
        )


def journal():
    """What the journal adds to one evaluation."""
    options = {"f": l1, "x_bounds": BOX, "y_bounds": BOX, "maxfev": 30_000, "method": "reckless", "rng": 7}
    timed(**options)
    best = np.inf
    for _ in range(3):
        plain, result = timed(**options)
        with tempfile.TemporaryDirectory() as folder:
            journaled, _ = timed(**options, checkpoint=os.path.join(folder, "run.journal"))
        best = min(best, 1e6 * (journaled - plain) / result.nfev)
    print(f"journal: {best:.1f} microseconds per evaluation (bar: 50)")


def plain():
    """The path without any of this: a vectorized f, no workers, no journal."""
    found = problem("L1")
    options = {"maxfev": 100_000, "method": "reckless", "rng": 7, "vectorized": True}
    runs = [timed(f=found.function, x_bounds=found.x_bounds, y_bounds=found.y_bounds, **options) for _ in range(5)]
    print(f"plain: {1e6 * min(seconds / result.nfev for seconds, result in runs):.2f} microseconds per evaluation")


PARTS = {part.__name__: part for part in (workers, kills, flaky, journal, plain)}

if __name__ == "__main__":
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()
