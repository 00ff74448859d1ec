"""The best x so far: the lowest validated answer, or the current descent if that is lower."""

from dataclasses import dataclass, field, replace

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import Agreement, Task
from reckless.methods.danskin.oracle import FAILED

MOST_SETTLED = 20  # answers remembered, in case the leading one is refuted


@dataclass(slots=True, eq=False)
class Answer:
    """An x, the worst y known for it, and f there.

    n_searches, n_agreed: independent searches made for a worse y, and how many of them arrived at this value.
    n_attacked: the evaluations which that took.
    """

    x: Array
    y: Array
    value: float
    n_searches: int = 0
    n_agreed: int = 0
    n_attacked: int = 0

    def note_search(self, value: float) -> None:
        """Count a search over y that found this value."""
        self.n_searches += 1
        self.n_agreed += value >= self.value - 1e-6 * abs(self.value) - 1e-9

    @property
    def is_doubtful(self) -> bool:
        """Whether most of the independent searches ended lower: there are many maxima, perhaps higher ones too."""
        return self.n_searches >= 2 and 2 * self.n_agreed < self.n_searches

    def refute(self, y: Array, value: float) -> None:
        """Adopt a worse y; searches that agreed with the old one no longer agree."""
        self.y, self.value, self.n_searches, self.n_agreed = y, value, self.n_searches + 1, 1


@dataclass(slots=True)
class Incumbent:
    """Keeps validated answers and the one in the making apart, and recommends the lowest.

    A provisional answer that turns out worse thus never displaces a validated one.
    """

    task: Task
    settled: list[Answer] = field(default_factory=list)
    provisional: Answer | None = None

    @property
    def validated(self) -> Answer | None:
        """The lowest answer that survived validation."""
        return min(self.settled, key=lambda answer: answer.value, default=None)

    @property
    def value(self) -> float:
        """The lowest validated worst case, infinite as long as there is none."""
        return min((answer.value for answer in self.settled), default=np.inf)

    def report(self, x: Array, y: Array, value: float) -> None:
        """Note where the current descent is."""
        if value > FAILED:
            self.provisional = Answer(x, y, value)
            self.recommend()

    def settle(self, answer: Answer) -> None:
        """End a descent whose x survived validation."""
        self.provisional = None
        if answer.value > FAILED:
            self.settled = sorted([*self.settled, replace(answer)], key=lambda a: a.value)[:MOST_SETTLED]
        self.recommend()

    def recommend(self) -> None:
        """Tell the task which answer leads."""
        answer = self.leader
        if answer is not None:
            self.task.recommend(answer.x, answer.y, answer.value if answer.value < -FAILED else np.inf)

    def say_confidence(self) -> None:
        """Report how many independent searches over y reached the estimate, and warn if others did not."""
        answer = self.leader
        if answer is None:
            return
        n, agreed = answer.n_searches, answer.n_agreed
        self.task.agreement = Agreement(agreed, n)
        if n == 0:
            self.task.remark = "The budget left no room for an independent search for a worse y."
        elif agreed < n:
            self.task.remark = (
                f"Of {n} independent searches for a worse y {agreed} arrived at this one, the rest lower."
            )

    @property
    def leader(self) -> Answer | None:
        """The provisional answer if it is lower than all validated ones, else the lowest of these."""
        if self.provisional is not None and self.provisional.value < self.value:
            return self.provisional
        return self.validated
