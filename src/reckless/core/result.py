"""Results, in SciPy's words."""

from scipy.optimize import OptimizeResult

from reckless.core.arrays import Array
from reckless.core.task import Recommendation


class History(tuple[Recommendation, ...]):
    """How the recommendation changed during a run, oldest first."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self:
            return "<no recommendation>"
        return f"<{len(self)} recommendations, from evaluation {self[0].nfev} to {self[-1].nfev}>"


class MinimaxResult(OptimizeResult):
    """The outcome of `minimax` and `Solver`.

    x: the recommended design. y: the worst case found for it. fun: f(x, y), the method's estimate of the worst case
    of x, which is a lower bound: `reckless.worst_case` measures it independently. nfev, nit: evaluations and rounds.
    n_failed: evaluations that returned NaN. success, status, message: how the run ended. method: its name.
    confidence: how far the method trusts its estimate, from 0 to 1, or None if it cannot tell.
    history: when the recommendation changed (nfev, x, y, fun).
    """

    x: Array
    y: Array
    fun: float
    nfev: int
    nit: int
    n_failed: int
    success: bool
    status: int
    message: str
    confidence: float | None
    method: str
    history: History


class WorstCase(OptimizeResult):
    """The outcome of `worst_case`: a certificate, that is, a worst case measured apart from the run that proposed x.

    y, fun: the worst y found and f(x, y) there. n_starts: how many independent searches were made. n_agreed: how many
    of them arrived at that value. nfev, n_failed, success, message: as for `MinimaxResult`.
    """

    y: Array
    fun: float
    nfev: int
    n_starts: int
    n_agreed: int
    n_failed: int
    success: bool
    message: str
