"""Where further descents begin: many x meet few y cheaply, anywhere or around the best x so far."""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.ascent import ascend
from reckless.methods.danskin.incumbent import Answer
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.peak import Peak, is_among
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.starting import Standings, contest, latin_hypercube
from reckless.methods.danskin.tuning import effort


class Kind(IntEnum):
    """Where the x of a screen lie."""

    ANYWHERE = 0
    LINE = 1
    NEAR = 2


@dataclass(slots=True)
class Screens:
    """Which screens paid.

    n_spent, n_won, n_screens: evaluations of each kind, 1 + descents that led, and how often it was chosen. widths,
    widths_y: of hops in x and in y that succeeded. width: of the last hops in x. n_hopped: evaluations of hops in y.
    """

    n_spent: Array = field(default_factory=lambda: np.zeros(len(Kind)))
    n_won: Array = field(default_factory=lambda: np.ones(len(Kind)))
    n_screens: Array = field(default_factory=lambda: np.zeros(len(Kind), dtype=int))
    widths: list[float] = field(default_factory=list)
    widths_y: list[float] = field(default_factory=list)
    n_hopped: int = 0
    width: float = 0.0

    def choose(self) -> Kind:
        """Return the kind that spent least for each descent that led; first come some from anywhere."""
        if self.n_screens[Kind.ANYWHERE] < effort.n_anywhere:
            return Kind.ANYWHERE
        return Kind(int((self.n_spent / self.n_won).argmin()))

    def note(self, kind: Kind, n_spent: int, *, has_won: bool) -> None:
        self.n_spent[kind] += max(n_spent, effort.n_later_race)  # one that met nothing new is no bargain
        self.n_won[kind] += has_won
        self.n_screens[kind] += 1
        if has_won and kind is Kind.NEAR:
            self.widths = [*self.widths, self.width][-effort.n_widths :]


def screen(oracle: Oracle, screens: Screens, leader: Answer | None, kind: Kind) -> Asking[Place | None]:
    """Return the place where the next descent begins, with the maximizers that it met; None if there is none."""
    k = int(screens.n_screens[kind])
    if leader is None or kind is Kind.ANYWHERE:
        return (yield from _best_of_many(oracle, leader))
    peaks = sorted(leader.place.peaks, key=lambda peak: -peak.value)
    Y = np.vstack([leader.y, *(peak.y for peak in peaks[: effort.n_later_y] if peak.y is not leader.y)])
    x, units = leader.place.x, oracle.x_units
    if kind is Kind.LINE:
        turn, i = divmod(k, x.size)
        i = int(np.argsort(units == 0.0, kind="stable")[i])  # integers first
        standings = yield from contest(oracle, _line_through(units, x, i, oracle.rng), Y, effort.n_tested)
        if units[i] > 0.0 and not units.all():  # the other coordinates must follow before it can be judged
            return standings.place(turn % len(standings.ranked), effort.n_watched)
    else:
        screens.width = draw_width(oracle.rng, screens.widths)
        X = np.array([displaced(x, screens.width, oracle.rng) for _ in range(effort.n_later_race)])
        standings = yield from contest(oracle, X, Y, effort.n_tested)
    return (yield from _beyond_a_hill(oracle, standings, leader))


def _best_of_many(oracle: Oracle, leader: Answer | None) -> Asking[Place | None]:
    """Return the lowest of many x against the hardest y known, with the highest peaks there; None if all failed."""
    X = latin_hypercube(oracle, max(effort.n_later_race, int(effort.race_share * oracle.n_used)))
    Y = np.vstack([*_hard_y(oracle, leader), oracle.rng.random(oracle.task.n_y)])
    standings = yield from contest(oracle, X, Y, 1)
    return standings.place(0, effort.n_watched)


def _hard_y(oracle: Oracle, leader: Answer | None) -> list[Array]:
    """Return the maximizers of the leader, those that were the worst of other x, and the last met; hardest first."""
    found: list[Array] = []
    peaks = [] if leader is None else sorted(leader.place.peaks, key=lambda peak: -peak.value)
    feared = [one.y for one in oracle.fears[::-1]]
    for y in [*(peak.y for peak in peaks), *feared, *oracle.archive[: -1 - effort.n_later_y : -1]]:
        if not is_among(y, found):
            found.append(y)
    return found


def _line_through(units: Array, x: Array, i: int, rng: np.random.Generator) -> Array:
    """Return points that differ from x in coordinate i, evenly spread; of an integer at most each other value once."""
    n = effort.n_screen_line
    at = (np.arange(n) + rng.random(n)) / n
    if (unit := units[i]) > 0.0:
        at = np.unique(unit * (np.floor(at / unit) + 0.5))
        at = at[np.abs(at - x[i]) > 0.5 * unit]
    X = np.repeat(x[None], max(1, at.size), axis=0)
    X[: at.size, i] = at
    return X


def _beyond_a_hill(oracle: Oracle, standings: Standings, leader: Answer) -> Asking[Place | None]:
    """Return the best place that is below the leader, or separated from it by a hill (1 evaluation each)."""
    for k in range(min(effort.n_tested, len(standings.ranked))):
        place = standings.place(k, effort.n_watched)
        if place is None or leader.value > place.F:
            return place
        between = yield from oracle.ask_one(0.5 * (place.x + leader.place.x), place.top.y)
        if between > place.F:
            return place
    return None


def hop_up(oracle: Oracle, screens: Screens, answer: Answer | None) -> Asking[Peak | None]:
    """Hop from the worst y of an answer to higher peaks, if most searches for it end elsewhere; None if there is none.

    This happens where f has many maxima in y, and takes a share of the evaluations.
    """
    if answer is None or 2 * answer.n_agreed >= answer.n_searches or not np.isfinite(answer.value):
        return None
    first, x = oracle.n_used, answer.place.x
    if screens.n_hopped > effort.hop_share * first:
        return None
    start = Peak(answer.y, answer.value, H=answer.place.top.H)
    top = yield from _higher_on_lines(oracle, x, start)
    n_failed = 0
    while n_failed < effort.n_hops:
        width = draw_width(oracle.rng, screens.widths_y)
        peak = yield from _climbed(oracle, x, displaced(top.y, width, oracle.rng), top)
        n_failed += 1
        if peak is not top:
            top, n_failed = (yield from _higher_on_lines(oracle, x, peak)), 0
            screens.widths_y = [*screens.widths_y, width][-effort.n_widths :]
    screens.n_hopped += oracle.n_used - first
    return None if top is start else top


def _higher_on_lines(oracle: Oracle, x: Array, top: Peak) -> Asking[Peak]:
    """Climb from the highest point of the line along each coordinate of y, until none leads higher; return the top."""
    i, n_idle, n_y = 0, 0, top.y.size
    while n_idle < n_y:
        Y = oracle.snap_y(_line_through(np.zeros(n_y), top.y, i, oracle.rng))
        values = np.where(np.isnan(found := (yield from oracle.ask(x, Y))), -np.inf, found)
        before, around = top, np.concatenate([[-np.inf], values, [-np.inf]])
        hills = np.flatnonzero((values >= around[:-2]) & (values >= around[2:]) & (values > -np.inf))
        for k in hills[np.argsort(-values[hills], kind="stable")][: effort.n_tested].tolist():
            top = yield from _climbed(oracle, x, Y[k], top)
        i, n_idle = (i + 1) % n_y, 1 if top is not before else n_idle + 1
    return top


def _climbed(oracle: Oracle, x: Array, y: Array, top: Peak) -> Asking[Peak]:
    """Climb from y; return the peak if it is above the top, which tells its curvature, else the top."""
    y = oracle.snap_y(y)
    value = yield from oracle.ask_one(x, y)
    if np.isnan(value):
        return top
    peak = Peak(y, value, H=top.H, M=None if top.H is None else np.zeros((y.size, x.size)))
    yield from ascend(oracle, x, peak, oracle.violation(top.value), effort.n_short_rounds)
    return peak if peak.value > top.value + oracle.violation(top.value) else top


def draw_width(rng: np.random.Generator, widths: list[float]) -> float:
    """Draw the width of hops: one of those that succeeded, a little changed, or any."""
    if widths and rng.random() < 0.5:
        return widths[int(rng.integers(len(widths)))] * float(2.0 ** rng.uniform(-0.5, 0.5))
    return float(10.0 ** rng.uniform(*np.log10(effort.hops)))


def displaced(z: Array, width: float, rng: np.random.Generator) -> Array:
    """Return a point near z, half of the time moved in one or two coordinates only, reflected at the bounds."""
    n, move = z.size, rng.standard_normal(z.size)
    if n > 1 and rng.random() < 0.5:
        move *= (rng.random(n) < 1.5 / n) | (np.arange(n) == rng.integers(n))
    moved = np.abs(z + width * move) % 2.0
    reflected: Array = np.where(moved > 1.0, 2.0 - moved, moved)
    return reflected
