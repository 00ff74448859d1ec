"""What the oracle learns about values, and where it stops."""

import numpy as np
import pytest

from reckless.methods.danskin.oracle import Spent, inward, resolution_of
from reckless.methods.danskin.tuning import trust


def test_the_limit_is_exact(driver):
    """A batch that would pass it is refused as a whole."""
    run = driver(lambda X, Y: X[:, 0] + Y[:, 0], 1, 1)
    run.oracle.limit = 7
    run.run(run.oracle.ask(np.array([0.5]), np.full((5, 1), 0.2)))
    with pytest.raises(Spent):
        run.run(run.oracle.ask(np.array([0.5]), np.full((3, 1), 0.2)))
    assert run.task.n_used == 5
    run.run(run.oracle.ask(np.array([0.5]), np.full((2, 1), 0.2)))
    assert run.task.n_used == 7


def test_a_huge_value_met_once_does_not_raise_the_floor(driver):
    """Three values of 1e12 among 60 around 2."""
    run = driver(lambda X, Y: np.where(Y[:, 0] > 0.95, 1e12, 2.0 + 0.0 * X[:, 0]), 1, 1)
    Y = np.append(np.linspace(0.0, 0.9, 57), [0.96, 0.97, 0.98])[:, None]
    run.run(run.oracle.ask(np.array([0.5]), Y))
    assert run.oracle.scale == 2.0
    assert run.oracle.floor(0.0) < 1e-11


def test_only_recent_values_count_for_the_scale(driver):
    run = driver(lambda X, Y: Y[:, 0], 1, 1)
    run.f = lambda X, Y: np.full(len(Y), 1e6)
    run.run(run.oracle.ask(np.array([0.5]), np.full((150, 1), 0.5)))
    assert run.oracle.scale == 1e6
    run.f = lambda X, Y: np.full(len(Y), -3.0)
    run.run(run.oracle.ask(np.array([0.5]), np.full((60, 1), 0.5)))
    assert run.oracle.scale == 3.0


def test_failures_do_not_count_for_the_scale(driver):
    run = driver(lambda X, Y: np.where(Y[:, 0] < 0.7, np.nan, 5.0), 1, 1)
    assert run.oracle.scale == 0.0
    run.run(run.oracle.ask(np.array([0.5]), np.linspace(0.0, 1.0, 20)[:, None]))
    assert run.oracle.scale == 5.0
    assert run.oracle.n_values == 6


@pytest.mark.parametrize(
    ("values", "resolution"),
    [
        ([1.25, 3.5, -2.75], 0.01),  # two decimals
        ([1200.0, 3500.0, 410.0], 1.0),  # integers
        ([1.2345e-7, 4.4e-7, 9.1e-7], 1e-4 * 9.1e-7),  # five significant digits
        ([np.pi, np.e, 2.0**0.5], 0.0),
        ([4.0, 4.0, 4.0], 0.0),  # a constant says nothing
    ],
)
def test_the_resolution_is_the_unit_of_the_last_digit(values, resolution):
    assert resolution_of(np.array(values)) == pytest.approx(resolution, rel=1e-12)


def test_rounded_values_lengthen_differences(driver):
    run = driver(lambda X, Y: X[:, 0], 1, 1)
    run.oracle.note_resolution(np.array([0.12, 0.57, 0.93, np.nan]))
    assert run.oracle.resolution == 0.01
    assert run.oracle.forward == 0.05
    assert run.oracle.central == 0.1
    exact = driver(lambda X, Y: X[:, 0], 1, 1).oracle
    exact.note_resolution(np.array([np.pi, np.e]))
    assert (exact.resolution, exact.forward, exact.central) == (0.0, 1e-6, 1e-2)


def test_the_archive_holds_a_maximizer_once_where_it_was_last(driver):
    run = driver(lambda X, Y: X[:, 0], 1, 2)
    for y in ([0.2, 0.3], [0.21, 0.31], [0.2, 0.5]):
        run.oracle.remember(np.array(y))
    assert [y.tolist() for y in run.oracle.archive] == [[0.21, 0.31], [0.2, 0.5]]
    for k in range(120):
        run.oracle.remember(np.array([k * 0.05, 9.0]))
    assert len(run.oracle.archive) == 100


def test_curvature_is_forgotten_only_where_f_bends_more_with_each_step_and_hills_get_flat(driver):
    """Steps in x alone, or moves of y alone, are no evidence."""
    oracle = driver(lambda X, Y: X[:, 0], 1, 1).oracle
    assert not any(oracle.is_stiffer(2.0) for _ in range(10))
    assert [oracle.is_flatter(0.3) for _ in range(2)] == [False, False]
    assert oracle.is_stiffer(2.0)
    assert oracle.is_flatter(0.3)
    assert not oracle.is_stiffer(1.0)
    assert not oracle.is_flatter(0.9)


def test_curvature_that_was_never_learned_does_not_count_as_rising(driver):
    oracle = driver(lambda X, Y: X[:, 0], 1, 1).oracle
    for ratio in (0.3, 0.3, 0.3):
        oracle.is_flatter(ratio)
    assert not any(oracle.is_stiffer(ratio) for ratio in (1e9, 2.0, 0.5, 2.0, 0.9, -3.0, 2.0, 1.0))
    assert not oracle.is_stiff


def test_differences_point_inward():
    assert inward(np.array([0.0, 0.5, 0.95, 1.0]), 0.1).tolist() == [0.1, 0.1, -0.1, -0.1]


def test_many_steps_that_many_peaks_held_are_balanced(driver):
    oracle = driver(lambda X, Y: X[:, 0], 1, 2).oracle
    oracle.n_balanced = trust.n_balanced
    assert not oracle.is_balanced
    oracle.n_balanced += 1
    assert oracle.is_balanced
