"""One scenario around an x: a quadratic, whose curvature is learned from slopes and from values."""

from dataclasses import dataclass

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.curvature import symmetric_broyden
from reckless.methods.danskin.tuning import guards
from reckless.methods.finite.tuning import trust


@dataclass(slots=True, eq=False)
class Piece:
    """A scenario around an x where its value is known: value + slope d + d'Bd / 2.

    measured: where the slope was last measured, and that slope; elsewhere B carries it along, n_carried times so far.
    is_good: whether the slope foretold the values since then, so that it counts as if it was measured here; one that
    was carried as often as x has coordinates is measured again, or steps along a valley would never learn its width.
    """

    x: Array
    value: float
    slope: Array
    measured: tuple[Array, Array]
    B: Array | None = None
    is_good: bool = True
    n_carried: int = 0

    def at(self, x: Array) -> tuple[float, Array]:
        """Return value and slope at x, as the model has them."""
        d = x - self.x
        change = np.zeros_like(d) if self.B is None else self.B @ d
        return self.value + float(self.slope @ d + 0.5 * d @ change), self.slope + change

    def is_measured_at(self, x: Array) -> bool:
        return np.array_equal(self.measured[0], x)

    def learn(self, x: Array, value: float, predicted: float) -> None:
        """Compare the model with a value met at x, by a step that promised a decrease.

        Curvature explains the error if the slope was measured here; else the slope is in doubt.
        """
        d = x - self.x
        length = float(d @ d)
        if not np.isfinite(value) or length <= guards.moved**2:
            return
        error = value - self.at(x)[0]
        self.is_good = self.is_good and abs(error) <= trust.carried * predicted
        if self.is_measured_at(self.x):
            change = (2.0 * error / length) * d
            self.B = symmetric_broyden(self.B, d, change if self.B is None else self.B @ d + change)

    def move(self, x: Array, value: float, predicted: float) -> None:
        """Go to x, where the value is known."""
        self.learn(x, value, predicted)
        self.slope = self.at(x)[1]
        self.x, self.value = x, value
        self.n_carried += 1
        self.is_good = self.is_good and self.n_carried < x.size
