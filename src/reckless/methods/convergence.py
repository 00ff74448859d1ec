"""When a method that begins anew from elsewhere is done: where its searches ended, and since when nothing was gained.

Where all searches ended at one value, one from elsewhere is enough. Where they ended at several there are many minima,
and the next may be lower: then more searches, and more evaluations, must have gained nothing. Rules that count minima,
as that of Boender and Rinnooy Kan (1987), need starts from everywhere; most searches here begin near the best x.
"""

from dataclasses import dataclass

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import Task


@dataclass(frozen=True, slots=True)
class Effort:
    """How much must be spent in vain."""

    n_same: int = 1  # searches from elsewhere, 1 or 2, where all ended at one value
    n_several: int = 12  # the same, 8 to 20, where they ended at several values,
    several_share: float = 2.0  # and evaluations since the last gain, 1 to 3, per evaluation before it
    near: float = 0.01  # length, 3e-3 to 0.03: a search this close to the best x,
    level: float = 1e-3  # part of the range of f, 1e-4 to 1e-2: and no higher than that above it, has arrived there


effort = Effort()


class Converged(Exception):
    """The search that is under way has arrived at the best x, and is the last one that was needed."""


@dataclass(slots=True)
class Convergence:
    """What the searches of a run say about whether it is done.

    range: of f. value: the lowest worst case that survived its attacks. n_gained: evaluations when it last changed by
    more than the tolerance. n_since: searches since then. n_other: those of all searches that ended at other values.
    is_away: whether one is under way that began elsewhere.
    """

    task: Task
    range: float = 0.0
    value: float = np.inf
    n_gained: int = 0
    n_since: int = 0
    n_other: int = 0
    is_away: bool = False

    @property
    def tolerance(self) -> float:
        """The smallest difference of worst cases that counts."""
        return 0.0 if self.task.tol is None else self.task.tol * self.range

    @property
    def is_done(self) -> bool:
        """Whether enough searches have gained nothing."""
        return self._suffices(self.n_since)

    def note(self, value: float, end: float | None) -> None:
        """Take the lowest worst case after a search, and the one where it ended; None if it began nowhere."""
        self.n_other += value < self.value - self.tolerance < np.inf
        if not self.follow(value):
            self.n_since += 1
            self.n_other += end is not None and end > value + self.tolerance

    def follow(self, value: float) -> bool:
        """Take the lowest worst case that is known now; tell whether it has changed."""
        if abs(value - self.value) <= self.tolerance:
            return False
        is_first = self.value == np.inf
        self.value, self.n_gained, self.n_since = value, self.task.n_used, int(is_first and self.task.is_known)
        return True

    def has_arrived(self, x: Array, value: float, best: Array, lowest: float) -> bool:
        """Tell whether a search at x is back at the best x, and is the last one that was needed."""
        if not self.is_away or not self._suffices(self.n_since + 1):
            return False
        is_level = -self.tolerance <= value - lowest <= effort.level * self.range
        return is_level and float(np.abs(x - best).max()) <= effort.near

    def conclude(self, n_closing: int) -> None:
        """Say that the run is done, and on what that rests. n_closing: evaluations of the last attacks."""
        within = f"tol = {self.task.tol:g} of the range of f"
        if self.n_other:
            why = f"searches ended at several values, but the last {self.n_since} gained no more than {within}"
        elif self.task.is_known:
            why = f"the surrogate foretells every value within {within}, and a descent came to rest at its answer"
        else:
            why = f"{self.n_since + 1} searches from different starts ended at one value, within {within}"
        attacks = f"; {n_closing:,} evaluations that attacked the answer found no worse y" if n_closing else ""
        self.task.converged = f"Converged at evaluation {self.task.n_used:,}: {why}{attacks}."

    def _suffices(self, n_since: int) -> bool:
        if self.task.tol is None or not np.isfinite(self.value):
            return False
        if not self.n_other:
            return n_since >= effort.n_same
        waited = self.task.n_used - self.n_gained
        return n_since >= effort.n_several and waited >= effort.several_share * self.n_gained


def range_of(values: Array) -> float:
    """Return the range of the lower half of values; the others may be of another order."""
    known = values[np.isfinite(values)]
    return float(np.ptp(known[known <= np.median(known)])) if known.size else 0.0
