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

    is_news: whether the recommendation is new since the last call. is_slow: whether f is so slow that a call may be due
    within a batch.
    """

    def __init__(self, report: Report, clock: Clock) -> None:
        self._report, self._clock = report, clock
        self._n_due, self._due = MOST_EVALUATIONS, clock() + MOST_SECONDS  # evaluations in all, and moment
        self.is_news = self.is_slow = False

    def is_due(self, n_evaluations: int) -> bool:
        """Tell whether to call now, after so many evaluations in all."""
        return self.is_news or n_evaluations >= self._n_due or self._clock() >= self._due

    def is_ending(self, n_evaluations: int, x: Array, make_result: Callable[[], MinimaxResult]) -> bool:
        """Call; return whether that ends the run."""
        self.is_slow = self.is_slow or self._clock() - self._due > SLOW_SECONDS - MOST_SECONDS
        try:
            answer = self._report(x, make_result)
        except StopIteration:
            return True
        self.is_news, self._n_due = False, n_evaluations + MOST_EVALUATIONS
        self._due = self._clock() + MOST_SECONDS  # what the user does takes no time of ours
        return answer is not None and isinstance(answer, (bool, np.bool_)) and bool(answer)
