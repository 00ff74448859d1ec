"""What people type who come from elsewhere: one table, and one sentence for each mistake."""

import re

import numpy as np
import pytest

import reckless
from reckless import (
    MMDE,
    InvalidArgument,
    InvalidObjective,
    OptimizationError,
    Scenarios,
    Solver,
    UnknownArgument,
    maximin,
    minimax,
    worst_case,
)
from reckless.run.habits import HABITS, Place, answer_unknown
from reckless.run.options import OPTIONS
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

DOORS = {
    "minimax": lambda **given: minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, **{"maxfev": 10, **given}),
    "maximin": lambda **given: maximin(tilted_bowl, X_BOUNDS, Y_BOUNDS, **{"maxfev": 10, **given}),
    "Solver": lambda **given: Solver("danskin", X_BOUNDS, Y_BOUNDS, **{"maxfev": 10, **given}),
    "worst_case": lambda **given: worst_case(tilted_bowl, [2.0, -3.0], Y_BOUNDS, **given),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("word", HABITS)
def test_every_door_answers_a_habit_by_one_sentence(word, door):
    with pytest.raises(UnknownArgument) as caught:
        DOORS[door](**{word: 3})
    sentence = str(caught.value)
    assert sentence.startswith(f"{word}: {door} has no argument of this name")
    assert sentence.count(". ") <= 1
    assert sentence.endswith((".", "?"))
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "habit", list(dict.fromkeys(HABITS.values())), ids=lambda habit: habit.option or habit.remark[:12]
)
def test_a_habit_leads_to_an_argument_there_is(habit):
    assert habit.option in {"", "f", "x_bounds", "progress", "tol", *OPTIONS}


def test_no_habit_is_an_option():
    assert not HABITS.keys() & OPTIONS.keys()


@pytest.mark.parametrize(
    ("door", "word", "words"),
    [
        ("minimax", "seed", "; write rng=7, the seed of all random numbers."),
        ("minimax", "random_state", "; write rng=7,"),
        ("minimax", "maxiter", "; write maxfev=20_000, the number of evaluations of f,"),
        ("minimax", "maxfun", "; write maxfev=20_000,"),
        ("maximin", "n_trials", "; write maxfev=20_000,"),
        ("minimax", "bounds", "; write x_bounds=[[0.0, 10.0]], one range per coordinate, for x and y apart."),
        ("worst_case", "bounds", ". Did you mean 'y_bounds'?"),
        ("minimax", "options", "; write each of them by itself, such as maxfev."),
        ("minimax", "constraints", "; choose sets that keep them, such as reckless.Simplex;"),
        ("minimax", "popsize", "; parameters of a method belong to the method, as in method='mmde:"),
        ("minimax", "n_jobs", "; write workers=4, the number of processes that evaluate f."),
        (
            "Solver",
            "n_jobs",
            "; leave it out, since workers says how f is evaluated, and with ask and tell you do that.",
        ),
        ("Solver", "on_error", "; leave it out, since on_error says how f is evaluated"),
        ("minimax", "certify", "; write verify=True, which attacks the answer again."),
        ("worst_case", "certify", "; leave it out, since verify is for the search of x."),
        ("worst_case", "target", "; leave it out, since target is for the search of x."),
        ("minimax", "jac", "; leave it out, since f is only called"),
        ("minimax", "polish", "; leave it out, since the default method ends with a descent of its own."),
        ("minimax", "integrality", "; write x_integrality=True, and the same for y."),
        ("minimax", "direction", "; write maximin=True, for an f of which large values are good;"),
        ("minimax", "Seed", "; write rng=7,"),
        ("minimax", "tagret", ". Did you mean 'target'?"),
        ("Solver", "xbounds", ". Did you mean 'x_bounds'?"),
        ("worst_case", "slice", ". Did you mean 'slices'?"),
        ("minimax", "zzz", ". Known are: f, x_bounds, y_bounds, maxfev,"),
    ],
)
def test_the_sentence_says_what_to_write(door, word, words):
    with pytest.raises(UnknownArgument, match=f"^{word}: {door} has no argument of this name{re.escape(words)}"):
        DOORS[door](**{word: 3})


def test_the_same_row_is_spelled_as_its_place_has_it():
    names = {"verify": "verify", "rng": "rng"}
    assert answer_unknown("seed", "a file", names, Place.FILE).endswith(
        "; write rng = 7, the seed of all random numbers."
    )
    assert "; write verify = true," in answer_unknown("certify", "a file", names, Place.FILE)
    assert "; write --verify, " in answer_unknown("--certify", "solve", names, Place.SHELL)


def one_argument(x):
    return x[0]


def rows_only(X, Y):
    return (X[:, 0] - 2.0) ** 2 - Y[:, 0]


GOOD = {"x_bounds": X_BOUNDS, "y_bounds": Y_BOUNDS, "maxfev": 20, "method": "random-search"}
CASES = np.array([[2.0, 3.0], [4.0, 1.5], [5.0, 7.0]])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"x_bounds": [2.0]}, "x_bounds: expected a sequence of (low, high) pairs"),
        ({"x_bounds": [("a", 1, 4)]}, "x_bounds: expected a sequence of (low, high) pairs"),
        ({"x_bounds": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])}, "Did you mean scipy.optimize.Bounds(lows, highs)"),
        ({"x_bounds": (1, 4)}, "one bare pair. Did you mean [(1, 4)]?"),
        ({"x_bounds": [(4.0, 1.0)]}, "index 0 has lower=4.0 and upper=1.0. Did you swap them?"),
        ({"x_bounds": [(1.0, np.inf)]}, "Give the largest range that makes sense for this coordinate."),
        ({"x_bounds": [(1.0, None)]}, "x_bounds: bounds must be finite: (1.0, None) is open above (index 0)."),
        ({"y_bounds": CASES}, "Did you swap them? If the rows are cases, did you mean reckless.Scenarios(rows)?"),
        ({"y_bounds": Scenarios}, "y_bounds: expected a set, but got the class Scenarios. Call it first."),
        ({"f": one_argument}, "f: expected a function of x and y, but it takes one argument. If y is how far x may be"),
        ({"f": lambda x, y: None}, "f: expected a number, but got None. Is a return statement missing?"),
        ({"f": lambda x, y: (1.0, {})}, "f: expected real numbers, but got (1.0, {}) of type tuple."),
        ({"f": rows_only}, "works for rows. If f takes many pairs as rows, pass vectorized=True."),
        ({"f": lambda X, Y: 1.0, "vectorized": True}, "one per row"),
        (
            {"maxfev": "1000"},
            "maxfev: expected a whole number of at least 1, but got '1000'. For example maxfev=20000.",
        ),
        ({"method": "danskn"}, "method: there is no method called 'danskn'. Did you mean 'danskin'?"),
        ({"method": MMDE}, "method: expected an object, but got the class MMDE. Call it: MMDE()."),
        ({"method": "mmde:popsize=10"}, "method: mmde can be given population_size,"),
        ({"checkpoint": "/nowhere/run.journal"}, "Does its directory exist?"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_mistake_in_a_value_gets_a_sentence_with_its_cure(given, words):
    with pytest.raises(OptimizationError) as caught:
        minimax(**{"f": tilted_bowl, **GOOD, **given})
    assert isinstance(caught.value, InvalidArgument | InvalidObjective | reckless.InvalidJournal)
    assert words in str(caught.value)


def test_named_bounds_are_no_mistake():
    found = minimax(tilted_bowl, {"a": (1, 4), "b": (-7, -2)}, {"load": (2, 9)}, maxfev=20, method="random-search")
    assert found.nfev == 20


def test_what_f_raises_comes_as_it_is():
    def f(x, y):
        raise ArithmeticError("the mesh is tangled")

    with pytest.raises(ArithmeticError, match="the mesh is tangled"):
        minimax(f, **GOOD)


def test_an_f_that_changes_its_arguments_does_no_harm():
    def f(x, y):
        value = tilted_bowl(x, y)
        x[:] = y[:] = 0.0
        return value

    one, two = (minimax(g, **GOOD, rng=1) for g in (f, tilted_bowl))
    assert (one.x.tolist(), one.fun) == (two.x.tolist(), two.fun)


def test_an_f_that_always_fails_is_no_success_and_says_why():
    found = minimax(lambda x, y: np.nan, **GOOD)
    assert not found.success
    assert "The first with: f returned NaN." in found.message


def test_a_result_may_stand_for_its_x():
    found = minimax(tilted_bowl, **GOOD, rng=1)
    options = {"maxfev": 100, "rng": 1}
    one, two = (worst_case(tilted_bowl, x, Y_BOUNDS, **options) for x in (found, found.x))
    assert (one.fun, one.y.tolist()) == (two.fun, two.y.tolist())


def test_a_report_begins_with_the_sets_as_they_were_read():
    cases = np.array([[2.0, 3.0], [4.0, 5.5], [5.0, 7.0]])  # rows that ascend, and may be bounds
    f = lambda x, y: x[0] * y[0]  # noqa: E731
    as_box, as_list = (minimax(f, [(1, 4)], y, maxfev=20, method="mmde") for y in (cases, Scenarios(cases)))
    assert as_box.report().startswith("Sets: x has 1 coordinate, y has 3 coordinates.\n")
    assert as_list.report().startswith("Sets: x has 1 coordinate, y has 2 coordinates.\n")
