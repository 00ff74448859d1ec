"""A run as a file: `problem.toml` says what to solve and how. Reading it runs nothing."""

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from reckless.errors import InvalidArgument

_RULES = {
    "objective": "a text such as 'simulate.py:f'",
    "command": "a list of words such as ['./simulate', '--fast']",
    "x_bounds": "a list of [low, high] pairs",
    "y_bounds": "a list of [low, high] pairs",
    "maxfev": "a whole number",
    "method": "a text such as 'auto'",
    "rng": "a whole number of at least 0",
    "vectorized": "true or false",
    "workers": "a whole number",
    "on_error": "'raise' or 'count'",
    "nan_policy": "'raise' or 'count'",
    "retries": "a whole number",
    "eval_timeout": "a number of seconds",
    "checkpoint": "the name of a file",
    "maxtime": "a number of seconds",
    "target": "a number",
}

TEMPLATE = """\
# A run of `reckless solve`. Options on the command line win over what is said here.
# Lines that begin with # are examples: take the # away to use them.

# What to solve: a function f(x, y) in a Python file, path relative to this file; or a benchmark problem such as "L1".
objective = "simulate.py:f"

# Or any program, which is asked line by line in JSON. It runs without a shell.
# command = ["./simulate", "--fast"]

# One [low, high] pair per coordinate: x is yours to choose, y is what the world does to it.
x_bounds = [[0.0, 10.0], [0.0, 10.0]]
y_bounds = [[0.0, 5.0]]

# How many evaluations to spend, by which method (see `reckless methods`), from which seed.
maxfev = 20000
method = "auto"
rng = 7

# Whether f takes many pairs at once, as rows.
# vectorized = true

# Local processes that evaluate; -1 for one per processor.
# workers = 4

# Every value is kept in this file; after an interruption the same command goes on where it was.
# checkpoint = "run.journal"

# Stop after so many seconds, or when an x with this worst case is found.
# maxtime = 3600.0
# target = 0.5

# What an exception of f, and a NaN that it returns, does: "raise" ends the run, "count" counts a failed evaluation.
# on_error = "count"
# nan_policy = "count"

# How often a failed evaluation is repeated, and the seconds after which one is ended.
# retries = 1
# eval_timeout = 60.0
"""


def write_template(path: Path) -> None:
    """Write a commented problem file; what is there already stays as it is."""
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(TEMPLATE)
    except FileExistsError:
        raise InvalidArgument(f"--init: {path} exists already and is left as it is. Name another file.") from None
    except OSError as error:
        raise InvalidArgument(f"--init: {path} cannot be written ({error.strerror}).") from None


def read_config(path: Path) -> dict[str, Any]:
    """The settings of a problem file, each of the right kind; paths in it are relative to the file."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InvalidArgument(
            f"{path}: cannot be read ({error.strerror}). Is the path relative to another directory?"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"{path}: is not a TOML file ({error}).") from None
    for key, value in content.items():
        if key not in _RULES:
            close = get_close_matches(key, _RULES, n=1)
            cure = f"Did you mean {close[0]!r}?" if close else f"Known are: {', '.join(_RULES)}."
            raise InvalidArgument(f"{path}: there is no setting called {key!r}. {cure}")
        if not _is_right(key, value):
            raise InvalidArgument(f"{path}: {key} must be {_RULES[key]}, but is {value!r}.")
    return _checked(path, content)


def _checked(path: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    settings = dict(content)
    if ("objective" in settings) == ("command" in settings):
        raise InvalidArgument(f"{path}: say what to solve by one of objective and command.")
    is_own = "command" in settings or ".py:" in settings["objective"]
    for key in ("x_bounds", "y_bounds"):
        if is_own and key not in settings:
            raise InvalidArgument(f"{path}: {key} is missing. For example {key} = [[0.0, 10.0]].")
        if key in settings:
            settings[key] = tuple((float(low), float(high)) for low, high in settings[key])
    if ".py:" in settings.get("objective", "") or "checkpoint" in settings:
        for key in settings.keys() & {"objective", "checkpoint"}:
            if key == "checkpoint" or ".py:" in settings[key]:
                settings[key] = str(path.parent / settings[key])
    if "command" in settings and "/" in settings["command"][0]:
        program, *arguments = settings["command"]
        settings["command"] = [str(path.parent.absolute() / program), *arguments]
    return settings


def _is_right(key: str, value: Any) -> bool:
    match key:
        case "objective" | "method" | "checkpoint":
            return isinstance(value, str) and value != ""
        case "command":
            return isinstance(value, list) and value != [] and all(isinstance(word, str) for word in value)
        case "x_bounds" | "y_bounds":
            return isinstance(value, list) and value != [] and all(_is_pair(pair) for pair in value)
        case "maxfev" | "workers" | "retries":
            return _is_number(value) and value == int(value)
        case "rng":
            return isinstance(value, int) and not isinstance(value, bool) and value >= 0
        case "vectorized":
            return isinstance(value, bool)
        case "on_error" | "nan_policy":
            return value in ("raise", "count")
        case _:
            return _is_number(value)


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(_is_number(part) for part in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < float("inf")
