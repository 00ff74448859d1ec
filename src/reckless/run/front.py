"""The front doors: what they answer to keywords that they do not have, and how one borrows the arguments of another."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from reckless.errors import UnknownArgument
from reckless.run.habits import answer_unknown

P = ParamSpec("P")
R = TypeVar("R")


def front_door(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function answer an unknown keyword by a sentence that says what to write instead."""
    names = {name: name for name in inspect.signature(function).parameters if name != "self"}
    door = function.__qualname__.removesuffix(".__init__")

    @wraps(function)
    def answered(*args: P.args, **kwargs: P.kwargs) -> R:
        for key in kwargs:
            if key not in names:
                raise UnknownArgument(answer_unknown(key, door, names))
        return function(*args, **kwargs)

    return answered


def arguments_of(other: Callable[P, R], *, but: str) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """Let a function take the arguments of another one, but one of them, which it sets itself."""
    signature = inspect.signature(other)
    kept = [parameter for name, parameter in signature.parameters.items() if name != but]

    def borrowing(function: Callable[..., R]) -> Callable[P, R]:
        function.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return function

    return borrowing
