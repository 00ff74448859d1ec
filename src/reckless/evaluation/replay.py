"""Replay a journal: what it says about the pairs that a run asks for, and what it knows besides.

The calls that wrote a journal may have decided otherwise, as with a smaller maxfev: each wrote a *segment*. Their runs
ask for the same pairs up to where the shorter one begins to close. What that one evaluated from there on is *passed
over*: it counts, and answers requests of the same pairs later. Then the run is in another *chapter* of the file. A
verification is a chapter, too.
"""

from collections.abc import Callable, Iterable
from math import isfinite, isnan
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.core.outcome import Cause, Outcome, Reason
from reckless.evaluation.records import FAILED, SEARCH, Chapter, Contents, Record, pairs_of

N_WITNESSES = 2


class OtherPair(Exception):
    """The run asks for another pair than the evaluation of this number had."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Witness(NamedTuple):
    """A pair with its value, by which one can tell whether f is still the same."""

    x: Array
    y: Array
    value: float


class Passed(NamedTuple):
    """What earlier segments evaluated and this run passes over: pairs X (m, n_x), Y (m, n_y) and their outcome.

    numbers: of the evaluations. is_counted: whether they belong to the search, and so to its budget.
    """

    X: Array
    Y: Array
    done: Outcome
    numbers: list[int]
    is_counted: bool


class Replay:
    """The place of a run in what a journal has.

    segment: the first one of which the search has not used all records; the last one when all are used. on_segment:
    called when that changes. witnesses: the first pairs met that have a value.
    """

    def __init__(self, contents: Contents) -> None:
        self._chapters = contents.chapters
        self._at = 0  # the chapter that the run is in
        self.segment = 0
        self._n_unused = [0] * len(contents.decisions)  # by segment: records of searches
        self.witnesses: list[Witness] = []
        self.on_segment: Callable[[], None] = lambda: None
        for chapter in self._chapters:
            self._count(chapter, chapter.records.values(), 1)
        self._find_segment()

    @property
    def chapter(self) -> Chapter:
        """The one that the run is in."""
        return self._chapters[self._at]

    @property
    def is_last(self) -> bool:
        """Whether this is the chapter at the end of the file, where it grows."""
        return self._at == len(self._chapters) - 1

    def spread(self) -> tuple[float, bool]:
        """Return the range of the values that the run has not met yet, and whether a pair has two values."""
        records = [record for chapter in self._chapters[self._at :] for record in chapter.records.values()]
        told = {(record.pair, record.number) for record in records if not isnan(record.number)}
        values = [value for _, value in told if isfinite(value)]
        is_varying = len(told) > len({pair for pair, _ in told})
        return max(values, default=0.0) - min(values, default=0.0), is_varying

    def recall(self, first: int, X: Array, Y: Array) -> tuple[Outcome, bool]:
        """Return what is known of evaluations first, first + 1, ... of these pairs, and whether the chapter is over.

        It is over at the first pair for which an earlier segment has another one, or none but there are more chapters.
        """
        records = [self.chapter.records.get(first + row) for row in range(len(X))]
        is_same = [r is not None and r.pair == pair for r, pair in zip(records, pairs_of(X, Y), strict=True)]
        rows = [row for row, record in enumerate(records) if record is not None]
        other = next((row for row in rows if not is_same[row]), None)
        if other is not None and self._is_newest(records[other]):
            raise OtherPair(first + other)
        is_over = other is not None or (len(rows) < len(X) and not self.is_last)
        if is_over:
            rows = rows[: is_same.index(False)]
        done = self._outcome(self.chapter, [first + row for row in rows], X[rows], Y[rows])
        return done.at(np.array(rows, dtype=np.intp)), is_over

    def turn(self, phase: str | None, n_x: int, n_y: int) -> list[Passed]:
        """Leave the chapter for the next one of a phase, a new one if there is none; return what is passed over.

        None: no other phase follows. n_x, n_y: coordinates of x and y.
        """
        before, passed = self.chapter.phase, [self._rest(n_x, n_y, is_searching=self.chapter.phase == SEARCH)]
        while not self.is_last:
            self._at += 1
            if self.chapter.phase == phase:
                break
            passed.append(self._rest(n_x, n_y, is_searching=before == SEARCH))
        else:
            if phase is not None:
                self._chapters.append(Chapter(phase))
                self._at += 1
        return [part for part in passed if part.numbers]

    def _rest(self, n_x: int, n_y: int, *, is_searching: bool) -> Passed:
        """Take what is left of the chapter."""
        numbers = list(self.chapter.records)
        try:
            points = [record.point() for record in self.chapter.records.values()]
            X = np.array([x for x, _ in points]).reshape(len(numbers), n_x)
            Y = np.array([y for _, y in points]).reshape(len(numbers), n_y)
        except ValueError:
            raise OtherPair(numbers[0]) from None
        done = self._outcome(self.chapter, numbers, X, Y)
        return Passed(X, Y, done, numbers, is_counted=is_searching and self.chapter.phase == SEARCH)

    def _outcome(self, chapter: Chapter, numbers: list[int], X: Array, Y: Array) -> Outcome:
        """Take the records of these numbers; return their outcome, row by row."""
        records = [chapter.records.pop(n) for n in numbers]
        self._count(chapter, records, -1)
        self._find_segment()
        values, reasons = np.array([record.number for record in records]), dict[int, Reason]()
        for k, (n, record) in enumerate(zip(numbers, records, strict=True)):
            if len(self.witnesses) < N_WITNESSES and not isnan(values[k]):
                self.witnesses.append(Witness(X[k].copy(), Y[k].copy(), float(values[k])))
            if record.value in FAILED or n in chapter.failures:
                reasons[k] = Reason(chapter.failures.get(n, ""), cause=FAILED.get(record.value, Cause.NAN))
        return Outcome(np.arange(len(values)), values, reasons)

    def _is_newest(self, record: Record | None) -> bool:
        """Tell whether a record is of the newest segment, whose decisions are those of this call."""
        return record is not None and record.segment == len(self._n_unused) - 1

    def _count(self, chapter: Chapter, records: Iterable[Record], sign: int) -> None:
        if chapter.phase == SEARCH:
            for record in records:
                self._n_unused[record.segment] += sign

    def _find_segment(self) -> None:
        """Advance to the next segment once the search has used up those before."""
        before = self.segment
        while self.segment < len(self._n_unused) - 1 and not self._n_unused[self.segment]:
            self.segment += 1
        if self.segment != before:
            self.on_segment()
