"""The only caller of f: it hands over pairs, and insists on one number for each."""

from collections.abc import Callable, Iterator
from math import inf
from time import monotonic
from typing import Any, Protocol, runtime_checkable

import numpy as np

from reckless.core.arrays import Array
from reckless.core.outcome import Outcome, Reason
from reckless.errors import InvalidObjective

Objective = Callable[[Array, Array], Any]

FLOAT64 = np.dtype(np.float64)
PART_SECONDS = 1e-3  # a batch that takes longer is reported in parts


@runtime_checkable
class SaysWhy(Protocol):
    """An f on rows that knows why some of its values are NaN, as a `Command` does."""

    def outcome(self, X: Array, Y: Array) -> Outcome:
        """Evaluate all rows."""
        ...


class Evaluator:
    """Evaluate batches of pairs with a scalar f(x, y) or, if `vectorized`, an f(X, Y) that takes rows.

    It is the engine that works in this process. An exception of f fails the pair, or the whole batch if f takes rows.
    What ends the program instead, such as Ctrl-C, becomes the `interrupt` of what is done.
    """

    def __init__(self, f: Objective, *, vectorized: bool) -> None:
        if not callable(f):
            raise InvalidObjective(f"f: expected a function f(x, y), but got {f!r}.")
        self._says_why = isinstance(f, SaysWhy)
        self.f, self.vectorized = f, vectorized or self._says_why
        self.outcome = self._all_rows if self.vectorized else self._one_by_one  # one call less per batch

    @property
    def n_workers(self) -> int | None:
        """How many pairs f evaluates at a time by itself, None if that is unknown."""
        size = getattr(self.f, "n_workers", None)
        return size if isinstance(size, int) else None

    def outcomes(self, X: Array, Y: Array, deadline: float = inf) -> Iterator[Outcome]:
        """Evaluate a batch in parts, until the deadline at the latest; a part ends after PART_SECONDS or a failure."""
        start = 0
        while start < len(X) and (now := monotonic()) < deadline:
            done = self.outcome(X, Y, start, min(now + PART_SECONDS, deadline))
            start += len(done.values)
            yield done

    def series(self, X: Array, Y: Array, limit: float) -> Outcome:
        """Evaluate row by row, up to the first value that is above `limit` or failed."""
        values: list[float] = []
        for x, y in zip(X[:, None], Y[:, None], strict=True):
            done = self.outcome(x, y)
            if done.reasons or done.interrupt is not None:
                reasons = {len(values): reason for reason in done.reasons.values()}
                values.extend(done.values)
                return Outcome(slice(0, len(values)), np.array(values), reasons, done.interrupt)
            value = done.values.item()
            values.append(value)
            if not value <= limit:
                break
        return Outcome(slice(0, len(values)), np.array(values))

    def close(self, *, at_once: bool) -> None:
        """There is nobody to send home."""

    def _all_rows(self, X: Array, Y: Array, start: int = 0, until: float = inf) -> Outcome:
        """Evaluate all rows at once."""
        m = len(X)
        try:
            if self._says_why:
                done: Outcome = self.f.outcome(X, Y)  # type: ignore[attr-defined]
                return done
            values = self.f(X, Y)
            if type(values) is not np.ndarray or values.dtype is not FLOAT64 or values.shape != (m,):
                values = read_values(values, m, "f")
        except (Exception, SystemExit) as error:
            return Outcome(slice(0, m), np.full(m, np.nan), dict.fromkeys(range(m), Reason.of(error)))
        except BaseException as error:
            return Outcome(slice(0, 0), np.empty(0), interrupt=error)
        return Outcome(slice(0, m), values)

    def _one_by_one(self, X: Array, Y: Array, start: int = 0, until: float = inf) -> Outcome:
        """Evaluate rows from `start` on, to the end or to an exception; with `until`, to that time or to a NaN."""
        f, m, k, values = self.f, len(X), start, np.full(len(X) - start, np.nan)
        try:
            while k < m:
                value = f(X[k], Y[k])
                values[k - start] = value if type(value) is float else read_value(value)
                k += 1
                if until < inf and (value != value or monotonic() >= until):
                    break
        except (Exception, SystemExit) as error:
            return Outcome(slice(start, k + 1), values[: k + 1 - start], {k: Reason.of(error)})
        except BaseException as error:
            return Outcome(slice(start, k), values[: k - start], interrupt=error)
        return Outcome(slice(start, k), values[: k - start])


def read_value(answer: Any) -> float:
    """Return what f gave for one pair as a number, or say in a sentence what came instead."""
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
    try:
        values = np.array(answer)
    except ValueError:
        values = np.array(None)
    if values.dtype.kind not in "fiub":
        raise InvalidObjective(f"{name}: expected real numbers, but got {answer!r} of type {type(answer).__name__}.")
    return values.astype(np.float64)
