"""Problems against a finite list of y: the y are the numbers 0, 1, ..., k - 1 of k functions of x.

ball: the smallest ball around k points. chebyshev-list: a linear fit in the largest error. maxq: the largest square, a
classic of nonsmooth optimization. quadratics: k convex ones. filter41: the digital filter on the frequencies of its
first publication. The data are random with fixed seeds.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import linprog

from reckless.bench.problems.digital_filter import FILTERS
from reckless.bench.problems.inner import attained_among
from reckless.bench.problems.problem import Optimum, Problem
from reckless.bench.problems.programs import least_of_largest
from reckless.bench.problems.smooth import random_positive
from reckless.core.arrays import Array, Indices
from reckless.domains.reading import DomainLike
from reckless.domains.sets import Scenarios

BALL_SEED, FIT_SEED, QUADRATICS_SEED = 0, 1, 3000  # the last one of the first instance
FREQUENCIES = (
    *(0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.10, 0.13, 0.16, 0.19, 0.22, 0.25, 0.28, 0.31, 0.34, 0.37, 0.40),
    *(0.43, 0.46, 0.5, 0.54, 0.57, 0.60, 0.63, 0.66, 0.69, 0.72, 0.75, 0.78, 0.81, 0.84, 0.87, 0.90, 0.93),
    *(0.95, 0.96, 0.97, 0.98, 0.99, 1.0),
)

BEST_FILTER = (  # 11 of the 41 errors are equal
    *(0.3678999890537925, 0.0, 0.0, 0.9800374026301729, -0.7350821179009067),
    *(0.0, 0.0, -0.16577232562904368, -0.7672313822859168),
)


def _listed(
    *,
    name: str,
    summary: str,
    entries: Callable[[Array, Indices], Array],
    k: int,
    x_bounds: DomainLike,
    x: Array,
    source: str,
) -> Problem:
    """Build a problem from `entries`: rows X (m, n) and numbers (m,) of functions to values (m,). x: the best one."""

    def function(X: Array, Y: Array) -> Array:
        return entries(X, Y[:, 0].astype(np.intp))

    numbers = np.arange(float(k))
    worst_case = attained_among(function, lambda X: np.broadcast_to(numbers, (len(X), k)))
    (value,), (y,) = worst_case(x[None])
    return Problem(
        name=name,
        summary=summary,
        function=function,
        x_bounds=x_bounds,
        y_bounds=Scenarios(numbers[:, None]),
        optimum=Optimum(x=tuple(x.tolist()), y=tuple(y.tolist()), value=float(value), source=source),
        worst_case=worst_case,
    )


def build_ball(name: str, n: int = 4, k: int = 30) -> Problem:
    points = np.random.default_rng(BALL_SEED).uniform(2.0, 9.0, (k, n))
    low, high = 1.0, 12.0
    twice = np.broadcast_to(2.0 * np.eye(n), (k, n, n))
    return _listed(
        name=name,
        summary="|x - p_y|^2, k random points p",
        entries=lambda X, i: ((X - points[i]) ** 2).sum(axis=1),
        k=k,
        x_bounds=((low, high),) * n,
        x=least_of_largest(twice, points, np.zeros(k), np.full(n, low), np.full(n, high)),
        source="Computed: a quadratic program.",
    )


def _best_linear_fit(A: Array, b: Array, reach: float) -> Array:
    """Minimize the largest |A x - b| over the box: a linear program, solved at a vertex."""
    k, n = A.shape
    rows = np.block([[A, -np.ones((k, 1))], [-A, -np.ones((k, 1))]])
    bounds = [(-reach, reach)] * n + [(0.0, None)]
    cost = np.append(np.zeros(n), 1.0)
    solution = linprog(cost, A_ub=rows, b_ub=np.concatenate([b, -b]), bounds=bounds, method="highs-ds")
    x: Array = solution.x[:n]
    if k <= n or np.abs(x).max() == reach:
        return x
    # Inside the box n + 1 errors are equal; solved for these, x is as good as double precision allows.
    errors = A @ x - b
    held = np.argsort(-np.abs(errors))[: n + 1]
    signs = np.sign(errors[held])
    equations = np.column_stack([signs[:, None] * A[held], -np.ones(n + 1)])
    return np.asarray(np.linalg.solve(equations, signs * b[held])[:n], dtype=np.float64)


def build_chebyshev_list(name: str, n: int = 3, k: int = 40) -> Problem:
    rng = np.random.default_rng(FIT_SEED)
    A, b = rng.standard_normal((k, n)), rng.standard_normal(k)
    reach = 3.0
    return _listed(
        name=name,
        summary="|a_y x - b_y|, k random rows a and numbers b",
        entries=lambda X, i: np.abs(np.einsum("ij,ij->i", X, A[i]) - b[i]),
        k=k,
        x_bounds=((-reach, reach),) * n,
        x=_best_linear_fit(A, b, reach),
        source="Computed: a linear program, solved at a vertex.",
    )


def build_maxq(name: str, n: int = 10) -> Problem:
    center = 0.3 + 0.1 * np.arange(n) / n  # off the middle of the box
    return _listed(
        name=name,
        summary="(x_y - c_y)^2, y < n",
        entries=lambda X, i: (X[np.arange(len(X)), i] - center[i]) ** 2,
        k=n,
        x_bounds=((-2.0, 3.0),) * n,
        x=center,
        source="Exact: no square is negative.",
    )


def build_quadratics(name: str, k: int = 20, n: int = 10, instance: int = 1) -> Problem:
    rng = np.random.default_rng(QUADRATICS_SEED + instance - 1)
    H = np.array([random_positive(rng, n, 10.0) for _ in range(k)])
    centers, offsets = rng.uniform(-1.0, 1.0, (k, n)), rng.uniform(0.0, 1.0, k)
    reach = 2.0

    def entries(X: Array, i: Indices) -> Array:
        away = X - centers[i]
        values: Array = 0.5 * np.einsum("ij,ijk,ik->i", away, H[i], away) + offsets[i]
        return values

    return _listed(
        name=name,
        summary="(x - c_y)'H_y(x - c_y) / 2 + o_y, k random convex quadratics",
        entries=entries,
        k=k,
        x_bounds=((-reach, reach),) * n,
        x=least_of_largest(H, centers, offsets, np.full(n, -reach), np.full(n, reach)),
        source="Computed: convex, by Newton's method with a quadratic program per step.",
    )


def build_filter41(name: str) -> Problem:
    on_interval, frequencies = FILTERS[0], np.array(FREQUENCIES)
    return _listed(
        name=name,
        summary="| |H(x, psi_y)| - |1 - 2 psi_y| |, the digital filter at 41 frequencies psi",
        entries=lambda X, i: on_interval.function(X, frequencies[i][:, None]),
        k=frequencies.size,
        x_bounds=on_interval.x_bounds,
        x=np.array(BEST_FILTER),
        source="Computed: the error alternates between equal peaks at 6 frequencies up to 0.5, solved by Newton.",
    )


BUILDERS: dict[str, Callable[..., Problem]] = {
    "ball": build_ball,
    "chebyshev-list": build_chebyshev_list,
    "maxq": build_maxq,
    "quadratics": build_quadratics,
    "filter41": build_filter41,
}
