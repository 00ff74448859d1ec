"""Begin with what the user knows already, and hold the answer against it.

    data     values that the user brings join the ledger; they cost nothing
    first    every design given meets the bad cases; the method begins at the best one, and keeps the cases
    duel     at the end, the answer and the best design given meet what is worst for the other
    doubt    an answer that the method's model does not foretell to be better gives way

So on the y that both have seen, the answer is never worse than the best design given.
"""

from collections.abc import Generator
from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.core.outcome import Cause
from reckless.core.task import Agreement, Handover, Hill, Method, Pairs, Recommendation, Series, Starts, Task
from reckless.domains.anchored import Anchored
from reckless.evaluation.known import Known, known_at
from reckless.evaluation.path import Account
from reckless.run.givens import Givens

FIRST_SHARE = 0.1  # of maxfev: the first pairs take no more, unless each design meets one y only
DUEL_SHARE = 0.1  # of maxfev: the duel takes no more, unless that is less than two evaluations
REMARK = "It is one of the designs given: nothing was found that is surely better."

Asking = Generator[Pairs | Series, Array, None]


class Design(NamedTuple):
    """A design: its place in the unit cube, and what is known of it."""

    unit: Array
    known: Known


class Opening:
    """Runs a method that begins with what the user knows."""

    def __init__(self, givens: Givens, account: Account, x_domain: Anchored, y_domain: Anchored) -> None:
        self._account, self._x_domain, self._y_domain = account, x_domain, y_domain
        self._designs, self._cases = x_domain.anchor(givens.x), y_domain.anchor(givens.y)
        self._pairs = x_domain.anchor(givens.X), y_domain.anchor(givens.Y), self._adopted(givens)
        if not len(self._designs):
            self._designs = x_domain.anchor(_best_of(givens))
        self._seen: Recommendation | None = None  # the last one that was held against the designs given

    def pursue(self, method: Method, task: Task) -> Handover:
        """Evaluate the first pairs, let the method search, then the duel."""
        yield from self._meet(task)
        n_kept = min(2 * len(self._designs) + len(self._cases), max(2, int(DUEL_SHARE * task.maxfev)), task.n_left // 2)
        task.budget.limit -= n_kept
        found = yield from self._limited(method.search(task), task)
        is_spent = task.n_left <= 0
        task.budget.limit += n_kept
        yield from self._duel(task, is_spent)
        self._doubt(task)
        return found

    def _adopted(self, givens: Givens) -> Array:
        """Write the user's values into the ledger; return them as a method is told them."""
        account, values = self._account, givens.values
        account.remember(givens.X, givens.Y, account.sense.turn(values))
        return np.where(np.isnan(values) & account.is_worst(Cause.NAN), inf, values)

    def _meet(self, task: Task) -> Asking:
        """Let the designs given meet the bad cases, or some y; hand what is known to the method."""
        X, Y, values = self._pairs
        if len(self._designs):
            cases = self._cases if len(self._cases) else task.rng.random((task.n_y + 1, task.n_y))
            cases = cases[: max(1, int(FIRST_SHARE * task.first_maxfev) // len(self._designs))]
            met = np.repeat(self._designs, len(cases), axis=0), np.tile(cases, (len(self._designs), 1))
            told = yield met
            X, Y, values = np.vstack([X, met[0]]), np.vstack([Y, met[1]]), np.concatenate([values, told])
        kept, pairs = self._cases, ((X, Y, values) if len(values) else None)
        task.starts = Starts(np.empty((0, task.n_x)), kept, pairs=pairs, kept=kept)
        best = self._best()
        if best is not None and isfinite(best.known.highest):
            y = self._y_domain.anchor(best.known.y[None])
            known = np.array([best.known.highest])
            task.starts = Starts(best.unit[None], np.vstack([kept, y]), known, (Hill(y[0]),), pairs=pairs, kept=kept)
            task.recommend(best.unit, y[0], best.known.highest)
            self._seen = task.recommendation

    def _limited(self, search: Handover, task: Task) -> Handover:
        """Run a search until its budget is spent, and hold what it recommends against the designs given."""
        try:
            request = next(search)
            while task.n_left > 0:
                cut = _first_of(request, task.n_left)
                values = yield request if cut is None else cut
                if cut is not None:
                    break
                request = search.send(values)
                self._hold(task)
        except StopIteration as end:
            found: Starts | None = end.value
            return found
        finally:
            search.close()
            self._hold(task)
        return None

    def _duel(self, task: Task, is_spent: bool) -> Asking:
        """Let the lower one of the answer and the best design given meet the other's worst y; then the bad cases.

        is_spent: the method left nothing, so that nothing may be left of what was kept either.
        """
        while task.n_left > 0 and task.recommendation is not None:
            x = task.recommendation.x
            pair = self._open_question(x)
            if pair is None and not is_spent:
                break
            yield (x, task.rng.random((task.n_left, task.n_y))) if pair is None else pair
            self._seen = None
            self._hold(task)

    def _open_question(self, x: Array) -> Pairs | None:
        """Return the pair to ask next about x and the best design given, None if both have met what matters."""
        best, answer = self._best(), self._design(x)
        if best is None or answer is None:
            return None
        lower, higher = (best, answer) if best.known.highest <= answer.known.highest else (answer, best)
        for design, y in (
            (lower, self._y_domain.anchor(higher.known.y[None])),
            *((answer, y[None]) for y in self._cases),
        ):
            if self._y_domain.from_unit(y[0]).tobytes() not in self._values_at(design.unit):
                return design.unit, y
        return None

    def _hold(self, task: Task) -> None:
        """Recommend the best design given, if what is recommended is worse on the y that both have seen."""
        latest = task.recommendation
        if latest is None or latest is self._seen:
            return
        self._seen = latest
        best = self._best()
        if best is None or not isfinite(best.known.highest) or self._account.ledger.is_noisy:
            return
        theirs, ours = self._values_at(best.unit), self._values_at(latest.x)
        common = theirs.keys() & ours.keys()
        if max((ours[y] for y in common), default=-inf) > max((theirs[y] for y in common), default=-inf):
            self._fall_back(task, best)

    def _doubt(self, task: Task) -> None:
        """Recommend the best design given, if the method's model says that its answer may be worse."""
        best, latest = self._best(), task.recommendation
        if best is None or latest is None or task.upper is None or np.array_equal(best.unit, latest.x):
            return
        if task.upper > best.known.highest > -inf:
            self._fall_back(task, best)

    def _fall_back(self, task: Task, best: Design) -> None:
        """Recommend a design given; what the method said of its answer is void."""
        task.recommend(best.unit, self._y_domain.anchor(best.known.y[None])[0], best.known.highest)
        self._seen, task.remark, task.upper = task.recommendation, REMARK, None
        task.agreement = None if task.agreement is None else Agreement(0, 0)
        task.settled = None if task.settled is None else False

    def _best(self) -> Design | None:
        """Return the design given with the lowest worst case known, None if none was tried."""
        designs = [design for unit in self._designs if (design := self._design(unit)) is not None]
        return min(designs, key=lambda design: np.nan_to_num(design.known.highest, nan=inf, posinf=inf), default=None)

    def _design(self, unit: Array) -> Design | None:
        known = known_at(self._account.ledger, self._x_domain.from_unit(unit), self._account.is_worst)
        return None if known is None else Design(unit, known)

    def _values_at(self, unit: Array) -> dict[bytes, float]:
        """Return the highest value of each y that a design has met."""
        ledger, found = self._account.ledger, dict[bytes, float]()
        for row in ledger.rows_at(self._x_domain.from_unit(unit)).tolist():
            cause, y = ledger.causes.get(row), ledger.Y[row].tobytes()
            value = inf if cause is not None and self._account.is_worst(cause) else float(ledger.values[row])
            found[y] = value if not found.get(y, -inf) >= value else found[y]
        return {y: value for y, value in found.items() if value == value}


def _best_of(givens: Givens) -> Array:
    """Return the x (1, n_x) with the lowest highest value among those with two values or more; or none (0, n_x)."""
    X, inverse, counts = np.unique(givens.X, axis=0, return_inverse=True, return_counts=True)
    highest = np.full(len(X), -inf)
    np.maximum.at(highest, inverse.ravel(), np.where(np.isnan(givens.values), inf, givens.values))
    highest[counts < 2] = inf
    return X[[int(highest.argmin())]] if len(X) and highest.min() < inf else X[:0]


def _first_of(request: Pairs | Series, n: int) -> Pairs | None:
    """Return the first n pairs of a batch, None if it has no more; a series ends with the budget by itself."""
    X, Y = request[0], request[1]
    m = len(Y) if Y.ndim == 2 else len(X) if X.ndim == 2 else 1
    if len(request) == 3 or m <= n:
        return None
    return X[:n] if X.ndim == 2 else X, Y[:n] if Y.ndim == 2 else Y
