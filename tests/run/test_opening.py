"""What the user knows already: designs, bad cases, an earlier result, values."""

import json

import numpy as np
import pytest

import reckless
from reckless import InvalidArgument, Solver, minimax
from reckless.core.task import BEGINNING
from support import Recorder

X_BOUNDS, Y_BOUNDS = [(1.0, 10.0), (-4.0, -1.0)], [(2.0, 9.0)]
GUESS = [5.3, -2.1]
METHODS = ("auto", "danskin", "surrogate")
LIST = reckless.Scenarios([[2.0], [3.5], [7.0], [8.5]])


def valley(x, y):
    return (x[0] - 5.0) ** 2 + (x[1] + 2.0) ** 2 * y[0] + 0.1 * (y[0] - 4.0) * (x[0] - 4.0)


def met(calls, x):
    """Return the values of each y that a design has met."""
    return {y: value for (at, y), value in calls.items() if at == tuple(x)}


class Calls(dict):
    """An f that keeps its pairs, in order, and their values."""

    def __call__(self, x, y):
        value = valley(x, y)
        self[tuple(x.tolist()), tuple(y.tolist())] = value
        return value


@pytest.mark.parametrize("method", METHODS)
def test_the_designs_given_meet_the_bad_cases_first_and_bit_by_bit(method):
    calls = Calls()
    x0, y0 = [GUESS, [0.1 + 1.2, -3.3]], [[2.3], [0.1 + 8.2]]
    result = minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=60, method=method, rng=3, x0=x0, y0=y0)
    assert list(calls)[:4] == [(tuple(x), tuple(y)) for x in x0 for y in y0]
    assert result.nfev == len(calls) == 60


@pytest.mark.parametrize("maxfev", [3, 7, 25])
@pytest.mark.parametrize("method", METHODS)
def test_on_the_y_that_both_have_seen_the_answer_is_not_worse_than_the_best_design_given(method, maxfev):
    for seed in range(3):
        calls = Calls()
        x0 = [GUESS, [6.0, -1.5]]
        result = minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=maxfev, method=method, rng=seed, x0=x0)
        answer = met(calls, result.x)
        assert result.fun == max(answer.values())
        best = min((met(calls, x) for x in x0), key=lambda values: max(values.values()))
        common = answer.keys() & best.keys()
        assert max((answer[y] for y in common), default=-1e9) <= max((best[y] for y in common), default=1e9)
        assert result.nfev <= maxfev


class Careless:
    """A method that recommends the last of some random x, whatever its value."""

    handles = frozenset(BEGINNING)

    def search(self, task):
        for _ in task.rounds():
            x, y = task.random_x(), task.random_y()
            values = yield x, y
            task.recommend(x, y, float(values[0]))


def test_a_design_given_that_nothing_beats_is_the_answer_bit_by_bit():
    result = minimax(valley, X_BOUNDS, Y_BOUNDS, maxfev=40, method=Careless(), rng=1, x0=[5.0, -2.0])
    assert result.x.tolist() == [5.0, -2.0]
    assert "one of the designs given" in result.message


@pytest.mark.parametrize("method", METHODS)
def test_the_answer_has_met_the_bad_cases(method):
    calls, y0 = Calls(), [[2.7], [6.1]]
    result = minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=100, method=method, rng=5, x0=GUESS, y0=y0)
    assert {(2.7,), (6.1,)} <= met(calls, result.x).keys()


@pytest.mark.parametrize("method", ["finite", "auto", "surrogate"])
def test_lists_begin_with_what_is_known_too(method):
    calls = Calls()
    result = minimax(calls, X_BOUNDS, LIST, maxfev=80, method=method, rng=2, x0=GUESS, y0=[[7.0]])
    assert next(iter(calls)) == (tuple(GUESS), (7.0,))
    assert result.fun <= max(valley(np.array(GUESS), y) for y in LIST.points)


def test_an_earlier_result_is_where_a_run_begins():
    before = minimax(valley, X_BOUNDS, Y_BOUNDS, maxfev=150, method="danskin", rng=1)
    calls = Calls()
    after = minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=60, method="danskin", rng=2, start=before)
    assert next(iter(calls)) == (tuple(before.x.tolist()), tuple(before.y.tolist()))
    assert after.fun <= before.fun + 1e-9


def test_an_earlier_result_may_be_a_file(tmp_path):
    before = minimax(valley, X_BOUNDS, Y_BOUNDS, maxfev=80, method="danskin", rng=1)
    (tmp_path / "before.json").write_text(json.dumps(before.to_dict()))
    runs = [
        minimax(valley, X_BOUNDS, Y_BOUNDS, maxfev=60, method="danskin", rng=2, start=start)
        for start in (before, tmp_path / "before.json")
    ]
    assert runs[0].x.tolist() == runs[1].x.tolist()


def some_values(n, seed=0):
    rng = np.random.default_rng(seed)
    X, Y = rng.uniform(*np.transpose(X_BOUNDS), (n, 2)), rng.uniform(*np.transpose(Y_BOUNDS), (n, 1))
    return X, Y, np.array([valley(x, y) for x, y in zip(X, Y, strict=True)])


@pytest.mark.parametrize("method", METHODS)
def test_values_that_are_known_cost_nothing_and_are_not_asked_for_again(method):
    data, calls = some_values(12), Calls()
    result = minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=18, method=method, rng=4, data=data)
    assert result.nfev == len(calls) == 18
    assert not calls.keys() & {(tuple(x), tuple(y)) for x, y, _ in zip(*map(np.ndarray.tolist, data), strict=True)}


def test_values_that_are_known_make_a_better_answer():
    def worst(data):
        runs = [minimax(valley, X_BOUNDS, Y_BOUNDS, maxfev=12, rng=seed, data=data) for seed in range(3)]
        return np.median([reckless.worst_case(valley, run.x, Y_BOUNDS, maxfev=300, rng=1).fun for run in runs])

    assert worst(some_values(30)) < worst(None) - 1e-3  # 3 of 3 runs are better


def test_a_value_that_is_known_counts_for_fun():
    x = [5.0, -2.0]

    def needle(x, y):
        return 200.0 if y[0] == 8.5 else valley(x, y)

    data = [x, x], [[2.5], [8.5]], [needle(x, [2.5]), 200.0]
    result = minimax(needle, X_BOUNDS, Y_BOUNDS, maxfev=30, method=Careless(), rng=1, x0=x, data=data)
    assert result.x.tolist() != x or result.fun == 200.0


def test_data_may_be_a_file(tmp_path):
    X, Y, values = some_values(12)
    lines = [",".join(map(repr, (*x, *y, v))) for x, y, v in zip(X.tolist(), Y.tolist(), values.tolist(), strict=True)]
    path = tmp_path / "values.csv"
    path.write_text("\n".join(["a,b,c,value", *lines, f"{GUESS[0]},{GUESS[1]},3.0,"]))
    given = np.vstack([X, [GUESS]]), np.vstack([Y, [[3.0]]]), np.append(values, np.nan)
    runs = [minimax(valley, X_BOUNDS, Y_BOUNDS, maxfev=20, rng=2, data=data) for data in (path, given)]
    assert runs[0].x.tolist() == runs[1].x.tolist()
    assert runs[0].n_failed == 0  # a failure that is known was none of this run


def test_a_journal_is_of_what_was_given(tmp_path):
    call = {"maxfev": 30, "method": "danskin", "rng": 1, "checkpoint": tmp_path / "run.journal"}
    first = minimax(valley, X_BOUNDS, Y_BOUNDS, x0=GUESS, **call)
    calls = Calls()
    again = minimax(calls, X_BOUNDS, Y_BOUNDS, x0=GUESS, **call)
    assert (again.x.tolist(), len(calls)) == (first.x.tolist(), 2)
    with pytest.raises(reckless.InvalidJournal, match="givens"):
        minimax(valley, X_BOUNDS, Y_BOUNDS, x0=[5.4, -2.1], **call)


def test_ask_and_tell_begin_with_it_too():
    solver = Solver("danskin", X_BOUNDS, Y_BOUNDS, maxfev=40, rng=1, x0=GUESS, y0=[3.0])
    X, Y = solver.ask()
    assert (X.tolist(), Y.tolist()) == ([GUESS], [[3.0]])
    while not solver.done:
        X, Y = solver.ask()
        solver.tell([valley(x, y) for x, y in zip(X, Y, strict=True)])
    calls = Calls()
    same = minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=40, method="danskin", rng=1, x0=GUESS, y0=[3.0])
    assert same.x.tolist() == solver.result().x.tolist()


def test_a_verification_begins_with_the_bad_cases():
    f = Recorder(valley)
    minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=30, method="danskin", rng=1, y0=[[2.7], [6.1]], verify=20)
    assert [float(y[0]) for _, y in f.pairs[30:32]] == [2.7, 6.1]


def test_designs_that_fail_are_no_beginning():
    def failing(x, y):
        return np.nan if x[0] < 6.0 else valley(x, y)

    result = minimax(failing, X_BOUNDS, Y_BOUNDS, maxfev=60, method="danskin", rng=1, x0=GUESS)
    assert result.x[0] >= 6.0
    assert np.isfinite(result.fun)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"x0": [5.0]}, "x0: x has 2 coordinates, but what was given has 1"),
        ({"x0": [11.0, -2.0]}, "x0: x must lie within its bounds, but coordinate 0 is 11"),
        ({"x0": [[5.0, -2.0], [5.0, 0.0]]}, "x0, row 1: x must lie within its bounds, but coordinate 1 is 0"),
        ({"x0": "here"}, "x0: expected one point"),
        ({"x0": [[5.0 + k / 100, -2.0] for k in range(31)]}, "x0: 31 designs take as many evaluations"),
        ({"y0": [1.0]}, "y0: y must lie within its bounds"),
        ({"y0": []}, "y0: expected one point"),
        ({"start": 3}, "start: expected a result of minimax"),
        ({"start": "nowhere.json"}, "start: nowhere.json cannot be read"),
        ({"start": {"x": [5.0, -2.0], "y": [3.0], "fun": None}}, "start: that run has found no answer"),
        ({"data": ([[5.0, -2.0]], [[3.0]])}, "data: expected"),
        ({"data": ([[5.0, -2.0]], [[3.0]], [1.0, 2.0])}, r"data: expected finite X \(m, 2\)"),
        ({"data": ([[5.0, 2.0]], [[3.0]], [1.0])}, "data: x must lie within its bounds"),
        ({"data": "nowhere.csv"}, "data: nowhere.csv cannot be read"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(given, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidArgument, match=f"^{words}"):
        minimax(valley, X_BOUNDS, Y_BOUNDS, maxfev=30, **given)


def test_a_file_of_values_must_have_the_columns_of_x_and_y(tmp_path):
    (tmp_path / "v.csv").write_text("5.0,-2.0,1.0\n")
    with pytest.raises(InvalidArgument, match=r"^data: .*v.csv must have 2 \+ 1 \+ 1 columns"):
        minimax(valley, X_BOUNDS, Y_BOUNDS, maxfev=30, data=tmp_path / "v.csv")


def test_points_may_be_spelled_on_the_command_line():
    assert reckless.run.options.read_points("1.5,2;3,4", "x0").tolist() == [[1.5, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("given", [{"x0": GUESS}, {"y0": [3.0]}, {"data": some_values(3)}, {"start": {"x": GUESS}}])
@pytest.mark.parametrize("method", ["mmde", "random-search", "reckless", "race"])
def test_a_method_that_cannot_begin_with_what_is_known_refuses(method, given):
    (key,) = given
    with pytest.raises(InvalidArgument, match=f"^{key}: the method {method} cannot begin with what is known"):
        minimax(valley, X_BOUNDS, Y_BOUNDS, maxfev=30, method=method, **given)


class Hopeful(Careless):
    """A method that recommends a good x with a bound above which nobody knows anything."""

    def search(self, task):
        values = yield np.array([0.45, 0.66]), np.array([0.5])
        task.recommend(np.array([0.45, 0.66]), np.array([0.5]), float(values[0]))
        task.upper = 100.0


def test_an_answer_that_its_model_does_not_foretell_to_be_better_gives_way():
    result = minimax(valley, X_BOUNDS, Y_BOUNDS, maxfev=10, method=Hopeful(), rng=1, x0=[9.0, -3.5])
    assert result.x.tolist() == [9.0, -3.5]
    assert result.upper is None
    assert "one of the designs given" in result.message


def test_a_design_that_met_few_y_does_not_replace_an_answer_that_met_all():
    cases = reckless.Scenarios(np.linspace(2.0, 9.0, 57)[:, None])

    def f(x, y):  # the guess is bad for one load only
        return 0.1 * (x[0] - 2.0) ** 2 + (x[0] - 6.0) ** 2 * (y[0] == 9.0)

    result = minimax(f, [(1.0, 10.0)], cases, maxfev=300, method="finite", rng=1, x0=[2.0], y0=[[3.0]])
    assert result.fun == pytest.approx(max(f(result.x, y) for y in cases.points))
    assert result.x[0] > 5.0  # the best is 5.636
    assert "designs given" not in result.message
