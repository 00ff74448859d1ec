"""Find a benchmark problem as users spell it: by its name, in a file of theirs, or in an installed distribution.

A suite is one module of this package and one line of `_SUITES`: the module's `BUILDERS` maps each problem name to a
function that takes the full spelling as `name` and, as keywords with defaults, what a user may set. A distribution
names its problems as entry points of the group "reckless.problems": a `Problem`, or a function that makes one.
"""

import importlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from reckless.bench.problems.problem import Optimum, Problem
from reckless.core.spelling import (
    Spelling,
    defaults_of,
    find_in_file,
    make_spelled,
    nearest,
    read_settings,
    read_spelling,
    read_whole,
)
from reckless.core.userfile import installed, load_entry
from reckless.core.words import safe_repr
from reckless.errors import InvalidArgument

__all__ = ["GROUP", "Optimum", "Problem", "find_problem", "is_ours", "problem", "spell_problem", "suites"]

GROUP = "reckless.problems"

_SUITES: dict[str, tuple[str, ...]] = {
    "paper": ("L1", "L2", "L3", "L4", "L5", "L6", "filter", "filter-signed"),
    "wra": tuple(f"f{i}" for i in range(1, 12)),
    "mwp": tuple(f"MWP{i}" for i in range(1, 8)),
    "applications": ("absorber",),
    "stress": (
        *("deviations", "deviations-y", "kinks-xy", "rastrigin", "rastrigin-rotated", "rastrigin-coupled", "vertices"),
        *("noisy-L1", "noisy-L6", "floored-L1"),
    ),
    "smooth": ("dense", "coupled", "chebyshev"),
    "rotated": tuple(f"f{i}-rotated" for i in (1, 2, 3, 4, 5, 6, 8, 10, 11)),
    "lists": ("ball", "chebyshev-list", "maxq", "quadratics", "filter41"),
    "reality": (
        *("beam", "cartpole", "coating", "dosing", "exchanger", "pid", "portfolio", "reactor", "sallenkey"),
        *("throw", "truss"),
    ),
}
_OURS = {name.lower(): (suite, name) for suite, names in _SUITES.items() for name in names}
_LARGEST_SIZE = 100_000
# Of those whose data grow faster than n: 2^n vertices, a linear program of 6 n rows, n x n matrices.
_LARGEST_SIZES = {
    "vertices": 16,
    "deviations": 200,
    "deviations-y": 200,
    "kinks-xy": 1_000,
    "rastrigin-rotated": 1_000,
    **dict.fromkeys(_SUITES["rotated"], 200),
    "f10-rotated": 20,  # beyond, the worst case may be below 0 in a corner
    "dense": 1_000,
    "coupled": 3,  # instances whose optimum is verified
    "chebyshev": 6,  # beyond, the error of the best fit is too close to rounding
    "ball": 300,
    "chebyshev-list": 1_000,
    "maxq": 1_000,
    "quadratics": 200,
}


def suites() -> dict[str, tuple[str, ...]]:
    """Return the names of the problems of each suite."""
    return dict(_SUITES)


def problem(name: str) -> Problem:
    """Build the problem spelled `name`: NAME or NAME:key=value,key=value, where NAME may also be a `Problem`, or a
    function that makes one, in a file, as in "my/file.py:tank".

    Names are not case-sensitive. L1 and L2 take `n`, the number of coordinates of x and of y; f1-f11 take `n`, `b` (the
    strength of the coupling) and `n_y` (coordinates of y, n by default); the stress problems `n`, `sd` or `height`;
    `k` is the length of a list of y, and `instance` chooses other random data.

    Raises InvalidArgument for a name, a key or a value that does not exist.

    >>> problem("l1:n=20").n_x
    20
    """
    if not isinstance(name, str):
        raise InvalidArgument(f"problem: expected a name such as 'L1' or 'L1:n=20', but got {safe_repr(name)}.")
    spelling = read_spelling(name)
    if spelling.file:
        found = find_in_file(spelling, "problem", "Problem", lambda value: isinstance(value, Problem))
        return _make(found, spelling)
    asked = spelling.name.lower()
    if asked in _OURS:
        return _build(*_OURS[asked], spelling.settings)
    others = installed(GROUP)
    if asked in others:
        return _make(load_entry(others[asked], "problem"), spelling._replace(name=asked))
    likely = nearest(asked, [*_OURS, *others])
    raise InvalidArgument(
        f"problem: there is no problem called {safe_repr(spelling.name)}. Did you mean "
        f"{_OURS.get(likely, ('', likely))[1]!r}? `reckless problems` lists them all."
    )


def is_ours(name: str) -> bool:
    """Return whether a problem is one of this package: to find any other imports code of somebody else's."""
    spelling = read_spelling(name)
    return not spelling.file and spelling.name.lower() in _OURS


def spell_problem(name: str) -> str:
    """Return the canonical spelling of a problem. Nothing is imported from a file or another distribution."""
    spelling = read_spelling(name)
    if spelling.file:
        return str(spelling)
    asked = spelling.name.lower()
    is_installed = asked not in _OURS and asked in installed(GROUP)
    return str(spelling._replace(name=asked)) if is_installed else find_problem(name).name


find_problem = lru_cache(maxsize=256)(problem)  # for repeated lookups: a file is read once


def _build(suite: str, name: str, settings: str | None) -> Problem:
    build: Callable[..., Problem] = importlib.import_module(f"{__name__}.{suite}").BUILDERS[name]
    defaults = {key: default for key, default in defaults_of(build).items() if key != "name"}
    read = partial(_read_positive, largest=_LARGEST_SIZES.get(name, _LARGEST_SIZE))
    values = defaults | read_settings(settings, defaults, name, "problem", read)
    if "n_y" in values and values["n_y"] == values["n"]:
        values["n_y"] = 0  # the default: as many as n
    # Results are stored under this name, so one problem has one spelling: nothing set, or everything.
    spelled = ",".join(f"{key}={repr(value).removesuffix('.0')}" for key, value in values.items() if value)
    return build(name=name if values == defaults else f"{name}:{spelled}", **values)


def _make(thing: Any, spelling: Spelling) -> Problem:
    """Make a user's problem; its name is the spelling by which it is found again."""
    made: Problem = make_spelled(thing, Problem, spelling, "problem")
    try:
        made.check()
    except InvalidArgument as error:
        raise InvalidArgument(f"problem: {spelling}: {error}") from None
    return replace(made, name=str(spelling))


def _read_positive(text: str, default: Any, largest: int) -> int | float:
    """Return a positive integer for a size, a positive number for anything else."""
    is_size = isinstance(default, int)
    with suppress(ValueError):
        value = read_whole(text) if is_size else float(text)
        if 0 < value < (largest + 1 if is_size else float("inf")):
            return value
    raise ValueError(f"a whole number from 1 to {largest}" if is_size else "a positive number")
