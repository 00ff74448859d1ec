"""Measure the library against its bars; every ratio is taken within one run on one machine.

python benchmarks/bars.py             all parts, about 5 minutes
python benchmarks/bars.py speed       one of: evaluations, speed, import, regret
"""

import subprocess
import sys
import time
import warnings

import cma
import numpy as np

from reckless import minimax
from reckless.bench.problems import problem
from reckless.methods.reckless import split_budget
from reckless.strategies.cma import CMAES

QUIET = {
    "verbose": -9,
    "tolfun": 0,
    "tolx": 0,
    "tolfunhist": 0,
    "tolflatfitness": 10**9,
    "tolstagnation": 10**9,
}


def sphere(X):
    return np.sum(X**2, axis=1)


def ellipsoid(X):
    return X**2 @ 10.0 ** np.linspace(0.0, 6.0, X.shape[1])


def rosenbrock(X):
    return np.sum(100.0 * (X[:, 1:] - X[:, :-1] ** 2) ** 2 + (1.0 - X[:, :-1]) ** 2, axis=1)


def ours_to_target(f, start, seed):
    """Evaluations until f < 1e-8 in the box [-5, 5]^n; infinite if that never happens."""
    search = CMAES().search((start + 5.0) / 10.0, 200_000, np.random.default_rng(seed))
    n_used, points = 0, next(search)
    try:
        while True:
            values = f(10.0 * points - 5.0)
            if values.min() < 1e-8:
                return n_used + int(np.argmax(values < 1e-8)) + 1
            n_used += len(values)
            points = search.send(values)
    except StopIteration:
        return np.inf


def pycma_to_target(f, start, seed):
    es = cma.CMAEvolutionStrategy(start, 2.5, {**QUIET, "seed": seed + 1, "bounds": [-5, 5], "maxfevals": 200_000})
    n_used = 0
    while not es.stop():
        points = es.ask()
        values = f(np.array(points))
        if values.min() < 1e-8:
            return n_used + int(np.argmax(values < 1e-8)) + 1
        n_used += len(values)
        es.tell(points, values)
    return np.inf


def compare_evaluations():
    print("\nCMA-ES: median evaluations to 1e-8, box [-5, 5]^n, sigma 2.5; bar: ratio at most 1.15")
    print("15 seeds; at n = 2, where the ratio of two medians of 15 still varies by 20 %, 150 seeds")
    print(f"{'function':12} {'n':>3} {'ours':>8} {'pycma':>8} {'ratio':>6}")
    for f in (sphere, ellipsoid, rosenbrock):
        for n in (2, 10, 20):
            starts = [np.random.default_rng(1000 + seed).uniform(-5.0, 5.0, n) for seed in range(150 if n == 2 else 15)]
            ours = np.median([ours_to_target(f, start, seed) for seed, start in enumerate(starts)])
            theirs = np.median([pycma_to_target(f, start, seed) for seed, start in enumerate(starts)])
            print(f"{f.__name__:12} {n:3} {ours:8.0f} {theirs:8.0f} {ours / theirs:6.2f}", flush=True)


def ours_per_evaluation(n, n_generations):
    search = CMAES(sigma=1e-3).search(np.full(n, 0.3), 10**9, np.random.default_rng(1))
    points, n_used = next(search), 0
    start = time.perf_counter()
    for _ in range(n_generations):
        points = search.send(sphere(points - 0.4))
        n_used += len(points)
    return (time.perf_counter() - start) / n_used


def pycma_per_evaluation(n, n_generations, bounds):
    es = cma.CMAEvolutionStrategy(np.full(n, 0.3), 1e-3, {**QUIET, "seed": 1, "bounds": bounds})
    n_used = 0
    start = time.perf_counter()
    for _ in range(n_generations):
        points = es.ask()
        es.tell(points, sphere(np.array(points) - 0.4))
        n_used += len(points)
    return (time.perf_counter() - start) / n_used


def best_of(measure, *arguments):
    return min(measure(*arguments) for _ in range(12))


def pycma_nested_loops(f, n, maxfev, seed):
    """Reckless CR with s = .5 on pycma: the same plan, BIPOP-like restarts inside, one run outside."""
    rng = np.random.default_rng(seed)
    plan = split_budget(maxfev, n, n, 0.5)
    x, y, step, n_used, best = rng.random(n), rng.random(n), None, 0, np.inf
    for _ in range(plan.n_rounds):
        left, value = plan.inner, -np.inf
        while left > 0:
            found, found_value, used = pycma_run(lambda Y, x=x: -f(np.tile(x, (len(Y), 1)), Y), y, left)
            left, n_used = left - used, n_used + used
            if -found_value > value:
                worst, value = found, -found_value
            y = rng.random(n)
        best = min(best, value)
        x_next, _, used = pycma_run(lambda X, y=worst: f(X, np.tile(y, (len(X), 1))), x, plan.outer)
        n_used += used
        if step is not None and (x_next - x) @ step <= 0.0:
            x, y, step = rng.random(n), rng.random(n), None
        else:
            x, y, step = x_next, worst, x_next - x
    return n_used


def pycma_run(f, start, maxfev):
    options = {"verbose": -9, "bounds": [0, 1], "maxfevals": maxfev, "tolfun": 1e-11, "tolx": 1e-11}
    es = cma.CMAEvolutionStrategy(start, 0.25, options)
    while not es.stop():
        points = es.ask()
        es.tell(points, f(np.array(points)))
    return es.result.xbest, es.result.fbest, es.result.evaluations


def compare_speed():
    print("\nCMA-ES: microseconds per evaluation of a vectorized sphere; bars: 25, 20, 10 times faster")
    print(f"{'n':>3} {'ours':>7} {'pycma in a box':>15} {'ratio':>6} {'pycma unbounded':>16} {'ratio':>6}")
    for n, n_generations in ((3, 80), (10, 150), (50, 150)):
        ours_per_evaluation(n, 5)
        ours = best_of(ours_per_evaluation, n, n_generations)
        boxed = best_of(pycma_per_evaluation, n, n_generations, [0, 1])
        free = best_of(pycma_per_evaluation, n, n_generations, None)
        print(f"{n:3} {1e6 * ours:7.2f} {1e6 * boxed:15.1f} {boxed / ours:6.1f} {1e6 * free:16.1f} {free / ours:6.1f}")

    print("\nReckless CR on L1, n = 3, 1e5 evaluations, vectorized; bar: 20 times faster than the same on pycma")
    L1 = problem("L1")
    minimax(L1.function, L1.x_bounds, L1.y_bounds, maxfev=3000, method="reckless", rng=1, vectorized=True)
    timings = []
    for seed in range(3):
        start = time.perf_counter()
        run = minimax(L1.function, L1.x_bounds, L1.y_bounds, maxfev=10**5, method="reckless", rng=seed, vectorized=True)
        ours = (time.perf_counter() - start) / run.nfev
        start = time.perf_counter()
        n_used = pycma_nested_loops(lambda X, Y: L1.function(10.0 * X, 10.0 * Y), 3, 10**5, seed)
        timings.append((ours, (time.perf_counter() - start) / n_used))
    ours, theirs = np.median(timings, axis=0)
    print(f"ours {1e6 * ours:.2f}, pycma {1e6 * theirs:.1f} microseconds per evaluation, ratio {theirs / ours:.1f}")


def compare_import():
    print("\nimport reckless: bar: under 0.3 s")
    code = "import time; t = time.perf_counter(); import reckless; print(time.perf_counter() - t)"
    seconds = [float(subprocess.run([sys.executable, "-c", code], capture_output=True).stdout) for _ in range(5)]
    code = "import time; t = time.perf_counter(); import reckless; reckless.minimax; print(time.perf_counter() - t)"
    first_use = [float(subprocess.run([sys.executable, "-c", code], capture_output=True).stdout) for _ in range(5)]
    print(f"{np.median(seconds):.4f} s; with everything that minimax needs {np.median(first_use):.2f} s")


def compare_regret():
    print("\nMedian regret of 20 seeds at 1e5 evaluations")
    methods = ("reckless", "mmde", "coevolution-alternating", "coevolution-parallel", "random-search")
    print(f"{'':4}" + "".join(f"{name:>25}" for name in methods))
    for name in ("L1", "L2", "L3", "L4", "L5", "L6"):
        p = problem(name)
        row = []
        for method in methods:
            xs = [
                minimax(p.function, p.x_bounds, p.y_bounds, maxfev=10**5, method=method, rng=seed, vectorized=True).x
                for seed in range(20)
            ]
            row.append(np.median(p.worst_case(np.array(xs))[0] - p.optimum.value))
        print(f"{name:4}" + "".join(f"{regret:25.2e}" for regret in row), flush=True)


PARTS = {
    "evaluations": compare_evaluations,
    "speed": compare_speed,
    "import": compare_import,
    "regret": compare_regret,
}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
