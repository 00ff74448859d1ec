"""Run IBCDFO's manifold sampling on the lists: python benchmarks/manifold_sampling.py [--out flagship.jsonl].

It needs the package ibcdfo. The runs are stored as those of flagship.py, which prints the table:
python benchmarks/flagship.py --method ibcdfo --rows lists --runs 3 --first-seed 7001 --judge. An evaluation of IBCDFO
returns the values of all k functions at one x and counts k. It is restarted from a random x when it ends, until the
regret is below 1e-7.
"""

import argparse
import math
import time
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from flagship_rows import make_rows
from flagship_runs import SOLVED, Cell, Run, append_run, read_runs

from reckless.bench.problems import Problem, find_problem

N_RUNS, FIRST_SEED = 3, 7001
ENOUGH = 1e-7  # regret that ends a run
AT_ONCE = 1_000  # evaluations of one descent at most
EQUAL = 1e-8  # values closer than this, relatively, are largest together


def largest(values: np.ndarray, names: list[str] | None = None) -> tuple[Any, ...]:
    """Return the outer function max as IBCDFO asks for it: its value, gradients and names of the active functions.

    With names given: the values and gradients of these functions.
    """
    top = values.max()
    active = np.flatnonzero(values >= top - EQUAL * (1.0 + abs(top))) if names is None else np.array(names, dtype=int)
    gradients = np.zeros((values.size, active.size))
    gradients[active, np.arange(active.size)] = 1.0
    return (top, gradients, [str(i) for i in active]) if names is None else (values[active], gradients)


def descend(p: Problem, cell: Cell) -> np.ndarray:
    """Return the worst case of each x evaluated, restart after restart."""
    from ibcdfo import run_MSP

    numbers = p.y_bounds.points
    low, high = np.array(p.x_bounds).T
    n_most, found = cell.maxfev // len(numbers), []

    def evaluate(x: np.ndarray) -> np.ndarray:
        values = p.function(np.broadcast_to(np.ravel(x), (len(numbers), p.n_x)), numbers)
        found.append(values.max())
        return values

    rng = np.random.default_rng(cell.seed)
    while len(found) < n_most and min(found, default=math.inf) - p.optimum.value > ENOUGH:
        before = len(found)
        with redirect_stdout(StringIO()):  # it prints a line per step
            run_MSP(largest, evaluate, rng.uniform(low, high), low, high, min(n_most - before, AT_ONCE), "linprog")
        if len(found) - before < p.n_x + 2:  # too few left for a model
            break
    return np.array(found)


def measure(cell: Cell) -> Run:
    p = find_problem(cell.problem)
    k = p.y_bounds.n_scenarios
    start = time.process_time()
    found = descend(p, cell)
    seconds = time.process_time() - start
    hits = np.flatnonzero(found - p.optimum.value <= SOLVED)
    return Run(
        row=cell.row,
        problem=cell.problem,
        method=cell.method,
        maxfev=cell.maxfev,
        seed=cell.seed,
        nfev=k * found.size,
        regret=float(found.min() - p.optimum.value),
        first_hit=float(k * (1 + hits[0])) if hits.size else math.inf,
        requests=float(1 + hits[0]) if hits.size else math.inf,
        score=math.nan,
        error=0.0,  # all k values are known
        success=True,
        is_honest=True,
        agreement="None",
        overhead=1e6 * seconds / (k * found.size),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("flagship.jsonl"), help="where the runs are stored")
    options = parser.parse_args()
    done = {run.key for run in read_runs(options.out)}
    for row in make_rows():
        for cell in row.cells("ibcdfo", N_RUNS, FIRST_SEED) if row.name == "lists" else []:
            if cell.key not in done:
                run = measure(cell)
                append_run(options.out, run)
                print(
                    f"{cell.problem}  seed {cell.seed}  first hit {run.first_hit}  regret {run.regret:.1e}", flush=True
                )


if __name__ == "__main__":
    main()
