import numpy as np
import pytest

from reckless.core.arguments import read_count, read_point, read_rng
from reckless.errors import InvalidArgument


@pytest.mark.parametrize(("value", "expected"), [(1, 1), (1e5, 100_000), (np.int32(7), 7), (np.float64(20.0), 20)])
def test_whole_numbers_are_counts_however_they_are_typed(value, expected):
    assert read_count(value, "maxfev") == expected


@pytest.mark.parametrize("value", [0, -3, 1.5, np.nan, np.inf, "100", None, True, [5]])
def test_everything_else_is_not_a_count(value):
    with pytest.raises(InvalidArgument, match="^maxfev: expected a whole number of at least 1, but got"):
        read_count(value, "maxfev")


def test_a_generator_is_used_as_it_is_and_a_seed_starts_a_new_one():
    generator = np.random.default_rng(3)
    assert read_rng(generator) is generator
    assert read_rng(7).random() == np.random.default_rng(7).random()


@pytest.mark.parametrize("rng", [-1, "seed", 1.5])
def test_a_bad_seed_is_refused(rng):
    with pytest.raises(InvalidArgument, match="^rng: expected"):
        read_rng(rng)


def test_a_point_is_copied_and_a_number_is_a_point_of_one_coordinate():
    point = np.array([1.0, 2.0])
    read = read_point(point, 2, "x")
    read[0] = 9.0
    assert point[0] == 1.0
    assert read_point(3, None, "x").tolist() == [3.0]


@pytest.mark.parametrize("point", ["a", [[1.0]], [], [np.nan], [1.0, 2.0, 3.0], None])
def test_a_bad_point_is_refused(point):
    with pytest.raises(InvalidArgument, match="^x: "):
        read_point(point, 2 if point == [1.0, 2.0, 3.0] else None, "x")
