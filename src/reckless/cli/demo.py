"""`reckless demo`: design the paper's digital filter and compare it with the published one."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reckless.cli.options import COUNT, file_option

if TYPE_CHECKING:
    from reckless.run.result import MinimaxResult

CHARALAMBOUS = (0.3679, 0.0, 0.0, 0.980039, -0.735078, 0.0, 0.0, -0.165771, -0.767228)  # A, a, b, c, d; 1979


@click.command()
@click.option("--maxfev", type=COUNT, default=100_000, show_default=True, help="How many evaluations to spend.")
@click.option("--rng", type=click.IntRange(min=0), default=7, show_default=True, help="Seed.")
@file_option("--picture", "filter.png", "Where to save the picture; its ending says the format.")
def demo(maxfev: int, rng: int, picture: Path) -> None:
    """Design a digital filter whose worst error over all frequencies is small.

    The filter of Charalambous (1979), which the paper uses as its application: 9 coefficients, one frequency.
    """
    import numpy as np

    from reckless.bench.figures import FilterCurve, filter_error
    from reckless.bench.problems import problem
    from reckless.cli.console import show, table, vector
    from reckless.run.minimax import minimax
    from reckless.run.verification import worst_case

    filter_, signed = problem("filter"), problem("filter-signed")
    assert filter_.optimum is not None
    f, x_bounds, y_bounds = filter_.function, filter_.x_bounds, filter_.y_bounds
    result = minimax(f, x_bounds, y_bounds, maxfev=maxfev, rng=rng, vectorized=True, progress=True)
    designs = {
        "Charalambous 1979": np.array(CHARALAMBOUS),
        "known optimum": np.array(filter_.optimum.x),
        f"this run ({result.method})": result.x,
    }
    psi = np.linspace(0.0, 1.0, 2001)
    title = "Digital filter: worst |error| over all frequencies"
    comparison = table(title, "design", "estimate", "verification", "at psi")
    curves = []
    for name, x in designs.items():
        check = worst_case(f, x, y_bounds, maxfev=20_000, rng=1, vectorized=True)
        estimate = f"{result.fun:.6e}" if x is result.x else ""
        comparison.add_row(name, estimate, f"{check.fun:.6e}", vector(check.y))
        curves.append(FilterCurve(name, signed.function(np.tile(x, (len(psi), 1)), psi[:, None]), check.fun))
    try:
        filter_error(psi, curves).savefig(picture, dpi=150)
    except (OSError, ValueError) as error:
        raise click.ClickException(f"--picture: {picture} cannot be written ({error}).") from error
    names = ("A", *(f"{letter}{stage}" for letter in "abcd" for stage in (1, 2)))
    ratio = curves[-1].worst / filter_.optimum.value
    show(
        "design: " + ", ".join(f"{name} = {value:.6g}" for name, value in zip(names, result.x, strict=True)),
        comparison,
        f"{result.nfev:,} evaluations. The worst case of this run's design is {ratio:.6g} times the best possible.",
        _trust(result),
        f"Picture: {picture}",
    )


def _trust(result: "MinimaxResult") -> str:
    """Say how far the run itself trusts its answer, or why it does not."""
    if not result.success or result.agreement is None:
        return result.message
    return f"Agreement: {result.agreement} independent searches arrived at the estimate."
