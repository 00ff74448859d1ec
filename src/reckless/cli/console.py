"""What the user sees: tables on stdout."""

import click
from rich.console import Console
from rich.table import Table

from reckless.cli.sentences import cleaned
from reckless.core.arrays import Array


def table(title: str, *columns: str, right: tuple[str, ...] = ()) -> Table:
    """Return an empty table in the house style; `right` names the columns of numbers."""
    empty = Table(
        title=cleaned(title), title_justify="left", title_style="bold", header_style="bold", box=None, pad_edge=False
    )
    for column in columns:
        empty.add_column(cleaned(column), justify="right" if column in right else "left", overflow="fold")
    return empty


def add_row(listing: Table, *cells: str) -> None:
    """Add cells to a table; control characters in the words of others are escaped."""
    listing.add_row(*map(cleaned, cells))


def show(*parts: object) -> None:
    """Print to stdout, brackets unchanged; wide tables are never cut when stdout is a file."""
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = 110
    try:
        for part in parts:
            console.print(cleaned(part) if isinstance(part, str) else part)
    except (BrokenPipeError, SystemExit):  # rich raises the second where the reader has gone, as `head` does
        raise click.exceptions.Exit(1) from None


def vector(values: Array) -> str:
    """Return a point in a form that fits into a table and can be read back by a program."""
    return ", ".join(f"{value:.6g}" for value in values)
