"""How x moves in its set: differences, slopes, room, units of integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckless.core.task import Budget, Task
from reckless.domains.reading import read_domain
from reckless.domains.sets import Ball, Scenarios, Simplex
from reckless.methods.finite.space import inside, moves_at, neighbors, room_at, slope_along, space_of_x

MIXED = read_domain({"teeth": (3, 7, "int"), "gain": (1.5, 4.0), "stages": (2, 4, "int")}, "x_bounds")


def space_of(domain):
    return space_of_x(Task(domain.n, 1, Budget(10), np.random.default_rng(0), x_domain=domain))


@given(seed=st.integers(0, 10_000), h=st.sampled_from([1e-6, 0.05]))
def test_moves_stay_in_a_simplex_and_their_changes_give_back_the_slope(seed, h):
    rng, space = np.random.default_rng(seed), space_of(Simplex(4, 2.5))
    x = space.spread(rng.random((1, 4)))[0]
    moves = moves_at(space, x, h)
    assert moves.shape == (3, 4)
    assert np.abs(moves.sum(axis=1)).max() < 1e-15
    assert (x + moves).min() >= 0.0
    slope = rng.standard_normal(4)
    found = slope_along(moves, moves @ slope)
    assert found == pytest.approx(slope - slope.mean(), abs=1e-9)


@given(seed=st.integers(0, 10_000))
def test_moves_in_a_box_stay_inside_and_those_of_integers_are_whole_units(seed):
    rng, space = np.random.default_rng(seed), space_of(MIXED)
    x = inside(space, rng.random(3))
    moves = moves_at(space, x, 1e-6)
    assert np.abs(np.diag(moves)) == pytest.approx([1 / 5, 1e-6, 1 / 3])
    assert (x + moves).min() >= 0.0
    assert (x + moves).max() <= 1.0
    slope = np.array([2.0, -3.0, 0.5])
    assert slope_along(moves, moves @ slope) == pytest.approx(slope)


def test_neighbors_are_one_unit_away_where_there_is_room():
    space = space_of(MIXED)
    rows = MIXED.rows(neighbors(space, inside(space, np.array([0.0, 0.3, 0.5]))), 3)
    assert rows[:, [0, 2]].tolist() == [[4.0, 3.0], [3.0, 4.0], [3.0, 2.0]]
    assert rows[:, 1] == pytest.approx([2.25] * 3)
    assert neighbors(space_of(Simplex(3)), np.array([0.2, 0.3, 0.5])).shape == (0, 3)


def test_integers_may_be_fixed_and_shares_add_up():
    space = space_of(MIXED)
    x = inside(space, np.array([0.5, 0.25, 0.1]))
    room = room_at(space, x, has_integers_fixed=True)
    assert room.low.tolist() == [0.0, -0.25, 0.0]
    assert room.high.tolist() == [0.0, 0.75, 0.0]
    assert room_at(space_of(Simplex(3)), np.array([0.2, 0.3, 0.37])).balanced


def test_a_list_of_x_is_an_integer_and_a_ball_is_worked_in_its_cube():
    assert space_of(Scenarios([[1.0, 2.0], [3.0, 5.0], [0.0, 7.0]])).n_values.tolist() == [3.0]
    ball = space_of(Ball([3.0, -1.0], 0.5))
    assert ball.to_cube(np.array([[0.2, 0.9]])).tolist() == [[0.2, 0.9]]
