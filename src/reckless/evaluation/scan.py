"""Read a journal's file from its beginning: what it says, and where its last good line ends."""

import re
from collections.abc import Iterator
from math import isnan
from typing import IO, Any, NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.core.files import open_regular
from reckless.core.sense import Sense
from reckless.core.words import safe_str
from reckless.errors import InvalidJournal
from reckless.evaluation.lockedfile import LONGEST_LINE, pieces
from reckless.evaluation.records import FORMAT, SEARCH, Contents, Record

_BEGINNING = b'head {"format": %d, ' % FORMAT
LONGEST_TAIL = 1 << 26  # bytes that a power cut can spoil: what is written in SYNC_SECONDS, and more


class Scan(NamedTuple):
    """What a file says. n_good: bytes up to the end of the last good line. n_torn: bytes after it."""

    contents: Contents
    n_good: int
    n_torn: int


class Table(NamedTuple):
    """The evaluations of a journal in order: X (n, n_x), Y (n, n_y), and values (n,), NaN where f failed."""

    X: Array
    Y: Array
    values: Array


class Best(NamedTuple):
    """The design with the best worst case among `n_designs` that met at least `n_met` different y."""

    x: Array
    y: Array
    value: float
    n_designs: int
    n_met: int


def read_journal(path: Any, argument: str) -> Scan:
    """Return what a journal says that was begun; whoever writes to it is not disturbed."""
    with open_regular(path, argument) as file:
        found = scan(file, safe_str(path), argument)
    if found.contents.head is None:
        raise InvalidJournal(f"{argument}: {safe_str(path)} is empty: its run has not begun yet.")
    return found


def scan(file: IO[bytes], name: str, argument: str) -> Scan:
    """Read the records of an open file called `name`, which an argument names. Only its end may be torn."""
    contents, n_good, n_torn, torn_line, start = Contents(), 0, 0, 0, b""
    for number, line in pieces(file):
        if not start:
            start = line
            _insist_on_format(line, name, argument)
        try:
            is_good = contents.take(line, number)
        except ValueError:
            raise damaged(number, name, argument) from None
        if not is_good:
            torn_line = torn_line or number
            n_torn += len(line)
        elif torn_line:
            raise damaged(torn_line, name, argument)
        else:
            n_good += len(line)
        if n_torn > (LONGEST_TAIL if n_good else LONGEST_LINE):
            raise damaged(torn_line, name, argument)
    if contents.head is None and (b"\n" in start or not _BEGINNING.startswith(start[: len(_BEGINNING)])):
        raise damaged(1, name, argument)  # a file of another kind, not a head that was cut short
    return Scan(contents, n_good, n_torn)


def damaged(number: int, name: str, argument: str) -> InvalidJournal:
    """Say in which line a file is damaged."""
    return InvalidJournal(
        f"{argument}: {name} is not a journal of this package, or is damaged at line {number}. It was not modified. "
        f"Give another file."
    )


def _insist_on_format(line: bytes, name: str, argument: str) -> None:
    """Refuse a journal of another format, whose other lines may mean anything."""
    found = re.match(rb'head \{"format": (\d{1,9})\b', line)
    if found is not None and int(found[1]) != FORMAT:
        version = re.search(rb'"version": "([\w.+-]{1,40})"', line)
        begun = "" if version is None else f" (version {version[1].decode()})"
        raise InvalidJournal(
            f"{argument}: {name} is a journal of format {int(found[1])}, and this installation reads format {FORMAT} "
            f"only. It was not modified. Finish that run with the installation that began it{begun}, or give another "
            f"file."
        )


def table_of(contents: Contents) -> Table | None:
    """Return all evaluations in the order in which they were asked for; None if pairs differ in length."""
    records = [record for _, record in _in_order(contents)]
    points = [record.point() for record in records]
    if len({(x.size, y.size) for x, y in points}) > 1:
        return None
    n = len(points)
    X, Y = (np.array([point[k] for point in points]).reshape(n, -1) if n else np.empty((0, 0)) for k in (0, 1))
    return Table(X, Y, np.array([record.number for record in records]))


def count_phases(contents: Contents) -> tuple[int, int, int]:
    """Return the number of evaluations of searches, and of verifications, and how many of all failed."""
    records = [(phase == SEARCH, isnan(record.number)) for phase, record in _in_order(contents)]
    n_search = sum(is_search for is_search, _ in records)
    return n_search, len(records) - n_search, sum(has_failed for _, has_failed in records)


def best_of(table: Table, sense: Sense) -> Best | None:
    """Return the design with the best worst case known, None if none met two y or more without a failure.

    As in a result, a design counts that met 2 n_y + 2 different y, or as many as any has: one that was hardly attacked
    looks good.
    """
    if not table.values.size:
        return None
    pairs, first = np.unique(np.hstack([table.X, table.Y]), axis=0, return_inverse=True)
    worst = np.full(len(pairs), -np.inf)
    np.maximum.at(worst, first.ravel(), sense.turn(np.where(np.isnan(table.values), sense.turn(np.inf), table.values)))
    n_x = table.X.shape[1]
    designs, owner, counts = np.unique(pairs[:, :n_x], axis=0, return_inverse=True, return_counts=True)
    n_met = min(2 * table.Y.shape[1] + 2, int(counts.max()))
    highest = np.full(len(designs), -np.inf)
    np.maximum.at(highest, owner.ravel(), worst)
    highest[counts < n_met] = np.inf
    k = int(highest.argmin())
    if n_met < 2 or not np.isfinite(highest[k]):
        return None
    row = int(np.flatnonzero((owner.ravel() == k) & (worst == highest[k]))[0])
    return Best(designs[k], pairs[row, n_x:], float(sense.turn(highest[k])), int((counts >= n_met).sum()), n_met)


def _in_order(contents: Contents) -> Iterator[tuple[str, Record]]:
    """Yield the phase and the record of each evaluation."""
    for chapter in contents.chapters:
        for number in sorted(chapter.records):
            yield chapter.phase, chapter.records[number]
