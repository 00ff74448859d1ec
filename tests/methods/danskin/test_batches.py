"""What does not depend on each other shares a request."""

import numpy as np

from reckless.methods.danskin.ascent import measure_x, measure_y
from reckless.methods.danskin.curvature import check_bends, measure_mixed
from reckless.methods.danskin.diagnosis import add_violator
from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.step import Step
from reckless.methods.danskin.trial import Trial

X, Y = np.array([0.3, 0.6]), np.array([0.2, 0.5, 0.8])
N_X, N_Y = X.size, Y.size


def saddle(X, Y):
    """Concave in y, with the top at 0.4 plus 0.1 (x_0 - 0.3) in each coordinate."""
    top = 0.4 + 0.1 * (X[:, :1] - 0.3)
    return ((X - 0.5) ** 2).sum(1) - ((Y - top) ** 2).sum(1) - 0.5 * (Y[:, 0] - 0.4) * (Y[:, 1] - 0.4)


def sizes_of(run, part):
    """Carry out a part; return the sizes of its requests."""
    sizes, answer = [], run.values

    def noted(pairs):
        values = answer(pairs)
        sizes.append(len(values))
        return values

    run.values = noted
    run.run(part)
    run.values = answer
    return sizes


def known_peak(run, x=X, y=Y):
    peak = Peak(y, run.value(x, y))
    run.run(measure_y(run.oracle, x, peak))
    return peak


def test_slopes_in_x_and_y_share_a_request(driver):
    run = driver(saddle, N_X, N_Y)
    peak = known_peak(run)
    peak.is_fresh_y = False
    assert sizes_of(run, measure_x(run.oracle, X, peak)) == [N_Y + N_X]
    assert peak.is_fresh_x
    assert peak.is_fresh_y
    np.testing.assert_allclose(peak.gx, [-0.4 + 0.2 * (Y - 0.4).sum(), 0.2], atol=1e-5)


def test_a_slope_in_y_that_meets_a_failure_leaves_the_one_in_x_unknown(driver):
    def failing(X, Y):
        return np.where((Y[:, 0] > 0.2) & (X == [0.3, 0.6]).all(axis=1), np.inf, saddle(X, Y))

    run = driver(failing, N_X, N_Y)
    peak = Peak(Y, run.value(X, Y))
    assert sizes_of(run, measure_x(run.oracle, X, peak)) == [2 * N_Y + N_X]
    assert peak.value == np.inf
    assert peak.gx is None
    assert not peak.is_fresh_x


def test_all_mixed_differences_share_a_request(driver):
    run = driver(saddle, N_X, N_Y)
    peak = known_peak(run)
    run.run(measure_x(run.oracle, X, peak))
    assert sizes_of(run, measure_mixed(run.oracle, X, peak)) == [N_X + N_Y + N_X * N_Y]
    np.testing.assert_allclose(peak.M, np.array([[0.2, 0.0]] * N_Y), atol=1e-6)


def test_all_second_differences_in_y_share_a_request(driver):
    run = driver(saddle, N_X, N_Y)
    peak = known_peak(run)
    assert sizes_of(run, check_bends(run.oracle, X, peak)) == [1, N_Y * (N_Y + 3) // 2]
    np.testing.assert_allclose(peak.H, [[-2.0, -0.5, 0.0], [-0.5, -2.0, 0.0], [0.0, 0.0, -2.0]], atol=1e-6)


def test_a_violator_is_evaluated_along_with_its_slopes(driver):
    run = driver(saddle, N_X, N_Y)
    place, d = Place(X, [known_peak(run, y=np.full(N_Y, 0.4))]), np.array([0.1, 0.0])
    violator = known_peak(run, X + d)
    trial = Trial(Step(d, 0.1, np.ones(1)), Place(X + d, [violator]), violator.value, np.zeros(1))
    assert sizes_of(run, add_violator(run.oracle, place, trial)) == [1 + N_Y + N_X]
    added = place.peaks[-1]
    assert added.value == run.value(X, Y)
    assert added.is_fixed  # it is below the top
