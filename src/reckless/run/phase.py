"""A search with its part of the budget: the method's own, or the verification of its answer."""

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import MOST_IDLE_ROUNDS, Budget, Pairs, Series
from reckless.errors import Halt, Status
from reckless.evaluation.path import Evaluations

AnySearch = Generator[Pairs | Series, Array, Any]
ToRows = Callable[[Array, int], Array]  # m points as a search asks for them, to rows as f is given them

NO_VALUES = np.empty(0)


class Phase:
    """A search with its part of the budget, and the pairs it asks for at present.

    limit: what ends the present series of pairs, None if they are a batch.
    """

    limit: float | None

    def __init__(self, search: AnySearch, budget: Budget, x_rows: ToRows, y_rows: ToRows) -> None:
        self.budget, self._search, self._x_rows, self._y_rows = budget, search, x_rows, y_rows
        self._is_cut = False
        self._n_empty = 0  # requests for no pair at all
        self.found: Any = None  # what the search returned

    def answer(self, values: Array | None) -> Status | None:
        """Tell the search the values it asked for, None to begin; return how it ended, or None if it asks for more."""
        if self._is_cut:
            self._search.close()
            return Status.BUDGET_SPENT
        while True:
            try:
                request = next(self._search) if values is None else self._search.send(values)
            except StopIteration as end:
                self.found = end.value
                return Status.PLAN_COMPLETE if self.budget.n_left else Status.BUDGET_SPENT
            except Halt as halt:
                return halt.status
            X, Y = self._X, self._Y = request[0], request[1]
            m = len(Y) if Y.ndim == 2 else len(X) if X.ndim == 2 else 1
            if m:
                break
            values, self._n_empty = NO_VALUES, self._n_empty + 1  # f need not be asked
            if self._n_empty >= MOST_IDLE_ROUNDS:
                return Status.STALLED
        n_left = self.budget.limit - self.budget.n_used  # a phase has its budget to itself
        if len(request) == 2:
            self.limit, self._is_cut = None, m > n_left
        else:
            self.limit = request[2]  # a series ends with the budget; what it learns by then is of use
        self._m = n_left if m > n_left else m
        return None if n_left > 0 else Status.BUDGET_SPENT

    def rows(self) -> tuple[Array, Array]:
        """Return the pairs asked for, made anew: X (m, n_x) and Y (m, n_y)."""
        return self._x_rows(self._X, self._m), self._y_rows(self._Y, self._m)

    def values(self, evaluate: Evaluations) -> Array:
        """Let somebody evaluate the pairs asked for."""
        X, Y = self._x_rows(self._X, self._m), self._y_rows(self._Y, self._m)
        if self.limit is None:
            return evaluate(X, Y, self.budget, self.rows)
        return evaluate.series(X, Y, self.limit, self.budget, self.rows)

    def next_of_series(self) -> bool:
        """Advance to the next pair of a series; return whether there is one."""
        self._Y, self._m = self._Y[1:], min(self._m - 1, self.budget.n_left)
        return self._m > 0

    def close(self) -> None:
        """End the search where it is."""
        self._search.close()
