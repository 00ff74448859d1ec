"""The only caller of f: it hands over pairs, and insists on one number for each."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from reckless.core.arrays import Array
from reckless.core.failures import Failed, Outcome
from reckless.errors import InvalidObjective

Objective = Callable[[Array, Array], Any]

FLOAT64 = np.dtype(np.float64)


class Evaluator:
    """Evaluate batches of pairs with a scalar f(x, y) or, if `vectorized`, an f(X, Y) that takes rows."""

    def __init__(self, f: Objective, *, vectorized: bool) -> None:
        if not callable(f):
            raise InvalidObjective(f"f: expected a function f(x, y), but got {f!r}.")
        self.f, self.vectorized = f, vectorized
        self._f = f

    @property
    def values(self) -> Callable[[Array, Array], Array]:
        """The function from rows X (m, n_x) and Y (m, n_y) to the values (m,) of these pairs."""
        return self._rows if self.vectorized else self._one_by_one

    def __call__(self, X: Array, Y: Array) -> Array:
        """Values (m,) of the pairs in rows X (m, n_x) and Y (m, n_y)."""
        return self.values(X, Y)

    def outcomes(self, X: Array, Y: Array) -> Iterator[Outcome]:
        """The values of the pairs one after the other; what f raises becomes an outcome too.

        A vectorized f that raises fails for all rows at once.
        """
        if self.vectorized:
            try:
                yield from self._rows(X, Y).tolist()
            except (Exception, SystemExit) as error:
                yield from [Failed.by(error)] * len(X)
            return
        for x, y in zip(X, Y, strict=True):
            try:
                outcome: Outcome = self._number(self._f(x, y))
            except (Exception, SystemExit) as error:
                outcome = Failed.by(error)
            yield outcome

    def _rows(self, X: Array, Y: Array) -> Array:
        answer = self._f(X, Y)
        if type(answer) is np.ndarray and answer.dtype is FLOAT64 and answer.shape == (len(X),):
            return answer
        return read_values(answer, len(X), "f")

    def _one_by_one(self, X: Array, Y: Array) -> Array:
        values = np.empty(len(X))
        for k, (x, y) in enumerate(zip(X, Y, strict=True)):
            values[k] = self._number(self._f(x, y))
        return values

    @staticmethod
    def _number(answer: Any) -> float:
        if type(answer) is float:
            return answer
        number = _as_floats(answer, "f")
        if number.size != 1:
            raise InvalidObjective(
                f"f: expected one number for one pair, but got an array of shape {number.shape}. "
                f"If f takes many pairs as rows, pass vectorized=True."
            )
        return float(number.reshape(()))


def read_values(answer: Any, m: int, name: str) -> Array:
    """`answer` as a fresh vector of m values, or a sentence that says what came instead."""
    values = _as_floats(answer, name)
    if values.shape != (m,):
        cure = "If f takes one pair at a time, leave vectorized=False." if values.ndim == 0 else "Return shape (m,)."
        raise InvalidObjective(
            f"{name}: expected {m} values, one per row, that is shape ({m},), but got shape {values.shape}. {cure}"
        )
    return values


def _as_floats(answer: Any, name: str) -> Array:
    if answer is None:
        raise InvalidObjective(f"{name}: expected a number, but got None. Is a return statement missing?")
    try:
        values = np.array(answer)
    except ValueError:
        values = np.array(None)
    if values.dtype.kind not in "fiub":
        raise InvalidObjective(f"{name}: expected real numbers, but got {answer!r} of type {type(answer).__name__}.")
    return values.astype(np.float64)
