"""The sets as a model sees them: their rows, the way to the unit cube and back, and where rows may move."""

import numpy as np
import pytest

from reckless.domains.box import Box
from reckless.domains.sets import Ball, Scenarios, Simplex
from reckless.methods.surrogate.spaces import (
    Cube,
    Face,
    Listed,
    Round,
    Shares,
    around,
    is_whole,
    net,
    on_lattice,
    sample,
    space_of,
)

BOX = Box([(1.0, 4.0), (0.1, 30.0, "log"), (3, 7, "int"), (-7.0, -2.0), (-2, 0, "int")])
SIMPLEX = Simplex(4, total=3.0)
BALL = Ball([3.0, -1.0, 20.0], [0.5, 2.0, 7.0])
# The second coordinate is constant, and two rows are the same.
LIST = Scenarios([[12.0, 4.0, 0.3], [7.5, 4.0, 0.9], [3.0, 4.0, 2.0], [7.5, 4.0, 0.9], [11.0, 4.0, -1.0]])
DOMAINS = {"box": BOX, "simplex": SIMPLEX, "ball": BALL, "list": LIST, "unknown": object()}
SPACES = {
    "box": space_of(BOX, 5),
    "simplex": space_of(SIMPLEX, 3),
    "ball": space_of(BALL, 3),
    "list": space_of(LIST, 1),
    "unknown": space_of(object(), 2),
    "unknown list": space_of(None, 1, n_scenarios=6),
}
every_space = pytest.mark.parametrize("space", SPACES.values(), ids=SPACES.keys())
every_continuum = pytest.mark.parametrize("space", [SPACES[name] for name in ("box", "simplex", "ball", "unknown")])


def is_in(space, rows):
    """Tell whether all rows are in the set, integers aside."""
    assert rows.ndim == 2
    if isinstance(space, Listed):
        return bool((rows[:, None] == space.points).all(axis=2).any(axis=1).all())
    if isinstance(space, Shares):
        return rows.min() >= 0.0 and np.abs(rows.sum(axis=1) - 0.29 * space.n).max() < 1e-12
    if isinstance(space, Round):
        return bool((((rows - 0.5) ** 2).sum(axis=1) <= 0.25 + 1e-12).all())
    return rows.min() >= 0.0 and rows.max() <= 1.0


def is_on_lattice(space, rows):
    whole = space.n_values > 0
    numbers = rows[:, whole] * space.n_values[whole] - 0.5
    return bool(np.abs(numbers - np.rint(numbers)).max(initial=0.0) < 1e-12)


def some_rows(space, rng, m=40):
    """Rows inside, and rows on all kinds of edges."""
    rows = sample(space, rng, m)
    pushed = rows + rng.standard_normal(rows.shape)
    return np.vstack([rows, space.clip(pushed), space.corners()])


def test_each_set_has_its_space():
    kinds = {name: type(space) for name, space in SPACES.items()}
    assert kinds == {
        "box": Cube,
        "simplex": Shares,
        "ball": Round,
        "list": Listed,
        "unknown": Cube,
        "unknown list": Listed,
    }
    assert [space.n for space in SPACES.values()] == [5, 4, 3, 3, 2, 1]
    assert [space.d for space in SPACES.values()] == [5, 3, 3, 2, 2, 1]
    assert SPACES["box"].n_values.tolist() == [0, 0, 5, 0, 3]
    assert not any(is_whole(space).any() for name, space in SPACES.items() if name != "box")


@every_space
def test_rows_lie_in_the_set_and_on_the_lattice(space):
    rng = np.random.default_rng(1)
    rows = sample(space, rng, 60)
    for found in (rows, around(space, rows[7], 0.4, rng, 60), net(space, rng)):
        assert is_in(space, found)
        assert is_on_lattice(space, found)
    assert rows.shape == (60, space.n)
    assert is_in(space, space.corners())
    assert is_in(space, space.spread(np.vstack([rng.random((30, space.n)), np.zeros(space.n), np.ones(space.n)])))


@every_continuum
def test_a_sample_is_even(space):
    """The mean of 4000 rows is the center within five standard errors. Widths: uniform; Dirichlet for shares."""
    rows = sample(space, np.random.default_rng(2), 4000)
    np.testing.assert_allclose(rows.mean(axis=0), space.corners()[-1], atol=5 * 0.33 / np.sqrt(4000))
    if isinstance(space, Cube):
        k = np.where(space.n_values > 0, space.n_values, np.inf)
        np.testing.assert_allclose(rows.std(axis=0), np.sqrt((1.0 - k**-2.0) / 12.0), rtol=0.04)
    if isinstance(space, Shares):
        np.testing.assert_allclose(rows.std(axis=0), 0.29 * np.sqrt(3.0 / 5.0), rtol=0.04)


def test_a_net_has_the_corners_and_comes_close_to_every_row():
    rng = np.random.default_rng(3)
    for space in SPACES.values():
        rows = net(space, rng)
        corners = on_lattice(space, space.corners())
        assert all(np.abs(rows - corner).max(axis=1).min() < 1e-12 for corner in corners)
        farthest = max(np.abs(rows - row).max(axis=1).min() for row in sample(space, rng, 50))
        assert farthest < 0.4
    assert len(np.unique(net(SPACES["box"], rng), axis=0)) == len(net(SPACES["box"], rng))


def test_the_corners_of_a_cube_are_all_up_to_six_coordinates():
    cube = space_of(None, 3)
    assert sorted(map(tuple, cube.corners()[:-1].tolist())) == [
        (i, j, k) for i in (0.0, 1.0) for j in (0.0, 1.0) for k in (0.0, 1.0)
    ]
    wide = space_of(None, 9).corners()
    assert wide.shape == (65, 9)
    assert len(np.unique(wide[:-1], axis=0)) == 64
    assert (wide[-1] == 0.5).all()


# The way to the unit cube


def coordinates(name, space, rows):
    """Return rows as the user knows them, worked out by hand."""
    if name == "box":
        found = np.array([1.0, 0.1, 3.0, -7.0, -2.0]) + rows * np.array([3.0, 0.0, 5.0, 5.0, 3.0])
        found[:, 1] = 0.1 * 300.0 ** rows[:, 1]
        found[:, [2, 4]] = np.floor(found[:, [2, 4]])
        return found
    if name == "simplex":
        return rows * 3.0 / (0.29 * 4)
    if name == "ball":
        return np.array([3.0, -1.0, 20.0]) + np.array([0.5, 2.0, 7.0]) * (2.0 * rows - 1.0)
    return LIST.points[LIST.order[rows[:, -1].astype(int)]]


@pytest.mark.parametrize("name", ["box", "simplex", "ball", "list"])
def test_rows_come_back_from_the_cube_and_are_what_the_user_sees(name):
    space, domain = SPACES[name], DOMAINS[name]
    rows = on_lattice(space, some_rows(space, np.random.default_rng(4)))
    units = space.to_cube(rows)
    assert units.shape == (len(rows), domain.n)
    assert units.min() >= 0.0
    assert units.max() <= 1.0
    # The cube of a simplex cannot tell a small rest from none.
    atol = {"simplex": 1e-5, "ball": 1e-12}.get(name, 0.0)
    np.testing.assert_allclose(space.from_cube(units), rows, atol=atol, rtol=1e-12)
    scale = np.abs(domain.rows(units, len(units))).max()
    np.testing.assert_allclose(
        domain.rows(units, len(units)), coordinates(name, space, rows), atol=3 * atol * scale, rtol=1e-12
    )


@pytest.mark.parametrize("name", ["box", "simplex", "ball", "list"])
def test_points_of_the_cube_come_back_up_to_what_the_set_rounds(name):
    space, domain = SPACES[name], DOMAINS[name]
    units = np.random.default_rng(5).random((50, domain.n))
    rows = space.from_cube(units)
    assert is_in(space, rows)
    again = space.to_cube(rows)
    np.testing.assert_allclose(domain.rows(again, 50), domain.rows(units, 50), rtol=1e-9, atol=1e-9)
    if name in ("simplex", "ball"):
        np.testing.assert_allclose(again, units, atol=1e-7)
    elif name == "box":
        np.testing.assert_array_equal(again[:, [0, 1, 3]], units[:, [0, 1, 3]])
        assert np.abs(again - units).max(axis=0) == pytest.approx([0, 0, 0.1, 0, 1 / 6], abs=0.02)
    else:
        assert np.abs(again - units).max() <= 0.1


def test_a_list_keeps_the_coordinates_that_differ_and_numbers_the_rest_of_the_way():
    points = SPACES["list"].points
    seen = LIST.points[LIST.order]
    np.testing.assert_array_equal(points[:, -1], np.arange(5))
    np.testing.assert_allclose(points[:, 0], (seen[:, 0] - 3.0) / 9.0, rtol=1e-15)
    np.testing.assert_allclose(points[:, 1], (seen[:, 2] + 1.0) / 3.0, rtol=1e-15)
    np.testing.assert_array_equal(SPACES["unknown list"].points, np.arange(6.0)[:, None])


def test_a_list_of_huge_numbers_does_not_overflow():
    space = space_of(Scenarios([[-1.5e308], [1.5e308], [0.0]]), 1)
    assert sorted(space.points[:, 0].tolist()) == [0.0, 0.5, 1.0]


def test_a_list_is_spread_without_repeating_an_entry_before_all_were_taken():
    space = SPACES["unknown list"]
    rng = np.random.default_rng(6)
    few, many = space.spread(rng.random((4, 1)))[:, 0], space.spread(rng.random((15, 1)))[:, 0]
    assert len(set(few.tolist())) == 4
    assert sorted(np.bincount(many.astype(int), minlength=6).tolist()) == [2, 2, 2, 3, 3, 3]


# Clipping and moving around


@every_space
def test_clipped_rows_are_inside_and_stay(space):
    rng = np.random.default_rng(7)
    rows = sample(space, rng, 30) + 0.7 * rng.standard_normal((30, space.n))
    clipped = space.clip(rows)
    assert is_in(space, clipped)
    np.testing.assert_allclose(space.clip(clipped), clipped, rtol=1e-14)
    inside = sample(space, rng, 30)
    np.testing.assert_allclose(space.clip(inside), inside, rtol=1e-14)


def test_rows_without_a_direction_are_clipped_too():
    assert SPACES["simplex"].clip(np.full((1, 4), -2.0)).tolist() == [[0.29] * 4]
    assert SPACES["ball"].clip(np.full((1, 3), 0.5)).tolist() == [[0.5] * 3]


def test_a_list_is_clipped_to_its_nearest_entry():
    space = space_of(Scenarios([2.0, 4.0, 12.0]), 1)
    assert space.clip(np.array([[0.55, 2.0], [0.1, 0.4]]))[:, 0].tolist() == [1.0, 0.0]


def test_integers_around_a_row_move_by_one_step_or_as_far_as_the_width_takes_them():
    space, rng = SPACES["box"], np.random.default_rng(8)
    row = on_lattice(space, np.full((1, 5), 0.5))[0]
    near = around(space, row, 1e-9, rng, 200)
    assert {round(5 * value - 0.5) for value in near[:, 2]} == {1, 2, 3}
    assert {round(3 * value - 0.5) for value in near[:, 4]} == {0, 1, 2}
    assert np.abs(near - row)[:, [0, 1, 3]].max() < 1e-7
    far = around(space, row, 0.3, rng, 200)
    assert {round(5 * value - 0.5) for value in far[:, 2]} == {0, 1, 2, 3, 4}
    assert far[:, 0].std() == pytest.approx(0.25, abs=0.05)


def test_entries_around_one_of_a_long_list_are_near_it():
    space = space_of(Scenarios(np.arange(100.0) ** 2), 1)
    rows = around(space, space.points[10], 0.1, np.random.default_rng(9), 4)
    assert (rows[:, -1] <= 14).all()
    assert len(around(space, space.points[10], 0.1, np.random.default_rng(9), 50)) == 50


# Faces


@every_continuum
def test_a_step_along_the_face_leaves_the_set_to_second_order_at_most(space):
    rng = np.random.default_rng(10)
    rows = some_rows(space, rng, 200)
    slopes = rng.standard_normal(rows.shape) * rng.choice([0.1, 1.0, 30.0], rows.shape)
    step = space.face(rows, slopes).slope(slopes)
    t = 1e-6 / np.abs(slopes).max()
    out = np.abs(space.clip(rows + t * step) - rows - t * step).max()
    assert out < (1e-11 if space.radius is not None else 1e-15)
    # What is left of a slope is uphill, and nothing is left where no move is.
    assert (np.einsum("ij,ij->i", step, slopes) >= -1e-12).all()


@every_continuum
def test_a_slope_along_the_face_is_projected_once(space):
    rng = np.random.default_rng(11)
    rows, slopes = some_rows(space, rng), rng.standard_normal((80 + len(space.corners()), space.n))
    face = space.face(rows, slopes)
    once = face.slope(slopes)
    np.testing.assert_allclose(face.slope(once), once, atol=1e-9 if space.radius is not None else 1e-14)


def test_an_inner_row_keeps_its_slope():
    slope = np.array([[3.0, -1.0, 0.5]])
    for space in (space_of(None, 3), SPACES["ball"]):
        np.testing.assert_array_equal(space.face(np.array([[0.4, 0.6, 0.7]]), slope).slope(slope), slope)
    shares = space_of(Simplex(3), 2)
    np.testing.assert_allclose(shares.face(np.full((1, 3), 0.29), slope).slope(slope), slope - slope.mean(), rtol=1e-15)


def test_the_slope_of_a_maximum_at_the_corner_of_a_box_vanishes():
    row, slope = np.array([[0.0, 1.0, 1.0, 0.3]]), np.array([[-2.0, 1e-9, 5.0, 0.0]])
    assert not space_of(None, 4).face(row, slope).slope(slope).any()
    assert space_of(None, 4).face(row, -slope).slope(-slope).tolist() == (-slope).tolist()


def test_the_slope_of_a_maximum_on_the_edge_of_a_simplex_vanishes():
    """The slope is the same for all shares above 0, and lower for the others."""
    space = SPACES["simplex"]
    row, slope = space.total * np.array([[0.3, 0.0, 0.7, 0.0]]), np.array([[2.0, 1.9, 2.0, -40.0]])
    np.testing.assert_allclose(space.face(row, slope).slope(slope), 0.0, atol=1e-15)
    vertex, slope = space.total * np.eye(4)[[2]], np.array([[1.0, 0.0, 1.5, 1.4]])
    np.testing.assert_allclose(space.face(vertex, slope).slope(slope), 0.0, atol=1e-15)


def test_a_share_of_nothing_rises_only_if_it_gains_on_all_that_rise():
    """Of two shares of 0, both above the mean of the others, the lower one stays: the higher one takes all."""
    space = SPACES["simplex"]
    row, slope = space.total * np.array([[0.5, 0.5, 0.0, 0.0]]), np.array([[1.0, 1.0, 1.1, 40.0]])
    np.testing.assert_allclose(space.face(row, slope).slope(slope), [[-13.0, -13.0, 0.0, 26.0]], rtol=1e-14)


def test_the_slope_of_a_maximum_on_the_edge_of_a_ball_vanishes():
    space, away = SPACES["ball"], np.array([[0.6, 0.0, -0.8]])
    face = space.face(0.5 + 0.5 * away, 7.0 * away)
    np.testing.assert_allclose(face.slope(7.0 * away), 0.0, atol=1e-14)
    inward = space.face(0.5 + 0.5 * away, -7.0 * away)
    np.testing.assert_array_equal(inward.slope(-7.0 * away), -7.0 * away)


def test_the_edge_of_a_ball_bends_heights_down():
    """On the circle (0.5 cos t, 0.5 sin t), 7 x has the second derivative -3.5 by t, -14 by the length of the arc."""
    space = space_of(Ball([1.0, 2.0], 3.0), 2)
    face = space.face(np.array([[1.0, 0.5]]), np.array([[7.0, 0.0]]))
    np.testing.assert_allclose(face.curvature(np.zeros((1, 2, 2)))[0], [[-1.0, 0.0], [0.0, -14.0]], atol=1e-14)


def test_a_curvature_is_taken_along_the_face_and_is_minus_one_across():
    bend = np.array([[[-3.0, 1.0], [1.0, 5.0]]])
    face = Face(np.array([[True, False]]))
    assert face.curvature(bend).tolist() == [[[-3.0, 0.0], [0.0, -1.0]]]
    fixed = Face(np.array([[True, True]])).without(np.array([True, False]))
    assert fixed.curvature(bend).tolist() == [[[-1.0, 0.0], [0.0, 5.0]]]


def test_nothing_moves_on_a_list():
    space = SPACES["list"]
    slopes = np.ones((5, 3))
    assert not space.face(space.points, slopes).slope(slopes).any()
