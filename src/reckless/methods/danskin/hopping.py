"""Many local minima in x: hops from the incumbent, judged against a few remembered maximizers.

The highest of f(x, y) over at most four y is a cheap lower bound of the worst case. Where it promises an
improvement, an attack must confirm that before a descent starts there; a y that denies it joins the four. Needed for
functions such as Rastrigin's, whose basins are too many for starts at random.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.core.generators import relayed
from reckless.methods.danskin.attack import attack, displaced
from reckless.methods.danskin.climb import Climb, Peak, climb
from reckless.methods.danskin.incumbent import Answer
from reckless.methods.danskin.inner import Inner
from reckless.methods.danskin.oracle import FAILED, Asking, Fatal

N_SCENARIOS = 4
N_ON_LINE = 33  # points per coordinate when lines through the incumbent are searched
FIRST_SHARE = 0.3  # of all evaluations, for hops
LEAST_SHARE = 0.05
MARGIN = 1e-6  # relative improvement below which a hop is not worth a check


class Landing(NamedTuple):
    """An x that a hop found better than the incumbent, with the maximizers known there."""

    x: Array
    peaks: list[Peak]


@dataclass(slots=True)
class Hopping:
    """What outlives a single round of hops.

    share: of all evaluations, how many may go into hops; it grows when they pay. n_spent: how many went.
    searched_x: the incumbent whose lines were searched. widths: of hops that succeeded.
    """

    share: float = FIRST_SHARE
    n_spent: int = 0
    searched_x: Array | None = None
    widths: list[float] = field(default_factory=list)

    def is_due(self, n_used: int) -> bool:
        return self.n_spent < self.share * n_used

    def note(self, n_spent: int, has_improved: bool) -> None:
        self.n_spent += n_spent
        self.share = 0.5 if has_improved else max(LEAST_SHARE, 0.7 * self.share)


@dataclass(slots=True)
class Ground:
    """The lower bound of the worst case over a few scenarios, and the level to get below."""

    inner: Inner
    scenarios: list[Array]
    level: float

    def heights(self, X: Array) -> Asking[Array]:
        """Return the highest value over the scenarios at each row of X; a failure counts against x."""
        k = len(self.scenarios)
        Y = np.repeat(np.array(self.scenarios), len(X), axis=0)
        values = yield from self.inner.oracle.ask(np.tile(X, (k, 1)), Y)
        values = values.reshape(k, len(X))
        return np.where(values.min(axis=0) > FAILED, values.max(axis=0), -FAILED)

    def follow(self, ascent: Climb, spread: Array | None = None, at: int = 0) -> Asking[Peak]:
        """Answer a climb on the negative heights: over x, or over coordinate `at` with the rest as in `spread`."""

        def ask(points: Array) -> Asking[Array]:
            X = points
            if spread is not None:
                X = np.repeat(spread[None], len(points), axis=0)
                X[:, at] = points[:, 0]
            heights = yield from self.heights(X)
            return -heights

        return relayed(ascent, ask)

    def descend(self, x: Array, height: float, h: float) -> Asking[tuple[Array, float]]:
        """Descend a few rounds from x."""
        start = Peak(x, -height, np.full(x.size, h))
        peak = yield from self.follow(climb(start, 5, enough=1e-3 * abs(self.level), precision=1e-4))
        return peak.z, -peak.value

    def promises(self, height: float) -> bool:
        return height < self.level - MARGIN * (abs(self.level) + 1e-9)

    def check(self, x: Array) -> Asking[Landing | None]:
        """Attack an x; add a y that lifts it to the level to the scenarios, else return a landing."""
        try:
            landing = yield from self._attack(x)
        except Fatal as end:
            self._learn(end.y)
            return None
        return landing

    def _attack(self, x: Array) -> Asking[Landing | None]:
        inner, oracle = self.inner, self.inner.oracle
        Y = np.vstack([np.array(self.scenarios), oracle.archive[-12:], oracle.fatal])
        values = yield from oracle.ask(x, Y)
        k = int(values.argmax())
        near = yield from inner.rise(x, Y[k], float(values[k]), 0.02, 4)
        far = None
        if self.promises(near.value):
            far = yield from attack(inner, x, [near.z], n_points=9)
            if self.promises(far.value):
                rest = [Peak(y, 0.0, near.h) for y in self.scenarios]
                return Landing(x, [near, far, *rest])
        self._learn(near.z if far is None else far.z)
        return None

    def _learn(self, y: Array) -> None:
        if all(np.abs(y - z).max() > 0.02 for z in self.scenarios):
            self.scenarios = [*self.scenarios[:1], *self.scenarios[1:][-(N_SCENARIOS - 2) :], y]


def ground_at(inner: Inner, answer: Answer) -> Ground:
    """Return the ground around an answer: its worst y, and the latest that differ from it."""
    scenarios = [answer.y]
    for y in inner.oracle.archive[::-1]:
        if len(scenarios) < N_SCENARIOS and all(np.abs(y - z).max() > 0.05 for z in scenarios):
            scenarios.append(y)
    return Ground(inner, scenarios, answer.value)


def search_lines(ground: Ground, x: Array) -> Asking[Landing | None]:
    """Look along every coordinate line through x for lower ground, alone and combined."""
    n, rng = x.size, ground.inner.oracle.rng
    X = np.repeat(x[None], n * N_ON_LINE, axis=0)
    for i in range(n):
        X[i * N_ON_LINE : (i + 1) * N_ON_LINE, i] = (np.arange(N_ON_LINE) + rng.random(N_ON_LINE)) / N_ON_LINE
    heights = yield from ground.heights(X)
    found: list[tuple[float, Array]] = []
    joint = x.copy()
    for i in range(n):
        line = slice(i * N_ON_LINE, (i + 1) * N_ON_LINE)
        best: tuple[float, Array] | None = None
        for k in lowest_dips(heights[line]):
            start = Peak(X[line][k, i : i + 1], -float(heights[line][k]), np.array([0.5 / N_ON_LINE]))
            peak = yield from ground.follow(climb(start, 3, precision=1e-4), x, i)
            z = x.copy()
            z[i] = peak.z[0]
            best = min(best or (np.inf, z), (-peak.value, z), key=lambda pair: pair[0])
            found.append((-peak.value, z))
        if best is not None and ground.promises(best[0]):
            joint[i] = best[1][i]
    if n > 1 and (joint != x).sum() > 1:
        together = yield from ground.heights(joint[None])
        found.append((float(together[0]), joint))
    for height, z in sorted(found, key=lambda pair: pair[0])[:6]:
        if not ground.promises(height):
            break
        height = float((yield from ground.heights(z[None]))[0])
        if ground.promises(height):
            landing = yield from ground.check(z)
            if landing is not None:
                return landing
    return None


def lowest_dips(heights: Array, n_dips: int = 3) -> list[int]:
    """Return the lowest points that are lower than their neighbors."""
    padded = np.concatenate([[np.inf], heights, [np.inf]])
    dips = np.flatnonzero((padded[1:-1] <= padded[:-2]) & (padded[1:-1] < padded[2:]))
    ranked: list[int] = dips[np.argsort(heights[dips])][:n_dips].tolist()
    return ranked


def hop(ground: Ground, state: Hopping, x: Array, n_evaluations: int) -> Asking[Landing | None]:
    """Hop about x, half of the time in one or two coordinates, until lower ground is found and checked."""
    oracle = ground.inner.oracle
    start = oracle.n_used
    while oracle.n_used - start < n_evaluations:
        z, width = displaced(x, state.widths, oracle.rng)
        height = float((yield from ground.heights(z[None]))[0])
        z, height = yield from ground.descend(z, height, min(0.02, 0.3 * width))
        if ground.promises(height):
            landing = yield from ground.check(z)
            if landing is not None:
                state.widths = [*state.widths, width][-8:]
                return landing
    return None
