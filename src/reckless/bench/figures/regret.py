"""Regret over budgets or dimensions, one panel per problem; single runs where there is only one budget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reckless.bench.figures.floor import (
    LogRange,
    count_off_scale,
    dress_log,
    floor_note,
    joined,
    log_range,
    write_title,
)
from reckless.bench.figures.style import INK, MethodStyle, Styles, draw_legend, dress, label_ticks, look_of, new_figure
from reckless.core.arrays import Array

Reading = Literal["mean", "median"]

PANELS_PER_ROW = 3
AGAINST_BEST_KNOWN = "against best known"
MOST_DOTS = 4000  # a figure with more runs shows their quartiles only


class Mark(NamedTuple):
    """The runs of one method on one problem, at one budget or in one dimension.

    center, low, high: mean and one standard deviation to either side, or median and quartiles.
    n_floor, n_negative, n_infinite: runs at or below the floor; those of them below zero; infinite ones.
    """

    position: float
    center: float
    low: float
    high: float
    n_runs: int
    n_floor: int = 0
    n_negative: int = 0
    n_infinite: int = 0


@dataclass(frozen=True, slots=True)
class Panel:
    """One problem: for each method its points, from left to right.

    is_best_known: whether regret is against the best worst case known, no optimum.
    """

    title: str
    series: Mapping[str, Sequence[Mark]]
    is_best_known: bool = False

    @property
    def points(self) -> list[Mark]:
        """The points of all methods."""
        return [point for series in self.series.values() for point in series]

    @property
    def note(self) -> str:
        """How many runs cannot be shown where they are, in words."""
        points = self.points
        counts = (sum(getattr(p, key) for p in points) for key in ("n_runs", "n_floor", "n_negative", "n_infinite"))
        return joined(AGAINST_BEST_KNOWN if self.is_best_known else "", floor_note(*counts))


def convergence(
    panels: Sequence[Panel],
    *,
    reading: Reading,
    styles: Styles | None = None,
    labels: Mapping[str, str] | None = None,
    x_label: str = "evaluations",
    legend: bool = True,
    width: float | None = None,
) -> Figure:
    """Draw regret over budgets, one panel per problem.

    reading "mean": as the paper draws it, mean and a band of one standard deviation. Where the band reaches
    zero, which a logarithmic axis cannot show, it ends at the lower edge with a triangle.
    reading "median": median and quartiles. width: in inches, in place of that for so many panels.
    """
    names = list(dict.fromkeys(name for panel in panels for name in panel.series))
    looks = look_of(names, styles)
    figure, grid = _grid(len(panels), legend_rows=-(-(len(names) + 1) // 4) if legend else 0, width=width)
    draw = _draw_means if reading == "mean" else _draw_medians
    for at, (axes, panel) in enumerate(zip(grid, panels, strict=True)):
        draw(axes, panel, looks, at)
        write_title(axes, panel.title, panel.note)
        label_ticks(axes, sorted({point.position for point in panel.points}))
        axes.set(xlabel=x_label, ylabel="regret")
    if legend:
        cut = Line2D([], [], color=INK, marker="v", markersize=4, linestyle="", label="band reaches zero or less")
        signs = [cut] if reading == "mean" else []
        draw_legend(figure, {name: looks[name] for name in names}, labels, columns=4, signs=signs)
    return figure


@dataclass(frozen=True, slots=True)
class RunsPanel:
    """One problem at one budget: for each method the regrets of its runs; `is_best_known` as in `Panel`."""

    title: str
    regrets: Mapping[str, Array]
    is_best_known: bool = False


def runs(
    panels: Sequence[RunsPanel],
    *,
    styles: Styles | None = None,
    labels: Mapping[str, str] | None = None,
    width: float | None = None,
) -> Figure:
    """Draw every run as a dot, with the median and the quartiles of each method; the smaller the better."""
    looks = look_of(list(dict.fromkeys(name for panel in panels for name in panel.regrets)), styles)
    has_dots = sum(r.size for panel in panels for r in panel.regrets.values()) <= MOST_DOTS
    heights = [0.75 + 0.3 * len(panel.regrets) for panel in panels]
    figure = new_figure(width or 8.4, sum(heights) + 0.2)
    grid = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]
    for at, (axes, panel) in enumerate(zip(grid, panels, strict=True)):
        everything = np.concatenate(list(panel.regrets.values()))
        scale = log_range(everything.tolist(), panel.is_best_known)
        dress(axes)
        axes.grid(visible=False, axis="y")
        dress_log(axes, "x", scale)
        rows = [(labels or {}).get(name, name) for name in panel.regrets]
        axes.set_yticks(range(len(rows)), rows, parse_math=False)
        for row, (name, regrets) in enumerate(panel.regrets.items()):
            _draw_runs(axes, scale, row, regrets, looks[name], f"{at}|{name}", has_dots)
        axes.set(ylim=(len(rows) - 0.5, -0.5), xlabel="regret")
        note = floor_note(everything.size, *count_off_scale(everything))
        write_title(axes, panel.title, joined(AGAINST_BEST_KNOWN if panel.is_best_known else "", note))
    return figure


def _grid(n: int, legend_rows: int, width: float | None) -> tuple[Figure, list[Axes]]:
    columns = min(n, PANELS_PER_ROW)
    rows = -(-n // columns)
    figure = new_figure(width or {1: 5.2, 2: 7.4}.get(columns, 9.6), 2.45 * rows + 0.22 * legend_rows + 0.15)
    grid: list[Axes] = list(figure.subplots(rows, columns, squeeze=False).ravel())
    for unused in grid[n:]:
        unused.remove()
    for axes in grid[:n]:
        dress(axes)
        axes.set_xscale("log")
    return figure, grid[:n]


def _side_by_side(x: Array, panel: Panel, place: int) -> Array:
    """Move the positions by a hair, so that methods that agree remain visible."""
    positions = [point.position for point in panel.points]
    reach = np.log10(max(positions) / min(positions)) or 1.0
    moved: Array = x * 10 ** (0.012 * reach * (place - (len(panel.series) - 1) / 2))
    return moved


def _draw_means(axes: Axes, panel: Panel, looks: Styles, at: int) -> None:
    points = panel.points
    scale = log_range([p.center for p in points] + [p.high for p in points], panel.is_best_known)
    if not scale.has_floor:
        scale = scale._replace(low=scale.low - 1)  # room for the bands that reach zero
    dress_log(axes, "y", scale)
    bottom = scale.limits[0]
    for place, (name, series) in enumerate(panel.series.items()):
        x, center, low, high = np.array([point[:4] for point in series], dtype=float).T
        look, is_cut = looks[name], low <= bottom  # a single run has no deviation, NaN, and nothing is cut
        y, upper = scale.place(center), scale.place(np.where(np.isnan(high), center, high))
        lower = np.where(is_cut, bottom, np.where(np.isnan(low), y, low))
        axes.fill_between(x, lower, upper, color=look.color, alpha=0.09, linewidth=0, gid=f"band|{at}|{name}")
        axes.plot(x, y, color=look.color, linestyle="--", linewidth=1.3, gid=f"line|{at}|{name}")
        axes.plot(x, y, look.marker, color=look.color, markersize=5, gid=f"points|{at}|{name}")
        if is_cut.any():
            edge = np.full(int(is_cut.sum()), bottom * (scale.limits[1] / bottom) ** 0.035)
            shifted = _side_by_side(x, panel, place)[is_cut]
            axes.plot(shifted, edge, color=look.color, marker=7, markersize=5, linestyle="", gid=f"cut|{at}|{name}")


def _draw_medians(axes: Axes, panel: Panel, looks: Styles, at: int) -> None:
    shown = (value for point in panel.points for value in (point.center, point.low, point.high))
    scale = log_range(shown, panel.is_best_known)
    dress_log(axes, "y", scale)
    for place, (name, series) in enumerate(panel.series.items()):
        x, center, low, high = np.array([point[:4] for point in series], dtype=float).T
        x = _side_by_side(x, panel, place)
        look, y, ends = looks[name], scale.place(center), scale.place(np.array([low, high]))
        axes.vlines(x, ends[0], ends[1], color=look.color, linewidth=1.6, alpha=0.6, gid=f"band|{at}|{name}")
        axes.plot(x, y, color=look.color, linewidth=1.3, gid=f"line|{at}|{name}")
        axes.plot(x, y, look.marker, color=look.color, markersize=5, gid=f"points|{at}|{name}")


def _draw_runs(
    axes: Axes, scale: LogRange, row: int, regrets: Array, look: MethodStyle, gid: str, has_dots: bool
) -> None:
    ordered = np.sort(regrets)
    quartiles = np.quantile(ordered, [0.25, 0.5, 0.75], method="inverted_cdf")  # three of the runs
    low, median, high = scale.place(quartiles)
    axes.plot([low, high], [row, row], color=look.color, linewidth=5, alpha=0.35, gid=f"band|{gid}")
    if has_dots:
        # Spread without chance: same runs, same figure.
        spread = row + 0.22 * np.sin(2.4 * np.arange(ordered.size))
        axes.plot(scale.place(ordered), spread, ".", color=look.color, markersize=3, alpha=0.7, gid=f"dots|{gid}")
    axes.plot(median, row, "|", color=INK, markersize=14, gid=f"tick|{gid}")
    axes.plot(median, row, look.marker, color=look.color, markersize=6, gid=f"points|{gid}")
