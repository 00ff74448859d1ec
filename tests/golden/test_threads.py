"""The answer does not depend on the number of threads of BLAS, which decides in which order it adds."""

import os
import subprocess
import sys
from pathlib import Path

import reckless

FOLDERS = [str(Path(reckless.__file__).parents[1]), str(Path(__file__).parents[1])]


SHOW = """
import sys
from golden.record import show
for case in sys.argv[1:]:
    show(case)
"""


def facts(cases, n_threads):
    """Return all that a user can tell of the runs, one after the other, in a process of its own."""
    threads = {f"{library}_NUM_THREADS": str(n_threads) for library in ("OPENBLAS", "OMP", "MKL")}
    environment = {**os.environ, **threads, "PYTHONPATH": os.pathsep.join(FOLDERS)}
    command = [sys.executable, "-c", SHOW, *cases]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()


def test_regression_under_noise_gives_the_same_bits_with_one_thread_and_with_two():
    cases = [f"danskin on {problem}, rows, 2000 evaluations, seed 3" for problem in ("noisy-L1", "corners-noise")]
    one, two = (facts(cases, n) for n in (1, 2))
    assert len(one) > 2 * 2000
    assert one == two


def test_a_surrogate_gives_the_same_bits_with_one_thread_and_with_four():
    """With all threads of BLAS, this run differed before its 21st pair, and took 70 times as long."""
    one, four = (facts(["surrogate on MWP6, scalar, 40 evaluations, seed 1"], n) for n in (1, 4))
    assert len(one) > 40
    assert one == four
