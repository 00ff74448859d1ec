"""The programs that only this method needs: a minimum inside its bounds, and one with equalities."""

import numpy as np
import pytest

from reckless.methods.program import solve_equalities, solve_inside


def test_a_minimum_inside_is_found_and_one_outside_is_not():
    H, f = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([-0.3, 0.2])
    u = solve_inside(H, f, -np.ones(2), np.ones(2))
    assert (H @ u + f).tolist() == pytest.approx([0.0, 0.0], abs=1e-12)
    assert solve_inside(H, 10.0 * f, -np.ones(2), np.ones(2)) is None


def test_a_singular_matrix_has_no_minimum_inside():
    assert solve_inside(np.ones((2, 2)), np.array([1.0, -1.0]), -np.ones(2), np.ones(2)) is None


def test_a_minimum_with_equalities_obeys_them():
    """u1^2 + u2^2 with u1 + u2 = 1 and u1 <= 0.2, u2 free: (0.2, 0.8)."""
    u = solve_equalities(
        2.0 * np.eye(2), np.zeros(2), np.ones((1, 2)), np.ones(1), np.array([-1.0, -np.inf]), np.array([0.2, np.inf])
    )
    assert u.tolist() == pytest.approx([0.2, 0.8], abs=1e-9)


def test_equalities_that_contradict_the_bounds_have_no_solution():
    assert solve_equalities(np.eye(1), np.zeros(1), np.ones((1, 1)), np.full(1, 5.0), np.zeros(1), np.ones(1)) is None
