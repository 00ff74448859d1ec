"""The panels of a picture: f along a line through the worst y, the worst of a list of scenarios, and the run itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.text import Text
from matplotlib.ticker import Formatter, MaxNLocator
from matplotlib.transforms import ScaledTranslation

from reckless.core.arrays import Array, Flags
from reckless.core.sense import Sense, sense_of
from reckless.domains.labels import Legend, shown_value
from reckless.run.html import legend_in

if TYPE_CHECKING:
    from reckless.run.result import MinimaxResult, Slice, WorstCase

INK, MUTED, GRID = "#24292f", "#57606a", "#dfe3e8"
CURVE, WORST, ESTIMATE, FAILED = "#0072b2", "#d55e00", "#007a5a", "#b3122a"
F, WORST_CASE, OTHERS, FAILS = "f(x, y)", "worst case", "other worst cases", "failed"  # what the signs are called
ESTIMATED, REFUTED = "estimate", "estimate, refuted later"
BAND = 0.07  # part of a panel's height where failures are drawn, beyond all numbers
MOST_BARS = 10
MOST_TICKS = 10
LONGEST_TICK = 9  # characters
LONGEST_LABEL = 28  # characters; more would run into the next panel
SAME = 1e-6  # part of an estimate by which another must be worse to refute it


@dataclass(frozen=True, slots=True)
class View:
    """A result, and what its coordinates of y are called if the user says so."""

    result: "MinimaxResult"
    names: tuple[str, ...] | None = None

    @property
    def worst(self) -> "WorstCase":
        """The verification that measured the slices."""
        assert self.result.verification is not None
        return self.result.verification

    @property
    def sense(self) -> Sense:
        return sense_of(self.result.maximin)

    @property
    def band(self) -> tuple[float, float]:
        """The edge where bad values beyond all numbers are drawn, as parts of a panel's height."""
        return (0.0, BAND) if self.sense.is_turned else (1.0 - BAND, 1.0)

    def failed(self, part: "Slice") -> Flags:
        """Return where f failed or is infinitely bad: as bad as can be, whatever the policy."""
        return self.sense.is_worst(part.values)

    @property
    def legend(self) -> Legend:
        """Names, units and words of y."""
        return legend_in(self.result, "y")

    def label(self, part: "Slice") -> str:
        """Return what the axis of a slice is called."""
        label = part.label if self.names is None or part.coordinate is None else self.names[part.coordinate]
        return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}\N{HORIZONTAL ELLIPSIS}"


class Distinct(Formatter):
    """Labels of a scale, with as few digits as tell them apart."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        return f"{x:.6g}"

    def format_ticks(self, values: list[float]) -> list[str]:
        largest = max(map(abs, values), default=0.0)
        values = [0.0 if abs(value) < 1e-9 * largest else value for value in values]
        for digits in range(len(f"{largest:.0f}") if 1000.0 <= largest < 1e6 else 3, 17):
            labels = [f"{value:.{digits}g}" for value in values]
            if len(set(labels)) == len(set(values)):
                break
        if max(map(len, labels), default=0) > LONGEST_TICK:  # they would run into each other
            inside = [k for k, value in enumerate(values) if self._is_seen(value)]
            labels = [label if k in (inside[:1] + inside[-1:]) else "" for k, label in enumerate(labels)]
        return labels

    def _is_seen(self, value: float) -> bool:
        low, high = (-np.inf, np.inf) if self.axis is None else sorted(self.axis.get_view_interval())
        return bool(low <= value <= high)


def limit_values(slices: Sequence["Slice"], view: View) -> tuple[float | None, float | None]:
    """Choose one scale for all slices, so that they can be compared; matplotlib's own if nothing is finite."""
    parts = [part for part in slices if part.kind != "list"]
    values = np.concatenate([part.values for part in parts]) if parts else np.empty(0)
    values = values[np.isfinite(values)]
    if not values.size or not isfinite(values.max() - values.min()):
        return None, None
    low, high = float(values.min()), float(values.max())
    margin = 0.08 * (high - low) or 0.5 * abs(high) or 1.0
    room = margin + (1.5 * BAND * (high - low) if any(view.failed(part).any() for part in parts) else 0.0)
    return (low - room, high + margin) if view.sense.is_turned else (low - margin, high + room)


def draw_slice(panel: Axes, part: "Slice", view: View) -> None:
    """Draw f along a line, the worst y on it, the other worst cases beside it, and where f fails."""
    worst, edge, at_edge = view.worst.fun, sum(view.band) / 2, panel.get_xaxis_transform()
    failed, finite = view.failed(part), np.where(np.isfinite(part.values), part.values, np.nan)
    if part.kind == "log":
        panel.set_xscale("log")
    else:
        panel.xaxis.set_major_formatter(Distinct())
    panel.yaxis.set_major_formatter(Distinct())
    if not _is_line(part):
        _tick_points(panel, part, view.legend)
    style = "o" if not _is_line(part) else ".-" if failed.any() else "-"  # dots: a value between failures is no line
    panel.plot(_placed(part, part.at), finite, style, color=CURVE, ms=4, lw=1.6, label=F)
    _draw_failures(panel, part, view)
    if isfinite(worst):
        panel.axhline(worst, color=WORST, lw=0.9, ls="--")
        _draw_active(panel, part, view)
        panel.plot([_placed(part, part.here)], [worst], "o", color=WORST, ms=7, zorder=4, ls="", label=WORST_CASE)
    elif view.sense.turn(worst) > 0.0:
        panel.plot(
            [_placed(part, part.here)],
            [edge],
            "o",
            color=INK,
            ms=6,
            zorder=4,
            ls="",
            transform=at_edge,
            label=WORST_CASE,
        )
    if np.isnan(finite).all():
        panel.set_yticks([])
    plain(panel.set_xlabel(view.label(part)))


def _is_line(part: "Slice") -> bool:
    """Tell whether there is something between the points."""
    return part.kind in ("linear", "log")


def _placed(part: "Slice", values: Any) -> Array:
    """Return where values of the coordinate of a slice are drawn: choices stand side by side, whatever their values."""
    places: Array = np.searchsorted(part.at, values) if part.kind == "choices" else np.asarray(values)
    return places


def _tick_points(panel: Axes, part: "Slice", legend: Legend) -> None:
    """Name each of a few single points, with the user's words for a choice; of many integers, some."""
    if part.at.size > MOST_TICKS and part.kind != "choices":
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
        return
    at, i = part.at[:: -(-part.at.size // MOST_TICKS)], part.coordinate
    words = Distinct().format_ticks(at.tolist()) if i is None else [shown_value(legend, i, v) for v in at.tolist()]
    panel.set_xticks(_placed(part, at), words)
    for text in panel.get_xticklabels():
        plain(text)


def _draw_active(panel: Axes, part: "Slice", view: View) -> None:
    """Draw the other worst cases where the line's coordinate has their value; they lie beside the line."""
    if part.coordinate is None:
        return
    cases = [case for case in view.result.get("active") or () if isfinite(case.fun)]
    places = [(float(case.y[part.coordinate]), float(case.fun)) for case in cases]
    others = [(y, fun) for (y, fun), case in zip(places, cases, strict=True) if not _is_worst(case.y, view)]
    if others:
        at, values = zip(*others, strict=True)
        panel.plot(_placed(part, at), values, "o", mfc="white", mec=WORST, mew=1.6, ms=7, ls="", zorder=3, label=OTHERS)


def _is_worst(y: Array, view: View) -> bool:
    return np.array_equal(y, view.worst.y)


def _draw_failures(panel: Axes, part: "Slice", view: View) -> None:
    """Draw a band where f fails: over dots for each of them, along a line as far as halfway to its neighbors."""
    failed, low_high = view.failed(part), view.band
    if not failed.any():
        return
    at = np.log(part.at) if part.kind == "log" else _placed(part, part.at)
    borders = np.concatenate((at[:1], (at[1:] + at[:-1]) / 2.0, at[-1:]))
    if not _is_line(part):
        borders = np.concatenate((at[:1] - 0.5, borders[1:-1], at[-1:] + 0.5))
    borders = np.exp(borders) if part.kind == "log" else borders
    steps = np.flatnonzero(np.diff(np.concatenate(([False], failed, [False])).astype(int)))
    for k, (start, end) in enumerate(zip(steps[::2], steps[1::2], strict=True)):
        label = FAILS if k == 0 else None
        panel.axvspan(borders[start], borders[end], *low_high, color=FAILED, lw=0, label=label)


def draw_scenarios(panel: Axes, part: "Slice", view: View) -> None:
    """Draw the worst scenarios of a list as bars, with their row numbers; each begins at the best one of all."""
    sense, failed = view.sense, view.failed(part)
    bad = np.where(failed, np.inf, sense.turn(part.values))
    rows = np.argsort(-bad, kind="stable")[:MOST_BARS]
    finite = part.values[np.isfinite(part.values)]
    best = float(sense.turn(sense.turn(finite).min())) if finite.size else 0.0
    worst = float(sense.turn(sense.turn(finite).max())) if finite.size else 1.0
    end = worst + (0.05 * (worst - best) or (-1.0 if sense.is_turned else 1.0))
    lengths = np.where(failed[rows], end, part.values[rows]) - best
    active = {float(case.row) for case in view.result.get("active") or () if getattr(case, "row", None) is not None}
    for k, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        is_bad, is_active = failed[row], part.at[row] == part.here or part.at[row] in active
        color = FAILED if is_bad else WORST if is_active else CURVE
        label = FAILS if is_bad else WORST_CASE if is_active else F
        panel.barh(k, length if isfinite(length) else 0.0, left=best, height=0.7, color=color, label=label)
    panel.set_yticks(range(rows.size), [f"row {part.at[row]:.0f}" for row in rows])
    panel.invert_yaxis()
    panel.grid(visible=False, axis="y")
    panel.xaxis.set_major_formatter(Distinct())
    plain(panel.set_xlabel(F))
    n = f"the {rows.size} worst of " if rows.size < part.at.size else ""
    _head(panel, f"{n}{part.at.size:,} scenarios")


def draw_history(panel: Axes, view: View) -> None:
    """Draw estimates that no later one refuted as a line, up to the value of the result; refuted ones as dots."""
    result = view.result
    _head(panel, "the run: estimate of the worst case")
    plain(panel.set_xlabel("evaluations"))
    panel.yaxis.set_major_formatter(Distinct())
    counts, values, held = _estimates(view)
    if not counts.size:
        words = "no finite estimate" if result.history else "no recommendation"
        panel.text(0.5, 0.5, words, transform=panel.transAxes, ha="center", color=_ink(panel))
        panel.set_xticks([])
        panel.set_yticks([])
        return
    panel.step(counts[held], values[held], where="post", color=ESTIMATE, lw=1.8, label=ESTIMATED)
    if not held.all():
        panel.plot(counts[~held], values[~held], ".", color=_ink(panel), alpha=0.7, ms=5, label=REFUTED)
    if isfinite(result.fun):
        panel.plot(counts[-1:], values[-1:], "o", color=ESTIMATE, ms=6)
    else:
        place = panel.get_xaxis_transform()
        panel.plot([max(1, result.nfev)], [sum(view.band) / 2], "x", color=FAILED, ms=7, mew=2, transform=place)
    level = np.nan if result.verification is None else result.verification.fun
    if isfinite(level):
        panel.axhline(level, color=WORST, lw=0.9, ls="--")
        place = panel.get_yaxis_transform() + ScaledTranslation(0.0, 3.0 / 72.0, panel.figure.dpi_scale_trans)
        panel.text(1.0, level, "verification", color=WORST, size=9, ha="right", transform=place)
    _scale(panel, counts, np.append(values, level) if isfinite(level) else values)


def _estimates(view: View) -> tuple[Array, Array, Flags]:
    """Return when there was which finite estimate, and whether it held: whether none that came later is worse.

    A method recommends the best x it knows, so a worse estimate means that those before it were found to be wrong.
    """
    result = view.result
    moments = [(moment.nfev, moment.fun) for moment in result.history]
    moments.append((result.nfev, result.fun))
    counts, values = np.array(moments, dtype=np.float64).T
    bad = view.sense.turn(values)
    later = np.maximum.accumulate(np.where(np.isnan(bad), -np.inf, bad)[::-1])[::-1]
    with np.errstate(invalid="ignore"):
        held = bad >= later - SAME * np.abs(later)
    is_finite = np.isfinite(values)
    return np.maximum(counts[is_finite], 1.0), values[is_finite], held[is_finite]


def _scale(panel: Axes, counts: Array, values: Array) -> None:
    """Choose logarithmic scales where numbers of very different size meet."""
    if counts[-1] > 30.0 * counts[0]:
        panel.set_xscale("log")
    elif counts[-1] == counts[0]:
        panel.set_xlim(0.0, 1.1 * counts[0])
    if values.min() > 0.0 and values.max() > 100.0 * values.min():
        panel.set_yscale("log")


def ground(panel: Axes) -> None:
    """Give a panel of ours its colors, whatever the style in force."""
    panel.set_facecolor("white")
    panel.grid(color=GRID, lw=0.6)
    panel.set_axisbelow(True)
    panel.tick_params(colors=MUTED, labelsize=9)
    for label in (panel.xaxis.label, panel.yaxis.label):
        label.set(color=INK, fontsize=10)
    for side, spine in panel.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(GRID)


def plain(text: Text) -> None:
    """Show a text as it is: a dollar sign in a name begins no formula."""
    text.set_parse_math(False)


def _ink(panel: Axes) -> Any:
    """Return the color of letters, which on Axes of the user's is that of a style."""
    return panel.xaxis.label.get_color()


def _head(panel: Axes, words: str) -> None:
    plain(panel.set_title(words, fontsize=10, color=_ink(panel), loc="left"))
