"""The model of a worst case that is a sum over the coordinates of y."""

import numpy as np
import pytest

from reckless.methods.danskin.ascent import ascend, measure_y
from reckless.methods.danskin.incumbent import Incumbent
from reckless.methods.danskin.kinks.descent import is_still_sum
from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.sums.additive import Others, climb_anew, is_sum, rough_lines, survey
from reckless.methods.danskin.sums.descent import Fan, carried, descend_sum, flip
from reckless.methods.danskin.sums.sweep import solve_sum

CENTER, WEIGHTS = np.array([0.9, 0.42, 0.1, 0.55]), np.array([1.0, 2.0, 3.0, 2.0])


def corners(X, Y):
    """A bowl around CENTER, and |x_i - 0.5| in the worst case: y_i goes to the side on which x_i is."""
    return 5.0 * ((X - CENTER) ** 2).sum(1) + ((X - 0.5) * (2.0 * Y - 1.0)) @ WEIGHTS


def best_corners():
    """Where 10 (x - c) = -w sign(x - 0.5): beyond 0.5 or at the kink."""
    x = CENTER - WEIGHTS / 10.0 * np.sign(CENTER - 0.5)
    return np.where((x - 0.5) * (CENTER - 0.5) <= 0.0, 0.5, x)


def topped(driver, f=corners, x=(0.3, 0.8, 0.2, 0.7), seed=0):
    x = np.array(x)
    run = driver(f, x.size, x.size, seed=seed)
    y = np.full(x.size, 0.4)
    peak = Peak(y, run.value(x, y))
    run.run(ascend(run.oracle, x, peak, 1e-9))
    return run, Place(x, [peak])


def test_a_sum_over_y_is_told_from_its_changes(driver):
    run, place = topped(driver)
    before = run.task.n_used
    assert run.run(is_sum(run.oracle, place))
    assert run.task.n_used == before + 5
    assert run.run(is_sum(run.oracle, place))  # known from now on
    assert run.task.n_used == before + 5


def test_a_product_over_y_is_no_sum(driver):
    run, place = topped(driver, lambda X, Y: (1.0 + Y).prod(1) + X.sum(1))
    assert place.top.y.tolist() == [1.0] * 4
    assert not run.run(is_sum(run.oracle, place))
    assert run.oracle.is_sum is False


def test_concave_coordinates_are_not_tested(driver):
    run, place = topped(driver, lambda X, Y: -((Y - 0.6) ** 2).sum(1) + X.sum(1))
    assert not run.run(is_sum(run.oracle, place))
    assert run.oracle.is_sum is None


def test_the_alternative_of_a_straight_coordinate_is_the_other_bound(driver):
    run, place = topped(driver)
    run.run(is_sum(run.oracle, place))
    others = run.run(survey(run.oracle, place.x, place.top))
    assert others.i.tolist() == [0, 1, 2, 3]
    assert others.z.tolist() == (1.0 - place.top.y).tolist()
    assert others.gaps.tolist() == pytest.approx((2.0 * WEIGHTS * np.abs(place.x - 0.5)).tolist(), abs=1e-12)


def test_a_wave_is_scanned_for_its_other_tops(driver):
    """sin(3 pi y) has tops at 1/6 and 5/6 in each coordinate; the base is at 1/6 in the first."""

    def wave(X, Y):
        return np.sin(3.0 * np.pi * Y).sum(1) - 0.1 * Y[:, 0] + X.sum(1)

    run = driver(wave, 2, 2)
    x = np.array([0.3, 0.4])
    peak = Peak(np.array([0.15, 0.18]), run.value(x, [0.15, 0.18]))
    run.run(ascend(run.oracle, x, peak, 1e-10))
    run.oracle.is_parabola = np.zeros(2, dtype=bool)
    others = run.run(survey(run.oracle, x, peak))
    assert others.z.tolist() == pytest.approx([5.0 / 6.0, 5.0 / 6.0], abs=3e-3)
    assert others.gaps.tolist() == pytest.approx([0.1 * 2.0 / 3.0, 0.0], abs=1e-3)


def some_others(gaps, G):
    k = len(gaps)
    known = np.ones(k, dtype=bool)
    return Others(np.arange(k), np.zeros(k), np.array(gaps), np.array(G), known, known, np.zeros(k))


def test_the_step_of_the_sum_model_stops_at_a_kink():
    """Slope 1, and an alternative that rises by 3 per unit once d is below -0.1: the lowest point is the kink."""
    step = solve_sum(np.array([1.0]), None, some_others([0.3], [[-3.0]]), np.array([0.5]), 0.4)
    assert step.d.tolist() == pytest.approx([-0.1], abs=1e-8)
    assert step.predicted == pytest.approx(0.1, abs=1e-8)
    assert step.weights.tolist() == pytest.approx([1.0 / 3.0], abs=1e-6)


def test_alternatives_that_overtook_become_the_base():
    """Gaps of -0.2 and 0.5: the first flips, and its gap and slope change sign."""
    base = Peak(np.array([1.0, 1.0]), 3.0, gx=np.array([1.0]), gy=np.array([2.0, 4.0]))
    fan = Fan(np.array([0.5]), base, some_others([-0.2, 0.5], [[2.0], [5.0]]))
    assert flip(fan)
    assert fan.base.value == pytest.approx(3.2)
    assert fan.base.y.tolist() == [0.0, 1.0]
    assert fan.base.gx.tolist() == [3.0]
    assert fan.base.gy.tolist() == [-2.0, 4.0]
    assert fan.others.gaps.tolist() == [0.2, 0.5]
    assert fan.others.G.tolist() == [[-2.0], [5.0]]
    assert fan.others.z.tolist() == [1.0, 0.0]
    assert not flip(fan)


def test_a_slope_that_foretold_its_gap_badly_is_not_trusted():
    old, d = some_others([1.0, 1.0], [[2.0], [2.0]]), np.array([0.1])
    new = carried(old, some_others([0.8, 0.9], [[0.0], [0.0]]), d)
    assert new.is_measured.tolist() == [True, False]
    assert new.G.tolist() == [[2.0], [2.0]]
    assert not new.is_fresh.any()


@pytest.mark.parametrize("seed", range(4))
def test_the_descent_on_a_sum_is_exact(driver, seed):
    """Four coordinates, two of which end at the kink: measured at most 102 evaluations for 40 seeds, asserted 130."""
    run, place = topped(driver, x=np.random.default_rng(seed).random(4), seed=seed)
    run.run(is_sum(run.oracle, place))
    end = run.run(descend_sum(run.oracle, Incumbent(run.task), place))
    best = best_corners()
    worst = 5.0 * ((best - CENTER) ** 2).sum() + np.abs(best - 0.5) @ WEIGHTS
    assert pytest.approx(worst, abs=1e-8) == end.F
    assert end.x.tolist() == pytest.approx(best.tolist(), abs=1e-4)
    assert run.task.n_used <= 130


KINKS, STEEP, START = np.tile(CENTER, 2), np.tile(WEIGHTS, 2), np.tile([0.3, 0.8, 0.2, 0.7], 2)


def tents(X, Y):
    """|x - c| in x, and tops in y that are kinks at 0.3, as long as x is near the middle."""
    return np.abs(X - KINKS) @ STEEP + ((X - 0.5) * (Y - 0.3)) @ STEEP - 0.6 * np.abs(Y - 0.3) @ STEEP


def test_a_due_test_takes_three_evaluations_if_f_is_no_sum(driver):
    run, place = topped(driver, x=START, f=lambda X, Y: -((Y - 0.6) ** 2).sum(1) + 0.1 * Y.prod(1) + X.sum(1))
    before = run.task.n_used
    assert not run.run(is_sum(run.oracle, place, is_due=True))
    assert run.oracle.is_sum is False
    assert run.task.n_used == before + 3


def test_a_sum_of_parabolas_is_left_to_the_learned_quadratics(driver):
    run, place = topped(driver, x=START, f=lambda X, Y: -((Y - 0.6) ** 2) @ STEEP + X.sum(1))
    assert not run.run(is_sum(run.oracle, place, is_due=True))
    assert run.oracle.is_sum is True
    assert rough_lines(run.oracle).size == 0


def test_kinked_lines_are_told_from_parabolas(driver):
    def mixed(X, Y):
        return -((Y[:, :6] - 0.6) ** 2).sum(1) - np.abs(Y[:, 6:] - 0.7).sum(1) + X.sum(1)

    run, place = topped(driver, x=START, f=mixed)
    assert run.run(is_sum(run.oracle, place, is_due=True))
    assert rough_lines(run.oracle).tolist() == [6, 7]


def test_a_kinked_top_is_climbed_along_lines(driver):
    run, place = topped(driver, x=START, f=tents)
    run.run(is_still_sum(run.oracle, place, is_due=True))
    peak = Peak(np.full(8, 0.8), run.value(place.x, np.full(8, 0.8)))
    run.run(climb_anew(run.oracle, place.x, peak, 1e-9, 20))
    assert peak.y.tolist() == pytest.approx([0.3] * 8, abs=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_kinks_in_x_and_y_are_followed_at_once(driver, seed):
    """The kinks at KINKS are steeper than anything else, and y stays at its kink: F is 0 there at best."""
    run, place = topped(driver, tents, seed=seed, x=np.random.default_rng(seed).uniform(0.2, 0.8, 8))
    run.run(is_still_sum(run.oracle, place, is_due=True))
    end = run.run(descend_sum(run.oracle, Incumbent(run.task), place))
    assert end.x.tolist() == pytest.approx(KINKS.tolist(), abs=1e-6)
    assert end.top.y.tolist() == pytest.approx([0.3] * 8, abs=1e-6)
    assert run.task.n_used <= 3_000


def test_a_quadratic_that_foretells_two_halves_is_tested_no_further(driver):
    """Three evaluations; single changes would take thirteen more, the other bounds twelve."""
    run = driver(lambda X, Y: (X[:, :1] * Y).sum(1) - (Y**2).sum(1), 1, 12)
    x = np.array([0.9])
    place = Place(x, [Peak(np.full(12, 0.45), run.value(x, np.full(12, 0.45)))])
    run.run(measure_y(run.oracle, x, place.top))
    first = run.task.n_used
    assert not run.run(is_sum(run.oracle, place, is_due=True))
    assert run.task.n_used == first + 3
    assert run.oracle.is_sum
    assert run.oracle.is_parabola.all()
