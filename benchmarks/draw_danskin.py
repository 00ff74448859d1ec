"""Draw the pictures of docs/how-it-works.md: python benchmarks/draw_danskin.py [folder]."""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

BLUE, ORANGE, GREEN, GRAY = "#1f6fb4", "#d9730d", "#2d8a4e", "#8a8a8a"
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


def draw_response() -> Figure:
    """A maximizer that moves with x: the ridge, and what a fixed y makes of it."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.2), layout="constrained")
    x, y = np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, 1, 41))
    left.contourf(x, y, ridge(x, y), levels=14, cmap="Blues")
    left.plot([0, 1], [0, 1], color=ORANGE, lw=2)
    left.annotate(
        "the worst y\nfollows x", (0.72, 0.72), (0.12, 0.8), color="black", arrowprops={"arrowstyle": "->"}, fontsize=9
    )
    left.axhline(0.5, color=GREEN, ls="--")
    left.plot(0.5, 0.5, "o", color=GREEN)
    left.set(xlabel="x", ylabel="y", title="f from above: a ridge along y = x")
    t = np.linspace(0, 1, 300)
    right.plot(t, ridge(t, np.full(300, 0.5)), "--", color=GREEN, label="f(x, 0.5): y held fixed")
    right.plot(t, ridge(t, t), color=ORANGE, lw=2, label="f(x, y(x)): y tracked = F")
    right.plot(0.5, 1.3, "o", color="black")
    right.annotate(
        "with y fixed,\nx seems best\nanywhere else",
        (0.62, 1.1),
        (0.67, 1.0),
        arrowprops={"arrowstyle": "->"},
        fontsize=9,
    )
    right.set(xlabel="x", ylabel="value", title="cut along the two lines")
    right.legend(frameon=False, loc="lower center")
    return figure


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


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs/figures")
    folder.mkdir(parents=True, exist_ok=True)
    with plt.rc_context(STYLE):
        for name, draw in (("swap", draw_swap), ("response", draw_response), ("bundle", draw_bundle)):
            figure = draw()
            figure.savefig(folder / f"danskin-{name}.svg", metadata={"Date": None})
            if len(sys.argv) > 2:
                figure.savefig(folder / f"danskin-{name}.png", dpi=80)
            plt.close(figure)


if __name__ == "__main__":
    main()
