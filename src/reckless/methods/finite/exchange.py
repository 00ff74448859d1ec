"""The loop for a list: choose a step against the scenarios that matter, try it on those that may be worst, learn."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.step import Step, is_enough, next_radius
from reckless.methods.danskin.tuning import trust
from reckless.methods.finite.listing import Listing, Stand
from reckless.methods.finite.space import Space, inside, neighbors, room_at
from reckless.methods.finite.step import Models, models_at, solve_models
from reckless.methods.finite.tuning import effort

Report = Callable[[Stand], None]


@dataclass(slots=True, eq=False)
class Exchange:
    """One descent on the worst case of a list, by exchange: where it is, and where it was."""

    oracle: Oracle
    listing: Listing
    stand: Stand
    report: Report
    radius: float = trust.first
    path: list[Stand] = field(default_factory=list)

    def run(self) -> Asking[Stand]:
        """Go down until no step helps, try the rest of the list there, and go on with what is worse."""
        while True:
            yield from self.go_down()
            self.report(self.stand)
            if self.stand.value == np.inf and self.path:
                yield from self.go_back()
                continue
            if not np.isfinite(self.stand.value):
                return self.stand
            is_worse = yield from sweep(self.oracle, self.listing, self.stand)
            if not is_worse and not (yield from self.poll()):
                return self.stand
            self.note("sweep", "a worse scenario" if is_worse else "a better neighbor", self.stand.value)
            self.radius = max(self.radius, trust.resumed)

    def go_down(self) -> Asking[None]:
        """Take steps until none helps."""
        n_refused = 0
        while n_refused <= trust.most_refused and self.radius > trust.smallest and np.isfinite(self.stand.value):
            step = yield from choose_step(self.oracle, self.listing, self.stand, self.radius)
            self.report(self.stand)
            F = self.stand.value
            if step.predicted <= self.oracle.floor(F):
                return
            new = yield from try_step(self.oracle, self.listing, self.stand, step)
            ratio = (F - new.value) / step.predicted
            if is_enough(F, new.value, step.predicted):
                self.accept(new, step, ratio)
                n_refused = 0
            elif (yield from repair(self.oracle, self.listing, self.stand, new, step)):
                self.note("descend", "refused: a slope was missing", F, ratio)
            else:
                self.note("descend", "refused: the model reaches too far", F, ratio)
                n_refused += 1
                if n_refused % 2 == 0 or self.listing.holding().size == 1:  # the first learns, as a correction
                    self.radius = trust.refused * step.reach

    def accept(self, new: Stand, step: Step, ratio: float) -> None:
        """Go to x + d with everything that was learned there."""
        self.note("descend", "accepted", new.value, ratio)
        self.radius = next_radius(self.radius, step.reach, ratio)
        self.listing.gather(new, step.predicted)
        self.move_to(new)

    def move_to(self, new: Stand) -> None:
        self.path = [*self.path[1 - effort.n_path :], self.stand]
        self.stand = new

    def go_back(self) -> Asking[None]:
        """Return to the place before, and try there what failed here."""
        fatal = np.flatnonzero(np.isposinf(self.stand.values))
        self.stand = self.path.pop()
        yield from self.listing.visit(self.oracle, self.stand, np.intersect1d(fatal, self.stand.rest))
        self.radius = trust.resumed

    def poll(self) -> Asking[bool]:
        """Move one integer coordinate by one unit if that is better; tell whether it was."""
        for x in neighbors(self.listing.space, self.stand.x):
            d = x - self.stand.x
            new = yield from try_step(self.oracle, self.listing, self.stand, Step(d, 0.0, np.ones(1)))
            if new.value < self.stand.value - self.oracle.floor(self.stand.value):
                self.move_to(new)
                return True
        return False

    def note(self, phase: str, event: str, F: float, ratio: float = np.nan) -> None:
        n_active = self.listing.holding().size
        self.oracle.task.note(phase, event, fun=F, radius=self.radius, ratio=ratio, n_active=n_active)


def choose_step(oracle: Oracle, listing: Listing, stand: Stand, radius: float) -> Asking[Step]:
    """Choose the step against all models. Slopes that foretold the last values are believed, unless no step helps."""
    step = yield from _choose(oracle, listing, stand, radius, is_strict=False)
    if step.predicted <= oracle.floor(stand.value):
        step = yield from _choose(oracle, listing, stand, radius, is_strict=True)
    return step


def _choose(oracle: Oracle, listing: Listing, stand: Stand, radius: float, *, is_strict: bool) -> Asking[Step]:
    """Solve for the step until all that hold it are known here: values, and slopes that are good, or measured."""
    predicted = 0.0
    while np.isfinite(stand.value):
        listing.gather(stand, predicted)
        if stand.worst not in listing.pieces:
            yield from listing.measure(oracle, stand, stand.worst)
        step = _weigh(listing, stand.x, radius)
        predicted, holding = step.predicted, listing.holding()
        unknown = holding[np.isnan(stand.values[holding])]
        yield from listing.visit(oracle, stand, unknown)
        pieces = [(i, listing.pieces[i]) for i in {*holding.tolist(), stand.worst} if i in listing.pieces]
        stale = [i for i, p in pieces if not p.is_measured_at(stand.x) and (is_strict or not p.is_good)]
        for i in stale:
            yield from listing.measure(oracle, stand, i)
        if not stale and not unknown.size:
            return step
    return Step(np.zeros_like(stand.x), 0.0, np.zeros(1))


def _weigh(listing: Listing, x: Array, radius: float) -> Step:
    """Solve for the step with what is known; the scenarios get their multipliers."""
    numbers = np.array(sorted(listing.pieces))
    every = models_at((listing.pieces[i] for i in numbers.tolist()), x)
    near = every.near(radius)
    models, numbers = Models(*(part[near] for part in every)), numbers[near]
    weights = listing.weights[numbers]
    if not weights.any():
        weights = np.where(models.values == models.values.max(), 1.0, 0.0)
    step = _within(listing.space, models, weights / weights.sum(), x, radius)
    listing.weights[:] = 0.0
    listing.weights[numbers] = step.weights
    listing.weighed_at = x
    return step


def _within(space: Space, models: Models, weights: Array, x: Array, radius: float) -> Step:
    """Solve for a step that stays in the set; where rounding integers spoils it, they stay as they are."""
    first = float(models.values.max())
    for room in (room_at(space, x), room_at(space, x, has_integers_fixed=True)):
        step = solve_models(models, weights, room, radius)
        d = inside(space, x + step.d) - x
        decrease = first - float(models.at(d)[0].max())
        if decrease >= trust.enough * step.predicted:
            break
    return Step(d, decrease, step.weights)


def try_step(oracle: Oracle, listing: Listing, stand: Stand, step: Step) -> Asking[Stand]:
    """Try at x + d the scenarios that hold the step, then those that may be higher, until one is too high."""
    new = Stand(stand.x + step.d, np.full(listing.m, np.nan))
    chosen, n = listing.holding(), max(effort.n_at_once, stand.x.size)
    if not chosen.size:
        chosen = np.array([stand.worst])
    while chosen.size:
        yield from listing.visit(oracle, new, chosen)
        if not is_enough(stand.value, new.value, step.predicted):
            break
        high = np.where(np.isnan(new.values), listing.highest(new.x), -np.inf)
        chosen = np.argsort(-high, kind="stable")[:n]
        chosen = chosen[high[chosen] > new.value]
    return new


def repair(oracle: Oracle, listing: Listing, stand: Stand, new: Stand, step: Step) -> Asking[bool]:
    """Let the models learn from a refused step; tell whether the slope of its worst scenario had to be measured."""
    for i, piece in listing.pieces.items():
        if piece.x is stand.x:
            piece.learn(new.x, float(new.values[i]), step.predicted)
    worst = new.worst
    if worst in listing.pieces and listing.pieces[worst].is_measured_at(stand.x):
        return False
    yield from listing.measure(oracle, stand, worst)
    if worst not in listing.pieces:
        return False
    listing.pieces[worst].learn(new.x, new.value, step.predicted)
    return True


def sweep(oracle: Oracle, listing: Listing, stand: Stand) -> Asking[bool]:
    """Try the rest of the list, the likely ones first, until one is worse; tell whether one was."""
    F = stand.value
    tolerance = oracle.violation(F) if np.isfinite(F) else 0.0
    while stand.rest.size:
        n = max(effort.n_sweep, int(effort.sweep_share * oracle.n_used))
        yield from listing.visit(oracle, stand, _likely(oracle, listing, stand)[: min(n, oracle.n_left)])
        if stand.value > F + tolerance:
            return True
    return False


def _likely(oracle: Oracle, listing: Listing, stand: Stand) -> Indices:
    """Return the scenarios not tried at x, by turns a likely one and a random one.

    Those that were never tried count as high as their neighbors: alike scenarios lie next to each other.
    """
    rest, high = stand.rest, listing.highest(stand.x)
    known = np.flatnonzero(high > -np.inf)
    likely = rest[np.argsort(-np.interp(rest, known, high[known]), kind="stable")]
    mixed = np.stack([likely, oracle.rng.permutation(rest)], axis=1).ravel()
    _, first = np.unique(mixed, return_index=True)
    return mixed[np.sort(first)]
