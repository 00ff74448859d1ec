"""One running program that answers requests, kept alive between them. No shell is involved.

A thread of its own talks to the program, so that whoever asks can stop waiting; a second one keeps the end of what it
writes to standard error. A program that breaks the protocol, or ends, is buried; it is never started again: its owner
makes a new one.
"""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from math import nan
from queue import SimpleQueue
from threading import Thread, current_thread
from typing import IO, NamedTuple

from reckless.evaluation.protocol import Answer, decode, quoted

LONGEST_LINE = 1 << 20  # bytes of one answer; a longer one is not read on
TAIL = 2000  # bytes of standard error that are kept
GRACE = 2.0  # seconds that a program has to end by itself once its standard input is closed
MOMENT = 0.5  # seconds for the exit code of a program that fell silent

_HAS_GROUPS = os.name == "posix"


class Request(NamedTuple):
    """A line for a program, and the number that its answer must bear."""

    number: int
    line: bytes


class Program:
    """A process that reads requests from its standard input and answers on its standard output."""

    def __init__(self, argv: Sequence[str], answers: "SimpleQueue[tuple[Program, Answer]]") -> None:
        """Start it; raises OSError if that is impossible. Answers are put into the given queue."""
        pipe = subprocess.PIPE
        # In a session of its own it does not see Ctrl-C, and can be ended together with all that it starts.
        self._process = subprocess.Popen(
            argv, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=_HAS_GROUPS, shell=False
        )
        self._answers = answers
        self._requests: SimpleQueue[Request | None] = SimpleQueue()
        self._n_answered = 0
        self._tail = b""
        self._listener = Thread(target=self._listen, daemon=True)
        self._talker = Thread(target=self._talk, daemon=True)
        self._listener.start()
        self._talker.start()

    def ask(self, request: Request) -> None:
        """Send a request; its answer will come through the queue."""
        self._requests.put(request)

    def end(self) -> None:
        """Let it end by itself after the request in hand; see `wait`."""
        self._requests.put(None)

    def kill(self) -> None:
        """End it at once, with all the processes that it started."""
        if self._process.returncode is None:  # else its number may belong to another process by now
            with suppress(ProcessLookupError, PermissionError):
                if _HAS_GROUPS:
                    os.killpg(self._process.pid, signal.SIGKILL)
                else:
                    self._process.kill()

    def wait(self, seconds: float) -> bool:
        """Whether it is over and cleared away, after at most so many seconds."""
        if self._talker is not current_thread():  # the garbage collector may run anywhere
            self._talker.join(max(0.0, seconds))
        return not self._talker.is_alive()

    def _talk(self) -> None:
        """The life of the program: a request, its answer, and so on."""
        is_lost = False
        while not is_lost and (request := self._requests.get()) is not None:
            answer = self._exchange(request)
            is_lost = answer.is_lost
            if is_lost:
                has_ended = self._bury(0.0 if answer.complaint else MOMENT)
                answer = self._with_last_words(answer, has_ended)
            self._n_answered += 1
            self._answers.put((self, answer))
        if not is_lost:
            self._bury(GRACE)

    def _exchange(self, request: Request) -> Answer:
        stdin, stdout = _pipe(self._process.stdin), _pipe(self._process.stdout)
        with suppress(OSError):  # a broken pipe: the program has ended, which the reading below tells
            stdin.write(request.line)
            stdin.flush()
        try:
            line = stdout.readline(LONGEST_LINE + 1)
            while line.isspace() and line.endswith(b"\n"):
                line = stdout.readline(LONGEST_LINE + 1)
        except OSError as error:
            return Answer(nan, f"its standard output cannot be read ({error.strerror})", is_lost=True)
        if len(line) > LONGEST_LINE:
            return Answer(
                nan, f"it printed a line of more than {LONGEST_LINE:,} bytes, {quoted(line[:40])}...", is_lost=True
            )
        if not line.endswith(b"\n"):
            return Answer(nan, f"it ended within the answer {quoted(line)}" if line else "", is_lost=True)
        return decode(line, request.number)

    def _with_last_words(self, answer: Answer, has_ended: bool) -> Answer:
        """Say how the program ended, if that is what went wrong, and what it wrote last to standard error."""
        code, complaint = self._process.returncode, answer.complaint
        if not complaint:
            if has_ended and code == 0 and self._n_answered:
                return answer._replace(is_retired=True)
            how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
            complaint = f"it {how if has_ended else 'closed its standard output'} without an answer"
        words = self._tail.decode(errors="replace").strip()
        if words:
            complaint += f". The end of its standard error: {words}"
        return answer._replace(complaint=complaint)

    def _listen(self) -> None:
        """Keep the end of standard error, and keep that pipe from filling up."""
        stderr = _pipe(self._process.stderr).fileno()
        with suppress(OSError):
            while chunk := os.read(stderr, 4096):
                self._tail = (self._tail + chunk)[-TAIL:]

    def _bury(self, grace: float) -> bool:
        """Close its standard input, give it some seconds to end, end what is left, and clear everything away.

        Returns whether it ended by itself.
        """
        with suppress(OSError):
            _pipe(self._process.stdin).close()
        has_ended = self._await_end(grace)
        self.kill()
        self._process.wait()
        _pipe(self._process.stdout).close()
        self._listener.join(1.0)  # longer only if a stranger holds the pipe
        if not self._listener.is_alive():
            _pipe(self._process.stderr).close()
        return has_ended

    def _await_end(self, seconds: float) -> bool:
        """Wait for the end without taking notice of it, so that its group can still be ended safely."""
        deadline, pause = time.monotonic() + seconds, 0.0005
        while not self._has_ended():
            if time.monotonic() >= deadline:
                return False
            time.sleep(pause)
            pause = min(2.0 * pause, 0.02)
        return True

    def _has_ended(self) -> bool:
        if not _HAS_GROUPS:
            return self._process.poll() is not None
        try:
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
        except ChildProcessError:
            return True


def end_all(idle: list[Program], killed: list[Program]) -> None:
    """End idle programs, by force unless they do so by themselves soon, and clear all away. None is left running."""
    for program in idle:
        program.end()
    deadline = time.monotonic() + GRACE
    for program in idle:
        program.wait(deadline - time.monotonic())
    for program in idle:
        program.kill()
    for program in [*idle, *killed]:
        program.wait(1.0)
    idle.clear()
    killed.clear()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
