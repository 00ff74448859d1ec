"""Before a journal is believed: evaluate its first pairs again, since f may have been edited meanwhile."""

import warnings
from collections.abc import Callable
from math import isnan

import numpy as np

from reckless.core.arrays import Array, Flags, Indices
from reckless.core.outcome import Cause, Outcome
from reckless.errors import InvalidJournal, JournalWarning
from reckless.evaluation.executors import Engine
from reckless.evaluation.journal import Journal
from reckless.evaluation.replay import N_WITNESSES

FAR = 0.01  # part of the range of values; with both pairs farther off, it is another f
ROUNDING = 1e-12  # relative; an f that takes rows may round otherwise among other rows

Judge = Callable[[Array, Array, Outcome, Indices], BaseException | None]  # what ends the run if these rows failed


class Recheck:
    """Evaluates the first pairs of a replay that have values once more; these evaluations count nowhere.

    Another value than in the file is a warning. It is a refusal if all pairs are far off and f is not noisy.
    """

    def __init__(self, journal: Journal, engine: Engine, deadline: float, judge: Judge) -> None:
        self._journal, self._engine, self._deadline, self._judge = journal, engine, deadline, judge
        self._range, self._is_noisy = journal.replay.spread()
        self._found: list[float | None] = []  # what f says now, None if there was no time or no worker to ask

    def proceed(self, is_last: bool) -> bool:
        """Evaluate what was recalled meanwhile; return whether all is said. is_last: there is no time for more."""
        journal, n = self._journal, len(self._found)
        if journal.replay.witnesses[n:]:
            self._found += self._again(n, len(journal.replay.witnesses))
        is_done = is_last or not journal.has_more or len(self._found) == N_WITNESSES
        if is_done:
            self._conclude()
        return is_done

    def _conclude(self) -> None:
        """Compare; warn or refuse."""
        told = zip(self._journal.replay.witnesses, self._found, strict=True)
        pairs = [(witness.value, now) for witness, now in told if now is not None]
        if not any(self._is_other(was, now) for was, now in pairs):
            return
        before, after = (
            ", ".join("a failure" if isnan(v) else repr(v) for v in part) for part in zip(*pairs, strict=True)
        )
        words = f"checkpoint: f was {before} at the first pairs in {self._journal.path}, but now it is {after} there."
        if len(pairs) == N_WITNESSES and all(self._is_far(*pair) for pair in pairs) and not self._varies(pairs[0][1]):
            raise InvalidJournal(
                f"{words} So the file is of another f. It was not modified. Give another file, or delete this one."
            )
        warnings.warn(
            f"{words} The run resumes with the values in the file; if f was edited, give another file.",
            JournalWarning,
            stacklevel=10,
        )

    def _is_other(self, was: float, now: float) -> bool:
        return was != now and not abs(now - was) <= ROUNDING * max(abs(was), self._range)

    def _is_far(self, was: float, now: float) -> bool:
        return was != now and abs(now - was) > FAR * self._range  # a failure is not far

    def _varies(self, now: float) -> bool:
        """Tell whether f is noisy: by the journal, or because it says something else already."""
        return self._is_noisy or self._again(0, 1)[0] != now

    def _again(self, start: int, stop: int) -> list[float | None]:
        """Evaluate some of the pairs once more."""
        witnesses = self._journal.replay.witnesses[start:stop]
        X, Y = np.array([w.x for w in witnesses]), np.array([w.y for w in witnesses])
        values, is_known = np.full(len(X), np.nan), np.zeros(len(X), dtype=bool)
        for done in self._engine.outcomes(X.copy(), Y.copy(), self._deadline):
            self._raise_ending(X, Y, done)
            values[done.rows] = done.values
            is_known[done.rows] = True
            is_known[[row for row, reason in done.reasons.items() if reason.cause is Cause.UNKNOWN]] = False
        return [value if known else None for value, known in zip(values.tolist(), is_known.tolist(), strict=True)]

    def _raise_ending(self, X: Array, Y: Array, done: Outcome) -> None:
        is_failed: Flags = np.isnan(done.values)
        error = self._judge(X, Y, done, np.arange(len(X))[done.rows][is_failed]) if is_failed.any() else None
        ending = error or done.interrupt
        if ending is not None:
            raise ending
