"""Designs that are not made as drawn: y as a perturbation of x, so that f(x, y) = g(x + y)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from reckless.core.arguments import read_choice, read_flag
from reckless.core.arrays import Array
from reckless.core.words import safe_repr
from reckless.domains.bounds import BoundsLike
from reckless.domains.box import Box
from reckless.domains.named import names_of, with_names
from reckless.domains.sets import Ball, read_radius
from reckless.errors import InvalidArgument, InvalidObjective


@dataclass(frozen=True, slots=True, eq=False)
class Perturbed:
    """f(x, y) = g(x + y), with x + y moved back into a box if there is one. Vectors and rows alike."""

    g: Callable[[Array], Any]
    lower: Array | None
    upper: Array | None

    def __call__(self, x: Array, y: Array) -> Any:
        made = x + y if self.lower is None else np.clip(x + y, self.lower, self.upper)
        return self.g(with_names(made, names_of(x)))


class Perturbation(NamedTuple):
    """What `minimax` needs: the objective, and the set of perturbations."""

    f: Perturbed
    y_bounds: list[tuple[float, float]] | Ball


def perturbation(
    g: Callable[[Array], Any],
    x_bounds: BoundsLike | Box,
    radius: Any,
    *,
    shape: Literal["box", "ball"] = "box",
    inside: bool = True,
) -> Perturbation:
    """Make a minimax problem of a function of x alone, when x may turn out a little different than planned.

    Parameters
    ----------
    g : callable
        ``g(x) -> float``, or on rows ``g(X) -> (m,)`` if `minimax` is called with ``vectorized=True``.
    x_bounds : sequence of (low, high) pairs, scipy.optimize.Bounds or Box
        The box of x, as for `minimax`.
    radius : float or array_like, shape (n_x,)
        How far each coordinate may be off, in its own unit.
    shape : {"box", "ball"}
        Whether all coordinates may be off that far at once, or only together: sum((y / radius)^2) <= 1.
    inside : bool
        Whether g is called only inside the box: x + y is then moved to the nearest point of it, coordinate by
        coordinate. If False, g must take points that lie outside by up to `radius`.

    Returns
    -------
    Perturbation
        ``f, y_bounds`` for `minimax`; ``result.y`` is the worst perturbation of ``result.x``.

    Examples
    --------
    A sharp minimum at 1, and a wide one at 4 that tolerates being off by half a unit:

    >>> import numpy as np, reckless
    >>> def g(x):
    ...     return min(8 * abs(x[0] - 1), 1 + (x[0] - 4) ** 2)
    >>> f, y_bounds = reckless.perturbation(g, [(0, 6)], 0.5)
    >>> result = reckless.minimax(f, [(0, 6)], y_bounds, maxfev=4000, rng=1)
    >>> round(result.x.item(), 1)
    4.0
    """
    if not callable(g):
        raise InvalidObjective(f"g: expected a function g(x), but got {safe_repr(g)}.")
    box = Box(x_bounds, "x_bounds")
    if box.columns is not None:
        raise InvalidArgument(
            "x_bounds: a perturbation adds y to all of x, so every coordinate of x must have a range, but one has "
            "choices or is fixed. Let f(x, y) itself add y to those coordinates that may be off."
        )
    lengths = read_radius(radius, box.n, "x")
    read_choice(shape, "shape", ("box", "ball"))
    f = Perturbed(g, box.lower, box.upper) if read_flag(inside, "inside") else Perturbed(g, None, None)
    if shape == "ball":
        return Perturbation(f, Ball(np.zeros(box.n), lengths))
    return Perturbation(f, [(-length, length) for length in lengths.tolist()])
