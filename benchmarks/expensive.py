"""Measure a method on 30 to 300 evaluations: python benchmarks/expensive.py --part analytic [--method surrogate].

analytic: fourteen problems with closed-form worst cases. reality: the suite of that name. batch: how many requests of
eight reach what 60 evaluations one at a time reach. time: processor time per round. Each run is a line of the file
--out; runs that are there are not repeated, so the same command resumes. Tables and a figure:

    python benchmarks/expensive.py --report expensive.jsonl [--rivals runs.jsonl] [--figure docs/figures/expensive.svg]
"""

import argparse
import json
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from expensive_tables import draw, report

from reckless import MinimaxResult, minimax
from reckless.bench.problems import find_problem, suites
from reckless.bench.runner import ONE_THREAD
from reckless.domains.reading import read_domain

ANALYTIC = (*(f"L{i}" for i in range(1, 7)), *(f"MWP{i}" for i in range(1, 8)), "absorber")
BATCHED = ("L2", "L6", "MWP2", "MWP3", "MWP6")
TIMED = ("L2", "pid")  # six coordinates in all
SCALE_SEED, N_SCALE = 12345, 2001  # the sample of x whose median regret is the unit
BATCH_SIZE, ALONE, BATCHED_BUDGET = 8, 60, 240
NEAR = 0.15  # rounds that begin with 15 % fewer or more points than asked for are timed
TIMED_BUDGET = 400
SOLVED = 1e-6  # scores below count as this: nobody needs to reach rounding errors


class Cell(NamedTuple):
    """One run."""

    part: str
    task: str
    method: str
    budget: int
    seed: int


@dataclass(frozen=True)
class Part:
    """What is run by default; seeds are the first and the last."""

    tasks: tuple[str, ...]
    budgets: tuple[int, ...]
    seeds: tuple[int, int]
    measure: Callable[[Cell], dict[str, Any]]


class Recorder:
    """f on rows that counts requests and remembers where it was asked, and when."""

    def __init__(self, f: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> None:
        self.f, self.sizes, self.visited = f, [], set()
        self.moments: list[tuple[int, float]] = []  # evaluations before each request, and time

    def __call__(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        self.moments.append((sum(self.sizes), time.process_time()))
        self.sizes.append(len(X))
        self.visited.update(x.tobytes() for x in np.ascontiguousarray(X))
        return self.f(X, Y)


@cache
def unit(task: str) -> float:
    """The regret that scores as 1: of the guess, or else of a median random x."""
    p = find_problem(task)
    if p.guess is not None:
        X = np.array([p.guess])
    else:
        domain = read_domain(p.x_bounds, "x_bounds")
        X = domain.rows(np.random.default_rng(SCALE_SEED).random((N_SCALE, domain.n)), N_SCALE)
    return float(np.median(p.worst_case(X)[0])) - p.optimum.value


def score(task: str, worst_cases: np.ndarray) -> np.ndarray:
    return (worst_cases - find_problem(task).optimum.value) / unit(task)


def solve(cell: Cell, budget: int, **options: Any) -> tuple[MinimaxResult, Recorder]:
    p = find_problem(cell.task)
    f = Recorder(p.function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = minimax(
            f, p.x_bounds, p.y_bounds, maxfev=budget, method=cell.method, rng=cell.seed, vectorized=True, **options
        )
    assert sum(f.sizes) == result.nfev <= budget
    return result, f


def measure_answer(cell: Cell) -> dict[str, Any]:
    """Solve, and let the referee measure the answer."""
    p = find_problem(cell.task)
    begun = time.perf_counter()
    result, f = solve(cell, cell.budget)
    seconds = time.perf_counter() - begun
    truth = float(p.worst_case(result.x[None])[0][0])
    upper = getattr(result, "upper", None)  # few methods give a bound
    return {
        "score": float(score(cell.task, np.array(truth))),
        "fun": float(result.fun),
        "truth": truth,
        "unit": unit(cell.task),
        "upper": None if upper is None else float(upper),
        "success": bool(result.success),
        "agreement": None if result.agreement is None else list(result.agreement),
        "n_x": len(f.visited),
        "nfev": result.nfev,
        "n_requests": len(f.sizes),
        "seconds": round(seconds, 3),
        "message": result.message,
        "x": result.x.tolist(),
    }


def first_reach(result: MinimaxResult, f: Recorder, task: str, target: float) -> tuple[int, int] | None:
    """Evaluations and requests when the recommended x first scored `target` or less; None if never."""
    scores = score(task, find_problem(task).worst_case(np.array([entry.x for entry in result.history]))[0])
    hits = np.flatnonzero(scores <= target)
    if not hits.size:
        return None
    nfev = result.history[hits[0]].nfev
    return nfev, int(np.searchsorted(np.cumsum(f.sizes), nfev)) + 1


def measure_batches(cell: Cell) -> dict[str, Any]:
    """Solve one at a time, then eight at a time until the same score is reached."""
    alone, f = solve(cell, ALONE)
    reached = score(cell.task, find_problem(cell.task).worst_case(alone.x[None])[0])[0]
    batched, g = solve(cell, cell.budget, batch_size=BATCH_SIZE)
    found = first_reach(batched, g, cell.task, max(float(reached), SOLVED))
    return {
        "score": float(reached),
        "n_alone": len(f.sizes),
        "nfev": None if found is None else found[0],
        "n_requests": None if found is None else found[1],
    }


def measure_time(cell: Cell) -> dict[str, Any]:
    """Time the rounds around a number of points; the run is longer, so that its end is not timed."""
    _, f = solve(cell, max(TIMED_BUDGET, round(1.25 * cell.budget)))
    spans = [
        after - before
        for (nfev, before), (_, after) in pairwise(f.moments)
        if abs(nfev - cell.budget) <= NEAR * cell.budget
    ]
    return {"mean": float(np.mean(spans)), "median": float(np.median(spans)), "n_rounds": len(spans)} if spans else {}


PARTS = {
    "analytic": Part(ANALYTIC, (30, 60, 100, 200), (9001, 9010), measure_answer),
    "reality": Part(suites()["reality"], (50, 100, 300), (7001, 7009), measure_answer),
    "batch": Part(BATCHED, (BATCHED_BUDGET,), (9001, 9005), measure_batches),
    "time": Part(TIMED, (100, 300), (9001, 9003), measure_time),
}


def plan(options: argparse.Namespace) -> Iterator[Cell]:
    part = PARTS[options.part]
    first, last = map(int, options.seeds.split(":")) if options.seeds else part.seeds
    tasks = options.tasks.split(",") if options.tasks else part.tasks
    for task in tasks:
        if lacks := find_problem(task).lacks:
            print(f"{lacks} It is skipped.", file=sys.stderr)
    for budget in map(int, options.budgets.split(",")) if options.budgets else part.budgets:
        for task in tasks:
            if not find_problem(task).lacks:
                for seed in range(first, last + 1):
                    yield Cell(options.part, task, options.method, budget, seed)


def read(paths: list[Path]) -> list[dict[str, Any]]:
    return [json.loads(line) for path in paths if path.exists() for line in path.read_text().splitlines()]


def run_cell(cell: Cell) -> dict[str, Any]:
    return cell._asdict() | PARTS[cell.part].measure(cell)


def run(options: argparse.Namespace) -> None:
    """Run what is missing; a run that raises is reported and tried again by the next call."""
    done = {tuple(row[key] for key in Cell._fields) for row in read([options.out])}
    missing = [cell for cell in plan(options) if cell not in done]
    os.environ.update(ONE_THREAD)  # inherited by the processes
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool, options.out.open("a") as lines:
        futures = {pool.submit(run_cell, cell): cell for cell in missing}
        for n_done, future in enumerate(as_completed(futures), 1):
            cell = futures[future]
            try:
                row = future.result()
            except Exception:
                print(f"\n{cell} failed:\n{traceback.format_exc()}", file=sys.stderr)
                continue
            lines.write(json.dumps(row) + "\n")
            lines.flush()
            print(f"{n_done} of {len(missing)}: {' '.join(map(str, cell))}: {row.get('score', '')}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--method", default="surrogate")
    parser.add_argument("--tasks", default="", help="names, separated by commas; those of the part if left out")
    parser.add_argument("--budgets", default="", help="numbers, separated by commas; those of the part if left out")
    parser.add_argument("--seeds", default="", help="FIRST:LAST; those of the part if left out")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--out", type=Path, default=Path("expensive.jsonl"), help="where the runs are kept")
    parser.add_argument("--report", type=Path, nargs="+", default=[], help="print the tables of these files")
    parser.add_argument("--rivals", type=Path, help="recorded runs of others on the suite reality")
    parser.add_argument("--figure", type=Path, help="draw learning curves to this SVG file")
    options = parser.parse_args()
    if options.part:
        run(options)
    rivals = read([options.rivals]) if options.rivals else []
    rows = read(options.report)
    if rows:
        units = {
            task: (find_problem(task).optimum.value, unit(task)) for task in dict.fromkeys(r["task"] for r in rivals)
        }
        report(rows, rivals, units)
        if options.figure:
            draw(rows, options.figure)


if __name__ == "__main__":
    main()
