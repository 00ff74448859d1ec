"""Domains: the sets in which x and y live, as a run sees them, and how a user's description becomes one."""

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from reckless.core.arrays import Array, Flags
from reckless.domains.box import BoundsLike, Box, Path, coordinate_path, shortened
from reckless.domains.sets import Ball, Mapped, Scenarios, Simplex
from reckless.errors import InvalidArgument


class Domain(Protocol):
    """What a run needs of the set in which x or y lives."""

    @property
    def n(self) -> int:
        """Dimension of the unit cube."""
        ...

    @property
    def n_out(self) -> int:
        """Number of coordinates that f is given."""
        ...

    @property
    def n_scenarios(self) -> int | None:
        """How many points there are, if they are a finite list."""
        ...

    def from_unit(self, point: Array) -> Array:
        """Map a point (n,) of the unit cube into the set: (n_out,)."""
        ...

    def rows(self, points: Array, m: int) -> Array:
        """Map the first m of points (k, n), or m copies of one point (n,), into the set: (m, n_out)."""
        ...

    def paths(self, point: Array, n_points: int, limit: int) -> list[Path]:
        """At most `limit` lines through a point (n_out,) of the set, along which to look at f."""
        ...


def placed_rows(points: Array, m: int) -> Array:
    """Return the first m of points (k, n), or m copies of one point (n,), which are where they belong already."""
    return points[:m].copy() if points.ndim == 2 else np.repeat(points[None], m, axis=0)


@dataclass(frozen=True, slots=True, eq=False)
class MixedBox(Mapped):
    """A box some of whose coordinates are integers. Every integer has an equal share of its edge of the cube."""

    box: Box
    is_integer: Flags  # (n,)
    lowest: Array  # (n,) smallest integer of each coordinate, 0 where it is continuous
    n_values: Array  # (n,) how many integers, 1 where it is continuous

    @classmethod
    def parse(cls, box: Box, is_integer: Flags, name: str) -> "MixedBox":
        """Round the bounds inward, as SciPy does; the argument called `name` had them."""
        lowest, highest = np.ceil(box.lower), np.floor(box.upper)
        empty = np.flatnonzero(is_integer & (lowest > highest))
        if empty.size:
            i = empty[0]
            raise InvalidArgument(
                f"{name}: coordinate {i} is to be an integer, but there is none from {box.lower[i]} to {box.upper[i]}. "
                f"Widen these bounds, or leave the coordinate continuous."
            )
        return cls(box, is_integer, np.where(is_integer, lowest, 0.0), np.where(is_integer, highest - lowest + 1, 1.0))

    @property
    def n(self) -> int:
        return self.box.n

    @property
    def n_out(self) -> int:
        return self.box.n

    def _map(self, points: Array) -> Array:
        rows = self.box.rows(points, len(points))
        steps = np.minimum(np.floor(points * self.n_values), self.n_values - 1.0)
        rows[:, self.is_integer] = (self.lowest + steps)[:, self.is_integer]
        return rows

    def paths(self, point: Array, n_points: int, limit: int) -> list[Path]:
        paths = self.box.paths(point, n_points, limit)
        for i in np.flatnonzero(self.is_integer[:limit]).tolist():
            ends = self.lowest[i], self.lowest[i] + self.n_values[i] - 1
            paths[i] = coordinate_path(point, i, np.rint(np.linspace(*ends, n_points, dtype=np.float64)))
        return paths


DomainLike: TypeAlias = BoundsLike | Box | MixedBox | Ball | Simplex | Scenarios


def read_domain(bounds: DomainLike, name: str, integrality: Any = None) -> Domain:
    """The set that a user describes by the argument called `name`, or a sentence about what is wrong with it.

    What was read before is returned as it is.

    integrality: as in SciPy's differential evolution, which coordinates of a box are integers: one flag, or one each.
    """
    if isinstance(bounds, MixedBox | Ball | Simplex | Scenarios):
        if integrality is not None and integrality is not False:
            raise InvalidArgument(
                f"{name}: integer coordinates need a box, that is (low, high) pairs, "
                f"but got a {type(bounds).__name__}. A list of integer points can be given as reckless.Scenarios."
            )
        return bounds
    if isinstance(bounds, type) and issubclass(bounds, Ball | Simplex | Scenarios):
        raise InvalidArgument(f"{name}: expected a set, but got the class {bounds.__name__}. Call it first.")
    box = bounds if isinstance(bounds, Box) else Box.parse(bounds, name)
    is_integer = _read_integrality(integrality, box.n, name)
    return MixedBox.parse(box, is_integer, name) if is_integer.any() else box


def _read_integrality(integrality: Any, n: int, name: str) -> Flags:
    try:
        flags = np.array(False if integrality is None else integrality)
    except ValueError:
        flags = np.array("")
    if flags.dtype.kind not in "biuf" or flags.shape not in ((), (n,)) or not np.all((flags == 0) | (flags == 1)):
        raise InvalidArgument(
            f"{name.replace('bounds', 'integrality')}: expected True or False, or {n} of them, one per coordinate of "
            f"{name}, but got {shortened(integrality)}."
        )
    return np.broadcast_to(flags.astype(np.bool_), (n,)).copy()
