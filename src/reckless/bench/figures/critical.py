"""Critical-difference diagrams (Demsar 2006): average ranks on a line, bars join methods that do not differ."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from reckless.bench.figures.style import INK, MUTED, MethodStyle, Styles, look_of, shorten
from reckless.bench.statistics import NemenyiTest

TOO_FEW = "Cannot reject: the critical difference exceeds the largest possible one, {largest}."
AXIS_WIDTH, ROW, BAR_STEP, FONT = 4.2, 0.23, 0.11, 9.0  # inches, inches, inches, points


def critical_difference(
    test: NemenyiTest, *, styles: Styles | None = None, labels: Mapping[str, str] | None = None, note: str = ""
) -> Figure:
    """Draw average ranks, best on the left; a bar joins methods without a significant difference.

    Each name has a row of its own, left or right of the axis, so names never overlap however close ranks are. A note
    says why the ranks stand alone, without a critical difference: that the test cannot reject, or what the caller says.
    """
    note = note or ("" if test.can_reject else TOO_FEW.format(largest=test.largest_difference))
    ranked = sorted(zip(test.ranks.tolist(), test.names, strict=True))
    k, half = len(ranked), (len(ranked) + 1) // 2
    sides = {-1: ranked[:half], 1: ranked[half:][::-1]}  # on either side the outermost rank gets the uppermost row
    texts = {name: shorten((labels or {}).get(name, name)) for name in test.names}
    left, right = (max(_width(texts[name]) for _, name in side) + 0.8 for side in sides.values())
    bars = {} if note else _stack(test)
    depth = 0.16 + BAR_STEP * (1 + max(bars.values(), default=-1)) + 0.1  # from the axis to the first row
    below = depth + ROW * (half - 1) + (0.5 if note else 0.3)
    figure = Figure(figsize=(left + AXIS_WIDTH + right, below + 0.95))
    figure.patch.set_alpha(0.0)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(-left, AXIS_WIDTH + right), ylim=(-below, 0.95))  # inches; the axis is at 0
    axes.axis("off")
    _draw_axis(axes, k)
    if not note:
        _draw_ruler(axes, test)
    looks = look_of(test.names, styles)
    for side, members in sides.items():
        for row, (rank, name) in enumerate(members):
            parts = (texts[name], f"{rank:.2f}")
            text = "\u00a0\u00a0".join(parts if side < 0 else parts[::-1])
            _draw_name(axes, side, (_place(rank, k), -(depth + ROW * row)), text, name, looks[name])
    for (first, last), level in bars.items():
        span, y = (_place(first, k) - 0.05, _place(last, k) + 0.05), -(0.16 + BAR_STEP * level)
        axes.plot(span, [y, y], color=INK, linewidth=3.2, solid_capstyle="round", gid="clique")
    if note:
        axes.text(AXIS_WIDTH / 2, 0.08 - below, note, ha="center", va="bottom", fontsize=8, color=INK, style="italic")
    return figure


def _width(text: str) -> float:
    """Return the width of the text in inches."""
    path = TextPath((0, 0), text.replace("$", r"\$"), size=FONT, prop=FontProperties())
    return float(path.get_extents().width) / 72.0


def _place(rank: float, k: int) -> float:
    return AXIS_WIDTH * (rank - 1.0) / (k - 1.0)


def _stack(test: NemenyiTest) -> dict[tuple[float, float], int]:
    """Return the ends of each bar and its level, the first one free of other bars."""
    rank = dict(zip(test.names, test.ranks.tolist(), strict=True))
    bars: dict[tuple[float, float], int] = {}
    for clique in test.cliques:
        ends = (min(rank[name] for name in clique), max(rank[name] for name in clique))
        taken = {level for (low, high), level in bars.items() if low <= ends[1] and ends[0] <= high}
        bars[ends] = next(level for level in range(len(test.cliques)) if level not in taken)
    return bars


def _draw_axis(axes: Axes, k: int) -> None:
    axes.plot([0.0, AXIS_WIDTH], [0.0, 0.0], color=INK, linewidth=1.0)
    step = -(-(k - 1) // 12)
    for rank in range(1, k + 1):
        x, labeled = _place(rank, k), (rank - 1) % step == 0
        axes.plot([x, x], [0.0, 0.07 if labeled else 0.04], color=INK, linewidth=0.8)
        if labeled:
            axes.text(x, 0.1, str(rank), ha="center", va="bottom", fontsize=FONT, color=INK)


def _draw_ruler(axes: Axes, test: NemenyiTest) -> None:
    """Draw the critical difference to scale."""
    end, y = AXIS_WIDTH * test.critical_difference / test.largest_difference, 0.48
    axes.plot([0.0, end], [y, y], color=INK, linewidth=1.2, gid="ruler")
    for at in (0.0, end):
        axes.plot([at, at], [y - 0.04, y + 0.04], color=INK, linewidth=1.2)
    told = f"critical difference {test.critical_difference:.3f} (alpha {test.alpha:g}, {test.n_blocks} blocks)"
    axes.text(0.0, y + 0.08, told, ha="left", va="bottom", fontsize=8, color=INK)


def _draw_name(axes: Axes, side: int, at: tuple[float, float], text: str, name: str, look: MethodStyle) -> None:
    """Draw a line down from the rank and out to the side, with the name at its end."""
    x, y = at
    edge, align = (-0.06, "right") if side < 0 else (AXIS_WIDTH + 0.06, "left")
    axes.plot([x, x, edge], [0.0, y, y], color=MUTED, linewidth=0.8)
    axes.plot(x, 0.0, look.marker, color=look.color, markersize=6, gid=f"rank|{name}", zorder=3)
    at_edge, gid = (edge + 0.06 * side, y), f"name|{name}"
    axes.text(*at_edge, text, ha=align, va="center", fontsize=FONT, color=INK, gid=gid, parse_math=False)
