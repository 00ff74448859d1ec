"""The one door through which the parts of the method ask for values, and what it learns about values as such."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from reckless.core.arrays import Array, Flags
from reckless.core.task import Pairs, Task
from reckless.methods.descent.integers import Memory, snapped, units_of
from reckless.methods.descent.tuning import effort, guards

T = TypeVar("T")

# A part of a running search: it yields pairs, receives their values, and returns something.
Asking = Generator[Pairs, Array, T]


class Spent(Exception):
    """The evaluations that this stage of the run may use do not suffice for what was asked."""


@dataclass(slots=True)
class Oracle:
    """Evaluations up to a limit, and what was met on the way.

    limit: evaluations that may be used by now. archive: maximizers, oldest first. worst: those that were the
    worst y of an x, and are followed no more. n_searched: evaluations spent on looking for other maximizers between steps. resolution: the
    smallest difference of values that means something, if values are rounded. forward, central: lengths of differences.
    is_sum: whether f is a sum over the coordinates of y,
    once tested. singles: the y of that test, what each coordinate was changed to, and the values, (n_y,) each.
    is_parabola: along which coordinates f is one. memory: of pairs, if a coordinate of x or y is an integer.
    """

    task: Task
    limit: int
    archive: list[Array] = field(default_factory=list)
    worst: list[Array] = field(default_factory=list)
    n_searched: int = 0
    resolution: float = 0.0
    forward: float = guards.forward
    central: float = guards.central
    recent: Array = field(init=False)
    n_values: int = 0
    is_sum: bool | None = None
    has_moving_kinks: bool | None = None
    singles: tuple[Array, Array, Array] | None = None
    is_parabola: Flags | None = None
    memory: Memory | None = None

    def __post_init__(self) -> None:
        self.recent = np.zeros(guards.n_recent)
        x_units, y_units = units_of(self.task.x_domain, self.task.n_x), units_of(self.task.y_domain, self.task.n_y)
        if x_units.any() or y_units.any():
            self.memory = Memory(x_units, y_units)

    @property
    def n_used(self) -> int:
        return self.task.n_used

    @property
    def n_left(self) -> int:
        """Evaluations up to the limit, at least 1."""
        return max(1, self.limit - self.task.n_used)

    @property
    def rng(self) -> np.random.Generator:
        return self.task.rng

    def ask(self, X: Array, Y: Array) -> Asking[Array]:
        """Evaluate a batch of pairs; a vector in place of a batch stands for copies.

        A failed pair has the value NaN, or +inf if failing is the worst case.
        """
        m = len(X) if X.ndim == 2 else len(Y) if Y.ndim == 2 else 1
        if self.memory is not None:
            return (yield from self._ask_once(X, Y))
        if self.task.n_used + m > self.limit:
            raise Spent
        values = yield X, Y
        self._note(values)
        return values

    def _ask_once(self, X: Array, Y: Array) -> Asking[Array]:
        """Evaluate the pairs of a batch that are new."""
        assert self.memory is not None
        keys, known = self.memory.keys(X, Y), self.memory.values
        first = {key: k for k, key in reversed(list(enumerate(keys))) if key not in known}
        self.memory.n_idle = 0 if first else self.memory.n_idle + 1
        if self.task.n_used + len(first) > self.limit or self.memory.n_idle > effort.most_idle:
            raise Spent
        if first:
            new = sorted(first.values())
            values = yield X[new] if X.ndim == 2 else X, Y[new] if Y.ndim == 2 else Y
            self.memory.keep([keys[k] for k in new], values)
            self._note(values)
        return np.array([known[key] for key in keys])

    def ask_one(self, x: Array, y: Array) -> Asking[float]:
        """Evaluate one pair."""
        values = yield from self.ask(x, y)
        return float(values[0])

    @property
    def x_units(self) -> Array:
        """The length of one unit in each coordinate of x, 0 where it is continuous."""
        return np.zeros(self.task.n_x) if self.memory is None else self.memory.x_units

    def snap_x(self, X: Array) -> Array:
        """Return points of x with integers in the middle of their intervals."""
        return X if self.memory is None else snapped(self.memory.x_units, X)

    def snap_y(self, Y: Array) -> Array:
        """Return points of y with integers in the middle of their intervals."""
        return Y if self.memory is None else snapped(self.memory.y_units, Y)

    @property
    def scale(self) -> float:
        """How large values are here: the median of the recent ones, signs aside."""
        known = np.sort(np.abs(self.recent[: min(self.n_values, guards.n_recent)]))
        return float(known[known.size // 2]) if known.size else 0.0

    def floor(self, F: float) -> float:
        """Return the smallest decrease of F that can be seen."""
        return guards.precision * abs(F) + guards.rounding * self.scale + 2.0 * self.resolution

    def violation(self, F: float) -> float:
        """Return by how much a value must exceed F to refute it."""
        return guards.violation * (abs(F) + guards.zero) + guards.rounding * self.scale + 2.0 * self.resolution

    def arrival(self, F: float) -> float:
        """Return by how much a search may miss F and still have arrived there."""
        return guards.arrived * abs(F) + guards.violation + 2.0 * self.resolution

    def remember(self, y: Array) -> None:
        """Add a maximizer to the archive unless a close one is there."""
        if all(np.abs(y - z).max() > guards.same for z in self.archive):
            self.archive = [*self.archive[1 - effort.n_archive :], y]

    def fear(self, y: Array) -> None:
        """Let trials meet a y that was the worst of an x, unless they meet a close one."""
        if all(np.abs(y - z).max() > guards.same for z in self.worst):
            self.worst = [*self.worst[1 - effort.n_met :], y]

    def note_resolution(self, values: Array) -> None:
        """Learn from the first values whether they are rounded."""
        values = values[np.isfinite(values)]
        if values.size and (resolution := resolution_of(values)) > 0.0:
            self.note_error(resolution, float(np.ptp(values)))

    def note_error(self, resolution: float, spread: float) -> None:
        """Take smaller differences for errors of f, and make differences as long as that asks for."""
        self.resolution = resolution
        share = resolution / max(spread, resolution)
        self.forward = min(max(guards.forward, 3.0 * share**0.5), guards.longest_forward)
        self.central = min(max(guards.central, 2.0 * share**0.25), guards.longest_central)

    def _note(self, values: Array) -> None:
        """Keep the finite ones of the last values."""
        if not np.isfinite(values).all():
            values = values[np.isfinite(values)]
        values = values[-guards.n_recent :]
        at = (self.n_values + np.arange(values.size)) % guards.n_recent
        self.recent[at] = values
        self.n_values += values.size


def inward(z: Array, h: float) -> Array:
    """Return lengths of differences that stay in the box."""
    lengths: Array = np.where(z + h > 1.0, -h, h)
    return lengths


def resolution_of(values: Array) -> float:
    """Return the unit of the last digit if all values have few decimals, or few significant digits; else 0."""
    listed = values.tolist()
    for k in range(MOST_DIGITS):
        if all(round(v, k) == v for v in listed):
            return 10.0**-k if np.ptp(values) > 0.0 else 0.0
    for k in range(2, MOST_DIGITS + 1):
        if all(float(f"{v:.{k}g}") == v for v in listed):
            return 10.0 ** (1 - k) * float(np.abs(values).max())
    return 0.0


MOST_DIGITS = 8  # values with more are not taken for rounded
