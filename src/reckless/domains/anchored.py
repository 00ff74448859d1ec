"""A set with points that must come back bit by bit, such as designs that the user gave."""

import numpy as np

from reckless.core.arrays import Array
from reckless.domains.domain import Domain, placed_rows


class Anchored:
    """Maps like its set, but returns anchored points exactly; rounding would make others of them."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._rows: dict[bytes, Array] = {}  # by their place in the unit cube

    @property
    def n_scenarios(self) -> int | None:
        return self._domain.n_scenarios

    def anchor(self, rows: Array) -> Array:
        """Return the places (m, n) of points (m, n_out) of the set; from now on they map back to these points."""
        units = self.to_unit(rows)
        for unit, row in zip(units, rows, strict=True):
            self._rows[unit.tobytes()] = row.copy()
        return units

    def to_unit(self, rows: Array) -> Array:
        return self._domain.to_unit(rows)

    def from_unit(self, point: Array) -> Array:
        anchored = self._rows.get(point.tobytes()) if self._rows else None
        return self._domain.from_unit(point) if anchored is None else anchored.copy()

    def rows(self, points: Array, m: int) -> Array:
        if not self._rows:
            return self._domain.rows(points, m)
        if points.ndim == 1:
            return placed_rows(self.from_unit(points), m)
        rows = self._domain.rows(points, m)
        for k, point in enumerate(np.ascontiguousarray(points[:m])):
            anchored = self._rows.get(point.tobytes())
            if anchored is not None:
                rows[k] = anchored
        return rows
