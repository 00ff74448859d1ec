"""Views of the pair: what they show, how slopes and curvatures come back, and which are tried for which sets."""

import numpy as np
import pytest

from reckless.domains.box import Box
from reckless.domains.sets import Ball, Scenarios, Simplex
from reckless.methods.surrogate.spaces import sample, space_of
from reckless.methods.surrogate.views import Plain, Summed, reach_of, views_of
from surfaces import Surface, differences

BOX = Box([(1.0, 4.0), (-7.0, -2.0)])
TRUSS = Scenarios([[12.0, 0.3], [7.5, 0.9], [3.0, 2.0], [11.0, -1.0]])
REACH = np.array([0.2, 0.05])


def rough(n):
    """A surface of n inputs without any symmetry."""
    rng = np.random.default_rng(n)
    bend = rng.standard_normal((n, n))
    return Surface(
        rng.standard_normal(n), bend + bend.T, rng.standard_normal((3, n)), [1.0, -0.6, 0.3], [0.1, 1.0, 2.0]
    )


def check_pull(view, Q, n_real):
    """Slopes and curvatures are differences of what the view shows to a surface."""
    surface = rough(n_real)
    jet = view.pull(Q, surface.jet(view(Q)))
    np.testing.assert_allclose(jet.level, surface.mean(view(Q)), rtol=1e-14)
    np.testing.assert_allclose(jet.slope, differences(lambda Q: surface.mean(view(Q)), Q), rtol=1e-6, atol=1e-7)

    def slope(Q):
        return view.pull(Q, surface.jet(view(Q))).slope

    np.testing.assert_allclose(jet.bend, differences(slope, Q), rtol=1e-5, atol=1e-6)


def pairs(x_domain, y_domain, m=9):
    rng = np.random.default_rng(3)
    xs, ys = space_of(x_domain, x_domain.n), space_of(y_domain, y_domain.n)
    return np.hstack([sample(xs, rng, m), sample(ys, rng, m)]), views_of(xs, ys, x_domain, y_domain)


def test_opened_shares_pull_back_what_their_logarithms_do():
    Q, views = pairs(Simplex(3), BOX)
    assert [view.is_open.tolist() for view in views] == [[False] * 5, [True] * 3 + [False] * 2]
    Q[0, :3] = 0.02, 0.84, 0.01  # small shares: opened most
    for view in views:
        check_pull(view, Q, 5)
    np.testing.assert_allclose(views[1](Q)[:, :3], 0.4 * np.log(1.0 + Q[:, :3] / 0.029), rtol=1e-14)
    np.testing.assert_array_equal(views[1](Q)[:, 3:], Q[:, 3:])


def test_opening_shares_does_not_change_the_pairs():
    Q, views = pairs(Simplex(3), BOX)
    before = Q.copy()
    views[1](Q)
    np.testing.assert_array_equal(Q, before)


def test_shares_of_y_are_opened_too():
    Q, views = pairs(BOX, Simplex(3))
    assert [view.is_open.tolist() for view in views] == [[False] * 5, [False] * 2 + [True] * 3]
    check_pull(views[1], Q, 5)


@pytest.mark.parametrize("is_inside", [True, False])
def test_sums_pull_back_to_both_of_their_parts(is_inside):
    Q = np.array([[0.3, 0.5, 0.1, 0.9], [0.05, 0.5, 0.1, 0.4], [0.5, 0.98, 0.5, 0.9], [0.9, 0.02, 0.99, 0.1]])
    view = Summed(REACH, is_inside)
    sums = Q[:, :2] + REACH * (2.0 * Q[:, 2:] - 1.0)
    assert (sums.min(axis=1) < 0.0).any()
    assert (sums.max(axis=1) > 1.0).any()
    np.testing.assert_allclose(view(Q), np.clip(sums, 0.0, 1.0) if is_inside else sums, rtol=1e-15)
    check_pull(view, Q, 2)
    stuck = (sums < 0.0) | (sums > 1.0)
    slope = view.pull(Q, rough(2).jet(view(Q))).slope
    assert ((slope == 0.0) == np.hstack([stuck, stuck] if is_inside else [stuck & False] * 2)).all()


@pytest.mark.parametrize(("x_domain", "y_domain"), [(BOX, TRUSS), (TRUSS, BOX), (TRUSS, TRUSS), (Simplex(3), TRUSS)])
def test_numbers_of_lists_have_no_slope_and_leave_the_others_in_their_columns(x_domain, y_domain):
    Q, views = pairs(x_domain, y_domain)
    for view in views:
        check_pull(view, Q, view.is_open.size)


def test_numbers_are_shown_last_and_only_where_the_view_is_labeled():
    Q, views = pairs(BOX, TRUSS)
    seen = [view(Q) for view in views]
    np.testing.assert_array_equal(seen[0], Q[:, :4])
    np.testing.assert_array_equal(seen[1], Q)
    np.testing.assert_array_equal(seen[2], Q[:, [0, 1, 4]])


# Which views


def listed(x_domain, y_domain, n_scenarios=None):
    xs = space_of(x_domain, x_domain.n)
    ys = space_of(y_domain, 1 if n_scenarios else y_domain.n, n_scenarios)
    return [
        (view.columns.tolist(), int(view.is_open.sum()), view.groups, view.is_labeled)
        if isinstance(view, Plain)
        else (view.reach.tolist(), view.is_inside, view.groups, view.is_labeled)
        for view in views_of(xs, ys, x_domain, y_domain)
    ]


def test_boxes_and_balls_are_seen_as_they_are():
    for y_domain in (Box([(2.0, 9.0)] * 3), Ball([5.0, 1.0, 2.0], 0.1)):
        assert listed(BOX, y_domain) == [([0, 1, 2, 3, 4], 0, (2, 3), False)]


def test_a_list_of_y_is_seen_by_coordinates_by_both_and_by_numbers():
    assert listed(BOX, TRUSS) == [
        ([0, 1, 2, 3], 0, (2, 2), False),
        ([0, 1, 2, 3, 4], 0, (2, 2), True),
        ([0, 1, 4], 0, (2,), True),
    ]


def test_a_list_of_y_without_coordinates_is_seen_by_numbers():
    assert listed(BOX, None, n_scenarios=7) == [([0, 1, 2], 0, (2,), True)]


def test_shares_double_the_views():
    found = listed(Simplex(3), TRUSS)
    assert [view[1] for view in found] == [0, 0, 0, 3, 3, 3]
    assert [view[0] for view in found[:3]] == [view[0] for view in found[3:]]
    assert listed(Simplex(3), Simplex(2)) == [([0, 1, 2, 3, 4], k, (3, 2), False) for k in (0, 5)]


def test_a_list_of_x_is_seen_by_coordinates():
    assert listed(TRUSS, BOX) == [([0, 1, 3, 4], 0, (2, 2), False)]


def test_a_small_deviation_is_also_seen_as_a_sum():
    found = listed(BOX, Box([(-0.6, 0.6), (-0.25, 0.25)]))
    assert found[0] == ([0, 1, 2, 3], 0, (2, 2), False)
    assert [view[1] for view in found[1:]] == [True, False]
    assert found[1][0] == pytest.approx([0.2, 0.05], rel=1e-15)


# Reach


def test_the_reach_is_what_y_adds_in_units_of_x():
    assert reach_of(BOX, Box([(-0.6, 0.6), (-0.25, 0.25)])).tolist() == pytest.approx([0.2, 0.05], rel=1e-15)
    assert reach_of(BOX, Ball([0.0, 0.0], [0.6, 1.25])).tolist() == pytest.approx([0.2, 0.25], rel=1e-15)


@pytest.mark.parametrize(
    ("x_domain", "y_domain"),
    [
        (BOX, Box([(-0.6, 0.6), (-1.3, 1.3)])),  # too wide
        (BOX, Box([(-0.6, 0.5), (-0.2, 0.2)])),  # not symmetric
        (BOX, Box([(-0.6, 0.6)])),  # fewer
        (BOX, Ball([0.0, 0.1], 0.1)),
        (BOX, Box([(-1, 1, "int"), (-0.2, 0.2)])),
        (BOX, TRUSS),
        (Box([(1.0, 4.0, "log"), (2.0, 7.0)]), Ball([0.0, 0.0], 0.1)),
        (Box([(1, 40, "int"), (2, 70, "int")]), Ball([0.0, 0.0], 0.1)),
        (Simplex(2), Ball([0.0, 0.0], 0.1)),
        (None, None),
    ],
)
def test_a_set_that_is_no_small_deviation_has_no_reach(x_domain, y_domain):
    assert reach_of(x_domain, y_domain) is None
