"""Local processes of our own, started by loky: they can be killed, and replaced when they die."""

import os
import pickle
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from math import inf
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for_connections
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from typing import Any

from reckless.core.arrays import Array
from reckless.core.outcome import Outcome
from reckless.errors import ObjectiveFailed
from reckless.evaluation.objective import Evaluator
from reckless.evaluation.wire import MAX_SENDS, Chunks, Job, Portable, Reply, Settled, Unusable, again, failed, settled


class Processes:
    """Each process has one job at a time, so it is known who did what.

    A process that dies is replaced and its pairs are sent again; one that takes longer than `timeout` seconds per pair
    is killed and replaced.
    """

    def __init__(self, evaluator: Evaluator, n_workers: int, timeout: float | None) -> None:
        self.n_workers: int = n_workers
        self.is_isolated = timeout is not None
        self._task = Portable(evaluator)
        self._task.blob()
        self._timeout = timeout
        self._workers: list[_Worker] = []
        self._chunks = Chunks()
        self._one_by_one = timeout is not None and not evaluator.vectorized
        self._n_stillborn = 0

    @property
    def cost(self) -> float | None:
        return self._chunks.cost

    def outcomes(self, X: Array, Y: Array, deadline: float) -> Iterator[Outcome]:
        jobs = self._chunks.jobs(len(X), len(X) if self._one_by_one else self.n_workers)
        n_open = len(X)
        while n_open and time.monotonic() < deadline:
            self._hand_out(jobs, X, Y)
            connections = [worker.connection for worker in self._workers]
            wait_for_connections(connections, self._patience(deadline))
            for worker in list(self._workers):
                settled, to_do_again = self._attend(worker)
                jobs.extendleft(to_do_again)
                for done in settled:
                    n_open -= len(done.values)
                    yield done

    def close(self, *, at_once: bool) -> None:
        for worker in self._workers:
            worker.stop(at_once=at_once)
        self._workers.clear()

    def _hand_out(self, jobs: deque[Job], X: Array, Y: Array) -> None:
        while len(self._workers) < min(self.n_workers, len(jobs) + sum(w.job is not None for w in self._workers)):
            self._workers.append(_Worker(self._task))
        for worker in self._workers:
            if jobs and worker.is_ready and worker.job is None:
                job = jobs.popleft()
                rows = list(job.rows)
                worker.give(job, (X[rows], Y[rows], 0), self._timeout)

    def _patience(self, deadline: float) -> float | None:
        """Return the seconds until the next deadline, None if there is none."""
        until = min([deadline, *(worker.deadline for worker in self._workers)])
        return None if until == inf else max(0.0, until - time.monotonic())

    def _attend(self, worker: "_Worker") -> Settled:
        """Take what a worker has to say: rows that are done, and jobs to be done again."""
        try:
            reply = worker.connection.recv() if worker.connection.poll() else None
        except (EOFError, OSError):
            return self._bury(worker)
        job = worker.job
        if reply is None:
            if job is None or time.monotonic() < worker.deadline:
                return [], []
            self._remove(worker)
            return failed(job, f"The evaluation took longer than eval_timeout={self._timeout} seconds; it was ended.")
        if not isinstance(reply, Reply):
            worker.is_ready, self._n_stillborn = True, 0
            return [], []
        assert job is not None
        worker.job, worker.deadline = None, inf
        self._chunks.note(reply.seconds, len(job.rows))
        return settled(job, reply)

    def _bury(self, worker: "_Worker") -> Settled:
        self._remove(worker)
        how = f"(exit code {worker.process.exitcode})"
        if worker.job is None:
            self._n_stillborn += not worker.is_ready
            if self._n_stillborn >= MAX_SENDS:
                raise ObjectiveFailed(
                    f"workers: worker processes die {how} before they begin. Can f be imported there?"
                )
            return [], []
        self.is_isolated = True
        return again(worker.job, f"The worker process died {how} during this evaluation")

    def _remove(self, worker: "_Worker") -> None:
        self._workers.remove(worker)
        worker.stop(at_once=True)


class _Worker:
    """One process with a pipe to it."""

    def __init__(self, task: Portable) -> None:
        from loky.backend import get_context

        context = get_context("loky")
        self.connection, theirs = context.Pipe()
        # No module of the user's is imported anew, so a script needs no `if __name__ == "__main__"`.
        self.process: BaseProcess = context.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()
        self.job: Job | None = None
        self.is_ready = False
        self.deadline = inf
        with suppress(OSError):  # a process that is dead already is noticed when it is listened to
            self.connection.send(task)

    def give(self, job: Job, pairs: tuple[Array, Array, int], timeout: float | None) -> None:
        self.job = job
        if timeout is not None:
            self.deadline = time.monotonic() + timeout * len(job.rows)
        with suppress(OSError):
            self.connection.send(pairs)

    def stop(self, *, at_once: bool) -> None:
        if not at_once and self.job is None and self.is_ready:
            with suppress(OSError):
                self.connection.send(None)
            self.process.join(2.0)
        if self.process.is_alive() and self.process.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        self.process.join()
        self.connection.close()


def _serve(connection: Connection) -> None:
    """The life of a worker process: it ends when told so, and at once when the main process is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process
    inbox: SimpleQueue[Any] = SimpleQueue()

    def listen() -> None:
        try:
            while True:
                inbox.put(connection.recv_bytes())
        except (EOFError, OSError):
            os._exit(1)

    threading.Thread(target=listen, daemon=True).start()
    task: Portable | Unusable = pickle.loads(inbox.get())
    connection.send("ready")
    while (pairs := pickle.loads(inbox.get())) is not None:
        connection.send(task(pairs))
