"""Sections of a Gaussian process and their compiled climbs, against the process itself and naive twins."""

import numpy as np
import pytest

from reckless.methods.surrogate.climbing import _climb, climb, crossed, joined
from reckless.methods.surrogate.kernels import diagonalize, jet_along, newton_in_cube
from reckless.methods.surrogate.process import Form, fit
from reckless.methods.surrogate.spaces import Cube

X = np.array([0.37, 0.81])
N_Y = 3
every_form = pytest.mark.parametrize(
    "form", [Form("gauss"), Form("matern"), Form("matern", "flat")], ids=lambda form: f"{form.kernel}-{form.trend}"
)


def process_of(form):
    Z = np.random.default_rng(5).random((45, len(X) + N_Y))
    g = np.sin(5.0 * Z[:, 2] + 2.0 * Z[:, 0]) + Z[:, 3] * Z[:, 1] ** 2 + np.cos(4.0 * Z[:, 4] - Z[:, 3])
    return fit(Z, (g - g.mean()) / g.std(), form, n_steps=10)


class Plain:
    """A surface without sections, which climbs by NumPy."""

    def __init__(self, process):
        self.mean, self.jet = process.mean, process.jet


@every_form
def test_the_jet_of_a_section_is_that_of_the_process(form):
    process, y = process_of(form), np.array([0.2, 0.65, 0.9])
    slope, bend = np.empty(N_Y), np.empty((N_Y, N_Y))
    level = jet_along(y, *process.section(X), slope, bend)
    expected = process.jet(joined(X, y[None]))
    assert level == pytest.approx(expected.level[0], abs=1e-9)
    np.testing.assert_allclose(slope, expected.slope[0, 2:], atol=1e-8)
    np.testing.assert_allclose(bend, expected.bend[0, 2:, 2:], atol=1e-7)


@every_form
def test_compiled_climbs_reach_the_maxima_that_climbs_by_numpy_reach(form):
    process, Y = process_of(form), np.random.default_rng(2).random((9, N_Y))
    Y[:2] = [[0.0, 1.0, 0.3], [1.0, 1.0, 1.0]]
    starts = Y.copy()
    cube = Cube(N_Y, np.zeros(N_Y))
    found = climb(process, cube, X, Y, 12)
    rows, levels = _climb(Plain(process), cube, X, Y, 12, np.zeros(N_Y, dtype=bool))
    np.testing.assert_allclose(found.levels, levels, atol=1e-8)
    np.testing.assert_allclose(found.Y, rows, atol=1e-4)
    np.testing.assert_array_equal(Y, starts)
    assert (found.levels > process.mean(joined(X, Y)) + 0.01).any()


@every_form
def test_means_across_are_those_of_all_pairs(form):
    process, rng = process_of(form), np.random.default_rng(8)
    A, Y, other = rng.random((7, 2)), rng.random((11, N_Y)), rng.random((4, N_Y))
    for rows in (Y, Y, other):
        expected = process.mean(crossed(A, rows)).reshape(len(A), len(rows))
        np.testing.assert_allclose(process.across(A, rows), expected, atol=1e-9)


@every_form
def test_mean_and_deviation_together_are_those_apart(form):
    process, Q = process_of(form), np.random.default_rng(9).random((13, 5))
    mean, sd = process.mean_and_sd(Q)
    np.testing.assert_allclose(mean, process.mean(Q), atol=1e-12)
    np.testing.assert_allclose(sd, np.sqrt(process.covariance(Q).diagonal()), atol=1e-6)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_rotations_find_the_eigenvalues(n):
    root = np.random.default_rng(n).standard_normal((n, n))
    A = root + root.T
    A[0, -1] = A[-1, 0] = 0.0
    D, V = A.copy(), np.empty((n, n))
    diagonalize(D, V)
    np.testing.assert_allclose(np.sort(D.diagonal()), np.linalg.eigvalsh(A), atol=1e-12)
    np.testing.assert_allclose(V * D.diagonal() @ V.T, A, atol=1e-12)


def test_a_newton_step_in_the_cube_moves_free_coordinates_only():
    y, slope = np.array([0.0, 0.4, 1.0]), np.array([-3.0, 0.6, -0.2])
    bend = np.array([[-5.0, 1.0, 2.0], [1.0, -2.0, 0.5], [2.0, 0.5, -3.0]])
    step = np.empty(3)
    length = newton_in_cube(y, slope, bend, np.empty((6, 3)), step)
    np.testing.assert_allclose(step, np.append(0.0, -np.linalg.solve(bend[1:, 1:], slope[1:])), atol=1e-12)
    assert length == np.abs(step).max()
