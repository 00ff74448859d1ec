"""callback=: SciPy's two styles, told apart before the first evaluation, and the moments at which it is called."""

import functools
from itertools import groupby

import numpy as np
import pytest

from reckless import InvalidArgument, MinimaxResult, Solver, Status, maximin, minimax
from reckless.core.task import Series
from support import X_BOUNDS, Y_BOUNDS, Recorder, tilted_bowl


def solve(callback, f=tilted_bowl):
    return minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=200, method="random-search", rng=7, callback=callback)


class Watch:
    def __init__(self):
        self.seen = []

    def by_x(self, xk):
        self.seen.append(xk)

    def by_keyword(self, *, intermediate_result):
        self.seen.append(intermediate_result)

    def __call__(self, intermediate_result, verbose=False):
        self.seen.append(intermediate_result)


def in_styles(seen):
    """Callbacks that append to a list, by what they are called with."""
    return {
        np.ndarray: [
            lambda xk: seen.append(xk),
            lambda *args: seen.append(*args),
            lambda x, convergence=0.0: seen.append(x),
            seen.append,
            functools.partial(lambda name, xk: seen.append(xk), "run 1"),
        ],
        MinimaxResult: [
            lambda intermediate_result: seen.append(intermediate_result),
            lambda *, intermediate_result: seen.append(intermediate_result),
            lambda **given: seen.append(given["intermediate_result"]),
            functools.partial(lambda name, intermediate_result: seen.append(intermediate_result), "run 1"),
        ],
    }


@pytest.mark.parametrize(
    ("kind", "k"), [*((np.ndarray, k) for k in range(5)), *((MinimaxResult, k) for k in range(4))], ids=str
)
def test_a_callback_gets_what_it_asks_for(kind, k):
    seen = []
    result = solve(in_styles(seen)[kind][k])
    assert len(seen) > 1
    assert all(type(entry) is kind for entry in seen)
    last = seen[-1] if kind is np.ndarray else seen[-1].x
    assert last.shape == result.x.shape


def test_methods_and_objects_are_callbacks_too():
    watch = Watch()
    for callback in (watch.by_x, watch.by_keyword, watch):
        solve(callback)
        assert watch.seen
    assert {type(entry) for entry in watch.seen} == {np.ndarray, MinimaxResult}


def test_what_a_callback_of_the_old_style_does_to_x_changes_nothing():
    def spoil(xk):
        xk[:] = np.nan

    assert solve(spoil).x.tolist() == solve(None).x.tolist()


def test_either_style_ends_the_run():
    def stop(xk):
        raise StopIteration

    assert solve(stop).message.startswith("The callback ended the run.")


@pytest.mark.parametrize("callback", [lambda: None, lambda x, y: None, lambda x, *, intermediate_result: None])
def test_a_callback_that_takes_neither_is_refused_before_the_first_evaluation(tmp_path, callback):
    calls = Recorder(tilted_bowl)
    with pytest.raises(InvalidArgument, match=r"^callback: expected a function of one argument, .* arguments are \("):
        solve(callback, calls)
    assert len(calls) == 0
    with pytest.raises(InvalidArgument, match="^callback: "):
        Solver("reckless", X_BOUNDS, Y_BOUNDS, maxfev=200, callback=callback, checkpoint=tmp_path / "run.journal")
    assert not list(tmp_path.iterdir())


class Clock:
    """A clock that is set by hand, or goes on by itself with every look at it."""

    def __init__(self, step=0.0):
        self.now, self.step = 0.0, step

    def __call__(self):
        self.now += self.step
        return self.now


@pytest.fixture
def clock(monkeypatch):
    """The clock of all runs: it stands still."""
    stopped = Clock()
    monkeypatch.setattr("reckless.run.run.monotonic", stopped)
    return stopped


class Calls:
    """A callback that notes what it is given."""

    def __init__(self, stop_at=None, answer=True):
        self.seen, self._stop_at, self._answer = [], stop_at, answer

    def __call__(self, intermediate_result):
        self.seen.append(intermediate_result)
        return self._answer if len(self.seen) == self._stop_at else None

    @property
    def nfev(self):
        return [result.nfev for result in self.seen]


def in_small_batches(n_evaluations, size=7):
    """A method that asks for pairs in batches of a size, and recommends the very first pair."""

    class Small:
        def search(self, task):
            first = True
            for _ in range(n_evaluations // size):
                x, Y = task.random_x(), task.rng.random((size, task.n_y))
                values = yield x, Y
                if first:
                    task.recommend(x, Y[0], values[0])
                first = False

    return Small()


class Nothing:
    """A method that recommends nothing before its 120th evaluation, and something new at every second one after it."""

    def search(self, task):
        for k in range(200):
            x, y = task.random_x(), task.random_y()
            values = yield x, y[None]
            if k >= 119 and k % 2:
                task.recommend(x, y, values[0])


def test_a_call_comes_with_each_new_recommendation_and_else_after_fifty_evaluations(clock):
    calls = Calls()
    minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=210, method=in_small_batches(210), rng=7, callback=calls)
    assert calls.nfev == [7, 63, 119, 175]  # the first recommendation, and then by batches of 7


@pytest.mark.parametrize("method", ["danskin", "reckless", "mmde", "random-search", "surrogate", "auto"])
def test_every_recommendation_is_shown_and_no_more_than_fifty_evaluations_and_a_batch_pass(clock, method):
    sizes, calls = [], Calls()

    def f(X, Y):
        sizes.append(len(X))
        return tilted_bowl(X.T, Y.T)

    options = {"maxfev": 150 if method in ("surrogate", "auto") else 1500, "method": method, "rng": 7}
    result = minimax(f, X_BOUNDS, Y_BOUNDS, vectorized=True, callback=calls, **options)
    shown = [len(seen.history) for seen in calls.seen]
    assert shown[0] == 1
    assert set(shown) == set(range(1, len(result.history) + 1))
    assert max(np.diff([*calls.nfev, result.nfev])) <= 49 + max(sizes)
    assert not any(np.isnan(seen.fun) for seen in calls.seen)


def test_nothing_is_shown_before_there_is_a_recommendation(clock):
    calls = Calls()
    minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=200, method=Nothing(), rng=7, callback=calls)
    assert calls.nfev == list(range(120, 201, 2))


def test_failures_at_the_beginning_are_not_shown_as_nan(clock):
    calls, values = Calls(), iter([np.nan] * 60)
    options = {"maxfev": 400, "method": "danskin", "rng": 7, "nan_policy": "ignore", "callback": calls}
    minimax(lambda x, y: next(values, None) or tilted_bowl(x, y), X_BOUNDS, Y_BOUNDS, **options)
    assert calls.nfev[0] > 60
    assert np.isfinite([seen.fun for seen in calls.seen]).all()


def test_a_run_without_a_value_calls_nobody(clock):
    calls = Calls()
    options = {"maxfev": 150, "method": "danskin", "rng": 7, "nan_policy": "ignore", "callback": calls}
    assert np.isnan(minimax(lambda x, y: np.nan, X_BOUNDS, Y_BOUNDS, **options).fun)
    assert calls.seen == []


@pytest.fixture
def slow(clock, monkeypatch):
    """An f that takes 0.3 s; what looks at the time in the midst of a batch sees every pair alone."""
    monkeypatch.setattr("reckless.evaluation.objective.monotonic", Clock(step=1.0))
    monkeypatch.setattr("reckless.evaluation.wire.CHUNK_SECONDS", 0.0)  # as if every pair were worth a parcel
    monkeypatch.setattr("reckless.evaluation.executors.CHEAP_SECONDS", 0.0)

    def f(x, y):
        clock.now += 0.3
        return tilted_bowl(x, y)

    return f


@pytest.mark.parametrize("options", [{}, {"nan_policy": "raise"}, {"workers": map}, {"retries": 1}], ids=str)
def test_a_second_without_a_call_is_enough_within_a_batch_too(slow, options):
    calls, options = Calls(), {"maxfev": 40, "method": in_small_batches(40, 10), "rng": 7, **options}
    plain = minimax(slow, X_BOUNDS, Y_BOUNDS, **options)
    found = minimax(slow, X_BOUNDS, Y_BOUNDS, callback=calls, **options)
    assert calls.nfev == [10, 14, 18, 22, 26, 30, 34, 38]  # the first x is recommended after the first batch
    assert (found.x.tolist(), found.fun, found.message) == (plain.x.tolist(), plain.fun, plain.message)


def test_a_slow_series_is_looked_at_between_its_pairs(slow):
    class Serial:
        def search(self, task):
            x, Y = np.array([0.5, 0.5]), np.linspace(0.1, 0.9, 12)[:, None]
            values = yield x, Y[:4]
            task.recommend(x, Y[0], values[0])
            yield Series(x, Y, 1e9)

    calls = Calls()
    minimax(slow, X_BOUNDS, Y_BOUNDS, maxfev=16, method=Serial(), rng=7, callback=calls)
    assert calls.nfev == [4, 8, 12, 16]


@pytest.mark.parametrize("answer", [True, np.True_])
@pytest.mark.parametrize("method", ["danskin", "mmde"])
def test_a_callback_that_returns_true_ends_the_run(clock, answer, method):
    calls = Calls(stop_at=3, answer=answer)
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=1500, method=method, rng=7, callback=calls)
    assert len(calls.seen) == 3
    assert result.nfev == calls.nfev[-1] < 1500
    assert result.status == Status.STOPPED_BY_CALLBACK.code


@pytest.mark.parametrize("answer", [None, False, 1, 0.5, "stop", np.array([True])])
def test_no_other_answer_ends_the_run(clock, answer):
    calls = Calls(stop_at=1, answer=answer)
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=300, method="reckless", rng=7, callback=calls)
    assert result.status == Status.BUDGET_SPENT.code


@pytest.mark.parametrize("options", [{}, {"workers": map}], ids=str)
def test_the_run_can_be_ended_within_a_batch(slow, options):
    calls = Calls(stop_at=2)
    options = {"maxfev": 40, "method": in_small_batches(40, 10), "rng": 7, "callback": calls, **options}
    result = minimax(slow, X_BOUNDS, Y_BOUNDS, **options)
    assert (result.nfev, result.status) == (14, Status.STOPPED_BY_CALLBACK.code)
    assert np.isfinite(result.fun)


@pytest.mark.parametrize("options", [{}, {"workers": map}], ids=str)
@pytest.mark.parametrize("stop_at", [1, 2])
def test_the_answer_of_a_search_that_was_ended_is_verified_and_the_callback_not_asked_again(slow, stop_at, options):
    calls = Calls(stop_at=stop_at)
    options = {"maxfev": 40, "method": in_small_batches(40, 10), "rng": 7, "callback": calls, "verify": 200, **options}
    result = minimax(slow, X_BOUNDS, Y_BOUNDS, **options)
    assert len(calls.seen) == stop_at
    assert result.status == Status.STOPPED_BY_CALLBACK.code
    assert result.verification.nfev > 150


def test_a_verification_is_shown_and_may_be_ended(clock):
    messages = []

    def stop(intermediate_result):
        if intermediate_result.message != "The run has not ended yet.":
            messages.append((intermediate_result.nfev, intermediate_result.fun, intermediate_result.message))
        return len(messages) == 2

    options = {"maxfev": 300, "method": "random-search", "rng": 7, "verify": 400, "callback": stop}
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, **options)
    (nfev, fun, first), (_, _, second) = messages
    assert (nfev, fun) == (300, result.history[-1].fun)
    assert first.startswith("The answer is being verified: ")
    assert first != second
    assert second.endswith(" of 400 evaluations.")
    assert result.verification is None
    assert result.message.endswith("The verification was cut short: the callback ended it.")


@pytest.mark.parametrize("method", ["danskin", "mmde", "random-search"])
def test_ask_and_tell_calls_at_the_same_moments(clock, method):
    one, two = Calls(), Calls()
    options = {"maxfev": 600, "method": method, "rng": 7, "verify": 150}
    minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, callback=one, **options)
    solver = Solver(x_bounds=X_BOUNDS, y_bounds=Y_BOUNDS, callback=two, **options)
    while not solver.done:
        solver.tell([tilted_bowl(x, y) for x, y in zip(*solver.ask(), strict=True)])
    shown = [[(seen.fun, len(seen.history)) for seen in calls.seen] for calls in (one, two)]
    assert set(shown[0]) == set(shown[1])
    if method != "mmde":  # whose series are told pair by pair
        assert one.nfev == two.nfev


def test_a_series_may_be_ended_between_two_pairs_that_are_told(clock):
    class Serial:
        def search(self, task):
            x, Y = np.array([0.5, 0.5]), np.linspace(0.1, 0.9, 80)[:, None]
            values = yield x, Y[:1]
            task.recommend(x, Y[0], values[0])
            yield Series(x, Y, 1e9)

    calls = Calls(stop_at=2)
    solver = Solver(Serial(), X_BOUNDS, Y_BOUNDS, maxfev=100, rng=7, callback=calls, verify=100)
    while not solver.done and solver.nfev < 60:
        solver.tell([tilted_bowl(x, y) for x, y in zip(*solver.ask(), strict=True)])
        if len(calls.seen) == 2:
            break
    assert (calls.nfev, solver.nfev, solver.done) == ([1, 51], 51, False)  # the verification is asked for
    solver.stop(Status.TIME_SPENT)
    assert solver.result().status == Status.STOPPED_BY_CALLBACK.code


def test_what_is_shown_has_the_fields_of_a_result_and_stays_as_it_was(clock):
    calls = Calls()
    options = {"maxfev": 900, "method": "danskin", "rng": 7, "trace": True, "callback": calls}
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, **options)
    last = result.history[-1]
    for seen in calls.seen:
        assert set(seen) == set(result)
        assert (seen.success, seen.status, seen.message) == (False, -1, "The run has not ended yet.")
        assert (seen.fun, seen.x.tolist()) == (seen.history[-1].fun, seen.history[-1].x.tolist())
        assert seen.to_dict()["fun"] == seen.fun
    assert calls.seen[-1].fun == last.fun
    assert len(calls.seen[0].history) == 1
    assert [len(seen.trace) for seen in calls.seen] == sorted(len(seen.trace) for seen in calls.seen)


def test_a_callback_that_raises_ends_the_run_with_its_exception(clock, tmp_path):
    def broken(xk):
        raise ZeroDivisionError("my plot")

    with pytest.raises(ZeroDivisionError, match="my plot"):
        minimax(
            tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=200, method="reckless", callback=broken, checkpoint=tmp_path / "j"
        )
    again = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=200, method="reckless", checkpoint=tmp_path / "j")
    assert again.nfev == 200  # the journal was left to others


def test_the_pairs_are_the_same_with_a_callback_and_without():
    for method in ("danskin", "mmde", "reckless"):
        with_one, without = Recorder(tilted_bowl), Recorder(tilted_bowl)
        for calls, callback in ((with_one, Calls()), (without, None)):
            minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=400, method=method, rng=7, callback=callback)
        assert all(
            np.array_equal(x, u) and np.array_equal(y, v)
            for (x, y), (u, v) in zip(with_one.pairs, without.pairs, strict=True)
        )


def test_where_large_values_are_good_the_signs_are_those_of_f(clock):
    def gain(x, y):
        return 7.0 - tilted_bowl(x, y)

    calls, upside_down = Calls(), Calls()
    options = {"maxfev": 600, "method": "danskin", "rng": 7, "trace": True, "verify": 100}
    result = maximin(gain, X_BOUNDS, Y_BOUNDS, callback=calls, **options)
    minimax(lambda x, y: -gain(x, y), X_BOUNDS, Y_BOUNDS, callback=upside_down, **options)
    shown, mirrored = ([key for key, _ in groupby(seen.fun for seen in c.seen)] for c in (calls, upside_down))
    assert shown == [-fun for fun in mirrored]  # how often one is shown depends on how slow f is
    for seen in calls.seen:
        assert set(seen) == set(result)
        assert seen.maximin
        assert seen.fun == pytest.approx(seen.history[-1].fun, abs=1e-9)
