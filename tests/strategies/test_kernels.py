"""Every compiled kernel against a naive twin, also with compilation switched off (see test_package)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckless.strategies import kernels
from reckless.strategies.cma import _constants


@given(st.floats(0, 1))
def test_unfold_is_the_inverse_of_fold_within_the_cube(u):
    assert kernels.fold(kernels.unfold(u)) == pytest.approx(u, abs=1e-12)


@given(st.floats(-1e6, 1e6))
def test_fold_stays_in_the_cube_and_is_periodic(z):
    u = kernels.fold(z)
    assert 0.0 <= u <= 1.0
    assert kernels.fold(z + 2.0 + 4.0 * kernels.MARGIN) == pytest.approx(u, abs=1e-6)


def test_fold_is_the_identity_inside_and_reaches_both_bounds_with_slope_zero():
    margin = kernels.MARGIN
    assert kernels.fold(0.4) == pytest.approx(0.4, abs=1e-15)
    assert kernels.fold(-margin) == 0.0
    assert kernels.fold(1.0 + margin) == pytest.approx(1.0, abs=1e-15)
    assert kernels.fold(-margin + 1e-8) < 1e-14
    assert kernels.fold(-0.3) == pytest.approx(kernels.fold(-2 * margin + 0.3), abs=1e-12)


def random_state(n, size, seed):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n, n))
    C = root @ root.T + np.eye(n)
    eigenvalues, vectors = np.linalg.eigh(C)
    return rng, C, np.ascontiguousarray(vectors.T), np.sqrt(eigenvalues)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_sampling_transforms_normals_by_the_root_of_the_covariance(n):
    rng, _, axes, scales = random_state(n, 6, seed=n)
    normals, mean = rng.standard_normal((6, n)), rng.random(n)
    steps, points = np.empty((6, n)), np.empty((6, n))
    kernels.cma_sample(normals, mean, 0.3, axes, scales, steps, points)
    np.testing.assert_allclose(steps, normals @ np.diag(scales) @ axes, atol=1e-12)
    np.testing.assert_allclose(points, np.vectorize(kernels.fold)(mean + 0.3 * steps), atol=1e-12)


def naive_update(order, normals, steps, mean, sigma, C, axes, p_sigma, p_c, generation, k):
    """The tutorial's equations 41 to 47 in matrix form."""
    n = mean.size
    y, z = steps[order], normals[order]
    positive = np.maximum(k.weights, 0.0)
    y_w = positive @ y
    p_sigma = (1 - k.c_sigma) * p_sigma + np.sqrt(k.c_sigma * (2 - k.c_sigma) * k.mu_eff) * axes.T @ (positive @ z)
    length = np.linalg.norm(p_sigma)
    new_sigma = sigma * np.exp(min(1.0, k.c_sigma / k.d_sigma * (length / k.chi_n - 1)))
    calm = length / np.sqrt(1 - (1 - k.c_sigma) ** (2 * (generation + 1))) < (1.4 + 2 / (n + 1)) * k.chi_n
    p_c = (1 - k.c_c) * p_c + calm * np.sqrt(k.c_c * (2 - k.c_c) * k.mu_eff) * y_w
    w = np.where(k.weights >= 0, k.weights, k.weights * n / np.sum(z**2, axis=1))
    lost = 0.0 if calm else k.c_1 * k.c_c * (2 - k.c_c)
    C = (1 + lost - k.c_1 - k.c_mu * k.weights.sum()) * C + k.c_1 * np.outer(p_c, p_c)
    return mean + sigma * y_w, new_sigma, C + k.c_mu * (y.T * w) @ y, p_sigma, p_c


@pytest.mark.parametrize("n", [1, 3, 8])
@pytest.mark.parametrize("path_length", [0.1, 10.0], ids=["calm", "restless"])
def test_the_update_is_that_of_the_tutorial(n, path_length):
    size = 10
    rng, C, axes, scales = random_state(n, size, seed=n)
    constants = _constants(n, size, active=True)
    normals, mean = rng.standard_normal((size, n)), rng.random(n)
    steps = normals * scales @ axes
    order = rng.permutation(size)
    p_sigma, p_c = path_length * rng.standard_normal(n), rng.standard_normal(n)
    expected = naive_update(order, normals, steps, mean, 0.3, C, axes, p_sigma, p_c, 5, constants)
    sigma = kernels.cma_update(order, normals, steps, mean, 0.3, C, axes, p_sigma, p_c, 5, *constants)
    for measured, wanted in zip((mean, sigma, C, p_sigma, p_c), expected, strict=True):
        np.testing.assert_allclose(measured, wanted, rtol=1e-12, atol=1e-12)


def test_the_factors_multiply_to_the_covariance():
    _, C, _, _ = random_state(4, 1, seed=3)
    axes, scales = np.empty((4, 4)), np.empty(4)
    kernels.cma_factorize(C, axes, scales)
    np.testing.assert_allclose(axes.T @ np.diag(scales**2) @ axes, C, atol=1e-12)
    assert np.all(np.diff(scales) >= 0.0)


@pytest.mark.parametrize("n_points", [5, 3, 10, 7])
def test_nes_perturbs_the_mean_and_mirrors_what_goes_beyond_the_draws(n_points):
    rng = np.random.default_rng(2)
    epsilon, mean, points = rng.standard_normal((5, 3)), rng.random(3), np.empty((n_points, 3))
    kernels.nes_sample(epsilon, mean, 0.25, points)
    expected = np.clip(mean + 0.25 * np.concatenate((epsilon, -epsilon)), 0.0, 1.0)[:n_points]
    np.testing.assert_allclose(points, expected, atol=1e-15)


@pytest.mark.parametrize("is_mirrored", [False, True])
@pytest.mark.parametrize("has_failure", [False, True])
def test_nes_follows_the_gradient_of_standardized_values(is_mirrored, has_failure):
    rng = np.random.default_rng(2)
    epsilon, mean = rng.standard_normal((5, 3)), rng.random(3)
    values = rng.random(10 if is_mirrored else 5)
    clean = values.copy()
    if has_failure:
        values[3], clean[3] = np.inf, np.delete(values, 3).max()
    scores = (clean - clean.mean()) / clean.std()
    if is_mirrored:
        scores = 0.5 * (scores[:5] - scores[5:])
    expected = np.clip(mean - 0.01 / 5 * scores @ epsilon, 0.0, 1.0)
    kernels.nes_update(values, epsilon, mean, 0.01)
    np.testing.assert_allclose(mean, expected, atol=1e-14)


@pytest.mark.parametrize("value", [2.0, np.inf])
def test_nes_stays_where_all_values_are_equal(value):
    mean = np.array([0.3, 0.6])
    kernels.nes_update(np.full(4, value), np.ones((4, 2)), mean, 0.1)
    assert mean.tolist() == [0.3, 0.6]


@pytest.mark.parametrize("target", [0, 1, 2, 5])
def test_differential_trials_take_mutated_genes_from_three_donors_other_than_the_target(target):
    rng = np.random.default_rng(1)
    population, donors = rng.random((6, 4)), np.array([[4, 5, 3, 0], [0, 1, 2, 3], [1, 3, 0, 4], [5, 2, 1, 0]])
    takes, trials = rng.random((4, 4)) < 0.6, np.full((4, 4), -1.0)
    kernels.differential_trials(population, target, donors, takes, 0.7, 1, 3, trials)
    for k in (1, 2):
        *three, spare = donors[k]
        a, b, c = population[[spare if donor == target else donor for donor in three]]
        expected = np.where(takes[k], np.clip(a + 0.7 * (b - c), 0, 1), population[target])
        np.testing.assert_allclose(trials[k], expected, atol=1e-15)
    assert np.all(trials[[0, 3]] == -1.0), "only the trials asked for are made"


@given(m=st.integers(0, 20), k=st.integers(1, 6), spare=st.integers(0, 5), seed=st.integers(0, 1000))
def test_stepping_over_what_is_taken_makes_indices_distinct_as_the_naive_way_does(m, k, spare, seed):
    rng = np.random.default_rng(seed)
    drawn = np.array([[rng.integers(k + spare - column) for column in range(k)] for _ in range(m)], dtype=np.intp)
    drawn = drawn.reshape(m, k)
    expected = [[] for _ in range(m)]
    for row, draws in zip(expected, drawn.tolist(), strict=True):
        for index in draws:
            free = [i for i in range(k + spare) if i not in row]
            row.append(free[index])
    kernels.step_over_taken(drawn)
    assert drawn.tolist() == expected
