"""One process of a program: started without a shell, marked, and ended together with all that it starts."""

import errno
import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from threading import Thread
from typing import IO, cast

from reckless.core.words import LIMIT, printable, safe_repr
from reckless.errors import InvalidArgument
from reckless.evaluation.guard import marking, purge
from reckless.evaluation.pool import is_worker

MOST_QUOTED = 80  # characters of a program's text in a message
TAIL = 2000  # bytes of standard error that are kept
LAST_WORDS = 1.0  # seconds for what is left in a pipe; longer only if a stranger holds it
PASSING = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)  # reasons not to start that may be gone later


class Complaint(Exception):
    """Why a program gave no value for a request."""


class Process:
    """A running program with pipes to it; it carries a mark, by which what it starts is found.

    is_asked: whether it reads its standard input.
    """

    def __init__(self, argv: Sequence[str], mark: str, *, is_asked: bool) -> None:
        # In a session of its own it does not see Ctrl-C, and can be killed together with all that it starts.
        # A worker of the pool has such a session already.
        self._has_session, self._mark = os.name == "posix" and not is_worker(), mark
        stdin, variables = PIPE if is_asked else DEVNULL, os.environ | marking(mark)
        try:
            self._popen = Popen(
                argv, stdin=stdin, stdout=PIPE, stderr=PIPE, start_new_session=self._has_session, env=variables
            )
        except OSError as error:
            raise _not_started(argv[0], error) from error
        try:
            self.stdin, self.stdout = cast(IO[bytes], self._popen.stdin), cast(IO[bytes], self._popen.stdout)
            self._errors = Tail(cast(IO[bytes], self._popen.stderr), TAIL)
        except BaseException:  # Ctrl-C, as a rule
            self._popen.kill()
            self._popen.__exit__(None, None, None)
            raise

    @property
    def code(self) -> int:
        """Its exit code, once it has ended; that of a signal is negative."""
        return cast(int, self._popen.returncode)

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        return f"was ended by signal {-self.code}" if self.code < 0 else f"ended with exit code {self.code}"

    def explained(self, complaint: str) -> str:
        """Add to a complaint what the program wrote last to standard error."""
        words = printable(" ".join(self._errors.content.decode(errors="replace").split()))[-LIMIT:]
        return f"{complaint}. The end of its standard error: {words}" if words else complaint

    def wait(self, seconds: float | None = None) -> bool:
        """Return whether it ended by itself within so many seconds."""
        with suppress(TimeoutExpired):
            self._popen.wait(seconds)
        return self._popen.returncode is not None

    def kill(self) -> None:
        """Kill it and all that it started, unless that has ended; close the pipes but the one of its output."""
        purge(self._mark)
        with suppress(ProcessLookupError, PermissionError):
            if self._has_session:  # what it started may outlive it
                os.killpg(self._popen.pid, signal.SIGKILL)
            else:
                self._popen.kill()
        self._popen.wait()
        self._errors.close()


class Tail:
    """The end of what comes out of a pipe, which is read by a thread so that it does not fill up."""

    def __init__(self, pipe: IO[bytes], length: int) -> None:
        self.content, self.is_whole = b"", True
        self._pipe, self._length = pipe, length
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def close(self) -> None:
        """Wait for the end of the pipe, but not for long, and close it."""
        self._reader.join(LAST_WORDS)
        if not self._reader.is_alive():
            self._pipe.close()

    def _read(self) -> None:
        with suppress(OSError):
            while chunk := os.read(self._pipe.fileno(), 1 << 16):
                content = self.content + chunk
                self.is_whole = self.is_whole and len(content) <= self._length
                self.content = content[-self._length :]


def quoted(text: object) -> str:
    """Return a program's own words, short and in one line."""
    if isinstance(text, bytes):
        text = text.decode(errors="replace").strip()
    words = text if isinstance(text, str) else repr(text)
    return repr(words if len(words) <= MOST_QUOTED else f"{words[: MOST_QUOTED - 3]}...")


def _not_started(program: str, error: OSError) -> Exception:
    reason = error.strerror or str(error)
    if error.errno in PASSING:
        return Complaint(f"it cannot be started now ({reason})")
    return InvalidArgument(
        f"argv: {safe_repr(program)} cannot be started ({reason}). Does a script begin with a line such as #!/bin/sh?"
    )
