"""The one door through which the parts of the method ask for values, and what is remembered of x and y."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import Pairs, Task

T = TypeVar("T")

# A part of a running search: it yields pairs, receives their values, and returns something.
Asking = Generator[Pairs, Array, T]

# What a failed evaluation counts for the player y, who maximizes; a number, so that differences stay finite.
FAILED = -1e150

VIOLATION = 1e-9  # a value is above another if it is higher by this share of it,
ROUNDING = 1e-14  # and this share of the worst case at the first x
ARCHIVE_SIZE = 300  # maximizers remembered
ARCHIVE_SPACING = 0.02  # ... at least this far apart, in some coordinate
MOST_FATAL = 10  # y that made an x fail, which later x must survive: as many as a step can afford
MOST_MET = 1000  # x whose values are remembered; those that matter are few and were met lately


class Spent(Exception):
    """The evaluations that this stage of the run may use do not suffice for what was asked."""


class Fatal(Exception):
    """The x that is being attacked has a y whose value is +inf: nothing can be worse, so the attack is over."""

    def __init__(self, x: Array, y: Array) -> None:
        super().__init__()
        self.x, self.y = x, y


class Met(NamedTuple):
    """The highest value received at an x, its y, and the lowest value."""

    y: Array
    high: float
    low: float


@dataclass(slots=True)
class Oracle:
    """Evaluations up to a limit, and what was met on the way.

    archive: maximizers (k, n_y), oldest first. fatal: the newest y with a value of +inf (k, n_y). is_noisy: whether one
    pair has several values, so that the highest says little. scale: the worst case where the first descent began.
    """

    task: Task
    limit: int
    is_noisy: bool = False
    scale: float = 0.0
    archive: Array = field(init=False)
    fatal: Array = field(init=False)
    met: dict[bytes, Met] = field(init=False, default_factory=dict)  # by the bytes of x

    def __post_init__(self) -> None:
        self.archive = self.fatal = np.empty((0, self.task.n_y))

    @property
    def n_used(self) -> int:
        return self.task.n_used

    @property
    def rng(self) -> np.random.Generator:
        return self.task.rng

    def ask(self, X: Array, Y: Array) -> Asking[Array]:
        """Evaluate a batch of pairs; a vector in place of a batch stands for copies. Failures become FAILED.

        A single x is under attack: what it is met with is remembered, and a value of +inf ends the attack by `Fatal`.
        Where several x are compared, +inf is a very large value.
        """
        m = len(X) if X.ndim == 2 else len(Y) if Y.ndim == 2 else 1
        if self.task.n_used + m > self.limit:
            raise Spent
        values = yield X, Y
        if not np.abs(values).max() < -FAILED:  # NaN, infinite, or too large to be squared
            if X.ndim == 1 and np.isposinf(values).any():
                self._refuse(X, np.atleast_2d(Y)[np.isposinf(values).argmax()])
            values = np.clip(np.nan_to_num(values, nan=FAILED, posinf=-FAILED), FAILED, -FAILED)
        if X.ndim == 1 and not self.is_noisy:
            self._note(X, Y, values)
        return values

    def ask_one(self, x: Array, y: Array) -> Asking[float]:
        """Evaluate one pair."""
        values = yield from self.ask(x, y)
        return float(values[0])

    def exceeds(self, value: float, estimate: float) -> bool:
        """Tell whether a value is above an estimate by more than rounding error."""
        return value > estimate + VIOLATION * (abs(estimate) + 1e-6) + ROUNDING * self.scale

    def met_at(self, x: Array) -> Met | None:
        """Return what was met at an x, if anything."""
        return self.met.get(x.tobytes())

    def spread_at(self, x: Array) -> float:
        """Return the range of the values met at an x."""
        met = self.met_at(x)
        return 0.0 if met is None else met.high - met.low

    def remember(self, y: Array) -> None:
        """Add a maximizer to the archive unless a close one is there."""
        if not len(self.archive) or np.abs(self.archive - y).max(axis=1).min() >= ARCHIVE_SPACING:
            self.archive = np.vstack([self.archive, y])[-ARCHIVE_SIZE:]

    def _note(self, x: Array, Y: Array, values: Array) -> None:
        """Remember the highest and the lowest value at x; failures say nothing."""
        k = int(values.argmax())
        high, low = float(values[k]), float(values.min())
        if low <= FAILED:
            low = float(values.min(where=values > FAILED, initial=high))
        if high <= FAILED:
            return
        key = x.tobytes()
        met = self.met.get(key)
        if met is None:
            if len(self.met) >= MOST_MET:
                del self.met[next(iter(self.met))]
            self.met[key] = Met(Y[k].copy() if Y.ndim == 2 else Y, high, low)
        elif high > met.high:
            self.met[key] = Met(Y[k].copy() if Y.ndim == 2 else Y, high, min(low, met.low))
        elif low < met.low:
            self.met[key] = met._replace(low=low)

    def _refuse(self, x: Array, y: Array) -> None:
        """Remember that y is fatal to x, in place of fatal y close by, which x may have survived; end the attack."""
        self.met[x.tobytes()] = Met(y.copy(), np.inf, np.inf)
        is_far = np.abs(self.fatal - y).max(axis=1) >= ARCHIVE_SPACING
        self.fatal = np.vstack([self.fatal[is_far], y])[-MOST_FATAL:]
        raise Fatal(x, y)
