"""Any program as f: started without a shell, kept alive, asked line by line. Each line is one JSON object.

Numbers are written so that reading them gives the same double back. Unknown keys are ignored.
"""

import json
import os
import shlex
import shutil
import signal
import sys
import weakref
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from threading import Lock, Thread
from typing import IO, Any, cast

import numpy as np

from reckless.core.words import LIMIT, printable, safe_repr, safe_str
from reckless.errors import InvalidArgument, OptimizationError
from reckless.evaluation.guard import Guard, marking, purge
from reckless.evaluation.pool import is_worker

LONGEST_LINE = 1 << 20  # bytes of one answer; a longer one is not read to its end
MOST_QUOTED = 80  # characters of a program's text in a message
TAIL = 2000  # bytes of standard error that are kept
GRACE = 2.0  # seconds that a program has to end by itself once its standard input is closed
MOMENT = 0.5  # seconds for the exit code of a program that fell silent
NUMBERS = (int, float)  # the types of JSON's numbers; bool, a subclass of int, is none
ONLY_ANSWERS = "Print answers alone to standard output, one per line, and all else to standard error"


class CommandFailed(OptimizationError, RuntimeError):
    """A program that computes f gave no value for a pair; the message names the pair and what it did instead."""


class Command(AbstractContextManager["Command"]):
    """Use any program as f: it reads pairs from its standard input and writes values to its standard output.

    Every line is one JSON object: ``{"id":7,"x":[1.5,-3.0],"y":[4.25]}`` to the program, and ``{"id":7,"value":12.5}``
    or ``{"id":7,"error":"did not converge"}`` from it. The program is started by the first call, without a shell, and
    kept alive; when its standard input ends, it should end. One that ends with exit code 0 after an answer is started
    anew. A pair without a value raises `CommandFailed`.

    A Command is an ordinary f(x, y) with one program. ``workers=4`` of `minimax` starts four, one per worker process;
    ``eval_timeout``, ``retries`` and ``on_error`` apply as to any f.

    Parameters
    ----------
    argv : sequence of str
        The program and its arguments, as in ``["./simulate", "--fast"]``. No shell reads them.

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
    ...     f([1.0], [5.0])
    16.0
    """

    def __init__(self, argv: Sequence[str]) -> None:
        self._argv = _read_argv(argv)
        self._running: list[Program] = []  # one, or none yet
        self._guards: list[Guard] = []  # likewise
        self._n_sent = 0
        self._lock = Lock()
        weakref.finalize(self, _end, self._running, self._guards)

    def __call__(self, x: Any, y: Any) -> float:
        """Return the value of one pair of vectors."""
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if x.ndim != 1 or y.ndim != 1:
            raise InvalidArgument(
                f"x, y: a Command takes one pair of vectors at a time, but got arrays of shapes {x.shape} and "
                f"{y.shape}. Leave vectorized=False."
            )
        with self._lock:
            try:
                return self._ask(x.tolist(), y.tolist())
            except Complaint as complaint:
                where = f"x={x.tolist()}, y={y.tolist()}"
                raise CommandFailed(
                    f"command: {safe_str(self._argv[0])} failed at {safe_str(where)}: {complaint}."
                ) from None

    def close(self) -> None:
        """End the program, by force if it has not ended after two seconds. A later call starts a new one."""
        with self._lock:
            _end(self._running, self._guards)

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Give another process a Command with a program of its own."""
        return Command, (self._argv,)

    def __repr__(self) -> str:
        return f"Command({self._argv!r})"

    def _ask(self, x: list[float], y: list[float]) -> float:
        if not self._running:
            self._start()
        program, self._n_sent = self._running[0], self._n_sent + 1
        try:
            value = program.ask({"id": self._n_sent, "x": x, "y": y})
        finally:
            if program.is_over:
                self._running.clear()
        return self._ask(x, y) if value is None else value

    def _start(self) -> None:
        if not self._guards:
            self._guards.append(Guard(watch=not is_worker()))  # a worker has a guard already
        mark = self._guards[0].mark
        try:
            self._running.append(Program(self._argv, mark))
        except BaseException:  # Ctrl-C: the program may have been started
            purge(mark)
            raise


class Complaint(Exception):
    """Why a program gave no value for a request."""


class Breach(Complaint):
    """The conversation is out of step, so the program must be replaced. Empty if the program fell silent."""


class Program:
    """A process that reads requests from its standard input and answers on its standard output; it carries a mark."""

    def __init__(self, argv: Sequence[str], mark: str) -> None:
        # In a session of its own it does not see Ctrl-C, and can be killed together with all that it starts.
        # A worker of the pool has such a session already.
        self._has_session, self._mark = os.name == "posix" and not is_worker(), mark
        variables = os.environ | marking(mark)
        try:
            self._process = Popen(
                argv, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=self._has_session, env=variables
            )
        except OSError as error:
            raise InvalidArgument(
                f"argv: {safe_repr(argv[0])} cannot be started ({error.strerror or error}). "
                f"Does a script begin with a line such as #!/bin/sh?"
            ) from error
        streams = self._process.stdin, self._process.stdout, self._process.stderr
        self._stdin, self._stdout, self._stderr = cast(tuple[IO[bytes], IO[bytes], IO[bytes]], streams)
        self._has_answered = self.is_over = False
        self._tail = b""
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()

    def ask(self, request: dict[str, Any]) -> float | None:
        """Return the value that answers a request, None if the program had retired before; raise `Complaint` else."""
        try:
            return read_answer(self._exchange(json.dumps(request, separators=(",", ":"))), request["id"])
        except Breach as breach:
            self._explain(str(breach))
            return None
        except Complaint:
            raise
        except BaseException:  # Ctrl-C: the answer may still come, and would be taken for the next one
            self.end(0.0)
            raise

    def end(self, grace: float = GRACE) -> bool:
        """Close its input, wait, kill what is left, close the pipes. Return whether it ended by itself."""
        self.is_over = True
        with suppress(OSError):
            self._stdin.close()
        with suppress(TimeoutExpired):
            self._process.wait(grace)
        has_ended = self._process.returncode is not None
        purge(self._mark)
        with suppress(ProcessLookupError, PermissionError):
            if self._has_session:  # what it started may outlive it
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        self._process.wait()
        self._stdout.close()
        self._listener.join(1.0)  # longer only if a stranger holds the pipe
        if not self._listener.is_alive():
            self._stderr.close()
        return has_ended

    def _exchange(self, request: str) -> bytes:
        with suppress(OSError):  # a broken pipe: the program has ended, which the reading below tells
            self._stdin.write(request.encode() + b"\n")
            self._stdin.flush()
        try:
            while (line := self._stdout.readline(LONGEST_LINE + 1)).isspace() and line.endswith(b"\n"):
                pass
        except OSError as error:
            raise Breach(f"its standard output cannot be read ({error.strerror})") from None
        if len(line) > LONGEST_LINE:
            raise Breach(f"it printed a line of more than {LONGEST_LINE:,} bytes, {quoted(line[:40])}...")
        if not line.endswith(b"\n"):
            raise Breach(f"it ended within the answer {quoted(line)}" if line else "")
        self._has_answered = True
        return line

    def _explain(self, complaint: str) -> None:
        """End the program; unless it has retired, say what went wrong and what it wrote last to standard error."""
        has_ended = self.end(0.0 if complaint else MOMENT)
        code = self._process.returncode
        if not complaint:
            if has_ended and code == 0 and self._has_answered:
                return
            how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            complaint = f"it {how if has_ended else 'closed its standard output'} without an answer"
        words = printable(" ".join(self._tail.decode(errors="replace").split()))[-LIMIT:]
        raise Breach(f"{complaint}. The end of its standard error: {words}" if words else complaint)

    def _listen(self) -> None:
        """Read standard error, so that the pipe does not fill up, and keep its end."""
        with suppress(OSError):
            while chunk := os.read(self._stderr.fileno(), 4096):
                self._tail = (self._tail + chunk)[-TAIL:]


def read_answer(line: bytes, number: int) -> float:
    """Return the finite value that a line gives for request `number`; raise `Complaint` if there is none."""
    try:
        data: Any = json.loads(line.decode())
    except (ValueError, RecursionError):
        raise Breach(f"it printed {quoted(line)}, which is not JSON. {ONLY_ANSWERS}") from None
    if not isinstance(data, dict):
        raise Breach(f"it printed {quoted(line)}, which is no JSON object. {ONLY_ANSWERS}")
    if "id" not in data:
        raise Breach(f'it answered {quoted(line)} without an "id". Repeat the id of the request')
    if type(data["id"]) not in NUMBERS or data["id"] != number:
        raise Breach(
            f"it answered {quoted(line)}, but the request was number {number}: that id is unknown or was answered "
            f"before. Answer every request once, with its own id"
        )
    if "error" in data:
        raise Complaint(f"it reported the error {quoted(data['error'])}")
    if "value" not in data:
        raise Complaint(f'it answered {quoted(line)} with neither "value" nor "error"')
    if type(data["value"]) not in NUMBERS:
        raise Complaint(f"it answered {quoted(line)}, where the value is not a number")
    if not abs(data["value"]) <= sys.float_info.max:
        raise Complaint(f"it answered {quoted(line)}, where the value is not finite")
    return float(data["value"])


def quoted(text: object) -> str:
    """Return a program's own words, short and in one line."""
    if isinstance(text, bytes):
        text = text.decode(errors="replace").strip()
    words = text if isinstance(text, str) else repr(text)
    return repr(words if len(words) <= MOST_QUOTED else f"{words[: MOST_QUOTED - 3]}...")


def split_command(line: str, name: str = "--command") -> list[str]:
    """Split a command line into words, with quotes as in a shell but nothing else of a shell."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise InvalidArgument(f"{name}: {safe_repr(line)} cannot be split into words ({error}).") from None
    if not words:
        raise InvalidArgument(f"{name}: expected a program, for example './simulate', but got {safe_repr(line)}.")
    return words


def _read_argv(argv: Any) -> list[str]:
    rule = "argv: expected a list with the program and its arguments, for example ['./simulate', '--fast']"
    if isinstance(argv, str):
        raise InvalidArgument(f"{rule}, but got the string {safe_repr(argv)}. Did you mean {argv.split()}?")
    try:
        words = [os.fspath(word) for word in argv]
        is_right = bool(words and words[0]) and "\0" not in "".join(words)  # a TypeError unless all are str
    except TypeError:
        is_right = False
    if not is_right:
        raise InvalidArgument(f"{rule}, but got {safe_repr(argv)}.")
    if shutil.which(words[0]) is None:
        cure = "Is the path relative to another directory?"
        if Path(words[0]).is_file():
            cure = f"Did you mean ./{words[0]}?" if os.access(words[0], os.X_OK) else f"Try chmod +x {words[0]}."
        raise InvalidArgument(f"argv: there is no program {safe_repr(words[0])}. {cure}")
    return words


def _end(running: list[Program], guards: list[Guard]) -> None:
    while running:
        running.pop().end()
    while guards:
        guards.pop().close()
