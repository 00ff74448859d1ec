"""The pseudo-Boolean model against enumeration."""

from itertools import product

import numpy as np
import pytest

from reckless.methods.danskin.vertices import best_vertex, is_cornered, maximize_model, search_vertices

X = np.array([0.5])


def coupled(seed, n):
    rng = np.random.default_rng(seed)
    R = rng.standard_normal((n, n))
    A = R @ R.T

    def f(X, Y):
        Z = 2.0 * Y - 1.0
        return np.einsum("ij,jk,ik->i", Z, A, Z) + Z @ rng_slope

    rng_slope = rng.standard_normal(n)
    return f


@pytest.mark.parametrize("seed", range(10))
def test_the_best_of_all_vertices_is_found_from_any_other(driver, seed):
    n = 7
    f = coupled(seed, n)
    run = driver(f, 1, n)
    vertices = np.array(list(product((0.0, 1.0), repeat=n)))
    values = f(None, vertices)
    start = vertices[seed]
    peak = run.run(best_vertex(run.inner, X, start, float(values[seed])))
    reached = values[seed] if peak is None else peak.value
    assert reached == pytest.approx(values.max())
    assert run.task.n_used < 100
    before = run.task.n_used
    again = run.run(best_vertex(run.inner, X, vertices[5], float(values[5])))
    assert (values[5] if again is None else again.value) == pytest.approx(values.max())
    assert run.task.n_used - before < 60  # pairs are checked, not measured again


def test_many_coordinates_are_searched_instead_of_enumerated():
    rng = np.random.default_rng(0)
    n = 14
    pairs = rng.standard_normal((n, n))
    pairs = pairs + pairs.T
    np.fill_diagonal(pairs, 0.0)
    singles = rng.standard_normal(n)
    Z = ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(float)
    best = (Z @ singles + 0.5 * np.einsum("ij,jk,ik->i", Z, pairs, Z)).max()
    z = maximize_model(singles, pairs, rng)[0].astype(float)
    assert z @ singles + 0.5 * z @ pairs @ z == pytest.approx(best)


def test_a_y_inside_the_box_has_no_vertices(driver):
    run = driver(coupled(0, 3), 1, 3)
    assert run.run(best_vertex(run.inner, X, np.full(3, 0.5), 0.0)) is None
    assert run.task.n_used == 0


@pytest.mark.parametrize("seed", range(5))
def test_a_search_over_vertices_arrives_at_the_best_one_whatever_is_known(driver, seed):
    n = 6
    f = coupled(seed, n)
    run = driver(f, 1, n)
    peak = run.run(search_vertices(run.inner, X))
    assert peak.value == pytest.approx(f(None, np.array(list(product((0.0, 1.0), repeat=n)))).max())
    assert run.task.n_used < 90


def test_vertices_are_searched_jointly_only_where_y_is_coupled_and_at_its_bounds(driver):
    run = driver(coupled(0, 3), 1, 3)
    corner, edge = np.array([0.0, 1.0, 0.4]), np.array([0.0, 0.5, 0.4])
    assert not is_cornered(run.inner, corner)  # a sum over y, as far as is known
    run.inner.is_additive = False
    assert is_cornered(run.inner, corner)
    assert not is_cornered(run.inner, edge)
