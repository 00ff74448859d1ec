"""Pictures of one result: f(x, y) around the worst y, and how the estimate changed during the run.

Everything drawn was measured before. Matplotlib is imported here and nowhere else in the library half, when asked for.
"""

from math import ceil, isfinite
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from reckless.core.arrays import Flags
from reckless.core.sense import sense_of

if TYPE_CHECKING:  # a result draws itself by this module
    from reckless.run.result import MinimaxResult, Slice

__all__ = ["Figure", "draw_result"]

INK, MUTED, GRID = "#24292f", "#6a737d", "#dfe3e8"
CURVE, WORST, ESTIMATE = "#0072b2", "#d55e00", "#009e73"  # Okabe and Ito's colors for all kinds of sight
MOST_COLUMNS = 3
LONGEST_NAME = 28  # characters of a name in a heading; more would run into what stands beside it
TOP, BOTTOM = 0.97, 0.03  # where bad values beyond all numbers are drawn, as parts of a panel's height


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
    for panel, part in zip(panels, slices, strict=False):
        if _failed(part, result).any():  # said once
            panel.set_title("\N{MULTIPLICATION SIGN} failed", fontsize=8, color=WORST, loc="right")
            break
    _draw_history(panels[len(slices)], result)
    for panel in panels[n_panels:]:
        panel.set_axis_off()
    figure.suptitle(_headline(result), fontsize=11, color=INK, x=0.01, ha="left")
    return figure


def _headline(result: "MinimaxResult") -> str:
    """Say in a few words what was found; of the method its name alone."""
    method = _short(result.method.partition("(")[0])
    if result.verification is None:
        return f"Not verified; estimate {result.fun:.6g} by {method}"
    worst = result.verification.fun
    if result.refuted:
        estimate = f"{result.history[-1].fun:.6g}" if result.history else "nothing"
        return f"Refuted: worst case {worst:.6g}, estimate {estimate} by {method}"
    return f"Worst case found {worst:.6g}; estimate {result.fun:.6g} by {method}"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}\N{HORIZONTAL ELLIPSIS}"


def _value_limits(slices: tuple["Slice", ...]) -> tuple[float | None, float | None]:
    """Choose one scale for all slices, so that they can be compared; matplotlib's own if nothing is finite."""
    values = np.concatenate([part.values for part in slices]) if slices else np.empty(0)
    values = values[np.isfinite(values)]
    if not values.size or not isfinite(values.max() - values.min()):
        return None, None
    low, high = float(values.min()), float(values.max())
    margin = 0.08 * (high - low) or 0.5 * abs(high) or 1.0
    return low - margin, high + margin


def _failed(part: "Slice", result: "MinimaxResult") -> Flags:
    """Return where f failed or is infinitely bad: as bad as can be, whatever the policy."""
    return sense_of(result.maximin).is_worst(part.values)


def _edge(result: "MinimaxResult") -> float:
    """Return the edge beyond which the bad values lie."""
    return BOTTOM if result.maximin else TOP


def _draw_slice(panel: Axes, part: "Slice", result: "MinimaxResult") -> None:
    assert result.verification is not None
    _dress(panel)
    is_list = part.label == "scenario"
    worst, at_edge, edge = result.verification.fun, panel.get_xaxis_transform(), _edge(result)
    finite = np.where(np.isfinite(part.values), part.values, np.nan)
    failed = part.at[_failed(part, result)]
    style = "o" if is_list else ".-" if failed.size else "-"  # dots: a value between failures is a line of no length
    panel.plot(part.at, finite, style, color=CURVE, ms=4, lw=1.6)
    panel.plot(failed, np.full(failed.size, edge), "x", color=WORST, ms=4, transform=at_edge)
    if isfinite(worst):
        panel.axhline(worst, color=WORST, lw=0.9, ls="--")
        panel.plot([part.here], [worst], "o", color=WORST, ms=6, zorder=3)
    elif sense_of(result.maximin).turn(worst) > 0.0:
        panel.plot([part.here], [edge], "o", color=WORST, ms=6, zorder=3, transform=at_edge)
    if np.isnan(finite).all():
        panel.set_yticks([])
    panel.set_xlabel("place in the list of scenarios" if is_list else part.label)
    title = "f(x, y) over the scenarios" if is_list else f"f(x, y) along {_short(part.label)}"
    panel.set_title(title, fontsize=9, color=MUTED, loc="left")


def _draw_history(panel: Axes, result: "MinimaxResult") -> None:
    """Draw the estimate over the run; it ends with the result's own value, which may lie above the last estimate."""
    _dress(panel)
    panel.set_title("the run: estimate of the worst case", fontsize=9, color=MUTED, loc="left")
    panel.set_xlabel("evaluations")
    moments = [(max(1, moment.nfev), moment.fun) for moment in result.history if isfinite(moment.fun)]
    if isfinite(result.fun):
        moments.append((max(1, result.nfev), result.fun))
    if not moments:
        words = "no finite estimate" if result.history else "no recommendation"
        panel.text(0.5, 0.5, words, transform=panel.transAxes, ha="center", color=MUTED)
        panel.set_yticks([])
        return
    counts, values = (list(column) for column in zip(*moments, strict=True))
    panel.step(counts, values, where="post", color=ESTIMATE, lw=1.6)
    if isfinite(result.fun):
        panel.plot(counts[-1:], values[-1:], "o", color=ESTIMATE, ms=5)
    else:
        edge, at_edge = _edge(result), panel.get_xaxis_transform()
        panel.plot([max(1, result.nfev)], [edge], "x", color=WORST, ms=6, transform=at_edge)
    if result.verification is not None and isfinite(result.verification.fun):
        panel.axhline(result.verification.fun, color=WORST, lw=0.9, ls="--")
        place = panel.get_yaxis_transform() + ScaledTranslation(0.0, 3.0 / 72.0, panel.figure.dpi_scale_trans)
        panel.text(0.9, result.verification.fun, "verification", color=WORST, size=8, ha="right", transform=place)
        values.append(result.verification.fun)
    if counts[-1] > 30 * counts[0]:
        panel.set_xscale("log")
    if min(values) > 0.0 and max(values) > 100.0 * min(values):
        panel.set_yscale("log")


def _dress(panel: Axes) -> None:
    panel.grid(color=GRID, lw=0.6)
    panel.set_axisbelow(True)
    panel.tick_params(colors=MUTED, labelsize=8)
    panel.xaxis.label.set_color(MUTED)
    for side, spine in panel.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(GRID)
