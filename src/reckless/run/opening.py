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
from reckless.evaluation.known import Known, known_at, worst_rows
from reckless.evaluation.path import Account
from reckless.run.givens import Givens

FIRST_SHARE = 0.1  # of maxfev: the first pairs take no more, unless each design meets one y only
DUEL_SHARE = 0.1  # of maxfev: the duel takes no more, unless that is less than two evaluations
ATTACK_SHARE = 0.05  # of maxfev: what is kept for it at least, to attack what seems better
MOST_COMPARED = 200  # x whose worst y attack what seems better
REMARK = "It is one of the designs given: nothing was found that is surely better."

Asking = Generator[Pairs | Series, Array, None]


class Said(NamedTuple):
    """What a method says of its answer; the fields are those of `Task`."""

    agreement: Agreement | None = None
    settled: bool | None = None
    upper: float | None = None
    remark: str = ""


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
        self._candidate: Recommendation | None = None  # the method's latest
        self._said = Said()  # what the method said of it
        self._held: Recommendation | None = None  # a design given that is recommended in its place
        self._hard: tuple[Array, Array] | None = None  # x that were tried, and what is worst for each

    def pursue(self, method: Method, task: Task) -> Handover:
        """Evaluate the first pairs, let the method search, then the duel."""
        yield from self._meet(task)
        n_most = max(2, int(DUEL_SHARE * task.maxfev))
        n_kept = max(2 * len(self._designs) + len(self._cases), int(ATTACK_SHARE * task.maxfev))
        n_kept = min(n_kept, n_most, task.n_left // 2) if len(self._designs) or len(self._cases) else 0
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
            self._held = task.recommendation

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
        """Let the answer and the best design given meet what is worst for the other, and attack what seems better.

        is_spent: the method left nothing, so that nothing may be left of what was kept either.
        """
        while task.n_left > 0 and self._candidate is not None:
            x = self._candidate.x
            pair = self._open_question(x)
            if pair is None and not is_spent:
                break
            yield (x, task.rng.random((task.n_left, task.n_y))) if pair is None else pair
            self._hold(task)

    def _open_question(self, x: Array) -> Pairs | None:
        """Return the pair to ask next about x and the best design given, None if both have met what matters."""
        best, answer = self._best(), self._design(x)
        if best is None or answer is None or np.array_equal(best.unit, x):
            return None
        lower, higher = (answer, best) if best.known.highest > answer.known.highest else (best, answer)
        worst = self._y_domain.anchor(higher.known.y[None])
        questions = [(lower, worst), *((answer, case[None]) for case in self._cases)]
        if lower is answer or self._is_trusted(answer):
            questions += [(lower, y[None]) for y in self._hard_y(lower)]
        for design, y in questions:
            if self._y_domain.from_unit(y[0]).tobytes() not in self._values_at(design.unit):
                return design.unit, y
        return None

    def _is_trusted(self, answer: Design) -> bool:
        """Tell whether an answer is known so well that a design given must be attacked before it replaces it."""
        agreement, n = self._said.agreement, self._y_domain.n_scenarios
        return answer.known.n_tried == n if n is not None else agreement is not None and agreement.is_evidence

    def _hard_y(self, design: Design) -> Array:
        """Return y that are worst for other x, those of the nearest x first: few may have been tried at a design."""
        if self._hard is None:
            ledger = self._account.ledger
            rows = worst_rows(ledger, self._account.is_worst)
            self._hard = self._x_domain.to_unit(ledger.X[rows]), self._y_domain.anchor(ledger.Y[rows])
        X, Y = self._hard
        return Y[np.argsort(np.abs(X - design.unit).max(axis=1), kind="stable")[:MOST_COMPARED]]

    def _hold(self, task: Task) -> None:
        """Recommend the best design given in place of what is worse on the y that both have seen; else take it back."""
        latest = task.recommendation
        if latest is not self._held:
            self._candidate = latest
            remark = "" if task.remark == REMARK else task.remark
            self._said = Said(task.agreement, task.settled, task.upper, remark)
            task.remark = remark
        best, candidate = self._best(), self._candidate
        if best is None or candidate is None or not isfinite(best.known.highest) or self._account.ledger.is_noisy:
            return
        theirs, ours = self._values_at(best.unit), self._values_at(candidate.x)
        common = theirs.keys() & ours.keys()
        if max((ours[y] for y in common), default=-inf) > max((theirs[y] for y in common), default=-inf):
            self._fall_back(task, best)
        elif latest is self._held:
            task.recommendation = candidate
            task.agreement, task.settled, task.upper, task.remark = self._said

    def _doubt(self, task: Task) -> None:
        """Recommend the best design given, if the method's model says that its answer may be worse."""
        best = self._best()
        if best is None or task.recommendation is self._held or task.upper is None:
            return
        if task.upper > best.known.highest > -inf:
            self._fall_back(task, best)

    def _fall_back(self, task: Task, best: Design) -> None:
        """Recommend a design given; what the method said of its answer does not hold for it."""
        task.recommend(best.unit, self._y_domain.anchor(best.known.y[None])[0], best.known.highest)
        self._held, task.remark, task.upper = task.recommendation, REMARK, None
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
