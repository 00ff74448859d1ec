"""The look that all figures share: colors, markers, log axes, and SVG that is the same text every time."""

import io
import warnings
from collections.abc import Mapping, Sequence
from math import log10
from typing import NamedTuple, TypeAlias

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

INK, MUTED, GRID, SHADE = "#24292f", "#6a737d", "#dfe3e8", "#f1f3f5"
# Okabe and Ito's colorblind-safe colors, with wine and slate in place of yellow and black.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#882255", "#56b4e9", "#5b6770")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p", "<", ">", "h")

LONGEST_NAME = 44  # characters; the middle of a longer name is left out
REGRET_FLOOR = 1e-16  # regrets at or below it, zero and negative ones too, are drawn on a labeled floor

_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


class MethodStyle(NamedTuple):
    """How one method looks in every figure."""

    color: str
    marker: str


Styles: TypeAlias = Mapping[str, MethodStyle]  # by method


def assign_styles(groups: Sequence[Sequence[str]]) -> dict[str, MethodStyle]:
    """Give each method one look for all figures; methods of a group, those drawn together, differ in color.

    A group with more methods than there are colors repeats some, with another marker.

    >>> assign_styles([["A", "B"], ["B", "C"]])["B"]
    MethodStyle(color='#d55e00', marker='s')
    """
    chosen: dict[str, int] = {}
    for name in dict.fromkeys(name for group in groups for name in group):
        peers = [chosen[p] for group in groups if name in group for p in group if p in chosen]
        everywhere = list(chosen.values())
        chosen[name] = min(range(len(COLORS)), key=lambda c: (peers.count(c), everywhere.count(c), c))
    return {
        name: MethodStyle(COLORS[color], MARKERS[at % len(MARKERS)]) for at, (name, color) in enumerate(chosen.items())
    }


def look_of(names: Sequence[str], styles: Styles | None) -> Styles:
    """Return the given styles, or fresh ones for these names alone."""
    return styles if styles is not None else assign_styles([names])


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure in the house style, readable on a page of any color; sizes in inches."""
    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def dress(axes: Axes) -> None:
    """Make the axes quiet: two spines, small labels, a faint grid behind the data."""
    axes.set_facecolor("none")
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(MUTED)
    axes.tick_params(colors=MUTED, labelcolor=INK, labelsize=8, length=3)
    axes.grid(color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    for text in (axes.title, axes.xaxis.label, axes.yaxis.label):
        text.set(color=INK, fontsize=9)


def power(exponent: int) -> str:
    """Write a power of ten as plain text, which every font shows and every search finds.

    >>> power(-16)
    '10⁻¹⁶'
    """
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def number(value: float) -> str:
    """Write a position on a logarithmic axis: small numbers in full, others by their power of ten.

    >>> number(50), number(1e5), number(2e4)
    ('50', '10⁵', '2·10⁴')
    """
    if value < 100:
        return f"{value:g}"
    digits, exponent = f"{value:.2e}".split("e")
    factor = f"{float(digits):g}"
    return power(int(exponent)) if factor == "1" else f"{factor}·{power(int(exponent))}"


def shorten(name: str, longest: int = LONGEST_NAME) -> str:
    """Return the name, or its two ends if it is too long.

    >>> shorten("abcdefghij", 6)
    'abc…ij'
    """
    name = " ".join(name.split())
    if len(name) <= longest:
        return name
    tail = (longest - 1) // 2
    return f"{name[: longest - 1 - tail]}…{name[len(name) - tail :]}"


AROUND = 3.0  # a logarithmic axis with one position reaches from a third of it to three times it


def label_ticks(axes: Axes, values: Sequence[float]) -> None:
    """Label these positions of a logarithmic x axis, except those whose labels would overlap."""
    if len(values) == 1:
        axes.set_autoscalex_on(False)  # or matplotlib warns of an axis without length
        axes.set_xlim(values[0] / AROUND, values[0] * AROUND)
    reach = log10(values[-1] / values[0]) if len(values) > 1 else 1.0
    labels: dict[float, str] = {}
    for value in values:
        room = 0.022 * (len(number(value)) + 1)  # as a share of the axis, for the letters of a narrow panel
        if not labels or log10(value / max(labels)) >= room * (reach or 1.0):
            labels[value] = number(value)
    axes.set_xticks(list(labels), list(labels.values()))
    axes.minorticks_off()


def draw_key(figure: Figure, handles: Sequence[Line2D], columns: int, title: str | None = None) -> None:
    """Explain these lines and markers under the whole figure."""
    key = figure.legend(
        handles=handles, title=title, loc="outside lower center", ncols=columns, frameon=False, fontsize=8
    )
    for text in (*key.get_texts(), key.get_title()):
        text.set(color=INK, fontsize=8, parse_math=False)


def draw_legend(
    figure: Figure, looks: Styles, labels: Mapping[str, str] | None, columns: int, signs: Sequence[Line2D] = ()
) -> None:
    """Name the methods under the whole figure; `signs` are handles of anything else."""
    handles = [
        Line2D([], [], color=color, marker=marker, markersize=5, linewidth=1.4, label=(labels or {}).get(name, name))
        for name, (color, marker) in looks.items()
    ]
    draw_key(figure, [*handles, *signs], columns)


def to_svg(figure: Figure, *, transparent: bool = False) -> str:
    """Render as SVG text: letters stay letters, no date, and the same figure gives the same text.

    transparent: without a ground, for a page that gives the ink its colors.
    """
    buffer = io.StringIO()
    text_as_text = matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "reckless"})
    with text_as_text, warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # the viewer's fonts may have it
        metadata = {"Date": None, "Creator": None}
        figure.savefig(buffer, format="svg", facecolor="auto", transparent=transparent, metadata=metadata)
    text = buffer.getvalue()
    return text[text.index("<svg") :]
