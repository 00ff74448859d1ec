"""What a benchmark problem is: a function, two sets, and if they are known the optimum and the exact worst case."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from reckless.core.arrays import Array
from reckless.core.words import safe_repr
from reckless.domains.domain import Domain
from reckless.errors import InvalidArgument

if TYPE_CHECKING:
    from reckless.domains.reading import DomainLike

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

    function: f(X, Y) of rows X (m, n_x) and Y (m, n_y) to values (m,); if not `vectorized`, f(x, y) of vectors x (n_x,)
        and y (n_y,) to a number. As in `minimax`, NaN is the worst case of its x.
    x_bounds, y_bounds: where x and y live, as in `minimax`: pairs, named bounds, integers, a set.
    vectorized: whether `function` and `worst_case` take rows.
    optimum: the verified answer, or the best one known. None: regrets are measured against the best worst case of the
        runs that are compared.
    worst_case: X (m, n_x) to (values (m,), Y (m, n_y)), the exact maximum over y of each row and a y that attains it;
        of a vector x if not `vectorized`. The values are those of `function` at that y, and may come without the y.
        None where no closed form is known: then the referee searches.
    is_exact: False if `worst_case` is a thorough search in place of a closed form: it takes milliseconds per row.
    name: the spelling from which `problem` builds it again, such as "L1:n=20"; a problem of a file need not state it.
    summary: the formula in one line of plain text.
    guess: the x that an engineer would try first, if one is stated.
    needs: packages that `function` imports and that come with the extra "reality".

    >>> tank = Problem(function=lambda x, y: (x[0] - y[0]) ** 2, x_bounds=[(0, 4)], y_bounds=[(1, 3)], vectorized=False)
    >>> tank.n_x, tank.optimum is None
    (1, True)
    """

    function: Callable[..., Any]
    x_bounds: "DomainLike"
    y_bounds: "DomainLike"
    vectorized: bool = True
    optimum: Optimum | None = None
    worst_case: Callable[..., Any] | None = None
    is_exact: bool = True
    name: str = ""
    summary: str = ""
    guess: tuple[float, ...] | None = None
    needs: tuple[str, ...] = ()

    @property
    def x_domain(self) -> Domain:
        return _read(self.x_bounds, "x_bounds")

    @property
    def y_domain(self) -> Domain:
        return _read(self.y_bounds, "y_bounds")

    @property
    def n_x(self) -> int:
        return len(self.x_bounds) if isinstance(self.x_bounds, tuple) else self.x_domain.n_out

    @property
    def n_y(self) -> int:
        return len(self.y_bounds) if isinstance(self.y_bounds, tuple) else self.y_domain.n_out

    def check(self) -> None:
        """Raise InvalidArgument, in one sentence, unless there are a function and two sets."""
        if not callable(self.function):
            raise InvalidArgument(f"function: expected a function f(x, y), but got {safe_repr(self.function)}.")
        for name, bounds in (("x_bounds", self.x_bounds), ("y_bounds", self.y_bounds)):
            _read(bounds, name)
        if self.optimum is None:
            return
        if not isinstance(self.optimum, Optimum):
            raise InvalidArgument(
                f"optimum: expected an Optimum, or None if none is known, but got {safe_repr(self.optimum)}. "
                f"For example Optimum(x=(2.0,), y=None, value=1.0, source='by hand')."
            )
        if len(self.optimum.x) != self.n_x:
            raise InvalidArgument(f"optimum: expected {self.n_x} coordinates of x, but got {len(self.optimum.x)}.")

    @property
    def lacks(self) -> str:
        """Which package is missing, in a sentence; "" if the problem can be evaluated."""
        return lack(self.name, self.needs)


def _read(bounds: "DomainLike", name: str) -> Domain:
    """Return the set that bounds describe; what reads them is imported when it is needed."""
    from reckless.domains.reading import read_domain

    return read_domain(bounds, name)


def lack(name: str, needs: tuple[str, ...]) -> str:
    """Say which of the packages that a problem needs is not installed; "" if all are."""
    missing = [package for package in needs if find_spec(package) is None]
    if not missing:
        return ""
    return f"{name} needs the package {missing[0]}, which is not installed. Try pip install 'reckless[reality]'."
