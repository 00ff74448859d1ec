"""Every option of a run, once: how it is read, its default, and what it means.

Signatures, `problem.toml`, the command line, the template, the journal's head and the table in the docs are loops over
`OPTIONS`. A new option is one row here, one parameter of `minimax` (and of `Solver`), and the code that uses it.
"""

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from reckless.core.arguments import (
    LARGEST_SIZE,
    read_array,
    read_between,
    read_choice,
    read_count,
    read_number,
    read_positive,
    read_rng,
)
from reckless.core.arguments import read_flag as read_flag  # for the command line, which spells flags without a value
from reckless.core.arrays import Array
from reckless.core.words import safe_repr
from reckless.errors import InvalidArgument
from reckless.evaluation.executors import read_workers

read_policy = partial(read_choice, choices=("worst", "ignore", "raise"))


class Option(NamedTuple):
    """One option of a run.

    read: takes a value and what to call it, and returns the value checked, or raises InvalidArgument. example: a value
    as `problem.toml` spells it. decides: another value is another run, so it is part of the journal's head. ask_tell:
    `Solver` has it too; the others say who evaluates. searches: it matters only while x is searched for, so that
    `worst_case` does without. spelled: it may stand in a file and on the command line.
    """

    read: Callable[[Any, str], Any]
    default: Any
    help: str
    example: str = ""
    decides: bool = False
    ask_tell: bool = True
    searches: bool = False
    spelled: bool = True


def optional(read: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    """Let None pass: the option is not given."""
    return lambda value, name: None if value is None else read(value, name)


def read_flag_or_count(value: Any, name: str) -> bool | int:
    """Return True, False or a number of evaluations."""
    return value if isinstance(value, bool) else read_count(value, name)


def read_noise(value: Any, name: str) -> str | float:
    """Return "auto", False, or the standard deviation of the noise."""
    if value is False or (isinstance(value, str) and value == "auto"):
        return value
    try:
        return read_positive(value, name)
    except InvalidArgument:
        raise InvalidArgument(
            f"{name}: expected 'auto', False if f is exact, or the standard deviation of its noise, a number above 0, "
            f"but got {safe_repr(value)}."
        ) from None


def read_file_name(value: Any, name: str) -> Any:
    """Return the name of a file."""
    if not isinstance(value, (str, os.PathLike)) or not str(value) or "\0" in str(value):
        raise InvalidArgument(f"{name}: expected the name of a file, but got {safe_repr(value)}.")
    return value


def read_progress(value: Any, name: str) -> bool | Literal["lines"]:
    """Return True for a bar, False for nothing, or "lines"."""
    spelled: dict[str, bool | Literal["lines"]] = {"bar": True, "lines": "lines", "none": False}
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value in spelled:
        return spelled[value]
    raise InvalidArgument(f"{name}: expected True, False, 'bar', 'lines' or 'none', but got {safe_repr(value)}.")


def read_function(value: Any, name: str) -> Any:
    """Return a function."""
    if not callable(value):
        raise InvalidArgument(f"{name}: expected a function, but got {safe_repr(value)}.")
    return value


def read_args(value: Any, name: str) -> tuple[Any, ...]:
    """Return the further arguments of f; SciPy's rule: what is not a tuple or a list is the only one."""
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


def read_seed(value: Any, name: str) -> Any:
    """Return what `numpy.random.default_rng` takes, unchanged: the journal needs to know what was given."""
    if isinstance(value, (bool, str)):
        raise InvalidArgument(
            f"{name}: expected a non-negative integer, a numpy Generator or None, but got {safe_repr(value)}."
        )
    read_rng(value)
    return value


def read_points(value: Any, name: str) -> Array:
    """Return one point or several as rows; a text has commas between numbers and semicolons between points."""
    rows = read_array(_split(value) if isinstance(value, str) else value)
    rows = None if rows is None else np.atleast_2d(rows)
    if rows is None or rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():
        raise InvalidArgument(
            f"{name}: expected one point, or several as rows, of finite numbers, but got {safe_repr(value)}. "
            f"For example {name}=[1.0, 2.5]."
        )
    return rows


def _split(text: str) -> Any:
    """Return the numbers of a text, None if it has others."""
    try:
        return [[float(number) for number in point.split(",")] for point in text.split(";")]
    except ValueError:
        return None


def as_given(value: Any, name: str) -> Any:
    """Return what was given; it is read together with something else."""
    return value


OPTIONS: dict[str, Option] = {
    "maxfev": Option(
        optional(partial(read_count, example=20_000)),
        None,
        "Number of evaluations, never exceeded. Not given: 1,000 (n_x + n_y + 1); 20,000 to measure a worst case.",
        "20000",
        decides=True,
    ),
    "method": Option(as_given, "auto", "A name from `reckless methods`.", '"auto"', searches=True),
    "rng": Option(read_seed, None, "Seed: the same seed gives the same run.", "7"),
    "x_integrality": Option(
        as_given, None, "Which coordinates of x are integers: one flag, or one each.", "true", searches=True
    ),
    "y_integrality": Option(as_given, None, "Which coordinates of y are integers: one flag, or one each.", "true"),
    "x0": Option(
        optional(read_points),
        None,
        "Designs to begin with, evaluated first: one, or several as rows.",
        "[[1.0, 2.0]]",
        searches=True,
    ),
    "y0": Option(
        optional(read_points),
        None,
        "Bad cases that every search over y meets: one, or several as rows.",
        "[[0.5]]",
        searches=True,
    ),
    "y_nominal": Option(
        optional(read_points),
        None,
        "The y that is expected: result.nominal is the lowest value seen there, the price of robustness what fun adds.",
        "[0.5]",
        searches=True,
    ),
    "start": Option(
        as_given,
        None,
        "An earlier result, or its JSON file: its x joins x0, its y joins y0.",
        '"result.json"',
        searches=True,
    ),
    "data": Option(
        as_given,
        None,
        "Values that are known already, at no evaluation: a CSV file with columns x, y, value; or (X, Y, values).",
        '"values.csv"',
        searches=True,
    ),
    "verify": Option(
        read_flag_or_count,
        False,
        "Verify the answer by independent searches, using another maxfev evaluations or the number given.",
        "true",
        decides=True,
        searches=True,
    ),
    "maximin": Option(
        read_flag,
        False,
        "Large values are good: find the x whose smallest value over y is largest.",
        "true",
        decides=True,
    ),
    "target": Option(
        optional(read_number),
        None,
        "Stop at an x whose worst case is at most this, with maximin at least this.",
        "0.5",
        decides=True,
        searches=True,
    ),
    "tol": Option(
        optional(partial(read_between, low=0.0, high=1.0, ends="()", example=1e-4)),
        None,
        "Stop when done: when searches from elsewhere no longer gain this part of the range of f.",
        "1e-6",
        decides=True,
        searches=True,
    ),
    "maxtime": Option(optional(read_positive), None, "Stop after this many seconds.", "3600.0", searches=True),
    "checkpoint": Option(
        optional(read_file_name),
        None,
        "Journal: each value is written to this file before it is used; the same call resumes, more maxfev continues.",
        '"run.journal"',
        searches=True,
    ),
    "nan_policy": Option(
        read_policy,
        "worst",
        "What a NaN of f means: worst (the worst case of its x), ignore (unknown) or raise.",
        '"ignore"',
    ),
    "retries": Option(
        partial(read_count, smallest=0), 0, "How often a failed evaluation is repeated.", "1", decides=True
    ),
    "noise": Option(
        read_noise,
        "auto",
        "Random errors of f: auto (tested for), false (there are none), or their standard deviation.",
        "0.01",
        decides=True,
        searches=True,
    ),
    "callback": Option(
        optional(read_function),
        None,
        "Called as callback(intermediate_result=result) or callback(x) while the run goes on; True ends it.",
        searches=True,
        spelled=False,
    ),
    "progress": Option(
        read_progress,
        False,
        "Show on stderr how far the run is: bar (in a terminal or a notebook), lines (one a minute) or none.",
        '"lines"',
        ask_tell=False,
    ),
    "batch_size": Option(
        partial(read_count, largest=LARGEST_SIZE),
        1,
        "Number of pairs that you want evaluated at a time, never taken from workers.",
        "8",
        decides=True,
        searches=True,
    ),
    "trace": Option(
        read_flag, False, "Keep the events that the method notes: result.trace.", searches=True, spelled=False
    ),
    "keep": Option(
        read_flag,
        False,
        "Keep all pairs and their values: result.pairs, and in the result's file.",
        "true",
        searches=True,
    ),
    "args": Option(read_args, (), "Further arguments of f, after x and y.", "[0.5, 2]", ask_tell=False),
    "vectorized": Option(read_flag, False, "f takes many pairs at once, as rows.", "true", ask_tell=False),
    "workers": Option(
        lambda value, _: read_workers(value),
        None,
        "Number of local processes that evaluate; -1 for one per processor.",
        "4",
        ask_tell=False,
    ),
    "on_error": Option(
        read_policy,
        "raise",
        "What an exception or a timeout of f means: worst (the worst case of its x), ignore (unknown) or raise.",
        '"worst"',
        ask_tell=False,
    ),
    "eval_timeout": Option(
        optional(read_positive), None, "Seconds after which an evaluation is ended, and failed.", "60.0", ask_tell=False
    ),
}


def read_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Check the options among the names given; those that are missing have their defaults."""
    return {key: option.read(given.get(key, option.default), key) for key, option in OPTIONS.items()}
