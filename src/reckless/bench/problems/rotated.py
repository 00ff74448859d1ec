"""Functions of the suite f1-f11 on rotated coordinates: f(x* + Q (x - x*), R y), in which no coordinate stands alone.

Q and R are random orthogonal matrices with a fixed seed, and x* is the best x of the function that is rotated; the
boxes stay where they are. Only f3 has another optimum then.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from reckless.bench.problems import wra
from reckless.bench.problems.inner import random_rotation, solved_problem
from reckless.bench.problems.problem import Problem
from reckless.bench.problems.programs import peaks_in_box
from reckless.core.arrays import Array
from reckless.methods.program import solve_program

REACH = 3.0  # of both boxes
DATA_SEED = 0  # of the rotations, which belong to the problems
ROTATED = ("f1", "f2", "f3", "f4", "f5", "f10", "f11")


def rotations(n: int) -> tuple[Array, Array]:
    """Return Q and R."""
    rng = np.random.default_rng(DATA_SEED)
    return random_rotation(rng, n), random_rotation(rng, n)


def build(which: str, name: str, n: int = 20) -> Problem:
    """Build the function called `which`, rotated."""
    plain, formula = wra.BUILDERS[which](name=which, n=n), wra.FORMULAS[which]
    center = np.array(plain.optimum.x)
    Q, R = rotations(n)

    def turned(X: Array) -> Array:
        points: Array = center + (X - center) @ Q.T
        return points

    # y enters by z'Ry, beside which ||Ry|| = ||y||: the worst y is that of the coupling R'z, z = x turned.
    def maximizer(X: Array) -> Array:
        return formula.maximizer(turned(X) @ R)

    return solved_problem(
        name=name,
        summary=f"{which} at x* + Q (x - x*) and R y, Q and R random rotations: {formula.summary}",
        function=lambda X, Y: plain.function(turned(X), Y @ R.T),
        maximizer=_scaled_peaks(turned, R) if which == "f11" else maximizer,
        x_reach=REACH,
        y_reach=REACH,
        x=_best_of_f3(center, Q, R) if which == "f3" else center,
        source="Computed: a quadratic program." if which == "f3" else "Exact: that of the function before rotation.",
    )


def _scaled_peaks(turned: Callable[[Array], Array], R: Array) -> Callable[[Array], Array]:
    """Make the worst y of f11, whose scales see the rotation: it maximizes z'SRy - ||SRy||^2 / 2."""
    scaled = wra.scales_of(len(R))[:, None] * R
    bound = np.full(len(R), REACH)
    return lambda X: peaks_in_box(turned(X) @ scaled, scaled.T @ scaled, -bound, bound)


def _best_of_f3(center: Array, Q: Array, R: Array) -> Array:
    """Minimize ||u - (alpha - 3) 1||^2 / 2 + 3 ||R'u||_1 over x in the box, u = x* + Q (x - x*)."""
    n = center.size
    shift = center - Q @ center  # u = shift + Q x
    H = np.diag(np.repeat([1.0, 0.0], n))
    cost = np.concatenate([Q.T @ (shift + REACH - wra.ALPHA), np.full(n, REACH)])
    # The last n variables are at least abs(R'u).
    rows = np.block([[R.T @ Q, -np.eye(n)], [-R.T @ Q, -np.eye(n)]])
    limits = np.concatenate([-R.T @ shift, R.T @ shift])
    bound = np.full(n, REACH)
    solution, _ = solve_program(H, cost, rows, limits, -bound, bound)
    return np.clip(solution[:n], -REACH, REACH)


BUILDERS: dict[str, Callable[..., Problem]] = {f"{which}-rotated": partial(build, which) for which in ROTATED}
