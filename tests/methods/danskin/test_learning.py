"""Updates of second derivatives, against what they promise and against naive formulas."""

import numpy as np
import pytest

from reckless.methods.danskin.curvature import bend_ratio, bent, between, bfgs, broyden, mixture


def positive(n, seed):
    root = np.random.default_rng(seed).standard_normal((n, n))
    return root @ root.T + 0.3 * np.eye(n)


@pytest.mark.parametrize("seed", range(4))
def test_bfgs_maps_the_step_to_the_change_and_stays_positive(seed):
    rng = np.random.default_rng(100 + seed)
    B, truth, step = positive(4, seed), positive(4, seed + 50), rng.standard_normal(4)
    change = truth @ step
    learned = bfgs(B, step, change)
    # The naive formula: B - Bss'B / s'Bs + yy' / s'y.
    naive = B - np.outer(B @ step, B @ step) / (step @ B @ step) + np.outer(change, change) / (step @ change)
    is_damped = step @ change < 0.2 * (step @ B @ step)
    assert is_damped or np.allclose(learned, naive, rtol=1e-12)
    assert is_damped or np.allclose(learned @ step, change, rtol=1e-10)
    assert np.linalg.eigvalsh(learned).min() > 0.0


def test_bfgs_without_a_matrix_takes_its_scale_from_the_first_pair():
    """For a multiple of the identity that is exact."""
    learned = bfgs(None, np.array([0.3, -0.1, 0.2]), 7.0 * np.array([0.3, -0.1, 0.2]))
    assert np.allclose(learned, 7.0 * np.eye(3), rtol=1e-12)


def test_the_curvature_met_is_told_relative_to_the_learned_one():
    B, step = np.diag([2.0, 5.0]), np.array([1.0, 0.5])
    assert bend_ratio(B, step, 3.0 * B @ step) == pytest.approx(3.0)
    assert bend_ratio(0.0 * B, step, step) == 1.0


def test_bfgs_damps_a_change_that_bends_down():
    B, step = np.diag([2.0, 5.0]), np.array([1.0, 0.5])
    learned = bfgs(B, step, np.array([-4.0, 1.0]))
    assert step @ learned @ step == pytest.approx(0.2 * (step @ B @ step), rel=1e-12)
    assert np.linalg.eigvalsh(learned).min() > 0.0


def test_bfgs_learns_a_dense_quadratic_from_conjugate_steps():
    """Along steps that are conjugate for the truth, n updates make it exact."""
    truth, B = positive(3, 9), np.eye(3)
    for step in np.linalg.eigh(truth)[1].T:
        B = bfgs(B, step, truth @ step)
    assert np.allclose(B, truth, rtol=1e-9)


def test_bfgs_keeps_its_matrix_where_the_pair_overflows():
    B = np.diag([2.0, 5.0])
    with np.errstate(all="ignore"):
        learned = bfgs(B, np.array([1e-8, 0.0]), np.array([1e300, 1e306]))
    assert np.isfinite(learned).all()


def test_broyden_maps_the_step_to_the_change_and_leaves_the_rest():
    rng = np.random.default_rng(3)
    M, step, change = rng.standard_normal((2, 3)), np.array([0.2, -0.4, 0.1]), np.array([5.0, -1.0])
    learned = broyden(M, step, change)
    across = np.array([0.4, 0.2, 0.0])  # orthogonal to the step
    assert np.allclose(learned @ step, change, rtol=1e-12)
    assert np.allclose(learned @ across, M @ across, rtol=1e-12)


def test_a_bent_matrix_gets_most_of_the_curvature_that_was_missing():
    """A step of length 2 along the first axis, foretold too low by 6: a curvature of 3 there, 1 of which was known."""
    B = np.diag([1.0, 4.0])
    learned = bent(B, np.array([2.0, 0.0]), 6.0)
    assert np.allclose(learned, np.diag([1.0 + 0.7 * 2.0, 4.0]), rtol=1e-12)
    assert bent(B, np.array([2.0, 0.0]), 1.0) is B  # less than B has already


def test_the_first_bent_matrix_is_a_multiple_of_the_identity():
    assert np.allclose(bent(None, np.array([0.0, 2.0]), 6.0), 3.0 * np.eye(2), rtol=1e-12)
    assert not bent(None, np.array([0.0, 2.0]), np.inf).any()


def test_the_mixture_weighs_curvatures():
    parts = [(0.6, np.diag([1.0, 2.0])), (0.2, np.diag([9.0, 2.0]))]
    assert np.allclose(mixture(parts, 2), np.diag([3.0, 2.0]), rtol=1e-12)
    assert not mixture([], 2).any()


def test_only_directions_that_all_slopes_share_are_curved():
    """Slopes differ along the first axis: there a cut decides, and what bends down there bends nothing else."""
    slopes = np.array([[2.0, 1.0, 0.0], [-3.0, 1.0, 0.0]])
    B = np.array([[-9.0, 5.0, 1.0], [5.0, 4.0, 0.0], [1.0, 0.0, -2.0]])
    assert between(B, slopes) == pytest.approx(np.diag([0.0, 4.0, 0.0]), abs=1e-12)


def test_cuts_that_determine_the_step_leave_no_curvature():
    slopes = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    assert (between(np.diag([3.0, 5.0]), slopes) == 0.0).all()


def test_cuts_with_the_same_slope_keep_the_convex_part_of_all_curvature():
    slopes = np.array([[1.0, 2.0], [1.0, 2.0]])
    assert between(np.diag([3.0, -5.0]), slopes) == pytest.approx(np.diag([3.0, 0.0]), abs=1e-12)
