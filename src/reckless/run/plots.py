"""Pictures of one result: f(x, y) around the worst y, and how the estimate changed during the run.

Everything drawn was measured before. Matplotlib is imported here and in `panels`, and nowhere else in the library half,
when asked for. A picture has dark ink on a white ground of its own, so that it is readable on a page of any color.
"""

import warnings
from collections.abc import Sequence
from io import BytesIO
from math import ceil, isnan
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reckless.core.words import safe_repr
from reckless.errors import InvalidArgument
from reckless.run.panels import (
    ESTIMATED,
    FAILS,
    INK,
    OTHERS,
    REFUTED,
    WORST_CASE,
    F,
    View,
    draw_history,
    draw_scenarios,
    draw_slice,
    ground,
    limit_values,
    plain,
)

if TYPE_CHECKING:  # a result draws itself by this module
    from reckless.run.result import MinimaxResult, Slice, WorstCase

__all__ = ["Figure", "Picture", "draw_result"]

MOST_COLUMNS, MOST_SLICES = 3, 5
PANEL_SIZE, HEAD, KEY = (4.0, 2.9), 0.4, 0.35  # inches: of a panel, and the heights of what is above and below
LONGEST_NAME = 28  # characters of a name in a heading
SIGNS = (F, WORST_CASE, OTHERS, FAILS, ESTIMATED, REFUTED)  # in the order of the key


class Picture(Figure):
    """A figure that shows itself: a notebook calls `_repr_png_`. It is white on every page and under every style."""

    def _repr_png_(self) -> bytes:
        return to_png(self)

    def savefig(self, fname: Any, **options: Any) -> None:
        """Write the figure to a file as `matplotlib.figure.Figure.savefig` does, on its own ground."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from")  # of names in other scripts
            super().savefig(fname, **{"facecolor": "auto", **options})


def to_png(figure: Figure, scale: float = 1.0) -> bytes:
    """Return a figure as a PNG file; a scale of 2 is for screens of that many dots."""
    file = BytesIO()
    figure.savefig(file, format="png", dpi=scale * figure.dpi)
    return file.getvalue()


def draw_result(result: "MinimaxResult", axes: Any = None, names: Any = None) -> Figure:
    """Draw one panel per slice, at most `MOST_SLICES`, and one for the run itself; see `MinimaxResult.plot`."""
    slices = _measured(result.verification)
    shown = _most_important(slices)
    view = View(result, _read_names(names, result))
    if axes is None:
        panels = _own_panels(len(shown) + 1)
    else:
        panels = _read_axes(axes, [*(view.label(part) for part in shown), "the run"])
    _draw_slices(panels[:-1], shown, view)
    draw_history(panels[-1], view)
    figure = panels[-1].figure
    while not isinstance(figure, Figure):  # a part of the user's figure
        figure = figure.figure
    if axes is None:
        _explain(figure, panels, _headline(result), _choice_of(shown, slices, result))
    return figure


def _measured(verification: "WorstCase | None") -> tuple["Slice", ...]:
    """Return what there is to draw of a verification."""
    if verification is None:
        return ()
    return tuple(part for part in verification.get("scenarios") or verification.slices if part.at.size)


def _draw_slices(panels: Sequence[Axes], shown: Sequence["Slice"], view: View) -> None:
    limits, row = limit_values(shown, view), None
    for panel, part in zip(panels, shown, strict=True):
        if part.kind == "list":
            draw_scenarios(panel, part, view)
            continue
        draw_slice(panel, part, view)
        panel.set_ylim(*limits)
        place = panel.get_subplotspec()
        is_first, row = place is None or place.rowspan.start != row, None if place is None else place.rowspan.start
        if is_first:  # the scale of a row of panels is said once
            plain(panel.set_ylabel(F))
        else:
            panel.tick_params(labelleft=False)


def _own_panels(n: int) -> list[Axes]:
    """Return n panels of a figure of our own without a gap: the last one takes what is left of its row."""
    n_columns = 2 if n == 4 else min(n, MOST_COLUMNS)
    n_rows = ceil(n / n_columns)
    width = PANEL_SIZE[0] * n_columns if n > 1 else 1.5 * PANEL_SIZE[0]
    figure = Picture(figsize=(width, PANEL_SIZE[1] * n_rows + HEAD + KEY), layout="constrained", dpi=100)
    figure.set_facecolor("white")
    grid = figure.add_gridspec(n_rows, n_columns)
    panels = [figure.add_subplot(grid[k // n_columns, k % n_columns]) for k in range(n - 1)]
    panels.append(figure.add_subplot(grid[-1, (n - 1) % n_columns :]))
    for panel in panels:
        ground(panel)
    return panels


def _read_axes(axes: Any, wanted: list[str]) -> list[Axes]:
    """Return the user's axes, one for each of the panels wanted."""
    given = [axes] if isinstance(axes, Axes) else list(np.ravel(np.array(axes, dtype=object)))
    if not all(isinstance(panel, Axes) for panel in given):
        raise InvalidArgument(
            f"axes: expected matplotlib Axes, one or a sequence of them, but got {safe_repr(axes)}. For example "
            f"figure.subplots(1, {len(wanted)})."
        )
    if len(given) != len(wanted):
        raise InvalidArgument(
            f"axes: expected {len(wanted)} Axes, for {', '.join(wanted)}, but got {len(given)}. For example "
            f"figure.subplots(1, {len(wanted)})."
        )
    return given


def _read_names(names: Any, result: "MinimaxResult") -> tuple[str, ...] | None:
    """Return the labels of y that the user gave, if any."""
    if names is None:
        return None
    is_list = isinstance(names, Sequence | np.ndarray) and not isinstance(names, str | bytes)
    if not is_list or len(names) != result.y.size or not all(isinstance(name, str) for name in names):
        raise InvalidArgument(
            f"names: expected {result.y.size} texts, one for each coordinate of y, but got {safe_repr(names)}."
        )
    return tuple(str(name) for name in names)


def _most_important(slices: Sequence["Slice"]) -> list["Slice"]:
    """Return those along which f fails or changes most, in their order."""

    def importance(part: "Slice") -> tuple[bool, float]:
        finite = part.values[np.isfinite(part.values)]
        with np.errstate(over="ignore"):
            return finite.size < part.values.size, float(np.ptp(finite)) if finite.size else 0.0

    chosen = sorted(range(len(slices)), key=lambda i: importance(slices[i]), reverse=True)[:MOST_SLICES]
    return [slices[i] for i in sorted(chosen)]


def _choice_of(shown: Sequence["Slice"], slices: Sequence["Slice"], result: "MinimaxResult") -> str:
    """Say which coordinates are missing, if some are."""
    if not shown or shown[0].kind == "list" or len(shown) >= result.y.size:
        return ""
    if len(shown) == len(slices):
        return f"{len(shown)} of {result.y.size} coordinates of y"
    n_out = f", of {result.y.size}" if len(slices) < result.y.size else ""
    return f"the {len(shown)} of {len(slices)} measured coordinates of y that matter most{n_out}"


def _explain(figure: Figure, panels: Sequence[Axes], headline: str, choice: str) -> None:
    """Say above the panels what was found, and below them what the signs mean."""
    words = "\n".join(filter(None, (headline, choice)))
    figure.suptitle(words, fontsize=12, color=INK, x=0.01, ha="left", parse_math=False)
    signs: dict[str, Artist] = {}
    for panel in panels:
        signs.update({label: handle for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)})
    labels = sorted(signs, key=SIGNS.index)
    if signs:
        key = figure.legend(
            [signs[label] for label in labels],
            labels,
            loc="outside lower left",
            ncols=6,
            frameon=False,
            fontsize=9,
            handlelength=1.6,
        )
        for text in key.get_texts():
            text.set(color=INK, parse_math=False)


def _headline(result: "MinimaxResult") -> str:
    """Say in a few words what was found; of the method its name alone."""
    method = _short(result.method.partition("(")[0])
    if isnan(result.fun):
        return f"Nothing found by {method}"
    if result.verification is None:
        return f"Not verified; estimate {result.fun:.6g} by {method}"
    worst = result.verification.fun
    if result.refuted:
        estimate = f"{result.history[-1].fun:.6g}" if result.history else "nothing"
        return f"Refuted: worst case {worst:.6g}, estimate {estimate} by {method}"
    return f"Worst case found {worst:.6g}; estimate {result.fun:.6g} by {method}"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}\N{HORIZONTAL ELLIPSIS}"
