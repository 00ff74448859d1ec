"""The front doors: minimax and Solver."""

import numpy as np
import pytest
from scipy.optimize import Bounds, OptimizeResult

import reckless
from reckless import InvalidArgument, InvalidObjective, OutOfTurn, Solver, minimax
from reckless.core.task import Agreement, Series
from support import X_BOUNDS, Y_BOUNDS, Interrupted, tilted_bowl


def rows(X, Y):
    return tilted_bowl(X.T, Y.T)


def drive(solver):
    while not solver.done:
        solver.tell(rows(*solver.ask()))
    return solver.result()


@pytest.mark.parametrize("method", ["reckless", "mmde", "coevolution-parallel", "random-search"])
def test_ask_and_tell_is_the_same_run_as_one_call(method):
    told = drive(Solver(method, X_BOUNDS, Y_BOUNDS, maxfev=1200, rng=7))
    called = minimax(rows, X_BOUNDS, Y_BOUNDS, maxfev=1200, method=method, rng=7, vectorized=True)
    assert told.nfev == called.nfev
    assert told.fun == called.fun
    assert np.array_equal(told.x, called.x)
    assert told.message == called.message


def test_two_solvers_interleave_without_influencing_each_other():
    alone = [drive(Solver("reckless", X_BOUNDS, Y_BOUNDS, maxfev=900, rng=seed)) for seed in (1, 2)]
    solvers = [Solver("reckless", X_BOUNDS, Y_BOUNDS, maxfev=900, rng=seed) for seed in (1, 2)]
    while not all(solver.done for solver in solvers):
        for solver in solvers:
            if not solver.done:
                solver.tell(rows(*solver.ask()))
    for one, solver in zip(alone, solvers, strict=True):
        assert one.fun == solver.result().fun


def test_asking_again_gives_the_same_pairs_even_if_the_first_answer_was_scribbled_on():
    solver = Solver("mmde", X_BOUNDS, Y_BOUNDS, maxfev=500, rng=7)
    X, Y = solver.ask()
    kept = X.copy()
    X[:], Y[:] = 0.0, 0.0
    assert np.array_equal(solver.ask()[0], kept)


def test_values_told_are_copied():
    values, solver = None, Solver("mmde", X_BOUNDS, Y_BOUNDS, maxfev=500, rng=7)
    while not solver.done:
        values = rows(*solver.ask())
        solver.tell(values)
        values[:] = -1e9
    assert solver.result().fun > -1e6


class Climber:
    """Try y in a fixed order until one is above the limit, again and again; remember what came back."""

    def __init__(self, ladder, limit):
        self.ladder, self.limit, self.received = np.array(ladder)[:, None], limit, []

    def search(self, task):
        while True:
            values = yield Series(np.full(task.n_x, 0.5), self.ladder, self.limit)
            self.received.append(values.tolist())
            task.recommend(np.full(task.n_x, 0.5), self.ladder[len(values) - 1], values[-1])


def run_by_tell(f, method, maxfev, **options):
    solver = Solver(method, [(0, 4)] * 2, [(0, 10)], maxfev=maxfev, rng=1, **options)
    while not solver.done:
        X, Y = solver.ask()
        assert len(X) == len(Y) == 1
        solver.tell([f(X[0], Y[0])])
    return solver.result()


def run_by_call(f, method, maxfev, **options):
    return minimax(f, [(0, 4)] * 2, [(0, 10)], maxfev=maxfev, method=method, rng=1, **options)


@pytest.mark.parametrize("run", [run_by_tell, run_by_call])
def test_a_series_ends_with_the_first_value_above_its_limit_or_with_the_budget(run):
    seen = []

    def f(x, y):
        seen.append((x.tolist(), y.item()))
        return y.item()

    method = Climber([0.2, 0.1, 0.7, 0.9], limit=5.0)
    result = run(f, method, maxfev=8)
    assert method.received == [[2.0, 1.0, 7.0], [2.0, 1.0, 7.0], [2.0, 1.0]]
    assert seen == [([2.0, 2.0], y) for y in (2.0, 1.0, 7.0, 2.0, 1.0, 7.0, 2.0, 1.0)]
    assert result.nfev == 8
    assert result.message.startswith("The evaluation budget (maxfev) is spent")
    assert [moment.nfev for moment in result.history] == [3, 8]


@pytest.mark.parametrize("run", [run_by_tell, run_by_call])
def test_a_series_without_success_is_received_whole_and_failures_do_not_end_it(run):
    def f(x, y):
        value = np.nan if y > 6 else y.item()
        x[:], y[:] = -1.0, -1.0  # f may scribble, and the failure is noted where it was
        return value

    method = Climber([0.2, 0.8, 0.7, 0.1], limit=5.0)
    result = run(f, method, maxfev=4, nan_policy="ignore")
    assert np.array_equal(method.received, [[2.0, np.nan, np.nan, 1.0]], equal_nan=True)
    assert result.n_failed == 2
    assert (result.first_failure.x.tolist(), result.first_failure.y.tolist()) == ([2.0, 2.0], [8.0])


def test_retries_within_a_series_count_too():
    calls = []

    def f(x, y):
        calls.append(y.item())
        return np.nan if len(calls) % 2 else 1.0  # every first attempt fails

    method = Climber([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], limit=5.0)
    result = minimax(f, [(0, 4)] * 2, [(0, 10)], maxfev=6, method=method, rng=1, retries=1)
    assert calls == [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]
    assert method.received == [[1.0, 1.0, 1.0]]
    assert (result.nfev, result.n_failed) == (6, 3)


def test_ask_and_tell_after_the_end_are_out_of_turn():
    solver = Solver("mmde", X_BOUNDS, Y_BOUNDS, maxfev=1, rng=7)
    solver.tell([1.0])
    assert solver.done
    with pytest.raises(OutOfTurn, match="^ask: the run has ended"):
        solver.ask()
    with pytest.raises(OutOfTurn, match="^tell: the run has ended"):
        solver.tell([1.0])


@pytest.mark.parametrize("values", [[1.0], "abc", None, [[1.0] * 10]])
def test_telling_nonsense_is_refused_and_the_run_can_go_on(values):
    solver = Solver("mmde", X_BOUNDS, Y_BOUNDS, maxfev=10, rng=7)
    with pytest.raises(InvalidObjective, match="^values: expected"):
        solver.tell(values)
    solver.tell(np.arange(10.0))
    assert solver.done


def test_a_result_can_be_had_at_any_time():
    solver = Solver("mmde", X_BOUNDS, Y_BOUNDS, maxfev=500, rng=7)
    assert solver.result().message == "The run has not ended yet."
    assert not solver.result().success
    solver.tell(rows(*solver.ask()))
    assert np.isfinite(solver.result().fun)


def test_a_stopped_solver_keeps_its_answer():
    solver = Solver("mmde", X_BOUNDS, Y_BOUNDS, maxfev=500, rng=7)
    solver.tell(rows(*solver.ask()))
    solver.stop()
    assert solver.done
    assert np.isfinite(solver.result().fun)


def test_the_result_reads_as_in_scipy():
    result = minimax(tilted_bowl, Bounds([1, -7], [4, -2]), Bounds(2, 9), maxfev=2000, rng=7)
    assert isinstance(result, OptimizeResult)
    assert result.success
    assert result.status == 0
    assert result.method == "surrogate, then danskin"
    assert "recommendations" in repr(result)
    assert len(repr(result)) < 1500


def test_the_callback_sees_a_run_go_on_and_may_end_it():
    seen = []

    def callback(intermediate_result):
        seen.append(intermediate_result.nfev)
        if len(seen) == 3:
            raise StopIteration

    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=5000, rng=7, callback=callback)
    assert seen == sorted(seen)
    assert result.nfev == seen[-1] < 5000
    assert result.message.startswith("The callback ended the run. ")


def test_an_interrupted_run_returns_what_it_has():
    result = minimax(Interrupted(tilted_bowl, at=651), X_BOUNDS, Y_BOUNDS, maxfev=5000, rng=7)
    assert not result.success
    assert np.isfinite(result.fun)
    assert result.message.startswith("The run was interrupted")
    assert result.nfev == 650


def test_an_exception_of_the_objective_is_not_hidden():
    def f(x, y):
        raise ZeroDivisionError("no such simulator")

    with pytest.raises(ZeroDivisionError, match="no such simulator"):
        minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=10, method="danskin")


def test_a_stop_iteration_of_the_objective_is_not_mistaken_for_the_callback():
    def f(x, y):
        return next(iter([]))

    with pytest.raises(StopIteration):
        minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=10, method="danskin")


def test_an_objective_may_scribble_on_its_arguments():
    def f(x, y):
        value = tilted_bowl(x, y)
        x[:], y[:] = 0.0, 0.0
        return value

    spoiled = minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=800, rng=7)
    clean = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=800, rng=7)
    assert spoiled.fun == clean.fun


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"maxfev": 0}, "^maxfev: expected a whole number of at least 1, but got 0"),
        ({"maxfev": 10.5}, "^maxfev: .*10.5"),
        ({"method": "recless"}, "^method: there is no method called 'recless'. Did you mean 'reckless'?"),
        ({"method": 5}, "^method: expected a name such as 'reckless'"),
        ({"method": reckless.MMDE}, "^method: expected an object"),
        ({"x_bounds": [(4, 1)]}, "^x_bounds: each lower bound"),
        ({"y_bounds": [(0, np.inf)]}, "^y_bounds: bounds must be finite"),
        ({"rng": -1}, "^rng: expected"),
    ],
)
def test_bad_input_is_refused_before_f_is_called(arguments, words):
    def never(x, y):
        pytest.fail("f was called")

    good = {"x_bounds": X_BOUNDS, "y_bounds": Y_BOUNDS, "maxfev": 100}
    with pytest.raises(InvalidArgument, match=words):
        minimax(never, **(good | arguments))


def test_every_error_is_also_the_builtin_kind_a_caller_expects():
    assert issubclass(InvalidArgument, ValueError)
    assert issubclass(InvalidObjective, TypeError)
    assert issubclass(OutOfTurn, RuntimeError)


class Greedy:
    """A method that asks for more than there is."""

    def search(self, task):
        while True:
            X, Y = task.rng.random((7, task.n_x)), task.rng.random(task.n_y)
            values = yield X, Y
            task.recommend(X[0], Y, values[0])


def test_a_method_of_the_users_own_is_held_to_the_budget():
    result = minimax(rows, X_BOUNDS, Y_BOUNDS, maxfev=17, method=Greedy(), rng=1, vectorized=True)
    assert result.nfev == 17
    assert len(result.history) == 2
    assert "Greedy" in result.method


class Silent:
    """Asks for nothing."""

    def search(self, task):
        return
        yield


def test_a_method_that_asks_for_nothing_ends_well():
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=10, method=Silent(), rng=7)
    assert (result.nfev, result.success) == (0, False)
    assert "Nothing could be recommended by then." in result.message
    assert result.x.tolist() == [2.5, -4.5]
    assert Solver(Silent(), X_BOUNDS, Y_BOUNDS, maxfev=10).done


class Doubtful:
    """A method that verifies by itself, and says what came of that."""

    def search(self, task):
        x, y = task.random_x(), task.random_y()
        (value,) = yield x, y
        task.recommend(x, y, value)
        task.agreement, task.remark, task.settled = Agreement(1, 4), "Only one y was tried.", False


def test_agreement_and_remark_of_a_method_reach_the_user():
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=10, method=Doubtful(), rng=1)
    assert (result.agreement, str(result.agreement), result.settled) == ((1, 4), "1 of 4", False)
    assert not result.success  # few of the searches agree
    assert result.message == (
        "The method carried out its plan. Only one y was tried. "
        "1 of 4 independent searches for a worse y arrived at this one."
    )
    assert minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=10, method="mmde", rng=1).agreement is None


@pytest.mark.parametrize("method", ["reckless", "mmde"])
def test_an_optimum_on_the_boundary_is_reached(method):
    """f falls with x and y = 9 is the worst: x = 4 and y = 9 to 1e-9, all of 5 seeds."""
    for seed in range(5):
        result = minimax(
            lambda X, Y: -X[:, 0] + 0.1 * Y[:, 0] * X[:, 0],
            [(1, 4)],
            [(2, 9)],
            maxfev=5000,
            method=method,
            rng=seed,
            vectorized=True,
        )
        assert result.x[0] == pytest.approx(4.0, abs=1e-9)
        assert result.y[0] == pytest.approx(9.0, abs=1e-9)
