"""A level bundle: down on a function with kinks, by cuts whose slopes are taken beside the points that were tried.

If the function is convex, each cut lies below it. The least height of all cuts within the radius bounds it from below,
and the shortest step to halfway between this bound and the value is tried. Wherever it leads, a cut is added. At a kink
differences give no slope of any cut, so they are taken at a random point close by. Once a step was foretold exactly,
the next one goes all the way to the bound: a function made of planes is solved in a finite number of steps.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.oracle import Asking, Oracle, inward
from reckless.methods.danskin.step import TINY, Cuts, Room, room_in_box, solve_cuts
from reckless.methods.danskin.tuning import bundles, trust
from reckless.methods.program import solve_program


class Slice(Protocol):
    """A function of one player, the other one answering."""

    def ask(self, Z: Array) -> Asking[Array]:
        """Evaluate rows of points, the answer being what is foretold."""
        ...

    def settle(self, z: Array, value: float, tolerance: float) -> Asking[float]:
        """Return the value of a point that would be accepted, with the answer settled to a tolerance.

        If that shows a better answer to the point of the bundle, its value rises.
        """
        ...

    def move(self, z: Array) -> None:
        """Take the point that was settled last."""
        ...


class Cut(NamedTuple):
    """A linear function with this value and slope at a place."""

    place: Array
    value: float
    slope: Array


@dataclass(slots=True)
class Bundle:
    """Where a bundle is: the point, its value, the radius, and the cuts. gap: how far the value is above its
    bound. steepness: by how much a cut changes per length, at most."""

    z: Array
    value: float
    radius: float
    cuts: list[Cut] = field(default_factory=list)
    gap: float = np.inf
    steepness: float = TINY

    def model(self) -> Cuts:
        """Return the cuts as seen from the point, none of them above it."""
        places, values, slopes = (np.array(part) for part in zip(*self.cuts, strict=True))
        here = values + np.einsum("ij,ij->i", slopes, self.z - places)
        self.steepness = float(np.abs(slopes).sum(axis=1).max()) + TINY
        bend = bundles.flat * self.steepness / self.radius
        return Cuts(np.minimum(here, self.value), slopes, bend * np.eye(self.z.size))

    def keep(self, cut: Cut, model: Cuts) -> None:
        """Add a cut; of too many, the one lowest at the point goes."""
        if len(self.cuts) >= bundles.n_cuts + bundles.n_cuts_each * self.z.size:
            self.cuts.pop(int(model.values.argmin()))
        self.cuts.append(cut)


def lower(oracle: Oracle, side: Slice, bundle: Bundle, enough: Callable[[Bundle], bool]) -> Asking[None]:
    """Go down from the point of a bundle until there is enough, or after many steps that did not help."""
    n, n_null, share = bundle.z.size, 0, bundles.level
    if not bundle.cuts:
        bundle.cuts.append((yield from cut_beside(oracle, side, bundle.z, bundles.first * bundle.radius)))
    while n_null < bundles.n_stalls + 2 * n:
        value, model, room = bundle.value, bundle.model(), room_in_box(bundle.z)
        step = solve_cuts(model, room, bundle.radius)
        bundle.gap = step.predicted
        if enough(bundle):
            break
        aim = value - share * bundle.gap
        d = step.d if share == 1.0 else shortest_step(model, aim, room, bundle.radius)
        d = step.d if d is None else d
        reach, z = float(np.abs(d).max()), np.clip(bundle.z + d, 0.0, 1.0)
        met = float((yield from side.ask(z[None]))[0])
        limit = value - trust.enough * share * bundle.gap
        if met < limit:
            met = yield from side.settle(z, met, trust.enough * (value - met))
            limit += bundle.value - value
        near = bundles.near * bundle.gap / bundle.steepness
        bundle.keep((yield from cut_beside(oracle, side, z, min(bundles.beside * reach, near))), model)
        if met < limit:
            side.move(z)
            share = 1.0 if value - met > trust.border * share * bundle.gap else bundles.level
            bundle.z, bundle.value, n_null = z, met, 0
            if reach > trust.border * bundle.radius:
                bundle.radius = min(2.0 * bundle.radius, trust.largest)
        else:
            n_null, share = n_null + 1, bundles.level
        if reach < bundles.short * bundle.radius:
            bundle.radius *= 0.5


def has_kink(oracle: Oracle, side: Slice, z: Array, value: float, d: Array, *, is_zigzag: bool = False) -> Asking[bool]:
    """Tell whether a function rises on both sides of z as the length along d, not as its square (4 evaluations).

    Many kinks along d make it rise as the square, but not evenly: this is enough where steps were seen to zigzag.
    """
    room = np.minimum(z, 1.0 - z)
    d = np.clip(d, -room, room)
    if np.abs(d).max() < bundles.shortest:
        return False
    values = yield from side.ask(z + np.array([d, -d, bundles.part * d, -bundles.part * d]))
    whole, part = values[::2] + values[1::2] - 2.0 * value
    if is_zigzag and whole > oracle.violation(value):
        even = bundles.part**2 * whole
        return bool(abs(part - even) > bundles.uneven * even)
    most, least = bundles.part ** (1.0 - bundles.sharp) * whole, bundles.part ** (1.0 + bundles.sharp) * whole
    return bool(max(least, oracle.violation(value)) < part < most)


def cut_beside(oracle: Oracle, side: Slice, z: Array, reach: float) -> Asking[Cut]:
    """Return a cut taken within `reach` of z (n + 2); again elsewhere if a kink runs through its differences."""
    reach, rng = max(reach, bundles.closest), oracle.rng
    for _ in range(bundles.n_tries):
        place = np.clip(z + reach * rng.uniform(-1.0, 1.0, z.size), 0.0, 1.0)
        h = inward(place, bundles.difference * reach)
        w = 0.5 * h * rng.random(z.size)
        values = yield from side.ask(place + np.vstack([np.zeros(z.size), np.diag(h), w]))
        slope = (values[1:-1] - values[0]) / h
        error = abs(float(values[-1] - values[0] - slope @ w))
        if error <= bundles.straight * float(np.abs(slope) @ np.abs(w)):
            break
    return Cut(place, float(values[0]), slope)


def shortest_step(cuts: Cuts, level: float, room: Room, radius: float) -> Array | None:
    """Return the shortest step within the radius that brings all cuts to a level, or None."""
    low, high = np.maximum(-1.0, room.low / radius), np.minimum(1.0, room.high / radius)
    scale = radius * np.abs(cuts.slopes).max(axis=1) + TINY
    A, b = cuts.slopes * (radius / scale)[:, None], (level - cuts.values) / scale
    u, _ = solve_program(np.eye(low.size), np.zeros(low.size), A, b, low, high)
    u = np.clip(u, low, high)
    return u * radius if (A @ u - b).max() <= bundles.missed else None
