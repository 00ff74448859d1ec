"""What a benchmark problem is: a function on rows, two sets, a verified optimum, the exact worst case."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from reckless.core.arrays import Array
from reckless.domains.domain import Domain

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
    """One minimax problem: minimize over x the maximum over y of f(x, y).

    name: the spelling from which `problem` builds it again, such as "L1:n=20".
    summary: the formula in one line of plain text.
    function: f on rows, X (m, n_x) and Y (m, n_y) to values (m,); float64 of any memory layout.
    x_bounds, y_bounds: one (low, high) pair per coordinate, or another set.
    optimum: the verified answer, or the best one known.
    worst_case: X (m, n_x) to (values (m,), Y (m, n_y)), the exact maximum over y of each row and a y that
        attains it; None where no closed form is known. The values are those of `function` at that y.
    is_exact: False if `worst_case` is a thorough search in place of a closed form: it takes milliseconds per row.
    guess: the x that an engineer would try first, if one is stated.
    needs: packages that `function` imports and that come with the extra "reality".
    """

    name: str
    summary: str
    function: Objective
    x_bounds: Bounds | Domain
    y_bounds: Bounds | Domain
    optimum: Optimum
    worst_case: WorstCase | None = None
    is_exact: bool = True
    guess: tuple[float, ...] | None = None
    needs: tuple[str, ...] = ()

    @property
    def n_x(self) -> int:
        return _count_coordinates(self.x_bounds)

    @property
    def n_y(self) -> int:
        return _count_coordinates(self.y_bounds)

    @property
    def lacks(self) -> str:
        """Which package is missing, in a sentence; "" if the problem can be evaluated."""
        return lack(self.name, self.needs)


def lack(name: str, needs: tuple[str, ...]) -> str:
    """Say which of the packages that a problem needs is not installed; "" if all are."""
    missing = [package for package in needs if find_spec(package) is None]
    if not missing:
        return ""
    return f"{name} needs the package {missing[0]}, which is not installed. Try pip install 'reckless[reality]'."


def _count_coordinates(bounds: Bounds | Domain) -> int:
    return len(bounds) if isinstance(bounds, tuple) else bounds.n_out
