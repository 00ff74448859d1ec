"""Sets other than boxes: balls, simplices, finite lists.

Each is the image of a unit cube under a map that reaches every point, the boundary included. So methods, which live in
unit cubes, need not know about sets; the maps are continuous wherever the set is connected.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from reckless.core.arguments import LARGEST_SIZE, read_array, read_count, read_point, read_positive
from reckless.core.arrays import Array, Indices
from reckless.core.words import safe_repr
from reckless.domains.domain import Line, line_along
from reckless.errors import InvalidArgument


class Mapped(ABC):
    """A set without names that is defined by its map of rows."""

    __slots__ = ()
    names: tuple[str, ...] = ()

    def from_unit(self, point: Array) -> Array:
        row: Array = self._map(point[None, :])[0]
        return row

    def rows(self, points: Array, m: int) -> Array:
        return self._map(points[:m]) if points.ndim == 2 else np.repeat(self._map(points[None, :]), m, axis=0)

    @abstractmethod
    def _map(self, points: Array) -> Array:
        """Map rows (m, n) of the unit cube to rows of the set."""


@dataclass(frozen=True, slots=True, eq=False)
class Ball(Mapped):
    """All points within a distance of a center: a ball, or an ellipsoid whose axes are those of the coordinates.

    Parameters
    ----------
    center : array_like, shape (n,)
    radius : float or array_like, shape (n,)
        The radius, or one semi-axis per coordinate.

    Notes
    -----
    The boundary of the unit cube becomes the sphere, and its center the center. A uniform sample of the cube is uniform
    in the distance from the center, and nearly so in the direction.

    Examples
    --------
    >>> import reckless
    >>> ball = reckless.Ball([3.0, -1.0], 0.5)
    >>> result = reckless.minimax(lambda x, y: (x[0] - y @ y) ** 2, [(0, 20)], ball, maxfev=1000, rng=1)
    >>> bool(((result.y - [3, -1]) ** 2).sum() <= 0.25 + 1e-12)
    True
    """

    center: Array
    radius: Array
    n_scenarios: ClassVar[None] = None

    def __post_init__(self) -> None:
        center = read_point(self.center, None, "center")
        radius = read_radius(self.radius, center.size, "the center")
        with np.errstate(over="ignore"):
            is_finite = np.isfinite(np.abs(center) + radius)
        for i in np.flatnonzero(~is_finite)[:1]:
            raise InvalidArgument(
                f"radius: the ball must end at finite numbers, but index {i} has center={center[i]} and "
                f"radius={radius[i]}. Give the largest radius that makes sense."
            )
        object.__setattr__(self, "radius", radius)
        object.__setattr__(self, "center", center)

    @property
    def n(self) -> int:
        return self.center.size

    n_out = n

    @property
    def _largest(self) -> float:
        """The median of the largest of n normal numbers, signs aside."""
        return float(ndtri(0.5 + 0.5 * 0.5 ** (1.0 / self.n)))

    def _map(self, points: Array) -> Array:
        """Map the cube's shells to spheres; the direction as if the coordinates were quantiles of normal numbers.

        A normal vector has a uniform direction. Of its largest coordinate the median is taken, so that the others,
        relative to it, are quantiles of a normal distribution that is cut off there.
        """
        z = 2.0 * points - 1.0
        shell = np.abs(z).max(axis=1, keepdims=True)
        largest = self._largest
        ratio = z / np.where(shell > 0.0, shell, 1.0)
        w = ndtri(0.5 + ratio * (ndtr(largest) - 0.5)) / largest
        length = np.sqrt((w * w).sum(axis=1, keepdims=True))
        rows: Array = self.center + self.radius * (shell * w / np.where(shell > 0.0, length, 1.0))
        return rows

    def to_unit(self, rows: Array) -> Array:
        away = (rows - self.center) / self.radius
        shell = np.minimum(np.sqrt((away * away).sum(axis=1, keepdims=True)), 1.0)
        farthest = np.abs(away).max(axis=1, keepdims=True)
        w = self._largest * away / np.where(farthest > 0.0, farthest, 1.0)
        ratio = (ndtr(w) - 0.5) / (ndtr(self._largest) - 0.5)
        units: Array = np.clip(0.5 + 0.5 * shell * ratio, 0.0, 1.0)
        return units

    def paths(self, point: Array, n_points: int, limit: int) -> list[Line]:
        away = (point - self.center) / self.radius
        room = self.radius * np.sqrt(np.maximum(0.0, 1.0 - (away @ away - away**2)))
        low, high = self.center - room, self.center + room
        return [line_along(self, point, i, np.linspace(low[i], high[i], n_points)) for i in range(min(self.n, limit))]


def read_radius(radius: Any, n: int, of: str) -> Array:
    """Return `radius`, one number for all coordinates or one for each, as a vector (n,)."""
    lengths = read_point(radius, None, "radius")
    if lengths.size not in (1, n) or not np.all(lengths > 0.0):
        raise InvalidArgument(
            f"radius: expected a number above 0, or {n} of them, one per coordinate of {of}, "
            f"but got {safe_repr(radius)}."
        )
    return np.broadcast_to(lengths, n).copy()


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Simplex(Mapped):
    """All vectors of n shares: none negative, and in sum `total`.

    Parameters
    ----------
    n : int
        Number of shares, at least 2; the unit cube behind them has one dimension less.
    total : float
        What they sum to, 1 unless given.

    Notes
    -----
    The first coordinate of the cube says how much of the whole the first share takes, the second how much of the rest
    the second takes, and so on. A uniform sample of the cube is uniform in the simplex.

    Examples
    --------
    >>> import reckless
    >>> mixture = reckless.Simplex(3)
    >>> result = reckless.minimax(lambda x, y: y @ (x - [1, 2, 3]) ** 2, [(0, 4)] * 3, mixture, maxfev=500, rng=1)
    >>> round(float(result.y.sum()), 12)
    1.0
    """

    n_out: int
    total: float
    n_scenarios: ClassVar[None] = None

    def __init__(self, n: int, total: float = 1.0) -> None:
        object.__setattr__(self, "n_out", read_count(n, "n", smallest=2, largest=LARGEST_SIZE))
        object.__setattr__(self, "total", read_positive(total, "total"))

    @property
    def n(self) -> int:
        return self.n_out - 1

    def _map(self, points: Array) -> Array:
        # 1 - (1 - u)^(1/k) of what is left, with k shares still to come, makes every point equally likely.
        kept = (1.0 - points) ** (1.0 / np.arange(self.n, 0, -1))
        left = np.cumprod(kept, axis=1) * self.total
        before = np.concatenate((np.full((len(points), 1), self.total), left[:, :-1]), axis=1)
        return np.concatenate((before * (1.0 - kept), left[:, -1:]), axis=1)

    def to_unit(self, rows: Array) -> Array:
        # With k shares to come, the cube cannot tell what is left from nothing if it is below 1e-16^(1/k) of the whole.
        left = np.cumsum(np.maximum(rows, 0.0)[:, ::-1], axis=1)[:, ::-1]  # (m, n + 1): a share and all after it
        kept = left[:, 1:] / np.where(left[:, :-1] > 0.0, left[:, :-1], 1.0)
        units: Array = 1.0 - kept ** np.arange(self.n, 0, -1)
        return units

    def paths(self, point: Array, n_points: int, limit: int) -> list[Line]:
        """Return lines on which one share changes, and the others keep their proportions."""
        paths = []
        for i in range(min(self.n_out, limit)):
            path = line_along(self, point, i, np.linspace(0.0, self.total, n_points))
            others = np.delete(point, i)
            others = others if others.sum() > 0.0 else np.ones(others.size)
            rest = (self.total - path.at)[:, None] * others / others.sum()
            paths.append(path._replace(rows=np.insert(rest, i, path.at, axis=1)))
        return paths


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Scenarios(Mapped):
    """A finite list of points: the y that can happen, or the x there are to choose from.

    Parameters
    ----------
    points : array_like, shape (k, n) or (k,)
        One scenario per row. f is given rows of this list, unchanged.

    Notes
    -----
    To methods the list is a line cut into k equal parts. Scenarios that are alike lie close to each other on it: they
    are sorted along the direction in which they differ most.

    Examples
    --------
    >>> import reckless
    >>> winds = reckless.Scenarios([[12.0, 0.3], [7.5, 0.9], [3.0, 2.0]])
    >>> check = reckless.worst_case(lambda x, y: y[0] * y[1] * x[0], [2.0], winds)
    >>> check.y.tolist(), check.nfev, check.is_exact
    ([7.5, 0.9], 3, True)
    """

    points: Array
    order: Indices = field(repr=False)
    n: ClassVar[int] = 1

    def __init__(self, points: Any) -> None:
        array = read_array(points)
        array = array[:, None] if array is not None and array.ndim == 1 else array
        if array is None or array.ndim != 2 or array.size == 0:
            raise InvalidArgument(
                f"points: expected one scenario per row, all of the same length, but got {safe_repr(points)}. "
                f"For example [[12.0, 0.3], [7.5, 0.9]]."
            )
        for i in np.flatnonzero(~np.isfinite(array).all(axis=1))[:1]:
            raise InvalidArgument(
                f"points: every scenario must be finite, but row {i} is {safe_repr(array[i].tolist())}."
            )
        object.__setattr__(self, "points", array)
        object.__setattr__(self, "order", _along_widest(array))

    @property
    def n_out(self) -> int:
        return int(self.points.shape[1])

    @property
    def n_scenarios(self) -> int:
        return len(self.points)

    def _map(self, points: Array) -> Array:
        k = len(self.points)
        places = np.minimum((points[:, 0] * k).astype(np.intp), k - 1)
        rows: Array = self.points[self.order[places]]
        return rows

    def to_unit(self, rows: Array) -> Array:
        """Map each row to the middle of the share of the nearest scenario, in units of the coordinates' spread."""
        halves = 0.5 * self.points  # so that no difference overflows
        spread = np.ptp(halves, axis=0)
        spread[spread == 0.0] = 1.0
        with np.errstate(over="ignore"):
            nearest = [(np.abs(halves - 0.5 * row) / spread).max(axis=1).argmin() for row in rows]
        places: Array = (np.argsort(self.order)[nearest, None] + 0.5) / len(self.points)
        return places

    def paths(self, point: Array, n_points: int, limit: int) -> list[Line]:
        """Return all scenarios, or evenly chosen ones, by their place in the user's list."""
        here = float((self.points == point).all(axis=1).argmax())
        at = np.union1d(np.round(np.linspace(0, len(self.points) - 1, min(n_points, len(self.points)))), here)
        return [Line("scenario", at, self.points[at.astype(np.intp)], here, "list")]


def _along_widest(array: Array) -> Indices:
    """Sort rows along the direction in which they differ most, every coordinate in units of its own spread."""
    array = array / max(1.0, np.abs(array).max())  # no difference may overflow
    spread = np.ptp(array, axis=0)
    scaled = (array - array.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    direction = np.linalg.eigh(scaled.T @ scaled).eigenvectors[:, -1]
    direction = direction * np.sign(direction[np.abs(direction).argmax()])  # its sign alone is arbitrary
    return np.argsort(scaled @ direction, kind="stable")
