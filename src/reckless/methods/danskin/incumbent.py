"""Which x leads: one that survived validation, and a provisional one that did not yet face it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import Task
from reckless.methods.danskin.oracle import FAILED


class Answer(NamedTuple):
    """An x, the worst y known for it, and f there."""

    x: Array
    y: Array
    value: float


@dataclass(slots=True)
class Incumbent:
    """Keeps the validated answer and the one in the making apart, and recommends the lower.

    A provisional answer that turns out worse thus never displaces a validated one.
    """

    task: Task
    validated: Answer | None = None
    provisional: Answer | None = None

    @property
    def value(self) -> float:
        """The validated worst case, infinite as long as there is none."""
        return np.inf if self.validated is None else self.validated.value

    def report(self, x: Array, y: Array, value: float) -> None:
        """Note where the present descent is."""
        if value <= FAILED:
            return
        self.provisional = Answer(x, y, value)
        self._recommend(self.provisional if value < self.value else self.validated)

    def settle(self, x: Array, y: Array, value: float) -> None:
        """End a descent whose x survived validation at this value."""
        if FAILED < value < self.value:
            self.validated = Answer(x, y, value)
        self.provisional = None
        self._recommend(self.validated)

    def _recommend(self, answer: Answer | None) -> None:
        if answer is not None:
            self.task.recommend(answer.x, answer.y, answer.value)
