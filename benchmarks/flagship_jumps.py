"""A gain x and an uncertain plant y, unstable where x y > 4, and five ways to say so by a number that jumps.

The worst case of x <= 2 is that of the smallest plant, 1 / (1 + x / 2); beyond, it is the jump. The best x is 2.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from reckless.bench.problems import Optimum, Problem

STABLE = 4.0  # the largest x y without a jump
LOWEST, HIGHEST = 0.5, 2.0  # y
LEAST_GAIN = 1.9  # the x from here to 2 count as right
RIGHT = 1.0 / (1.0 + LEAST_GAIN * LOWEST) - 0.5  # their largest regret

Penalty = Callable[[np.ndarray], np.ndarray]  # of x y


def _response(penalty: Penalty, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    product = X[:, 0] * Y[:, 0]
    return np.where(product > STABLE, penalty(product), 1.0 / (1.0 + product))


def _worst_case(penalty: Penalty, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Try both ends: below the jump f falls in y, beyond it rises or is level."""
    ends = np.array([LOWEST, HIGHEST])
    values = np.stack([_response(penalty, X, np.full((len(X), 1), y)) for y in ends])
    worst = values.argmax(axis=0)
    return values.max(axis=0), ends[worst][:, None]


def _jump(name: str, penalty: Penalty) -> Problem:
    return Problem(
        name=name,
        summary="1 / (1 + x y) up to x y = 4, a penalty beyond",
        function=partial(_response, penalty),
        x_bounds=((0.0, 5.0),),
        y_bounds=((LOWEST, HIGHEST),),
        optimum=Optimum(x=(2.0,), y=(LOWEST,), value=0.5, source="Exact: closed form."),
        worst_case=partial(_worst_case, penalty),
    )


PENALTIES: dict[str, Penalty] = {
    "wall 1": lambda p: np.ones_like(p),
    "wall 1000": lambda p: np.full_like(p, 1e3),
    "wall inf": lambda p: np.full_like(p, np.inf),
    "graded jump 1": lambda p: p - 3.0,
    "graded jump 1000": lambda p: 1e3 * (p - 3.0),
}
JUMPS = {name: _jump(name, penalty) for name, penalty in PENALTIES.items()}
