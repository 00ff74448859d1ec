"""What came of evaluations. A failure is NaN among the values; it must never look good to the player who asked for it.

`Outcome` is the only form in which values and failures travel within this process, from f to whoever counts them.
"""

import math
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.core.words import safe_str


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """One evaluation that failed, as users see it.

    x, y: the pair. traceback: the traceback or the sentence that says why. number: how many evaluations came before.
    """

    x: Array
    y: Array
    traceback: str
    number: int = 0

    @property
    def summary(self) -> str:
        """The last line of the traceback."""
        return last_line(self.traceback)


def last_line(text: str) -> str:
    """Return the last line of a traceback, short and printable: what was raised, and with which words."""
    return safe_str(text.strip().rpartition("\n")[2])


class Cause(Enum):
    """What a failure says about its pair: f returned NaN there, f raised or took too long there, or nothing.

    UNKNOWN: a worker was lost, or f raised for several rows at once. `nan_policy` is for NAN, `on_error` for others.
    """

    NAN = "nan"
    ERROR = "error"
    UNKNOWN = "unknown"


class Reason(NamedTuple):
    """Why an evaluation gave no value; error: the exception, if f raised one that could be brought to this process."""

    text: str
    error: BaseException | None = None
    cause: Cause = Cause.ERROR

    @classmethod
    def of(cls, error: BaseException, cause: Cause = Cause.ERROR) -> "Reason":
        """Explain by an exception of f; leave out the frame that called f."""
        inside = error.__traceback__.tb_next if error.__traceback__ else None
        return cls("".join(traceback.format_exception(type(error), error, inside)), error, cause)


RETURNED_NAN = Reason("f returned NaN.", cause=Cause.NAN)


class Outcome(NamedTuple):
    """Rows of a batch that are done, with their values.

    reasons: why a row failed, unless f just returned NaN. interrupt: what ended the work before the rest of the batch
    was done, Ctrl-C as a rule; it is raised once these rows are counted.
    """

    rows: slice | Indices
    values: Array
    reasons: Mapping[int, Reason] = MappingProxyType({})
    interrupt: BaseException | None = None

    def at(self, places: Indices) -> "Outcome":
        """Return the same outcome for a larger batch, whose rows `places` made up this one."""
        reasons = {int(places[row]): reason for row, reason in self.reasons.items()}
        return Outcome(places[self.rows], self.values, reasons, self.interrupt)

    def reason(self, row: int) -> Reason:
        """Return why a row failed."""
        return self.reasons.get(row, RETURNED_NAN)


def has_failures(values: Array) -> bool:
    """Return whether any value is NaN; `argmin` finds the first one, three times faster than `isnan`."""
    return values.size > 0 and math.isnan(values[values.argmin() if values.size > 1 else 0])


def against_minimizer(values: Array) -> Array:
    """Return the values as a minimizing player must see them: a failure counts as +inf."""
    return np.where(np.isnan(values), np.inf, values) if has_failures(values) else values


def against_maximizer(values: Array) -> Array:
    """Return the values as a maximizing player must see them: a failure counts as -inf."""
    return np.where(np.isnan(values), -np.inf, values) if has_failures(values) else values
