"""One scenario's quadratic: what it learns from slopes and from values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckless.methods.danskin.curvature import symmetric_broyden
from reckless.methods.finite.piece import Piece


def quadratic(seed, n=3):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, n))
    H, g = A + A.T, rng.standard_normal(n)
    return lambda x: float(g @ x + 0.5 * x @ H @ x), lambda x: g + H @ x, H


@given(seed=st.integers(0, 10_000))
def test_the_update_maps_the_step_to_the_change_and_moves_as_little_as_possible(seed):
    rng = np.random.default_rng(seed)
    A, s, y = rng.standard_normal((3, 3)), rng.standard_normal(3), rng.standard_normal(3)
    B = A + A.T
    new = symmetric_broyden(B, s, y)
    assert new @ s == pytest.approx(y)
    assert new == pytest.approx(new.T)
    for _ in range(20):  # any other symmetric matrix that maps s to y is farther away
        other = rng.standard_normal((3, 3))
        P = np.eye(3) - np.outer(s, s) / (s @ s)
        other = new + 0.1 * P @ (other + other.T) @ P
        assert np.linalg.norm(other - B) >= np.linalg.norm(new - B) - 1e-12


def test_the_first_pair_gives_the_scale_and_a_true_curvature_is_kept():
    s = np.array([0.1, -0.2, 0.05])
    assert symmetric_broyden(None, s, 4.0 * s) == pytest.approx(4.0 * np.eye(3))
    _, _, H = quadratic(1)
    assert symmetric_broyden(H, s, H @ s) == pytest.approx(H)


def test_an_update_that_overflows_is_left_out():
    B = np.eye(2)
    assert symmetric_broyden(B, np.array([1e-9, 0.0]), np.array([1e305, 0.0])) is B


def measured_at(seed, x):
    f, slope, H = quadratic(seed)
    return f, H, Piece(x, f(x), slope(x), (x, slope(x)))


def test_a_measured_slope_blames_curvature_for_an_error():
    x, there = np.array([0.2, 0.7, 0.4]), np.array([0.5, 0.6, 0.1])
    f, _, piece = measured_at(5, x)
    piece.learn(there, f(there), predicted=1e9)
    assert piece.at(there)[0] == pytest.approx(f(there))
    assert piece.at(x)[0] == f(x)


def test_a_carried_slope_is_doubted_instead():
    x, there, on = np.array([0.2, 0.7, 0.4]), np.array([0.5, 0.6, 0.1]), np.array([0.55, 0.7, 0.1])
    f, _, piece = measured_at(5, x)
    piece.move(there, f(there), predicted=1e9)
    assert piece.is_good
    B = piece.B.copy()
    piece.learn(on, f(on), predicted=1e-9)
    assert not piece.is_good
    assert (piece.B == B).all()


def test_a_model_that_knows_its_curvature_is_carried_along_exactly():
    x, there = np.array([0.2, 0.7, 0.4]), np.array([0.5, 0.6, 0.1])
    f, H, piece = measured_at(7, x)
    piece.B = H
    piece.move(there, f(there), predicted=1e-6)
    assert piece.is_good
    assert piece.slope == pytest.approx(quadratic(7)[1](there))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_failure_teaches_nothing(value):
    _, _, piece = measured_at(5, np.array([0.2, 0.7, 0.4]))
    piece.learn(np.array([0.5, 0.6, 0.1]), value, predicted=1.0)
    assert piece.B is None
    assert piece.is_good
