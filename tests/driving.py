"""A run without `minimax`: a method on two sets, and every pair it asked for."""

import numpy as np

from reckless.core.task import Task


def drive(method, f, x_domain, y_domain, maxfev, seed):
    """The recommended x, its worst y, the estimate (None, None, NaN if there is none), and the pairs."""
    task = Task(x_domain.n, y_domain.n, maxfev, np.random.default_rng(seed))
    search, pairs, values = method.search(task), [], None
    try:
        while True:
            X, Y = search.send(values)
            wanted = len(X) if X.ndim == 2 else len(Y) if Y.ndim == 2 else 1
            m = min(wanted, task.n_left)
            rows = x_domain.rows(X, m), y_domain.rows(Y, m)
            pairs.extend(zip(*rows, strict=True))
            values = np.array([f(x, y) for x, y in zip(*rows, strict=True)])
            task.n_used += m
            if m < wanted:
                break
    except StopIteration:
        pass
    best = task.recommendation
    if best is None:
        return None, None, np.nan, pairs
    return x_domain.from_unit(best.x), y_domain.from_unit(best.y), best.fun, pairs
