"""All the worst cases at the answer, compared with what is known of the problems: number, values, multipliers.

    python benchmarks/active.py [--seeds 9401 9402 9403]

Expected is the number of worst cases at the optimum; found has one number per seed. "off": the largest deviation of the
values from the worst in any run, relative to the range of f(x, .).
"""

import argparse
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import reckless
from reckless.bench.problems import problem
from reckless.core.arrays import Array

SEEDS = (9401, 9402, 9403)
N_SAMPLED = 20_000  # y that tell the range of f(x, .)


class Row(NamedTuple):
    """A problem, how many worst cases its optimum has, and the evaluations of a run."""

    name: str
    n_expected: int
    maxfev: int


ROWS = (
    *(Row(f"MWP{k}", 1, 3_000) for k in range(1, 8)),
    Row("absorber", 2, 2_000),
    Row("chebyshev", 5, 5_000),
    Row("filter", 11, 30_000),
    Row("drive", 2, 3_000),
)


def drive(X: Array, Y: Array) -> Array:
    """Overshoot and slowness of a drive with three gains, for an uncertain load, friction and delay; 2 equal cases.

    The light plant rings, the heavy one creeps: the gains balance both.
    """
    load, friction, delay = Y.T
    speed, damping, lead = X.T
    rings = speed / load + delay * speed - damping
    creeps = load / speed + friction * damping - lead * (1.0 - lead)
    values: Array = np.logaddexp(4.0 * rings, 4.0 * creeps) / 4.0 + 0.1 * damping**2
    return values


def parts(name: str) -> tuple[Callable[..., Array], object, object]:
    """Return the function of a problem and its sets."""
    if name == "drive":
        return drive, [(0.1, 4.0), (0.1, 4.0), (0.0, 1.0)], [(0.5, 2.0), (0.05, 0.2), (0.01, 0.08)]
    found = problem(name)
    return found.function, found.x_bounds, found.y_bounds


def measure(row: Row, seed: int, method: str) -> tuple[int, float, float]:
    """Return the number of worst cases found, how far off they are, and the sum of their multipliers (NaN: none)."""
    f, x_bounds, y_bounds = parts(row.name)
    result = reckless.minimax(f, x_bounds, y_bounds, maxfev=row.maxfev, rng=seed, vectorized=True, method=method)
    rng = np.random.default_rng(seed)
    low, high = np.array(y_bounds, dtype=float).T
    Y = low + (high - low) * rng.random((N_SAMPLED, low.size))
    values = f(np.repeat(result.x[None], N_SAMPLED, axis=0), Y)
    funs = np.array([case.fun for case in result.active])
    off = float(np.abs(funs - result.fun).max() / (result.fun - values.min()))
    weights = [np.nan if case.weight is None else case.weight for case in result.active]
    return len(result.active), off, float(np.sum(weights))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    parser.add_argument("--method", default="auto")
    given = parser.parse_args()
    print(f"{'problem':12}{'expected':>10}{'found':>12}{'off':>10}{'multipliers - 1':>18}")
    for row in ROWS:
        found = [measure(row, seed, given.method) for seed in given.seeds]
        counts = ", ".join(str(n) for n, _, _ in found)
        off, sums = max(off for _, off, _ in found), max(abs(total - 1.0) for _, _, total in found)
        print(f"{row.name:12}{row.n_expected:>10}{counts:>12}{off:>10.1e}{sums:>18.1e}", flush=True)


if __name__ == "__main__":
    main()
