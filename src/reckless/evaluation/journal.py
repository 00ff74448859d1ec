"""The journal of a run: each value is written to disk before the method sees it, so that a killed run can resume.

A running method cannot be saved, and need not be: with the same seed, and given the journaled values, it asks for the
same pairs again. The file is text, one record per line with a checksum at its end, and nothing in it is ever executed:

    head {"format": 2, ...} 5c0f1a2b          what the run is: it must be the same when it resumes
    value 17 0x1.8p+1 9d3fe1c2 77aa0c41       evaluation 17 (from 0) gave 3.0; digest of its pair; checksum
    value 18 error 1b2c3d4e 0a9b8c7d          f raised in evaluation 18; "unknown": its worker was lost
    failure 18 "Traceback ..." 1234abcd       why; kept for the first failure of the run
"""

import json
import os
import re
import time
import warnings
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from math import isfinite, isnan
from reprlib import Repr
from types import MappingProxyType
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from reckless.core.arguments import read_rng
from reckless.core.arrays import Array
from reckless.core.outcome import Cause, Failure, Outcome, Reason
from reckless.core.words import safe_str
from reckless.errors import InvalidJournal, JournalWarning
from reckless.evaluation.environment import environment
from reckless.evaluation.lockedfile import LONGEST_LINE, absolute, open_locked, pieces

FLUSH_SECONDS = 1e-3  # kill -9 loses at most this much work besides what is in flight
SYNC_SECONDS = 1.0  # a power cut loses at most this much
_WORDS = {
    "version": "by version {} of the package",
    "problem": "for other bounds",
    "method": "by the method {}",
    "rng": "from another seed",
}
FAILED = {cause.value for cause in (Cause.ERROR, Cause.UNKNOWN)}  # words in place of values; a NaN of f is a value
NO_CAUSES: Mapping[int, Cause] = MappingProxyType({})
FORMAT = 2  # 1 knew no "unknown" beside "error"
_BEGINNING = b'head {"format": %d, ' % FORMAT
LONGEST_TRACEBACK = 300_000  # characters of which at most twelve bytes each are written; the end says what happened
LONGEST_TAIL = 1 << 26  # bytes that a power cut can spoil: what is written in SYNC_SECONDS, and more
N_WITNESSES = 2
LONGEST_SEED = 40  # digits; a seed that was drawn has 128 bits
LONGEST_QUOTE = 200  # characters of the file in a message
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = LONGEST_QUOTE


class Witness(NamedTuple):
    """A pair with its value, by which one can tell whether f is still the same."""

    x: Array
    y: Array
    value: float


class Journal:
    """An open journal; it is locked, so that no second process writes to it."""

    def __init__(self, path: Any) -> None:
        self.path = absolute(path, "checkpoint")  # f may change the working directory
        self._name = safe_str(self.path)
        self._values: dict[int, tuple[str, str]] = {}  # evaluation -> value as text, digest of its pair
        self._head: dict[str, Any] | None = None
        self.failures: dict[int, str] = {}  # evaluation -> why it failed
        self.witnesses: list[Witness] = []  # the first pairs recalled that have a value
        self._locked = open_locked(self.path, "checkpoint")
        self._file = self._locked.file
        weakref.finalize(self, self._file.close)
        try:
            self._n_good = self._read()  # bytes
            self._is_torn = self._n_good < self._locked.size
        except BaseException:
            self._file.close()
            raise
        self._records: list[bytes] = []  # not written yet
        self._last_flush = self._last_sync = time.monotonic()

    def choose_rng(self, rng: Any) -> tuple[np.random.Generator, dict[str, Any]]:
        """Return the generator of the run and what to note of it; for None, a seed that is drawn once and noted."""
        if rng is not None:
            generator = read_rng(rng)
            spelled = json.dumps(generator.bit_generator.state, sort_keys=True, default=_as_list)
            return generator, {"given": f"{crc32(spelled.encode()):08x}"}
        kept = (self._head or {}).get("rng")
        drawn = kept.get("drawn") if isinstance(kept, dict) else None
        if isinstance(drawn, str) and len(drawn) > LONGEST_SEED:
            raise self._damaged(1)
        if not isinstance(drawn, str) or not drawn.isdecimal():
            drawn = str(np.random.SeedSequence().entropy)
        return np.random.default_rng(int(drawn)), {"drawn": drawn}

    def begin(self, head: Mapping[str, Any]) -> None:
        """Write the head of a new journal, or check that an old one is of the same run; warn if it was made elsewhere.

        Until something is written, an old file is not modified: its torn end is still there.
        """
        here = environment()
        if self._head is None:
            self._append(b"head " + json.dumps({"format": FORMAT, **head, "environment": here}).encode())
            self.flush()
            return
        for key, wanted in head.items():
            if (there := self._head.get(key)) != wanted:
                words = _WORDS.get(key, f"with {key}={{}}").format(_quoted(there))
                raise InvalidJournal(
                    f"checkpoint: {self._name} was begun {words}, so this run cannot resume from it. The file was not "
                    f"modified. Give the same arguments as then, or another file."
                )
        made = self._head.get("environment")
        made = made if isinstance(made, dict) else {}
        if others := [
            f"{key} {_quoted(made.get(key))} (here {here[key]})" for key in here if made.get(key) != here[key]
        ]:
            warnings.warn(
                f"checkpoint: {self._name} was begun with {', '.join(others)}. The run resumes, but last digits may be "
                f"others than there, and with them the pairs that it asks for.",
                JournalWarning,
                stacklevel=5,
            )

    @property
    def has_more(self) -> bool:
        """Whether the file has values that were not recalled yet."""
        return bool(self._values)

    def spread(self) -> tuple[float, bool]:
        """Return the range of the values that were not recalled yet, and whether a pair has two values."""
        told = [(digest, float.fromhex(text)) for text, digest in self._values.values() if text not in FAILED]
        told = [(digest, value) for digest, value in told if not isnan(value)]
        values = [value for _, value in told if isfinite(value)]
        n_varying = len(set(told)) - len({digest for digest, _ in told})
        n_by_chance = len(told) ** 2 / 2**32  # twice as many pairs as one expects to share their 32 bits
        return max(values, default=0.0) - min(values, default=0.0), n_varying > n_by_chance

    def recall(self, first: int, X: Array, Y: Array) -> Outcome:
        """Return what the file says about evaluations first, first + 1, ... of these pairs."""
        rows = [row for row in range(len(X)) if first + row in self._values]
        values, reasons, digests = np.empty(len(rows)), dict[int, Reason](), list(_digests(X, Y))
        for k, row in enumerate(rows):
            n = first + row
            text, digest = self._values.pop(n)
            if digest != f"{digests[row]:08x}":
                raise InvalidJournal(
                    f"checkpoint: {self._name} has another pair as evaluation {n} than this run asks for, so it was "
                    f"made by another method or library version, or under another nan_policy or on_error. Give "
                    f"another file, or resume where it was begun."
                )
            values[k] = np.nan if text in FAILED else float.fromhex(text)
            if len(self.witnesses) < N_WITNESSES and not isnan(values[k]):
                self.witnesses.append(Witness(X[row].copy(), Y[row].copy(), float(values[k])))
            if text in FAILED or n in self.failures:
                reasons[row] = Reason(self.failures.get(n, ""), cause=Cause(text))
        return Outcome(np.array(rows, dtype=np.intp), values, reasons)

    def keep(
        self, numbers: Sequence[int], X: Array, Y: Array, values: Array, causes: Mapping[int, Cause] = NO_CAUSES
    ) -> None:
        """Write values to the file, at once or with others of the same millisecond; `flush` before they are used.

        causes: of the rows that failed, unless f returned NaN.
        """
        for k, (n, value, digest) in enumerate(zip(numbers, values.tolist(), _digests(X, Y), strict=True)):
            text = value.hex() if k not in causes else causes[k].value
            self._append(b"value %d %b %08x" % (n, text.encode(), digest))
        if time.monotonic() - self._last_flush > FLUSH_SECONDS:
            self.flush()

    def explain(self, failure: Failure) -> None:
        """Write why an evaluation failed, before its value."""
        self.failures[failure.number] = failure.traceback
        self._append(f"failure {failure.number} {json.dumps(failure.traceback[-LONGEST_TRACEBACK:])}".encode())

    def flush(self) -> None:
        """Write all records to the file."""
        if not self._records:
            return
        content = b"".join(self._records)
        self._records.clear()
        try:
            if self._is_torn:
                self._file.truncate(self._n_good)
                self._is_torn = False
            n_written = self._file.write(content)
            self._last_flush = time.monotonic()
            if self._last_flush - self._last_sync > SYNC_SECONDS:
                os.fsync(self._file.fileno())
                self._last_sync = time.monotonic()
        except (OSError, ValueError) as error:  # ValueError: the file is closed
            raise InvalidJournal(f"checkpoint: {self._name} cannot be written any more ({error}).") from error
        if n_written != len(content):
            raise InvalidJournal(f"checkpoint: {self._name} cannot be written any more. Is the disk full?")

    def close(self) -> None:
        """Close the file; delete one that was created here and never begun."""
        if not self._file.closed:
            try:
                self.flush()
            finally:
                self._locked.close()

    def _append(self, record: bytes) -> None:
        self._records.append(b"%b %08x\n" % (record, crc32(record)))

    def _read(self) -> int:
        """Read the records; return where the last good one ends. Only the end may be torn."""
        n_good, n_torn, torn_line, start = 0, 0, 0, b""
        for number, line in pieces(self._file):
            if not start:
                start = line
                self._insist_on_format(line)
            if not self._take(line, number):
                torn_line = torn_line or number
                n_torn += len(line)
            elif torn_line:
                raise self._damaged(torn_line)
            else:
                n_good += len(line)
            if n_torn > (LONGEST_TAIL if n_good else LONGEST_LINE):
                raise self._damaged(torn_line)
        if self._head is None and (b"\n" in start or not _BEGINNING.startswith(start[: len(_BEGINNING)])):
            raise self._damaged(1)  # a file of another kind, not a head that was cut short
        return n_good

    def _take(self, line: bytes, number: int) -> bool:
        """Take a line if its checksum is right; refuse what was never written with a right one."""
        record, _, checksum = line.rpartition(b" ")
        if not line.endswith(b"\n") or checksum.strip() != f"{crc32(record):08x}".encode():
            return False
        try:
            kind, _, content = record.decode().partition(" ")
            if kind == "value":
                n, value, digest = content.split(" ")
                if value not in FAILED:
                    float.fromhex(value)
                self._values[int(n)] = (value, digest)
            elif kind == "failure":
                n, _, text = content.partition(" ")
                self.failures[int(n)] = str(json.loads(text))
            elif kind == "head" and number == 1:
                self._head = dict(json.loads(content))
            else:
                raise ValueError
        except (ValueError, TypeError, OverflowError, RecursionError):
            raise self._damaged(number) from None
        if self._head is None or self._head.get("format") != FORMAT:
            raise self._damaged(number)
        return True

    def _insist_on_format(self, line: bytes) -> None:
        """Refuse a journal of another format, whose other lines may mean anything."""
        found = re.match(rb'head \{"format": (\d{1,9})\b', line)
        if found is not None and int(found[1]) != FORMAT:
            version = re.search(rb'"version": "([\w.+-]{1,40})"', line)
            begun = "" if version is None else f" (version {version[1].decode()})"
            raise InvalidJournal(
                f"checkpoint: {self._name} is a journal of format {int(found[1])}, and this installation reads format "
                f"{FORMAT} only. It was not modified. Finish that run with the installation that began it{begun}, or "
                f"give another file."
            )

    def _damaged(self, number: int) -> InvalidJournal:
        return InvalidJournal(
            f"checkpoint: {self._name} is not a journal of this package, or is damaged at line {number}. It was not "
            f"modified. Give another file."
        )


def fingerprint(thing: Any) -> str:
    """Return a short text that is equal in every process for equal data classes, arrays and plain values."""
    return blake2b(_spelled(thing).encode(), digest_size=12).hexdigest()


def stable_repr(thing: Any) -> str:
    """Return the repr without addresses in memory, which differ from process to process; the type if it fails."""
    try:
        return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(thing))
    except Exception:  # whatever a class of the user's does wrong
        return f"{type(thing).__module__}.{type(thing).__qualname__}"


def _spelled(thing: Any) -> str:
    if isinstance(thing, np.ndarray):
        return f"array({thing.dtype.str}, {thing.shape}, {thing.tobytes().hex()})"
    if is_dataclass(thing) and not isinstance(thing, type):
        parts = (f"{field.name}={_spelled(getattr(thing, field.name))}" for field in fields(thing))
        return f"{type(thing).__qualname__}({', '.join(parts)})"
    if isinstance(thing, (list, tuple)):
        return f"({', '.join(_spelled(part) for part in thing)})"
    return stable_repr(thing)


def _digests(X: Array, Y: Array) -> Iterator[int]:
    x_bytes, y_bytes, n_x, n_y = X.tobytes(), Y.tobytes(), X.itemsize * X.shape[1], Y.itemsize * Y.shape[1]
    for k in range(len(X)):
        yield crc32(y_bytes[k * n_y : (k + 1) * n_y], crc32(x_bytes[k * n_x : (k + 1) * n_x]))


def _quoted(thing: Any) -> str:
    """Return what a file says, short and without control characters."""
    text = thing if isinstance(thing, str) and thing[:LONGEST_QUOTE].isprintable() else _SHORT.repr(thing)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}..."


def _as_list(thing: Any) -> Any:
    return thing.tolist() if isinstance(thing, np.ndarray) else str(thing)
