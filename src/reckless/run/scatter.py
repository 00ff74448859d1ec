"""Tell failures that come at random from those of a region, where f fails beside a failed pair too."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar

import numpy as np

from reckless.core.arrays import Array
from reckless.core.generators import relayed
from reckless.core.outcome import Cause
from reckless.core.task import Budget, Pairs, Series
from reckless.domains.domain import Domain
from reckless.evaluation.path import Account

MOST_PROBES = 5
ENOUGH_WORK = 2  # probes that show randomness by working: in a region they fail, but for one at its very edge
NUDGE = 1e-4  # how far beside a failed pair f is tried, as a part of the unit cube, toward its center

T = TypeVar("T")
Asking = Generator[Any, Array, T]  # yields pairs or series, receives their values, and returns something
Beside = Callable[[Array, Array], Pairs]  # from pairs X (k, n_x), Y (k, n_y) of a search to pairs close by


class Scatter:
    """Probe beside the first failures that are the worst case of their x; the probes count as evaluations.

    A failure beside which f works is unknown: nothing is learned from it. Once ENOUGH_WORK of MOST_PROBES probes
    worked, no failure of the run is a worst case. A failure that a retry made good counts like a probe that worked.
    """

    def __init__(self, account: Account) -> None:
        self._account, self._n_worked, self._n_failed = account, 0, 0

    def pursue(self, search: Asking[T], budget: Budget, beside: Beside) -> Asking[T]:
        """Run a search within its budget, and judge the failures among the values before it sees them."""
        ledger = self._account.ledger

        def ask(request: Pairs | Series) -> Asking[Array]:
            first = ledger.n_rows
            values = yield request
            if ledger.causes and not self._account.is_random and self._n_worked + self._n_failed < MOST_PROBES:
                rows = [row for row in range(first, ledger.n_rows) if row not in ledger.given]
                values = yield from self._judged(request, values, rows, budget, beside)
            return values

        return relayed(search, ask)

    def _judged(
        self, request: Pairs | Series, values: Array, rows: list[int], budget: Budget, beside: Beside
    ) -> Asking[Array]:
        """Probe beside failures among the values, of these rows; make those that turn out as unknown NaN."""
        account, causes = self._account, self._account.ledger.causes
        worst = [k for k in range(len(values)) if account.is_worst(causes.get(rows[k], Cause.UNKNOWN))]
        probed = worst[: min(MOST_PROBES - self._n_worked - self._n_failed, budget.n_left)]
        if not probed:
            return values
        found = yield beside(_rows(request[0], probed), _rows(request[1], probed))
        has_worked = np.isfinite(found)
        self._n_worked += int(has_worked.sum())
        self._n_failed += int((~has_worked).sum())
        account.is_random = self._n_worked + account.ledger.n_mended >= ENOUGH_WORK
        unknown = worst if account.is_random else [k for k, worked in zip(probed, has_worked, strict=True) if worked]
        causes.update({rows[k]: Cause.UNKNOWN for k in unknown})
        values = values.copy()
        values[unknown] = np.nan
        return values


def _rows(points: Array, rows: list[int]) -> Array:
    """Return some rows of a batch, for which a vector stands too."""
    return points[rows] if points.ndim == 2 else np.repeat(points[None], len(rows), axis=0)


def nudged(points: Array) -> Array:
    """Return points of the unit cube that are close to the given ones."""
    return points + np.where(points < 0.5, NUDGE, -NUDGE)


def beside_in(domain: Domain) -> Beside:
    """Return what moves y alone, for pairs that are points of the sets themselves."""
    return lambda X, Y: (X, domain.rows(nudged(domain.to_unit(Y)), len(Y)))


def fails_at_random(n_failed: int) -> str:
    """Say what was made of failures at random, and what to do about them."""
    return (
        f"Evaluations fail at random: f works right beside pairs where it failed. So the {n_failed:,} failures were "
        f"taken as unknown; retries=2 repeats them."
    )
