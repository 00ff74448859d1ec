"""Pictures of one result: f(x, y) around the worst y, and how the estimate changed during the run.

Everything drawn was measured before. Matplotlib is imported here and nowhere else in the library half, when asked for.
"""

from math import ceil, isfinite
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

if TYPE_CHECKING:  # a result draws itself by this module
    from reckless.run.result import MinimaxResult, Slice

__all__ = ["Figure", "draw_result"]

INK, MUTED, GRID = "#24292f", "#6a737d", "#dfe3e8"
CURVE, WORST, ESTIMATE = "#0072b2", "#d55e00", "#009e73"  # Okabe and Ito's colors for all kinds of sight
MOST_COLUMNS = 3


def draw_result(result: "MinimaxResult") -> Figure:
    """Draw one panel per slice that the verification measured, and one for the run itself."""
    slices = () if result.verification is None else result.verification.slices
    n_panels = len(slices) + 1
    n_columns = 2 if n_panels == 4 else min(n_panels, MOST_COLUMNS)
    n_rows = ceil(n_panels / n_columns)
    figure = Figure(figsize=(4.0 * n_columns if n_panels > 1 else 6.0, 3.0 * n_rows + 0.4), layout="constrained")
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel().tolist()
    limits = _value_limits(slices)
    for panel, part in zip(panels, slices, strict=False):
        _draw_slice(panel, part, result)
        panel.set_ylim(*limits)
    _draw_history(panels[len(slices)], result)
    for panel in panels[n_panels:]:
        panel.set_axis_off()
    found = "Not verified" if result.verification is None else f"Worst case found {result.verification.fun:.6g}"
    headline = f"{found}; estimate {result.fun:.6g} by {result.method}"
    figure.suptitle(headline, fontsize=11, color=INK, x=0.01, ha="left")
    return figure


def _value_limits(slices: tuple["Slice", ...]) -> tuple[float | None, float | None]:
    """Choose one scale for all slices, so that they can be compared; matplotlib's own if nothing is finite."""
    values = np.concatenate([part.values for part in slices]) if slices else np.empty(0)
    values = values[np.isfinite(values)]
    if not values.size or not isfinite(values.max() - values.min()):
        return None, None
    low, high = float(values.min()), float(values.max())
    margin = 0.08 * (high - low) or 0.5 * abs(high) or 1.0
    return low - margin, high + margin


def _draw_slice(panel: Axes, part: "Slice", result: "MinimaxResult") -> None:
    assert result.verification is not None
    _dress(panel)
    is_list = part.label == "scenario"
    panel.plot(part.at, part.values, "o" if is_list else "-", color=CURVE, ms=4, lw=1.6)
    failed = np.isnan(part.values)
    if failed.any():
        panel.plot(
            part.at[failed], np.full(failed.sum(), 0.03), "x", color=MUTED, ms=4, transform=panel.get_xaxis_transform()
        )
    panel.axhline(result.verification.fun, color=WORST, lw=0.9, ls="--")
    panel.plot([part.here], [result.verification.fun], "o", color=WORST, ms=6, zorder=3)
    panel.set_xlabel("place in the list of scenarios" if is_list else part.label)
    panel.set_title(
        "f(x, y) over the scenarios" if is_list else f"f(x, y) along {part.label}", fontsize=9, color=MUTED, loc="left"
    )


def _draw_history(panel: Axes, result: "MinimaxResult") -> None:
    _dress(panel)
    panel.set_title("the run: estimate of the worst case", fontsize=9, color=MUTED, loc="left")
    panel.set_xlabel("evaluations")
    history = [moment for moment in result.history if isfinite(moment.fun)]
    if not history:
        panel.text(0.5, 0.5, "no recommendation", transform=panel.transAxes, ha="center", color=MUTED)
        return
    counts = [max(1, moment.nfev) for moment in history] + [max(1, result.nfev)]
    values = [moment.fun for moment in history] + [history[-1].fun]
    panel.step(counts, values, where="post", color=ESTIMATE, lw=1.6)
    panel.plot(counts[-1:], values[-1:], "o", color=ESTIMATE, ms=5)
    ends = [*values]
    if result.verification is not None and isfinite(result.verification.fun):
        panel.axhline(result.verification.fun, color=WORST, lw=0.9, ls="--")
        place = panel.get_yaxis_transform() + ScaledTranslation(0.0, 3.0 / 72.0, panel.figure.dpi_scale_trans)
        panel.text(0.9, result.verification.fun, "verification", color=WORST, size=8, ha="right", transform=place)
        ends.append(result.verification.fun)
    if counts[-1] > 30 * counts[0]:
        panel.set_xscale("log")
    if min(ends) > 0.0 and max(ends) > 100.0 * min(ends):
        panel.set_yscale("log")


def _dress(panel: Axes) -> None:
    panel.grid(color=GRID, lw=0.6)
    panel.set_axisbelow(True)
    panel.tick_params(colors=MUTED, labelsize=8)
    panel.xaxis.label.set_color(MUTED)
    for side, spine in panel.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(GRID)
