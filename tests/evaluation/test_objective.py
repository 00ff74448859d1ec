import math

import numpy as np
import pytest

from reckless import minimax
from reckless.errors import InvalidObjective
from reckless.evaluation.objective import CutShort, Evaluator

X, Y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([[7.0], [8.0], [9.0]])


def outcome(f, *, vectorized=False):
    """The first part of a batch, up to a failure or to its end."""
    return next(Evaluator(f, vectorized=vectorized).outcomes(X, Y))


def values(f, *, vectorized):
    """The values of a whole batch; what f raised, if it did."""
    try:
        return Evaluator(f, vectorized=vectorized).values(X, Y).tolist()
    except CutShort as cut:
        raise cut.done.reasons[0].error from None


def test_a_scalar_objective_is_called_pair_by_pair():
    assert values(lambda x, y: x[0] * x[1] + y[0], vectorized=False) == [9.0, 20.0, 39.0]


def test_a_vectorized_objective_is_called_once():
    calls = []

    def f(X, Y):
        calls.append(len(X))
        return X.sum(axis=1) + Y[:, 0]

    assert values(f, vectorized=True) == [10.0, 15.0, 20.0]
    assert calls == [3]


@pytest.mark.parametrize("answer", [2, 2.0, np.float32(2), np.array(2.0), np.array([2.0]), [2.0], True + 1])
def test_every_kind_of_single_number_is_understood(answer):
    assert values(lambda x, y: answer, vectorized=False) == [2.0] * 3


@pytest.mark.parametrize("answer", [[1, 2, 3], (1.0, 2.0, 3.0), np.array([1, 2, 3], dtype=np.float32)])
def test_every_kind_of_vector_is_understood(answer):
    assert values(lambda X, Y: answer, vectorized=True) == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "got None. Is a return statement missing?"),
        ("high", "real numbers, but got 'high' of type str"),
        (1j, "real numbers"),
        ([1.0, 2.0], "one number for one pair, but got an array of shape"),
        ([[1.0], [2.0, 3.0]], "real numbers"),
        ({}, "real numbers"),
    ],
)
def test_a_scalar_objective_that_returns_something_else_is_told_so(answer, words):
    with pytest.raises(InvalidObjective, match=f"^f: .*{words}"):
        values(lambda x, y: answer, vectorized=False)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (1.0, r"but got shape \(\). If f takes one pair at a time"),
        (np.zeros((3, 1)), r"expected 3 values, one per row, that is shape \(3,\), but got shape \(3, 1\)"),
        (np.zeros(2), r"got shape \(2,\)"),
        ("abc", "real numbers"),
        (None, "return statement"),
    ],
)
def test_a_vectorized_objective_that_returns_something_else_is_told_so(answer, words):
    with pytest.raises(InvalidObjective, match=f"^f: .*{words}"):
        values(lambda X, Y: answer, vectorized=True)


def test_something_that_cannot_be_called_is_refused_at_once():
    with pytest.raises(InvalidObjective, match="expected a function"):
        Evaluator(3.0, vectorized=False)


def failing_at(k, error):
    calls = []

    def f(x, y):
        calls.append((x, y))
        if len(calls) == k:
            raise error
        return float(len(calls))

    return f


def test_a_batch_comes_in_parts_that_end_where_a_scalar_objective_raises():
    first, second = Evaluator(failing_at(2, ArithmeticError("no mesh")), vectorized=False).outcomes(X, Y)
    assert first.rows == slice(0, 2)
    np.testing.assert_array_equal(first.values, [1.0, np.nan])
    assert first.reasons[1].text.endswith("ArithmeticError: no mesh\n")
    assert first.reasons[1].error.args == ("no mesh",)
    assert (second.rows, second.values.tolist(), second.reasons) == (slice(2, 3), [3.0], {})


def test_a_reason_shows_the_frames_of_f_alone():
    for vectorized in (False, True):
        done = outcome(failing_at(1, ArithmeticError("no mesh")), vectorized=vectorized)
        assert "core/evaluator.py" not in done.reasons[0].text
        assert ", in f\n" in done.reasons[0].text


def test_all_rows_fail_together_where_a_vectorized_objective_raises():
    done = outcome(failing_at(1, ArithmeticError("no mesh")), vectorized=True)
    assert done.rows == slice(0, 3)
    assert np.isnan(done.values).all()
    assert {row: reason.error.args for row, reason in done.reasons.items()} == dict.fromkeys(range(3), ("no mesh",))


@pytest.mark.parametrize("vectorized", [True, False])
def test_an_interrupt_leaves_what_is_done(vectorized):
    done = outcome(failing_at(1 if vectorized else 3, KeyboardInterrupt()), vectorized=vectorized)
    assert isinstance(done.interrupt, KeyboardInterrupt)
    assert done.values.tolist() == ([] if vectorized else [1.0, 2.0])
    assert not done.reasons


def test_a_slow_batch_comes_in_parts_and_a_vectorized_one_at_once(monkeypatch):
    monkeypatch.setattr("reckless.evaluation.objective.PART_SECONDS", 0.0)  # however quick, each pair takes longer
    parts = Evaluator(lambda x, y: 1.0, vectorized=False).outcomes(X, Y)
    assert [done.rows for done in parts] == [slice(k, k + 1) for k in range(3)]
    (done,) = Evaluator(lambda X, Y: X[:, 0], vectorized=True).outcomes(X, Y)
    assert done.rows == slice(0, 3)


def test_nothing_is_evaluated_after_the_deadline():
    assert list(Evaluator(lambda x, y: 1.0, vectorized=False).outcomes(X, Y, deadline=-math.inf)) == []


def test_a_series_ends_with_the_first_value_above_its_limit():
    assert Evaluator(lambda x, y: x[0], vectorized=False).series(X, Y, 2.0).tolist() == [1.0, 3.0]
    assert Evaluator(lambda X, Y: X[:, 0], vectorized=True).series(X, Y, 5.0).tolist() == [1.0, 3.0, 5.0]


def test_a_series_pauses_at_a_failure():
    with pytest.raises(CutShort) as cut:
        Evaluator(failing_at(2, ArithmeticError("no mesh")), vectorized=False).series(X, Y, 9.0)
    np.testing.assert_array_equal(cut.value.done.values, [1.0, np.nan])
    assert list(cut.value.done.reasons) == [1]
    returned = Evaluator(lambda x, y: np.nan if x[0] == 3.0 else 1.0, vectorized=False).series(X, Y, 9.0)
    np.testing.assert_array_equal(returned, [1.0, np.nan])


MASKED = np.ma.masked


@pytest.mark.parametrize(
    "answer",
    [MASKED, np.ma.array(3.0, mask=True), np.ma.array([3], mask=[True]), [MASKED], np.ma.array([3.0], mask=[1]).sum()],
    ids=["constant", "scalar", "integers", "list", "sum"],
)
def test_a_masked_value_is_a_failure(answer):
    assert np.isnan(values(lambda x, y: answer, vectorized=False)).all()


def test_masked_rows_are_failures():
    mask = [False, True, False]
    for answer in (np.ma.array([1, 2, 3], mask=mask), np.ma.array([1.0, 2.0, 3.0], mask=mask), [1.0, MASKED, 3.0]):
        np.testing.assert_array_equal(values(lambda X, Y, told=answer: told, vectorized=True), [1.0, np.nan, 3.0])
    assert values(lambda X, Y: np.ma.array([1.0, 2.0, 3.0]), vectorized=True) == [1.0, 2.0, 3.0]


def test_an_infinite_or_a_masked_worst_case_is_no_success():
    for answer in (math.inf, -math.inf, MASKED):
        f = lambda x, y, told=answer: told  # noqa: E731
        result = minimax(f, [(1.0, 4.0)], [(2.0, 9.0)], maxfev=60, method="danskin", rng=1)
        assert not result.success
        assert result.n_failed == (60 if answer is MASKED else 0)
