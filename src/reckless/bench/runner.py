"""Run the cells of a study that have no result yet, in processes, and append what comes back to the store.

Workers compute, the main process writes. What a cell gives depends on the cell alone, so neither the number
of workers nor an interruption changes a digit; finished cells are skipped, and the same command goes on where
it was.
"""

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np

from reckless.bench.problems import find_problem
from reckless.bench.record import Record
from reckless.bench.referee import history_regrets, judge
from reckless.bench.store import Store, current_versions
from reckless.bench.study import Cell, count_evaluations
from reckless.core.arguments import read_count
from reckless.errors import InvalidArgument, OptimizationError, Status
from reckless.evaluation.cluster import Cluster
from reckless.methods.registry import find_method
from reckless.run.minimax import minimax

CHUNK_EVALUATIONS = 100_000  # about a second of work
CHUNK_CELLS = 50
CONNECT_SECONDS = 10  # to a scheduler
_THREADS = (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMBA_NUM_THREADS",
)


class CellFailed(OptimizationError, RuntimeError):
    """A cell could not be run; what was finished before is stored."""


class Progress(NamedTuple):
    """How far a study is, counting what was finished before; and the seconds since this call began."""

    cells_done: int
    cells: int
    cells_skipped: int  # the ones that were finished before
    evaluations_done: int
    evaluations: int
    seconds: float


Progresses = Generator[Progress, None, None]
Finished = tuple[Record, str]  # a record and the parameters of its method


def run_cell(cell: Cell) -> Finished:
    """Run one cell and let the referee judge it; only the time it takes differs from run to run."""
    problem = find_problem(cell.problem)
    method, _ = find_method(cell.method)
    started = time.perf_counter()
    result = minimax(
        problem.function,
        problem.x_bounds,
        problem.y_bounds,
        maxfev=cell.budget,
        method=method,
        rng=cell.seed,
        vectorized=True,
    )
    seconds = time.perf_counter() - started
    if result.status == Status.INTERRUPTED.code:
        raise KeyboardInterrupt
    verdict = judge(problem, result.x, result.fun, np.random.default_rng([cell.seed, 1]))
    regrets = history_regrets(problem, np.array([moment.x for moment in result.history]))
    record = Record(
        **cell._asdict(),
        **verdict._asdict(),
        seed=cell.seed,
        nfev=result.nfev,
        seconds=seconds,
        x=result.x,
        y=result.y,
        estimate=float(result.fun),
        history_nfev=np.array([float(moment.nfev) for moment in result.history][: regrets.size]),
        history_regret=regrets,
    )
    return record, repr(method)


def run_cells(
    cells: Sequence[Cell], store: Store, *, workers: int | None = None, dask: str | None = None
) -> Progresses:
    """Run those of the `cells` that the store lacks; progress is yielded at least twice a second.

    workers: number of processes, None for one per processor. dask: address of a scheduler whose workers do the work
    in place of processes here. Stop iterating to stop the work: what is finished by then is stored. Raises CellFailed
    if a run raises, after storing all that came back before it.
    """
    if workers is not None and dask is not None:
        raise InvalidArgument("workers: a cluster has its own number of workers. Leave out workers or dask.")
    workers = os.cpu_count() or 1 if workers is None else read_count(workers, "workers")
    finished = store.finished()
    missing = [cell for cell in cells if cell not in finished]
    skipped = len(cells) - len(missing)
    total, done = count_evaluations(cells), skipped
    spent = total - count_evaluations(missing)
    started = time.monotonic()
    yield Progress(done, len(cells), skipped, spent, total, 0.0)
    if not missing:
        return
    with _pool(min(workers, len(missing))) if dask is None else _cluster(dask) as (pool, workers):
        chunks = iter(plan_chunks(missing, workers))
        pending: set[Future[Batch]] = set()
        while True:
            # A few chunks ahead keep the workers busy.
            new = islice(chunks, 2 * workers - len(pending))
            with _interrupts_held():  # a worker that is just starting would die of Ctrl-C, and not in silence
                pending.update(pool.submit(_run_chunk, chunk) for chunk in new)
            if not pending:
                return
            ready, pending = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
            batches = [_collected(future) for future in ready]
            runs = [run for batch in batches for run in batch.finished]
            if runs:
                store.append(runs)
            for batch in batches:
                if batch.failure is not None:
                    raise CellFailed(f"{batch.failure} The cells finished so far are in {store.path}.")
            done += len(runs)
            spent += sum(record.budget for record, _ in runs)
            yield Progress(done, len(cells), skipped, spent, total, time.monotonic() - started)


def plan_chunks(cells: Sequence[Cell], workers: int) -> list[list[Cell]]:
    """Cells in the portions in which workers get them: the largest first, small ones together."""
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


class Batch(NamedTuple):
    """What a worker sends back: the runs it finished and, if it stopped short of its chunk's end, why."""

    finished: list[Finished]
    failure: str | None


def _run_chunk(chunk: Sequence[Cell]) -> Batch:
    finished: list[Finished] = []
    for cell in chunk:
        try:
            finished.append(run_cell(cell))
        except Exception as error:
            return Batch(finished, f"{cell}: the run raised {type(error).__name__}: {error}.")
    return Batch(finished, None)


def _collected(future: "Future[Batch]") -> Batch:
    try:
        return future.result()
    except BrokenProcessPool:
        reason = "A worker process died, perhaps for lack of memory"
    except Exception as error:  # what a run raises comes in the batch: this is the cluster's
        reason = f"The cluster lost some cells ({type(error).__name__}: {error})"
    return Batch([], f"{reason}; the same command goes on from here.")


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """The workers of a Dask cluster that is there already, and their number; it is left as it is."""
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
        yield Cluster(client), sum(client.nthreads().values())


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


@contextmanager
def _pool(workers: int) -> Iterator[tuple[Executor, int]]:
    """Worker processes that end with this one, however it ends, and at once if the block is left early."""
    context = get_context("spawn")
    their_end, our_end = context.Pipe(duplex=False)
    with (
        _one_thread_each(),
        ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_work, initargs=(their_end,)) as pool,
    ):
        try:
            yield pool, workers
        except BaseException:
            our_end.close()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            their_end.close()
    our_end.close()


def _begin_work(lifeline: Connection) -> None:
    """Leave Ctrl-C to the main process, and end when it closes its end of the lifeline, or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        with suppress(OSError, EOFError):
            lifeline.recv_bytes()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C within takes effect afterwards; processes started within never see it."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes started within compute on one thread: the cores are busy with other cells."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
