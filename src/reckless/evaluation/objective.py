"""The only caller of f: it passes pairs, and insists on one number for each."""

import inspect
from collections.abc import Callable, Iterator
from math import inf
from time import monotonic
from typing import Any

import numpy as np

from reckless.core.arrays import Array
from reckless.core.outcome import Cause, Outcome, Reason
from reckless.core.words import safe_repr
from reckless.domains.named import with_names
from reckless.errors import InvalidObjective

Objective = Callable[[Array, Array], Any]

FLOAT64 = np.dtype(np.float64)
PART_SECONDS = 1e-3  # a batch that takes longer is reported in parts
WATCHED_SECONDS = 0.05  # so is one that somebody watches, even if nothing else is to do between two pairs


class CutShort(Exception):
    """Raised when a batch was not evaluated to its end; `done` is the part that was."""

    def __init__(self, done: Outcome) -> None:
        super().__init__(done)
        self.done = done


class Naming:
    """An objective whose points answer to the names of their coordinates; in every process they are named anew."""

    def __init__(self, f: Objective, x_names: tuple[str, ...], y_names: tuple[str, ...]) -> None:
        self._f, self._x_names, self._y_names = f, x_names, y_names

    def __call__(self, x: Array, y: Array) -> Any:
        return self._f(with_names(x, self._x_names), with_names(y, self._y_names))


class Evaluator:
    """The engine that works in this process, with a scalar f(x, y) or, if `vectorized`, an f(X, Y) that takes rows.

    values: the function from rows X (m, n_x), Y (m, n_y) to values (m,); it raises `CutShort` where f raises. An
    exception of f fails the pair, or the whole batch if f takes rows. What ends the program instead, such as Ctrl-C,
    becomes the `interrupt` of what is done.
    """

    def __init__(self, f: Callable[..., Any], *, vectorized: bool, args: tuple[Any, ...] = ()) -> None:
        if not callable(f):
            raise InvalidObjective(f"f: expected a function f(x, y), but got {safe_repr(f)}.")
        self._given = f
        self.f: Objective = (lambda x, y: f(x, y, *args)) if args else f
        self.vectorized = vectorized
        self.values = self._all_rows if vectorized else self._one_by_one

    def name(self, x_names: tuple[str, ...], y_names: tuple[str, ...]) -> None:
        """Give f points that answer to names; without any nothing changes."""
        if x_names or y_names:
            self.f = Naming(self.f, x_names, y_names)

    def outcomes(self, X: Array, Y: Array, deadline: float = inf) -> Iterator[Outcome]:
        """Evaluate a batch in parts, until the deadline at the latest; a part ends after PART_SECONDS or a failure."""
        start = 0
        while start < len(X) and (now := monotonic()) < deadline:
            try:
                values = self.values(X, Y, start, min(now + PART_SECONDS, deadline))
                done = Outcome(slice(start, start + len(values)), values)
            except CutShort as cut:
                done = cut.done
            start += len(done.values)
            yield done

    def watched_values(self, X: Array, Y: Array) -> Array:
        """Return the values of a batch; after WATCHED_SECONDS raise `CutShort`, so that those known by then count."""
        values = self.values(X, Y, 0, monotonic() + WATCHED_SECONDS)
        if len(values) < len(X):
            raise CutShort(Outcome(slice(0, len(values)), values))
        return values

    def watched_series(self, X: Array, Y: Array, limit: float) -> Array:
        """Return the values of a series; after WATCHED_SECONDS raise `CutShort`, so that those known by then count."""
        until, n_begun = monotonic() + WATCHED_SECONDS, 0

        def in_time(x: Array, y: Array) -> Array:
            nonlocal n_begun
            if n_begun and monotonic() >= until:
                raise CutShort(Outcome(slice(0, 0), np.empty(0)))
            n_begun += 1
            return self.values(x, y)

        return self._in_series(in_time, X, Y, limit)

    def series(self, X: Array, Y: Array, limit: float) -> Array:
        """Return the values of rows one after the other, up to the first that is above `limit` or NaN."""
        return self._in_series(self.values, X, Y, limit)

    def takes_rows(self, x: Array, y: Array) -> bool:
        """Tell whether f, which failed at a pair of vectors, works if they are rows; this call of f counts nowhere."""
        if self.vectorized:
            return False
        try:
            return np.shape(self.f(x[None].copy(), y[None].copy())) == (1,)
        except (Exception, SystemExit):  # whatever f raises
            return False

    def takes_x_alone(self) -> bool:
        """Tell whether f was written for one argument."""
        try:
            signature = inspect.signature(self._given)
            signature.bind(None)
        except (TypeError, ValueError):  # it needs more, or does not say
            return False
        try:
            signature.bind(None, None)
        except TypeError:
            return True
        return False

    def close(self, *, at_once: bool) -> None:
        """Do nothing: there are no workers."""

    @staticmethod
    def _in_series(evaluate: Callable[[Array, Array], Array], X: Array, Y: Array, limit: float) -> Array:
        told = list[float]()
        try:
            for x, y in zip(X[:, None], Y[:, None], strict=True):
                value = evaluate(x, y).item()
                told.append(value)
                if not value <= limit:
                    break
        except CutShort as cut:
            reasons = {len(told): reason for reason in cut.done.reasons.values()}
            values = np.array([*told, *cut.done.values])
            raise CutShort(Outcome(slice(0, len(values)), values, reasons, cut.done.interrupt)) from None
        return np.array(told)

    def _all_rows(self, X: Array, Y: Array, start: int = 0, until: float = inf) -> Array:
        m = len(X)
        try:
            values: Array = self.f(X, Y)
            if type(values) is np.ndarray and values.dtype is FLOAT64 and values.shape == (m,):
                return values
            return read_values(values, m, "f")
        except BaseException as error:
            raise _cut(error, 0, np.full(m, np.nan), 0, m) from None

    def _one_by_one(self, X: Array, Y: Array, start: int = 0, until: float = inf) -> Array:
        """Evaluate rows from `start` on, to the end or to an exception; with `until`, to that time or to a NaN."""
        f, m, k, values = self.f, len(X), start, np.full(len(X) - start, np.nan)
        try:
            while k < m:
                value = f(X[k], Y[k])
                if type(value) is not float:
                    value = read_value(value)
                values[k - start] = value
                k += 1
                if until < inf and (value != value or monotonic() >= until):
                    break
        except BaseException as error:
            raise _cut(error, start, values, k, k + 1) from None
        return values[: k - start]


def _cut(error: BaseException, start: int, values: Array, k: int, stop: int) -> CutShort:
    """Say what is done of rows from `start` on when f raised at row k: rows up to `stop` fail, if it is f's failure."""
    if isinstance(error, (Exception, SystemExit, GeneratorExit)):
        cause = Cause.ERROR if stop == k + 1 else Cause.UNKNOWN  # of several rows nobody knows which one it was
        reasons = dict.fromkeys(range(k, stop), Reason.of(error, cause))
        return CutShort(Outcome(slice(start, stop), values[: stop - start], reasons))
    return CutShort(Outcome(slice(start, k), values[: k - start], interrupt=error))


def read_value(answer: Any) -> float:
    """Return f's answer for one pair as a number, or say in a sentence what came instead."""
    number = _as_floats(answer, "f")
    if number.size != 1:
        raise InvalidObjective(
            f"f: expected one number for one pair, but got an array of shape {number.shape}. "
            f"If f takes many pairs as rows, pass vectorized=True."
        )
    return float(number.reshape(()))


def read_values(answer: Any, m: int, name: str) -> Array:
    """Return `answer` as a fresh vector of m values, or say in a sentence what came instead."""
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
    if isinstance(answer, (list, tuple)):
        parts = [np.nan if part is np.ma.masked else part for part in answer]
    else:
        parts = answer
    try:
        values = np.array(parts)
    except ValueError:
        values = np.array(None)
    if values.dtype.kind not in "fiub":
        raise InvalidObjective(
            f"{name}: expected real numbers, but got {safe_repr(answer)} of type {type(answer).__name__}."
        )
    floats: Array = values.astype(np.float64)
    if isinstance(answer, np.ma.MaskedArray):
        floats[np.ma.getmaskarray(answer)] = np.nan  # what lies behind a mask is no value
    return floats
