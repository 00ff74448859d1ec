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
ROTATED = ("f1", "f2", "f3", "f4", "f5", "f6", "f8", "f10", "f11")
BENDS = {"f6": 1.0, "f8": 0.0}  # how much of ||y||^2 / 2 stands beside their kinks in y


def rotations(n: int) -> tuple[Array, Array]:
    """Return Q and R."""
    rng = np.random.default_rng(DATA_SEED)
    return random_rotation(rng, n), random_rotation(rng, n)


def build(which: str, name: str, n: int = 20) -> Problem:
    """Build the function called `which`, rotated."""
    plain, formula = wra.BUILDERS[which](name=which, n=n), wra.FORMULAS[which]
    assert plain.optimum is not None
    center = np.array(plain.optimum.x)
    Q, R = rotations(n)

    def turned(X: Array) -> Array:
        points: Array = center + (X - center) @ Q.T
        return points

    # y enters by z'Ry, beside which ||Ry|| = ||y||: the worst y is that of the coupling R'z, z = x turned.
    def maximizer(X: Array) -> Array:
        if which == "f11":
            return _scaled_peaks(turned(X), R)
        return _kinked_peaks(turned(X), R, BENDS[which]) if which in BENDS else formula.maximizer(turned(X) @ R)

    return solved_problem(
        name=name,
        summary=f"{which} at x* + Q (x - x*) and R y, Q and R random rotations: {formula.summary}",
        function=lambda X, Y: plain.function(turned(X), Y @ R.T),
        maximizer=maximizer,
        x_reach=REACH,
        y_reach=REACH,
        x=_best_of_f3(center, Q, R) if which == "f3" else center,
        source="Computed: a quadratic program." if which == "f3" else "Exact: that of the function before rotation.",
    )


def _scaled_peaks(Z: Array, R: Array) -> Array:
    """Return the worst y of f11, whose scales see the rotation: it maximizes z'SRy - ||SRy||^2 / 2."""
    scaled = wra.scales_of(len(R))[:, None] * R
    bound = np.full(len(R), REACH)
    return peaks_in_box(Z @ scaled, scaled.T @ scaled, -bound, bound)


def _kinked_peaks(Z: Array, R: Array, bend: float) -> Array:
    """Return the worst y of f6 and f8, whose kinks see the rotation: max of z'Ry - ||Ry||_1 - bend ||y||^2 / 2."""
    n = len(R)
    Y = np.zeros_like(Z)  # the worst y where no abs(z_i) is above 1
    # The last n variables are at least abs(Ry).
    rows = np.block([[R, -np.eye(n)], [-R, -np.eye(n)]])
    H, bound = np.diag(np.repeat([bend, 0.0], n)), np.full(n, REACH)
    for k in np.flatnonzero(np.abs(Z).max(axis=1) > 1.0):
        cost = np.concatenate([-Z[k] @ R, np.ones(n)])
        solution, _ = solve_program(H, cost, rows, np.zeros(2 * n), -bound, bound)
        Y[k] = np.clip(solution[:n], -REACH, REACH)
    return Y


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
