"""Any program as f, without a shell: kept alive and asked line by line in JSON, or started for each pair.

Numbers are written so that reading them gives the same double back. Unknown keys of an answer are ignored.
"""

import json
import os
import shlex
import shutil
import sys
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from reckless.core.words import safe_repr, safe_str
from reckless.domains.named import names_of
from reckless.errors import InvalidArgument, OptimizationError
from reckless.evaluation.guard import Guard, purge
from reckless.evaluation.oneshot import Template, is_placeholder, run_once
from reckless.evaluation.pool import is_worker
from reckless.evaluation.process import Complaint, Process, quoted

LONGEST_LINE = 1 << 20  # bytes of one answer; a longer one is not read to its end
GRACE = 2.0  # seconds that a program has to end by itself once its standard input is closed
MOMENT = 0.5  # seconds for the exit code of a program that fell silent
Started = TypeVar("Started")
NUMBERS = (int, float)  # the types of JSON's numbers; bool, a subclass of int, is none
ONLY_ANSWERS = "Print answers alone to standard output, one per line, and all else to standard error"


class CommandFailed(OptimizationError, RuntimeError):
    """A program that computes f gave no value for a pair; the message names the pair and what it did instead."""


class Command(AbstractContextManager["Command"]):
    """Use any program as f: it reads pairs from its standard input and writes values to its standard output.

    Every line is one JSON object: ``{"id":7,"x":[1.5,-3.0],"y":[4.25]}`` to the program, and ``{"id":7,"value":12.5}``
    or ``{"id":7,"error":"did not converge"}`` from it. The program is started by the first call, without a shell, and
    kept alive; when its standard input ends, it should end. One that ends with exit code 0 after an answer is started
    anew. A pair without a value raises `CommandFailed`. Where coordinates have names, the line also has them, as in
    ``"named":{"x":{"R":1.5,"C":-3.0}}``.

    A program that knows nothing of this is started for each pair, with ``per_call=True``: the values are put into its
    arguments, and the last number that it prints to its standard output is the value. Another exit code than 0, or an
    output without a number, raises `CommandFailed`.

    A Command is an ordinary f(x, y) with one program. ``workers=4`` of `minimax` starts four, one per worker process;
    ``eval_timeout``, ``retries`` and ``on_error`` apply as to any f.

    Parameters
    ----------
    argv : sequence of str
        The program and its arguments, as in ``["./simulate", "--fast"]``. No shell reads them.
    per_call : bool, optional
        Whether to start the program for each pair. Then ``{x[0]}`` and ``{y[3]}`` in the arguments stand for one
        coordinate, ``{x.R}`` for the one called R, ``{x}`` and ``{y}`` for all as one argument each, and ``{{`` and
        ``}}`` for braces.

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

    >>> f = reckless.Command([sys.executable, "-c", "import sys; print(sys.argv[1:])", "{x[0]}", "{y}"], per_call=True)
    >>> f([1.5], [2.0, 5.25])
    5.25
    """

    def __init__(self, argv: Sequence[str], *, per_call: bool = False) -> None:
        self._argv = _read_argv(argv)
        self._template = _read_template(self._argv, per_call)  # None if the program is kept alive
        self._running: list[Program] = []  # one, or none yet
        self._guards: list[Guard] = []  # likewise
        self._n_sent = 0
        self._lock, self._guarding = Lock(), Lock()
        weakref.finalize(self, _end, self._running, self._guards)

    def __call__(self, x: Any, y: Any) -> float:
        """Return the value of one pair of vectors."""
        names = names_of(x), names_of(y)
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if x.ndim != 1 or y.ndim != 1:
            raise InvalidArgument(
                f"x, y: a Command takes one pair of vectors at a time, but got arrays of shapes {x.shape} and "
                f"{y.shape}. Leave vectorized=False."
            )
        try:
            if self._template is not None:
                return self._marked(partial(run_once, self._template.filled(x.tolist(), y.tolist(), *names)))
            request = {"x": x.tolist(), "y": y.tolist()}
            named = {
                player: dict(zip(known, request[player], strict=True))
                for player, known in zip("xy", names, strict=True)
                if known
            }
            with self._lock:
                return self._ask({**request, **({"named": named} if named else {})})
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
        return partial(Command, per_call=self._template is not None), (self._argv,)

    def __repr__(self) -> str:
        return f"Command({self._argv!r}{', per_call=True' if self._template is not None else ''})"

    def _ask(self, pair: dict[str, Any]) -> float:
        if not self._running:
            self._start()
        program, self._n_sent = self._running[0], self._n_sent + 1
        try:
            value = program.ask({"id": self._n_sent, **pair})
        finally:
            if program.is_over:
                self._running.clear()
        return self._ask(pair) if value is None else value

    def _start(self) -> None:
        self._running.append(self._marked(partial(Program, self._argv)))

    def _marked(self, start: Callable[[str], Started]) -> Started:
        """Start something with a mark of its own, by which it is found even if Ctrl-C comes while it starts."""
        with self._guarding:
            if not self._guards:
                self._guards.append(Guard(watch=not is_worker()))  # a worker has a guard already
            mark = self._guards[0].divide()
        try:
            return start(mark)
        except BaseException:
            purge(mark)
            raise


class Breach(Complaint):
    """The conversation is out of step, so the program must be replaced. Empty if the program fell silent."""


class Program:
    """A program that reads requests from its standard input and answers on its standard output."""

    def __init__(self, argv: Sequence[str], mark: str) -> None:
        self._process = Process(argv, mark, is_asked=True)
        self._has_answered = self.is_over = False

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
            self._process.stdin.close()
        has_ended = self._process.wait(grace)
        self._process.kill()
        self._process.stdout.close()
        return has_ended

    def _exchange(self, request: str) -> bytes:
        stdin, stdout = self._process.stdin, self._process.stdout
        with suppress(OSError):  # a broken pipe: the program has ended, which the reading below tells
            stdin.write(request.encode() + b"\n")
            stdin.flush()
        try:
            while (line := stdout.readline(LONGEST_LINE + 1)).isspace() and line.endswith(b"\n"):
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
        if not complaint:
            if has_ended and self._process.code == 0 and self._has_answered:
                return
            how = self._process.ending if has_ended else "closed its standard output"
            complaint = f"it {how} without an answer"
        raise Breach(self._process.explained(complaint))


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


def _read_template(argv: list[str], per_call: Any) -> Template | None:
    if not isinstance(per_call, (bool, np.bool_)):
        raise InvalidArgument(f"per_call: expected True or False, but got {safe_repr(per_call)}.")
    if per_call:
        return Template(argv)
    for word in filter(is_placeholder, argv[1:]):
        raise InvalidArgument(
            f"argv: {safe_repr(word)} is a place for a value, but this program is started once and asked line by line. "
            f"Did you mean per_call=True?"
        )
    return None


def _end(running: list[Program], guards: list[Guard]) -> None:
    while running:
        running.pop().end()
    while guards:
        guards.pop().close()
