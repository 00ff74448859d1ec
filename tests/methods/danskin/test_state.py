"""The algebra of bases and pieces, against brute force on functions that really are sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckless.methods.danskin.climb import Peak
from reckless.methods.danskin.state import State, Track

N_X, N_Y = 2, 4


class Sum:
    """f(x, y) = sum over i of u_i x y_i + w_i (y_i - x_1)^2, additive in y."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.u, self.w = rng.standard_normal((N_Y, N_X)), rng.standard_normal(N_Y)

    def value(self, x, y):
        return float((self.u @ x) @ y + self.w @ (y - x[0]) ** 2)

    def slope(self, x, y):
        slope = self.u.T @ y
        slope[0] -= 2.0 * self.w @ (y - x[0])
        return slope


def make_state(f, x, y, places, blocks):
    """A state all of whose values and slopes are those of f at x."""
    base = Track(slice(0, N_Y), Peak(y, f.value(x, y), np.full(N_Y, 0.1)), slope=f.slope(x, y), slope_at=x)
    state = State(x, base)
    for block, z in zip(blocks, places, strict=True):
        other = y.copy()
        other[block] = z
        slope = f.slope(x, other) - base.slope
        state.pieces.append(Track(block, Peak(z, f.value(x, other), np.full(z.size, 0.1)), slope=slope, slope_at=x))
    return state


def check(state, f):
    """Whether everything in the state is what f says."""
    base = state.base
    assert base.value == pytest.approx(f.value(state.x, base.z))
    np.testing.assert_allclose(base.slope, f.slope(state.x, base.z), atol=1e-9)
    for piece in state.pieces:
        y = state.with_piece(piece)
        assert piece.value == pytest.approx(f.value(state.x, y), abs=1e-9)
        np.testing.assert_allclose(piece.slope, f.slope(state.x, y) - base.slope, atol=1e-9)


@given(seed=st.integers(0, 2**32 - 1), order=st.lists(st.integers(0, 5), max_size=6))
def test_swapping_single_coordinates_needs_no_evaluation(seed, order):
    f, rng = Sum(seed), np.random.default_rng(seed)
    blocks = [slice(i, i + 1) for i in (0, 1, 1, 2, 3, 3)]
    state = make_state(f, rng.random(N_X), rng.random(N_Y), list(rng.random((6, 1))), blocks)
    for k in order:
        state.swap(state.pieces[k])
        check(state, f)


@given(seed=st.integers(0, 2**32 - 1), order=st.lists(st.integers(0, 2), max_size=6))
def test_swapping_whole_scenarios_needs_no_evaluation(seed, order):
    f, rng = Sum(seed), np.random.default_rng(seed)
    blocks = [slice(0, N_Y)] * 3
    state = make_state(f, rng.random(N_X), rng.random(N_Y), list(rng.random((3, N_Y))), blocks)
    for k in order:
        state.swap(state.pieces[k])
        check(state, f)


def test_the_base_takes_over_an_evaluated_value_exactly():
    f, rng = Sum(3), np.random.default_rng(3)
    state = make_state(f, rng.random(N_X), rng.random(N_Y), [np.array([0.7])], [slice(2, 3)])
    expected = state.pieces[0].value
    state.swap(state.pieces[0])
    assert state.base.value == expected
    assert state.base.is_exact


def test_weights_of_a_block_stay_a_convex_combination():
    f, rng = Sum(5), np.random.default_rng(5)
    blocks = [slice(1, 2), slice(1, 2)]
    state = make_state(f, rng.random(N_X), rng.random(N_Y), list(rng.random((2, 1))), blocks)
    first, second = state.pieces
    first.weight, second.weight = 0.5, 0.2
    state.swap(first)
    assert first.weight == pytest.approx(0.3)  # what was left for the base
    assert second.weight == 0.2


def test_a_piece_too_close_to_the_base_or_lower_than_its_double_is_not_added():
    f, rng = Sum(7), np.random.default_rng(7)
    state = make_state(f, rng.random(N_X), np.full(N_Y, 0.5), [], [])
    h = np.array([0.1])
    state.add(Track(slice(0, 1), Peak(np.array([0.5005]), 1.0, h)))
    assert state.pieces == []
    state.add(Track(slice(0, 1), Peak(np.array([0.9]), 1.0, h)))
    state.add(Track(slice(0, 1), Peak(np.array([0.9004]), 2.0, h)))
    state.add(Track(slice(0, 1), Peak(np.array([0.9004]), 0.5, h)))
    assert [piece.value for piece in state.pieces] == [2.0]
    state.add(Track(slice(1, 2), Peak(np.array([0.9]), 1.0, h)))
    assert len(state.pieces) == 2


def test_merging_keeps_the_highest_pieces():
    f, rng = Sum(7), np.random.default_rng(7)
    state = make_state(f, rng.random(N_X), np.full(N_Y, 0.5), [], [])
    for value in (1.0, 3.0, 2.0):
        state.add(Track(slice(0, 1), Peak(np.array([0.1 * value]), value, np.array([0.1]))))
    state.merge(2)
    assert [piece.value for piece in state.pieces] == [3.0, 2.0]


def test_a_trial_leaves_the_state_it_came_from_alone():
    f, rng = Sum(9), np.random.default_rng(9)
    state = make_state(f, rng.random(N_X), rng.random(N_Y), [np.array([0.7])], [slice(2, 3)])
    copy = state.copy()
    copy.swap(copy.pieces[0])
    copy.base.revalue(99.0, is_exact=True)
    check(state, f)


def test_pieces_on_coordinates_rise_with_the_base_and_scenarios_do_not():
    y, h = np.full(N_Y, 0.5), np.full(N_Y, 0.1)
    state = State(np.zeros(N_X), Track(slice(0, N_Y), Peak(y, 1.0, h)))
    state.pieces = [Track(slice(0, 1), Peak(np.zeros(1), 0.4, h[:1])), Track(slice(0, N_Y), Peak(1.0 - y, 0.4, h))]
    state.raise_base(Peak(y + 0.1, 1.25, h))
    assert [piece.value for piece in state.pieces] == [0.65, 0.4]
    assert [piece.is_exact for piece in state.pieces] == [False, True]
