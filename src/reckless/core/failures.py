"""A failed evaluation is NaN; it must never look good to the player who asked for it."""

import math
import traceback
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array


def has_failures(values: Array) -> bool:
    """Whether any value is NaN; `argmin` goes to the first one, and is three times faster than `isnan`."""
    return math.isnan(values[values.argmin() if values.size > 1 else 0])


def against_minimizer(values: Array) -> Array:
    """The values as a minimizing player must see them: a failure counts as +inf."""
    return np.where(np.isnan(values), np.inf, values) if has_failures(values) else values


def against_maximizer(values: Array) -> Array:
    """The values as a maximizing player must see them: a failure counts as -inf."""
    return np.where(np.isnan(values), -np.inf, values) if has_failures(values) else values


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """One evaluation that failed: the pair, and the traceback or the sentence that tells why."""

    x: Array
    y: Array
    traceback: str

    @property
    def summary(self) -> str:
        """The last line of the traceback."""
        return self.traceback.strip().rpartition("\n")[2]


class Failed(NamedTuple):
    """What came instead of a value: why, and the exception itself if there is one and it could be brought here."""

    traceback: str
    error: BaseException | None = None

    @classmethod
    def by(cls, error: BaseException) -> "Failed":
        """An exception raised by f; the frame that called f is left out."""
        inside = error.__traceback__.tb_next if error.__traceback__ else None
        return cls("".join(traceback.format_exception(type(error), error, inside)), error)


# What one evaluation gives: a value, NaN included, or the reason why there is none.
Outcome = float | Failed
