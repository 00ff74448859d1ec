"""A run as a file: `problem.toml` says what to solve and how. Reading it runs nothing."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from reckless.cli.domains import Perturbing, read_set
from reckless.domains.domain import read_domain
from reckless.errors import InvalidArgument

_BOUNDS = "a list of [low, high] pairs, or a set such as { simplex = 3 }"
_FLAGS = "true or false, or a list of these, one per coordinate"

RULES = {
    "objective": "a text such as 'simulate.py:f'",
    "command": "a list of words such as ['./simulate', '--fast']",
    "x_bounds": _BOUNDS,
    "y_bounds": _BOUNDS,
    "x_integrality": _FLAGS,
    "y_integrality": _FLAGS,
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
    "certify": "true or false, or a whole number of at least 1",
}


def read_config(path: Path) -> dict[str, Any]:
    """The settings of a problem file, each of the right kind; paths in it are relative to the file."""
    content = _parsed(path)
    for key, value in content.items():
        if key not in RULES:
            close = get_close_matches(key, RULES, n=1)
            cure = f"Did you mean {close[0]!r}?" if close else f"Known are: {', '.join(RULES)}."
            raise InvalidArgument(f"{path}: there is no setting called {key!r}. {cure}")
        if not _is_right(key, value):
            raise InvalidArgument(f"{path}: {key} must be {RULES[key]}, but is {value!r}.")
    return _checked(path, content)


def _parsed(path: Path) -> dict[str, Any]:
    text = ""
    try:
        text = path.read_text(encoding="utf-8")
        return tomllib.loads(text)
    except OSError as error:
        raise InvalidArgument(
            f"{path}: cannot be read ({error.strerror}). Is the path relative to another directory?"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        names = re.findall(r"^\s*\[?(\w+)", text, flags=re.MULTILINE)  # of settings and of tables
        for key in RULES:
            if names.count(key) > 1:
                raise InvalidArgument(f"{path}: {key} is given more than once. Keep one of them.") from None
        raise InvalidArgument(f"{path}: is not a TOML file ({error}).") from None


def _checked(path: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    if ("objective" in content) == ("command" in content):
        raise InvalidArgument(f"{path}: say what to solve by one of objective and command.")
    settings = {**content, **_sets(path, content)}
    if ".py:" in settings.get("objective", ""):
        settings["objective"] = str(path.parent / settings["objective"])
    if "checkpoint" in settings:
        settings["checkpoint"] = str(path.parent / settings["checkpoint"])
    if "command" in settings and "/" in settings["command"][0]:
        program, *arguments = settings["command"]
        settings["command"] = [str(path.parent.absolute() / program), *arguments]
    return settings


def _sets(path: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    """The sets of x and y, integer coordinates included; none for a benchmark problem, which brings them along."""
    is_own = "command" in content or ".py" in content["objective"]
    sets = {}
    for key in ("x_bounds", "y_bounds"):
        flags = key.replace("bounds", "integrality")
        if is_own and key not in content:
            raise InvalidArgument(f"{path}: {key} is missing. For example {key} = [[0.0, 10.0]].")
        if is_own:
            sets[key] = _set(path, key, content[key], content.get(flags))
        elif found := [name for name in (key, flags) if name in content]:
            raise InvalidArgument(f"{path}: {found[0]}: the problem {content['objective']} has bounds of its own.")
    if isinstance(sets.get("y_bounds"), Perturbing):
        if "command" in content:
            raise InvalidArgument(f"{path}: y_bounds: a program is given x and y, and must add a perturbation itself.")
        with _blaming(path, "y_bounds"):
            sets["y_bounds"].of(sum, sets["x_bounds"])  # g is not loaded yet; any function serves to check the rest
    return sets


def _set(path: Path, key: str, bounds: Any, integrality: Any) -> Any:
    if isinstance(bounds, dict):
        with _blaming(path, key):
            bounds = read_set(bounds, path.parent)
        if isinstance(bounds, Perturbing):
            if key == "x_bounds":
                raise InvalidArgument(f"{path}: x_bounds: a perturbation is a set for y.")
            return bounds._replace(integrality=integrality)
    with _blaming(path):
        return read_domain(bounds, key, integrality)


@contextmanager
def _blaming(path: Path, *keys: str) -> Iterator[None]:
    """What is wrong with an argument is wrong with this file."""
    try:
        yield
    except InvalidArgument as error:
        raise InvalidArgument(": ".join((str(path), *keys, str(error)))) from None


def _is_right(key: str, value: Any) -> bool:
    match key:
        case "objective" | "method" | "checkpoint":
            return isinstance(value, str) and value != ""
        case "command":
            return isinstance(value, list) and value != [] and all(isinstance(word, str) for word in value)
        case "x_bounds" | "y_bounds":
            is_box = isinstance(value, list) and value != [] and all(_is_pair(pair) for pair in value)
            return is_box or isinstance(value, dict)
        case "x_integrality" | "y_integrality":
            return isinstance(value, bool) or (
                isinstance(value, list) and all(isinstance(flag, bool) for flag in value)
            )
        case "certify":
            return isinstance(value, bool) or (_is_number(value) and value == int(value) and value >= 1)
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
