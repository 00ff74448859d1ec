"""`reckless journal`: what is in the journal of a run, also of one that is still going on."""

import csv
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reckless.cli.sentences import cleaned
from reckless.core.words import safe_str, shortened
from reckless.errors import InvalidJournal

if TYPE_CHECKING:
    from reckless.evaluation.records import Contents
    from reckless.evaluation.scan import Scan, Table

FILE = click.argument("file", type=click.Path(path_type=Path))


@click.group()
def journal() -> None:
    """Look into a journal, the file of --checkpoint. It is only read, and its run may be going on."""


@journal.command("show")
@FILE
def show(file: Path) -> None:
    """Say what run FILE belongs to, how far it has come, and the best design known."""
    from reckless.evaluation.scan import read_journal

    found = read_journal(file, "FILE")
    lines = _facts(found.contents, _table(found, file))
    if found.n_torn:
        lines.append(f"The end is torn: its last {found.n_torn:,} bytes were not read.")
    click.echo(cleaned("\n".join([str(file), *lines])))


@journal.command("csv")
@FILE
def to_csv(file: Path) -> None:
    """Print the pairs and values of FILE as CSV, in order; where f failed, the value is empty.

    What is printed may be given to --data.
    """
    from reckless.evaluation.scan import read_journal

    found = read_journal(file, "FILE")
    table, names = _table(found, file), partial(_names, found.contents)
    writer = csv.writer(sys.stdout, lineterminator="\n")
    try:
        writer.writerow([*names("x", table.X.shape[1]), *names("y", table.Y.shape[1]), "value"])
        for x, y, value in zip(table.X.tolist(), table.Y.tolist(), table.values.tolist(), strict=True):
            writer.writerow([*x, *y, value if value == value else ""])
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(1) from None
    if found.n_torn:
        click.echo(f"The end is torn: its last {found.n_torn:,} bytes were not read.", err=True)


def _table(found: "Scan", file: Path) -> "Table":
    """Return all evaluations; without any, of the dimensions that the head says."""
    from reckless.evaluation.scan import Table, table_of

    table = table_of(found.contents)
    if table is None:
        raise InvalidJournal(f"FILE: {safe_str(file)} is damaged: its pairs differ in length.")
    if table.values.size:
        return table
    n_x, n_y = (_dimension(found.contents, key) for key in ("n_x", "n_y"))
    return Table(table.X.reshape(0, n_x), table.Y.reshape(0, n_y), table.values)


def _dimension(contents: "Contents", key: str) -> int:
    n = (contents.head or {}).get(key)
    return n if isinstance(n, int) and 0 < n < 10**6 else 1


def _facts(contents: "Contents", table: "Table") -> list[str]:
    """Return the lines on what the run is and how far it has come."""
    from reckless.cli.console import vector
    from reckless.core.sense import sense_of
    from reckless.evaluation.scan import best_of, count_phases

    head = contents.head or {}
    is_maximin = head.get("maximin") is True
    n_search, n_verify, n_failed = count_phases(contents)
    verified = f" and {n_verify:,} of the verification" if n_verify else ""
    lines = [
        f"version {_said(head, 'version')}, {_said(head, 'method')}, {'maximin' if is_maximin else 'minimax'}",
        ", ".join(_coordinates(contents, *part) for part in (("x", table.X.shape[1]), ("y", table.Y.shape[1]))),
        f"calls: {', then '.join(_decided(decisions) for decisions in contents.decisions)}",
        f"{n_search:,} evaluations of the search{verified}, of which {n_failed:,} failed",
    ]
    best = best_of(table, sense_of(is_maximin))
    if best is None:
        return [*lines, "No design met enough y to say which is the best."]
    return [
        *lines,
        f"best known of the {best.n_designs:,} designs that met at least {best.n_met:,} y:",
        f"x = ({vector(best.x)}), with {best.value:.9g} at y = ({vector(best.y)})",
    ]


def _decided(decisions: dict[str, Any]) -> str:
    given = {key: value for key, value in decisions.items() if value not in (None, 0)}
    return " ".join(f"{key}={safe_str(value)}" for key, value in given.items()) or "no maxfev"


def _said(head: dict[str, Any], key: str) -> str:
    return safe_str(head.get(key, "unknown"))


def _names(contents: "Contents", player: str, n: int) -> list[str]:
    """Return what the coordinates of a player are called, as the head says."""
    players = (contents.head or {}).get("names")
    names = players.get(player) if isinstance(players, dict) else None
    if isinstance(names, list) and len(names) == n and all(isinstance(name, str) for name in names):
        return [safe_str(name) for name in names]
    return [f"{player}[{i}]" for i in range(n)]


def _coordinates(contents: "Contents", player: str, n: int) -> str:
    names = _names(contents, player, n)
    told = "" if names[:1] == [f"{player}[0]"] else f" ({shortened(', '.join(names))})"
    return f"{player} has {n:,} coordinate{'' if n == 1 else 's'}{told}"
