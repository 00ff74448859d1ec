"""Draw the pictures of docs/how-it-works.md: python benchmarks/draw_methods.py [folder] [png].

descent-trace is a real run of `danskin`: draw it again after a change of the method. The others are drawn by formulas.
"""

import sys
from pathlib import Path
from typing import NamedTuple

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reckless import MinimaxResult, minimax
from reckless.bench.problems import Problem, problem
from reckless.core.task import TraceRow
from reckless.methods.danskin.diagnosis import Cause

BLUE, ORANGE, GREEN, GRAY, RED, PURPLE = "#1f6fb4", "#d9730d", "#2d8a4e", "#8a8a8a", "#c0392b", "#7d3c98"
STYLE = {
    "svg.hashsalt": "danskin",
    "svg.fonttype": "path",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def two_peaks(x: float, y: np.ndarray) -> np.ndarray:
    left = (1.0 - 0.9 * x) * np.exp(-(((y - 0.25) / 0.13) ** 2))
    right = (0.25 + 0.75 * x) * np.exp(-(((y - 0.75) / 0.13) ** 2))
    return left + right


def draw_swap() -> Figure:
    """Two maxima that swap: f over y at three x, and the worst case over x."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.2), layout="constrained")
    y = np.linspace(0.0, 1.0, 400)
    for x, color in ((0.15, BLUE), (0.4545, GREEN), (0.85, ORANGE)):
        values = two_peaks(x, y)
        left.plot(y, values, color=color, label=f"x = {x:.2f}")
        left.plot(y[values.argmax()], values.max(), "o", color=color)
    values = two_peaks(0.4545, y)
    left.plot(0.75, values[np.abs(y - 0.75).argmin()], "o", color=GREEN)
    left.set(xlabel="y", ylabel="f(x, y)", title="the adversary's view: f over y")
    left.legend(frameon=False)
    x = np.linspace(0.0, 1.0, 300)
    right.plot(x, 1.0 - 0.9 * x, "--", color=BLUE, label="at the left peak")
    right.plot(x, 0.25 + 0.75 * x, "--", color=ORANGE, label="at the right peak")
    right.plot(x, np.maximum(1.0 - 0.9 * x, 0.25 + 0.75 * x), color="black", lw=2, label="worst case F")
    right.plot(0.4545, 0.5909, "o", color=GREEN)
    right.annotate(
        "both are worst here:\none slope alone says\nthere is farther to go",
        (0.4545, 0.59),
        (0.28, 0.05),
        arrowprops={"arrowstyle": "->"},
        fontsize=9,
    )
    right.set(xlabel="x", ylabel="F(x)", title="your view: the worst case over x", ylim=(0.0, 1.5))
    right.legend(frameon=False, loc="upper center")
    return figure


def ridge(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return 1.0 + 0.6 * x - np.where(y < x, 3.0 * (x - y), y - x)


def draw_bundle() -> Figure:
    """A step against all pieces at once: the pieces, the model, the trust region, the step."""
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    x = np.linspace(-0.1, 1.1, 400)
    pieces = (
        (0.25 + 1.2 * (x - 0.75) ** 2, lambda z: 0.25 + 1.2 * (z - 0.75) ** 2, lambda z: 2.4 * (z - 0.75), BLUE),
        (0.2 + 0.9 * (x - 0.12) ** 2, lambda z: 0.2 + 0.9 * (z - 0.12) ** 2, lambda z: 1.8 * (z - 0.12), ORANGE),
    )
    at, radius = 0.2, 0.42
    lines = []
    for values, value, slope, color in pieces:
        axes.plot(x, values, color=color, alpha=0.45)
        line = value(at) + slope(at) * (x - at)
        lines.append(line)
        axes.plot(x, line, "--", color=color, lw=1)
    axes.plot(x, np.maximum(pieces[0][0], pieces[1][0]), color="black", lw=2, label="worst case F")
    bend = 1.6
    model = np.maximum(lines[0], lines[1]) + 0.5 * bend * (x - at) ** 2
    axes.plot(x, model, color=GREEN, lw=2, label="model: all pieces, plus curvature")
    inside = np.abs(x - at) <= radius
    step = x[inside][model[inside].argmin()]
    axes.axvspan(at - radius, at + radius, color=GRAY, alpha=0.12, lw=0, label="trust region")
    axes.plot(at, max(value(at) for _, value, _, _ in pieces), "o", color="black")
    axes.annotate("x", (at, max(value(at) for _, value, _, _ in pieces)), (at + 0.02, 0.65))
    axes.plot(step, model[inside].min(), "o", color=GREEN)
    axes.annotate("x + d", (step, model[inside].min()), (step - 0.035, model[inside].min() + 0.07))
    axes.set(xlabel="x", ylabel="value", xlim=(-0.1, 1.1), ylim=(0.0, 1.1), title="one step against every maximizer")
    axes.legend(frameon=False, loc="upper center", fontsize=9)
    return figure


def hill(x: float | np.ndarray, y: np.ndarray) -> np.ndarray:
    """A worst case F(x) = 0.62 + 1.1 (x - 0.8)^2 whose maximizer moves along y = 0.2 + 0.6 x."""
    return 0.12 + 1.1 * (x - 0.8) ** 2 + 0.5 * np.cos(3.2 * (y - 0.2 - 0.6 * x))


def draw_peak() -> Figure:
    """What one learned quadratic tells: what is left to climb, where y goes, and the cut on F."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.4), layout="constrained")
    at, d, h = 0.2, 0.2, 1e-4
    y0 = 0.12
    value = float(hill(at, np.array(y0)))
    around = hill(at, y0 + h * np.array([-1.0, 0.0, 1.0]))
    slope, bend = (around[2] - around[0]) / (2 * h), (around[2] - 2 * around[1] + around[0]) / h**2
    s = -slope / bend
    gain = 0.5 * slope * s
    y = np.linspace(0.0, 0.8, 300)
    left.plot(y, hill(at, y), color=BLUE, lw=2, label="f(x, y)")
    left.plot(y, hill(at + d, y), color=ORANGE, lw=2, label="f(x + d, y)")
    near = np.linspace(y0 - 0.1, y0 + s + 0.15, 100)
    left.plot(near, value + slope * (near - y0) + 0.5 * bend * (near - y0) ** 2, "--", color=GREEN, label="model by H")
    left.plot(y0, value, "o", color="black")
    left.plot(y0 + s, value + gain, "o", color=GREEN)
    moved = y0 + s + 0.6 * d
    left.plot(moved, hill(at + d, np.array(moved)), "o", color=ORANGE)
    left.annotate("y", (y0, value), (y0 - 0.045, value + 0.02))
    left.annotate("its top, by H", (y0 + s, value + gain), (0.02, 1.2), arrowprops={"arrowstyle": "->"}, fontsize=9)
    left.annotate(
        "where y goes\nwith x, by M",
        (moved, float(hill(at + d, np.array(moved)))),
        (0.6, 0.98),
        arrowprops={"arrowstyle": "->"},
        fontsize=9,
    )
    left.set(xlabel="y", ylabel="value", title="over y: two moves without an evaluation", ylim=(0.2, 1.3))
    left.legend(frameon=False, loc="lower center", fontsize=9)
    x = np.linspace(0.0, 0.8, 300)
    right.plot(x, 0.62 + 1.1 * (x - 0.8) ** 2, color="black", lw=2, label="worst case F")
    right.plot(x, hill(x, np.array(y0)), color=BLUE, ls=":", lw=1.5, label="f with y held fixed")
    cut = value + gain + 2.2 * (at - 0.8) * (x - at)
    right.plot(x, cut, "--", color=GREEN, lw=1, label="cut: at the top of the model")
    right.plot(x, cut + 0.9 * (x - at) ** 2, color=GREEN, lw=2, label="the same, bent by B")
    right.plot(at, value, "o", color="black")
    right.annotate("", (at, value + gain), (at, value), arrowprops={"arrowstyle": "->"})
    right.annotate("left to climb", (at, value), (0.02, value - 0.14), fontsize=9)
    right.set(xlabel="x", ylabel="value", title="over x: what the peak says about F", ylim=(0.2, 1.6))
    right.legend(frameon=False, loc="upper right", fontsize=9)
    return figure


PROBLEM, SEED, MAXFEV = "chebyshev:n=4", 2, 1_500  # as in the command of the page
LEAST = 1e-12  # regrets below are drawn here
MARKERS = {  # by event: label, marker, color
    "accepted": ("accepted", "o", GREEN),
    Cause.MISSING.value: ("a maximizer was missing", "^", ORANGE),
    Cause.STALE.value: ("a slope was not measured here", "s", BLUE),
    Cause.ANSWER.value: ("y did not answer as foretold", "D", PURPLE),
    Cause.SUDDEN.value: ("F rose by more than slopes allow", "v", PURPLE),
    Cause.UNVERIFIED.value: ("maximizers doubted", "P", RED),
    Cause.MODEL.value: ("the model reaches too far", "x", RED),
}


class Track(NamedTuple):
    """How the recommendation changed: when, its true regret, and the regret by its estimate."""

    nfev: np.ndarray
    truth: np.ndarray
    estimate: np.ndarray

    def at(self, nfev: int, values: np.ndarray) -> float:
        return float(values[np.searchsorted(self.nfev, nfev, side="right") - 1])


def track(given: Problem, result: MinimaxResult) -> Track:
    assert given.worst_case is not None
    X = np.array([step.x for step in result.history])
    best = given.optimum.value
    estimate = np.array([step.fun for step in result.history]) - best
    truth = given.worst_case(X)[0] - best
    return Track(np.array([step.nfev for step in result.history]), truth, estimate)


def first_descent(result: MinimaxResult) -> list[TraceRow]:
    """Return the steps of the first descent: those before another one starts."""
    starts = [k for k, row in enumerate(result.trace) if row.phase == "start"]
    return [row for row in result.trace[: [*starts, None][1]] if row.phase == "descend"]


def draw_trace() -> Figure:
    """The trace of one run: the regret with the events of its descent, and the radius."""
    given = problem(PROBLEM)
    result = minimax(
        given.function,
        given.x_bounds,
        given.y_bounds,
        maxfev=MAXFEV,
        method="danskin",
        rng=SEED,
        vectorized=True,
        trace=True,
    )
    path = track(given, result)
    rows = first_descent(result)
    figure, (upper, lower) = plt.subplots(
        2, 1, figsize=(8.4, 5.4), sharex=True, height_ratios=(2.2, 1.0), layout="constrained"
    )
    last = rows[-1].nfev
    nfev = np.append(path.nfev[path.nfev <= last], last)
    truth, estimate = (np.append(part[: nfev.size - 1], part[nfev.size - 2]) for part in (path.truth, path.estimate))
    upper.step(nfev, np.maximum(truth, LEAST), where="post", color="black", lw=1.2, label="true worst case of x")
    above = np.where(estimate > LEAST, estimate, np.nan)
    upper.step(nfev, above, where="post", color=BLUE, lw=3.0, alpha=0.35, zorder=1, label="its estimate")
    lower.step([row.nfev for row in rows], [row.radius for row in rows], where="pre", color="black", lw=1.0)
    _mark(upper, rows, [max(path.at(row.nfev, path.truth), LEAST) for row in rows], is_labeled=True)
    _mark(lower, rows, [row.radius for row in rows], is_labeled=False)
    upper.set(yscale="log", ylabel="F(x) - optimum", title=f"{PROBLEM}, seed {SEED}: the first descent")
    lower.set(yscale="log", ylabel="radius", xlabel="evaluations", xlim=(0.0, None))
    for axes in (upper, lower):
        axes.grid(axis="y", color=GRAY, alpha=0.25, lw=0.6)
        axes.set_axisbelow(True)
    upper.legend(frameon=False, loc="lower left", fontsize=9)
    return figure


def _mark(axes: Axes, rows: list[TraceRow], heights: list[float], *, is_labeled: bool) -> None:
    for event, (label, marker, color) in MARKERS.items():
        chosen = [(row.nfev, height) for row, height in zip(rows, heights, strict=True) if row.event == event]
        if chosen:
            words = label if event == "accepted" else f"refused: {label}"
            axes.plot(*zip(*chosen, strict=True), marker, color=color, ms=6, mew=1.6 if marker == "x" else 0.6)
            if is_labeled:
                axes.lines[-1].set_label(words)


FIGURES = {
    "danskin-swap": draw_swap,
    "danskin-bundle": draw_bundle,
    "descent-peak": draw_peak,
    "descent-trace": draw_trace,
}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs/figures")
    folder.mkdir(parents=True, exist_ok=True)
    with plt.rc_context(STYLE):
        for name, draw in FIGURES.items():
            figure = draw()
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
            if len(sys.argv) > 2:
                figure.savefig(folder / f"{name}.png", dpi=96)
            plt.close(figure)


if __name__ == "__main__":
    main()
