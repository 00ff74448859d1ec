"""What to solve and how: defaults, then what a file such as `problem.toml` says, then what the command line says."""

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import click

from reckless.cli.objectives import complaining, is_own
from reckless.cli.options import blaming
from reckless.core.tomlfile import parse_toml, read_text
from reckless.core.words import safe_repr, shortened
from reckless.domains.reading import Perturbing, read_domain, read_edges, read_scenarios, read_table
from reckless.errors import InvalidArgument
from reckless.run.habits import Place, answer_unknown
from reckless.run.options import OPTIONS, as_given, read_flag


def read_objective(value: Any, name: str) -> str:
    """Return what to solve, as `reckless solve` takes it."""
    if not isinstance(value, str) or not value:
        raise InvalidArgument(
            f"{name}: expected a text such as 'simulate.py:f', but got {shortened(safe_repr(value))}."
        )
    return value


def read_words(value: Any, name: str) -> list[str]:
    """Return a program and its arguments."""
    if not isinstance(value, list) or not value or not all(isinstance(word, str) for word in value):
        raise InvalidArgument(
            f"{name}: expected a list of words such as ['./simulate', '--fast'], but got {shortened(safe_repr(value))}."
        )
    return value


READERS: dict[str, Callable[[Any, str], Any]] = {
    "objective": read_objective,
    "command": read_words,
    "per_call": read_flag,
    "x_bounds": as_given,  # the sets are read together, with their integers
    "y_bounds": as_given,
    **{key: option.read for key, option in OPTIONS.items() if option.spelled},
}


def read_settings(objective: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all settings of a run by their names in `minimax`, with the sets of x and y read, and its `name`."""
    with complaining():
        return _read_settings(objective, options)


def _read_settings(objective: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    settings = {key: option.default for key, option in OPTIONS.items()} | {"progress": usual_progress()}
    given = {
        key: value
        for key, value in options.items()
        if value is not None and not (isinstance(value, tuple) and not value)
    }
    _read_sets(given)
    if "command" in given:
        from reckless.evaluation.command import split_command

        if objective is not None:
            raise InvalidArgument(
                f"--command: a program takes the place of OBJECTIVE, but {shortened(repr(objective))} is given too."
            )
        return {**settings, "name": given["command"], **given, "command": split_command(given["command"])}
    if objective is None:
        raise click.UsageError("Missing argument 'OBJECTIVE': what is to be solved? It may also be a --command.")
    found = read_config(Path(objective)) if objective.endswith(".toml") else {"objective": objective}
    if "per_call" in given:
        _check_per_call("--per-call", found)
    return {**settings, "name": objective, **found, **given}


def usual_progress() -> bool | Literal["lines"]:
    """Return how to show progress unless the user says it: a bar in a terminal, lines in a log."""
    return sys.stderr.isatty() or "lines"


def _read_sets(given: dict[str, Any]) -> None:
    """Make sets of --x, --y and --y-scenarios."""
    for player in "xy":
        if (key := f"{player}_bounds") in given:
            given[key] = read_edges(given[key], f"--{player}")
    if "y_scenarios" in given:
        if "y_bounds" in given:
            raise InvalidArgument("--y-scenarios: the file takes the place of --y, but --y is given too.")
        with blaming("--y-scenarios"):
            given["y_bounds"] = read_scenarios(Path(given.pop("y_scenarios")))


def read_config(path: Path) -> dict[str, Any]:
    """Return the settings of a problem file, each checked; paths in it are relative to the file."""
    content = _parsed(path)
    for key in content:
        if key not in READERS:
            names = {name: name for name in READERS}
            raise InvalidArgument(f"{path}: {answer_unknown(key, 'a problem file', names, Place.FILE)}")
    return _checked(path, {key: READERS[key](value, f"{path}: {key}") for key, value in content.items()})


def _parsed(path: Path) -> dict[str, Any]:
    text = ""
    try:
        text = read_text(path)
        return parse_toml(text)
    except OSError as error:
        cure = "Is the path relative to another directory?"
        raise InvalidArgument(f"{path}: cannot be read ({error.strerror}). {cure}") from None
    except ValueError as error:
        names = re.findall(r"^[ \t]*\[?(\w+)", text, flags=re.MULTILINE)  # of settings and of tables
        for key in READERS:
            if names.count(key) > 1:
                raise InvalidArgument(f"{path}: {key} is given more than once. Keep one of them.") from None
        raise InvalidArgument(f"{path}: is not a TOML file ({error}).") from None


def _check_per_call(name: str, content: Mapping[str, Any]) -> None:
    if "command" not in content:
        raise InvalidArgument(f"{name}: says how a program is started, but there is no command.")


def _checked(path: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    if ("objective" in content) == ("command" in content):
        raise InvalidArgument(f"{path}: say what to solve by one of objective and command.")
    if "per_call" in content:
        _check_per_call(f"{path}: per_call", content)
    settings = {key: value for key, value in content.items() if not key.endswith("integrality")} | _sets(path, content)
    if ".py:" in settings.get("objective", ""):
        settings["objective"] = str(path.parent / settings["objective"])
    for key in ("checkpoint", "start", "data"):
        if isinstance(settings.get(key), str):
            settings[key] = str(path.parent / settings[key])
    if "command" in settings and "/" in settings["command"][0]:
        program, *arguments = settings["command"]
        settings["command"] = [str(path.parent.absolute() / program), *arguments]
    return settings


def _sets(path: Path, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sets of x and y, integer coordinates included; none for a benchmark problem, which brings them."""
    sets = {}
    for key in ("x_bounds", "y_bounds"):
        flags = key.replace("bounds", "integrality")
        if not is_own(content):
            if found := [name for name in (key, flags) if name in content]:
                raise InvalidArgument(
                    f"{path}: {found[0]}: the problem {shortened(content['objective'])} has bounds of its own."
                )
        elif key not in content:
            raise InvalidArgument(f"{path}: {key} is missing. For example {key} = [[0.0, 10.0]].")
        else:
            with blaming(path):
                sets[key] = _set(path.parent, key, content[key], content.get(flags))
    if isinstance(sets.get("y_bounds"), Perturbing):
        if "command" in content:
            raise InvalidArgument(f"{path}: y_bounds: a program is given x and y, and must add a perturbation itself.")
        with blaming(f"{path}: y_bounds"):
            sets["y_bounds"].of(sum, sets["x_bounds"])  # g is not loaded yet; any function serves to check the rest
    return sets


def _set(folder: Path, key: str, bounds: Any, integrality: Any) -> Any:
    found = read_table(bounds, folder, key) if isinstance(bounds, dict) else bounds
    if not isinstance(found, Perturbing):
        return read_domain(found, key, integrality)
    if key == "x_bounds":
        raise InvalidArgument("x_bounds: a perturbation is a set for y.")
    return found._replace(integrality=integrality)
