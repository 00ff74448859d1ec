"""`reckless methods` and `reckless problems`: what there is."""

import json
from typing import TYPE_CHECKING

import click

from reckless.errors import InvalidArgument

if TYPE_CHECKING:
    from reckless.bench.problems import Problem


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def methods(as_json: bool) -> None:
    """List the methods, by the names that `--method` and `method=` take."""
    from reckless.cli.console import show, table
    from reckless.methods.registry import catalog

    if as_json:
        rows = [
            {"name": name, "summary": e.summary, "source": e.source, "handles": sorted(e.handles)}
            for name, e in catalog().items()
        ]
        click.echo(json.dumps(rows, indent=2))
        return
    listing = table("Methods", "name", "what it does", "source")
    for name, entry in catalog().items():
        listing.add_row(name, entry.summary, entry.source)
    show(
        listing,
        "Parameters can be set, as in reckless-n:descent_share=0.3. Your own: my/method.py:Mine, or the entry points "
        "reckless.methods of a distribution.",
    )


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def problems(as_json: bool) -> None:
    """List the benchmark problems, by the names that `solve` takes."""
    from reckless.bench.problems import GROUP, problem, suites
    from reckless.cli.console import show, table
    from reckless.core.userfile import installed

    entries = [(suite, problem(name)) for suite, names in suites().items() for name in names]
    for name in installed(GROUP):
        try:
            entries.append(("installed", problem(name)))
        except InvalidArgument as error:  # the others are listed all the same
            click.echo(f"reckless: {error}", err=True)
    if as_json:
        click.echo(json.dumps([_row(suite, found) for suite, found in entries], indent=2))
        return
    listing = table("Problems", "suite", "name", "n_x", "n_y", "optimum", "formula", right=("n_x", "n_y", "optimum"))
    for suite, p in entries:
        listing.add_row(suite, p.name, str(p.n_x), str(p.n_y), f"{p.optimum.value:.9g}", p.summary)
    show(listing, "Sizes can be set, as in L1:n=20 or f5:n=20,b=10.")


def _row(suite: str, p: "Problem") -> dict[str, object]:
    numbers = {"n_x": p.n_x, "n_y": p.n_y, "optimum": p.optimum.value}
    return {"name": p.name, "suite": suite, **numbers, "summary": p.summary}
