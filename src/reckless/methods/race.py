"""A race of random x: cheap to drop, dear to win. What a practitioner writes in an hour, and hard to beat."""

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from reckless.core.arguments import keep, read_between
from reckless.core.arrays import Array
from reckless.core.outcome import against_maximizer
from reckless.core.task import Pairs, Search, Series, Task
from reckless.methods.registry import Entry

N_FIRST = 3  # y on the list before any was found to be hard
NEAREST, FARTHEST = 10**-2.5, 10**-0.3  # steps from the leader, log-uniform
BESIDE = 0.1  # steps from the hardest y
LIST_BASE, LIST_PER_COORDINATE = 10, 5  # y on the list at most, in all and per coordinate
LEADER_ATTACKED = 0.1  # probability that the leader is attacked when another x was dropped


@dataclass(slots=True)
class _Contender:
    """An x with its worst y so far and the value there."""

    x: Array
    y: Array
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """Try random x against a common list of y, hardest first; drop an x at its first value above the leader's.

    An x that gets through is attacked by new y, and leads if none of them is worse than the leader's worst. What was
    hardest joins the list. near_share: part of the x that are drawn around the leader.
    """

    near_share: float = 0.6

    def __post_init__(self) -> None:
        keep(self, near_share=read_between(self.near_share, "near_share", 0.0, 1.0))

    def search(self, task: Task) -> Search:
        hard = list(_some_y(task, N_FIRST))
        leader: _Contender | None = None
        for _ in task.rounds():
            x = self._draw(task, leader)
            limit = np.inf if leader is None else leader.value
            values = against_maximizer((yield Series(x, np.array(hard[: task.n_left]), limit)))
            k = int(values.argmax())
            hard.insert(0, hard.pop(k))
            tried = _Contender(x, hard[0], float(values[k]))
            if leader is None and tried.value > -np.inf:
                task.recommend_if_better(x, tried.y, tried.value)
            is_through = len(values) == len(hard) and -np.inf < tried.value < limit
            if is_through and task.n_left > 0:  # one that is not attacked only looks good
                yield from _attack(task, tried, _new_y(task, tried.y), hard)
                if leader is None or tried.value < leader.value:
                    leader = tried
                    task.recommend(leader.x, leader.y, leader.value)
            elif leader is not None and task.n_left > 0 and task.rng.random() < LEADER_ATTACKED:
                yield from _attack(task, leader, _some_y(task, 1), hard)
                task.recommend(leader.x, leader.y, leader.value)

    def _draw(self, task: Task, leader: _Contender | None) -> Array:
        if leader is None or task.rng.random() >= self.near_share:
            return task.random_x()
        step = np.exp(task.rng.uniform(np.log(NEAREST), np.log(FARTHEST)))
        x: Array = np.clip(leader.x + step * task.rng.standard_normal(task.n_x), 0.0, 1.0)
        return x


def _attack(task: Task, attacked: _Contender, Y: Array, hard: list[Array]) -> Generator[Pairs, Array, None]:
    """Try an x against new y; the worst of them joins the list if it is worse than what was known."""
    Y = Y[: task.n_left]
    values = against_maximizer((yield attacked.x, Y))
    k = int(values.argmax())
    if values[k] > attacked.value:
        attacked.y, attacked.value = Y[k], float(values[k])
        hard.insert(0, Y[k])
        del hard[LIST_BASE + LIST_PER_COORDINATE * task.n_y :]


def _some_y(task: Task, n: int) -> Array:
    """Draw n random y; of a list n different entries, or all."""
    if task.n_scenarios is None:
        return task.rng.random((n, task.n_y))
    return (task.rng.permutation(task.n_scenarios)[:n, None] + 0.5) / task.n_scenarios


def _new_y(task: Task, hardest: Array) -> Array:
    """Draw y to attack a survivor: random ones, some beside the hardest of the list, and some corners."""
    Y = _some_y(task, 4 * task.n_y + 2)
    if task.n_scenarios is not None:
        return Y
    beside = np.clip(hardest + BESIDE * task.rng.standard_normal((task.n_y, task.n_y)), 0.0, 1.0)
    return np.vstack([Y, beside, np.round(task.rng.random((task.n_y, task.n_y)))])


ENTRIES = {"race": Entry(Race, "random x against a growing list of hard y, each dropped at its first bad value")}
