"""Results, in SciPy's words."""

from math import isfinite, nan
from typing import TYPE_CHECKING, Any, NamedTuple

from scipy.optimize import OptimizeResult

from reckless.core.arrays import Array
from reckless.core.outcome import Failure
from reckless.core.task import Agreement, Recommendation, Task
from reckless.errors import Status

if TYPE_CHECKING:
    from reckless.run.plots import Figure


class History(tuple[Recommendation, ...]):
    """How the recommendation changed during a run, oldest first."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self:
            return "<no recommendation>"
        return f"<{len(self)} recommendations, from evaluation {self[0].nfev} to {self[-1].nfev}>"


class Slice(NamedTuple):
    """f(x, y) along a line through the worst y: positions and values (k,), and the position of the worst y."""

    label: str
    at: Array
    values: Array
    here: float


class Slices(tuple[Slice, ...]):
    """f(x, y) along some lines through the worst y."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{len(self)} slices>" if self else "<no slices>"


class MinimaxResult(OptimizeResult):
    """The outcome of `minimax` and `Solver`.

    x: the recommended design. y: the worst case found for it. fun: f(x, y), the method's estimate of the worst case
    of x, which is a lower bound: `reckless.worst_case` measures it independently. nfev, nit: evaluations and rounds.
    n_failed: evaluations that failed (NaN, exception, timeout, dead worker), those made good by a retry included.
    first_failure: x, y and traceback of the first of them, or None. success, status, message: how the run ended.
    method: its name.
    agreement: completed independent searches at x, and how many arrived at fun, as in "4 of 5"; None without one.
    settled: whether the descent that led to x came to its end; None if the method cannot tell.
    history: when the recommendation changed (nfev, x, y, fun).

    verification: a `WorstCase`, gap: its value minus fun, verdict: a sentence on both; None unless verified.
    """

    x: Array
    y: Array
    fun: float
    nfev: int
    nit: int
    n_failed: int
    first_failure: Failure | None
    success: bool
    status: int
    message: str
    agreement: Agreement | None
    settled: bool | None
    method: str
    history: History
    verification: "WorstCase | None"
    gap: float | None
    verdict: str | None

    def __init__(self, **fields: Any) -> None:
        super().__init__({"verification": None, "gap": None, "verdict": None, **fields})

    @classmethod
    def of(
        cls, task: Task, method: str, status: Status, history: History, first_pair: tuple[Array, Array]
    ) -> "MinimaxResult":
        """Return the result of a run: its last recommendation, or the first pair it asked for if there is none."""
        remark, failure = task.remark, task.budget.first_failure
        x, y, fun = (*first_pair, nan) if not history else history[-1][1:]
        if not history:
            status = Status.NOTHING_FOUND if status.success and failure is not None else status
            if status.success:
                remark = remark or "Nothing could be recommended by then."
            elif status is Status.NOTHING_FOUND and failure is not None:
                remark = remark or f"The first with: {failure.summary}"
        return cls(
            x=x,
            y=y,
            fun=fun,
            nfev=task.n_used,
            nit=task.n_rounds,
            n_failed=task.budget.n_failed,
            first_failure=failure,
            success=status.success and bool(history),
            status=status.code,
            message=f"{status.sentence} {remark}".rstrip(),
            agreement=task.agreement if task.agreement is not None and task.agreement.n_searches else None,
            settled=task.settled,
            method=method,
            history=history,
        )

    def report(self) -> str:
        """Say what a person should know about this result, as text to print."""
        lines = [
            f"x = {_vector(self.x)}",
            f"estimate of its worst case: {self.fun:.9g}, at y = {_vector(self.y)}",
            f"{self.nfev:,} evaluations in {self.nit:,} rounds of {self.method}. {self.message}",
        ]
        if (failure := self.first_failure) is not None:
            lines.append(
                f"{self.n_failed:,} of the evaluations failed, the first at x = {_vector(failure.x)}, "
                f"y = {_vector(failure.y)}: {failure.summary}"
            )
        if self.verification is None:
            lines.append(
                "Not verified: the estimate is only a lower bound of the worst case. "
                "verify=True, or reckless.worst_case, measures that independently."
            )
        else:
            lines += ["", self.verification.report(), f"{self.verdict}"]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain lists, numbers and texts, as JSON has them; what is not finite becomes None."""
        failure, verification = self.first_failure, self.verification
        return {
            "x": self.x.tolist(),
            "y": self.y.tolist(),
            "estimate": _finite(self.fun),
            **{key: self[key] for key in ("nfev", "nit", "n_failed", "success", "status", "message", "method")},
            "first_failure": failure
            and {"x": failure.x.tolist(), "y": failure.y.tolist(), "traceback": failure.traceback},
            "verification": None if verification is None else verification.to_dict(),
            "gap": _finite(self.gap),
            "verdict": self.verdict,
            "history": [
                {"nfev": nfev, "x": x.tolist(), "y": y.tolist(), "estimate": _finite(fun)}
                for nfev, x, y, fun in self.history
            ],
        }

    def plot(self) -> "Figure":
        """Draw f(x, y) around the worst y, as far as the verification measured it, and how the estimate changed.

        Needs no evaluations. The figure belongs to no window: ``result.plot().savefig("run.png")`` writes it to a file,
        and a notebook shows it.
        """
        from reckless.run.plots import draw_result

        return draw_result(self)


class WorstCase(OptimizeResult):
    """The outcome of `worst_case`: a verification, that is, a worst case measured apart from the run that proposed x.

    y, fun: the worst y found and f(x, y) there. n_starts: how many independent searches were made. n_agreed: how many
    of them arrived at that value. is_exact: whether every y there is was tried. lowest: the smallest value met, which
    tells how much y matters. slices: f(x, y) along lines through y, if they were asked for. nfev, n_failed, success,
    message: as for `MinimaxResult`.
    """

    y: Array
    fun: float
    nfev: int
    n_starts: int
    n_agreed: int
    n_failed: int
    is_exact: bool
    lowest: float
    slices: Slices
    success: bool
    message: str

    def to_dict(self) -> dict[str, Any]:
        """Return the verification as plain lists, numbers and texts, as JSON has them."""
        counts = ("nfev", "n_failed", "n_starts", "n_agreed", "is_exact", "success", "message")
        return {"y": self.y.tolist(), "worst_case": _finite(self.fun), **{key: self[key] for key in counts}}

    def report(self) -> str:
        """Say what a person should know about this verification, as text to print."""
        failed = f", of which {self.n_failed:,} failed" if self.n_failed else ""
        return (
            f"worst case found: {self.fun:.9g}, at y = {_vector(self.y)}\n"
            f"{self.nfev:,} evaluations{failed}. {self.message}"
        )


def _vector(values: Array) -> str:
    return f"({', '.join(f'{value:.6g}' for value in values)})"


def _finite(value: float | None) -> float | None:
    """Return a number that JSON has, or None."""
    return value if value is not None and isfinite(value) else None
