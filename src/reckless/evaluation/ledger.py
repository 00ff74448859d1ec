"""The ledger of a run: every pair that f was asked for, with its value, in the order of the requests."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from reckless.core.arrays import Array, Flags, Indices
from reckless.core.outcome import Cause

Digests = NDArray[np.uint64]

FIRST_ROOM = 1024  # rows; the room doubles when it is used up
ROUNDING = 1e-12  # part of a value, and of the usual one, by which the values of one pair may differ
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: its multiples spread over all 64 bits


class Ledger:
    """Rows X (n, n_x), Y (n, n_y) and values (n,); a value is NaN if its evaluation failed, or never came to an end.

    A row is opened before f sees the pair, since f may write into it, and keeps its place whoever is quicker. A retry
    replaces the value of its row. causes: of the rows that failed. n_mended: failures made good by a retry. given: rows
    whose values were known without a request, and those of them that were dropped since.
    """

    def __init__(self, n_x: int, n_y: int) -> None:
        self._X, self._Y, self._values = np.empty((0, n_x)), np.empty((0, n_y)), np.empty(0)
        self._x_digests = np.empty(0, dtype=np.uint64)
        self._n_digested = self._n_compared = 0
        self._compared: tuple[Digests, Array] = np.empty(0, dtype=np.uint64), np.empty(0)  # pairs, sorted, and values
        self._is_noisy = False
        self.n_rows = self.n_mended = 0
        self.causes: dict[int, Cause] = {}
        self.given: set[int] = set()

    @property
    def X(self) -> Array:
        return self._X[: self.n_rows]

    @property
    def Y(self) -> Array:
        return self._Y[: self.n_rows]

    @property
    def values(self) -> Array:
        return self._values[: self.n_rows]

    def open(self, X: Array, Y: Array) -> int:
        """Write down pairs that f is about to be asked for; return the row of the first."""
        first, end = self.n_rows, self.n_rows + len(X)
        if end > len(self._values):
            self._make_room(end)
        self._X[first:end], self._Y[first:end] = X, Y
        self.n_rows = end
        return first

    def close(self, first: int, values: Array) -> None:
        """Write down the values of all pairs opened last, from row `first` on; those that have none are dropped."""
        end = first + len(values)
        self._values[first:end] = values
        self.n_rows = end

    def settle(self, rows: Indices, values: Array) -> None:
        """Write down the values of some rows, NaN for failures; their causes are set apart."""
        self._values[rows] = values
        if self.causes:
            worked = [row for row in rows[~np.isnan(values)].tolist() if row in self.causes]
            self.n_mended += len(worked)
            for row in worked:
                del self.causes[row]

    def give(self, X: Array, Y: Array, values: Array, causes: Mapping[int, Cause]) -> Indices:
        """Write down pairs that nobody asked for, with their values; return their rows. causes: of NaN."""
        first = self.open(X, Y)
        self._values[first : self.n_rows] = values
        self.causes.update({first + k: cause for k, cause in causes.items()})
        self.given.update(range(first, self.n_rows))
        return np.arange(first, self.n_rows)

    def drop(self, rows: Indices) -> None:
        """Forget given rows: their pairs were asked for and have other rows now."""
        self._values[rows] = np.nan
        for row in rows.tolist():
            self.causes.pop(row, None)

    def rows_at(self, x: Array) -> Indices:
        """Return the rows of one x that were evaluated, in order."""
        self._digest()
        rows = np.flatnonzero(self._x_digests[: self.n_rows] == _digests(x[None])[0])
        return rows[self.is_evaluated(rows)]

    def is_evaluated(self, rows: Indices) -> Flags:
        """Tell which rows have a value or failed; the others were cut off by the end of the run."""
        done: Flags = ~np.isnan(self._values[rows])
        if self.causes:
            done |= np.isin(rows, list(self.causes))
        return done

    def failed_among(self, rows: Indices) -> list[int]:
        """Return those of the rows that failed."""
        failed: list[int] = rows[np.isin(rows, list(self.causes))].tolist() if self.causes else []
        return failed

    def pair_digests(self, rows: Indices) -> Digests:
        """Return a number per row that is the same for the same pair."""
        self._digest()
        with np.errstate(over="ignore"):
            return self._x_digests[rows] * _ODD + _digests(self._Y[rows])

    def x_digests(self, rows: Indices) -> Digests:
        """Return a number per row that is the same for the same x."""
        self._digest()
        return self._x_digests[rows]

    @property
    def is_noisy(self) -> bool:
        """Whether one pair had two values that differ by more than rounding error."""
        rows = np.arange(self._n_compared, self.n_rows)
        if self._is_noisy or not rows.size:
            return self._is_noisy
        done = self.is_evaluated(rows)
        if self.given:
            done |= np.isin(rows, list(self.given))
        self._n_compared += rows.size if done.all() else int(done.argmin())  # the others may still be evaluated
        rows = rows[~np.isnan(self._values[rows])]
        digests = np.concatenate((self._compared[0], self.pair_digests(rows)))
        values = np.concatenate((self._compared[1], self._values[rows]))
        order = digests.argsort(kind="stable")
        self._compared = digests, values = digests[order], values[order]
        repeated = np.flatnonzero((digests[1:] == digests[:-1]) & (values[1:] != values[:-1]))
        if repeated.size:  # a vectorized f may round a row differently in another batch
            first, second = values[repeated], values[repeated + 1]
            usual = np.median(np.abs(values[np.isfinite(values)])) if np.isfinite(values).any() else 0.0
            size = np.maximum(np.abs(first), np.abs(second)) + usual
            self._is_noisy = not np.all(np.isfinite(size) & (np.abs(first - second) <= ROUNDING * size))
        return self._is_noisy

    def _digest(self) -> None:
        start, self._n_digested = self._n_digested, self.n_rows
        self._x_digests[start : self.n_rows] = _digests(self._X[start : self.n_rows])

    def _make_room(self, n_rows: int) -> None:
        n_new = max(FIRST_ROOM, n_rows, 2 * len(self._values)) - len(self._values)
        self._X = np.concatenate((self._X, np.empty((n_new, self._X.shape[1]))))
        self._Y = np.concatenate((self._Y, np.empty((n_new, self._Y.shape[1]))))
        self._values = np.concatenate((self._values, np.full(n_new, np.nan)))
        self._x_digests = np.concatenate((self._x_digests, np.empty(n_new, dtype=np.uint64)))


def _digests(rows: Array) -> Digests:
    """Return a number per row (m, n) that is the same for equal rows, and almost surely another for others."""
    bits = np.ascontiguousarray(rows + 0.0).view(np.uint64)  # -0.0 is 0.0
    digests = np.zeros(len(rows), dtype=np.uint64)
    with np.errstate(over="ignore"):
        for column in bits.T:
            digests = (digests ^ column) * _ODD
            digests ^= digests >> np.uint64(29)
    return digests
