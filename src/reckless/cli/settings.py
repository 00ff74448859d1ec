"""What a command is told: defaults, then what the file says, then what the command line says."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from reckless.errors import InvalidArgument
from reckless.run.options import OPTIONS


def read_settings(objective: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all settings of a run by their names in `minimax`, with the sets of x and y read, and its `name`."""
    defaults = {key: option.default for key, option in OPTIONS.items()}
    given = {key: value for key, value in options.items() if value not in (None, ())}
    _read_sets(given)
    if "command" in given:
        from reckless.evaluation.command import split_command

        if objective is not None:
            raise InvalidArgument(f"--command: a program takes the place of OBJECTIVE, but {objective!r} is given too.")
        return {**defaults, "name": given["command"], **given, "command": split_command(given["command"])}
    if objective is None:
        raise click.UsageError("Missing argument 'OBJECTIVE': what is to be solved? It may also be a --command.")
    if objective.endswith(".toml"):
        from reckless.cli.config import read_config

        return {**defaults, "name": objective, **read_config(Path(objective)), **given}
    return {**defaults, "name": objective, "objective": objective, **given}


def _read_sets(given: dict[str, Any]) -> None:
    """Make sets of --x, --y and --y-scenarios."""
    from reckless.domains.reading import read_edges, read_scenarios

    scenarios = given.pop("y_scenarios", None)
    if scenarios is not None and "y_bounds" in given:
        raise InvalidArgument("--y-scenarios: the file takes the place of --y, but --y is given too.")
    for key, option in (("x_bounds", "--x"), ("y_bounds", "--y")):
        if key in given:
            given[key] = read_edges(given[key], option)
    if scenarios is not None:
        try:
            given["y_bounds"] = read_scenarios(Path(scenarios))
        except InvalidArgument as error:
            raise InvalidArgument(f"--y-scenarios: {error}") from None
