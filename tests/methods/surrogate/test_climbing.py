"""Climbs over y against maxima that are known by construction, on every kind of set."""

import numpy as np
import pytest

from reckless.domains.box import Box
from reckless.domains.sets import Ball, Simplex
from reckless.methods.surrogate.climbing import ascend, climb, crossed, distinct, joined, response
from reckless.methods.surrogate.spaces import sample, space_of
from surfaces import Surface, differences

X = np.array([0.3, 0.8])
CUBE = space_of(Box([(1.0, 4.0)] * 3), 3)
SHARES = space_of(Simplex(4, total=3.0), 3)
ROUND = space_of(Ball([3.0, -1.0, 20.0], [0.5, 2.0, 7.0]), 3)
AWAY = np.array([0.6, 0.0, -0.8])

# A set, a place in it, and the slope of a function that is highest there: in the cone of normals.
MAXIMA = {
    "inside a box": (CUBE, [0.2, 0.7, 0.6], [0.0, 0.0, 0.0]),
    "on an edge of a box": (CUBE, [0.0, 0.7, 1.0], [-1.5, 0.0, 0.7]),
    "in a corner of a box": (CUBE, [1.0, 0.0, 1.0], [4.0, -0.2, 0.5]),
    "inside a simplex": (SHARES, 1.16 * np.array([0.1, 0.2, 0.3, 0.4]), [3.0, 3.0, 3.0, 3.0]),
    "on an edge of a simplex": (SHARES, 1.16 * np.array([0.3, 0.0, 0.7, 0.0]), [1.0, 0.2, 1.0, -2.0]),
    "in a corner of a simplex": (SHARES, 1.16 * np.eye(4)[2], [0.5, 0.2, 1.0, -2.0]),
    "inside a ball": (ROUND, [0.4, 0.7, 0.6], [0.0, 0.0, 0.0]),
    "on the edge of a ball": (ROUND, 0.5 + 0.5 * AWAY, 2.0 * AWAY),
}
every_maximum = pytest.mark.parametrize("case", MAXIMA.values(), ids=MAXIMA.keys())


def hill(space, top, slope, seed=1):
    """Return a surface of (x, y) that at X is concave in y and highest at `top`, where it has this slope."""
    rng = np.random.default_rng(seed)
    n_x, n = X.size, X.size + space.n
    root = rng.standard_normal((n, n))
    curvature = root + root.T  # of any sign but for y
    M = rng.standard_normal((space.n, space.n))
    curvature[n_x:, n_x:] = -(M @ M.T + np.eye(space.n))
    center, along = np.concatenate([X, top]), np.concatenate([[2.0, -3.0], slope])
    return Surface.around(center, curvature, along, level=1.7)


@every_maximum
def test_a_climb_arrives_at_the_maximum(case):
    space, top, slope = case
    tops = climb(hill(space, top, slope), space, X, sample(space, np.random.default_rng(2), 6))
    np.testing.assert_allclose(tops.Y, np.tile(top, (6, 1)), atol=1e-8)
    np.testing.assert_allclose(tops.levels, 1.7, atol=1e-12)


@every_maximum
def test_a_climb_from_the_maximum_stays(case):
    space, top, slope = case
    tops = climb(hill(space, top, slope), space, X, np.asarray(top)[None])
    np.testing.assert_allclose(tops.Y[0], top, atol=1e-10)


@every_maximum
def test_an_ascent_arrives_there_too(case):
    space, top, slope = case
    surface = hill(space, top, slope)

    def function(Y):
        level, slope, _ = surface.jet(joined(X, Y))
        return level, slope[:, X.size :]

    tops = ascend(function, space, sample(space, np.random.default_rng(2), 6), n_steps=100)
    np.testing.assert_allclose(tops.Y, np.tile(top, (6, 1)), atol=1e-5)
    np.testing.assert_allclose(tops.levels, 1.7, atol=1e-6)


def test_twenty_steps_of_an_ascent_come_close():
    """What attacks make of a bound: within 1e-3 of the range, in the worst of all cases."""
    for space, top, slope in MAXIMA.values():
        surface = hill(space, top, slope)

        def function(Y, surface=surface):
            level, slope, _ = surface.jet(joined(X, Y))
            return level, slope[:, X.size :]

        start = sample(space, np.random.default_rng(3), 6)
        tops = ascend(function, space, start)
        assert (1.7 - tops.levels.max()) < 1e-3 * (1.7 - function(start)[0].min())
        assert (tops.levels >= function(start)[0]).all()


def test_a_climb_on_a_ball_finds_the_highest_point_of_a_fine_circle():
    """A saddle has no maximum inside a disk; on its edge it has two."""
    disk = space_of(Ball([1.0, 2.0], [3.0, 0.5]), 2)
    curvature = np.zeros((4, 4))
    curvature[2:, 2:] = [[4.0, 1.0], [1.0, -3.0]]
    surface = Surface.around([*X, 0.45, 0.55], curvature, [0.0, 0.0, 0.1, -0.2])
    angles = np.linspace(0.0, 2.0 * np.pi, 200_001)
    circle = 0.5 + 0.5 * np.column_stack([np.cos(angles), np.sin(angles)])
    heights = surface.mean(joined(X, circle))
    tops = climb(surface, disk, X, np.array([[0.3, 0.5], [0.8, 0.6], [0.5, 0.5]]), 20)
    assert tops.levels.max() == pytest.approx(heights.max(), abs=1e-9)
    np.testing.assert_allclose(tops.Y[tops.levels.argmax()], circle[heights.argmax()], atol=1e-4)
    other = (
        heights[circle[:, 0] > 0.5].max()
        if tops.Y[tops.levels.argmax(), 0] < 0.5
        else heights[circle[:, 0] < 0.5].max()
    )
    assert np.abs(tops.levels - other).min() < 1e-9


def test_a_climb_never_ends_below_its_start_nor_outside():
    surface = Surface([0.3, 0.1, 0.2, -0.4, 0.1], None, np.eye(5)[2:] * 9.0, [1.0, 0.7, 0.4], [0.5, 1.0, 2.0])
    for space in (CUBE, ROUND):
        start = sample(space, np.random.default_rng(4), 20)
        tops = climb(surface, space, X, start, 40)
        assert (tops.levels >= surface.mean(joined(X, start))).all()
        np.testing.assert_allclose(space.clip(tops.Y), tops.Y, atol=1e-12)
        np.testing.assert_allclose(tops.levels, surface.mean(joined(X, tops.Y)), rtol=1e-12)
        slope = surface.jet(joined(X, tops.Y)).slope[:, 2:]
        assert np.abs(space.face(tops.Y, slope).slope(slope)).max() < 1e-5


def test_integers_end_on_their_lattice_and_the_others_at_their_maximum():
    space = space_of(Box([(3, 7, "int"), (1.0, 4.0), (-2, 0, "int")]), 3)
    surface = hill(space, [0.55, 0.4, 0.8], [0.0, 0.0, 0.0])
    tops = climb(surface, space, X, sample(space, np.random.default_rng(5), 6))
    M = surface.curvature[2:, 2:]
    lattice = tops.Y[:, [0, 2]] * [5, 3] - 0.5
    np.testing.assert_allclose(lattice, np.rint(lattice), atol=1e-12)
    # With the integers held, the maximum over the one in the middle is in closed form.
    off = tops.Y - [0.55, 0.4, 0.8]
    best = np.clip(0.4 - (M[1, 0] * off[:, 0] + M[1, 2] * off[:, 2]) / M[1, 1], 0.0, 1.0)
    np.testing.assert_allclose(tops.Y[:, 1], best, atol=1e-8)
    assert lattice[tops.levels.argmax()].tolist() == pytest.approx([2.0, 2.0])


@pytest.mark.parametrize("name", [name for name in MAXIMA if "corner" not in name])
def test_the_response_is_how_maxima_move_with_x(name):
    space, top, slope = MAXIMA[name]
    surface = hill(space, top, slope)
    Y = np.asarray(top, dtype=float)[None]
    _, slopes, bend = surface.jet(joined(X, Y))
    moves = response(bend, space.face(Y, slopes[:, 2:]), 2)[0]

    def moved(rows):
        return np.vstack([climb(surface, space, x, Y, 30).Y for x in rows])

    np.testing.assert_allclose(moves, differences(moved, X[None], 1e-4)[0], atol=1e-5)
    assert np.abs(moves).max() > 0.05


def test_a_maximum_in_a_corner_or_of_a_plateau_does_not_move():
    space, top, slope = MAXIMA["in a corner of a box"]
    _, slopes, bend = hill(space, top, slope).jet(joined(X, np.array([top])))
    assert not response(bend, space.face(np.array([top]), slopes[:, 2:]), 2).any()
    flat = np.zeros((1, 5, 5))
    flat[0, :2, 2:] = flat[0, 2:, :2].T
    flat[0, 2:, :2] = 1.0
    assert not response(flat, space.face(np.full((1, 3), 0.5), np.zeros((1, 3))), 2).any()


def test_distinct_rows_are_the_highest_of_each_crowd():
    rows = np.array([[0.1, 0.1], [0.15, 0.1], [0.9, 0.1], [0.1, 0.4], [0.88, 0.12]])
    levels = np.array([1.0, 2.0, 5.0, 3.0, 4.0])
    assert distinct(rows, levels, 0.1, 9) == [2, 3, 1]
    assert distinct(rows, levels, 0.1, 2) == [2, 3]
    assert distinct(rows, levels, 0.0, 9) == [2, 4, 3, 1, 0]
    assert distinct(rows, -levels, 0.1, 9) == [0, 3, 4]


def test_pairs_are_joined_and_crossed_in_order():
    Y = np.array([[1.0], [2.0]])
    assert joined(X, Y).tolist() == [[0.3, 0.8, 1.0], [0.3, 0.8, 2.0]]
    assert crossed(np.array([[5.0], [6.0]]), Y).tolist() == [[5, 1], [5, 2], [6, 1], [6, 2]]
