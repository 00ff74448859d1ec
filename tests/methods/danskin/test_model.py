"""The model step against a naive solver, and the curvature updates."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from reckless.methods.danskin.climb import Peak
from reckless.methods.danskin.model import (
    Step,
    corrected_step,
    lagrangian_slope,
    model_step,
    raised_curvature,
    updated_curvature,
)
from reckless.methods.danskin.state import State, Track


def random_state(rng, n, n_y, n_pieces, is_additive):
    x = rng.random(n)
    base = Track(slice(0, n_y), Peak(np.full(n_y, 0.5), 2.0, np.full(n_y, 0.1)), slope=rng.standard_normal(n))
    state = State(x, base)
    for k in range(n_pieces):
        block = slice(k % n_y, k % n_y + 1) if is_additive else slice(0, n_y)
        z = rng.random(block.stop - block.start)
        piece = Track(block, Peak(z, 2.0 - 0.1 * rng.random(), np.full(z.size, 0.1)))
        piece.slope, piece.rate = rng.standard_normal(n), 1e9
        state.pieces.append(piece)
    return state


def model_value(state, curvature, d):
    total = state.base.slope @ d + 0.5 * d @ curvature @ d
    for start in {piece.block.start for piece in state.pieces}:
        block = [p for p in state.pieces if p.block.start == start]
        total += max(0.0, max(p.slope @ d - state.gap(p) for p in block))
    return total


def naive_minimum(state, curvature, radius):
    """SLSQP on the program with one excess variable per block, from several starts."""
    n = state.x.size
    starts = sorted({piece.block.start for piece in state.pieces})
    low, high = np.maximum(-radius, -state.x), np.minimum(radius, 1.0 - state.x)
    constraints = [
        {
            "type": "ineq",
            "fun": lambda v, p=piece: v[n + starts.index(p.block.start)] - (p.slope @ v[:n] - state.gap(p)),
        }
        for piece in state.pieces
    ]
    found = minimize(
        lambda v: state.base.slope @ v[:n] + 0.5 * v[:n] @ curvature @ v[:n] + v[n:].sum(),
        np.concatenate([np.zeros(n), np.ones(len(starts))]),
        bounds=[*zip(low, high, strict=True), *[(0.0, None)] * len(starts)],
        constraints=constraints,
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    return model_value(state, curvature, np.clip(found.x[:n], low, high))


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), is_additive=st.booleans(), is_flat=st.booleans())
def test_the_step_is_as_good_as_a_general_solver_finds(seed, is_additive, is_flat):
    rng = np.random.default_rng(seed)
    n, n_y = int(rng.integers(1, 6)), int(rng.integers(1, 5))
    state = random_state(rng, n, n_y, int(rng.integers(0, 7)), is_additive)
    R = rng.standard_normal((n, n))
    curvature = np.zeros((n, n)) if is_flat else R @ R.T
    radius = 10.0 ** rng.uniform(-3, 0)
    step = model_step(state, curvature, radius)
    assert (np.abs(step.d) <= radius * (1 + 1e-9)).all()
    assert ((state.x + step.d >= -1e-12) & (state.x + step.d <= 1.0 + 1e-12)).all()
    assert step.predicted == pytest.approx(-model_value(state, curvature, step.d), abs=1e-12)
    assert step.predicted >= -naive_minimum(state, curvature, radius) - 1e-6 * radius


def test_the_weights_balance_the_slopes_at_a_kink():
    """|d| has the pieces d and -d: at its minimum each holds with 1/2."""
    state = State(np.array([0.5]), Track(slice(0, 1), Peak(np.array([0.2]), 1.0, np.array([0.1])), slope=np.ones(1)))
    piece = Track(slice(0, 1), Peak(np.array([0.8]), 1.0, np.array([0.1])), slope=np.array([-2.0]), rate=1e9)
    state.pieces = [piece]
    step = model_step(state, np.zeros((1, 1)), 0.1)
    assert step.d[0] == pytest.approx(0.0, abs=1e-9)
    assert piece.weight == pytest.approx(0.5)
    np.testing.assert_allclose(lagrangian_slope(state), 0.0, atol=1e-9)


def test_pieces_out_of_reach_take_no_part():
    rng = np.random.default_rng(1)
    state = random_state(rng, 3, 2, 2, False)
    for piece in state.pieces:
        piece.rate = 0.0
    expected = -0.1 * np.sign(state.base.slope)
    step = model_step(state, np.zeros((3, 3)), 0.1)
    np.testing.assert_allclose(step.d, np.clip(expected, -state.x, 1.0 - state.x))
    assert all(piece.weight == 0.0 for piece in state.pieces)


@given(seed=st.integers(0, 2**32 - 1))
def test_the_updated_curvature_explains_the_step_and_stays_positive(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    R = rng.standard_normal((n, n))
    B, d, change = R @ R.T + 0.1 * np.eye(n), rng.standard_normal(n), rng.standard_normal(n)
    updated = updated_curvature(B, d, change)
    np.testing.assert_allclose(updated, updated.T, rtol=1e-9, atol=1e-9)
    assert np.linalg.eigvalsh(updated).min() > -1e-9 * np.abs(updated).max()
    if d @ change >= 0.2 * d @ B @ d:
        np.testing.assert_allclose(updated @ d, change, rtol=1e-6, atol=1e-8)


def test_the_first_curvature_has_the_scale_of_the_first_step():
    updated = updated_curvature(np.zeros((2, 2)), np.array([0.1, 0.0]), np.array([0.5, 0.0]))
    np.testing.assert_allclose(updated, 5.0 * np.eye(2))


def test_a_refused_step_raises_the_curvature_along_it_only():
    d = np.array([0.2, 0.0])
    raised = raised_curvature(np.zeros((2, 2)), d, 0.01)
    assert 0.5 * d @ raised @ d == pytest.approx(0.7 * 0.01)
    assert raised[1, 1] == 0.0
    np.testing.assert_array_equal(raised_curvature(raised, d, 0.0), raised)


def test_the_corrected_step_returns_to_the_surface_where_the_pieces_meet():
    """Pieces f and f + c(x) with c curved: the linear step leaves c = 0, the corrected one is closer to it."""

    def c(x):
        return x[1] - 0.5 + 2.0 * (x[0] - 0.5) ** 2

    x = np.array([0.5, 0.5])
    base = Track(slice(0, 1), Peak(np.zeros(1), 1.0, np.ones(1)), slope=np.array([-1.0, -3.0]))
    piece = Track(slice(0, 1), Peak(np.ones(1), 1.0, np.ones(1)), slope=np.array([0.0, 6.0]), rate=1e9)
    state = State(x, base, [piece])
    step = model_step(state, 1e-3 * np.eye(2), 0.1)
    assert step.d[0] == pytest.approx(0.1)
    gap_there = -6.0 * c(x + step.d)
    corrected = corrected_step(state, 1e-3 * np.eye(2), 0.1, step, [gap_there])
    assert corrected is not None
    assert abs(c(x + corrected.d)) < 0.1 * abs(c(x + step.d))
    assert corrected.predicted == step.predicted


def test_without_holding_pieces_there_is_nothing_to_correct():
    state = random_state(np.random.default_rng(2), 2, 1, 0, False)
    assert corrected_step(state, np.eye(2), 0.1, Step(np.array([0.1, 0.0]), 1.0), []) is None
