"""The error of digital filter designs over frequency (Charalambous 1979), the paper's application."""

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.figure import Figure

from reckless.bench.figures.style import COLORS, INK, MUTED, draw_key, dress, new_figure
from reckless.core.arrays import Array


class FilterCurve(NamedTuple):
    """One filter design: the signed error of its amplitude over the frequencies psi."""

    label: str
    error: Array  # (m,), for the psi given beside it
    worst: float  # the largest |error|


def filter_error(psi: Array, curves: Sequence[FilterCurve], colors: Sequence[str] = COLORS) -> Figure:
    """Draw the errors of filter designs over frequency, each with the band it keeps within."""
    figure = new_figure(7.0, 4.2)
    axes = figure.add_subplot()
    dress(axes)
    axes.axhline(0.0, color=MUTED, linewidth=0.8)
    ordered = sorted(c.worst for c in curves)
    smallest, largest = ordered[0], ordered[-1]
    # One bad design must not flatten the others: what towers over them is cut off, and the figure says so.
    limit = 1.15 * min(largest, max(10.0 * smallest, 2.0 * ordered[len(ordered) // 2]))
    lines = []
    for at, curve in enumerate(curves):
        color = colors[at % len(colors)]
        # Later curves are thinner, so that equal ones can be told apart.
        width = 1.2 + 0.9 * (len(curves) - 1 - at)
        lines += axes.plot(psi, curve.error, color=color, linewidth=width, label=f"{curve.label}: {curve.worst:.3e}")
        for level in (curve.worst, -curve.worst):
            axes.axhline(level, color=color, linewidth=0.8, linestyle=":")
    axes.set(xlim=(0.0, 1.0), ylim=(-limit, limit), xlabel="frequency ψ", ylabel="error |H| - |1 - 2ψ|")
    if largest > limit:
        n_beyond = sum(c.worst > limit for c in curves)
        told = f"{n_beyond} of {len(curves)} designs go beyond this range, up to {largest:.2e}"
        axes.set_title(told, loc="right", fontsize=7.5, color=INK)
    draw_key(figure, lines, columns=3, title="design: worst case")
    return figure
