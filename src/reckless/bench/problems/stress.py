"""Problems on which a smooth model of the worst case must fail, each in its own way, with known answers.

deviations: kinks of f in x. deviations-y: the same worst case, its kinks made by y. kinks-xy: kinks of f in x and in y,
in general directions, and those in y follow x. rastrigin, -rotated, -coupled: very
many local minima. vertices: the worst y is a vertex that no search along coordinates finds. noisy-L1, noisy-L6: every
evaluation is off by chance. floored-L1: f is a staircase.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from itertools import product

import numpy as np
from scipy.optimize import linprog

from reckless.bench.problems import paper
from reckless.bench.problems.inner import attained_at, random_rotation, solved_problem
from reckless.bench.problems.problem import Objective, Optimum, Problem
from reckless.core.arrays import Array

DATA_SEED = 3  # of the random coefficients, which belong to the problems
KINK_SEEDS = 5, 6  # of the rotations for `kinks-xy`
VERTEX_SEED = 30  # of those for `vertices`: single flips get stuck from two of three vertices


def _deviations_data(n: int) -> tuple[Array, Array]:
    """Draw 3 n equations A x = c in n unknowns that no x satisfies."""
    rng = np.random.default_rng(DATA_SEED)
    A = rng.standard_normal((3 * n, n))
    return A, A @ rng.uniform(-1.0, 1.0, n) + rng.standard_normal(3 * n)


def _least_deviations(A: Array, c: Array) -> Array:
    """Find the x in [-3, 3]^n with the smallest sum |A x - c|: a linear program, solved at a vertex."""
    m, n = A.shape
    cost = np.concatenate([np.zeros(n), np.ones(m)])
    rows = np.block([[A, -np.eye(m)], [-A, -np.eye(m)]])
    bounds = [(-3.0, 3.0)] * n + [(0.0, None)] * m
    solution = linprog(cost, A_ub=rows, b_ub=np.concatenate([c, -c]), bounds=bounds, method="highs-ds")
    x: Array = solution.x[:n]
    # At a vertex n of the equations hold; solved for these, x is as good as double precision allows.
    held = np.argsort(np.abs(A @ x - c))[:n]
    return np.asarray(np.linalg.solve(A[held], c[held]), dtype=np.float64)


def _build_deviations(
    summary: str, formula: Objective, peak: Callable[[Array], Array], name: str, n: int = 5
) -> Problem:
    """Build f = formula(A x - c, y), worst at y = peak(A x - c)."""
    A, c = _deviations_data(n)
    return solved_problem(
        name=name,
        summary=f"{summary}, 3 n random a_k and c_k",
        function=lambda X, Y: formula(X @ A.T - c, Y),
        maximizer=lambda X: peak(X @ A.T - c),
        x_reach=3.0,
        y_reach=1.0,
        x=_least_deviations(A, c),
        source="Computed: a linear program, solved at a vertex; the data are random with a fixed seed.",
    )


def build_kinks(name: str, n: int = 5) -> Problem:
    """Build |P x|_1 - |Q (y - x)|_1: the worst y is x, a kink in general directions, as is the best x, 0."""
    P, Q = (_rotation(n, seed) for seed in KINK_SEEDS)

    def function(X: Array, Y: Array) -> Array:
        values: Array = np.abs(X @ P.T).sum(axis=1) - np.abs((Y - X) @ Q.T).sum(axis=1)
        return values

    return Problem(
        name=name,
        summary="|P x|_1 - |Q (y - x)|_1, P and Q random rotations",
        function=function,
        x_bounds=((-2.0, 3.0),) * n,
        y_bounds=((-3.0, 3.0),) * n,
        optimum=Optimum(x=(0.0,) * n, y=(0.0,) * n, value=0.0, source="Exact: the worst case at x is |P x|_1."),
        worst_case=attained_at(function, np.array),
    )


RASTRIGIN_REACH = 5.12


def _rastrigin(Z: Array) -> Array:
    values: Array = (Z * Z + 10.0 * (1.0 - np.cos(2.0 * np.pi * Z))).sum(axis=1)
    return values


@cache
def _rotation(n: int, seed: int = DATA_SEED) -> Array:
    return random_rotation(np.random.default_rng(seed), n)


def _build_saddle(
    summary: str, formula: Objective, peak: Callable[[Array, Array, Array], Array], name: str, n: int = 3
) -> Problem:
    """Build a saddle f = formula(x - a, y - b), worst at y = peak(x, a, b): the best worst case is f(a, b) = 0."""
    offset = np.cos(1.0 + np.arange(n))  # off the center, different in each coordinate
    a, b = 1.3 * offset, -1.1 * offset

    def function(X: Array, Y: Array) -> Array:
        return formula(X - a, Y - b)

    return Problem(
        name=name,
        summary=summary,
        function=function,
        x_bounds=((-RASTRIGIN_REACH, RASTRIGIN_REACH),) * n,
        y_bounds=((-RASTRIGIN_REACH, RASTRIGIN_REACH),) * n,
        optimum=Optimum(
            x=tuple(a.tolist()), y=tuple(b.tolist()), value=0.0, source="Exact: f(x, b) >= 0 = max_y f(a, y)."
        ),
        worst_case=attained_at(function, lambda X: peak(X, a, b)),
    )


def build_vertices(name: str, n: int = 8) -> Problem:
    """Build a problem whose best x is 0, where y*, the vertex of the largest y'Ay, and -y* pull x both ways.

    With c = Q'y* / 2, F(x) >= |x - c|^2 / 2 + |x Q'y*| + y*'Ay* / 2, which is least at 0, where it is F(0).
    """
    P, Q = _rotation(n, VERTEX_SEED), _rotation(n)
    A = P @ np.diag(np.linspace(0.1, 2.0, n) ** 2) @ P.T
    vertices = np.array(list(product((-1.0, 1.0), repeat=n)))  # (2^n, n)
    heights = 0.5 * np.einsum("ij,jk,ik->i", vertices, A, vertices)
    c = 0.5 * Q.T @ vertices[heights.argmax()]
    return solved_problem(
        name=name,
        summary="|x - c|^2 / 2 + x'Q'y + y'Ay / 2, A a rotated positive matrix, Q a rotation",
        function=lambda X, Y: (
            0.5 * ((X - c) ** 2).sum(axis=1)
            + np.einsum("ij,ij->i", X @ Q.T, Y)
            + 0.5 * np.einsum("ij,jk,ik->i", Y, A, Y)
        ),
        maximizer=lambda X: vertices[(X @ Q.T @ vertices.T + heights).argmax(axis=1)],
        x_reach=3.0,
        y_reach=1.0,
        x=np.zeros(n),
        source="Exact: see the builder; the best vertex is found by trying all.",
    )


def _with_noise(name: str, smooth: Problem, sd: float) -> Problem:
    """Add normal noise to every evaluation, a new draw even for the same pair.

    The generator is seeded when the problem is built, so a run on a freshly built problem repeats. The worst case is
    that of the mean: the noisy f has none.
    """
    rng = np.random.default_rng(DATA_SEED)

    def function(X: Array, Y: Array) -> Array:
        values: Array = smooth.function(X, Y) + sd * rng.standard_normal(len(X))
        return values

    summary = f"{smooth.summary}, plus noise of standard deviation {sd:g}"
    return replace(smooth, name=name, summary=summary, function=function)


def build_noisy_l1(name: str, n: int = 3, sd: float = 1e-3) -> Problem:
    return _with_noise(name, paper.build_l1("L1", n), sd)


def build_noisy_l6(name: str, sd: float = 1e-3) -> Problem:
    return _with_noise(name, paper.BUILDERS["L6"](name="L6"), sd)


def build_floored_l1(name: str, n: int = 3, height: float = 1e-2) -> Problem:
    smooth = paper.build_l1("L1", n)

    def function(X: Array, Y: Array) -> Array:
        values: Array = np.floor(smooth.function(X, Y) / height) * height
        return values

    return replace(
        smooth,
        name=name,
        summary=f"{smooth.summary}, rounded down to a multiple of {height:g}",
        function=function,
        worst_case=attained_at(function, lambda X: np.full_like(X, 5.0)),
    )


BUILDERS: dict[str, Callable[..., Problem]] = {
    "deviations": partial(
        _build_deviations,
        "sum_k |a_k x - c_k| - sum_i (y_i - 0.3)^2",
        lambda R, Y: np.abs(R).sum(axis=1) - ((Y - 0.3) ** 2).sum(axis=1),
        lambda R: np.full((len(R), R.shape[1] // 3), 0.3),
    ),
    "deviations-y": partial(
        _build_deviations,
        "sum_k y_k (a_k x - c_k)",
        lambda R, Y: np.einsum("ij,ij->i", R, Y),
        lambda R: np.where(R < 0.0, -1.0, 1.0),
    ),
    "kinks-xy": build_kinks,
    "rastrigin": partial(
        _build_saddle,
        "r(x - a) - r(y - b), r by Rastrigin",
        lambda U, W: _rastrigin(U) - _rastrigin(W),
        lambda X, a, b: np.tile(b, (len(X), 1)),
    ),
    "rastrigin-rotated": partial(
        _build_saddle,
        "r(Q (x - a)) - r(Q (y - b)), r by Rastrigin, Q a rotation",
        lambda U, W: _rastrigin(U @ _rotation(U.shape[1]).T) - _rastrigin(W @ _rotation(W.shape[1]).T),
        lambda X, a, b: np.tile(b, (len(X), 1)),
    ),
    "rastrigin-coupled": partial(
        _build_saddle,
        "r(x - a) + (x - a) (y - b) - |y - b|^2 / 2, r by Rastrigin",
        lambda U, W: _rastrigin(U) + np.einsum("ij,ij->i", U - 0.5 * W, W),
        lambda X, a, b: np.clip(b + X - a, -RASTRIGIN_REACH, RASTRIGIN_REACH),
    ),
    "vertices": build_vertices,
    "noisy-L1": build_noisy_l1,
    "noisy-L6": build_noisy_l6,
    "floored-L1": build_floored_l1,
}
