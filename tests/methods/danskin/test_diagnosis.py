"""Why a step was refused: each cause by a constructed case, and what its remedy does."""

import numpy as np
import pytest

from reckless.methods.danskin.diagnosis import Cause, Refusals, blame_model, diagnose, remedy
from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.step import Step
from reckless.methods.danskin.trial import Trial

X = np.array([0.4, 0.7])
D = np.array([0.05, -0.02])


def a_peak(y, value, *, fresh=True, weight=0.0, bend=-2.0):
    """A peak of one coordinate of y whose slope in x is (3, -1)."""
    return Peak(
        np.array([y]),
        value,
        gx=np.array([3.0, -1.0]),
        gy=np.zeros(1),
        H=np.array([[bend]]),
        M=np.zeros((1, 2)),
        is_fresh_x=fresh,
        is_fresh_y=fresh,
        weight=weight,
    )


def a_trial(y, value, F=None, predicted=0.1):
    place = Place(X + D, [Peak(np.array([y]), value, H=np.array([[-2.0]]), M=np.zeros((1, 2)))])
    return Trial(Step(D, predicted, np.ones(1)), place, value if F is None else F, np.array([value]))


def test_a_point_without_a_value_is_a_failure():
    place = Place(X, [a_peak(0.5, 1.0, weight=1.0)])
    assert diagnose(place, a_trial(0.5, np.inf), Refusals(1)) is Cause.FAILURE


def test_a_violator_far_from_all_peaks_was_missing():
    """Two peaks hold the step: y cannot have moved on one hill. The third in a row may be higher here too."""
    place = Place(X, [a_peak(0.5, 1.0, weight=0.5), a_peak(0.9, 1.0, weight=0.5)])
    assert diagnose(place, a_trial(0.1, 1.05), Refusals(1)) is Cause.MISSING
    assert diagnose(place, a_trial(0.1, 1.05), Refusals(3)) is Cause.SUDDEN


def test_a_long_move_on_a_concave_hill_is_an_answer_not_foretold():
    place = Place(X, [a_peak(0.5, 1.0, weight=1.0)])
    assert diagnose(place, a_trial(0.8, 1.05), Refusals(1)) is Cause.ANSWER
    place.top.A = np.eye(2)  # measured already
    assert diagnose(place, a_trial(0.8, 1.05), Refusals(1)) is Cause.MISSING
    straight = Place(X, [a_peak(0.5, 1.0, weight=1.0, bend=0.0)])
    straight.top.gy = np.array([1e-3])
    assert diagnose(straight, a_trial(0.8, 1.05), Refusals(1)) is Cause.MISSING


def test_a_near_violator_without_a_measured_slope_is_stale():
    place = Place(X, [a_peak(0.5, 1.0, weight=1.0), a_peak(0.45, 0.99, fresh=False)])
    assert diagnose(place, a_trial(0.47, 1.05), Refusals(1)) is Cause.STALE


def test_a_rise_that_slopes_do_not_allow_is_sudden():
    """Slopes of 3 and 1 along (0.05, 0.02) allow 0.17."""
    place = Place(X, [a_peak(0.5, 1.0, weight=1.0)])
    assert diagnose(place, a_trial(0.5, 1.18), Refusals(1)) is Cause.SUDDEN
    assert diagnose(place, a_trial(0.5, 1.16), Refusals(1)) is Cause.MODEL


def test_the_second_blame_doubts_the_maximizers_first():
    place = Place(X, [a_peak(0.5, 1.0, weight=1.0)])
    assert diagnose(place, a_trial(0.5, 1.05), Refusals(1, n_blamed=0)) is Cause.MODEL
    assert diagnose(place, a_trial(0.5, 1.05), Refusals(2, n_blamed=1)) is Cause.UNVERIFIED
    assert diagnose(place, a_trial(0.5, 1.05), Refusals(3, n_blamed=2)) is Cause.MODEL


def test_two_level_steps_or_twelve_refusals_end_a_descent():
    level, many = Refusals(), Refusals()
    level.count(1.0, refused(0.99))
    assert not level.is_final
    level.count(1.0, refused(1.01))
    assert level.is_final
    for _ in range(12):
        many.count(1.0, refused(2.0))
    assert not many.is_final
    many.count(1.0, refused(2.0))
    assert many.is_final


def refused(F):
    """A step that promised a decrease of 1 and led to F."""
    return Trial(Step(np.array([0.1]), 1.0, np.ones(1)), Place(np.zeros(1), []), F, np.array([F]))


def hidden(X, Y):
    """A low hill at y = 0.4, and one at 0.8 that is higher everywhere."""
    hills = np.maximum(1.0 - 30.0 * (Y[:, 0] - 0.4) ** 2, 1.5 - 30.0 * (Y[:, 0] - 0.8) ** 2)
    return hills + 3.0 * X[:, 0] - X[:, 1]


def test_a_hidden_maximizer_is_followed_from_then_on(driver):
    run = driver(hidden, 2, 1)
    place = Place(X, [a_peak(0.4, run.value(X, [0.4]), weight=1.0)])
    trial = a_trial(0.8, run.value(X + D, [0.8]))
    assert run.run(remedy(run.oracle, place, trial, Cause.SUDDEN))
    assert pytest.approx(run.value(X, [0.8])) == place.F
    assert run.task.n_used == 1


def test_a_violator_that_is_lower_here_is_not_followed(driver):
    run = driver(hidden, 2, 1)
    place = Place(X, [a_peak(0.8, run.value(X, [0.8]), weight=1.0)])
    trial = a_trial(0.4, run.value(X + D, [0.4]))
    assert not run.run(remedy(run.oracle, place, trial, Cause.SUDDEN))
    assert len(place.peaks) == 1


@pytest.mark.parametrize(("at", "end"), [(0.401, 0.4125), (0.43, 0.4375), (0.445, 0.45)])
def test_a_jump_on_the_way_becomes_a_wall_that_halving_has_found(driver, at, end):
    """A step of 0.05 from x = 0.4; f jumps beyond `at`."""
    run = driver(lambda X, Y: np.where(X[:, 0] > at, 5.0, 1.0 - X[:, 0]) + 0.0 * Y[:, 0], 2, 1)
    place = Place(X, [a_peak(0.5, run.value(X, [0.5]), weight=1.0)])
    assert run.run(remedy(run.oracle, place, a_trial(0.5, 5.0), Cause.SUDDEN))
    assert place.failed[0][0] == pytest.approx(end)
    assert run.task.n_used == 3


@pytest.mark.parametrize("power", [1, 2, 4])
def test_a_steep_rise_is_no_jump(driver, power):
    run = driver(lambda X, Y: 1.0 + 5.0 * ((X[:, 0] - 0.4) / 0.05) ** power + 0.0 * Y[:, 0], 2, 1)
    place = Place(X, [a_peak(0.5, 1.0, weight=1.0)])
    assert not run.run(remedy(run.oracle, place, a_trial(0.5, 6.0), Cause.SUDDEN))
    assert not place.failed


def test_a_missing_maximizer_becomes_a_fixed_cut_with_its_slope(driver):
    run = driver(hidden, 2, 1)
    place = Place(X, [a_peak(0.8, run.value(X, [0.8]), weight=1.0)])
    assert run.run(remedy(run.oracle, place, a_trial(0.4, 9.0), Cause.MISSING))
    added = place.peaks[-1]
    assert added.is_fixed
    assert added.value == pytest.approx(run.value(X, [0.4]))
    assert added.gx.tolist() == pytest.approx([3.0, -1.0], abs=1e-6)


def test_a_stale_slope_is_measured(driver):
    run = driver(hidden, 2, 1)
    place = Place(X, [a_peak(0.8, run.value(X, [0.8]), fresh=False, weight=1.0)])
    place.top.gx = np.array([9.0, 9.0])
    assert run.run(remedy(run.oracle, place, a_trial(0.8, 9.0), Cause.STALE))
    assert place.top.gx.tolist() == pytest.approx([3.0, -1.0], abs=1e-6)


def test_doubt_finds_the_top_that_a_wrong_model_missed(driver):
    run = driver(hidden, 2, 1, seed=3)
    peak = a_peak(0.75, run.value(X, [0.75]), weight=1.0, bend=-1e6)
    place = Place(X, [peak])
    assert run.run(remedy(run.oracle, place, a_trial(0.75, 9.0), Cause.UNVERIFIED))
    assert pytest.approx(run.value(X, [0.8]), abs=1e-4) == place.F


def test_a_failure_is_remembered_and_costs_nothing(driver):
    run = driver(hidden, 2, 1)
    place = Place(X, [a_peak(0.8, 1.0, weight=1.0)])
    assert run.run(remedy(run.oracle, place, a_trial(0.8, np.inf), Cause.FAILURE))
    assert [x.tolist() for x in place.failed] == [(X + D).tolist()]
    assert run.task.n_used == 0


def test_the_blamed_model_bends_as_much_as_the_value_met():
    """Foretold: 1 + 3 * 0.05 + 0.02 = 1.17; met: 1.2."""
    place = Place(X, [a_peak(0.5, 1.0, weight=1.0)])
    blame_model(place, a_trial(0.5, 1.2))
    bend = 0.5 * D @ place.top.B @ D
    assert bend == pytest.approx(0.03, rel=1e-9)


def test_a_sheer_rise_does_not_bend_the_model():
    for rise, is_bent in ((0.5, True), (50.0, False)):
        peak = a_peak(0.4, 1.0, weight=1.0)
        step = Step(D, 0.1, np.ones(1))
        trial = Trial(step, Place(X + D, [a_peak(0.4, 1.0 + rise)]), 1.0 + rise, np.array([1.0 + rise]))
        blame_model(Place(X, [peak]), trial)
        assert (peak.B is not None) is is_bent
