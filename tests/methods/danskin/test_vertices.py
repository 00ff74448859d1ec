"""Flips of y between its bounds: the model of pairs is maximized well, and coupled vertices are found."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers

from reckless import minimax
from reckless.bench.problems import problem
from reckless.methods.danskin.maximizers import best_flips


@given(p=integers(3, 8), seed=integers(0, 2**32 - 1))
@settings(max_examples=50, deadline=None)
def test_the_best_flips_are_those_of_a_full_enumeration(p, seed):
    rng = np.random.default_rng(seed)
    single, pairs = rng.normal(size=p), rng.normal(size=(p, p))
    pairs = np.triu(pairs, 1) + np.triu(pairs, 1).T
    Z = np.array(list(itertools.product((0.0, 1.0), repeat=p)))
    heights = Z @ single + 0.5 * np.einsum("ij,jk,ik->i", Z, pairs, Z)
    best = best_flips(single, pairs, rng)[-1].astype(float)
    assert best @ single + 0.5 * best @ pairs @ best == pytest.approx(heights.max())


def test_rounding_does_not_keep_the_search_for_flips_from_ending():
    found = best_flips(np.full(5, -1e-17), np.zeros((5, 5)), np.random.default_rng(1))
    assert found.dtype == bool


@pytest.mark.parametrize(("n", "maxfev"), [(8, 3000), (12, 5000)])
def test_coupled_vertices_are_found_and_told_honestly(n, maxfev):
    """8 of 8 seeds within 1,400 and 2,300 evaluations; asserted: 3 of 3 within the budget."""
    p = problem(f"vertices:n={n}")
    for seed in (11, 12, 13):
        result = minimax(p.function, p.x_bounds, p.y_bounds, maxfev=maxfev, method="danskin", rng=seed, vectorized=True)
        assert result.success
        assert p.optimum is not None
        assert abs(result.fun - p.optimum.value) < 1e-6
