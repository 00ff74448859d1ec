"""Regrets on a logarithmic axis: what has no logarithm is drawn on a labeled floor, never dropped.

Zero, negative and immeasurably small regrets are drawn in a shaded strip below `REGRET_FLOOR`; infinite ones,
of answers without a bound and of runs without an answer, in a strip above everything else.
"""

from collections.abc import Iterable
from math import ceil, floor, inf, isfinite, log10
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from reckless.bench.figures.style import INK, REGRET_FLOOR, SHADE, power, shorten
from reckless.core.arrays import Array

STRIP = 0.09  # height of a strip as a share of the decades shown
LARGEST_DECADE = 308


class LogRange(NamedTuple):
    """The decades that an axis shows, 10**low to 10**high, and whether strips lie below and above them."""

    low: int
    high: int
    has_floor: bool
    has_ceiling: bool

    @property
    def strip(self) -> float:
        """The height of one strip in decades."""
        return max(STRIP * (self.high - self.low), 0.25)

    @property
    def limits(self) -> tuple[float, float]:
        low = self.low - self.strip if self.has_floor else self.low
        high = self.high + self.strip if self.has_ceiling else self.high
        return _ten_to(low), _ten_to(high)

    def place(self, values: Array) -> Array:
        """Return where to draw the values: in a strip if they lie beyond the decades, else unchanged."""
        at_floor, at_ceiling = _ten_to(self.low - self.strip / 2), _ten_to(self.high + self.strip / 2)
        placed = np.where(values <= REGRET_FLOOR, at_floor, values) if self.has_floor else values
        return np.where(np.isposinf(values), at_ceiling, placed)


def _ten_to(decade: float) -> float:
    """Return a power of ten, at most the largest that a float holds."""
    return float(10.0 ** min(decade, LARGEST_DECADE))


class OffScale(NamedTuple):
    """How many runs lie at or below the floor, how many of those below zero, and how many are infinite."""

    n_floor: int
    n_negative: int
    n_infinite: int


def count_off_scale(regrets: Array) -> OffScale:
    """Count the runs that a logarithmic axis cannot show."""
    beyond = (regrets <= REGRET_FLOOR, regrets < 0.0, np.isposinf(regrets))
    return OffScale(*(int(mask.sum()) for mask in beyond))


def log_range(values: Iterable[float], is_best_known: bool = False) -> LogRange:
    """Return the range that shows all these values.

    is_best_known: some are 0 whatever the runs are, so the strip of these begins right below the others.
    """
    shown = list(values)
    positive = [v for v in shown if isfinite(v) and v > REGRET_FLOOR]
    has_floor = any(v <= REGRET_FLOOR for v in shown)
    high = ceil(log10(max(positive)) + 0.1) if positive else -12
    low = floor(log10(min(positive)) - 0.1) if positive else -15
    if has_floor and not (is_best_known and positive):
        low = round(log10(REGRET_FLOOR))
    return LogRange(low, max(high, low + 1), has_floor, has_ceiling=inf in shown)


def dress_log(axes: Axes, which: str, scale: LogRange) -> None:
    """Make the axis logarithmic, with its strips shaded and labeled."""
    axis, span = (axes.xaxis, axes.axvspan) if which == "x" else (axes.yaxis, axes.axhspan)
    axes.set(**{f"{which}scale": "log", f"{which}lim": scale.limits})
    step = max(1, -(-(scale.high - scale.low) // 5))  # decades between two labels
    lowest = scale.low + scale.strip if scale.has_floor else scale.low
    highest = scale.high - scale.strip if scale.has_ceiling else scale.high
    labels = {_ten_to(e): power(e) for e in range(scale.high, scale.low - 1, -step) if lowest <= e <= highest}
    if scale.has_floor:
        span(scale.limits[0], _ten_to(scale.low), color=SHADE, linewidth=0, zorder=0)
        labels[_ten_to(scale.low - scale.strip / 2)] = f"≤ {power(scale.low)}"
    if scale.has_ceiling:
        span(_ten_to(scale.high), scale.limits[1], color=SHADE, linewidth=0, zorder=0)
        labels[_ten_to(scale.high + scale.strip / 2)] = "infinite"
    axis.set_ticks(sorted(labels), [labels[place] for place in sorted(labels)])
    axes.minorticks_off()


def floor_note(n_runs: int, n_floor: int, n_negative: int, n_infinite: int) -> str:
    """Say how many runs have no logarithm; nothing if there are none."""
    notes = []
    if n_floor:
        negative = f", {n_negative} negative" if n_negative else ""
        notes.append(f"{n_floor} of {n_runs} runs ≤ {power(round(log10(REGRET_FLOOR)))}{negative}")
    if n_infinite:
        notes.append(f"{n_infinite} infinite")
    return joined(*notes)


def joined(*notes: str) -> str:
    """Return those of the notes that say something as one."""
    return "; ".join(note for note in notes if note)


def write_title(axes: Axes, title: str, note: str) -> None:
    """Write the name of the panel and, in small letters below it, its note."""
    axes.set_title(shorten(title), loc="left", fontsize=9, color=INK, pad=14 if note else 6, parse_math=False)
    if note:
        axes.text(0.0, 1.02, note, transform=axes.transAxes, fontsize=7, color=INK, va="bottom", gid="note")
