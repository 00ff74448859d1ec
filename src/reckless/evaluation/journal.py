"""The journal of a run: each value is written to disk before the method sees it, so that a killed run can resume.

A running method cannot be saved, and need not be: with the same seed, and given the journaled values, it asks for the
same pairs again. `records` has the lines of the file, and `replay` the place of a run in them.
"""

import json
import os
import time
import warnings
import weakref
from collections.abc import Mapping, Sequence
from reprlib import Repr
from types import MappingProxyType
from typing import Any
from zlib import crc32

import numpy as np

from reckless.core.arguments import draw_seed, read_rng
from reckless.core.arrays import Array
from reckless.core.outcome import Cause, Failure, Outcome
from reckless.core.words import safe_str
from reckless.errors import InvalidJournal, JournalWarning
from reckless.evaluation.environment import environment
from reckless.evaluation.lockedfile import absolute, open_locked
from reckless.evaluation.records import CHANGEABLE, FORMAT, decisions_of, line_of, pairs_of
from reckless.evaluation.replay import OtherPair, Passed, Replay
from reckless.evaluation.scan import damaged, scan

FLUSH_SECONDS = 1e-3  # kill -9 loses at most this much work besides what is in flight
SYNC_SECONDS = 1.0  # a power cut loses at most this much
_WORDS = {
    "version": "by version {} of the package",
    "problem": "for other bounds",
    "method": "by the method {}",
    "rng": "from another seed",
}
NO_CAUSES: Mapping[int, Cause] = MappingProxyType({})
LONGEST_TRACEBACK = 300_000  # characters of which at most twelve bytes each are written; the end says what happened
LONGEST_SEED = 40  # digits; a seed that was drawn has 53 bits, once it had 128
LONGEST_QUOTE = 200  # characters of the file in a message
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = LONGEST_QUOTE


class Journal:
    """An open journal; it is locked, so that no second process writes to it.

    replay: where the run is in what the file has; from `begin` on.
    """

    replay: Replay

    def __init__(self, path: Any) -> None:
        self.path = absolute(path, "checkpoint")  # f may change the working directory
        self._name = safe_str(self.path)
        self._locked = open_locked(self.path, "checkpoint")
        self._file = self._locked.file
        weakref.finalize(self, self._file.close)
        try:
            self._contents, self._n_good, _ = scan(self._file, self._name, "checkpoint")
            self._is_torn = self._n_good < self._locked.size
        except BaseException:
            self._file.close()
            raise
        self._prelude: list[bytes] = []  # to be written before the next value, if there is one
        self._records: list[bytes] = []  # not written yet
        self._last_flush = self._last_sync = time.monotonic()

    def choose_rng(self, rng: Any) -> tuple[np.random.Generator, dict[str, Any]]:
        """Return the generator of the run and what to note of it; for None, a seed that is drawn once and noted."""
        if rng is not None:
            generator = read_rng(rng)
            spelled = json.dumps(generator.bit_generator.state, sort_keys=True, default=_as_list)
            return generator, {"given": f"{crc32(spelled.encode()):08x}"}
        kept = (self._contents.head or {}).get("rng")
        drawn = kept.get("drawn") if isinstance(kept, dict) else None
        if isinstance(drawn, str) and len(drawn) > LONGEST_SEED:
            raise damaged(1, self._name, "checkpoint")
        if not isinstance(drawn, str) or not drawn.isdecimal():
            drawn = str(draw_seed())
        return np.random.default_rng(int(drawn)), {"drawn": drawn}

    def begin(self, head: Mapping[str, Any], *, can_extend: bool = False) -> None:
        """Write the head of a new journal, or check that an old one is of the same run; warn if it was made elsewhere.

        can_extend: whether the method's choices, but for its closing, do not depend on maxfev. Until something is
        written, an old file is not modified: its torn end is still there.
        """
        here, contents = environment(), self._contents
        if contents.head is None:
            self._append(b"head " + json.dumps({"format": FORMAT, **head, "environment": here}).encode())
            self.flush()
            contents.head = dict(head)
            contents.decisions.append(decisions_of(head))
        else:
            self._insist_on_same(head)
            last = contents.decisions[-1]
            changes = {key: value for key, value in decisions_of(head).items() if value != last.get(key)}
            if changes:
                self._insist_on_extension(changes, head, can_extend=can_extend)
                self._prelude.append(line_of(b"extend " + json.dumps(changes).encode()))
                contents.decisions.append({**last, **changes})
            self._warn_of_others(here)
        self.replay = Replay(contents)

    def _insist_on_same(self, head: Mapping[str, Any]) -> None:
        """Refuse the journal of another run."""
        assert self._contents.head is not None
        for key, wanted in head.items():
            if key not in CHANGEABLE and (there := self._contents.head.get(key)) != wanted:
                words = _WORDS.get(key, f"with {key}={{}}").format(_quoted(there))
                raise InvalidJournal(
                    f"checkpoint: {self._name} was begun {words}, so this run cannot resume from it. The file was not "
                    f"modified. Give the same arguments as then, or another file."
                )

    def _insist_on_extension(self, changes: Mapping[str, Any], head: Mapping[str, Any], *, can_extend: bool) -> None:
        """Refuse another maxfev if the method goes by it, or if it is spent already."""
        if "maxfev" not in changes:
            return
        maxfev, before, n = changes["maxfev"], self._contents.decisions[-1].get("maxfev"), self._contents.n_evaluated
        if not can_extend:
            raise InvalidJournal(
                f"checkpoint: {self._name} was begun with maxfev={_quoted(before)}, and {_quoted(head.get('method'))} "
                f"plans its run by maxfev, so it cannot go on with maxfev={maxfev}. The file was not modified. Give "
                f"maxfev={_quoted(before)}, or begin at the answer of that run: start=result, and another file."
            )
        if maxfev <= n:
            raise InvalidJournal(
                f"checkpoint: {self._name} has {n:,} evaluations already, so maxfev={maxfev} leaves none. The file was "
                f"not modified. Give maxfev={_quoted(before)} as before, or more than {n}."
            )

    def _warn_of_others(self, here: Mapping[str, str]) -> None:
        """Warn if the journal was begun with another processor or other libraries."""
        assert self._contents.head is not None
        made = self._contents.head.get("environment")
        made = made if isinstance(made, dict) else {}
        if others := [
            f"{key} {_quoted(made.get(key))} (here {here[key]})" for key in here if made.get(key) != here[key]
        ]:
            warnings.warn(
                f"checkpoint: {self._name} was begun with {', '.join(others)}. The run resumes, but last digits may be "
                f"others than there, and with them the pairs that it asks for.",
                JournalWarning,
                stacklevel=6,
            )

    @property
    def has_more(self) -> bool:
        """Whether the file has values that the run has not met yet."""
        return bool(self.replay.chapter.records) or not self.replay.is_last

    @property
    def decisions(self) -> list[dict[str, Any]]:
        """Those that calls made otherwise: of the call that began the journal first, of this call last."""
        return self._contents.decisions

    def recall(self, first: int, X: Array, Y: Array) -> tuple[Outcome, bool]:
        """Return what is known of evaluations first, first + 1, ... of these pairs, and whether to `turn` now."""
        try:
            return self.replay.recall(first, X, Y)
        except OtherPair as other:
            raise self._has_other(other) from None

    def turn(self, phase: str | None, n_x: int, n_y: int) -> list[Passed]:
        """Enter a phase of the file, None: its end; return what is passed over, of n_x and n_y coordinates."""
        n_before = len(self._contents.chapters)
        try:
            passed = self.replay.turn(phase, n_x, n_y)
        except OtherPair as other:
            raise self._has_other(other) from None
        if len(self._contents.chapters) > n_before:
            self._prelude.append(line_of(self.replay.chapter.phase.encode()))
        return passed

    def keep(
        self, numbers: Sequence[int], X: Array, Y: Array, values: Array, causes: Mapping[int, Cause] = NO_CAUSES
    ) -> None:
        """Write values to the file, at once or with others of the same millisecond; `flush` before they are used.

        causes: of the rows that failed, unless f returned NaN.
        """
        for k, (n, value, pair) in enumerate(zip(numbers, values.tolist(), pairs_of(X, Y), strict=True)):
            text = value.hex() if k not in causes else causes[k].value
            self._append(b"value %d %b %b" % (n, text.encode(), pair))
        if time.monotonic() - self._last_flush > FLUSH_SECONDS:
            self.flush()

    def explain(self, failure: Failure) -> None:
        """Write why an evaluation failed, before its value."""
        self._append(b"failure %d %b" % (failure.number, json.dumps(failure.traceback[-LONGEST_TRACEBACK:]).encode()))

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
        if self._prelude:
            self._records += self._prelude
            self._prelude.clear()
        self._records.append(line_of(record))

    def _has_other(self, other: OtherPair) -> InvalidJournal:
        return InvalidJournal(
            f"checkpoint: {self._name} has another pair as evaluation {other.number} than this run asks for, so it was "
            f"made by another method or library version, or under another nan_policy or on_error. Give another file, "
            f"or resume where it was begun."
        )


def _quoted(thing: Any) -> str:
    """Return what a file says, short and without control characters."""
    text = thing if isinstance(thing, str) and thing[:LONGEST_QUOTE].isprintable() else _SHORT.repr(thing)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}..."


def _as_list(thing: Any) -> Any:
    return thing.tolist() if isinstance(thing, np.ndarray) else str(thing)
