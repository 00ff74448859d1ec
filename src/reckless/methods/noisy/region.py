"""One descent on means: sample around each maximizer, fit, step to where the highest quadratic is lowest."""

from dataclasses import dataclass, field

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.methods.danskin.maximizers import sample_y
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.step import room_in_box
from reckless.methods.danskin.tuning import effort as others
from reckless.methods.danskin.tuning import guards
from reckless.methods.finite.step import Models, solve_models
from reckless.methods.noisy.quadratic import Quadratic, Samples, Worst, worst_of
from reckless.methods.noisy.tuning import effort, fits


def n_samples(n_y: int) -> int:
    return others.n_verify_line if n_y == 1 else others.n_verify * (1 + n_y)


@dataclass(slots=True, eq=False)
class Hill:
    """A maximizer y with the samples around it, and the worst case near x as their fit has it."""

    y: Array
    samples: Samples
    error: float = np.inf
    weight: float = 1.0
    worst: Worst | None = None

    @property
    def free(self) -> Indices:
        """The coordinates of y that are not at a bound."""
        return np.flatnonzero((self.y > guards.at_bound) & (self.y < 1.0 - guards.at_bound))

    @property
    def value(self) -> float:
        return -np.inf if self.worst is None else self.worst.value


@dataclass(slots=True, eq=False)
class Region:
    """The state of one descent.

    sd: of the errors of f. n_calm: rounds in a row whose step promised no decrease that can be seen. n_searches,
    n_agreed: searches for a worse y at this end of the descent, and those that arrived at its worst case.
    """

    oracle: Oracle
    sd: float
    x: Array
    radius: float
    hills: list[Hill] = field(default_factory=list)
    n_rounds: int = 0
    n_calm: int = 0
    n_searches: int = 0
    n_agreed: int = 0

    @property
    def top(self) -> Hill:
        return max(self.hills, key=lambda hill: hill.value)

    @property
    def is_settled(self) -> bool:
        samples = self.top.samples
        is_stuck = samples.is_lacking and samples.radius <= fits.smallest_radius  # no quadratic holds anywhere
        return self.n_calm >= effort.n_calm or self.n_rounds >= effort.most_rounds or is_stuck

    def add(self, y: Array) -> None:
        """Follow a maximizer unless a close one is followed."""
        if self.is_new(y):
            self.hills.append(Hill(y, Samples(np.zeros((0, self.x.size + y.size)), radius=self.radius)))

    def play(self) -> Asking[None]:
        """Play a round: look around now and then, sample and fit each hill, and step."""
        if self.n_rounds % effort.one_in == 0:
            yield from self.look_around()
        self.n_rounds += 1
        for hill in self.hills:
            yield from self.measure(hill)
        self.tidy()
        before, error = self.top.value, self.top.error
        start, radius = self.x, min(hill.samples.radius for hill in self.hills if hill.weight > 0.0)
        predicted = self.step(radius)
        self.n_calm = self.n_calm + 1 if predicted <= effort.sigmas * error else 0
        if predicted <= 0.0:
            return
        for hill in self.hills:
            yield from self.measure(hill)
        if self.top.value > before + effort.sigmas * (error + self.top.error):
            self.x = start
            for hill in self.hills:
                hill.samples.radius = max(effort.refused * hill.samples.radius, fits.smallest_radius)
                yield from self.measure(hill)

    def finish(self) -> None:
        """Step once more by all samples there are, if only errors of f limit the steps."""
        fits_now = [self.refit(hill) for hill in self.hills]
        if self.n_calm and all(fits_now):
            self.step(min(hill.samples.radius for hill in self.hills if hill.weight > 0.0))

    def refit(self, hill: Hill) -> bool:
        """Fit a hill again around x without new samples; tell whether there are enough."""
        moving = np.append(np.arange(self.x.size), self.x.size + hill.free)
        model = hill.samples.fit(np.append(self.x, hill.y), moving, self.sd)
        if not isinstance(model, Quadratic):
            return False
        hill.error, hill.worst = model.error, worst_of(model, hill.y[hill.free], hill.samples.radius)
        return True

    def measure(self, hill: Hill) -> Asking[None]:
        """Sample around a hill and fit; y moves to its top, but for coordinates at a bound."""
        samples, free = hill.samples, hill.free
        most = max(other.samples.values.size for other in self.hills) if hill.weight > 0.0 else samples.values.size
        n = int(effort.growth * most)
        n_near = int(fits.near_share * n) if sum(other.weight > 0.0 for other in self.hills) > 1 else 0
        moving = np.append(np.arange(self.x.size), self.x.size + free)
        model = yield from self.fitted(samples, np.append(self.x, hill.y), moving, n, n_near)
        hill.error, hill.worst = model.error, worst_of(model, hill.y[free], samples.radius)
        y = hill.y.copy()
        y[free] = np.clip(y[free] + hill.worst.answer, 0.0, 1.0)
        hill.y = y
        if not samples.is_lacking:
            samples.radius = min(fits.widen * samples.radius, fits.largest_radius)

    def fitted(self, samples: Samples, z: Array, moving: Indices, n: int, n_near: int = 0) -> Asking[Quadratic]:
        """Draw n samples, and more until a quadratic can be fitted to the coordinates that move."""
        found: Quadratic | int = n
        while not isinstance(found, Quadratic):
            if found > 0:
                Z = samples.draw(self.oracle.rng, z, moving, found, n_near)
                n_near = 0
                samples.add(Z, (yield from self.oracle.ask(Z[:, : self.x.size], Z[:, self.x.size :])))
            found = samples.fit(z, moving, self.sd)
        return found

    def step(self, radius: float) -> float:
        """Move x to where the highest quadratic within the radius is lowest; return the decrease that promises."""
        parts = [hill.worst for hill in self.hills if hill.worst is not None]
        models = Models(*(np.array(column) for column in zip(*(part[1:] for part in parts), strict=True)))
        weights = np.array([hill.weight for hill in self.hills])
        step = solve_models(models, weights / max(float(weights.sum()), 1e-300), room_in_box(self.x), radius)
        for hill, weight in zip(self.hills, step.weights.tolist(), strict=True):
            hill.weight = weight
        self.x = np.clip(self.x + step.d, 0.0, 1.0)
        return step.predicted

    def tidy(self) -> None:
        """Keep the highest of hills that are one, and those that the next step may raise to the top."""
        kept: list[Hill] = []
        top = self.top
        for hill in sorted(self.hills, key=lambda hill: -hill.value):
            assert hill.worst is not None
            reach = effort.sigmas * hill.samples.radius * float(np.abs(hill.worst.slope).sum())
            is_near = hill.value + reach + effort.sigmas * (hill.error + top.error) > top.value
            is_other = all(np.abs(hill.y - other.y).max() > effort.same for other in kept)
            if is_near and is_other and len(kept) < effort.most_peaks + 2 * self.x.size:
                kept.append(hill)
        kept[0].weight = kept[0].weight or 1.0
        self.hills = kept

    def look_around(self) -> Asking[None]:
        """Follow where climbs from the top and from a sample of y lead, and what a flip of a coordinate makes worse."""
        flips = []
        for hill in self.hills:
            for i in np.flatnonzero(np.minimum(hill.y, 1.0 - hill.y) <= guards.at_bound).tolist():
                flips.append(np.where(np.arange(hill.y.size) == i, 1.0 - hill.y, hill.y))
        if flips:
            Y = self.oracle.rng.permutation(np.array(flips))[: effort.most_flips]
            values = yield from self.oracle.ask(self.x, Y)
            for k in np.argsort(-values)[: effort.most_peaks].tolist():
                self.add(Y[k])
        for start in (self.hills[0].y, None):
            y, _ = yield from self.climb(start)
            yield from self.add_snapped(y)

    def add_snapped(self, y: Array) -> Asking[None]:
        """Follow y, each coordinate at the better bound unless it is clearly better inside."""
        for i in np.flatnonzero(np.minimum(y, 1.0 - y) > guards.at_bound).tolist():
            if not self.is_new(y):
                return
            Y = np.repeat(y[None], 3, axis=0)
            Y[1:, i] = 0.0, 1.0
            n = effort.n_snap if self.oracle.sd > 0.0 else 1
            means = (yield from self.oracle.ask(self.x, np.repeat(Y, n, axis=0))).reshape(3, n).mean(axis=1)
            if not means[0] > means[1:].max() + effort.sigmas * self.sd * (2.0 / n) ** 0.5:
                y = Y[1 + int(means[2] > means[1])]
        self.add(y)

    def is_new(self, y: Array) -> bool:
        return all(np.abs(hill.y - y).max() > effort.same for hill in self.hills)

    def climb(self, y: Array | None = None) -> Asking[tuple[Array, float]]:
        """Climb over y at x, from the best of a sample unless from y; return where that leads, and the value there."""
        n_x, n_y = self.x.size, self.oracle.task.n_y
        samples = Samples(np.zeros((0, n_x + n_y)))
        if y is None:
            Y = sample_y(self.oracle, n_samples(n_y))
            values = yield from self.oracle.ask(self.x, Y)
            samples.add(np.hstack([np.repeat(self.x[None], len(Y), 0), Y]), values)
            y = Y[int(np.where(np.isfinite(values), values, -np.inf).argmax())]
        moving, value = n_x + np.arange(n_y), -np.inf
        for _ in range(effort.n_climb):
            model = yield from self.fitted(samples, np.append(self.x, y), moving, n_y)
            answer, value, *_ = worst_of(model, y, samples.radius)
            y = np.clip(y + answer, 0.0, 1.0)
            if np.abs(answer).max() < effort.same:
                break
            samples.radius *= 1.0 if samples.is_lacking else fits.widen_climb
        return y, value
