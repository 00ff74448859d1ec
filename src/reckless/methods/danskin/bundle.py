"""Kinks of f in x: a level bundle method (Lemarechal, Nemirovskii, Nesterov 1995) on the tracked worst case.

At a fixed y, f(z, y) + g (x - z) is a cut: below F everywhere if f is convex in x, so that a cut costs a slope but no
search over y. The cuts' minimum tells how far F may still fall, and the nearest point that promises half of it is
tried next. Needed for sums of absolute values, where a quadratic model is of no use.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Flags
from reckless.methods.danskin.inner import Inner
from reckless.methods.danskin.oracle import FAILED, Asking
from reckless.methods.danskin.state import State
from reckless.methods.danskin.trial import try_step
from reckless.methods.program import solve_program

LEVEL = 0.5  # part of the possible decrease that a step asks for
PRECISION = 1e-9  # relative decrease still possible at which the search ends
PERTURBATION = 0.02  # of the step's length: at a kink itself a difference is no slope
LOCALITY = 3.0  # radii within which cuts are kept once f turned out not to be convex
LARGEST_RADIUS = 0.5
N_CENTERS = 60  # points with known F against which a cut is checked


class Cut(NamedTuple):
    """A linear function of x: value at `point`, and slope."""

    point: Array
    value: float
    slope: Array


@dataclass(slots=True)
class Bundle:
    """Cuts, how long each was idle, and what is known against convexity."""

    cuts: list[Cut] = field(default_factory=list)
    idle: list[int] = field(default_factory=list)
    centers: list[Array] = field(default_factory=list)  # points where F is known
    heights: list[float] = field(default_factory=list)  # ... and F there
    n_refuted: int = 0
    is_convex: bool = True

    def add(self, cut: Cut) -> None:
        self.cuts.append(cut)
        self.idle.append(0)

    def note(self, state: State) -> None:
        """Remember a point where F is known."""
        self.centers.append(state.x)
        self.heights.append(state.base.value)

    def contradicts(self, cut: Cut, radius: float) -> bool:
        """Tell whether a cut lies above F where F is known."""
        P, V = np.array(self.centers[-N_CENTERS:]), np.array(self.heights[-N_CENTERS:])
        above = cut.value + (P - cut.point) @ cut.slope - V
        distance = np.abs(P - cut.point).max(axis=1)
        above -= 1e-12 * np.abs(V) + 1e-4 * np.abs(cut.slope).sum() * distance * 1e-3
        if not self.is_convex:
            above = above[distance <= LOCALITY * radius]
        return bool((above > 0.0).any())

    def prune(self, x: Array, radius: float, n_kept: int) -> None:
        """Drop distant cuts if f is not convex, then the cuts that have been inactive the longest."""
        keep = list(range(len(self.cuts)))
        if not self.is_convex:
            keep = [k for k in keep if np.abs(self.cuts[k].point - x).max() <= LOCALITY * radius] or keep[-1:]
        keep = sorted(sorted(keep, key=lambda k: self.idle[k])[:n_kept])
        self.cuts, self.idle = [self.cuts[k] for k in keep], [self.idle[k] for k in keep]


class LevelStep(NamedTuple):
    """A step, the decrease the cuts allow within the radius, where that would be, and which cuts held either."""

    d: Array
    possible: float
    reach: float
    is_held: Flags


def level_step(cuts: list[Cut], x: Array, F: float, radius: float) -> LevelStep:
    """Return the nearest d at which all cuts are below the level, halfway to the lowest value they allow."""
    n = x.size
    G = np.array([cut.slope for cut in cuts])
    at_x = np.array([cut.value + cut.slope @ (x - cut.point) for cut in cuts])
    below = np.minimum(at_x - F, 0.0)  # of a nonconvex f a cut may lie above: shift it down
    scale = float(np.abs(G).max()) * radius + 1e-300
    A, b = G * (radius / scale), -below / scale
    low, high = np.maximum(-1.0, -x / radius), np.minimum(1.0, (1.0 - x) / radius)
    H = np.zeros((n + 1, n + 1))
    H[:n, :n] = 1e-10 * np.eye(n)
    lowest, weights = solve_program(
        H, np.append(np.zeros(n), -1.0), np.column_stack([A, np.ones(len(A))]), b, low, high
    )
    u = np.clip(lowest[:n], low, high)
    possible = -float((A @ u - b).max())
    target, forces = solve_program(np.eye(n), np.zeros(n), A, b - LEVEL * possible, low, high)
    is_held = (weights > 1e-6) | (forces > 1e-8)
    return LevelStep(np.clip(target, low, high) * radius, possible * scale, float(np.abs(u).max()), is_held)


def add_cut(inner: Inner, bundle: Bundle, z: Array, y: Array, length: float, radius: float) -> Asking[None]:
    """Measure a cut next to z; try another place if the difference straddles a kink."""
    rng, n = inner.oracle.rng, z.size
    spread = max(PERTURBATION * length, 1e-7)
    for _ in range(3):
        point = np.clip(z + spread * rng.uniform(-1.0, 1.0, n), 0.0, 1.0)
        h = min(max(1e-4 * spread, 3e-10), 1e-6)
        steps = np.where(point + h > 1.0, -h, h)
        probe = h * rng.uniform(0.2, 1.0, n) * rng.choice([-1.0, 1.0], n)
        probe = np.where((point + probe > 1.0) | (point + probe < 0.0), -probe, probe)
        values = yield from inner.oracle.ask(point + np.vstack([np.zeros(n), np.diag(steps), probe]), y)
        slope = (values[1:-1] - values[0]) / steps
        error = abs(values[-1] - values[0] - slope @ probe)
        spread *= 4.0
        if np.abs(values).max() >= -FAILED or error > 0.02 * h * np.abs(slope).sum() + 1e-14 * abs(values[0]):
            continue
        cut = Cut(point, float(values[0]), slope)
        if not bundle.contradicts(cut, radius):
            bundle.add(cut)
            return
        bundle.n_refuted += 1
        if bundle.n_refuted >= 4:
            bundle.is_convex = False
            bundle.add(cut)
            return


class BundleEnd(NamedTuple):
    """Where the bundle search ended, and whether it is sure that nothing lower is near."""

    state: State
    is_converged: bool


def search_bundle(inner: Inner, state: State, radius: float) -> Asking[BundleEnd]:
    """Descend from a state by cuts until they allow no more, or progress stalls."""
    n, start, n_idle, least = state.x.size, inner.oracle.n_used, 0, np.inf
    first, bundle = state.base.value, Bundle(centers=[state.x], heights=[state.base.value])
    most_evaluations, patience = 10 * (n + 2) * (20 + 2 * n), 20 + 2 * n
    yield from add_cut(inner, bundle, state.x, state.base.z, radius, radius)
    while bundle.cuts and n_idle <= patience and inner.oracle.n_used - start < most_evaluations:
        F = state.base.value
        bundle.prune(state.x, radius, 12 * n + 40)
        step = level_step(bundle.cuts, state.x, F, radius)
        bundle.idle = [0 if held else k + 1 for k, held in zip(bundle.idle, step.is_held, strict=True)]
        if step.possible <= PRECISION * abs(F) + 1e-13 * abs(first):
            if step.reach <= 0.95 or radius >= LARGEST_RADIUS:
                return BundleEnd(state, bundle.is_convex)
            radius = min(4.0 * radius, LARGEST_RADIUS)
            continue
        length = float(np.abs(step.d).max())
        if length < 1e-13:
            break
        trial = yield from try_step(inner, state, step.d, 1e-9 * step.possible)
        if trial.is_fatal:  # no cut tells where x fails
            radius, n_idle = max(0.5 * length, 1e-12), n_idle + 1
            continue
        yield from add_cut(inner, bundle, trial.state.x, trial.state.base.z, length, radius)
        n_idle += 1
        if trial.is_lower:
            gain = F - trial.state.base.value
            if gain > 3.0 * step.possible:
                break  # lower than can be: y was lost
            n_idle = 0 if gain > 0.02 * step.possible else n_idle
            state = trial.state
            bundle.note(state)
        elif not bundle.is_convex:
            radius = max(min(radius, 0.7 * length + 0.3 * radius), 1e-12)
        if step.reach > 0.95 and bundle.is_convex:
            radius = min(2.0 * radius, LARGEST_RADIUS)
        elif step.reach < 0.1:
            radius = max(0.5 * radius, 1e-12)
        if step.possible < 0.5 * least:
            least, n_idle = step.possible, 0
    return BundleEnd(state, False)
