"""Call a user back during a run, in either of SciPy's two styles, and tell when it is time to."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from reckless.core.arrays import Array
from reckless.errors import InvalidArgument
from reckless.run.result import MinimaxResult

MOST_EVALUATIONS, MOST_SECONDS = 50, 1.0  # between two calls, unless one batch takes more
SLOW_SECONDS = 0.05  # between two calls; if they are further apart, a batch may take a second

Clock = Callable[[], float]
Report = Callable[[Array, Callable[[], MinimaxResult]], object]  # takes x, and what makes the result


def read_callback(callback: Callable[..., object] | None) -> Report | None:
    """Return what to call with x and a result: it passes `intermediate_result` by keyword if that is taken, else x."""
    if callback is None:
        return None
    given = callback

    def by_keyword(x: Array, make_result: Callable[[], MinimaxResult]) -> object:
        return given(intermediate_result=make_result())

    def by_x(x: Array, make_result: Callable[[], MinimaxResult]) -> object:
        return given(x.copy())

    try:
        signature = inspect.signature(callback)
    except (ValueError, TypeError):  # a function of another language does not say what it takes
        return by_x
    if _fits(signature, intermediate_result=None):
        return by_keyword
    if _fits(signature, None):
        return by_x
    raise InvalidArgument(
        f"callback: expected a function of one argument, to be called as callback(intermediate_result=result) or as "
        f"callback(x), but its arguments are {str(signature)[:200]}."
    )


def _fits(signature: inspect.Signature, *args: Any, **kwargs: Any) -> bool:
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


class Caller:
    """Calls back after every new recommendation, and whenever enough evaluations were made or enough time has passed.

    n_due, due: evaluations in all, and moment, from which on a call is due. is_slow: whether f is so slow at present
    that one may be due within a batch.
    """

    def __init__(self, report: Report, clock: Clock) -> None:
        self._report, self._clock = report, clock
        self.n_due, self.due = MOST_EVALUATIONS, clock() + MOST_SECONDS
        self.is_slow = False

    def hurry(self) -> None:
        """Make a call due: the recommendation is new."""
        self.n_due = 0

    def is_ending(self, n_evaluations: int, x: Array, make_result: Callable[[], MinimaxResult]) -> bool:
        """Call; return whether that ends the run."""
        self.is_slow = self._clock() - self.due > SLOW_SECONDS - MOST_SECONDS
        try:
            answer = self._report(x, make_result)
        except StopIteration:
            return True
        self.n_due = n_evaluations + MOST_EVALUATIONS
        self.due = self._clock() + MOST_SECONDS  # what the user does takes no time of ours
        return answer is not None and isinstance(answer, (bool, np.bool_)) and bool(answer)
