"""The stress suite: every optimum is proven by something that does not use the closed form."""

import inspect

import numpy as np
import pytest
from scipy.optimize import differential_evolution, linprog, minimize

from reckless.bench.problems import stress

NAMES = sorted(stress.BUILDERS)
NOISY = {"noisy-L1", "noisy-L6"}
EXACT = [name for name in NAMES if name not in NOISY]


def build(name, **settings):
    return stress.BUILDERS[name](name, **settings)


def rows(bounds, m, seed):
    low, high = np.array(bounds).T
    return low + (high - low) * np.random.default_rng(seed).random((m, low.size))


@pytest.mark.parametrize("name", NAMES)
def test_a_problem_is_whole(name):
    p = build(name)
    assert p.name == name
    assert p.summary
    assert p.optimum.source
    assert len(p.optimum.x) == p.n_x
    assert all(low <= x <= high for x, (low, high) in zip(p.optimum.x, p.x_bounds, strict=True))
    assert p.function(rows(p.x_bounds, 7, 0), rows(p.y_bounds, 7, 1)).shape == (7,)
    assert next(iter(inspect.signature(stress.BUILDERS[name]).parameters)) == "name"


@pytest.mark.parametrize("name", EXACT)
def test_the_worst_case_is_attained_and_never_exceeded(name):
    p = build(name)
    X = rows(p.x_bounds, 40, 2)
    values, Y = p.worst_case(X)
    np.testing.assert_array_equal(values, p.function(X, Y))
    for k in range(50):
        assert (p.function(X, rows(p.y_bounds, 40, 100 + k)) <= values + 1e-9).all()
        vertices = np.where(rows(p.y_bounds, 40, k) > np.mean(p.y_bounds, axis=1), *np.array(p.y_bounds).T[::-1])
        assert (p.function(X, vertices) <= values + 1e-9).all()


@pytest.mark.parametrize("name", ["rastrigin", "rastrigin-rotated", "rastrigin-coupled", "vertices", "deviations-y"])
def test_a_global_search_over_y_finds_no_more(name):
    p = build(name)
    X = rows(p.x_bounds, 3, 5)
    for x, value in zip(X, p.worst_case(X)[0], strict=True):
        found = differential_evolution(
            lambda y, x=x: -float(p.function(x[None], y[None])[0]), p.y_bounds, rng=1, maxiter=25, tol=1e-9
        )
        assert -found.fun <= value + 1e-9


@pytest.mark.parametrize("name", NAMES)
def test_the_optimum_has_the_stated_value_and_nothing_nearby_is_lower(name):
    p = build(name)
    x = np.array(p.optimum.x)
    assert p.worst_case(x[None])[0][0] == pytest.approx(p.optimum.value, abs=1e-9)
    low, high = np.array(p.x_bounds).T
    rng = np.random.default_rng(3)
    for scale in (1e-4, 1e-2, 1.0):
        nearby = np.clip(x + scale * rng.standard_normal((300, x.size)), low, high)
        assert (p.worst_case(nearby)[0] >= p.optimum.value - 1e-9).all()


@pytest.mark.parametrize("n", [5, 10, 20])
@pytest.mark.parametrize("name", ["deviations", "deviations-y"])
def test_deviations_are_least_by_the_dual_program(name, n):
    """The dual of min sum |A x - c| over the box bounds it from below."""
    p = build(name, n=n)
    A, c = stress._deviations_data(n)
    # max over |u| <= 1 of -c u - 3 sum |A' u|, with v >= |A' u|
    m = len(c)
    cost = np.concatenate([c, 3.0 * np.ones(n)])
    limits = np.block([[A.T, -np.eye(n)], [-A.T, -np.eye(n)]])
    dual = linprog(cost, A_ub=limits, b_ub=np.zeros(2 * n), bounds=[(-1, 1)] * m + [(0, None)] * n)
    assert p.optimum.value == pytest.approx(-dual.fun, rel=1e-10)


@pytest.mark.parametrize("n", [3, 8, 12])
def test_no_local_search_beats_the_optimum_of_vertices(n):
    p = build("vertices", n=n)
    rng = np.random.default_rng(n)
    for _ in range(2):
        x0 = rng.uniform(-2.0, 2.0, n)
        found = minimize(lambda x: float(p.worst_case(x[None])[0][0]), x0, method="Powell", bounds=p.x_bounds)
        assert found.fun >= p.optimum.value - 1e-9


def test_the_best_vertex_is_not_the_one_that_coordinate_flips_find():
    """What makes the problem hard: from many vertices no single flip improves, and they are not the worst case."""
    p = build("vertices")
    x = np.array(p.optimum.x)
    rng, n_stuck = np.random.default_rng(0), 0
    for _ in range(40):
        y = np.sign(rng.standard_normal(p.n_y))
        while True:
            flips = np.where(np.eye(p.n_y, dtype=bool), -y, y)
            values = p.function(np.tile(x, (p.n_y, 1)), flips)
            if values.max() <= p.function(x[None], y[None])[0] + 1e-12:
                break
            y = flips[values.argmax()]
        n_stuck += p.function(x[None], y[None])[0] < p.optimum.value - 1e-6
    assert n_stuck >= 8


@pytest.mark.parametrize("name", sorted(NOISY))
def test_noise_differs_between_evaluations_and_repeats_between_builds(name):
    p, again = build(name, sd=0.5), build(name, sd=0.5)
    X, Y = np.repeat(rows(p.x_bounds, 1, 0), 4000, axis=0), np.repeat(rows(p.y_bounds, 1, 1), 4000, axis=0)
    values = p.function(X, Y)
    assert values.std() == pytest.approx(0.5, rel=0.1)
    np.testing.assert_array_equal(values, again.function(X, Y))
    assert p.worst_case(X[:1])[0][0] == again.worst_case(X[:1])[0][0]


def test_stairs_have_the_stated_height():
    p = build("floored-L1", height=0.5)
    values = p.function(rows(p.x_bounds, 100, 0), rows(p.y_bounds, 100, 1))
    np.testing.assert_array_equal(values, np.floor(values / 0.5) * 0.5)
