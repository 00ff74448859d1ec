"""What a benchmark problem is: a function on rows, two boxes, a verified optimum, the exact worst case."""

from collections.abc import Callable
from dataclasses import dataclass

from reckless.core.arrays import Array

Objective = Callable[[Array, Array], Array]
WorstCase = Callable[[Array], tuple[Array, Array]]
Bounds = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimum:
    """The best worst case of a problem.

    x: a point that attains it.
    y: a worst case of that x, or None where none is stated.
    value: max over y of f(x, y), the smallest possible.
    source: the publication that states it, or how it was computed.
    """

    x: tuple[float, ...]
    y: tuple[float, ...] | None
    value: float
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One minimax problem: minimize over x the maximum over y of f(x, y), both in boxes.

    name: the spelling from which `problem` builds it again, such as "L1:n=20".
    summary: the formula in one line of plain text.
    function: f on rows, X (m, n_x) and Y (m, n_y) to values (m,); float64 of any memory layout.
    x_bounds, y_bounds: one (low, high) pair per coordinate.
    optimum: the verified answer.
    worst_case: X (m, n_x) to (values (m,), Y (m, n_y)), the exact maximum over y of each row and a y that
        attains it; None where no closed form is known. The values are those of `function` at that y.
    """

    name: str
    summary: str
    function: Objective
    x_bounds: Bounds
    y_bounds: Bounds
    optimum: Optimum
    worst_case: WorstCase | None = None

    @property
    def n_x(self) -> int:
        return len(self.x_bounds)

    @property
    def n_y(self) -> int:
        return len(self.y_bounds)
