"""The picture that explains minimax: f over x and y, the ridge of worst y, the worst-case curve above."""

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reckless.bench.figures.style import COLORS, INK, MUTED, draw_key, dress, new_figure
from reckless.core.arrays import Array

PATH, BEST = COLORS[1], COLORS[0]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Landscape:
    """A problem with one x and one y on a grid, and points that runs found.

    x (m,), y (p,), values (p, m): f on the grid.
    worst_y (m,), worst_case (m,): for each x the y that is worst, and f there.
    found_x, found_y (r,): points that runs found, each with the y that the run believed worst.
    found_worst (r,): what the worst case of those x really is.
    found_label: what they are. is_path: whether one run found them one after the other.
    best_x, best_value: the minimax point.
    """

    x: Array
    y: Array
    values: Array
    worst_y: Array
    worst_case: Array
    found_x: Array
    found_y: Array
    found_worst: Array
    found_label: str
    is_path: bool
    best_x: float
    best_value: float


def minimax_picture(landscape: Landscape, *, title: str = "") -> Figure:
    """Draw the worst case of every x with its minimum above, and below f as a map with its ridge."""
    figure = new_figure(7.0, 5.6)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(1.0, 1.55))
    data = landscape
    dress(upper)
    upper.plot(data.x, data.worst_case, color=INK, linewidth=1.6, gid="worst-case")
    upper.axvline(data.best_x, color=BEST, linewidth=1.0, linestyle=":")
    upper.plot(data.found_x, data.found_worst, "o", color=PATH, markersize=4, gid="found-worst")
    upper.plot(data.best_x, data.best_value, "*", color=BEST, markersize=13, gid="best")
    upper.set_ylabel("worst case\nF(x) = max over y of f(x, y)")
    upper.set_title(title, loc="left", fontsize=9, color=INK)
    _draw_map(figure, lower, data)
    _write_key(figure, data)
    upper.set_xlim(float(data.x[0]), float(data.x[-1]))
    upper.margins(y=0.08)
    return figure


def _draw_map(figure: Figure, lower: Axes, data: Landscape) -> None:
    dress(lower)
    lower.grid(visible=False)
    extent = (float(data.x[0]), float(data.x[-1]), float(data.y[0]), float(data.y[-1]))
    image = lower.imshow(
        data.values, origin="lower", aspect="auto", extent=extent, cmap="cividis", interpolation="none", gid="heat"
    )
    # Dots, not a line: where the worst y jumps from one end to the other nothing is drawn across.
    lower.plot(data.x, data.worst_y, ".", color="white", markersize=4, clip_on=False, gid="ridge")
    lower.axvline(data.best_x, color="white", linewidth=1.0, linestyle=":")
    if data.is_path:
        lower.plot(data.found_x, data.found_y, color=PATH, linewidth=0.9, alpha=0.8)
    lower.plot(data.found_x, data.found_y, "o", color=PATH, markersize=4.5, markeredgecolor="white", gid="found")
    lower.set_ylim(*extent[2:])
    lower.set(xlabel="x, chosen by the designer", ylabel="y, chosen by the adversary")
    bar = figure.colorbar(image, ax=lower, pad=0.01, aspect=24)
    bar.outline.set_edgecolor(MUTED)
    bar.ax.tick_params(labelsize=7, colors=MUTED, labelcolor=INK)
    bar.set_label("f(x, y)", fontsize=8, color=INK)


def _write_key(figure: Figure, data: Landscape) -> None:
    kinds: dict[str, tuple[str, str, float]] = {  # label: color, marker, line width
        "worst case of every x": (INK, "", 1.6),
        "ridge: the worst y of every x (white)": (MUTED, ".", 0.0),
        data.found_label: (PATH, "o", 0.9 if data.is_path else 0.0),
        "the minimax point": (BEST, "*", 0.0),
    }
    handles = [
        Line2D([], [], label=label, color=color, marker=marker, linewidth=width, linestyle="-" if width else "")
        for label, (color, marker, width) in kinds.items()
    ]
    draw_key(figure, handles, columns=2)
