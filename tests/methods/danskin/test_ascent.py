"""Differences and climbs: exact on quadratics, in a stated number of evaluations, and what failures do."""

import numpy as np
import pytest

from reckless.methods.danskin.ascent import ascend, measure_x, measure_y
from reckless.methods.danskin.curvature import check_bends, measure_mixed
from reckless.methods.danskin.kinks.ridge import climb_ridge
from reckless.methods.danskin.peak import Peak


def start(driver, f, x, y, n_x=3, n_y=4, **options):
    run, x, y = driver(f, n_x, n_y, **options), np.array(x, dtype=float), np.array(y, dtype=float)
    return run, x, Peak(y, run.value(x, y))


X3, Y4 = [0.2, 0.6, 0.9], [0.3, 0.4, 0.55, 0.7]


def test_first_slopes_in_y_and_the_diagonal_are_exact_for_a_quadratic(driver, quadratic):
    f = quadratic(3, 4, seed=1)
    run, x, peak = start(driver, f, X3, Y4)
    run.run(measure_y(run.oracle, x, peak))
    assert run.task.n_used == 8
    assert peak.gy.tolist() == pytest.approx((f.B.T @ (x - f.a) - f.C @ (peak.y - f.b)).tolist(), abs=1e-10)
    assert np.diag(peak.H).tolist() == pytest.approx((-np.diag(f.C)).tolist(), abs=1e-9)


def test_differences_stay_in_the_box_at_its_corners(driver, quadratic):
    """The driver asserts that nothing outside is asked for."""
    f = quadratic(3, 4, seed=1)
    run, x, peak = start(driver, f, [0.0, 1.0, 0.995], [0.0, 1.0, 0.994, 0.004])
    run.run(measure_y(run.oracle, x, peak))
    run.run(measure_x(run.oracle, x, peak))
    run.run(measure_mixed(run.oracle, x, peak))
    run.run(check_bends(run.oracle, x, peak))
    assert peak.gx.tolist() == pytest.approx((f.A @ (x - f.a) + f.B @ (peak.y - f.b)).tolist(), abs=1e-4)


def test_later_slopes_cost_one_evaluation_per_coordinate(driver, quadratic):
    f = quadratic(3, 4, seed=2)
    run, x, peak = start(driver, f, X3, Y4)
    run.run(measure_y(run.oracle, x, peak))
    peak.move(np.array([0.1, -0.1, 0.05, 0.0]), run.value(x, peak.y + np.array([0.1, -0.1, 0.05, 0.0])))
    before = run.task.n_used
    run.run(measure_y(run.oracle, x, peak))
    assert run.task.n_used == before + 4
    assert peak.gy.tolist() == pytest.approx((f.B.T @ (x - f.a) - f.C @ (peak.y - f.b)).tolist(), abs=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_a_climb_reaches_the_top_of_a_dense_quadratic(driver, quadratic, seed):
    """8 for slopes, at most 15 for all of H, 5 per round: measured at most 45 for 40 seeds, asserted 50."""
    f = quadratic(3, 4, seed)
    x = f.a + np.array([0.05, -0.04, 0.03])
    run, x, peak = start(driver, f, x, f.b + np.array([0.2, -0.1, 0.15, -0.2]))
    run.run(ascend(run.oracle, x, peak, 1e-9))
    assert f.top(x)[1] - peak.value <= 1e-8
    assert run.task.n_used <= 50


def test_a_climb_on_a_separable_quadratic_needs_one_move(driver):
    """2 n_y for slopes and curvatures, then one evaluation at the top, which is as foretold."""
    top = np.array([0.31, 0.62, 0.44, 0.53])
    run, x, peak = start(driver, lambda X, Y: 5.0 - ((Y - top) ** 2 * [1, 2, 3, 4]).sum(1), X3, Y4)
    run.run(ascend(run.oracle, x, peak, 1e-8))
    assert run.task.n_used == 9
    assert peak.y.tolist() == pytest.approx(top.tolist(), abs=1e-8)


def test_a_climb_stops_at_its_tolerance(driver, quadratic):
    f = quadratic(3, 4, seed=3)
    x = f.a + 0.02
    run, x, peak = start(driver, f, x, f.b + 0.01)
    run.run(ascend(run.oracle, x, peak, 10.0))
    assert run.task.n_used == 8
    assert peak.y.tolist() == (f.b + 0.01).tolist()


def test_a_slow_climb_measures_all_of_h(driver):
    """A ridge across the coordinates, with curvatures of 1 and 1e4: the diagonal does not show it."""
    along = np.array([1.0, -1.0]) / np.sqrt(2.0)
    across = np.array([1.0, 1.0]) / np.sqrt(2.0)

    def ridge(X, Y):
        V = Y - np.array([0.5, 0.4])
        return -0.5 * (V @ along) ** 2 - 5e3 * (V @ across) ** 2

    run, x, peak = start(driver, ridge, [0.5], [0.8, 0.3], n_x=1, n_y=2)
    run.run(ascend(run.oracle, x, peak, 1e-10))
    assert peak.is_checked
    assert peak.value >= -1e-8
    assert run.task.n_used <= 40


def test_slopes_in_x_are_those_of_the_function(driver, quadratic):
    f = quadratic(3, 4, seed=4)
    run, x, peak = start(driver, f, X3, Y4)
    run.run(measure_x(run.oracle, x, peak))
    assert peak.is_fresh_x
    assert run.task.n_used == 8 + 3
    # Forward differences of 1e-6, half a curvature of about 5: wrong by 3e-6.
    assert peak.gx.tolist() == pytest.approx((f.A @ (x - f.a) + f.B @ (peak.y - f.b)).tolist(), abs=1e-5)


def test_mixed_second_derivatives_are_exact_for_a_quadratic(driver, quadratic):
    f = quadratic(3, 4, seed=5)
    run, x, peak = start(driver, f, X3, Y4)
    run.run(measure_x(run.oracle, x, peak))
    before = run.task.n_used
    run.run(measure_mixed(run.oracle, x, peak))
    assert run.task.n_used == before + 3 * 4 + 3 + 4
    assert np.allclose(peak.M, f.B.T, atol=1e-8)
    assert np.diag(peak.A).tolist() == pytest.approx(np.diag(f.A).tolist(), abs=1e-3)


def test_all_of_h_is_measured_where_the_diagonal_foretells_badly(driver, quadratic):
    f = quadratic(3, 4, seed=6)
    run, x, peak = start(driver, f, X3, Y4)
    run.run(measure_y(run.oracle, x, peak))
    run.run(check_bends(run.oracle, x, peak))
    assert np.allclose(peak.H, -f.C, atol=1e-8)
    before = run.task.n_used
    run.run(check_bends(run.oracle, x, peak))  # now it foretells well
    assert run.task.n_used == before + 1


def test_curvature_across_a_change_of_bounds_is_forgotten(driver):
    """In y, clipped at 1, x < 0.5 moves y along; beyond, y sits at its bound and the curvature is 2 instead of 6."""
    run = driver(lambda X, Y: X[:, 0] ** 2 + 8.0 * X[:, 0] * Y[:, 0] - 8.0 * (Y[:, 0] - 0.5) ** 2, 1, 1)
    peak = None
    for x, y in ((0.9, 1.0), (0.8, 1.0), (0.3, 0.65), (0.2, 0.6), (0.1, 0.55)):
        x, y = np.array([x]), np.array([y])
        if peak is None:
            peak = Peak(y, run.value(x, y))
        peak.y, peak.value, peak.is_fresh_x, peak.is_fresh_y = y, run.value(x, y), False, False
        run.run(measure_x(run.oracle, x, peak))
        if x[0] == 0.3:
            assert peak.is_blended
    assert not peak.is_blended
    assert peak.B[0, 0] == pytest.approx(6.0, abs=1e-3)


@pytest.mark.parametrize("doubt", [{"is_stiff": True}, {"n_balanced": 1000}])
def test_where_b_is_no_curvature_of_f_it_does_not_correct_slopes(driver, doubt):
    """B holds the answer of y too, but differences are taken at fixed y: linear in x, they are exact without it."""
    run, x, peak = start(driver, lambda X, Y: 3.0 * X[:, 0] * Y[:, 0] - Y[:, 0] ** 4, [0.4], [0.5], n_x=1, n_y=1)
    peak.B = np.array([[1e6]])
    run.run(measure_x(run.oracle, x, peak))
    assert abs(peak.gx[0] - 1.5) > 0.1
    peak.is_fresh_x = False
    for name, value in doubt.items():
        setattr(run.oracle, name, value)
    run.run(measure_x(run.oracle, x, peak))
    assert peak.gx[0] == pytest.approx(1.5, abs=1e-8)


def test_differences_that_fail_count_as_level(driver):
    def half(X, Y):
        return np.where(Y[:, 0] > 0.5, np.nan, -((Y[:, 0] - 0.8) ** 2) - (Y[:, 1] - 0.3) ** 2)

    run, x, peak = start(driver, half, [0.5], [0.5, 0.6], n_x=1, n_y=2)
    run.run(ascend(run.oracle, x, peak, 1e-10))
    assert peak.y[1] == pytest.approx(0.3, abs=1e-4)
    assert peak.y[0] <= 0.5
    assert np.isfinite(peak.value)


def test_a_climb_ends_where_nothing_can_be_worse(driver):
    run, x, peak = start(
        driver, lambda X, Y: np.where(Y[:, 0] > 0.61, np.inf, Y[:, 0]), [0.5], [0.6, 0.2], n_x=1, n_y=2
    )
    run.run(ascend(run.oracle, x, peak, 1e-10))
    assert peak.value == np.inf
    assert peak.y[0] > 0.61


def test_a_hill_narrower_than_the_first_differences_is_measured_by_shorter_ones(driver):
    """On both sides of the hill f rises slowly, which is all that differences of 0.01 see of its slope."""

    def narrow(X, Y):
        away = Y[:, 0] - 0.5
        return 0.01 * away + np.maximum(0.0, 1.0 - (away / 1e-3) ** 2)

    run = driver(narrow, 1, 1)
    x, y = np.array([0.5]), np.array([0.5004])
    peak = Peak(y, run.value(x, y))
    run.run(ascend(run.oracle, x, peak, 1e-12))
    assert peak.value > 0.99
    assert peak.closeness < 1.0


def test_a_kinked_top_of_one_coordinate_is_climbed_by_tents(driver):
    run = driver(lambda X, Y: 3.0 - np.maximum(2.0 * (Y[:, 0] - 0.4), 5.0 * (0.4 - Y[:, 0])), 1, 1)
    peak = Peak(np.array([0.41]), 2.98)
    run.run(climb_ridge(run.oracle, np.array([0.5]), peak, 1e-6))
    assert peak.value == pytest.approx(3.0, abs=1e-6)
    assert run.task.n_used <= 30
