"""A small quadratic program, with which methods choose a step against several y at once.

Settled by measurement on programs of danskin's shape, at (n_x, pieces, blocks) = (3, 4, 1), (9, 8, 1), (20, 20, 20):
daqp takes 60, 75, 280 microseconds, with an error below 1e-12 of the scale; quadprog as long, with errors of 3e-7,
since it needs a positive definite matrix and the curvature starts at zero.
"""

import daqp
import numpy as np
from numpy.typing import NDArray

from reckless.core.arrays import Array

# By default flat directions are regularized with 1e-6 once; a proximal loop costs the same and is exact.
PRECISE = {"primal_tol": 1e-10, "eps_prox": 1e-3, "eta_prox": 1e-12, "iter_limit": 500}
LENIENT = PRECISE | {"eta_prox": 1e-10}  # in some degenerate programs the loop comes no closer
PLAIN = {"primal_tol": 1e-10, "iter_limit": 500}  # where curvatures span ten orders of magnitude, it does not end
FREE = 1e30  # what daqp takes for no bound
EQUAL = 5  # daqp's mark of a row that holds with equality


def solve_program(
    H: Array, f: Array, A: Array, b: Array, low: Array, high: Array, *, balanced: bool = False
) -> tuple[Array, Array]:
    """Minimize u'Hu/2 + f u subject to A u <= b, low <= u <= high on the first variables, the others >= 0.

    balanced: the first variables add up to 0. Return u and the multipliers of A, at most 1 each.
    """
    n, n_all = low.size, f.size
    upper = np.concatenate([high, np.full(n_all - n, FREE), b, np.zeros(int(balanced))])
    lower = np.concatenate([low, np.zeros(n_all - n), np.full(b.size, -FREE), np.zeros(int(balanced))])
    sense = np.zeros(upper.size, dtype=np.int32)
    if balanced:
        A = np.vstack([A, np.arange(n_all) < n])
        sense[-1] = EQUAL
    solution = _solve(H, f, A, upper, lower, sense)
    if solution is None:
        # It never came to this in the tests; the steepest corner is a step that the trial may refuse.
        corner = np.zeros(n) if balanced else np.where(f[:n] > 0.0, low, high)
        return np.concatenate([corner, np.zeros(n_all - n)]), np.zeros(b.size)
    u, multipliers = solution
    return u, np.clip(multipliers[n_all : n_all + b.size], 0.0, 1.0)


def solve_inside(H: Array, f: Array, low: Array, high: Array) -> Array | None:
    """Minimize u'Hu/2 + f u by H u = -f, which is cheaper than a program; return None unless low <= u <= high."""
    try:
        u = np.asarray(np.linalg.solve(H, -f), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    return u if bool(((u >= low) & (u <= high)).all()) else None


def solve_equalities(H: Array, f: Array, A: Array, b: Array, low: Array, high: Array) -> Array | None:
    """Minimize u'Hu/2 + f u subject to A u = b, low <= u <= high; bounds may be infinite. Return None if that fails."""
    upper, lower = np.minimum(np.concatenate([high, b]), FREE), np.maximum(np.concatenate([low, b]), -FREE)
    sense = np.repeat(np.array([0, EQUAL], dtype=np.int32), [f.size, b.size])
    solution = _solve(H, f, A, upper, lower, sense)
    return None if solution is None else solution[0]


def _solve(
    H: Array, f: Array, A: Array, upper: Array, lower: Array, sense: NDArray[np.int32]
) -> tuple[Array, Array] | None:
    """Call daqp; return the solution and the multipliers of bounds and rows, or None."""
    for options in (PRECISE, LENIENT, PLAIN):
        u, _, flag, info = daqp.solve(H, f, A, upper, lower, sense, **options)
        if flag >= 1:
            break
    return (u, info["lam"]) if flag >= 1 and np.isfinite(u).all() else None
