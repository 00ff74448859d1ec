"""The lines that pass between us and a program that computes f: one JSON object each.

To the program:  {"id":7,"x":[1.5,-3.0],"y":[4.25]}
From it:         {"id":7,"value":12.5}   or   {"id":7,"error":"did not converge"}

Numbers are written so that reading them gives the same double back. Keys we do not know are ignored.
"""

import json
from math import isfinite, nan
from typing import Any, NamedTuple

from reckless.core.arrays import Array

MOST_QUOTED = 80  # characters of a program's text that go into a message


class Answer(NamedTuple):
    """What came of one request: a finite value, or NaN and a complaint.

    is_lost: whether the conversation is out of step, so that the program must be replaced.
    is_retired: whether the program had ended, well and of its own accord, before it saw the request.
    """

    value: float
    complaint: str = ""
    is_lost: bool = False
    is_retired: bool = False


def encode(number: int, x: Array, y: Array) -> bytes:
    """The request called `number`, with its line end."""
    return json.dumps({"id": number, "x": x.tolist(), "y": y.tolist()}, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes, number: int) -> Answer:
    """Read the answer to the request called `number`; whatever the line is, the outcome is an Answer."""
    try:
        data: Any = json.loads(line.decode())
    except (ValueError, RecursionError):
        return _lost(f"it printed {quoted(line)}, which is not JSON. {_ONLY_ANSWERS}")
    if not isinstance(data, dict):
        return _lost(f"it printed {quoted(line)}, which is no JSON object. {_ONLY_ANSWERS}")
    if "id" not in data:
        return _lost(f'it answered {quoted(line)} without an "id". Repeat the id of the request')
    if not _is_number(data["id"]) or data["id"] != number:
        return _lost(
            f"it answered {quoted(line)}, but the request was number {number}: that id is unknown or was answered "
            f"before. Answer every request once, with its own id"
        )
    if "error" in data:
        return Answer(nan, f"it reported the error {quoted(data['error'])}")
    if "value" not in data:
        return Answer(nan, f'it answered {quoted(line)} with neither "value" nor "error"')
    return _read_value(data["value"], line)


def quoted(text: object) -> str:
    """A program's own words, short and in one line."""
    if isinstance(text, bytes):
        text = text.decode(errors="replace").strip()
    words = text if isinstance(text, str) else repr(text)
    return repr(words if len(words) <= MOST_QUOTED else f"{words[: MOST_QUOTED - 3]}...")


_ONLY_ANSWERS = "Print answers alone to standard output, one per line, and all else to standard error"


def _lost(complaint: str) -> Answer:
    return Answer(nan, complaint, is_lost=True)


def _read_value(value: Any, line: bytes) -> Answer:
    if not _is_number(value):
        return Answer(nan, f"it answered {quoted(line)}, where the value is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = nan
    if not isfinite(number):
        return Answer(nan, f"it answered {quoted(line)}, where the value is not finite")
    return Answer(number)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
