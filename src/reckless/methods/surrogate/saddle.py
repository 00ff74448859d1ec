"""The minimax of a model's mean, solved to high accuracy: tracked maximizers, a small quadratic program in x.

Slopes in x come from Danskin's theorem, curvatures from letting each maximizer follow x. A model of failing is either a
constraint on x (`guard`: what fails is the worst case) or takes y from the adversary (`veto`: it does not count).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Flags
from reckless.methods.program import solve_program
from reckless.methods.surrogate.climbing import (
    Surface,
    Tops,
    across,
    ascend,
    climb,
    distinct,
    joined,
    response,
)
from reckless.methods.surrogate.model import Model
from reckless.methods.surrogate.spaces import Space, is_whole, on_lattice

SAME = 1e-4  # maximizers closer than this in every coordinate are one
APART = 0.12  # starts of climbs are at least this far apart
MOST_TRACKS = 8
MOST_DANGERS = 4
VETOED = 1e6  # far below every level
FIRST_RADIUS, LARGEST_RADIUS, LEAST_RADIUS = 0.25, 0.5, 1e-9
STATIONARY = 1e-13  # a decrease below this, in levels, is not worth a step
CLOSE = 1e-3  # a descent this close to a solution, and above it, ends there
PRICE, HIGHEST_PRICE = 10.0, 1e5  # of a likely failure, in levels per unit of the latent
DANGEROUS = 1e-3  # a latent above this is still a violation


@dataclass(frozen=True, eq=False)
class Arena:
    """A model with the sets of both players, a net of candidates for y, and a model of failing in one of two roles."""

    model: Model
    xs: Space
    ys: Space
    net: Array
    guard: Surface | None = None
    veto: Surface | None = None


class Solution(NamedTuple):
    """An x, its maximizers Y (k, n_y) by the mean, highest first, their levels, and their weights in the optimality."""

    x: Array
    Y: Array
    levels: Array
    weights: Array

    @property
    def level(self) -> float:
        return float(self.levels[0])


class Place(NamedTuple):
    """An x with its maximizers and the y most likely to fail."""

    x: Array
    tops: Tops
    dangers: Tops | None

    def merit(self, price: float) -> float:
        danger = 0.0 if self.dangers is None else max(float(self.dangers.levels[0]), 0.0)
        return float(self.tops.levels[0]) + price * danger


class Tracks(NamedTuple):
    """Of each maximizer: its slope in x (k, n_x), the curvature of its height, and dy/dx (k, n_y, n_x)."""

    slopes: Array
    bends: Array
    responses: Array


class Step(NamedTuple):
    """A step in x, the decrease it promises, and the weights of the maximizers that hold it."""

    d: Array
    predicted: float
    weights: Array


# Maximizers


def scan(surface: Surface, X: Array, Y: Array) -> Array:
    """Return the highest mean over rows Y at each row of X."""
    heights: Array = across(surface, X, Y).max(axis=1)
    return heights


def counted(arena: Arena, x: Array, Y: Array, levels: Array) -> Array:
    """Return levels as the adversary may count them: pairs that likely fail are worth nothing, unless all do."""
    if arena.veto is None:
        return levels
    fails = arena.veto.mean(joined(x, Y)) > 0.0
    return levels if fails.all() else np.where(fails, levels - VETOED, levels)


def maximizers(arena: Arena, x: Array, known: Array, n_starts: int = 5, n_steps: int = 12) -> Tops:
    """Return the maxima of the mean at x: of a list its highest rows, else climbs from `known` and from the net."""
    model, candidates = arena.model, arena.net
    levels = counted(arena, x, candidates, across(model, x[None], candidates)[0])
    if arena.ys.points is not None:
        kept = np.argsort(-levels, kind="stable")[: MOST_TRACKS + 2 * arena.xs.n]
        return Tops(candidates[kept], levels[kept])
    first = distinct(candidates, levels, APART, n_starts)
    Y, found = climb(model, arena.ys, x, np.vstack([known, candidates[first]]), n_steps)
    if arena.veto is not None:
        Y = np.vstack([Y, candidates[first]])
        found = counted(arena, x, Y, np.concatenate([found, levels[first]]))
    kept_tops = distinct(Y, found, SAME, MOST_TRACKS)
    kept_tops = [i for i in kept_tops if found[i] >= found[kept_tops[0]] - 0.5 * VETOED]
    return Tops(Y[kept_tops], found[kept_tops])


def dangers(arena: Arena, x: Array, known: Array, n_starts: int = 3) -> Tops:
    """Return the y most likely to fail at x, with the latent that says how likely, highest first."""
    assert arena.guard is not None
    latent = arena.guard.mean(joined(x, arena.net))
    Y = arena.net
    if arena.ys.points is None:
        first = distinct(Y, latent, APART, n_starts)
        Y, latent = climb(arena.guard, arena.ys, x, np.vstack([known, Y[first]]))
    kept = distinct(Y, latent, SAME, MOST_DANGERS)
    return Tops(Y[kept], latent[kept])


def highest_bound(arena: Arena, x: Array, Y: Array, c: float, n_starts: int = 3) -> tuple[Array, float]:
    """Return the y that maximizes mean + c sd at x, and that bound, from the best of candidates Y."""
    model, n_x = arena.model, len(x)
    mean, sd = model.mean_and_sd(joined(x, Y))
    bounds = counted(arena, x, Y, mean + c * sd)
    best = int(bounds.argmax())
    if arena.ys.points is not None:
        return Y[best], float(bounds[best])

    def bound(Y: Array) -> tuple[Array, Array]:
        level, slope = model.bound(joined(x, Y), c)
        return level, slope[:, n_x:]

    tops = ascend(bound, arena.ys, Y[distinct(Y, bounds, APART, n_starts)])
    rows = np.vstack([Y[best][None], on_lattice(arena.ys, tops.Y)])  # counted together: all climbs may end in a veto
    levels = counted(arena, x, rows, bound(rows)[0])
    top = int(levels.argmax())
    return rows[top], float(levels[top])


# The minimax


def minimax(
    arena: Arena,
    x: Array,
    known: Array,
    n_steps: int = 25,
    fixed: Flags | None = None,
    rival: Solution | None = None,
) -> Solution:
    """Descend from x on the worst case of the mean by sequential quadratic programs; `fixed` coordinates stay.

    rival: a solution found before; a descent that comes close to it from above ends there.
    """
    price, radius = PRICE, FIRST_RADIUS
    place = place_at(arena, x, known)
    weights = np.eye(1, len(place.tops.Y))[0]
    for _ in range(n_steps):
        tracks = follow(arena, place)
        step = best_step(arena, place, tracks, weights, radius, price, fixed)
        weights = step.weights
        if step.predicted <= STATIONARY * (1.0 + abs(place.tops.levels[0])):
            if place.dangers is None or place.dangers.levels[0] <= DANGEROUS or price >= HIGHEST_PRICE:
                break
            price, radius = 10.0 * price, 0.1
            continue
        moved = arena.ys.clip(place.tops.Y + tracks.responses @ step.d) if arena.ys.points is None else place.tops.Y
        trial = place_at(arena, arena.xs.clip((place.x + step.d)[None])[0], moved, place.dangers, n_starts=2)
        gain, size = place.merit(price) - trial.merit(price), float(np.abs(step.d).max())
        if gain > 0.1 * step.predicted:
            if gain > 0.7 * step.predicted and size > 0.9 * radius:
                radius = min(LARGEST_RADIUS, 2.0 * radius)
            place, weights = trial, carried(trial.tops.Y, moved, weights)
        else:
            merged = with_more(arena, place, trial)  # what the refused point met teaches the next step
            weights = carried(merged.tops.Y, place.tops.Y, weights)
            place, radius = merged, 0.3 * size
        if radius < LEAST_RADIUS or (rival is not None and leads_to(place, rival)):
            break
    return Solution(place.x, *place.tops, weights)


def leads_to(place: Place, rival: Solution) -> bool:
    """Tell whether a descent is about to end at a solution that was found before."""
    return place.tops.levels[0] >= rival.level and float(np.abs(place.x - rival.x).max()) < CLOSE


def place_at(arena: Arena, x: Array, known: Array, before: Tops | None = None, n_starts: int = 5) -> Place:
    """Look for the maximizers and the dangers at x."""
    tops = maximizers(arena, x, known, n_starts, 12 if before is None and n_starts > 2 else 7)
    if arena.guard is None:
        return Place(x, tops, None)
    return Place(x, tops, dangers(arena, x, known[:0] if before is None else before.Y))


def with_more(arena: Arena, place: Place, other: Place) -> Place:
    """Return a place with the maximizers met at another one brought to its x."""
    x, tops = place.x, place.tops
    if arena.ys.points is not None:
        Y = np.unique(np.vstack([tops.Y, other.tops.Y]), axis=0)
        levels = counted(arena, x, Y, arena.model.mean(joined(x, Y)))
        order = np.argsort(-levels, kind="stable")
        return place._replace(tops=Tops(Y[order], levels[order]))
    new = climb(arena.model, arena.ys, x, other.tops.Y, 8)
    # As they are, too: a corner of y may be the highest on one side of a kink, and lead uphill on the other.
    Y = np.vstack([other.tops.Y, tops.Y, new.Y])
    levels = counted(arena, x, Y, arena.model.mean(joined(x, Y)))
    urgent = np.concatenate([[np.inf], levels[1:]])  # what refuted the step is kept, however many are as high here
    kept = sorted(distinct(Y, urgent, SAME, MOST_TRACKS), key=lambda i: -levels[i])
    more = None if arena.guard is None or other.dangers is None else dangers(arena, x, other.dangers.Y, 2)
    return Place(x, Tops(Y[kept], levels[kept]), more)


def follow(arena: Arena, place: Place) -> Tracks:
    """Differentiate the height of each maximizer twice, as it follows x."""
    n_x, Y = len(place.x), place.tops.Y
    _, slope, bend = arena.model.jet(joined(place.x, Y))
    bends = bend[:, :n_x, :n_x]
    if arena.ys.points is not None:
        return Tracks(slope[:, :n_x], bends, np.zeros((len(Y), Y.shape[1], n_x)))
    moves = response(bend, arena.ys.face(Y, slope[:, n_x:]).without(is_whole(arena.ys)), n_x)
    return Tracks(slope[:, :n_x], bends + bend[:, :n_x, n_x:] @ moves, moves)


def best_step(
    arena: Arena, place: Place, tracks: Tracks, weights: Array, radius: float, price: float, fixed: Flags | None
) -> Step:
    """Minimize the linearized maximizers plus the Lagrangian's curvature within a trust radius.

    The variables are the step d, the excess over the highest maximizer, and with a guard the violation that is left.
    """
    x, levels, slopes, n_x = place.x, place.tops.levels, tracks.slopes, len(place.x)
    low, high = np.maximum(-radius, -x), np.minimum(radius, arena.xs.high - x)
    if fixed is not None:
        low, high = np.where(fixed, 0.0, low), np.where(fixed, 0.0, high)
    excess = slopes - slopes[0]
    near = levels[0] - levels < 3.0 * radius * np.abs(excess).sum(axis=1) + 1e-12
    near[0] = False
    gaps = levels[0] - levels[near]
    n_extra = 1 if place.dangers is None else 2
    G = np.empty((0, n_x))  # slopes of the dangers
    if arena.guard is not None and place.dangers is not None:
        G = arena.guard.jet(joined(x, place.dangers.Y)).slope[:, :n_x]
    A, b = _constraints(arena.xs, place, excess[near], gaps, G)
    cost = np.concatenate([slopes[0], [1.0, price][:n_extra]])
    B = curvature(arena.xs, x, weights @ slopes, np.einsum("k,kij->ij", weights, tracks.bends))
    H = np.zeros((n_x + n_extra, n_x + n_extra))
    H[:n_x, :n_x] = B
    u, multipliers = solve_program(H, cost, A, b, low, high, balanced=arena.xs.total is not None)
    d = _inside(arena.xs, x, np.clip(u[:n_x], low, high), fixed)
    rise = (excess[near] @ d - gaps).max(initial=0.0)
    predicted = -(slopes[0] @ d + 0.5 * d @ B @ d + max(rise, 0.0))
    if place.dangers is not None:
        latent = place.dangers.levels
        predicted += price * (max(latent[0], 0.0) - max((latent + G @ d).max(), 0.0))
    held = np.zeros(len(levels))
    held[near] = multipliers[: len(gaps)]
    held[0] = max(0.0, 1.0 - held.sum())
    return Step(d, float(predicted), held)


def _constraints(xs: Space, place: Place, excess: Array, gaps: Array, G: Array) -> tuple[Array, Array]:
    """Return A, b of A u <= b: no maximizer above the excess, no danger above the violation, x inside of a ball."""
    n_extra = 1 if place.dangers is None else 2
    A = np.column_stack([excess, -np.ones(len(gaps)), np.zeros((len(gaps), n_extra - 1))])
    b = gaps
    if place.dangers is not None:
        A = np.vstack([A, np.column_stack([G, np.zeros(len(G)), -np.ones(len(G))])])
        b = np.concatenate([b, -place.dangers.levels])
    if xs.radius is not None:
        away = place.x - 0.5
        A = np.vstack([A, np.concatenate([away, np.zeros(n_extra)])])
        b = np.append(b, 0.5 * (xs.radius**2 - away @ away))
    return A, b


def curvature(xs: Space, x: Array, slope: Array, bend: Array) -> Array:
    """Return the Lagrangian's curvature made positive, with that of a ball's edge."""
    edge = xs.face(x[None], -slope[None]).bend
    w, V = np.linalg.eigh(0.5 * (bend + bend.T) + (0.0 if edge is None else edge[0]) * np.eye(len(x)))
    positive: Array = (V * np.maximum(w, 1e-8 * max(1.0, np.abs(w).max()))) @ V.T
    return positive


def _inside(xs: Space, x: Array, d: Array, fixed: Flags | None) -> Array:
    """Return the step that stays in the set; a box needs nothing, and fixed coordinates keep their bits."""
    if xs.total is None and xs.radius is None:
        return d
    inside: Array = xs.clip((x + d)[None])[0] - x
    return inside if fixed is None else np.where(fixed, 0.0, inside)


def carried(Y: Array, before: Array, weights: Array) -> Array:
    """Give weights of maximizers to those that are nearest now."""
    found = np.zeros(len(Y))
    for y, weight in zip(before, weights, strict=True):
        if weight > 0.0:
            found[np.abs(Y - y).max(axis=1).argmin()] += weight
    shares: Array = found / found.sum() if found.sum() > 0.0 else np.eye(1, len(Y))[0]
    return shares
