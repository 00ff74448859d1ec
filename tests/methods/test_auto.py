"""The default method: who searches when, that nothing is lost or asked twice at the hand-over, and what users read."""

from itertools import pairwise

import numpy as np
import pytest

from reckless import Box, Scenarios, Simplex, Solver, minimax
from reckless.bench.problems import find_problem
from reckless.core.task import Budget, Starts, Task
from reckless.methods.danskin.oracle import Oracle
from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.starting import doubt_hill
from support import X_BOUNDS, Y_BOUNDS, Recorder, tilted_bowl

LIST = Scenarios(np.random.default_rng(5).uniform(0.0, 10.0, (40, 2)))


def distance(x, y):
    return float(((x - y) ** 2).sum())


def runs_of(name, budgets, **options):
    p, found = find_problem(name), []
    for budget in budgets:
        pairs = []

        def f(X, Y, pairs=pairs, p=p):
            pairs.extend(np.hstack([X, Y]).tolist())
            return p.function(X, Y)

        found.append((minimax(f, p.x_bounds, p.y_bounds, maxfev=budget, vectorized=True, **options), pairs))
    return p, found


def test_the_message_says_who_searched_and_how_far():
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=400, rng=7)
    n = int(result.message.split("Searched by surrogate to ")[1].split(",")[0])
    assert 10 < n < 120
    assert "then danskin to 400." in result.message
    assert result.method == "surrogate, then danskin"


def test_a_run_of_one_method_is_named_after_it_and_says_no_more():
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=12, rng=7)
    assert result.method == "surrogate"
    assert "Searched by" not in result.message


def test_beyond_what_a_surrogate_can_learn_the_second_method_searches_alone():
    def bowl(x, y):
        return float(((x - 0.3) ** 2).sum() - ((y - x[:7]) ** 2).sum())

    result = minimax(bowl, [(0, 1)] * 7, [(0, 1)] * 7, maxfev=100, rng=1)
    assert result.method == "danskin"
    many = Scenarios(np.random.default_rng(1).uniform(size=(5, 13)))
    assert minimax(distance, [(0, 1)] * 13, many, maxfev=100, rng=1).method == "finite"


@pytest.mark.parametrize("name", ["MWP4", "absorber"])
def test_more_budget_changes_nothing_before_the_closing(name):
    """The scout keeps 8 % for its closing, the descent 5 %; a round that does not fit is cut short before."""
    _, ((short, few), (_, many)) = runs_of(name, (200, 1000), rng=3)
    assert short.nfev == 200
    assert few[:180] == many[:180]


@pytest.mark.parametrize("name", ["MWP4", "ball"])
def test_no_pair_is_evaluated_twice_but_to_test_for_noise(name):
    _, ((result, pairs),) = runs_of(name, (500,), rng=4)
    assert result.nfev == len(pairs)
    assert len({tuple(pair) for pair in pairs}) >= len(pairs) - 1


def test_no_pair_of_integers_is_evaluated_twice():
    calls = Recorder(lambda x, y: float((x[0] - 2.2) ** 2 + (x[1] - 0.3) ** 2 + x[1] * y[0] - (y[0] - 1.6) ** 2))
    result = minimax(calls, [(0, 9), (-1, 1)], [(0, 4)], maxfev=300, rng=1, x_integrality=[True, False])
    pairs = {(*x.tolist(), *y.tolist()) for x, y in calls.pairs}
    assert result.x[0] == 2.0
    assert len(pairs) >= len(calls.pairs) - 1


@pytest.mark.parametrize("name", ["MWP4", "L6"])
def test_more_budget_gives_no_worse_answer(name):
    p, runs = runs_of(name, (60, 120, 240, 480), rng=5)
    worst = [float(p.worst_case(result.x[None])[0][0]) - p.optimum.value for result, _ in runs]
    assert all(later <= earlier + 1e-6 for earlier, later in pairwise(worst))
    assert worst[-1] < 1e-6


def test_a_list_is_finished_by_its_own_method():
    result = minimax(distance, [(0, 10)] * 2, LIST, maxfev=400, rng=2)
    assert result.method == "surrogate, then finite"
    assert result.success
    assert result.fun == pytest.approx(max(distance(result.x, y) for y in LIST.points), rel=1e-12)


def test_an_answer_gives_way_to_none_that_was_tried_on_less():
    """With 400 scenarios a descent cannot try them all; its estimate on a few is no reason to leave the answer."""
    points = Scenarios(np.random.default_rng(8).normal(5.0, 1.0, (400, 2)))
    truth = []
    for maxfev in (100, 150, 220, 300):
        result = minimax(distance, [(0, 10)] * 2, points, maxfev=maxfev, rng=2)
        truth.append(max(distance(result.x, y) for y in points.points))
    assert max(truth[1:]) <= 1.02 * truth[0]


@pytest.mark.parametrize("x_set", [Simplex(3), Box([(0, 1), (1, 9, "int"), (0.1, 10.0, "log")])])
def test_sets_of_x_are_handed_over(x_set):
    def f(x, y):
        return float(((x - [0.3, 0.4, 0.3]) ** 2).sum() + x[0] * y[0] - y[0] ** 2)

    result = minimax(f, x_set, [(-1, 1)], maxfev=400, rng=3)
    assert result.method == "surrogate, then danskin"
    assert np.isfinite(result.fun)


@pytest.mark.parametrize("policy", ["worst", "ignore"])
def test_failures_survive_the_hand_over(policy):
    def f(x, y):
        return np.nan if x[0] + y[0] > 1.5 else (x[0] - 0.4) ** 2 + x[0] * y[0] - y[0] ** 2

    result = minimax(f, [(0, 1)], [(0, 1)], maxfev=300, rng=2, nan_policy=policy)
    assert result.nfev == 300
    assert np.isfinite(result.fun)


def test_noise_that_the_scout_found_is_known_to_the_descent():
    rng = np.random.default_rng(3)

    def noisy(x, y):
        return tilted_bowl(x, y) + 0.01 * rng.standard_normal()

    result = minimax(noisy, X_BOUNDS, Y_BOUNDS, maxfev=1500, rng=1)
    assert "Evaluations are noisy" in result.message
    assert "then danskin" in result.message
    assert np.abs(result.x - [2.0, -3.0]).max() < 0.02


# What the second method takes over


def oracle_with(pairs, n_x=2, n_y=1):
    starts = Starts(pairs[0][:1], pairs[1][:1], pairs=pairs)
    return Oracle(Task(n_x, n_y, Budget(100), np.random.default_rng(0), starts=starts), 100)


def test_pairs_that_another_search_evaluated_are_not_asked_for(driver):
    X, Y, v = np.full((3, 2), 0.25), np.array([[0.1], [0.5], [0.9]]), np.array([1.0, np.nan, 3.0])
    run = driver(lambda X, Y: 10.0 + Y[:, 0], 2, 1)
    run.oracle = oracle_with((X, Y, v))
    run.oracle.task.budget = run.task.budget
    values = run.run(run.oracle.ask(X[0], np.array([[0.9], [0.3], [0.5]])))
    assert values[0] == 3.0
    assert values[1] == 10.3
    assert np.isnan(values[2])
    assert run.task.n_used == 1
    assert run.run(run.oracle.ask_again(X[0], Y[2])) == 10.9


@pytest.fixture
def driver():
    from methods.danskin.conftest import Driver

    return Driver


@pytest.mark.parametrize(("curvature", "is_kept"), [(-2.0, True), (-200.0, False)])
def test_what_was_handed_over_about_a_hill_is_tested_by_one_value(driver, curvature, is_kept):
    run = driver(lambda X, Y: -((Y[:, 0] - 0.5) ** 2), 2, 1)
    peak = Peak(np.array([0.45]), -0.0025, np.zeros(2), np.array([0.1]), np.array([[curvature]]), np.zeros((1, 2)))
    run.run(doubt_hill(run.oracle, np.full(2, 0.5), peak))
    assert run.task.n_used == 1
    assert (peak.H is not None) == (peak.gx is not None) == is_kept


def test_a_hill_of_which_nothing_is_known_needs_no_test(driver):
    run = driver(lambda X, Y: Y[:, 0], 2, 1)
    run.run(doubt_hill(run.oracle, np.full(2, 0.5), Peak(np.array([0.45]), 0.45)))
    assert run.task.n_used == 0


def test_a_hurried_run_does_what_it_can():
    calls = Recorder(tilted_bowl)
    for maxfev in range(1, 9):
        result = minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=maxfev, rng=1)
        assert result.nfev == maxfev


# What users have of every method


@pytest.mark.parametrize("n_before", [10, 60, 150])
def test_a_killed_run_resumes_on_either_side_of_the_hand_over(tmp_path, n_before):
    calls, path = Recorder(tilted_bowl), tmp_path / "run.journal"
    expected = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=200, rng=7)
    solver = Solver("auto", X_BOUNDS, Y_BOUNDS, maxfev=200, rng=7, checkpoint=path)
    while solver.result().nfev < n_before:
        solver.tell([tilted_bowl(x, y) for x, y in zip(*solver.ask(), strict=True)])
    solver.stop()
    del solver
    found = minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=200, rng=7, checkpoint=path)
    assert (found.x.tolist(), found.fun, found.nfev) == (expected.x.tolist(), expected.fun, 200)
    assert len(calls.pairs) <= 200 - n_before + 3


def test_the_trace_names_what_the_descent_did_after_the_scout():
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=300, rng=7, trace=True)
    n = int(result.message.split("Searched by surrogate to ")[1].split(",")[0])
    assert min(row.nfev for row in result.trace) >= n
    assert {row.phase for row in result.trace} >= {"start", "verify"}


@pytest.mark.parametrize("size", [4, 8])
def test_batches_pass_the_hand_over(size):
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=300, rng=7, batch_size=size)
    assert result.method == "surrogate, then danskin"
    assert result.fun == pytest.approx(0.0, abs=1e-6)
    assert result.nfev == 300


def test_a_small_budget_has_an_upper_bound_and_a_large_one_has_searches():
    few, many = (minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=n, rng=7) for n in (14, 400))
    assert few.upper is None or few.upper >= few.fun
    assert many.upper is None
    assert many.agreement.n_agreed >= 2
