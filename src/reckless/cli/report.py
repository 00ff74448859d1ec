"""`reckless report`: what a store holds, as one HTML file."""

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reckless.cli.files import check_file, writing
from reckless.cli.options import file_option
from reckless.cli.sentences import say
from reckless.core.words import printable
from reckless.errors import InvalidArgument

if TYPE_CHECKING:
    from reckless.bench.record import Record
    from reckless.bench.store import Store


@click.command()
@click.argument("store", type=click.Path(path_type=Path))
@file_option("--out", "report.html", "Where to write the report.")
def report(store: Path, out: Path) -> None:
    """Write one HTML file on the runs in STORE, a file that `reckless bench run` or `reckless paper` made.

    The file works offline. Runs that make up an experiment of the paper are set against what it claims.
    Nothing that the store names is imported.
    """
    from reckless.bench.store import Store

    check_file(out)
    with Store(store, readonly=True) as opened:
        report_on(opened, opened.records(), out, title=store.stem)


def report_on(store: "Store", records: "Sequence[Record]", out: Path, *, title: str) -> None:
    """Write the report on runs of an open store, and say so."""
    if not records:
        raise InvalidArgument(f"store: {store.path} holds no finished run yet. Run its study first.")
    n_characters = write_report(out, records, provenance_of(store, records, {}), title=title)
    say(f"Report: {out}, {len(records):,} runs, {n_characters / 1e6:.1f} MB.", err=True)


def write_report(
    out: Path, records: "Sequence[Record]", provenance: Mapping[str, str], *, title: str = "", quick: bool = False
) -> int:
    """Write the report; return its number of characters."""
    from reckless.bench.report import build_report

    with writing(out) as file:
        return file.write(build_report(records, title=title, quick=quick, provenance=provenance))


def provenance_of(store: "Store", runs: "Sequence[Record]", this_call: Mapping[str, str]) -> dict[str, str]:
    """Return where the numbers of a report come from, as label and text."""
    from reckless.bench.report.markup import duration

    versions = [" ".join(f"{name} {printable(number)}" for name, number in found.items()) for found in store.versions()]
    return {
        "command": " ".join(["reckless", *sys.argv[1:]]),
        "versions": "; ".join(versions),
        "seeds": "a digest of problem, method, budget and repetition",
        **this_call,
        "time of all runs": duration(sum(record.seconds for record in runs)),
        "report made": datetime.now(UTC).isoformat(timespec="seconds"),
    }
