"""Files that commands write, or stdout."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from reckless.core import files


def check_file(out: Path, flag: str = "--out") -> None:
    """Refuse a file that could not be written, before the runs; `flag` is the option that names it."""
    files.check_file(out, flag)


@contextmanager
def writing(out: Path | None, flag: str = "--out") -> Iterator[TextIO]:
    """Open a file that appears under its name only when it is complete; or stdout."""
    if out is None:
        yield sys.stdout
        return
    with files.writing(out, flag) as file:
        yield file
