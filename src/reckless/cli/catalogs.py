"""`reckless methods` and `reckless problems`: what there is."""

import json

import click

from reckless.cli.options import JSON
from reckless.cli.sentences import complain
from reckless.errors import InvalidArgument


@click.command()
@JSON
def methods(as_json: bool) -> None:
    """List the methods, by the names that `--method` and `method=` take.

    Those of installed distributions are imported.
    """
    from reckless.cli.console import add_row, show, table
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
        add_row(listing, name, entry.summary, entry.source)
    own = "Your own: my/method.py:Mine, or the entry points reckless.methods of a distribution."
    show(listing, f"Parameters can be set, as in reckless-n:descent_share=0.3. {own}")


@click.command()
@JSON
def problems(as_json: bool) -> None:
    """List the benchmark problems, by the names that `solve` takes.

    Those of installed distributions are imported.
    """
    from reckless.bench.problems import GROUP, problem, suites
    from reckless.cli.console import add_row, show, table
    from reckless.core.userfile import installed

    entries = [(suite, problem(name)) for suite, names in suites().items() for name in names]
    for name in installed(GROUP):
        try:
            entries.append(("installed", problem(name)))
        except InvalidArgument as error:  # the others are listed all the same
            complain(str(error))
    for _, found in entries:
        if found.lacks:
            complain(found.lacks)
    columns = ("name", "suite", "n_x", "n_y", "optimum", "summary")
    rows = [(p.name, suite, p.n_x, p.n_y, p.optimum and p.optimum.value, p.summary) for suite, p in entries]
    if as_json:
        click.echo(json.dumps([dict(zip(columns, row, strict=True)) for row in rows], indent=2))
        return
    listing = table("Problems", "suite", "name", "n_x", "n_y", "optimum", "formula", right=("n_x", "n_y", "optimum"))
    for name, suite, n_x, n_y, optimum, summary in rows:
        add_row(listing, suite, name, str(n_x), str(n_y), "unknown" if optimum is None else f"{optimum:.9g}", summary)
    show(listing, "Sizes can be set, as in L1:n=20 or f5:n=20,b=10.")
