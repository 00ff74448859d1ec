"""One finished cell of a study: what was run, what came of it, and what the referee says of it."""

from dataclasses import dataclass
from math import nan
from typing import Literal, NamedTuple

import numpy as np

from reckless.core.arrays import Array


class Reference(NamedTuple):
    """The worst case that regrets of a problem are measured against.

    name: "optimum" if it is the smallest there is; "best known" if it is the smallest of all runs in the store, by the
    referee, because the problem states no optimum. NaN until the store is read.
    """

    value: float
    name: Literal["optimum", "best known"]


def reference_to(optimum: float) -> Reference:
    """Return the reference to the optimum that a problem states; NaN if it states none."""
    return Reference(optimum, "optimum") if optimum == optimum else Reference(nan, "best known")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Record:
    """A run and its verdict. Regrets may be negative: they are reported as measured, never clipped.

    problem, method: spellings that re-create them, such as "L1:n=20" and "reckless-n:descent_share=0.3".
    budget, repetition, seed: maxfev, the number of the run from 0, and the seed derived from the cell.
    nfev, seconds: evaluations and wall time spent.
    x, y, estimate: the answer of the method. worst_case: of that x, measured by the referee.
    mse: mean square distance of x from the known optimal x; NaN where none is known.
    inner_gap: worst_case minus estimate, how far the method deceived itself.
    history_nfev, history_worst_case: when the recommendation changed, and its worst case from then on; empty where the
        problem has no closed-form worst case.
    reference: what regrets are measured against. The store knows all runs, so it says what the best known one is.
    """

    problem: str
    method: str
    budget: int
    repetition: int
    seed: int
    nfev: int
    seconds: float
    x: Array
    y: Array
    estimate: float
    worst_case: float
    mse: float
    inner_gap: float
    history_nfev: Array
    history_worst_case: Array
    reference: Reference

    @property
    def regret(self) -> float:
        """The worst case minus the reference."""
        return self.worst_case - self.reference.value

    @property
    def history_regret(self) -> Array:
        """The regret from each moment of `history_nfev` on."""
        with np.errstate(invalid="ignore"):  # infinity minus infinity
            regrets: Array = self.history_worst_case - self.reference.value
        return regrets

    @property
    def optimum(self) -> float:
        """The optimal worst case; NaN where none is known."""
        return self.reference.value if self.reference.name == "optimum" else nan

    @property
    def against(self) -> str:
        """What the regret is measured against, in words."""
        return self.reference.name
