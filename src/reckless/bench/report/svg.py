"""Matplotlib's SVG made a part of the page: its colors follow the theme, its points tell their values.

The figures name their artists "kind|panel|method" or "kind|method". Here the name becomes a class and the number of
the method, by which the script finds what to hide; all other ids are dropped or made unique to the page.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from reckless.bench.figures import COLORS, to_svg
from reckless.bench.figures.style import GRID, INK, MUTED, SHADE
from reckless.bench.report.markup import text

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
THEME = {INK: "ink", MUTED: "muted", GRID: "grid", SHADE: "shade"} | {c: f"m{i}" for i, c in enumerate(COLORS)}
WITHOUT_PANEL = ("rank", "name")  # artists named "kind|method"

_COLOR = re.compile("|".join(THEME))
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def inline(
    figure: Figure, key: str, title: str, methods: Mapping[str, int], tips: Mapping[str, Sequence[str]] | None = None
) -> str:
    """The figure as an svg element whose ids begin with `key`; `tips` has one text per marker of a named artist."""
    width, _ = figure.get_size_inches()
    root = ET.fromstring(to_svg(figure))
    for parent in root.iter():  # the license note of an empty figure and the like
        for child in [c for c in parent if c.tag == f"{{{SVG}}}metadata"]:
            parent.remove(child)
    for element in list(root.iter()):
        _adopt(element, key, methods, tips or {})
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.set("role", "img")
    root.set("aria-label", title)
    root.set("style", f"width:{width * 96:.0f}px")
    ET.register_namespace("", SVG)
    return ET.tostring(root, encoding="unicode")


def figure_block(svg: str, caption: str, key: str) -> str:
    """The figure with its caption; it takes the focus, so that the arrow keys can go from point to point."""
    return (
        f'<figure id="{key}"><div class="canvas" tabindex="0">{svg}</div>'
        f"<figcaption>{text(caption)}</figcaption></figure>"
    )


def _adopt(element: ET.Element, key: str, methods: Mapping[str, int], tips: Mapping[str, Sequence[str]]) -> None:
    name = element.attrib.pop("id", "")
    if "|" in name:
        kind, _, rest = name.partition("|")
        method = rest if kind in WITHOUT_PANEL else rest.partition("|")[2]
        element.set("class", kind)
        if method in methods:
            element.set("data-m", str(methods[method]))
        for marker, tip in zip(element.iter(f"{{{SVG}}}use"), tips.get(name, ()), strict=False):
            marker.set("data-tip", tip)
            ET.SubElement(marker, f"{{{SVG}}}title").text = tip
    elif name and element.tag in (f"{{{SVG}}}path", f"{{{SVG}}}clipPath", f"{{{SVG}}}image"):
        element.set("id", f"{key}-{name}")
    if f"{{{XLINK}}}href" in element.attrib:
        target = element.attrib.pop(f"{{{XLINK}}}href")
        element.set("href", f"#{key}-{target[1:]}" if target.startswith("#") else target)
    for attribute, value in element.attrib.items():
        if attribute in ("clip-path", "style"):
            themed = _COLOR.sub(lambda found: f"var(--{THEME[found[0]]})", value)
            element.set(attribute, _REFERENCE.sub(rf"url(#{key}-\1)", themed))
