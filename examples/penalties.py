"""What to return for a design that is impossible: NaN, a constant penalty, or one that grows with the violation.

A bracket must be thick enough for a load that is not ours. The best thickness lies where the constraint begins.

python examples/penalties.py
"""

import math

import numpy as np

import reckless

X_BOUNDS, Y_BOUNDS = [(0.0, 5.0), (-2.0, 2.0)], [(1.0, 3.0)]
N_SEEDS, MAXFEV = 5, 5_000
PENALTIES = {
    "NaN": lambda violation: math.nan,
    "a constant, 100": lambda violation: 100.0,
    "100 times the violation": lambda violation: 100.0 * violation,
}


def deflection(x, y):
    return (x[0] - y[0]) ** 2 + 0.1 * x[1] ** 2 * y[0] + 0.3 * (x[1] - 0.5) ** 2


def violation(x, y):
    """By how much x is impossible under the load y; at most 0 if it is possible."""
    return 2.3 - x[0] - 0.1 * y[0] * x[1]


def worst_deflection(x):
    """The true worst case, on a grid of loads: infinite if x is impossible under one of them."""
    loads = np.linspace(*Y_BOUNDS[0], 2001)[:, None]
    return max(math.inf if violation(x, y) > 0.0 else deflection(x, y) for y in loads)


def answers(method, penalty):
    """The worst deflections of the designs that N_SEEDS runs return, the best first."""

    def f(x, y):
        excess = violation(x, y)
        return deflection(x, y) + (penalty(excess) if excess > 0.0 else 0.0)

    runs = [reckless.minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=MAXFEV, method=method, rng=seed) for seed in range(N_SEEDS)]
    return sorted(worst_deflection(run.x) for run in runs)


def main():
    for words, penalty in PENALTIES.items():
        for method in ("danskin", "mmde"):
            found = ", ".join(f"{value:.4f}" for value in answers(method, penalty))
            print(f"{words}, {method}: worst deflections {found}")


if __name__ == "__main__":
    main()
