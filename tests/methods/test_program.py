"""The quadratic program against SciPy's solver, and by hand."""

import numpy as np
import pytest
from scipy.optimize import minimize

from reckless.methods.program import solve_program


def naive(H, f, A, b, low, high, balanced):
    """SLSQP on the same program."""
    n = low.size
    constraints = [{"type": "ineq", "fun": lambda u: b - A @ u, "jac": lambda u: -A}]
    if balanced:
        constraints.append({"type": "eq", "fun": lambda u: u[:n].sum()})
    bounds = [*zip(low, high, strict=True), *[(0.0, None)] * (f.size - n)]
    found = minimize(
        lambda u: 0.5 * u @ H @ u + f @ u,
        np.append(np.zeros(n), np.full(f.size - n, 5.0)),
        jac=lambda u: H @ u + f,
        bounds=bounds,
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return found.fun


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_minimum_is_that_of_another_solver(seed, balanced):
    """Three steps in x against four y, with one excess variable; the curvature has a flat direction."""
    rng = np.random.default_rng(seed)
    H = np.zeros((4, 4))
    root = rng.standard_normal((3, 2))
    H[:3, :3] = root @ root.T
    f = np.append(rng.standard_normal(3), 1.0)
    A = np.column_stack([rng.standard_normal((4, 3)), -np.ones(4)])
    b, low, high = rng.random(4), np.array([-0.1, -0.5, -0.3]), np.array([0.4, 0.2, 0.5])
    u, multipliers = solve_program(H, f, A, b, low, high, balanced=balanced)
    assert 0.5 * u @ H @ u + f @ u == pytest.approx(naive(H, f, A, b, low, high, balanced), abs=1e-8)
    assert (A @ u <= b + 1e-9).all()
    assert (u[:3] >= low - 1e-9).all()
    assert (u[:3] <= high + 1e-9).all()
    assert u[3] >= -1e-12
    assert not balanced or abs(u[:3].sum()) < 1e-9
    assert ((multipliers == 0.0) | (np.abs(A @ u - b) < 1e-8)).all()


def test_multipliers_say_which_rows_hold_the_minimum():
    """max(2 d, -3 d - 1) is lowest at d = -0.2, where 3/5 of the first and 2/5 of the second balance."""
    u, multipliers = solve_program(
        np.zeros((2, 2)),
        np.array([2.0, 1.0]),
        np.array([[-5.0, -1.0]]),
        np.array([1.0]),
        np.array([-1.0]),
        np.array([1.0]),
    )
    assert u.tolist() == pytest.approx([-0.2, 0.0], abs=1e-10)
    assert multipliers.tolist() == pytest.approx([0.4], abs=1e-8)


def test_a_balanced_step_takes_from_one_what_it_gives_to_the_other():
    """Along d_1 + d_2 + d_3 = 0 the slope (5, 1, 0) leads from the first to the last, as far as the bounds allow."""
    low, high = np.array([-0.3, -0.2, -0.4]), np.array([0.3, 0.4, 0.2])
    u, _ = solve_program(
        np.zeros((4, 4)),
        np.array([5.0, 1.0, 0.0, 1.0]),
        np.zeros((0, 4)),
        np.zeros(0),
        low,
        high,
        balanced=True,
    )
    assert u.tolist() == pytest.approx([-0.3, 0.1, 0.2, 0.0], abs=1e-10)


def test_a_program_without_a_solution_returns_the_steepest_corner_or_no_step():
    """No u has u_1 <= -5 within [-0.3, 0.4]."""
    program = (
        np.zeros((3, 3)),
        np.array([1.0, -2.0, 1.0]),
        np.array([[1.0, 0.0, 0.0]]),
        np.array([-5.0]),
        np.array([-0.3, -0.2]),
        np.array([0.4, 0.1]),
    )
    u, multipliers = solve_program(*program)
    assert u.tolist() == [-0.3, 0.1, 0.0]
    assert multipliers.tolist() == [0.0]
    assert solve_program(*program, balanced=True)[0].tolist() == [0.0, 0.0, 0.0]
