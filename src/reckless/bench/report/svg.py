"""Matplotlib's SVG made a part of the page: its colors follow the theme, its points tell their values.

The figures name their artists "kind|panel|method" or "kind|method". Here the name becomes a class and the number of
the method, by which the script finds what to hide; all other ids are dropped or made unique to the page.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence

from reckless.bench.figures.style import COLORS, GRID, INK, MUTED, SHADE, to_svg
from reckless.bench.report.drawing import Drawing, Picture
from reckless.bench.report.markup import text

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
THEME = {INK: "ink", MUTED: "muted", GRID: "grid", SHADE: "shade"} | {c: f"m{i}" for i, c in enumerate(COLORS)}
WITHOUT_PANEL = ("rank", "name")  # artists named "kind|method"
WIDE = 6.0  # inches: a figure that a phone scrolls
PIXELS = 120  # of an inch, where there is room

_COLOR = re.compile("|".join(THEME))
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def figure_block(drawing: Drawing, key: str, numbers: Mapping[str, int]) -> str:
    """Write the drawing as a figure whose ids begin with `key`; `numbers` are those of the methods on the page.

    The figure takes the focus, so that the arrow keys move from point to point.
    """
    pictures = drawing.pictures
    keys = [key] if len(pictures) == 1 else [f"{key}-{at}" for at in range(len(pictures))]
    drawn = "".join(_svg(picture, of, numbers) for picture, of in zip(pictures, keys, strict=True))
    widest = max(picture.figure.get_size_inches()[0] for picture in pictures)
    kind = "canvas panels" if len(pictures) > 1 else "canvas wide" if widest > WIDE else "canvas"
    return (
        f'<figure id="{key}"><div class="{kind}" style="--inches:{widest:g}" tabindex="0">{drawn}</div>'
        f"<figcaption>{text(drawing.caption)}</figcaption></figure>"
    )


def _svg(picture: Picture, key: str, numbers: Mapping[str, int]) -> str:
    width, _ = picture.figure.get_size_inches()
    root = ET.fromstring(to_svg(picture.figure, transparent=True))
    for parent in root.iter():  # the license note of an empty figure and the like
        for child in parent.findall(f"{{{SVG}}}metadata"):
            parent.remove(child)
    for element in list(root.iter()):
        _adopt(element, key, numbers, picture.tips)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.attrib |= {"role": "img", "aria-label": picture.title, "style": f"width:{width * PIXELS:.0f}px"}
    ET.register_namespace("", SVG)
    return ET.tostring(root, encoding="unicode")


def _adopt(element: ET.Element, key: str, numbers: Mapping[str, int], tips: Mapping[str, Sequence[str]]) -> None:
    name = element.attrib.pop("id", "")
    if "|" in name:
        kind, _, rest = name.partition("|")
        method = rest if kind in WITHOUT_PANEL else rest.partition("|")[2]
        element.set("class", kind)
        if method in numbers:
            element.set("data-m", str(numbers[method]))
        for marker, tip in zip(element.iter(f"{{{SVG}}}use"), tips.get(name, ()), strict=False):
            marker.set("data-tip", tip)
            ET.SubElement(marker, f"{{{SVG}}}title").text = tip
    elif name and element.tag in (f"{{{SVG}}}path", f"{{{SVG}}}clipPath", f"{{{SVG}}}image"):
        element.set("id", f"{key}-{name}")
    if f"{{{XLINK}}}href" in element.attrib:
        target = element.attrib.pop(f"{{{XLINK}}}href")
        element.set("href", f"#{key}-{target[1:]}" if target.startswith("#") else target)
    for attribute in {"clip-path", "style"} & element.attrib.keys():
        themed = _COLOR.sub(lambda found: f"var(--{THEME[found[0]]})", element.attrib[attribute])
        element.set(attribute, _REFERENCE.sub(rf"url(#{key}-\1)", themed))
