"""The benchmark problems by name.

A suite is one module of this package and one line of `_SUITES`: the module's `BUILDERS` maps each problem
name to a function that takes the full spelling and, as keywords with defaults, what a user may set.
"""

import importlib
import inspect
from collections.abc import Callable
from difflib import SequenceMatcher
from typing import Any

from reckless.bench.problems.problem import Optimum, Problem
from reckless.errors import InvalidArgument

__all__ = ["Optimum", "Problem", "problem", "suites"]

_SUITES: dict[str, tuple[str, ...]] = {
    "paper": ("L1", "L2", "L3", "L4", "L5", "L6", "filter", "filter-signed"),
    "wra": tuple(f"f{i}" for i in range(1, 12)),
    "mwp": tuple(f"MWP{i}" for i in range(1, 8)),
    "applications": ("absorber",),
    "stress": (
        "deviations",
        "deviations-y",
        "rastrigin",
        "rastrigin-rotated",
        "rastrigin-coupled",
        "vertices",
        "noisy-L1",
        "noisy-L6",
        "floored-L1",
    ),
}
_LARGEST_SIZE = 100_000


def suites() -> dict[str, tuple[str, ...]]:
    """List the suites: for each the names of its problems, in their default sizes."""
    return dict(_SUITES)


def problem(name: str) -> Problem:
    """Build the problem spelled `name`: NAME, or NAME:key=value,key=value.

    Names are matched whatever their case. L1 and L2 take `n`, the number of coordinates of x and of y; f1-f11
    take `n`, `b` (the strength of the coupling) and `n_y` (coordinates of y, if not n); the others nothing.

    Raises InvalidArgument for a name, a key or a value that does not exist.

    >>> problem("l1:n=20").n_x
    20
    """
    if not isinstance(name, str):
        raise InvalidArgument(f"problem: expected a name such as 'L1' or 'L1:n=20', but got {name!r}.")
    asked, _, settings = name.partition(":")
    suite, known = _find(asked.strip())
    module = importlib.import_module(f"{__name__}.{suite}")
    build: Callable[..., Problem] = module.BUILDERS[known]
    defaults = {key: p.default for key, p in inspect.signature(build).parameters.items() if key != "name"}
    values = defaults | (_read(settings, known, defaults) if ":" in name else {})
    if "n_y" in values and values["n_y"] == values["n"]:
        values["n_y"] = 0  # the default: as many as n
    # Results are stored under this name, so one problem has one spelling: nothing set, or everything.
    spelled = ",".join(f"{key}={repr(value).removesuffix('.0')}" for key, value in values.items() if value)
    return build(known if values == defaults else f"{known}:{spelled}", **values)


def _find(asked: str) -> tuple[str, str]:
    """The suite and the proper spelling of the problem that a user calls `asked`."""
    known = {name.lower(): (suite, name) for suite, names in _SUITES.items() for name in names}
    if asked.lower() not in known:
        _, nearest = known[_nearest(asked.lower(), list(known))]
        raise InvalidArgument(
            f"problem: there is no problem called {asked!r}. Did you mean {nearest!r}? "
            "`reckless problems` lists them all."
        )
    return known[asked.lower()]


def _read(settings: str, name: str, defaults: dict[str, Any]) -> dict[str, Any]:
    """The values in "key=value,key=value", each of the kind of its default."""
    if not defaults:
        raise InvalidArgument(f"problem: {name} has nothing to set, but got {settings!r}. Ask for '{name}' alone.")
    values: dict[str, Any] = {}
    for setting in settings.split(","):
        key, equals, text = (part.strip() for part in setting.partition("="))
        if not equals:
            raise InvalidArgument(
                f"problem: after the colon come settings key=value, parted by commas, but got {setting!r}. "
                f"For example '{name}:{next(iter(defaults))}=5'."
            )
        if key not in defaults:
            raise InvalidArgument(
                f"problem: {name} can be given {', '.join(defaults)}, but got {key!r}. "
                f"Did you mean {_nearest(key, list(defaults))!r}?"
            )
        if key in values:
            raise InvalidArgument(f"problem: {key!r} may be set once, but {name} got it twice. Drop one of them.")
        values[key] = _read_value(text, key, name, type(defaults[key]))
    return values


def _read_value(text: str, key: str, name: str, kind: type) -> int | float:
    """A positive whole number for a size, a positive number for anything else."""
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not 0 < value < (_LARGEST_SIZE + 1 if kind is int else float("inf")):
        rule = f"a whole number from 1 to {_LARGEST_SIZE}" if kind is int else "a positive number"
        raise InvalidArgument(f"problem: {key} must be {rule}, but {name} got {text!r}. For example '{name}:{key}=5'.")
    number: int | float = value
    return number


def _nearest(word: str, words: list[str]) -> str:
    """The likeliest of `words`; the first of equals."""
    return max(words, key=lambda known: SequenceMatcher(None, word, known).ratio())
