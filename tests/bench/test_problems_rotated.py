"""Rotated functions of the suite f1-f11: worst cases and optima against proofs that do not use the closed forms."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from reckless.bench.problems import find_problem, suites, wra
from reckless.bench.problems.rotated import rotations


def rows(m, n, seed):
    """Random rows of the box, a quarter of whose coordinates sit on a bound."""
    rng = np.random.default_rng(seed)
    inside = rng.uniform(-3.0, 3.0, (m, n))
    return np.where(rng.random((m, n)) < 0.25, 3.0 * np.sign(inside), inside)


def test_the_worst_case_of_convex_f4_is_the_best_of_all_vertices():
    p = find_problem("f4-rotated:n=5")
    vertices = 3.0 * (2.0 * np.array(list(np.ndindex(*(2,) * 5))) - 1.0)
    X = rows(20, p.n_x, 6)
    brute = [p.function(np.broadcast_to(x, (32, 5)), vertices).max() for x in X]
    assert p.worst_case(X)[0] == pytest.approx(brute, rel=1e-14)


def test_the_slopes_of_rotated_f11_vanish_or_point_outward_to_ten_digits():
    p = find_problem("f11-rotated")
    X = np.vstack([rows(30, p.n_x, 7), 1e-3 * rows(30, p.n_x, 8)])
    Y = p.worst_case(X)[1]
    Q, R = rotations(20)
    scaled = wra.scales_of(20)[:, None] * R
    slopes = (X @ Q.T - Y @ scaled.T) @ scaled
    outward = np.where(np.abs(Y) == 3.0, -slopes * np.sign(Y), np.abs(slopes))
    assert 0.1 < np.mean(np.abs(Y) == 3.0) < 0.99
    assert outward.max() <= 1e-10


@pytest.mark.parametrize(("name", "bend"), [("f6-rotated", 1.0), ("f8-rotated", 0.0)])
def test_the_worst_case_among_kinks_attains_a_bound_of_its_dual(name, bend):
    """For any |v_i| <= 1, -||Ry||_1 <= -v'Ry; what is left then is a sum over the coordinates of y."""
    p, plain = find_problem(name), wra.FORMULAS[name.removesuffix("-rotated")]
    Q, R = rotations(20)
    X = np.vstack([rows(10, 20, 11), rows(5, 20, 12) / 3.0, rows(5, 20, 13) / 1.5])
    values, Y = p.worst_case(X)
    n_bent = 0
    for x, y, value in zip(X, Y, values, strict=True):
        z, w = Q @ x, R @ y
        alone = plain.value(z[None], np.zeros((1, 20)), z[None])[0]
        bounds = [(np.sign(w_i), np.sign(w_i)) if abs(w_i) > 1e-9 else (-1.0, 1.0) for w_i in w]

        def dual(v, z=z):
            slopes = R.T @ (z - v)
            best = np.clip(slopes, -3.0, 3.0)
            return slopes @ best - best @ best / 2.0, -R @ best

        if bend == 0.0:  # a linear program: v and the sizes of the slopes, which are at least abs(R'(z - v))
            A = np.block([[-R.T, -np.eye(20)], [R.T, -np.eye(20)]])
            cost = np.repeat([0.0, 3.0], 20)
            limits = np.concatenate([-R.T @ z, R.T @ z])
            bound = linprog(cost, A_ub=A, b_ub=limits, bounds=[(-1.0, 1.0)] * 20 + [(0.0, None)] * 20).fun
        else:
            found = minimize(dual, np.sign(w), jac=True, bounds=bounds, method="L-BFGS-B", tol=1e-15)
            bound = dual(found.x)[0]
        assert value <= alone + bound + 1e-12 * value
        assert value == pytest.approx(alone + bound, rel=1e-9)
        n_bent += bool(np.any(y))
    assert n_bent >= 8


@pytest.mark.parametrize("name", suites()["rotated"])
def test_a_rotated_function_is_the_one_of_the_suite_at_turned_points(name):
    p, plain = find_problem(name), find_problem(name.removesuffix("-rotated"))
    Q, R = rotations(20)
    center = np.array(plain.optimum.x)
    X, Y = rows(5, p.n_x, 9), rows(5, p.n_x, 10)
    turned_x = np.array([center + Q @ (x - center) for x in X])
    turned_y = np.array([R @ y for y in Y])
    assert p.function(X, Y) == pytest.approx(plain.function(turned_x, turned_y), rel=1e-12)
    assert np.abs(Q @ Q.T - np.eye(20)).max() < 1e-14
    assert np.abs(R @ R.T - np.eye(20)).max() < 1e-14
    if name != "f3-rotated":
        assert p.optimum.value == pytest.approx(plain.optimum.value, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("n", [5, 20])
def test_rotated_f3_is_least_by_its_dual(n):
    """For any |w_i| <= 3, min over x of |u + 3.7|^2 / 2 + w R'u is a lower bound, which the best w attains."""
    p = find_problem(f"f3-rotated:n={n}")
    Q, R = rotations(n)
    center = np.full(n, wra.ALPHA)

    def best_reply(w):
        x = np.clip(center + Q.T @ (-3.7 - R @ w - center), -3.0, 3.0)
        u = center + Q @ (x - center)
        return 0.5 * ((u + 3.7) ** 2).sum() + w @ R.T @ u, R.T @ u

    def loss(w):
        value, slope = best_reply(w)
        return -value, -slope

    found = minimize(loss, np.zeros(n), jac=True, method="L-BFGS-B", bounds=[(-3.0, 3.0)] * n, tol=1e-15)
    assert -found.fun == pytest.approx(p.optimum.value, rel=1e-9)
    assert -found.fun <= p.optimum.value + 1e-10


@pytest.mark.parametrize("n", range(12, 21))
def test_rotated_f10_has_no_worst_case_below_zero(n):
    """F sums g(w_i), w = R'Qx, g(w) = w^2 - 2 (|w| - 3)_+^2, which is negative beyond 6 + sqrt(18) = 10.24 only.

    Two such coordinates do not fit into |w| <= 3 sqrt(n). With one, w_i = a, the others have a length r between the one
    that the shortest x with w_i = a leaves them and sqrt(9 n - a^2). Since g(w) / w^2 falls with |w|, they add at least
    g(r), which is least at an end.
    """
    Q, R = rotations(n)
    edge = 6.0 + math.sqrt(18.0)
    assert 9.0 * n < 2.0 * edge**2

    def g(w):
        return w**2 - 2.0 * np.maximum(w - 3.0, 0.0) ** 2

    for direction in R.T @ Q:
        X = np.clip(np.geomspace(1.0, 1e4, 4000)[:, None] * direction, -3.0, 3.0)  # the shortest x of each a
        a = X @ direction
        shortest = np.sqrt(np.maximum((X**2).sum(axis=1) - a**2, 0.0))
        others = np.minimum(g(shortest), g(np.sqrt(9.0 * n - a**2)))
        assert (g(a) + others)[a > edge].min(initial=0.0) >= 0.0
