"""Measure runs and keep them: each is one line of a file, written as soon as the run has ended."""

import json
import math
import os
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any

import numpy as np
from flagship_jumps import JUMPS
from threadpoolctl import threadpool_limits

from reckless import MinimaxResult, minimax
from reckless.bench.problems import Problem, problem
from reckless.bench.referee import exact_worst_cases

SOLVED = 1e-6  # regret
N_INSTANCES = 100  # of problems with other data for each seed


@dataclass(frozen=True)
class Cell:
    """One run to make.

    problem: a spelling, in which {instance} follows from the seed, or the name of a jump.
    stop_at: evaluations after which the run is ended, though it had more to spend; 0 for none.
    digits: significant ones to which values are rounded; 0 for all.
    is_exact: whether the method is told that f has no errors.
    tol: part of the range of f at which the run stops; None to spend all evaluations.
    """

    row: str
    problem: str
    method: str
    maxfev: int
    seed: int
    stop_at: int = 0
    digits: int = 0
    is_exact: bool = False
    tol: float | None = None

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        return self.row, self.problem, self.method, self.maxfev, self.seed


@dataclass(frozen=True)
class Run:
    """One run as it is stored."""

    row: str
    problem: str
    method: str
    maxfev: int
    seed: int
    nfev: int
    regret: float
    first_hit: float  # evaluations when the recommended x first had a true regret of at most 1e-6; inf if never
    requests: float  # batches of f up to the first hit; inf if never
    score: float  # regret relative to that of the engineer's guess; nan without one
    error: float  # of the estimate: fun minus the true worst case
    success: bool  # claimed by the result
    is_honest: bool  # the error is at most 1e-6 of the worst case, plus 1e-9
    agreement: str
    overhead: float  # microseconds of processor time per evaluation outside f

    @property
    def key(self) -> tuple[str, str, str, int, int]:
        return self.row, self.problem, self.method, self.maxfev, self.seed


def measure(cell: Cell) -> Run:
    """Solve one problem with one seed and measure the outcome."""
    p = JUMPS.get(cell.problem) or problem(cell.problem.format(instance=1 + cell.seed % N_INSTANCES))
    result, sizes, overhead = _solve(p, cell)
    history = result.history if p.is_exact else ()  # a search for the worst case of each x takes too long
    truth = exact_worst_cases(p, np.array([*(entry.x for entry in history), result.x]))
    regrets = truth - p.optimum.value
    hits = np.flatnonzero(regrets[:-1] <= SOLVED)
    first_hit = float(history[hits[0]].nfev) if hits.size else math.inf
    error = float(result.fun - truth[-1])
    return Run(
        row=cell.row,
        problem=cell.problem,
        method=cell.method,
        maxfev=cell.maxfev,
        seed=cell.seed,
        nfev=result.nfev,
        regret=float(regrets[-1]),
        first_hit=first_hit,
        requests=float(np.searchsorted(np.cumsum(sizes), first_hit)) + 1.0 if hits.size else math.inf,
        score=_score(p, float(regrets[-1])),
        error=error,
        success=bool(result.success),
        is_honest=bool(abs(error) <= 1e-6 * abs(truth[-1]) + 1e-9),
        agreement=str(result.agreement),
        overhead=overhead,
    )


def _solve(p: Problem, cell: Cell) -> tuple[MinimaxResult, list[int], float]:
    """Return the result, the sizes of the batches in which f was asked, and the overhead."""
    inside, sizes = 0.0, []

    def watched(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        nonlocal inside
        start = time.process_time()
        values = p.function(X, Y)
        inside += time.process_time() - start
        sizes.append(len(X))
        return rounded(values, cell.digits) if cell.digits else values

    def stop(intermediate_result: MinimaxResult) -> None:
        if cell.stop_at and intermediate_result.nfev > cell.stop_at:
            raise StopIteration

    told: dict[str, Any] = {"noise": False} if cell.is_exact else {}
    start = time.process_time()
    result = minimax(
        watched,
        p.x_bounds,
        p.y_bounds,
        maxfev=cell.maxfev,
        method=cell.method,
        rng=cell.seed,
        vectorized=True,
        callback=stop,
        tol=cell.tol,
        **told,
    )
    return result, sizes, 1e6 * (time.process_time() - start - inside) / result.nfev


def rounded(values: np.ndarray, digits: int) -> np.ndarray:
    """Round to significant digits."""
    unit = unit_of(values, digits)
    return np.where(unit > 0.0, np.round(values / np.where(unit > 0.0, unit, 1.0)) * unit, values)


def unit_of(values: np.ndarray, digits: int) -> np.ndarray:
    """Return what the last of the significant digits counts; 0 for 0."""
    sizes = np.abs(values)
    powers = np.floor(np.log10(np.where(sizes > 0.0, sizes, 1.0)))
    return np.where(sizes > 0.0, 10.0 ** (powers + 1.0 - digits), 0.0)


def _score(p: Problem, regret: float) -> float:
    if p.guess is None:
        return math.nan
    return regret / float(exact_worst_cases(p, np.array([p.guess]))[0] - p.optimum.value)


def read_runs(path: Path) -> list[Run]:
    """Return the stored runs. A line torn by a kill is cut off, so that the next one begins on a line of its own."""
    if not path.exists():
        return []
    text = path.read_text()
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole)
    return [Run(**json.loads(line)) for line in whole.splitlines()]


def append_run(path: Path, run: Run) -> None:
    with path.open("a") as file:
        file.write(json.dumps(asdict(run)) + "\n")


def measure_all(cells: list[Cell], n_jobs: int) -> Iterator[Run]:
    """Yield the runs as they end, from one process or several. A run that fails is reported and left out."""
    methods = {cell.method for cell in cells}
    if n_jobs == 1:
        with threadpool_limits(1):
            warm_up(methods)
            yield from filter(None, map(_attempt, cells))
        return
    pool = ProcessPoolExecutor(n_jobs, get_context("spawn"), initializer=_start_worker, initargs=(methods,))
    try:
        for future in as_completed([pool.submit(_attempt, cell) for cell in cells]):
            run = future.result()
            if run is not None:
                yield run
    finally:
        pool.shutdown(cancel_futures=True)


def _attempt(cell: Cell) -> Run | None:
    try:
        return measure(cell)
    except Exception as error:  # one method's failure on one problem must not end the others' runs
        print(f"{cell} failed: {error!r}", file=sys.stderr, flush=True)
        return None


def _start_worker(methods: set[str]) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    threadpool_limits(1)
    warm_up(methods)


def _end_with_parent() -> None:
    """End this process when the one that started it has been killed."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def warm_up(methods: set[str]) -> None:
    """Load compiled code, which otherwise counts as overhead of the first run."""
    for method in sorted(methods):
        name = "ball:n=2,k=5" if method == "finite" else "dense:n=3"
        measure(Cell("warm-up", name, method, 500, 1))
