"""Run the cells of a study that have no result yet, in processes, and append the results to the store.

Workers compute, the main process writes. What a cell gives depends on the cell alone, so neither the number
of workers nor an interruption changes a digit. Finished cells are skipped: the same command resumes a study.
"""

import asyncio
import os
import time
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from math import nan
from typing import Any, NamedTuple

import numpy as np

from reckless.bench.machine import current_versions
from reckless.bench.problems import find_problem
from reckless.bench.record import Record, reference_to
from reckless.bench.referee import history_worst_cases, judge
from reckless.bench.store import Store
from reckless.bench.study import Cell, count_evaluations
from reckless.core.arguments import read_count
from reckless.core.words import named
from reckless.errors import InvalidArgument, OptimizationError, Status
from reckless.evaluation.carriers import ExecutorCarrier
from reckless.evaluation.cluster import Cluster
from reckless.evaluation.pool import Parcel, Pool
from reckless.methods.registry import find_method
from reckless.run.minimax import minimax

CHUNK_EVALUATIONS = 100_000  # about a second of work
CHUNK_CELLS = 50
CONNECT_SECONDS = 10  # to a scheduler
MOST_CELLS = 2_000_000  # of one call: they are listed, in half a gigabyte
PATIENCE = 0.5  # seconds between two looks at the progress
# The cores are busy with other cells, so each process computes on one thread.
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL", "NUMBA")}
ONE_THREAD["VECLIB_MAXIMUM_THREADS"] = "1"


class CellFailed(OptimizationError, RuntimeError):
    """A cell could not be run; what was finished before is stored."""


class Progress(NamedTuple):
    """How far a study is, counting what was finished before; and the seconds since this call began."""

    cells_done: int
    cells: int
    evaluations_done: int
    evaluations: int
    seconds: float


Finished = tuple[Record, str]  # a record and the parameters of its method


def run_cell(cell: Cell) -> Finished:
    """Run one cell and let the referee judge it; only the time it takes differs from run to run."""
    problem = find_problem(cell.problem)
    method, _ = find_method(cell.method)
    how: dict[str, Any] = {"method": method, "rng": cell.seed, "vectorized": problem.vectorized}
    started = time.perf_counter()
    result = minimax(problem.function, problem.x_bounds, problem.y_bounds, maxfev=cell.budget, **how)
    seconds = time.perf_counter() - started
    if result.status == Status.INTERRUPTED.code:
        raise KeyboardInterrupt
    # What the method recommends is judged, not what else the run knows: methods are compared.
    said = result.history[-1] if result.history else result
    judgment = judge(problem, said.x, said.fun, np.random.default_rng([cell.seed, 1]))
    worst_cases = history_worst_cases(problem, np.array([moment.x for moment in result.history]))
    record = Record(
        **cell._asdict(),
        **judgment._asdict(),
        seed=cell.seed,
        nfev=result.nfev,
        seconds=seconds,
        x=said.x,
        y=said.y,
        estimate=float(said.fun),
        history_nfev=np.array([float(moment.nfev) for moment in result.history][: worst_cases.size]),
        history_worst_case=worst_cases,
        reference=reference_to(nan if problem.optimum is None else problem.optimum.value),
    )
    return record, repr(method)


def run_cells(
    cells: Sequence[Cell], store: Store, *, workers: int | None = None, dask: str | None = None
) -> Generator[Progress, None, None]:
    """Run those of the `cells` that the store lacks; yield the progress at least twice a second.

    workers: number of processes, None for one per processor. dask: address of a scheduler whose workers do the work
    in place of processes here. Stop iterating to stop the work: what is finished by then is stored. Raises CellFailed
    if a run raises, after storing all that came back before it.
    """
    if workers is not None and dask is not None:
        raise InvalidArgument("workers: a cluster has its own number of workers. Leave out workers or dask.")
    workers = os.cpu_count() or 1 if workers is None else read_count(workers, "workers")
    if len(cells) > MOST_CELLS:
        raise InvalidArgument(
            f"repetitions: {MOST_CELLS:,} cells can be run by one call, but these are {len(cells):,}. "
            f"Lower the repetitions, or split the study: several may share a store."
        )
    finished = store.finished()
    missing = [cell for cell in cells if cell not in finished]
    total, started = count_evaluations(cells), time.monotonic()
    done, spent = len(cells) - len(missing), total - count_evaluations(missing)
    yield Progress(done, len(cells), spent, total, 0.0)
    if not missing:
        return
    with _carrier(min(workers, len(missing)), dask) as carrier:
        for runs in _collected(carrier, missing, store):
            done += len(runs)
            spent += sum(record.budget for record, _ in runs)
            yield Progress(done, len(cells), spent, total, time.monotonic() - started)


def _collected(carrier: Pool | ExecutorCarrier, cells: Sequence[Cell], store: Store) -> Iterator[list[Finished]]:
    """Yield what was finished and stored, at least twice a second."""
    chunks = deque(map(Parcel, plan_chunks(cells, carrier.n_workers or 1)))
    while chunks or carrier.is_busy:
        runs: list[Finished] = []
        failures: list[str] = []
        for delivery in carrier.deliver(chunks, time.monotonic() + PATIENCE):
            if delivery.loss is not None:
                failures.append(f"{delivery.loss}, perhaps for lack of memory. The same command resumes the study.")
                continue
            finished, failure = delivery.answer
            runs += finished
            failures += failure
        if runs:
            store.append(runs, is_cluster=isinstance(carrier, ExecutorCarrier))
        if failures:
            raise CellFailed(f"{failures[0]} The cells finished so far are in {store.path}.")
        yield runs


def plan_chunks(cells: Sequence[Cell], workers: int) -> list[list[Cell]]:
    """Return the cells in the portions in which workers get them: the largest first, small ones together."""
    # A small study is cut finer, so that every worker gets its part.
    limit = min(CHUNK_EVALUATIONS, count_evaluations(cells) // (4 * workers))
    chunks: list[list[Cell]] = []
    n_evaluations = 0
    for cell in sorted(cells, key=lambda cell: -cell.budget):
        if not chunks or len(chunks[-1]) >= CHUNK_CELLS or n_evaluations + cell.budget > limit:
            chunks.append([])
            n_evaluations = 0
        chunks[-1].append(cell)
        n_evaluations += cell.budget
    return chunks


def _run_chunk(chunk: Sequence[Cell]) -> tuple[list[Finished], list[str]]:
    """Run cells until one raises; return what is finished and, in a list of at most one, why it stopped."""
    finished: list[Finished] = []
    for cell in chunk:
        try:
            finished.append(run_cell(cell))
        except (Exception, SystemExit) as error:
            return finished, [f"{cell}: the run raised {named(error)}."]
    return finished, []


@contextmanager
def _carrier(workers: int, dask: str | None) -> Iterator[Pool | ExecutorCarrier]:
    """Provide processes or a cluster; processes end with this one, and at once if the block is left early."""
    with _cluster(dask) if dask is not None else nullcontext() as cluster:
        carrier = Pool(_run_chunk, workers, ONE_THREAD) if cluster is None else ExecutorCarrier(_run_chunk, cluster)
        try:
            yield carrier
        finally:
            carrier.close(at_once=carrier.is_busy)


@contextmanager
def _cluster(address: str) -> Iterator[Cluster]:
    """Connect to a running Dask cluster, which is not modified."""
    try:
        from distributed import Client
    except ImportError:
        raise InvalidArgument("dask: Dask is not installed. Try pip install 'reckless[dask]'.") from None
    try:
        with ThreadPoolExecutor(1) as thread:  # this one may have an event loop already
            thread.submit(asyncio.run, _greet(address)).result()
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TypeError, ValueError) as error:
        raise InvalidArgument(
            f"dask: no scheduler answers at {address} ({type(error).__name__}). Its address is the one that "
            f"`dask scheduler` shows when it starts, as in tcp://127.0.0.1:8786, not that of the dashboard."
        ) from None
    with client:
        _check_versions(client.get_versions(packages=[name for name in current_versions() if name != "python"]))
        yield Cluster(client)


async def _greet(address: str) -> None:
    """Raise unless a scheduler is there; with another kind of server, a client would wait forever."""
    from distributed import Security, rpc

    keys = Security().get_connection_args("client")  # of Dask's own configuration
    async with asyncio.timeout(CONNECT_SECONDS), rpc(address, connection_args=keys) as there:
        if (await there.identity())["type"] != "Scheduler":
            raise ConnectionError


def _check_versions(found: Mapping[str, Any]) -> None:
    """Refuse workers with other packages than those under whose versions the store files the runs."""
    if not found["workers"]:
        raise InvalidArgument("dask: the cluster has no workers.")
    for address, there in found["workers"].items():
        for name, recorded in current_versions().items():
            here = found["client"]["packages"][name] or recorded
            if (has := there["packages"][name]) != here:
                raise InvalidArgument(
                    f"dask: the runs are stored under the versions that are here, with {name} {here}, but the worker "
                    f"at {address} has {f'version {has} of it' if has else 'none'}."
                )
