"""Runtime distributions as COCO draws them: the share of (run, target) pairs reached within a budget."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reckless.bench.figures.style import MethodStyle, Styles, draw_legend, dress, label_ticks, look_of, new_figure
from reckless.core.arrays import Array


class EcdfCurve(NamedTuple):
    """One method: after `evaluations[i]` it has reached `share[i]` of all targets in all runs."""

    method: str
    evaluations: Array  # (m,), increasing
    share: Array  # (m,), from 0 to 1


def runtime_ecdf(
    curves: Sequence[EcdfCurve],
    *,
    horizon: float,
    styles: Styles | None = None,
    labels: Mapping[str, str] | None = None,
    legend: bool = True,
) -> Figure:
    """Draw the share of targets reached over evaluations, up to the budget `horizon`; higher is better."""
    names = [curve.method for curve in curves]
    looks = look_of(names, styles)
    figure = new_figure(6.4 if legend else 5.2, 3.4 + (0.22 * -(-len(names) // 3) if legend else 0.0))
    axes = figure.add_subplot()
    dress(axes)
    axes.set_xscale("log")
    _label_evaluations(axes, curves, horizon)
    for at, curve in enumerate(curves):
        _draw_curve(axes, curve, looks[curve.method], horizon, at)
    axes.set(ylim=(-0.02, 1.02), xlabel="evaluations", ylabel="share of targets reached")
    if legend:
        draw_legend(figure, {name: looks[name] for name in names}, labels, columns=3)
    return figure


def _label_evaluations(axes: Axes, curves: Sequence[EcdfCurve], horizon: float) -> None:
    first = min((float(c.evaluations[0]) for c in curves if c.evaluations.size), default=1.0)
    low, high = max(1.0, first), max(horizon, 2 * first)
    axes.set_xlim(low, high)
    digits = (1.0,) if high >= 1000.0 * low else (1.0, 2.0, 5.0)  # powers of ten alone would be too few
    label_ticks(axes, [d * 10.0**e for e in range(10) for d in digits if low <= d * 10.0**e <= high])


def _draw_curve(axes: Axes, curve: EcdfCurve, look: MethodStyle, horizon: float, at: int) -> None:
    n = curve.evaluations.size
    x, y = np.append(curve.evaluations, horizon), np.append(curve.share, curve.share[-1] if n else 0.0)
    axes.step(x, y, where="post", color=look.color, linewidth=1.5, gid=f"line|0|{curve.method}")
    # A few markers, at other places for each method.
    marks = np.unique(np.minimum(n, n * np.arange(9) // 8 + at % 3))
    gid = f"points|0|{curve.method}"
    axes.plot(x[marks], y[marks], look.marker, color=look.color, markersize=4.5, clip_on=False, gid=gid)
