"""Compiled code where no directory can be written: the same results, and one warning."""

import subprocess
import sys

WITHOUT_CACHE = """
from numba.core import caching
caching.CacheImpl._locator_classes = []  # as where nothing can be written

import reckless
from reckless.bench.problems import problem

p = problem("filter")
result = reckless.minimax(p.function, p.x_bounds, p.y_bounds, maxfev=300, method="mmde", rng=1, vectorized=True)
print(result.x.tolist(), result.fun)
"""


def output(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


def test_without_a_cache_runs_are_the_same_after_one_warning():
    with_cache = output("\n".join(WITHOUT_CACHE.splitlines()[4:]))
    without = output(WITHOUT_CACHE)
    assert without[0] == with_cache[0] != ""
    assert with_cache[1] == ""
    assert without[1].count("CompilingWarning") == 1
    assert "NUMBA_CACHE_DIR" in without[1]
