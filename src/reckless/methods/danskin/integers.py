"""Integer coordinates: moves by one unit, and no pair twice.

In the unit cube the i-th of k integers is the interval from i / k to (i + 1) / k, and a point stands in its middle. A
pair that was evaluated is not evaluated again, so a difference that stays within the interval costs nothing and shows
no slope. Along integers x and y move by units alone.
"""

from dataclasses import dataclass, field

import numpy as np

from reckless.core.arrays import Array
from reckless.domains.box import Box


def units_of(domain: object, n: int) -> Array:
    """Return the length (n,) of one unit in each coordinate, 0 where it is continuous."""
    if not isinstance(domain, Box):
        return np.zeros(n)
    n_steps = domain.n_steps
    units: Array = np.divide(1.0, n_steps, out=np.zeros(n), where=n_steps > 0.0)
    return units


def snapped(units: Array, Z: Array) -> Array:
    """Return points with each integer in the middle of its interval."""
    whole = units > 0.0
    if not whole.any():
        return Z
    Z, u = Z.copy(), units[whole]
    Z[..., whole] = u * (np.clip(np.floor(Z[..., whole] / u + ROUNDING), 0.0, np.rint(1.0 / u) - 1.0) + 0.5)
    return Z


ROUNDING = 1e-9  # share of a unit: a point this close below an integer's interval belongs to it


def neighbors(units: Array, z: Array) -> Array:
    """Return the points one unit up or down along each integer coordinate."""
    moves = np.diag(units)[units > 0.0]
    Z = np.vstack([z + moves, z - moves])
    inside: Array = Z[((Z >= 0.0) & (Z <= 1.0)).all(axis=1)]
    return inside


@dataclass(slots=True)
class Memory:
    """Values by pair, for players of whom one has integers, or who go on from another search.

    x_units, y_units: as from `units_of`. n_idle: batches in a row that held no new pair.
    """

    x_units: Array
    y_units: Array
    values: dict[bytes, float] = field(default_factory=dict)
    n_idle: int = 0

    def keys(self, X: Array, Y: Array) -> list[bytes]:
        """Return what identifies each pair of rows."""
        m = max(len(Z) if Z.ndim == 2 else 1 for Z in (X, Y))
        rows = [np.broadcast_to(snapped(u, Z), (m, Z.shape[-1])) for u, Z in ((self.x_units, X), (self.y_units, Y))]
        return [row.tobytes() for row in np.hstack(rows)]

    def keep(self, keys: list[bytes], values: Array) -> None:
        self.values.update(zip(keys, values.tolist(), strict=True))
