"""The lines of a journal, one record each with a checksum at its end: how they are written, and what they say.

    head {"format": 3, ...} 5c0f1a2b             what the run is
    value 17 0x1.8p+1 3ff80... 40140... 9a0c41   evaluation 17 (from 0) gave 3.0 at x = (1.5), y = (5.0); checksum
    value 18 error 3ff80... 40140... 0a9b8c7d    f raised in evaluation 18; "unknown": its worker was lost
    failure 18 "Traceback ..." 1234abcd          why; kept for the first failure of the run
    extend {"maxfev": 5000} 0badcafe             a later call decides otherwise; what follows is a segment of its own
    search 89abcdef                              the search does not ask for what is left before this line
    verify 76543210                              here the verification begins

A coordinate is the 16 hexadecimal digits of its 64 bits. Nothing in a file is ever executed.
"""

import json
from binascii import hexlify
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from reckless.core.arrays import Array
from reckless.core.outcome import Cause

FORMAT = 3  # 2 had digests in place of pairs, and one segment; 1 knew no "unknown" beside "error"
SEARCH, VERIFY = "search", "verify"  # phases of a run
CHANGEABLE = ("maxfev", "tol", "target", "verify")  # decisions that a later call may make otherwise
FAILED = {cause.value.encode(): cause for cause in (Cause.ERROR, Cause.UNKNOWN)}  # in place of values; NaN is a value
N_DIGITS = 16  # of a coordinate


class Record(NamedTuple):
    """One evaluation as the file has it: its value, its pair, and the segment that wrote it."""

    value: bytes
    pair: bytes
    segment: int

    @property
    def number(self) -> float:
        """The value, NaN for a failure."""
        return nan if self.value in FAILED else float.fromhex(self.value.decode())

    def point(self) -> tuple[Array, Array]:
        """Return x and y."""
        x, y = (np.frombuffer(bytes.fromhex(part.decode()), ">f8") for part in self.pair.split(b" "))
        return x.astype(np.float64), y.astype(np.float64)


@dataclass(slots=True, eq=False)
class Chapter:
    """What was evaluated in one phase: records and the reasons of failures, by the number of the evaluation."""

    phase: str
    records: dict[int, Record] = field(default_factory=dict)
    failures: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Contents:
    """What the lines of a file say, taken one by one: its head, the decisions of each segment, and its chapters."""

    head: dict[str, Any] | None = None
    decisions: list[dict[str, Any]] = field(default_factory=list)
    chapters: list[Chapter] = field(default_factory=lambda: [Chapter(SEARCH)])

    @property
    def n_evaluated(self) -> int:
        """How many evaluations the searches have numbered."""
        return 1 + max((n for chapter in self.chapters if chapter.phase == SEARCH for n in chapter.records), default=-1)

    def take(self, line: bytes, number: int) -> bool:
        """Take a line if its checksum is right; raise ValueError for what was never written with a right one."""
        record, _, checksum = line.rpartition(b" ")
        if not line.endswith(b"\n") or checksum.strip() != b"%08x" % crc32(record):
            return False
        try:
            self._take(record, number)
        except (ValueError, TypeError, OverflowError, RecursionError):
            raise ValueError from None
        return True

    def _take(self, record: bytes, number: int) -> None:
        kind, _, content = record.partition(b" ")
        if (self.head is None) != (number == 1 and kind == b"head"):
            raise ValueError
        chapter = self.chapters[-1]
        if kind == b"value":
            n, value, pair = content.split(b" ", 2)
            if value not in FAILED:
                float.fromhex(value.decode())
            if [len(part) % N_DIGITS for part in pair.split(b" ")] != [0, 0] or int(n) < 0:
                raise ValueError
            chapter.records[int(n)] = Record(value, pair, len(self.decisions) - 1)
        elif kind == b"failure":
            n, _, text = content.partition(b" ")
            chapter.failures[int(n)] = str(json.loads(text))
        elif kind in (b"search", b"verify") and not content:
            self.chapters.append(Chapter(kind.decode()))
        elif kind == b"extend":
            self.decisions.append({**self.decisions[-1], **decisions_of(dict(json.loads(content)))})
        elif kind == b"head" and number == 1:
            self.head = dict(json.loads(content))
            if self.head.get("format") != FORMAT:
                raise ValueError
            self.decisions.append(decisions_of(self.head))
        else:
            raise ValueError


def decisions_of(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return those decisions that may change, if they are numbers or None."""
    found = {key: facts[key] for key in CHANGEABLE if key in facts}
    if not all(value is None or isinstance(value, (int, float)) for value in found.values()):
        raise ValueError
    return found


def line_of(record: bytes) -> bytes:
    """Return a line with its checksum."""
    return b"%b %08x\n" % (record, crc32(record))


def pairs_of(X: Array, Y: Array) -> Iterator[bytes]:
    """Yield the pairs in rows X, Y as the file has them."""
    x_text, y_text = hexlify(X.astype(">f8").tobytes()), hexlify(Y.astype(">f8").tobytes())
    n_x, n_y = N_DIGITS * X.shape[1], N_DIGITS * Y.shape[1]
    for k in range(len(X)):
        yield b"%b %b" % (x_text[k * n_x : (k + 1) * n_x], y_text[k * n_y : (k + 1) * n_y])
