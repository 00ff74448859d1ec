"""Ask and tell: the `Solver` lets a method run and leaves the evaluation of f to the caller."""

from collections.abc import Callable
from typing import Any, Literal

from reckless.core.arrays import Array
from reckless.core.task import Method
from reckless.domains.reading import DomainLike
from reckless.errors import Status
from reckless.run.front import front_door
from reckless.run.options import read_options
from reckless.run.result import MinimaxResult
from reckless.run.run import Run


class Solver:
    """Find the x with the smallest worst case, leaving the evaluation of f to the caller.

    Parameters
    ----------
    method : str or Method
        A name from `reckless methods`, or an object such as ``reckless.Reckless(descent_share=0.3)``.
    x_bounds, y_bounds, maxfev, rng, x_integrality, y_integrality, maximin, x0, y0, y_nominal, start, data, callback,
    nan_policy, noise, target, tol, batch_size, trace, keep
        As for `minimax`.
    verify : bool or int
        As for `minimax`: once the method has come to its end, the pairs of the verification are asked for.
    retries : int
        How often a pair that failed is asked for again; every attempt counts as an evaluation.
    checkpoint : str or path, optional
        A journal: every value told is written to this file before it is used. A `Solver` made with the same arguments
        and the same file resumes, and first asks for what is not in the file; one with a larger `maxfev` continues.
        `minimax` can resume from it, too.
    maxtime : float, optional
        Seconds after which the run ends, at the next `tell`, with the answer so far.

    Examples
    --------
    >>> import reckless
    >>> solver = reckless.Solver("reckless", [(0, 10)], [(0, 10)], maxfev=2000, rng=7)
    >>> while not solver.done:
    ...     X, Y = solver.ask()  # rows are pairs
    ...     solver.tell((X[:, 0] - 5) ** 2 - (Y[:, 0] - 5) ** 2)
    >>> round(solver.result().x.item(), 3)
    5.0
    """

    @front_door
    def __init__(
        self,
        method: str | Method,
        x_bounds: DomainLike,
        y_bounds: DomainLike,
        *,
        maxfev: int | None = None,
        rng: Any = None,
        x_integrality: Any = None,
        y_integrality: Any = None,
        x0: Any = None,
        y0: Any = None,
        y_nominal: Any = None,
        start: Any = None,
        data: Any = None,
        verify: bool | int = False,
        maximin: bool = False,
        callback: Callable[..., object] | None = None,
        nan_policy: Literal["worst", "ignore", "raise"] = "worst",
        retries: int = 0,
        noise: float | Literal["auto", False] = "auto",
        checkpoint: Any = None,
        maxtime: float | None = None,
        target: float | None = None,
        tol: float | None = None,
        batch_size: int = 1,
        trace: bool = False,
        keep: bool = False,
    ) -> None:
        self._run = Run(x_bounds, y_bounds, read_options(locals()))
        self._run.catch_up()

    @property
    def done(self) -> bool:
        """Whether the run has ended."""
        return self._run.done

    @property
    def nfev(self) -> int:
        """Evaluations told so far, those of the verification not included."""
        return self._run.nfev

    @property
    def nit(self) -> int:
        """Rounds begun so far."""
        return self._run.nit

    def ask(self) -> tuple[Array, Array]:
        """Return the pairs to evaluate next: X (m, n_x) and Y (m, n_y). Asking again returns the same pairs."""
        return self._run.ask()

    def tell(self, values: Any) -> None:
        """Give the values (m,) of the pairs last asked for, NaN for an evaluation that failed."""
        self._run.tell(values)

    def result(self) -> MinimaxResult:
        """Return the answer so far, or the final one once `done`."""
        return self._run.result()

    def stop(self, status: Status = Status.STOPPED_BY_CALLBACK, remark: str = "") -> None:
        """End the run now; `result` keeps its answer, and its message ends with the remark."""
        self._run.stop(status, remark)
