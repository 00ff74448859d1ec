"""How the compiled problems are compiled."""

from numba import njit, types

from reckless.bench.problems.problem import Objective


def compile_rows(kernel: Objective) -> Objective:
    """Compile f once, for float64 rows of any strides, read-only or not.

    The loose layout measured no slower than one compilation per layout at up to 100 rows, and there are sixteen
    combinations of layouts. Compiling when a problem is built, not on import, spares those who only ask for others.
    """
    rows = types.Array(types.float64, 2, "A", readonly=True)
    compiled: Objective = njit(types.float64[::1](rows, rows), cache=True, error_model="numpy")(kernel)
    return compiled
