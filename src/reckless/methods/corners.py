"""What many engineers do by hand: a downhill simplex over x on the worst of the corners of y, with restarts."""

from collections.abc import Generator
from dataclasses import dataclass
from itertools import product

import numpy as np

from reckless.core.arguments import LARGEST_SIZE, keep, read_count
from reckless.core.arrays import Array
from reckless.core.generators import relayed
from reckless.core.outcome import against_maximizer
from reckless.core.task import Pairs, Search, Task
from reckless.methods.registry import Entry
from reckless.strategies.nelder_mead import NelderMead


@dataclass(frozen=True, slots=True, kw_only=True)
class Corners:
    """Minimize the worst of a few fixed y by Nelder and Mead's method, again and again from random x.

    n_corners: how many y each x is tried against: all corners of the cube of y, or all of a list, if they are no more;
    else a random choice of them, made once.
    """

    n_corners: int = 16

    def __post_init__(self) -> None:
        keep(self, n_corners=read_count(self.n_corners, "n_corners", 1, LARGEST_SIZE, example=16))

    def search(self, task: Task) -> Search:
        Y = self._choose(task)[: task.maxfev]

        def ask(X: Array) -> Generator[Pairs, Array, Array]:
            values = yield np.repeat(X, len(Y), axis=0), np.tile(Y, (len(X), 1))
            return _worst_cases(task, X, Y, values.reshape(len(X), len(Y)))

        for _ in task.rounds():
            n_designs = task.n_left // len(Y)
            if n_designs == 0:  # an x that is tried against fewer y would look good
                return
            yield from relayed(NelderMead().search(task.random_x(), n_designs, task.rng), ask)

    def _choose(self, task: Task) -> Array:
        """Return the y, (m, n_y), in random order."""
        n, rng = self.n_corners, task.rng
        if task.n_scenarios is not None:
            chosen = rng.permutation(task.n_scenarios)[:n]
            return (chosen[:, None] + 0.5) / task.n_scenarios
        if 2**task.n_y <= n:
            return rng.permutation(np.array(list(product((0.0, 1.0), repeat=task.n_y))))
        return np.unique(rng.integers(0, 2, (n, task.n_y)), axis=0).astype(float)


def _worst_cases(task: Task, X: Array, Y: Array, values: Array) -> Array:
    """Return the worst case of each x by `values` (len(X), len(Y)); +inf if all failed. Recommend the best x."""
    seen = against_maximizer(values.ravel()).reshape(values.shape)
    hardest = seen.argmax(axis=1)
    worst = seen.max(axis=1)
    for x, k, value in zip(X, hardest, worst, strict=True):
        if value > -np.inf:
            task.recommend_if_better(x, Y[k], value)
    return np.where(worst == -np.inf, np.inf, worst)


ENTRIES = {"corners": Entry(Corners, "a downhill simplex over x on the worst of the corners of y, with restarts")}
