"""Kinks of f in x: how they are told from curvature, and the way down past them."""

from dataclasses import dataclass, replace

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.ascent import ascend
from reckless.methods.danskin.incumbent import Incumbent
from reckless.methods.danskin.kinks.bundle import Bundle, has_kink, lower
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.peak import Peak, cut, highest, nearest, response
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.sums.additive import is_sum
from reckless.methods.danskin.trial import Trial
from reckless.methods.danskin.tuning import bundles, effort, trust


@dataclass(slots=True)
class Bends:
    """Errors of the model at refused steps from one x.

    last: error per length of the last one, and its length. n_sharp: how many in a row did not shrink with the length.
    n_poor: refused or poor steps, wherever they were, since one that was good and not shorter than the last accepted
    one. accepted: the length of that.
    """

    x: Array | None = None
    last: tuple[float, float] = (0.0, 1.0)
    n_sharp: int = 0
    n_poor: int = 0
    accepted: float = 0.0

    def accept(self, reach: float, ratio: float) -> None:
        """Learn from an accepted step."""
        is_good = ratio > trust.good and reach >= self.accepted
        self.n_poor, self.accepted = 0 if is_good else self.n_poor + (ratio < trust.good), reach

    def note(self, place: Place, trial: Trial, visible: float) -> None:
        """Learn from a refused step; errors that are not visible tell nothing."""
        self.n_poor += 1
        violator, d = highest(trial.place.peaks), trial.step.d
        value, slope = cut(nearest(place.peaks, violator.y), d.size)
        error = violator.value - value - float(slope @ d)
        bend = error / trial.step.reach if error > visible else 0.0
        old_bend, old_reach = self.last
        if place.x is not self.x:
            self.x, self.n_sharp = place.x, 0
        elif bend > old_bend * (trial.step.reach / old_reach) ** bundles.sharp > 0.0:
            self.n_sharp += 1
        else:
            self.n_sharp = 0
        self.last = bend, trial.step.reach

    @property
    def is_kink(self) -> bool:
        return self.n_sharp >= bundles.n_sharp or self.is_zigzag

    @property
    def is_zigzag(self) -> bool:
        return self.n_poor >= bundles.n_zigzag


@dataclass(slots=True)
class WorstCase:
    """F near x under its top, which follows x; is_overtaken: whether another peak rose above it."""

    oracle: Oracle
    incumbent: Incumbent
    place: Place
    settled: Place
    bundle: Bundle
    is_overtaken: bool = False

    def ask(self, Z: Array) -> Asking[Array]:
        top = self.place.top
        Y = np.array([top.y + response(top, z - self.place.x)[0] for z in Z])
        return (yield from self.oracle.ask(Z, np.clip(Y, 0.0, 1.0)))

    def settle(self, z: Array, value: float, tolerance: float) -> Asking[float]:
        d, top = z - self.place.x, self.place.top
        peak = top.followed(d, response(top, d)[0], value)
        yield from ascend(self.oracle, z, peak, tolerance, effort.n_short_rounds)
        if peak.value > value + tolerance:
            yield from self._lift(peak, d)
        others = [other for other in self.place.peaks if other is not top]
        moves = [response(other, d)[0] for other in others]
        if others:
            Y = np.array([other.y + s for other, s in zip(others, moves, strict=True)])
            values = (yield from self.oracle.ask(z, np.clip(Y, 0.0, 1.0))).tolist()
            others = [p.followed(d, s, v) for p, s, v in zip(others, moves, values, strict=True) if v == v]
        self.settled = replace(self.place, x=z, peaks=[peak, *others])
        self.is_overtaken = self.settled.top is not peak
        return self.settled.F

    def _lift(self, peak: Peak, d: Array) -> Asking[None]:
        """Try the y of a peak at x + d where it comes from (1 evaluation): it may have been too low there too."""
        top = self.place.top
        y = np.clip(peak.y - response(top, d)[0], 0.0, 1.0)
        value = yield from self.oracle.ask_one(self.place.x, y)
        if value > self.place.F:
            top.y, top.value, top.ridge = y, value, peak.ridge
            self.bundle.value = value

    def move(self, z: Array) -> None:
        self.place = self.settled
        self.incumbent.report(self.place)


def is_still_sum(oracle: Oracle, place: Place, *, is_due: bool = False) -> Asking[bool]:
    """Tell whether f is a sum over y whose kinks stay where they are as x moves: then it needs no ridges."""
    ridges = [(peak, peak.ridge) for peak in place.peaks if peak.ridge is not None]
    if oracle.is_sum is False or any(ridge.is_moving for _, ridge in ridges):
        return False
    for peak, _ in ridges:
        peak.ridge, peak.is_fresh_y = None, False
    if (yield from is_sum(oracle, place, is_due=is_due or bool(ridges))):
        oracle.is_sum = not any(
            peak.ridge.is_moving for peak in place.peaks if peak.ridge is not None
        )  # the test climbs
        if oracle.is_sum:
            for peak in place.peaks:
                peak.is_fresh_y &= peak.is_known and peak.ridge is None
                peak.ridge = None
            return True
    for peak, ridge in ridges:
        peak.ridge = peak.ridge or ridge
    return False


def _worst_case(oracle: Oracle, incumbent: Incumbent, place: Place) -> WorstCase:
    bundle = Bundle(place.x, place.F, max(bundles.wider * place.radius, bundles.least_radius))
    return WorstCase(oracle, incumbent, place, place, bundle)


def is_kinked(oracle: Oracle, incumbent: Incumbent, place: Place, bends: Bends, d: Array) -> Asking[bool]:
    """Tell whether f has a kink close to x along d, under the top alone; steps may zigzag for rising curvature too."""
    if not bends.is_kink or (oracle.is_stiff and bends.is_zigzag):
        return False
    side = _worst_case(oracle, incumbent, place)
    found = yield from has_kink(oracle, side, place.x, place.F, d, is_zigzag=bends.is_zigzag)
    bends.n_poor %= bundles.n_zigzag
    return found


def descend_kinks(oracle: Oracle, incumbent: Incumbent, place: Place) -> Asking[Place]:
    """Go down by a bundle from a place that one peak holds, until another peak is as high; return the place reached."""
    side = _worst_case(oracle, incumbent, place)
    yield from lower(
        oracle, side, side.bundle, lambda bundle: side.is_overtaken or bundle.gap <= oracle.floor(bundle.value)
    )
    return replace(side.place, radius=trust.resumed)
