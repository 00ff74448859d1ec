"""Files that are written as a whole: refused before the work if they cannot be, and complete when they appear.

And files that are read, of which nobody knows who wrote them.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from reckless.core.words import safe_repr, safe_str
from reckless.errors import InvalidArgument, OptimizationError

KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def check_file(out: Path, flag: str) -> None:
    """Refuse a file that could not be written, before the runs; `flag` is the option that names it."""
    try:
        out = _followed(out)
        if not out.parent.is_dir():
            raise InvalidArgument(f"{flag}: there is no directory {safe_str(out.parent)}. Create it, or name another.")
        if out.is_dir():
            raise InvalidArgument(f"{flag}: {safe_str(out)} is a directory. Name a file in it.")
        part, is_replaced = _part_of(out)
        if is_replaced:  # a pipe is not opened in vain: its reader would see the end
            part.open("w").close()
            part.unlink()
    except OSError as error:
        raise _refusal(out, flag, error) from error


@contextmanager
def writing(out: Path, flag: str) -> Iterator[TextIO]:
    """Open a file that appears under its name only when it is complete.

    What exists and is no regular file, such as a pipe, is written to: another file in its place would be its end.
    """
    try:
        out = _followed(out)
        part, is_replaced = _part_of(out)
    except OSError as error:
        raise _refusal(out, flag, error) from error
    try:
        with part.open("w", encoding="utf-8", newline="") as file:
            yield file
        if is_replaced:
            part.replace(out)
    except BaseException as error:
        if is_replaced:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, OptimizationError):  # some errors of ours are both
            raise _refusal(out, flag, error) from error
        raise


def open_regular(path: Any, name: str) -> BinaryIO:
    """Open a regular file to be read; `name` is the argument that names it."""
    if not isinstance(path, (str, os.PathLike)):
        raise InvalidArgument(f"{name}: expected the name of a file, but got {safe_repr(path)}.")
    try:
        file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115, the caller closes it
    except OSError as error:
        cure = " Is the path relative to another directory?" if isinstance(error, FileNotFoundError) else ""
        raise InvalidArgument(f"{name}: {safe_str(path)} cannot be read ({error.strerror}).{cure}") from None
    except ValueError:  # a null character
        raise InvalidArgument(f"{name}: {safe_repr(path)} cannot be the name of a file.") from None
    kind = stat.S_IFMT(os.fstat(file.fileno()).st_mode)
    if kind != stat.S_IFREG:
        file.close()
        raise InvalidArgument(
            f"{name}: expected a regular file, but {safe_str(path)} is {KINDS.get(kind, 'something else')}. "
            f"Give another file."
        )
    return file


def read_bytes(path: Any, name: str, most: int) -> bytes:
    """Return what a regular file of at most `most` bytes has; `name` is the argument that names it."""
    with open_regular(path, name) as file:
        is_larger = os.fstat(file.fileno()).st_size > most
        content = b"" if is_larger else file.read(most + 1)  # which may have grown since
    if is_larger or len(content) > most:
        raise InvalidArgument(f"{name}: {safe_str(path)} has more than {most:,} bytes. Is it the right file?")
    return content


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe that nobody writes to is not waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _followed(out: Path) -> Path:
    """Return the file that a link leads to, so that the link stays one; /dev/stdout may lead to what has no name."""
    return out.resolve() if out.is_symlink() and (out.is_file() or not out.exists()) else out


def _part_of(out: Path) -> tuple[Path, bool]:
    """Return the file to open, and whether it takes the place of `out` once it is complete."""
    is_replaced = out.is_file() or not out.exists()
    return (out.with_name(f"{out.name}.part") if is_replaced else out), is_replaced


def _refusal(out: Path, flag: str, error: OSError) -> InvalidArgument:
    return InvalidArgument(f"{flag}: {safe_str(out)} cannot be written ({error.strerror}).")
