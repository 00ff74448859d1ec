"""Read TOML, of which nobody knows who wrote it: whatever it says, the answer comes soon, and is data or a sentence."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reckless.core.words import printable, shortened

LARGEST_FILE = 1_000_000  # bytes; a problem or a study takes some hundred
MOST_PARTS = 50  # of a name such as a.b.c, for which the parser takes time by the square of their number
MOST_BITS = 10_000  # of an integer: beyond 4,300 digits Python cannot print it

_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_NAME = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MOST_PARTS},}}+")


def read_text(path: Path) -> str:
    """Return the text of a file; raise OSError, or ValueError with the reason, if it cannot be one of ours."""
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1)  # and no more: the file may have no end
    if len(content) > LARGEST_FILE:
        raise ValueError(f"it has more than {LARGEST_FILE:,} bytes")
    try:
        return content.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise ValueError(str(error)) from None


def parse_toml(text: str) -> dict[str, Any]:
    """Return what a text in TOML says; raise ValueError with the reason if it says nothing."""
    if _LONG_NAME.search(text):
        raise ValueError(f"a name has more than {MOST_PARTS} parts")
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(shortened(printable(str(error)))) from None
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    except ValueError:  # of Python, which limits the digits of an integer
        raise ValueError("a number has too many digits") from None
    if any(number.bit_length() > MOST_BITS for number in _integers(found)):
        raise ValueError("a number has too many digits")
    return found


def _integers(data: Any) -> Iterator[int]:
    """Yield all integers in parsed data, however deep."""
    waiting = [data]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
        elif isinstance(part, int):
            yield part
