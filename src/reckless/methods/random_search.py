"""Random search: the honest floor that every method must beat."""

from dataclasses import dataclass
from math import isqrt

from reckless.core.arguments import LARGEST_SIZE
from reckless.core.outcome import against_maximizer
from reckless.core.task import Search, Task
from reckless.methods.registry import Entry


@dataclass(frozen=True, slots=True)
class RandomSearch:
    """Try random x, each against as many random y as there are x; keep the x whose worst y is least bad."""

    def search(self, task: Task) -> Search:
        n_scenarios = min(isqrt(task.maxfev), LARGEST_SIZE)
        for _ in task.rounds():
            x = task.random_x()
            Y = task.rng.random((min(n_scenarios, task.n_left), task.n_y))
            values = yield x, Y
            worst = against_maximizer(values).argmax()
            task.recommend_if_better(x, Y[worst], values[worst])


ENTRIES = {"random-search": Entry(RandomSearch, "random x, each against random y: the floor for all others")}
