"""What trials meet again: y that were worst elsewhere, unless they are far too low nearby."""

import numpy as np
import pytest

from reckless.methods.danskin.jumps import Fear, fear, recall
from reckless.methods.danskin.peak import Peak


def at(*z):
    return np.array(z)


def test_a_y_met_once_may_be_anywhere():
    assert Fear(at(0.9), at(0.3), -1e9).may_exceed(at(0.31), 5.0)


def test_a_y_that_changes_slowly_is_spared_nearby():
    """It fell by 2 over 0.2, so over 0.1 it may rise by 2."""
    one = Fear(at(0.9), at(0.3), 4.0)
    one.meet(at(0.5), 2.0)
    assert one.pace == pytest.approx(10.0)
    assert one.may_exceed(at(0.4), 3.9)
    assert not one.may_exceed(at(0.4), 4.1)
    one.meet(at(0.4), 2.1)  # a slower change forgets nothing
    assert one.pace == pytest.approx(10.0)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_y_that_failed_is_met_anywhere(value):
    one = Fear(at(0.9), at(0.3), 4.0)
    one.meet(at(0.5), 2.0)
    one.meet(at(0.6), value)
    assert one.may_exceed(at(0.6), 1e9)


def tent(X, Y):
    return 5.0 - 10.0 * np.abs(Y[:, 0] - X[:, 0])


def test_the_highest_of_those_met_joins_the_peaks_if_it_is_above_them(driver):
    run = driver(tent, 1, 1)
    for y in (0.2, 0.6, 0.8):
        fear(run.oracle, at(y), Peak(at(y), 5.0))
    peaks = [Peak(at(0.2), 1.0)]
    run.run(recall(run.oracle, at(0.7), peaks))
    assert run.task.n_used == 2  # 0.2 is followed
    assert [peak.y.tolist() for peak in peaks] == [[0.2], [0.6]]
    assert peaks[1].value == pytest.approx(4.0)


def test_close_y_are_feared_once_and_ten_at_most(driver):
    run = driver(tent, 1, 1)
    for y in (*np.linspace(0.0, 1.0, 14), 0.54, 0.99):
        fear(run.oracle, at(0.5), Peak(at(y), 1.0))
    assert len(run.oracle.fears) == 10
    assert min(one.y[0] for one in run.oracle.fears) == pytest.approx(4 / 13)
