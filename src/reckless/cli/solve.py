"""`reckless solve`: one run from the command line."""

import json
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from reckless.cli.options import Count, Interval
from reckless.errors import Status

if TYPE_CHECKING:
    from reckless.cli.objectives import Target
    from reckless.core.result import MinimaxResult


@click.command()
@click.argument("objective")
@click.option("--x", "x_bounds", type=Interval(), multiple=True, help="Bounds of one coordinate of x; repeat it.")
@click.option("--y", "y_bounds", type=Interval(), multiple=True, help="Bounds of one coordinate of y; repeat it.")
@click.option("--maxfev", type=Count(), default=20_000, show_default=True, help="How many evaluations to spend.")
@click.option("--method", default="auto", show_default=True, help="A name from `reckless methods`.")
@click.option("--rng", type=click.IntRange(min=0), help="Seed: the same seed gives the same run.")
@click.option("--vectorized", is_flag=True, help="f takes many pairs at once, as rows.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def solve(
    objective: str,
    x_bounds: tuple[tuple[float, float], ...],
    y_bounds: tuple[tuple[float, float], ...],
    maxfev: int,
    method: str,
    rng: int | None,
    vectorized: bool,
    as_json: bool,
) -> None:
    """Find the x whose worst case over y is smallest.

    OBJECTIVE is a function f(x, y) in a Python file, as in path/to/file.py:f, or the name of a benchmark problem (see
    `reckless problems`).
    """
    from reckless.cli.console import watching
    from reckless.cli.objectives import find_target
    from reckless.solve import minimax

    target = find_target(objective, x_bounds, y_bounds, vectorized)
    with watching(maxfev) as watch:
        result = minimax(
            watch.objective(target.f, vectorized=target.vectorized),
            target.x_bounds,
            target.y_bounds,
            maxfev=maxfev,
            method=method,
            rng=rng,
            vectorized=target.vectorized,
            callback=watch.callback,
        )
    if as_json:
        click.echo(json.dumps(_as_data(result), indent=2))
    else:
        _show(objective, target, result)
    if not result.success:
        raise click.exceptions.Exit(130 if result.status == Status.INTERRUPTED.code else 1)


def _as_data(result: "MinimaxResult") -> dict[str, Any]:
    return {
        "x": result.x.tolist(),
        "y": result.y.tolist(),
        "estimate": result.fun if isfinite(result.fun) else None,
        **{key: result[key] for key in ("nfev", "nit", "n_failed", "success", "status", "message", "method")},
        "history": [
            {"nfev": nfev, "x": x.tolist(), "y": y.tolist(), "estimate": fun} for nfev, x, y, fun in result.history
        ],
    }


def _show(objective: str, target: "Target", result: "MinimaxResult") -> None:
    from reckless.cli.console import show, table, vector

    rows = table(f"{objective} by {result.method}", "", "")
    rows.show_header = False
    rows.add_row("x", vector(result.x))
    rows.add_row("worst y found for it", vector(result.y))
    rows.add_row("estimate f(x, y)", f"{result.fun:.9g}")
    if target.optimum is not None:
        rows.add_row("optimal worst case", f"{target.optimum:.9g}")
    rows.add_row("evaluations", f"{result.nfev:,} in {result.nit:,} rounds")
    if result.n_failed:
        rows.add_row("failed evaluations", f"{result.n_failed:,}")
    show(
        rows,
        result.message,
        "The estimate is a lower bound of the worst case of x; reckless.worst_case measures it.",
    )
