"""Any program as f: started without a shell, kept alive, asked line by line in JSON (see `core.protocol`)."""

import os
import shlex
import shutil
import weakref
from collections import deque
from collections.abc import Sequence
from functools import partial
from math import inf
from numbers import Real
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock
from time import monotonic
from types import TracebackType
from typing import Any, Literal

import numpy as np

from reckless.core.arguments import read_count
from reckless.core.arrays import Array
from reckless.core.outcome import Outcome, Reason
from reckless.errors import InvalidArgument, OptimizationError
from reckless.evaluation.program import Program, Request, end_all
from reckless.evaluation.protocol import Answer, encode


class CommandFailed(OptimizationError, RuntimeError):
    """A program that computes f gave no value for a pair; the message says which pair, and what it did instead."""


class Command:
    """Use any program as f: it reads pairs from its standard input and writes values to its standard output.

    Every line is one JSON object: ``{"id":7,"x":[1.5,-3.0],"y":[4.25]}`` to the program, and ``{"id":7,"value":12.5}``
    or ``{"id":7,"error":"did not converge"}`` from it. The program is started once, without a shell, and kept alive;
    when its standard input ends, it should end. One that ends with exit code 0 after an answer is started anew.

    Called with rows X (m, n_x) and Y (m, n_y), a Command returns the values (m,), in the order of the rows whatever
    the order of the answers; so it is an f for ``vectorized=True``. Called with two vectors, it returns one number.

    Parameters
    ----------
    argv : sequence of str
        The program and its arguments, as in ``["./simulate", "--fast"]``. No shell reads them.
    workers : int
        How many copies of the program run at once; each has one pair in hand at a time.
    timeout : float, optional
        Seconds to wait for an answer, the start of the program included; a program that is silent for longer is
        killed and replaced. Without a timeout a silent program is waited for.
    on_error : {"raise", "count"}
        What becomes of a pair for which there is no value: `CommandFailed`, or NaN, that is, a failed evaluation; the
        result of the run says why the first one failed.

    Examples
    --------
    >>> import reckless, sys
    >>> program = '''
    ... import json, sys
    ... for line in sys.stdin:
    ...     pair = json.loads(line)
    ...     value = (pair["x"][0] - 5) ** 2 - (pair["y"][0] - 5) ** 2
    ...     print(json.dumps({"id": pair["id"], "value": value}), flush=True)
    ... '''
    >>> with reckless.Command([sys.executable, "-c", program]) as f:
    ...     f([[1.0], [5.0]], [[5.0], [2.0]]).tolist()
    [16.0, -9.0]
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        workers: int = 1,
        timeout: float | None = None,
        on_error: Literal["raise", "count"] = "raise",
    ) -> None:
        self._argv = _read_argv(argv)
        self.n_workers = read_count(workers, "workers")
        self._timeout = _read_timeout(timeout)
        if on_error not in ("raise", "count"):
            raise InvalidArgument(f"on_error: expected 'raise' or 'count', but got {on_error!r}.")
        self._on_error = on_error
        self._answers: SimpleQueue[tuple[Program, Answer]] = SimpleQueue()
        self._idle: list[Program] = []  # those waiting for a request
        self._killed: list[Program] = []  # those not cleared away yet
        self._n_sent = 0
        self._lock = Lock()
        self._finalizer = weakref.finalize(self, end_all, self._idle, self._killed)

    def __call__(self, X: Any, Y: Any) -> Any:
        """Values (m,) of the pairs in rows X (m, n_x) and Y (m, n_y); or the value of one pair of vectors."""
        X, Y = np.asarray(X, dtype=np.float64), np.asarray(Y, dtype=np.float64)
        if X.ndim == Y.ndim == 1:
            return float(self.outcome(X[None], Y[None]).values[0])
        return self.outcome(X, Y).values

    def outcome(self, X: Array, Y: Array) -> Outcome:
        """Return the values of rows, and why those that are NaN failed."""
        if X.ndim != 2 or Y.ndim != 2 or len(X) != len(Y):
            raise InvalidArgument(
                f"X, Y: expected rows of as many x as y, but got arrays of shapes {X.shape} and {Y.shape}."
            )
        with self._lock:
            return self._evaluate(X, Y)

    def close(self) -> None:
        """End the programs; those that do not end by themselves within two seconds are killed.

        Nothing is lost: a later call starts new ones.
        """
        with self._lock:
            end_all(self._idle, self._killed)

    def __enter__(self) -> "Command":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process gets a Command of its own, with programs of its own."""
        make = partial(Command, workers=self.n_workers, timeout=self._timeout, on_error=self._on_error)
        return make, (self._argv,)

    def __repr__(self) -> str:
        return f"Command({self._argv!r}, workers={self.n_workers})"

    def _evaluate(self, X: Array, Y: Array) -> Outcome:
        values, reasons = np.full(len(X), np.nan), {}
        waiting = deque(range(len(X)))
        busy: dict[Program, tuple[int, float]] = {}  # the row in hand, and until when to wait for its value
        try:
            while waiting or busy:
                while waiting and len(busy) < self.n_workers:
                    k = waiting.popleft()
                    program = self._idle.pop() if self._idle else self._start()
                    self._n_sent += 1
                    busy[program] = k, inf if self._timeout is None else monotonic() + self._timeout
                    program.ask(Request(self._n_sent, encode(self._n_sent, X[k], Y[k])))
                for program, answer in self._wait(busy):
                    k, _ = busy.pop(program)
                    if not answer.is_lost:
                        self._idle.append(program)
                    if answer.is_retired:
                        waiting.appendleft(k)
                    elif answer.complaint:
                        reasons[k] = self._reason(X[k], Y[k], answer.complaint)
                    else:
                        values[k] = answer.value
        finally:  # none is busy unless something was raised; then these are out of step
            self._kill(list(busy))
        return Outcome(slice(0, len(X)), values, reasons)

    def _kill(self, programs: list[Program]) -> None:
        for program in programs:
            program.kill()
        self._killed[:] = [program for program in [*self._killed, *programs] if not program.wait(0.0)]

    def _start(self) -> Program:
        try:
            return Program(self._argv, self._answers)
        except OSError as error:
            raise InvalidArgument(
                f"argv: {self._argv[0]!r} cannot be started ({error.strerror or error}). "
                f"Does a script begin with a line such as #!/bin/sh?"
            ) from error

    def _wait(self, busy: dict[Program, tuple[int, float]]) -> list[tuple[Program, Answer]]:
        """The next answer, or what stands for it where the time is over; a late answer finds no one waiting."""
        deadline = min(until for _, until in busy.values())
        try:
            program, answer = self._answers.get(timeout=None if deadline == inf else max(0.0, deadline - monotonic()))
            return [(program, answer)] if program in busy else []
        except Empty:
            late = [program for program, (_, until) in busy.items() if until <= monotonic()]
        self._kill(late)
        silence = Answer(np.nan, f"it gave no answer within timeout={self._timeout:g} seconds", is_lost=True)
        return [(program, silence) for program in late]

    def _reason(self, x: Array, y: Array, complaint: str) -> Reason:
        if self._on_error == "raise":
            raise CommandFailed(f"command: {self._argv[0]} failed at x={x.tolist()}, y={y.tolist()}: {complaint}.")
        return Reason(complaint, is_nan=True)


def split_command(line: str, name: str = "--command") -> list[str]:
    """The words of a command line, quotes obeyed as in a shell; nothing else of a shell is."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise InvalidArgument(f"{name}: {line!r} cannot be split into words ({error}).") from None
    if not words:
        raise InvalidArgument(f"{name}: expected a program, for example './simulate', but got {line!r}.")
    return words


def _read_argv(argv: Any) -> list[str]:
    rule = "argv: expected a list with the program and its arguments, for example ['./simulate', '--fast']"
    if isinstance(argv, str):
        raise InvalidArgument(f"{rule}, but got the string {argv!r}. Did you mean {argv.split()}?")
    try:
        words = [os.fspath(word) for word in argv]
    except TypeError:
        raise InvalidArgument(f"{rule}, but got {argv!r}.") from None
    if not words or not all(isinstance(word, str) and "\0" not in word for word in words) or not words[0]:
        raise InvalidArgument(f"{rule}, but got {argv!r}.")
    if shutil.which(words[0]) is None:
        cure = "Is the path relative to another directory?"
        if Path(words[0]).is_file():
            cure = f"Did you mean ./{words[0]}?" if os.access(words[0], os.X_OK) else f"Try chmod +x {words[0]}."
        raise InvalidArgument(f"argv: there is no program {words[0]!r}. {cure}")
    return words


def _read_timeout(timeout: Any) -> float | None:
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, Real) or not 0.0 < float(timeout) < inf:
        raise InvalidArgument(f"timeout: expected a number of seconds above 0, or None, but got {timeout!r}.")
    return float(timeout)
