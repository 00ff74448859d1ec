"""A run by ask and tell, and every pair that was asked for."""

import numpy as np

from reckless import Solver


def drive(method, f, x_domain, y_domain, maxfev, seed, **options):
    """The recommended x, its worst y, the estimate (None, None, NaN if there is none), and the pairs."""
    solver, pairs = Solver(method, x_domain, y_domain, maxfev=maxfev, rng=seed, **options), []
    while not solver.done:
        asked = list(zip(*solver.ask(), strict=True))
        solver.tell([f(x, y) for x, y in asked])
        pairs.extend(asked)
    result = solver.result()
    if len(result.history) == 0:
        return None, None, np.nan, pairs
    return result.x, result.y, result.fun, pairs
