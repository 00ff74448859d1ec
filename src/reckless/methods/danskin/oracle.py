"""The one door through which the parts of the method ask for values, and what it learns about values as such."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from reckless.core.arrays import Array, Flags
from reckless.core.task import Pairs, Task
from reckless.methods.danskin.integers import Memory, snapped, units_of
from reckless.methods.danskin.tuning import effort, guards, trust

if TYPE_CHECKING:
    from reckless.methods.danskin.jumps import Fear

T = TypeVar("T")

# A part of a running search: it yields pairs, receives their values, and returns something.
Asking = Generator[Pairs, Array, T]


class Spent(Exception):
    """The evaluations that this stage of the run may use do not suffice for what was asked."""


@dataclass(slots=True)
class Oracle:
    """Evaluations up to a limit, and what was met on the way.

    limit: evaluations that may be used by now. archive: maximizers, oldest first. fears: those that were the worst y of
    an x. n_searched: evaluations spent on looking for other maximizers between steps. resolution: the smallest
    difference of values that means something, if values are rounded. forward, central: lengths of differences. sd: of
    random errors of f, if there are any. error: size of errors that repeat, if some were seen. doubted_at: the x where
    they were last looked for. first_spread: the range of the first values. highest: y and value by x. is_sum: whether f
    is a sum over the coordinates of y, once tested. tested: the y of that test, the rows that it was changed to, and
    their values. is_parabola: along which coordinates f is one. memory: of pairs, if a coordinate of x or y is an
    integer, or if another search evaluated some. n_stiffer: steps in x that met more curvature than was learned, less
    those that did not. n_flatter: moves of y that met less. is_stiff: whether curvature changes with every step.
    n_balanced: accepted steps held by at least half as many peaks as x has coordinates.
    """

    task: Task
    limit: int
    archive: list[Array] = field(default_factory=list)
    fears: list["Fear"] = field(default_factory=list)
    n_searched: int = 0
    resolution: float = 0.0
    forward: float = guards.forward
    central: float = guards.central
    recent: Array = field(init=False)
    n_values: int = 0
    doubted_at: Array | None = None
    error: float = 0.0
    first_spread: float = 0.0
    sd: float = 0.0
    highest: dict[bytes, tuple[Array, float]] = field(default_factory=dict)
    is_sum: bool | None = None
    tested: tuple[Array, Array, Array] | None = None
    is_parabola: Flags | None = None
    memory: Memory | None = None
    n_stiffer: int = 0
    n_flatter: int = 0
    n_balanced: int = 0
    is_stiff: bool = False

    def __post_init__(self) -> None:
        self.recent = np.zeros(guards.n_recent)
        x_units, y_units = units_of(self.task.x_domain, self.task.n_x), units_of(self.task.y_domain, self.task.n_y)
        pairs = None if self.task.starts is None else self.task.starts.pairs
        if x_units.any() or y_units.any() or pairs is not None:
            self.memory = Memory(x_units, y_units)
        if self.memory is not None and pairs is not None:
            self.memory.keep(self.memory.keys(*pairs[:2]), pairs[2])
            self._note(pairs[2])

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
        if X.ndim == 1:
            self._note_highest(X, np.atleast_2d(Y), values)
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
        values = np.array([known[key] for key in keys])
        if X.ndim == 1:
            self._note_highest(X, np.atleast_2d(Y), values)
        return values

    def ask_one(self, x: Array, y: Array) -> Asking[float]:
        """Evaluate one pair."""
        values = yield from self.ask(x, y)
        return float(values[0])

    def ask_again(self, x: Array, y: Array) -> Asking[float]:
        """Evaluate one pair, though its value may be known."""
        memory, self.memory = self.memory, None
        value = yield from self.ask_one(x, y)
        self.memory = memory
        return value

    @property
    def x_units(self) -> Array:
        """The length of one unit in each coordinate of x, 0 where it is continuous."""
        return np.zeros(self.task.n_x) if self.memory is None else self.memory.x_units

    @property
    def is_continuous(self) -> Flags:
        """Which coordinates of x and y are no integers."""
        if self.memory is None:
            return np.ones(self.task.n_x + self.task.n_y, dtype=bool)
        flags: Flags = np.append(self.memory.x_units, self.memory.y_units) == 0.0
        return flags

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

    @property
    def spread(self) -> float:
        """The range of the first values, or of the recent ones if there was no race."""
        known = self.recent[: min(self.n_values, guards.n_recent)]
        return self.first_spread or (float(np.ptp(known)) if known.size else 0.0)

    def is_surge(self, before: float, after: float) -> bool:
        """Tell whether a rise of F at one x is far beyond all that the first values showed."""
        return self.first_spread > 0.0 and after - before > guards.surge * self.first_spread

    @property
    def slack(self) -> float:
        """By how much the highest of many values may exceed the others for its error alone."""
        return 2.0 * self.resolution + guards.sigmas * self.error

    def floor(self, F: float) -> float:
        """Return the smallest decrease of F that can be seen."""
        return guards.precision * abs(F) + guards.rounding * self.scale + 2.0 * self.resolution

    def violation(self, F: float) -> float:
        """Return by how much a value must exceed F to refute it."""
        return guards.violation * (abs(F) + guards.zero) + guards.rounding * self.scale + self.slack

    def arrival(self, F: float) -> float:
        """Return by how much a search may miss F and still have arrived there."""
        return guards.arrived * abs(F) + guards.violation + self.slack

    def is_due(self, x: Array) -> bool:
        """Tell whether errors of f were not looked for around x."""
        return self.doubted_at is None or float(np.abs(x - self.doubted_at).max()) > guards.same_error

    def is_stiffer(self, ratio: float) -> bool:
        """Learn from the curvature of F along a step, relative to the learned one; tell whether that is out of date.

        If F grows as a power below 2, its curvature rises toward the optimum while the hills in y become flat.
        """
        if ratio > 0.0:
            is_more = trust.stiffer < ratio < trust.stiffest
            self.n_stiffer = max(self.n_stiffer + (1 if is_more else -1), 0)
        self.is_stiff |= min(self.n_stiffer, self.n_flatter) >= trust.n_stiff
        return self.is_stiff and ratio > trust.stiffer

    @property
    def is_balanced(self) -> bool:
        """Whether many steps were held by at least half as many peaks as x has coordinates."""
        return self.n_balanced > trust.n_balanced

    def is_flatter(self, ratio: float) -> bool:
        """Learn from the curvature in y along a move, relative to the learned one; tell whether that is out of date."""
        is_less = 0.0 < ratio < trust.flatter
        self.n_flatter += is_less
        return self.is_stiff and is_less

    def remember(self, y: Array) -> None:
        """Add a maximizer to the archive in place of those that are close."""
        self.archive = [*_far(self.archive, y)[1 - effort.n_archive :], y]

    def note_resolution(self, values: Array) -> None:
        """Learn from the first values whether they are rounded."""
        values = values[np.isfinite(values)]
        self.first_spread = float(np.ptp(values)) if values.size else 0.0
        if values.size and (resolution := resolution_of(values)) > 0.0:
            self.note_error(resolution, float(np.ptp(values)))

    def note_error(self, resolution: float, spread: float) -> None:
        """Take smaller differences for errors of f, and make differences as long as that asks for."""
        self.resolution = resolution
        share = resolution / max(spread, resolution)
        self.forward = min(max(guards.forward, 3.0 * share**0.5), guards.longest_forward)
        self.central = min(max(guards.central, 2.0 * share**0.25), guards.longest_central)

    def highest_at(self, x: Array) -> tuple[Array, float] | None:
        """Return the y with the highest value met at x, and that value, if values have errors; else None."""
        return self.highest.get(x.tobytes()) if self.resolution > 0.0 or self.error > 0.0 else None

    def _note_highest(self, x: Array, Y: Array, values: Array) -> None:
        """Keep the highest value at x: an error may make it higher than the top's."""
        k = int(np.where(np.isnan(values), -np.inf, values).argmax())
        known = self.highest.get(x.tobytes())
        if known is None or values[k] > known[1]:
            self.highest[x.tobytes()] = Y[k if len(Y) > 1 else 0], float(values[k])

    def _note(self, values: Array) -> None:
        """Keep the finite ones of the last values."""
        if not np.isfinite(values).all():
            values = values[np.isfinite(values)]
        values = values[-guards.n_recent :]
        at = (self.n_values + np.arange(values.size)) % guards.n_recent
        self.recent[at] = values
        self.n_values += values.size


def _far(known: list[Array], y: Array) -> list[Array]:
    """Return those that are not close to y."""
    return [z for z in known if np.abs(y - z).max() > guards.same]


def inward(z: Array, h: float) -> Array:
    """Return lengths of differences that stay in the box."""
    lengths: Array = np.where(z + h > 1.0, -h, h)
    return lengths


def resolution_of(values: Array) -> float:
    """Return the unit of the last digit if all values have few decimals, or few significant digits; else 0."""
    listed = values.tolist()
    for k in range(MOST_DIGITS):
        if all(abs(round(v, k) - v) <= guards.rounded * abs(v) for v in listed):
            return 10.0**-k if np.ptp(values) > 0.0 else 0.0
    for k in range(2, MOST_DIGITS + 1):
        if all(abs(float(f"{v:.{k}g}") - v) <= guards.rounded * abs(v) for v in listed):
            return 10.0 ** (1 - k) * float(np.abs(values).max())
    return 0.0


MOST_DIGITS = 8  # values with more are not taken for rounded
