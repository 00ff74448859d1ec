"""`reckless report`: what a store holds, as one HTML file."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import click


@click.command()
@click.argument("store", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="Where to write the report.",
)
def report(store: Path, out: Path) -> None:
    """Write one HTML file on the runs in STORE, a file that `reckless bench run` or `reckless paper` made.

    The file works offline. Runs that make up an experiment of the paper are set against what it claims.
    """
    from reckless.bench.report import build_report
    from reckless.bench.store import Store

    if not out.parent.is_dir():
        raise click.ClickException(f"--out: there is no directory {out.parent}. Create it, or name another.")
    with Store(store, readonly=True) as opened:
        records = opened.records()
        versions = opened.versions()
    if not records:
        raise click.ClickException(f"store: {store} holds no finished run yet. Run its study first.")
    provenance = {
        "command": " ".join(["reckless", *sys.argv[1:]]),
        "versions": "; ".join(" ".join(f"{name} {v}" for name, v in found.items()) for found in versions),
        "seeds": "a digest of problem, method, budget and repetition",
        "seconds of all runs": f"{sum(record.seconds for record in records):.0f}",
        "report made": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    page = build_report(records, quick=False, provenance=provenance)
    try:
        out.write_text(page, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"--out: {out} cannot be written ({error.strerror}).") from error
    click.echo(f"Report: {out}, {len(records):,} runs, {len(page) / 1e6:.1f} MB.", err=True)
