"""Local processes, started by loky: they can be killed with all that they start, and are replaced when they die.

When the main process is gone, they end: each sees the end of its pipe, and on Linux a guard sees to it.
"""

import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from math import inf
from multiprocessing import current_process, get_start_method, parent_process, set_start_method
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for_connections
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from typing import Any, NamedTuple

from reckless.errors import ObjectiveFailed
from reckless.evaluation.guard import Guard, marking, purge

MAX_STILLBORN = 3  # processes in a row that die before they begin
GRACE = 3.0  # seconds that idle processes have to end by themselves
LONGEST_WAIT = 1.0  # seconds until processes are looked at; one that f forked can keep the pipe of a dead one open


class Parcel(NamedTuple):
    """Work for a task elsewhere: `content` is sent; `label` stays here, to know what an answer is about.

    seconds: how long the work may take where it can be killed.
    """

    content: Any
    label: Any = None
    seconds: float = inf


class Delivery(NamedTuple):
    """The task's answer to a parcel, or how the parcel was lost. One that took too long is not sent again."""

    parcel: Parcel
    answer: Any = None
    loss: str | None = None
    is_late: bool = False


class Pool:
    """Processes that each do one parcel at a time, so that a crash can be traced to its parcel.

    A process that dies or takes too long is replaced. task: called there with the content of a parcel. environment:
    variables for the processes.
    """

    def __init__(
        self, task: Callable[[Any], Any], n_workers: int, environment: Mapping[str, str] | None = None
    ) -> None:
        self.n_workers: int = n_workers
        self.is_isolated = False  # whether a process has died at work, so that the main process must not do it
        self._task, self._environment = task, dict(environment or {})
        self._workers: list[_Worker] = []
        self._guard: Guard | None = None
        self._n_stillborn = 0

    @property
    def is_busy(self) -> bool:
        return any(worker.parcel is not None for worker in self._workers)

    def deliver(self, parcels: deque[Parcel], deadline: float) -> Iterator[Delivery]:
        """Give parcels from the left to free workers, wait for a message or a deadline, and yield what is done."""
        self._hand_out(parcels)
        until = min([deadline, *(worker.deadline for worker in self._workers)])
        seconds = min(max(0.0, until - time.monotonic()), LONGEST_WAIT)
        wait_for_connections([worker.connection for worker in self._workers], seconds)
        for worker in list(self._workers):
            if (done := self._attend(worker)) is not None:
                yield done

    def close(self, *, at_once: bool) -> None:
        """End the processes; `at_once` while some may be busy."""
        idle = [] if at_once else [worker for worker in self._workers if worker.dismiss()]
        deadline = time.monotonic() + GRACE
        for worker in idle:
            wait_for_connections([worker.process.sentinel], max(0.0, deadline - time.monotonic()))
        if self._guard is not None:  # also what was just being started when Ctrl-C came
            self._guard.close()
            self._guard = None
        for worker in self._workers:
            worker.kill()
        self._workers.clear()

    def _hand_out(self, parcels: deque[Parcel]) -> None:
        while len(self._workers) < min(self.n_workers, len(parcels) + sum(w.parcel is not None for w in self._workers)):
            self._start()
        for worker in self._workers:
            if parcels and worker.is_ready and worker.parcel is None:
                worker.give(parcels.popleft())

    def _start(self) -> None:
        with _interrupts_held():  # a process that is just starting would die of Ctrl-C, and not in silence
            self._guard = self._guard or Guard()
            self._workers.append(_Worker(self._environment, self._guard.divide()))
        self._workers[-1].send(self._task)

    def _attend(self, worker: "_Worker") -> Delivery | None:
        """Receive a worker's message, if there is one; end a worker that takes too long."""
        try:
            message = worker.connection.recv() if worker.connection.poll() else None
        except (EOFError, OSError):
            return self._bury(worker)
        parcel = worker.parcel
        if message is None:
            if worker.has_died:
                return self._bury(worker)
            if parcel is None or time.monotonic() < worker.deadline:
                return None
            self._remove(worker)
            return Delivery(parcel, loss="it took too long", is_late=True)
        if parcel is None:
            worker.is_ready, self._n_stillborn = True, 0
            return None
        worker.parcel, worker.deadline = None, inf
        return Delivery(parcel, *message)

    def _bury(self, worker: "_Worker") -> Delivery | None:
        self._remove(worker)
        how = f"(exit code {worker.process.exitcode})"
        if worker.parcel is None:
            self._n_stillborn += not worker.is_ready
            if self._n_stillborn >= MAX_STILLBORN:
                raise ObjectiveFailed(
                    f"workers: worker processes die {how} before they begin. Can f be imported there?"
                )
            return None
        self.is_isolated = True
        return Delivery(worker.parcel, loss=f"The worker process died {how}")

    def _remove(self, worker: "_Worker") -> None:
        self._workers.remove(worker)
        purge(worker.mark)
        worker.kill()


class _Worker:
    """One process with a pipe to it, in a session of its own. Messages are tuples, empty when it is ready."""

    def __init__(self, environment: dict[str, str], mark: str) -> None:
        from loky.backend import get_context

        context = get_context("loky")
        self.mark = mark
        self.connection, theirs = context.Pipe()
        # No module of the user's is imported anew, so a script needs no `if __name__ == "__main__"`.
        variables = environment | marking(mark)
        arguments = theirs, get_start_method(allow_none=True)
        self.process: BaseProcess = context.Process(target=_serve, args=arguments, daemon=True, env=variables)
        self.process.start()
        theirs.close()
        self.parcel: Parcel | None = None
        self.is_ready = False
        self.deadline = inf

    def give(self, parcel: Parcel) -> None:
        self.parcel, self.deadline = parcel, time.monotonic() + parcel.seconds
        self.send((parcel.content,))

    def dismiss(self) -> bool:
        """Ask it to end; return whether it will, being idle."""
        if self.parcel is not None or not self.is_ready:
            return False
        self.send(None)
        return True

    def send(self, message: Any) -> None:
        with suppress(OSError):  # a process that is dead already is noticed when it is listened to
            self.connection.send(message)

    @property
    def has_died(self) -> bool:
        """Whether it has ended, without freeing its number if that can be."""
        if sys.platform != "linux":
            return not self.process.is_alive()
        return os.waitid(os.P_PID, self.process.pid or 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def kill(self) -> None:
        """Kill it and its process group, before its number can belong to another process."""
        pid = self.process.pid or 0
        assert pid > 0
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform != "win32":
                os.killpg(pid, signal.SIGKILL)
        if self.process.is_alive():  # it may not have its own session yet
            with suppress(ProcessLookupError):
                os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))
        self.process.join()
        self.connection.close()


def is_worker() -> bool:
    """Return whether this process was started by another and leads its own group, so that both are killed together."""
    return sys.platform != "win32" and parent_process() is not None and os.getpgrp() == os.getpid()


def _serve(connection: Connection, start_method: str | None) -> None:
    """Work until told to end; end at once, with all that was started here, when the main process is gone."""
    # f may start processes, as it could in the main process, which never waits for this one but kills it.
    current_process().daemon = False
    set_start_method(start_method, force=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process
    if sys.platform != "win32":
        os.setsid()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    inbox: SimpleQueue[Any] = SimpleQueue()

    def listen() -> None:
        try:
            while True:
                inbox.put(connection.recv_bytes())
        except (EOFError, OSError):
            if sys.platform != "win32":
                os.killpg(0, signal.SIGKILL)
            os._exit(1)

    threading.Thread(target=listen, daemon=True).start()
    task: Callable[[Any], Any] = pickle.loads(inbox.get())
    connection.send(())
    while (message := pickle.loads(inbox.get())) is not None:
        connection.send((task(*message),))


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let Ctrl-C take effect after the block; processes started within never see it."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
