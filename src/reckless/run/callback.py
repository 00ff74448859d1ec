"""Read a callback, in either of SciPy's two styles."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from reckless.errors import InvalidArgument
from reckless.run.result import MinimaxResult

Report = Callable[[MinimaxResult], object]


def read_callback(callback: Callable[..., object] | None) -> Report | None:
    """Return what to call with a result: by the keyword `intermediate_result` if it is taken, else with x alone."""
    if callback is None:
        return None
    given = callback

    def by_keyword(result: MinimaxResult) -> object:
        return given(intermediate_result=result)

    def by_x(result: MinimaxResult) -> object:
        return given(np.array(result.x))

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
