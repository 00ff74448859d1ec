"""The best x so far: the lowest validated answer, or the current descent if that is lower."""

from dataclasses import dataclass, field, replace

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import Agreement
from reckless.methods.danskin.oracle import FAILED, Oracle

MOST_SETTLED = 20  # answers remembered, in case the leading one is refuted
MOST_PASSED = 5  # the same of those that a descent left behind; they were hardly attacked
ARRIVED = 1e-3  # of the range of values at x: a search that misses the estimate by less arrived at it


@dataclass(slots=True, eq=False)
class Answer:
    """An x, the worst y known for it, and f there.

    n_searches, n_agreed: independent searches completed for a worse y, and how many of them arrived at this value.
    n_attacked: the evaluations which attacks took. is_settled: whether the descent that led here came to its end.
    """

    x: Array
    y: Array
    value: float
    n_searches: int = 0
    n_agreed: int = 0
    n_attacked: int = 0
    is_settled: bool = False

    def note_search(self, value: float, spread: float) -> None:
        """Count a search over y that found this value, where values at x are known to range over `spread`."""
        self.n_searches += 1
        self.n_agreed += value >= self.value - ARRIVED * spread - 1e-9 * abs(self.value)

    @property
    def is_doubtful(self) -> bool:
        """Whether most of the independent searches ended lower: there are many maxima, perhaps higher ones too."""
        return self.n_searches >= 2 and 2 * self.n_agreed < self.n_searches

    def refute(self, y: Array, value: float) -> None:
        """Adopt a worse y; what searches said about the old one is void."""
        self.y, self.value, self.n_searches, self.n_agreed = y, value, 0, 0


@dataclass(slots=True)
class Incumbent:
    """Keeps validated answers, the one in the making and those it left behind, and recommends the lowest.

    No answer is believed to be better than the highest value that was met at its x.
    """

    oracle: Oracle
    settled: list[Answer] = field(default_factory=list)
    passed: list[Answer] = field(default_factory=list)
    provisional: Answer | None = None

    @property
    def validated(self) -> Answer | None:
        """The lowest answer that survived validation."""
        return min(self.settled, key=lambda answer: answer.value, default=None)

    @property
    def value(self) -> float:
        """The lowest validated worst case, infinite as long as there is none."""
        return min((answer.value for answer in self.settled), default=np.inf)

    @property
    def leader(self) -> Answer | None:
        """The lowest validated answer, unless the current descent is lower.

        What a descent left behind was hardly attacked, and leads only as long as nothing is validated.
        """
        current = [] if self.provisional is None else [self.provisional]
        return min([*self.settled, *current, *self._fallback()], key=lambda answer: answer.value, default=None)

    def report(self, x: Array, y: Array, value: float) -> None:
        """Note where the current descent is."""
        if value > FAILED:
            self._leave(x)
            self.provisional = Answer(x, y, value)
            self.recommend()

    def settle(self, answer: Answer) -> None:
        """End a descent at an answer."""
        self._leave(answer.x)
        if answer.value > FAILED:
            answer = replace(answer, is_settled=True)
            self._learn(answer)
            self.settled = sorted([*self.settled, answer], key=lambda a: a.value)[:MOST_SETTLED]
        self.recommend()

    def recommend(self) -> None:
        """Tell the task which answer leads, and how far it can be trusted."""
        for known in self._answers():
            self._learn(known)
        answer, task = self.leader, self.oracle.task
        if answer is not None:
            task.recommend(answer.x, answer.y, answer.value if answer.value < -FAILED else np.inf)
            task.agreement, task.settled = Agreement(answer.n_agreed, answer.n_searches), answer.is_settled

    def unsettled(self) -> list[Answer]:
        """Return the answers at which no descent ended."""
        return [*([] if self.provisional is None else [self.provisional]), *self.passed]

    def _fallback(self) -> list[Answer]:
        return [] if self.settled else self.passed

    def _answers(self) -> list[Answer]:
        return [*self.settled, *self.unsettled()]

    def _leave(self, x: Array) -> None:
        """Let go of the provisional answer, since another x takes its place; it may have been better."""
        left, self.provisional = self.provisional, None
        if left is not None and not self.oracle.is_noisy and not np.array_equal(left.x, x):
            self._learn(left)
            self.passed = sorted([*self.passed, left], key=lambda answer: answer.value)[:MOST_PASSED]

    def _learn(self, answer: Answer) -> None:
        """Raise an answer to the highest value met at its x."""
        met = self.oracle.met_at(answer.x)
        if met is not None and met.high > answer.value:
            if self.oracle.exceeds(met.high, answer.value):
                answer.refute(met.y, met.high)
            else:
                answer.y, answer.value = met.y, met.high
