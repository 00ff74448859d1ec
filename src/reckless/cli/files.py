"""Files that commands write: refused before the work if they cannot be written, and complete when they appear."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from reckless.errors import InvalidArgument, OptimizationError


def check_file(out: Path, flag: str = "--out") -> None:
    """Refuse a file that could not be written, before the runs; `flag` is the option that names it."""
    try:
        out = _followed(out)
        if not out.parent.is_dir():
            raise InvalidArgument(f"{flag}: there is no directory {out.parent}. Create it, or name another.")
        if out.is_dir():
            raise InvalidArgument(f"{flag}: {out} is a directory. Name a file in it.")
        part, is_replaced = _part_of(out)
        if is_replaced:  # a pipe is not opened in vain: its reader would see the end
            part.open("w").close()
            part.unlink()
    except OSError as error:
        raise _refusal(out, flag, error) from error


@contextmanager
def writing(out: Path | None, flag: str = "--out") -> Iterator[TextIO]:
    """Open a file that appears under its name only when it is complete; or stdout.

    What exists and is no regular file, such as a pipe, is written to: another file in its place would be its end.
    """
    if out is None:
        yield sys.stdout
        return
    out = _followed(out)
    part, is_replaced = _part_of(out)
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


def _followed(out: Path) -> Path:
    """Return the file that a link leads to, so that the link stays one; /dev/stdout may lead to what has no name."""
    return out.resolve() if out.is_symlink() and (out.is_file() or not out.exists()) else out


def _part_of(out: Path) -> tuple[Path, bool]:
    """Return the file to open, and whether it takes the place of `out` once it is complete."""
    is_replaced = out.is_file() or not out.exists()
    return (out.with_name(f"{out.name}.part") if is_replaced else out), is_replaced


def _refusal(out: Path, flag: str, error: OSError) -> InvalidArgument:
    return InvalidArgument(f"{flag}: {out} cannot be written ({error.strerror}).")
