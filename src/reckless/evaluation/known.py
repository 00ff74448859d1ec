"""What the ledger knows about an x: its highest value, on how many y it was tried, and which of them failed."""

from collections.abc import Callable
from math import inf, isnan, log, log1p
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Flags, Indices
from reckless.core.outcome import Cause
from reckless.evaluation.ledger import Digests, Ledger

UNSEEN = 0.01  # probability that failures as frequent as those of another x do not show

IsWorst = Callable[[Cause], bool]  # whether a failure of this cause is the worst case of its x


class Known(NamedTuple):
    """What is known at one x.

    highest, y: the highest value and where it was received, +inf where a failure is the worst case; NaN without any
    value. lowest: the smallest. n_tried: different y it was tried on. n_evaluations, n_failed: with repetitions.
    failed_y: where the first of the failures was, or None. is_fatal: whether a failure is its worst case.
    """

    highest: float
    y: Array
    lowest: float
    n_tried: int
    n_evaluations: int
    n_failed: int
    failed_y: Array | None
    is_fatal: bool

    @property
    def range(self) -> float:
        """How far apart the values are; 0 if that is unknown."""
        span = self.highest - self.lowest
        return span if np.isfinite(span) else 0.0


def known_at(ledger: Ledger, x: Array, is_worst: IsWorst) -> Known | None:
    """Return what is known at an x, None if it was never tried."""
    rows = ledger.rows_at(x)
    if not rows.size:
        return None
    values, failed = ledger.values[rows], ledger.failed_among(rows)
    fatal = [row for row in failed if is_worst(ledger.causes[row])]
    highest, lowest = float(np.fmax.reduce(values)), float(np.fmin.reduce(values))
    row = int(rows[0] if isnan(highest) else rows[np.nanargmax(values)])
    if fatal:
        highest, row = inf, fatal[0]
    return Known(
        highest,
        ledger.Y[row].copy(),
        lowest,
        n_tried=np.unique(ledger.pair_digests(rows)).size,
        n_evaluations=rows.size,
        n_failed=len(failed),
        failed_y=ledger.Y[failed[0]].copy() if failed else None,
        is_fatal=bool(fatal),
    )


def mean_at(ledger: Ledger, x: Array, y: Array) -> tuple[float, int]:
    """Return the mean of all values of a pair, and how many there are; NaN if there is none."""
    rows = ledger.rows_at(x)
    values = ledger.values[rows[np.all(ledger.Y[rows] == y, axis=1)]]
    values = values[~np.isnan(values)]
    return (float(values.mean()), values.size) if values.size else (np.nan, 0)


def better_than(ledger: Ledger, known: Known, n_least: int, is_worst: IsWorst) -> Array | None:
    """Return the x with the lowest known value, if that is below `known` and it was tried on as many different y.

    An x that fails is first compared with those tried so often that failures as frequent would have shown, and on
    `n_least` y at least: its own attacks may have ended at once, or met nothing but failures.
    """
    xs, n_tried, highest = _by_x(ledger, is_worst)
    needed = [float(known.n_tried)]
    if known.is_fatal:
        share = min(known.n_failed / known.n_evaluations, 1.0 - UNSEEN)
        needed.insert(0, max(n_least, log(UNSEEN) / log1p(-share)))
    for n in needed:
        is_better = (n_tried >= n) & (highest < known.highest)
        if is_better.any():
            return np.array(xs[np.where(is_better, highest, inf).argmin()])
    return None


def worst_rows(ledger: Ledger, is_worst: IsWorst) -> Indices:
    """Return the row with the highest value of each x that was tried."""
    rows = np.arange(ledger.n_rows)
    rows = rows[ledger.is_evaluated(rows)]
    values = ledger.values.copy()
    values[[row for row, cause in ledger.causes.items() if is_worst(cause)]] = inf
    rows = rows[np.lexsort((np.nan_to_num(values[rows], nan=-inf), ledger.x_digests(rows)))]
    last: Indices = rows[np.append(_is_other(ledger.x_digests(rows))[1:], True)] if rows.size else rows
    return last


def _by_x(ledger: Ledger, is_worst: IsWorst) -> tuple[Array, Array, Array]:
    """Return all x that were tried (k, n_x), the number of different y of each, and its highest value."""
    rows = np.arange(ledger.n_rows)
    rows = rows[ledger.is_evaluated(rows)]
    rows = rows[np.lexsort((ledger.pair_digests(rows), ledger.x_digests(rows)))]  # by x, and then by y
    starts = np.flatnonzero(_is_other(ledger.x_digests(rows)))
    values = ledger.values.copy()
    values[[row for row, cause in ledger.causes.items() if is_worst(cause)]] = inf
    n_tried = np.add.reduceat(_is_other(ledger.pair_digests(rows)), starts, dtype=np.float64)
    return ledger.X[rows[starts]], n_tried, np.fmax.reduceat(values[rows], starts)


def _is_other(digests: Digests) -> Flags:
    """Tell which of sorted digests differ from the one before; the first one does."""
    return np.append(True, digests[1:] != digests[:-1])


def noise_of(ledger: Ledger) -> float:
    """Return the standard deviation of the values of one pair, pooled over all pairs that had two or more; else 0."""
    if not ledger.is_noisy:
        return 0.0
    rows = np.flatnonzero(np.isfinite(ledger.values))
    _, pairs, counts = np.unique(ledger.pair_digests(rows), return_inverse=True, return_counts=True)
    values = ledger.values[rows]
    deviations = values - (np.bincount(pairs, values) / counts)[pairs]
    return float(np.sqrt((deviations**2).sum() / max(1, rows.size - counts.size)))
