"""Ends what a process started when the process ends, even by kill -9, and wherever the descendants went.

On Linux each worker and each program carries a mark in its environment, which all that it starts inherits. A guard is
a process that waits for the end of the one that started it, and then kills all that carry its mark, and their children.
What has its own session is found as well. Elsewhere there is no /proc to look into, and process groups must do.

This file is also the program of that process, so it imports nothing but the standard library.
"""

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import count

MARKS = "RECKLESS_MARKS"  # environment variable with the marks of a process and of those that it descends from
HAS_PROC = sys.platform == "linux" and os.path.isdir("/proc/self")
PURGE_SECONDS = 2.0  # after which a process that does not die, such as one that waits for a disk, is left
LINGER_SECONDS = 1.0  # in which a guard looks again, for what was just being started
LOOK_SECONDS = 0.1  # between two looks
POLL_SECONDS = 1.0  # between two questions for the parent, should a stranger hold the pipe open


class Guard:
    """A mark for processes and, if `watch`, a process that kills those with the mark when this one is gone.

    Marks can be divided: what ends a process with a mark of `divide` leaves the others alone.
    """

    def __init__(self, *, watch: bool = True) -> None:
        self.mark = os.urandom(8).hex()
        self._numbers = count()
        self._watcher: subprocess.Popen[bytes] | None = None
        if watch and HAS_PROC:
            with suppress(OSError):  # without it, process groups must do
                self._watcher = subprocess.Popen(
                    [sys.executable, "-I", "-S", __file__, self.mark],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )

    def divide(self) -> str:
        """Return a mark for one of several processes."""
        return f"{self.mark}.{next(self._numbers)}."

    def close(self) -> None:
        """Kill what carries the mark, and end the guard."""
        purge(self.mark)
        if self._watcher is not None:
            self._watcher.kill()
            self._watcher.communicate()
            self._watcher = None


def marking(mark: str) -> dict[str, str]:
    """Return the environment variable of a process to be marked."""
    return {MARKS: f"{os.environ.get(MARKS, '')} {mark}"}


def purge(mark: str) -> None:
    """Kill all processes that carry the mark, and their descendants, until none is left."""
    deadline = time.monotonic() + PURGE_SECONDS
    while HAS_PROC and (found := _family(mark.encode())) and time.monotonic() < deadline:
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(1e-3)


def _family(mark: bytes) -> set[int]:
    """Return the numbers of the processes that carry the mark, and of their descendants."""
    parents, found = dict[int, int](), set[int]()
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):  # it has ended, or is another user's
            with open(f"/proc/{name}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
            if state in (b"Z", b"X"):
                continue
            parents[int(name)] = int(parent)
            with open(f"/proc/{name}/environ", "rb") as file:
                if mark in file.read():
                    found.add(int(name))
    while children := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= children
    return found - {os.getpid()}


def _watch(mark: str) -> None:
    """Wait until the parent closes the pipe or is gone; then kill what carries the mark."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # which may be sent to all processes of a job
        signal.signal(number, signal.SIG_IGN)
    parent = os.getppid()
    while os.getppid() == parent and not select.select([sys.stdin], [], [], POLL_SECONDS)[0]:
        pass
    deadline = time.monotonic() + LINGER_SECONDS
    while time.monotonic() < deadline:
        purge(mark)
        time.sleep(LOOK_SECONDS)


if __name__ == "__main__":
    _watch(sys.argv[1])
