"""The best x so far: the lowest answer that survived its attacks, or the current descent if that is lower."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import Agreement, Task
from reckless.methods.convergence import Converged, Convergence
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.tuning import effort


@dataclass(slots=True, eq=False)
class Answer:
    """A place with its worst case as far as it is known, and what attacks said about it.

    n_searches, n_agreed: independent searches completed for a worse y, and how many arrived at this value. is_settled:
    whether the descent that led here came to its end.
    """

    place: Place
    value: float
    y: Array
    n_searches: int = 0
    n_agreed: int = 0
    is_settled: bool = False

    @property
    def is_verified(self) -> bool:
        """Whether searches for a worse y agree here."""
        return Agreement(self.n_agreed, self.n_searches).is_evidence

    def refute(self, y: Array, value: float) -> None:
        """Adopt a worse y; what searches said about the old one is void."""
        self.y, self.value, self.n_searches, self.n_agreed = y, value, 0, 0


def answer_at(place: Place) -> Answer:
    top = place.top
    return Answer(place, top.value, top.y)


@dataclass(slots=True)
class Incumbent:
    """Keeps the ends of descents and the current descent, and recommends the lowest.

    trail: of the current descent. n_verified: evaluations spent on attacks so far. rest: whether the run is done.
    """

    task: Task
    ends: list[Answer] = field(default_factory=list)
    current: Answer | None = None
    trail: list[Place] = field(default_factory=list)
    n_verified: int = 0
    rest: Convergence = field(init=False)

    def __post_init__(self) -> None:
        self.rest = Convergence(self.task)

    @property
    def value(self) -> float:
        """The lowest value that survived its attacks, infinite as long as there is none."""
        return min((answer.value for answer in self.ends), default=np.inf)

    @property
    def end_in_lead(self) -> Answer | None:
        """The lowest answer that survived its attacks, if there is one."""
        return self.ends[0] if self.ends else None

    @property
    def leader(self) -> Answer | None:
        answers = self.ends if self.current is None else [*self.ends, self.current]
        return min(answers, key=lambda answer: answer.value, default=None)

    def report(self, place: Place) -> None:
        """Tell where the current descent is."""
        self.current = answer_at(place)
        if not self.trail or self.trail[-1].x is not place.x:
            self.trail.append(place)
        self.recommend()
        end = self.end_in_lead
        if end is not None and self.rest.has_arrived(place.x, place.F, end.place.x, end.value) and end.is_verified:
            raise Converged

    def leave(self) -> None:
        """Leave the current descent."""
        self.current, self.trail = None, []
        self.recommend()

    def raise_to(self, highest_at: Callable[[Array], tuple[Array, float] | None]) -> None:
        """Give each answer the highest value that was met at its x."""
        for answer in self.ends if self.current is None else [*self.ends, self.current]:
            answer.y, answer.value = highest_at(answer.place.x) or (answer.y, answer.value)
        self.ends.sort(key=lambda answer: answer.value)
        self.recommend()

    def settle(self, tolerance: float) -> None:
        """Leave the current descent if it leads what was attacked by no more than a tolerance."""
        if self.current is not None and self.value <= self.current.value + tolerance < np.inf:
            self.leave()

    def fall_back(self) -> None:
        """Leave the current descent if no attack on it was completed, but some on the lowest end of another."""
        end, current = self.end_in_lead, self.current
        if end is not None and current is not None and end.n_searches > current.n_searches == 0:
            self.leave()

    def end(self, answer: Answer) -> None:
        """End a descent at an answer that was attacked."""
        self.leave()
        answer.is_settled = True
        self.ends = sorted([*self.ends, answer], key=lambda answer: answer.value)[: effort.n_ends]
        self.recommend()

    def is_ahead_of(self, place: Place, tolerance: float) -> bool:
        """Tell whether an answer leads a place, whose worst case can only be higher than it is known."""
        return self.value - tolerance <= place.F

    def is_out_of_reach(self, F: float, predicted: float) -> bool:
        """Tell whether many steps such as the predicted one would not reach what leads."""
        return F - effort.patience * predicted > self.value

    def withdraw(self, answer: Answer) -> None:
        """Take back an answer that was refuted."""
        self.ends.remove(answer)

    def recommend(self) -> None:
        """Tell the task which answer leads, and how far it can be trusted."""
        answer = self.leader
        if answer is not None:
            self.task.recommend(answer.place.x, answer.y, answer.value)
            self.task.agreement = Agreement(answer.n_agreed, answer.n_searches)
            self.task.settled = answer.is_settled
            self.task.balance = answer.place.balance

    def note(self, event: str, F: float, radius: float, ratio: float, n_active: int) -> None:
        """Trace a step of the descent."""
        self.task.note("descend", event, fun=F, radius=radius, ratio=ratio, n_active=n_active)
