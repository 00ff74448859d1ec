"""One finished cell of a study: what was run, what came of it, and what the referee says of it."""

from dataclasses import dataclass

from reckless.core.arrays import Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Record:
    """A run and its verdict. Regrets may be negative: they are reported as measured, never clipped.

    problem, method: spellings that re-create them, such as "L1:n=20" and "reckless-n:descent_share=0.3".
    budget, repetition, seed: maxfev, the number of the run from 0, and the seed derived from the cell.
    nfev, seconds: evaluations and wall time spent.
    x, y, estimate: the answer of the method. worst_case: of that x, measured by the referee.
    regret: worst_case minus the optimal one. mse: mean square distance of x from the known optimal x.
    inner_gap: worst_case minus estimate, how far the method deceived itself.
    history_nfev, history_regret: when the recommendation changed, and the regret from then on; empty where the
        problem has no closed-form worst case.
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
    regret: float
    mse: float
    inner_gap: float
    history_nfev: Array
    history_regret: Array
