"""A regular file that one process has to itself: opened or created, locked, and never anything but a regular file."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

from reckless.core.files import KINDS
from reckless.core.words import safe_repr, safe_str
from reckless.errors import InvalidArgument, InvalidJournal

LONGEST_LINE = 1 << 25  # bytes: a pair of a million coordinates each


class LockedFile(NamedTuple):
    """A file that is open for reading and appending. is_new: whether this call created it."""

    file: IO[bytes]
    path: Path
    is_new: bool

    @property
    def size(self) -> int:
        """Its size in bytes, wherever it was moved."""
        return os.fstat(self.file.fileno()).st_size

    def close(self) -> None:
        """Close the file; delete it if this call created it and it is empty."""
        with self.file:
            if self.is_new and self.size == 0:
                with suppress(OSError):  # it is gone, or its directory is read-only by now
                    if os.path.samestat(os.stat(self.path), os.fstat(self.file.fileno())):
                        self.path.unlink()


def absolute(path: Any, name: str) -> Path:
    """Return a path that stays the same wherever the working directory moves."""
    try:
        return Path(os.path.abspath(path))
    except OSError as error:
        raise InvalidArgument(
            f"{name}: {safe_str(path)} is relative to a working directory that is gone. Give an absolute path."
        ) from error


def open_locked(path: Path, name: str) -> LockedFile:
    """Open a regular file, create it if need be, and lock it against other processes for as long as it is open."""
    if (facts := _facts(path)) is not None:
        _insist_on_regular(facts, path, name)  # before it is opened: to open a device may have effects
    try:
        file, is_new = _opened(path)
    except OSError as error:
        raise InvalidArgument(
            f"{name}: {safe_str(path)} cannot be written ({error.strerror}). Does its directory exist?"
        ) from error
    except ValueError as error:
        raise InvalidArgument(f"{name}: {safe_repr(str(path))} cannot be the name of a file ({error}).") from error
    try:
        _insist_on_regular(os.fstat(file.fileno()), path, name)
        _lock(file)
    except InvalidArgument:
        file.close()
        raise
    except OSError:
        file.close()
        raise InvalidJournal(
            f"{name}: {safe_str(path)} is in use by another process. Wait for its end, or give another file."
        ) from None
    return LockedFile(file, path, is_new)


def pieces(file: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with their numbers; one longer than LONGEST_LINE comes in pieces."""
    number, is_whole = 1, True
    with open(file.fileno(), "rb", closefd=False) as reader:
        reader.seek(0)
        while piece := reader.readline(LONGEST_LINE):
            yield number, piece if is_whole else piece.rstrip(b"\n")  # the end of a long line is no line
            is_whole = piece.endswith(b"\n")
            number += is_whole


def _facts(path: Path) -> os.stat_result | None:
    """Return what the system knows of a file, None if there is none, or none can be."""
    with suppress(OSError, ValueError):
        return os.stat(path)
    return None


def _opened(path: Path) -> tuple[IO[bytes], bool]:
    """Return the file, and whether it was created."""
    with suppress(FileExistsError):
        return open(path, "a+b", buffering=0, opener=lambda p, flags: os.open(p, flags | os.O_EXCL, 0o666)), True
    return open(path, "a+b", buffering=0), False


def _insist_on_regular(facts: os.stat_result, path: Path, name: str) -> None:
    if not stat.S_ISREG(facts.st_mode):
        kind = KINDS.get(stat.S_IFMT(facts.st_mode), "something else")
        raise InvalidArgument(f"{name}: expected a regular file, but {safe_str(path)} is {kind}. Give another file.")


def _lock(file: IO[bytes]) -> None:
    if os.name == "nt":
        import msvcrt

        file.seek(1 << 40)  # far behind the records, since others cannot read what is locked
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        file.seek(0)
    else:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
