"""Problems in which every coordinate meets every other, smoothly: random quadratics, a coupled problem, a best fit.

The data are random with fixed seeds; `instance` = 1, 2, ... chooses among them.
"""

from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev as series

from reckless.bench.problems.inner import attained_at, crossings, solved_problem
from reckless.bench.problems.problem import Bounds, Optimum, Problem
from reckless.bench.problems.programs import peaks_in_box
from reckless.core.arrays import Array

DENSE_SEED, COUPLED_SEED = 1000, 2000  # of the first instances
DENSE_REACH, COUPLED_REACH = 3.0, 2.0


def random_positive(rng: np.random.Generator, n: int, condition: float) -> Array:
    """Draw a dense positive matrix with eigenvalues from 1 to `condition`."""
    Q, _ = np.linalg.qr(rng.standard_normal((n, n)))
    matrix: Array = Q @ np.diag(np.geomspace(1.0, condition, n)) @ Q.T
    return matrix


def _form(U: Array, A: Array) -> Array:
    """Return u'Au of each row."""
    values: Array = np.einsum("ij,jk,ik->i", U, A, U)
    return values


def build_dense(name: str, n: int = 5, instance: int = 1) -> Problem:
    """Build a saddle with dense Hessians of condition 10: f(x, b) >= 0 = max_y f(a, y)."""
    rng = np.random.default_rng(DENSE_SEED + instance - 1)
    A, C = random_positive(rng, n, 10.0), random_positive(rng, n, 10.0)
    B = rng.standard_normal((n, n)) / np.sqrt(n)
    a, b = rng.uniform(-0.5, 0.5, n), rng.uniform(-0.5, 0.5, n)

    def function(X: Array, Y: Array) -> Array:
        U, V = X - a, Y - b
        coupling: Array = np.einsum("ij,jk,ik->i", U, B, V)
        return 0.5 * _form(U, A) + coupling - 0.5 * _form(V, C)

    return solved_problem(
        name=name,
        summary="u'Au / 2 + u'Bv - v'Cv / 2, u = x - a, v = y - b, A, B, C dense and random",
        function=function,
        maximizer=lambda X: np.clip(
            b + peaks_in_box((X - a) @ B, C, -DENSE_REACH - b, DENSE_REACH - b), -DENSE_REACH, DENSE_REACH
        ),
        x_reach=DENSE_REACH,
        y_reach=DENSE_REACH,
        x=a,
        value=0.0,
        source="Exact: f(x, b) >= 0 = max_y f(a, y).",
    )


N_X, N_Y = 4, 3  # of `coupled`
N_SWEEPS = 1_000  # some forty are used
_COUPLED_OPTIMA = (
    (0.2909629850408236, -0.11310780866300606, 0.2301684545053756, -0.9218560389595082),
    (-0.6452499688209791, -0.31138161168682726, 1.109217901651335, 0.5046824392292325),
    (-0.42934334872365226, 0.8622236125956496, 0.4223832369115503, -0.05079964686842829),
)


def _quartic_peaks(linear: Array, C: Array) -> Array:
    """Maximize linear y - y'Cy / 2 - sum y_i^4 / 4 over a box, row by row: concave, so coordinate by coordinate.

    Along a coordinate the slope vanishes at the only real root of y^3 + p y = r, p > 0.
    """
    Y = np.zeros_like(linear)
    for _ in range(N_SWEEPS):
        before = Y.copy()
        for j, p in enumerate(np.diag(C)):
            r = linear[:, j] - Y @ C[j] + p * Y[:, j]
            root = 2.0 * np.sqrt(p / 3.0) * np.sinh(np.arcsinh(1.5 * r / p * np.sqrt(3.0 / p)) / 3.0)
            Y[:, j] = np.clip(root, -COUPLED_REACH, COUPLED_REACH)
        if np.abs(Y - before).max(initial=0.0) < 1e-15:
            break
    return Y


def build_coupled(name: str, instance: int = 1) -> Problem:
    """Build a problem that is concave in y and nonlinear in x, in which y follows x."""
    rng = np.random.default_rng(COUPLED_SEED + instance - 1)
    A, C = random_positive(rng, N_X, 20.0), random_positive(rng, N_Y, 5.0)
    B = 1.5 * rng.standard_normal((N_Y, N_X))
    D = 0.5 * rng.standard_normal((N_Y, N_X))
    a = rng.uniform(-1.0, 1.0, N_X)

    def linear(X: Array) -> Array:
        return X @ B.T + 2.0 * np.sin(X) @ D.T

    def function(X: Array, Y: Array) -> Array:
        U = X - a
        bowl: Array = 0.5 * _form(U, A) + 0.1 * (U**4).sum(axis=1)
        peak: Array = (linear(X) * Y).sum(axis=1) - 0.5 * _form(Y, C) - 0.25 * (Y**4).sum(axis=1)
        return bowl + peak

    return solved_problem(
        name=name,
        summary="u'Au / 2 + sum u_i^4 / 10 + y'(Bx + 2 D sin x) - y'Cy / 2 - sum y_i^4 / 4, u = x - a, random data",
        function=function,
        maximizer=lambda X: _quartic_peaks(linear(X), C),
        x_reach=COUPLED_REACH,
        y_reach=COUPLED_REACH,
        x=np.array(_COUPLED_OPTIMA[instance - 1]),
        source="Computed: a root of the gradient of the worst case, the best of those found from 200 starts.",
    )


def _residual(coefficients: Array, t: Array) -> Array:
    """Return e^t minus a polynomial: its Chebyshev coefficients on [0, 1] are the first axis of `coefficients`."""
    rest: Array = np.exp(t) - series.chebval(2.0 * t - 1.0, coefficients, tensor=False)
    return rest


def _turning_points(X: Array) -> Array:
    """Return the t (m, c) in [0, 1] among which the residual of each row of X is largest and smallest.

    Its slope e^t - p'(t) vanishes where p'(t) / e^t = 1; that ratio is monotone between the roots of p'' - p'.
    """
    first = 2.0 * series.chebder(X.T, axis=0)  # (n - 1, m), at least one row
    m, n = X.shape
    nodes = np.zeros((m, n))  # 0, the real parts of at most n - 2 roots, 1
    nodes[:, -1] = 1.0
    for k, column in enumerate(first.T):
        roots = series.chebroots(series.chebsub(2.0 * series.chebder(column), column))
        nodes[k, 1 : 1 + roots.size] = np.clip(0.5 + 0.5 * roots.real, 0.0, 1.0)
    nodes.sort(axis=1)

    def slope(x: Array, t: Array) -> Array:
        steps = 2.0 * series.chebder(x, axis=0)
        return np.asarray(np.exp(t) - series.chebval(2.0 * t - 1.0, steps, tensor=False), dtype=np.float64)

    inner = crossings(slope, X, nodes, np.zeros((m, n - 1)))
    return np.hstack([np.zeros((m, 1)), inner, np.ones((m, 1))])


def _best_fit(n: int) -> Array:
    """Find the polynomial whose residual has n + 1 equal peaks of alternating signs, by Remez's exchange."""
    t = 0.5 - 0.5 * np.cos(np.pi * np.arange(n + 1) / n)
    signs = (-1.0) ** np.arange(n + 1)
    for _ in range(10):  # it converges quadratically
        columns = np.column_stack([series.chebvander(2.0 * t - 1.0, n - 1), signs])
        x = np.linalg.solve(columns, np.exp(t))[:n]
        t = _turning_points(x[None])[0]
    return np.asarray(x, dtype=np.float64)


def build_chebyshev(name: str, n: int = 4) -> Problem:
    """Build the fit of e^t on [0, 1] by n coefficients, y = (t, sign): n + 1 worst cases at the optimum."""
    scale = 10.0 ** (n - 1)
    x_bounds: Bounds = ((-1.0, 3.0),) * n

    def function(X: Array, Y: Array) -> Array:
        return scale * Y[:, 1] * _residual(X.T, Y[:, 0])

    def maximizer(X: Array) -> Array:
        t = _turning_points(X)
        rest = _residual(X.T[:, :, None], t)
        largest = np.abs(rest).argmax(axis=1)[:, None]
        signs = np.where(np.take_along_axis(rest, largest, axis=1) < 0.0, -1.0, 1.0)
        return np.hstack([np.take_along_axis(t, largest, axis=1), signs])

    x = _best_fit(n)
    worst_case = attained_at(function, maximizer)
    (value,), (y,) = worst_case(x[None])
    return Problem(
        name=name,
        summary="10^(n-1) y2 (e^y1 - sum_k x_k T_k(2 y1 - 1)), T_k by Chebyshev, k < n",
        function=function,
        x_bounds=x_bounds,
        y_bounds=((0.0, 1.0), (-1.0, 1.0)),
        optimum=Optimum(
            x=tuple(x.tolist()), y=tuple(y.tolist()), value=float(value), source="Computed: Remez's exchange."
        ),
        worst_case=worst_case,
    )


BUILDERS: dict[str, Callable[..., Problem]] = {
    "dense": build_dense,
    "coupled": build_coupled,
    "chebyshev": build_chebyshev,
}
