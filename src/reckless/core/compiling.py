"""Compile inner loops, and keep the machine code on disk where that is possible.

A package that cannot be written and a user without a home, as in many containers, leave no place for it. Then every
process compiles for itself: slower to start, with the same results.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from multiprocessing import parent_process
from typing import Any, Literal, TypeVar, cast

from numba import njit
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])


class CompilingWarning(UserWarning):
    """Machine code cannot be kept on disk, so that every process compiles anew; the results are the same."""


def compiled(function: F) -> F:
    """Compile a function at its first call, for the types it is called with; dividing by zero raises."""
    return compiled_as(function)


def compiled_as(function: F, signature: Any = None, error_model: Literal["python", "numpy"] = "python") -> F:
    """Compile a function at once for a signature of Numba, or later if there is none."""
    try:
        return cast(F, njit(signature, cache=True, error_model=error_model)(function))
    except RuntimeError as error:  # what Numba raises where no directory takes its files
        if "cannot cache" not in str(error):
            raise
        _warn()
        return cast(F, njit(signature, error_model=error_model)(function))


class _Noticing(event.Listener):
    """Tells when Numba begins to compile, and when it is done; functions that need each other are compiled nested."""

    def __init__(self, tell: Callable[[bool], object]) -> None:
        self._tell, self._depth = tell, 0

    def on_start(self, event: object) -> None:
        self._depth += 1
        if self._depth == 1:
            self._tell(True)

    def on_end(self, event: object) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._tell(False)


@contextmanager
def noticing(tell: Callable[[bool], object]) -> Iterator[None]:
    """Inside the block, call `tell` with True when Numba begins to compile and with False when it is done.

    What is loaded from the disk is not compiled.
    """
    with event.install_listener("numba:compile", _Noticing(tell)):
        yield


@cache  # one warning for all functions
def _warn() -> None:
    if parent_process() is None:  # else the main process has said it
        warnings.warn(
            "compiled code cannot be stored, so that every process compiles it anew, which takes seconds: neither the "
            "package nor the home directory can be written. Set NUMBA_CACHE_DIR to a directory that can.",
            CompilingWarning,
            stacklevel=4,
        )
