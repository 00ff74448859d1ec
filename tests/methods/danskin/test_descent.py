"""Slopes, trials, sweeps, bundles and hops, each on a function made for it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from reckless.methods.danskin.bundle import Bundle, Cut, level_step, search_bundle
from reckless.methods.danskin.climb import Peak, climb
from reckless.methods.danskin.descent import descend
from reckless.methods.danskin.hopping import Ground, Hopping, ground_at, hop, lowest_dips, search_lines
from reckless.methods.danskin.incumbent import Answer, Incumbent
from reckless.methods.danskin.slopes import has_response, respond, slope_at
from reckless.methods.danskin.state import State, Track
from reckless.methods.danskin.sweep import sweep
from reckless.methods.danskin.trial import try_step


def state_at(run, x, y, h=0.05):
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    value = float(run.f(x[None], y[None])[0])
    return State(x, run.inner.track_whole(Peak(y, value, np.full(y.size, h))))


def descend_from(run, x, y):
    peak = Peak(np.asarray(y, dtype=float), 0.0, np.full(len(y), 0.05))
    return run.run(descend(run.inner, Incumbent(run.inner.oracle), np.asarray(x, dtype=float), [peak]))


def saddle(X, Y):
    return ((X - 0.3) ** 2).sum(axis=1) + (X - 0.3)[:, 0] * (Y - 0.6)[:, 0] - ((Y - 0.6) ** 2).sum(axis=1)


def ridge(X, Y):
    """The maximizer y = x is a kink; with y fixed the slope in x is wrong. F(x) = 1 + x."""
    return 1.0 + X[:, 0] - np.abs(Y[:, 0] - X[:, 0]) * np.where(Y[:, 0] < X[:, 0], 3.0, 1.0)


def two_peaks(X, Y):
    """Two maximizers that swap: y = 0.1 with (x + 0.2)^2, y = 0.9 with (x - 0.9)^2; best at x = 0.35."""
    left = (X[:, 0] + 0.2) ** 2 - 20.0 * (Y[:, 0] - 0.1) ** 2
    right = (X[:, 0] - 0.9) ** 2 - 20.0 * (Y[:, 0] - 0.9) ** 2
    return np.maximum(left, right)


def test_slopes_are_differences_taken_inward_at_the_upper_bound(driver):
    run = driver(saddle, 2, 2)
    x, y = np.array([1.0, 0.5]), np.full(2, 0.6)
    slope = run.run(slope_at(run.inner, x, y, float(saddle(x[None], y[None])[0]), 1e-6, None))
    np.testing.assert_allclose(slope, [1.4, 0.4], atol=1e-5)
    assert run.batches == [2]


@pytest.mark.parametrize("failure", [np.nan, np.inf])
def test_a_failed_difference_is_taken_on_the_other_side_and_counts_as_flat_if_that_fails_too(driver, failure):
    run = driver(lambda X, Y: np.where(X[:, 0] > 0.5, failure, X.sum(axis=1)), 2, 1)
    slope = run.run(slope_at(run.inner, np.full(2, 0.5), np.zeros(1), 1.0, 1e-6, None))
    np.testing.assert_allclose(slope, [1.0, 1.0], atol=1e-6)
    assert run.batches == [2, 1]
    alone = driver(lambda X, Y: np.where(X[:, 0] != 0.5, failure, X.sum(axis=1)), 2, 1)
    slope = alone.run(slope_at(alone.inner, np.full(2, 0.5), np.zeros(1), 1.0, 1e-6, None))
    np.testing.assert_allclose(slope, [0.0, 1.0], atol=1e-6)


def test_a_kinked_maximizer_that_moves_is_told_from_one_that_stays(driver):
    run = driver(ridge, 1, 1)
    state = state_at(run, [0.5], [0.5])
    state.base.peak = state.base.peak._replace(is_kinked=True)
    assert run.run(has_response(run.inner, state))
    run.run(respond(run.inner, state))
    np.testing.assert_allclose(state.base.slope, [1.0], atol=1e-6)
    np.testing.assert_allclose(state.base.response, [[1.0]], atol=1e-6)

    still = driver(lambda X, Y: X[:, 0] - np.abs(Y[:, 0] - 0.5), 1, 1)
    state = state_at(still, [0.5], [0.5])
    state.base.peak = state.base.peak._replace(is_kinked=True)
    assert not still.run(has_response(still.inner, state))


def test_a_trial_lets_a_piece_take_over_before_it_tracks_anything(driver):
    run = driver(two_peaks, 1, 1)
    state = state_at(run, [0.4], [0.1])
    state.pieces = [Track(slice(0, 1), Peak(np.array([0.9]), 0.25, np.array([0.05])))]
    trial = run.run(try_step(run.inner, state, np.array([-0.2]), 0.1))
    assert not trial.is_lower
    assert trial.state.base.z[0] == pytest.approx(0.9)
    assert trial.gaps[0] == pytest.approx(0.4**2 - 0.7**2)
    assert state.base.z[0] == 0.1


def test_a_failure_at_the_new_x_is_no_improvement(driver):
    run = driver(lambda X, Y: np.where(X[:, 0] < 0.4, np.nan, X[:, 0] - Y[:, 0]), 1, 1)
    trial = run.run(try_step(run.inner, state_at(run, [0.5], [0.0]), np.array([-0.2]), 0.2))
    assert not trial.is_lower


def test_a_descent_ends_where_two_maximizers_balance(driver):
    run = driver(two_peaks, 1, 1)
    state = descend_from(run, [0.8], [0.5])
    assert state.x[0] == pytest.approx(0.35, abs=1e-8)
    assert state.base.value == pytest.approx(0.55**2, rel=1e-9)
    assert run.task.n_used < 300


def test_a_descent_follows_a_ridge_to_the_bound(driver):
    run = driver(ridge, 1, 1)
    state = descend_from(run, [0.7], [0.2])
    assert state.x[0] == 0.0
    assert state.base.value == pytest.approx(1.0, abs=1e-9)


def test_a_plateau_is_left_after_few_evaluations(driver):
    run = driver(lambda X, Y: 1.0 - (Y[:, 0] - 0.5 * X[:, 0]) ** 2, 1, 1)
    descend_from(run, [0.7], [0.2])
    assert run.task.n_used < 250


def test_a_sweep_finds_kinks_along_coordinates(driver):
    target = np.array([0.31, 0.62, 0.77])
    run = driver(lambda X, Y: np.abs(X - target).sum(axis=1) - ((Y - 0.4) ** 2).sum(axis=1), 3, 1)
    found = run.run(sweep(run.inner, state_at(run, [0.3, 0.6, 0.8], [0.4]), 1e-2))
    assert found is not None
    np.testing.assert_allclose(found.x, target, atol=1e-9)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_possible_decrease_is_the_linear_programs(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 6)), int(rng.integers(1, 12))
    x, F, radius = rng.random(n), 1.0, 0.3
    cuts = [Cut(x, F - rng.exponential(0.05) * (i > 0), rng.standard_normal(n)) for i in range(k)]
    step = level_step(cuts, x, F, radius)
    G, below = np.array([c.slope for c in cuts]), np.array([c.value - F for c in cuts])
    low, high = np.maximum(-radius, -x), np.minimum(radius, 1.0 - x)
    naive = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=np.column_stack([G, -np.ones(k)]),
        b_ub=-below,
        bounds=[*zip(low, high, strict=True), (None, None)],
    )
    assert step.possible == pytest.approx(-naive.fun, abs=1e-6)
    assert (G @ step.d + below).max() <= -0.5 * step.possible + 1e-6


def test_a_cut_above_a_known_value_speaks_against_convexity():
    bundle = Bundle(centers=[np.array([0.2])], heights=[1.0])
    assert bundle.contradicts(Cut(np.array([0.5]), 1.0, np.array([-1.0])), 0.1)
    assert not bundle.contradicts(Cut(np.array([0.5]), 1.0, np.array([1.0])), 0.1)


def test_a_bundle_solves_a_sum_of_absolute_values(driver):
    rng = np.random.default_rng(5)
    A, c = rng.standard_normal((9, 3)), rng.standard_normal(9)

    def f(X, Y):
        return np.abs(X @ A.T - A @ np.full(3, 0.5) - 0.1 * c).sum(axis=1) - ((Y - 0.4) ** 2).sum(axis=1)

    run = driver(f, 3, 2)
    end = run.run(search_bundle(run.inner, state_at(run, [0.2, 0.8, 0.3], [0.4, 0.4]), 0.1))
    cost = np.append(np.zeros(3), np.ones(9))
    rows = np.block([[A, -np.eye(9)], [-A, -np.eye(9)]])
    at = A @ np.full(3, 0.5) + 0.1 * c
    best = linprog(cost, A_ub=rows, b_ub=np.concatenate([at, -at]), bounds=[(0, 1)] * 3 + [(0, None)] * 9)
    assert end.state.base.value == pytest.approx(best.fun, abs=1e-7)
    assert run.task.n_used < 1500


def test_dips_are_ranked():
    assert lowest_dips(np.array([3.0, 1.0, 2.0, 0.5, 4.0, 0.9]), 2) == [3, 5]
    assert lowest_dips(np.array([1.0, 2.0])) == [0]


def bumps(X, Y):
    return (0.2 * (1.0 - np.cos(25.0 * (X - 0.7))) + (X - 0.7) ** 2).sum(axis=1) - ((Y - 0.4) ** 2).sum(axis=1)


def test_lines_lead_from_one_basin_to_a_better_one(driver):
    run = driver(bumps, 2, 1)
    x = np.array([0.7 - 2.0 * np.pi / 25.0, 0.7])
    ground = Ground(run.inner, [np.array([0.4])], float(bumps(x[None], np.array([[0.4]]))[0]))
    landing = run.run(search_lines(ground, x))
    assert landing is not None
    np.testing.assert_allclose(landing.x, 0.7, atol=0.02)


def test_hops_land_only_where_an_attack_confirms_it(driver):
    """At y = 0.4 all looks well, but y = 1 denies every improvement."""

    def f(X, Y):
        return bumps(X, Y) + np.where(Y[:, 0] > 0.9, 5.0, 0.0)

    run = driver(f, 1, 1)
    ground = Ground(run.inner, [np.array([0.4])], float(f(np.array([[0.2]]), np.array([[0.4]]))[0]))
    assert run.run(hop(ground, Hopping(), np.array([0.2]), 400)) is None
    assert any(y[0] > 0.9 for y in ground.scenarios)


def test_hopping_gets_less_when_it_does_not_pay():
    hopping = Hopping()
    assert hopping.is_due(100)
    hopping.note(40, False)
    assert not hopping.is_due(100)
    assert hopping.share == pytest.approx(0.21)
    hopping.note(0, True)
    assert hopping.share == 0.5


def test_the_ground_has_the_answers_y_and_differing_others(driver):
    inner = driver(bumps, 1, 1).inner
    for y in (0.1, 0.42, 0.8):
        inner.oracle.remember(np.array([y]))
    ground = ground_at(inner, Answer(np.array([0.5]), np.array([0.4]), 1.0))
    assert [round(float(y[0]), 2) for y in ground.scenarios] == [0.4, 0.8, 0.1]


def test_a_piece_climbs_on_its_own_block_only(driver):
    run = driver(lambda X, Y: -((Y - [0.2, 0.7]) ** 2).sum(axis=1), 1, 2)
    state = state_at(run, [0.5], [0.5, 0.5])
    piece = Track(slice(1, 2), Peak(np.array([0.6]), -0.1, np.array([0.05])))
    peak = run.run(run.inner.follow_piece(state, piece, climb(piece.peak, 6)))
    assert peak.z[0] == pytest.approx(0.7)
    assert peak.value == pytest.approx(-0.09)
