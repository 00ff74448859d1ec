from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from reckless.core.arguments import LARGEST_COUNT, read_array, read_count, read_number, read_point, read_rng
from reckless.errors import InvalidArgument


@pytest.mark.parametrize(("value", "expected"), [(1, 1), (1e5, 100_000), (np.int32(7), 7), (np.float64(20.0), 20)])
def test_whole_numbers_are_counts_however_they_are_typed(value, expected):
    assert read_count(value, "maxfev") == expected


@pytest.mark.parametrize("value", [0, -3, 1.5, np.nan, np.inf, "100", None, True, [5]])
def test_everything_else_is_not_a_count(value):
    with pytest.raises(InvalidArgument, match="^maxfev: expected a whole number of at least 1, but got"):
        read_count(value, "maxfev")


ENORMOUS = [10**400, -(10**400), Fraction(10**400), np.longdouble(10) ** 400, 10**5000]


@pytest.mark.parametrize("value", ENORMOUS, ids=range(len(ENORMOUS)))
@pytest.mark.parametrize("read", [read_count, read_number, lambda value, name: read_point([value], None, name)])
def test_a_number_that_no_float_holds_is_refused(read, value):
    with pytest.raises(InvalidArgument, match="^maxfev: "):
        read(value, "maxfev")


def test_a_count_has_an_upper_limit():
    assert read_count(LARGEST_COUNT, "maxfev") == 2**53
    with pytest.raises(InvalidArgument, match="^maxfev: expected a whole number of at most 9007199254740992, but got"):
        read_count(LARGEST_COUNT + 1, "maxfev")
    with pytest.raises(
        InvalidArgument, match="^n: expected a whole number of at most 10, but got 11. For example n=4."
    ):
        read_count(11, "n", largest=10)


def test_arrays_of_every_kind_of_number_become_floats():
    mixed = [Decimal("0.5"), Fraction(1, 4), None, 10**400, -(10**400), np.float32(2.0), True]
    np.testing.assert_array_equal(read_array(mixed), [0.5, 0.25, np.nan, np.inf, -np.inf, 2.0, 1.0])
    np.testing.assert_array_equal(read_array(np.array([10], dtype=np.longdouble) ** 400), [np.inf])


MASKED = np.ma.array([1.0, 2.0], mask=[False, True])


@pytest.mark.parametrize(
    "value",
    [
        ["1"],
        [None, "1"],
        "1",
        b"1",
        [1j],
        np.array([1j]),
        [[1], [1, 2]],
        [Decimal("sNaN")],
        {1.0},
        {},
        object(),
        max,
        MASKED,
        [list(MASKED)],
    ],
)
def test_what_holds_no_numbers_is_no_array(value):
    assert read_array(value) is None


def test_a_generator_is_used_as_it_is_and_a_seed_starts_a_new_one():
    generator = np.random.default_rng(3)
    assert read_rng(generator) is generator
    assert read_rng(7).random() == np.random.default_rng(7).random()


@pytest.mark.parametrize(
    "seed", [None, 7, [7, 9], (7,), np.array([7, 9]), np.int8(7), np.random.SeedSequence(7)], ids=str
)
def test_everything_that_numpy_takes_as_a_seed_starts_a_generator(seed):
    assert isinstance(read_rng(seed), np.random.Generator)
    assert read_rng(np.random.PCG64(7)).random() == np.random.default_rng(7).random()


def looped():
    ring = []
    ring.append(ring)
    return ring


@pytest.mark.parametrize(
    "rng", [-1, "seed", 1.5, [1.5], [-1], looped(), [[1, 2]], range(10**12), {7}, object()], ids=range(10)
)
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
