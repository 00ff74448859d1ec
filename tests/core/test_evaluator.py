import numpy as np
import pytest

from reckless.core.evaluator import Evaluator
from reckless.errors import InvalidObjective

X, Y = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), np.array([[7.0], [8.0], [9.0]])


def test_a_scalar_objective_is_called_pair_by_pair():
    evaluate = Evaluator(lambda x, y: x[0] * x[1] + y[0], vectorized=False)
    assert evaluate(X, Y).tolist() == [9.0, 20.0, 39.0]


def test_a_vectorized_objective_is_called_once():
    calls = []

    def f(X, Y):
        calls.append(len(X))
        return X.sum(axis=1) + Y[:, 0]

    assert Evaluator(f, vectorized=True)(X, Y).tolist() == [10.0, 15.0, 20.0]
    assert calls == [3]


@pytest.mark.parametrize("answer", [2, 2.0, np.float32(2), np.array(2.0), np.array([2.0]), [2.0], True + 1])
def test_every_kind_of_single_number_is_understood(answer):
    assert Evaluator(lambda x, y: answer, vectorized=False)(X, Y).tolist() == [2.0] * 3


@pytest.mark.parametrize("answer", [[1, 2, 3], (1.0, 2.0, 3.0), np.array([1, 2, 3], dtype=np.float32)])
def test_every_kind_of_vector_is_understood(answer):
    assert Evaluator(lambda X, Y: answer, vectorized=True)(X, Y).tolist() == [1.0, 2.0, 3.0]


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
        Evaluator(lambda x, y: answer, vectorized=False)(X, Y)


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
        Evaluator(lambda X, Y: answer, vectorized=True)(X, Y)


def test_something_that_cannot_be_called_is_refused_at_once():
    with pytest.raises(InvalidObjective, match="expected a function"):
        Evaluator(3.0, vectorized=False)
