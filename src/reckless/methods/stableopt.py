"""StableOpt: optimism in x, pessimism in y (Bogunovic, Scarlett, Jegelka, Cevher 2018), for f with any y.

    x = argmin over x of max over y of mean - c sd,    y = argmax over y of mean + c sd at that x

Process, sets, first design and the choice of the answer are those of `surrogate`, so that a comparison is one of
the rules by which they ask.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from reckless.core.arguments import keep, read_between
from reckless.core.arrays import Array
from reckless.core.task import Search, Task
from reckless.methods.registry import Entry
from reckless.methods.surrogate.climbing import crossed
from reckless.methods.surrogate.design import first_design
from reckless.methods.surrogate.driving import begun, driven, recommend
from reckless.methods.surrogate.rounds import banned
from reckless.methods.surrogate.saddle import highest_bound
from reckless.methods.surrogate.spaces import around, sample
from reckless.methods.surrogate.state import Asking, State

N_SPREAD, N_AROUND, N_OPPONENTS = 80, 25, 50  # x all over the set, x around the best one, y that each is tried against
WIDTHS = (0.1, 0.03, 0.01, 0.003, 0.001)  # of the samples around the best x, one after the other
LARGEST_CONFIDENCE = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StableOpt:
    """Evaluate the x whose worst case could be lowest, against the y that could be worst there.

    confidence: the standard deviations c.
    """

    confidence: float = 2.0

    def __post_init__(self) -> None:
        keep(self, confidence=read_between(self.confidence, "confidence", 0.0, LARGEST_CONFIDENCE))

    def search(self, task: Task) -> Search:
        state = begun(task)
        yield from driven(state, self._rounds(task, state), partial(recommend, task, state))

    def _rounds(self, task: Task, state: State) -> Asking[None]:
        known = state.known
        yield from state.ask(*first_design(task, known.xs, known.ys))
        for _ in task.rounds():
            state.n_left = task.n_left
            x, y = sample(known.xs, task.rng, 1)[0], sample(known.ys, task.rng, 1)[0]
            if known.model is not None and state.answer is not None:
                lowest = most_promising(state, self.confidence)
                highest, _ = highest_bound(known.arena, lowest, state.candidates(), self.confidence)
                if state.is_news(lowest, highest):  # else a random pair, which is some
                    x, y = lowest, highest
            yield from state.ask_at(x, y)


def most_promising(state: State, c: float) -> Array:
    """Return the x with the lowest max over y of mean - c sd: the best of a sample, then of ever closer ones.

    Each x so found is answered by its own worst y, which joins those that the next ones are tried against.
    """
    known, rng = state.known, state.rng
    assert state.answer is not None
    Y = state.some(N_OPPONENTS)
    X = np.vstack([sample(known.xs, rng, N_SPREAD), around(known.xs, state.answer.x, WIDTHS[0], rng, N_AROUND)])
    x: Array = X[optimistic(state, X, Y, c).argmin()]
    for width in WIDTHS:
        Y = np.vstack([Y, highest_bound(known.arena, x, state.candidates(), -c)[0]])
        X = np.vstack([x, around(known.xs, x, width, rng, N_AROUND)])
        x = X[optimistic(state, X, Y, c).argmin()]
    return x


def optimistic(state: State, X: Array, Y: Array, c: float) -> Array:
    """Return the highest mean - c sd over rows Y at each row of X; what likely fails is banned, or does not count."""
    known, Q = state.known, crossed(X, Y)
    assert known.model is not None
    levels = known.model.mean(Q) - c * known.model.sd(Q)
    if known.veto is not None:
        levels = np.where(known.veto.mean(Q) > 0.0, -np.inf, levels)
    heights = levels.reshape(len(X), len(Y)).max(axis=1)
    return np.where(np.isneginf(heights), np.inf, heights) + banned(state, X)


ENTRIES = {
    "stableopt": Entry(
        StableOpt,
        "the x whose worst case could be lowest, against the y that could be worst, by the model of surrogate",
        "Bogunovic, Scarlett, Jegelka, Cevher 2018",
    )
}
