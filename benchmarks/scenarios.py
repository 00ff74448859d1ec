"""Regret on finite lists of y: the smallest ball around k random points (the table in docs/sets.md).

python benchmarks/scenarios.py
"""

import numpy as np
from scipy.optimize import minimize

import reckless

CASES = ((2, 5, 2_000), (4, 30, 20_000), (3, 300, 20_000), (2, 5_000, 20_000))  # n, k, evaluations
METHODS = ("auto", "reckless", "mmde")
N_RUNS = 5


def squared_distances(X, Y):
    return ((X - Y) ** 2).sum(axis=1)


def optimum(points):
    """The squared radius, by a smooth solver that knows the problem."""
    start = np.append(points.mean(axis=0), 100.0)
    room = {"type": "ineq", "fun": lambda z: z[-1] - ((z[:-1] - points) ** 2).sum(axis=1)}
    found = minimize(
        lambda z: z[-1], start, constraints=[room], method="SLSQP", options={"ftol": 1e-14, "maxiter": 1000}
    )
    return found.fun


def main():
    rng = np.random.default_rng(0)
    for n, k, maxfev in CASES:
        points = rng.uniform(2.0, 9.0, (k, n))
        best = optimum(points)
        for method in METHODS:
            regrets = []
            for seed in range(N_RUNS):
                result = reckless.minimax(
                    squared_distances,
                    [(1, 12)] * n,
                    reckless.Scenarios(points),
                    maxfev=maxfev,
                    method=method,
                    rng=seed,
                    vectorized=True,
                )
                regrets.append(((result.x - points) ** 2).sum(axis=1).max() - best)
            print(f"n={n} k={k} maxfev={maxfev} {method}: median regret {np.median(regrets):.1e} (optimum {best:.3g})")


if __name__ == "__main__":
    main()
