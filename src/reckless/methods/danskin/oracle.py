"""The one door through which the parts of the method ask for values, and what they remember of y."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import Pairs, Task

T = TypeVar("T")

# A part of a running search: it yields pairs, receives their values, and returns something.
Asking = Generator[Pairs, Array, T]

# What a failed evaluation counts for the player y, who maximizes; a number, so that differences stay finite.
FAILED = -1e150

ARCHIVE_SIZE = 300  # maximizers remembered
ARCHIVE_SPACING = 0.02  # ... at least this far apart, in some coordinate


class Spent(Exception):
    """The evaluations that this stage of the run may use do not suffice for what was asked."""


@dataclass(slots=True)
class Oracle:
    """Evaluations up to a limit, and the archive of maximizers met so far (k, n_y), oldest first."""

    task: Task
    limit: int
    archive: Array = field(init=False)

    def __post_init__(self) -> None:
        self.archive = np.empty((0, self.task.n_y))

    @property
    def n_used(self) -> int:
        return self.task.n_used

    @property
    def rng(self) -> np.random.Generator:
        return self.task.rng

    def ask(self, X: Array, Y: Array) -> Asking[Array]:
        """Evaluate a batch of pairs; a vector in place of a batch stands for copies. Failures become FAILED."""
        m = len(X) if X.ndim == 2 else len(Y) if Y.ndim == 2 else 1
        if self.task.n_used + m > self.limit:
            raise Spent
        values = yield X, Y
        if not np.abs(values).max() < -FAILED:  # NaN, infinite, or too large to be squared
            values = np.clip(np.nan_to_num(values, nan=FAILED, posinf=-FAILED), FAILED, -FAILED)
        return values

    def ask_one(self, x: Array, y: Array) -> Asking[float]:
        """Evaluate one pair."""
        values = yield from self.ask(x, y)
        return float(values[0])

    def remember(self, y: Array) -> None:
        """Add a maximizer to the archive unless a close one is there."""
        if not len(self.archive) or np.abs(self.archive - y).max(axis=1).min() >= ARCHIVE_SPACING:
            self.archive = np.vstack([self.archive, y])[-ARCHIVE_SIZE:]
