"""What a peak foretells: its best move, how y answers x, and its cut."""

from dataclasses import replace

import numpy as np
import pytest

from reckless.core.task import Hill
from reckless.methods.danskin.peak import (
    Peak,
    best_move,
    bounds_held,
    climb_left,
    cut,
    from_hill,
    highest,
    is_jump,
    local_climb,
    n_cornered,
    nearest,
    response,
)


def known_peak(y=(0.5, 0.4), gy=(0.02, -0.01)):
    return Peak(
        np.array(y),
        2.0,
        gx=np.array([1.0, -2.0, 0.5]),
        gy=np.array(gy),
        H=np.array([[-3.0, 1.0], [1.0, -2.0]]),
        M=np.array([[0.1, 0.2, 0.0], [0.0, -0.3, 0.4]]),
        B=np.eye(3),
    )


@pytest.mark.parametrize("seed", range(6))
def test_no_move_within_the_box_gains_more_than_the_best(seed):
    """Against 40,000 random moves; the regularization costs at most 1e-6 of the gain."""
    rng = np.random.default_rng(seed)
    root, g, y = rng.standard_normal((3, 3)), rng.standard_normal(3), rng.random(3)
    H = -(root @ root.T)
    s, gain = best_move(H, g, y)
    moves = rng.random((40_000, 3)) - y
    gains = moves @ g + 0.5 * ((moves @ H) * moves).sum(1)
    assert gain >= gains.max() * (1.0 - 1e-6)
    assert gain == pytest.approx(g @ s + 0.5 * s @ H @ s, rel=1e-3)
    assert (y + s >= -1e-12).all()
    assert (y + s <= 1.0 + 1e-12).all()


def test_weak_curvature_is_kept_where_it_was_measured():
    """Slopes of 1e-2 with a curvature of 1e-1: the top is a tenth away, not at the bound."""
    s, gain = best_move(np.diag([-1e-1, -1e3]), np.array([1e-2, 0.0]), np.array([0.5, 0.5]))
    assert s.tolist() == pytest.approx([0.1, 0.0], rel=1e-6)
    assert gain == pytest.approx(5e-4, rel=1e-6)


def test_without_curvature_the_best_move_leads_to_the_bound():
    s, _ = best_move(np.zeros((2, 2)), np.array([3.0, -1e-3]), np.array([0.2, 0.9]))
    assert s.tolist() == pytest.approx([0.8, -0.9], abs=1e-9)


def test_a_climb_is_computed_anew_when_the_peak_moves_or_is_pinned():
    peak = known_peak()
    s, gain = climb_left(peak)
    assert s.tolist() == pytest.approx(np.linalg.solve(-peak.H, peak.gy).tolist(), rel=1e-6)
    peak.move(s, 2.0 + gain)
    assert np.abs(climb_left(peak)[0]).max() < 1e-8
    pinned = replace(known_peak(), is_pinned=np.array([True, True]))
    assert climb_left(pinned)[1] == 0.0


def test_a_far_top_belongs_to_another_hill():
    assert local_climb(known_peak(gy=(2.0, 1.0)))[1] == 0.0
    assert local_climb(known_peak())[1] > 0.0


def test_y_answers_a_step_by_the_move_that_cancels_its_slope():
    peak, d = known_peak(gy=(0.0, 0.0)), np.array([0.05, -0.02, 0.03])
    s, jump = response(peak, d)
    assert jump is None
    assert s.tolist() == pytest.approx(np.linalg.solve(-peak.H, peak.M @ d).tolist(), rel=1e-5)


def test_an_answer_that_is_too_long_is_offered_as_a_jump():
    """With slopes of 2 and 1 the top lies 1 away, and the step of 0.01 allows 0.12."""
    peak = known_peak(gy=(2.0, 1.0))
    s, jump = response(peak, np.array([0.01, 0.0, 0.0]))
    assert not s.any()
    assert is_jump(jump, np.array([0.01, 0.0, 0.0]))
    assert response(replace(peak, is_fixed=True), np.array([0.01, 0.0, 0.0]))[1] is None


def test_the_cut_is_that_of_the_top_which_y_has_not_reached():
    peak = known_peak()
    s, gain = climb_left(peak)
    value, slope = cut(peak, 3)
    assert value == pytest.approx(2.0 + gain, rel=1e-12)
    assert slope.tolist() == pytest.approx((peak.gx + peak.M.T @ s).tolist(), rel=1e-12)


def test_a_peak_without_a_slope_is_a_flat_cut():
    value, slope = cut(Peak(np.array([0.3]), 4.0), 3)
    assert value == 4.0
    assert slope.tolist() == [0.0, 0.0, 0.0]


def test_slopes_follow_the_model_and_are_no_longer_measured_ones():
    peak = replace(known_peak(), is_fresh_x=True, is_fresh_y=True)
    d, s = np.array([0.1, 0.0, -0.1]), np.array([0.02, 0.03])
    new = peak.followed(d, s, 7.0)
    assert new.gy.tolist() == pytest.approx((peak.gy + peak.H @ s + peak.M @ d).tolist())
    assert new.gx.tolist() == pytest.approx((peak.gx + d).tolist())  # B is the identity
    assert (new.value, new.is_fresh_x, new.is_fresh_y, peak.is_fresh_x) == (7.0, False, False, True)


def test_a_hill_keeps_what_is_known_of_a_peak():
    peak = known_peak()
    again = from_hill(peak.hill(), 9.0)
    assert again.value == 9.0
    assert again.B is peak.B
    assert again.M is peak.M
    assert not again.is_fresh_x
    bare = from_hill(Hill(np.array([0.2, 0.3]), gx=np.zeros(3), H=-np.eye(2)), 1.0)
    assert bare.M.shape == (2, 3)


def test_corners_are_coordinates_at_bounds_that_are_not_concave():
    peak = Peak(np.array([0.0, 1.0, 1.0, 0.5]), 1.0, gy=np.array([-1.0, 2.0, 2.0, 0.0]), H=np.diag([0, 0, -9.0, 0]))
    assert n_cornered(peak) == 2
    assert bounds_held(peak.y).tolist() == [-1.0, 1.0, 1.0, 0.0]


def test_highest_and_nearest_peaks_are_found():
    peaks = [Peak(np.array([0.1]), 1.0), Peak(np.array([0.9]), 3.0), Peak(np.array([0.5]), 2.0)]
    assert highest(peaks) is peaks[1]
    assert nearest(peaks, np.array([0.6])) is peaks[2]
