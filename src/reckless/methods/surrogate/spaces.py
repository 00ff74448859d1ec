"""The sets of x and y as the model sees them: cubes with integers, shares of a whole, balls, and lists.

A method asks for points of unit cubes. For some sets the cube is a bad map: its corners tear a simplex apart, and a
list lies on a line in it. A `Space` has model coordinates of its own, in which the set is flat and about one unit wide,
and the way back to the cube. All four kinds have

    n, d       coordinates of a row, and how many of them are free
    points     the rows (k, n) of a list, else None
    n_values   (n,) how many integers a coordinate has, 0 if it is continuous
    total      what the coordinates add up to, or None
    radius     of a ball around 0.5, or None
    high       the largest value of a coordinate; the smallest is 0
    spread     make rows of the set from rows (m, n) of the unit cube, evenly if those are even
    clip       return the nearest rows of the set, or nearly so; integers are not rounded
    face       return where rows may move if they want to rise along their slopes
    to_cube    map rows of the set to the unit cube of the task; from_cube: back
    corners    return extreme rows, and last the center
"""

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
from scipy.stats import qmc

from reckless.core.arrays import Array, Flags
from reckless.domains.box import Box
from reckless.domains.sets import Ball, Scenarios, Simplex
from reckless.methods.surrogate.faces import Face

UNIFORM_SD = 0.29  # standard deviation of a uniform coordinate: shares are scaled to have it
MOST_CORNERS = 64  # of a cube, in the net
ON_EDGE = 1e-12


@dataclass(frozen=True, eq=False)
class Cube:
    """The unit cube; the i-th of k integers sits at (i + 1/2) / k."""

    n: int
    n_values: Array
    points: None = None
    total: None = None
    radius: None = None
    high: ClassVar[float] = 1.0

    @property
    def d(self) -> int:
        return self.n

    def spread(self, U: Array) -> Array:
        return U

    def clip(self, rows: Array) -> Array:
        clipped: Array = np.clip(rows, 0.0, 1.0)
        return clipped

    def face(self, rows: Array, slopes: Array) -> Face:
        return Face(~(((rows <= 0.0) & (slopes < 0.0)) | ((rows >= 1.0) & (slopes > 0.0))))

    def to_cube(self, rows: Array) -> Array:
        return rows

    def from_cube(self, units: Array) -> Array:
        return on_lattice(self, units)

    def corners(self) -> Array:
        few = min(self.n, MOST_CORNERS.bit_length() - 1)
        signs = np.arange(2**few)[:, None] >> np.arange(few) & 1
        rows = np.full((len(signs) + 1, self.n), 0.5)
        rows[:-1, :few] = signs
        if few < self.n:
            rows[:-1, few:] = signs[:, :1]  # the other coordinates follow the first
        return rows


@dataclass(frozen=True, eq=False)
class Shares:
    """Shares of a whole: coordinates >= 0 that add up to `total`, scaled so that each is as wide as a uniform one."""

    n: int
    domain: Simplex
    points: None = None
    radius: None = None

    @property
    def d(self) -> int:
        return self.n - 1

    @property
    def total(self) -> float:
        return UNIFORM_SD * self.n

    @property
    def high(self) -> float:
        return self.total

    @property
    def n_values(self) -> Array:
        return np.zeros(self.n)

    def spread(self, U: Array) -> Array:
        parts = -np.log(np.clip(U, 1e-12, 1.0 - 1e-12))
        rows: Array = self.total * parts / parts.sum(axis=1, keepdims=True)
        return rows

    def clip(self, rows: Array) -> Array:
        rows = np.maximum(rows, 0.0)
        sums = rows.sum(axis=1, keepdims=True)
        clipped: Array = np.where(
            sums > 0.0, rows * (self.total / np.where(sums > 0.0, sums, 1.0)), self.total / self.n
        )
        return clipped

    def face(self, rows: Array, slopes: Array) -> Face:
        # A share of 0 stays there unless it gains on the mean of those that are free, itself and all that gain more
        # included: the projection onto the cone of moves that stay in the set.
        free = rows > ON_EDGE
        order = np.argsort(np.where(free, -np.inf, -slopes), axis=1, kind="stable")
        falling = np.take_along_axis(slopes, order, axis=1)
        gains = falling > np.cumsum(falling, axis=1) / np.arange(1, self.n + 1)
        free = free | np.take_along_axis(gains, np.argsort(order, axis=1, kind="stable"), axis=1)
        count = free.sum(axis=1)[:, None, None]
        both = free[:, :, None] & free[:, None, :]
        return Face(free, free[:, :, None] * np.eye(self.n) - both / count)

    def to_cube(self, rows: Array) -> Array:
        return np.clip(self.domain.to_unit(rows * (self.domain.total / self.total)), 0.0, 1.0)

    def from_cube(self, units: Array) -> Array:
        rows: Array = self.domain.rows(units, len(units)) * (self.total / self.domain.total)
        return rows

    def corners(self) -> Array:
        center = np.full((1, self.n), self.total / self.n)
        return np.vstack([self.total * np.eye(self.n)[:MOST_CORNERS], center])


@dataclass(frozen=True, eq=False)
class Round:
    """A ball of radius 0.5 around 0.5."""

    n: int
    domain: Ball
    points: None = None
    total: None = None
    radius: float = 0.5
    high: ClassVar[float] = 1.0

    @property
    def d(self) -> int:
        return self.n

    @property
    def n_values(self) -> Array:
        return np.zeros(self.n)

    def spread(self, U: Array) -> Array:
        return self.from_cube(U)

    def clip(self, rows: Array) -> Array:
        away = rows - 0.5
        length = np.sqrt((away * away).sum(axis=1, keepdims=True))
        clipped: Array = 0.5 + away * np.minimum(1.0, self.radius / np.maximum(length, 1e-300))
        return clipped

    def face(self, rows: Array, slopes: Array) -> Face:
        away = (rows - 0.5) / self.radius
        push = (away * slopes).sum(axis=1)
        is_held = ((away * away).sum(axis=1) > 1.0 - 1e-9) & (push > 0.0)
        P = np.eye(self.n) - is_held[:, None, None] * away[:, :, None] * away[:, None, :]
        return Face(np.ones(rows.shape, dtype=bool), P, np.where(is_held, push / self.radius, 0.0))

    def to_cube(self, rows: Array) -> Array:
        return np.clip(self.domain.to_unit(self.domain.center + self.domain.radius * (2.0 * rows - 1.0)), 0.0, 1.0)

    def from_cube(self, units: Array) -> Array:
        rows: Array = 0.5 + 0.5 * (self.domain.rows(units, len(units)) - self.domain.center) / self.domain.radius
        return rows

    def corners(self) -> Array:
        ends = self.radius * np.eye(self.n)[: MOST_CORNERS // 2]
        return np.vstack([0.5 + ends, 0.5 - ends, np.full((1, self.n), 0.5)])


@dataclass(frozen=True, eq=False)
class Listed:
    """A list: its rows are the coordinates that differ, each brought to [0, 1], and last the place in the task."""

    points: Array
    total: None = None
    radius: None = None
    high: ClassVar[float] = 1.0

    @property
    def n(self) -> int:
        return int(self.points.shape[1])

    @property
    def d(self) -> int:
        return max(1, self.n - 1)

    @property
    def n_values(self) -> Array:
        return np.zeros(self.n)

    def spread(self, U: Array) -> Array:
        """Take every entry once before any a second time."""
        k = len(self.points)
        order = np.argsort(np.argsort(U[:, 0], kind="stable"), kind="stable")
        places = (order * k // len(U)) if len(U) <= k else order % k
        rows: Array = self.points[places]
        return rows

    def clip(self, rows: Array) -> Array:
        nearest = np.abs(rows[:, None, :] - self.points).max(axis=2).argmin(axis=1)
        clipped: Array = self.points[nearest]
        return clipped

    def face(self, rows: Array, slopes: Array) -> Face:
        return Face(np.zeros(rows.shape, dtype=bool))

    def to_cube(self, rows: Array) -> Array:
        return (rows[:, -1:] + 0.5) / len(self.points)

    def from_cube(self, units: Array) -> Array:
        places = np.minimum((units[:, 0] * len(self.points)).astype(np.intp), len(self.points) - 1)
        rows: Array = self.points[places]
        return rows

    def corners(self) -> Array:
        return self.points


Space: TypeAlias = Cube | Shares | Round | Listed


def space_of(domain: object, n: int, n_scenarios: int | None = None) -> Space:
    """Return the space of a set with a unit cube of n coordinates; of a set that is not known, that cube."""
    match domain:
        case Box():
            return Cube(n, domain.n_steps)
        case Simplex():
            return Shares(domain.n_out, domain)
        case Ball():
            return Round(n, domain)
        case Scenarios():
            k = domain.n_scenarios
            return _listed(domain.rows((np.arange(k)[:, None] + 0.5) / k, k))
    if n_scenarios is not None:
        return _listed(np.zeros((n_scenarios, 1)))
    return Cube(n, np.zeros(n))


def _listed(rows: Array) -> Listed:
    """Scale the coordinates that differ, and number the rows in the order of the task's line."""
    rows = 0.5 * rows  # so that no difference overflows
    spread = np.ptp(rows, axis=0)
    differ = spread > 0.0
    scaled = (rows - rows.min(axis=0))[:, differ] / spread[differ]
    return Listed(np.column_stack([scaled, np.arange(float(len(rows)))]))


def is_whole(space: Space) -> Flags:
    """Tell which coordinates are integers."""
    flags: Flags = space.n_values > 0
    return flags


def on_lattice(space: Space, rows: Array) -> Array:
    """Return rows with every integer at the middle of its share."""
    whole = is_whole(space)
    if not whole.any():
        return rows
    rows, k = rows.copy(), space.n_values[whole]
    rows[:, whole] = (np.clip(np.floor(rows[:, whole] * k), 0, k - 1) + 0.5) / k
    return rows


def sample(space: Space, rng: np.random.Generator, m: int) -> Array:
    """Return m random rows of a set."""
    if space.points is not None:
        return space.points[rng.integers(len(space.points), size=m)]
    return on_lattice(space, space.spread(rng.random((m, space.n))))


def around(space: Space, row: Array, width: float, rng: np.random.Generator, m: int) -> Array:
    """Return m rows around one; an integer moves by one step, or as far as `width` takes it."""
    if space.points is not None:
        far = np.abs(space.points[:, :-1] - row[:-1]).sum(axis=1)
        near = np.argsort(far, kind="stable")[: 3 * m]
        return space.points[near[rng.integers(len(near), size=m)]]
    rows = row + width * rng.standard_normal((m, space.n))
    whole = is_whole(space)
    if whole.any():
        rows[:, whole] += rng.integers(-1, 2, (m, int(whole.sum()))) / space.n_values[whole]
    return on_lattice(space, space.clip(rows))


def net(space: Space, rng: np.random.Generator) -> Array:
    """Return where maximizers over a set are looked for: an even net, the corners and the center; or the whole list."""
    if space.points is not None:
        return space.points
    m = 2 ** int(np.clip(np.ceil(np.log2(40 * space.n)), 5, 8))
    shifted = (qmc.Sobol(space.n, scramble=False).random(m) + rng.random(space.n)) % 1.0
    rows = on_lattice(space, np.vstack([space.spread(shifted), space.corners()]))
    return np.unique(rows, axis=0) if is_whole(space).any() else rows
