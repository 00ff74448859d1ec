"""HTML from data: everything that is inserted is escaped here, and tables know which cells are numbers."""

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from math import isfinite, isnan
from typing import Any, NamedTuple

from reckless.bench.figures.style import COLORS, Styles

Value = float | int | str

NUMBER, LONG = ' class="number"', ' class="long"'
LONGEST_LINE = 44  # characters of a cell that is not broken
FEW_COLUMNS = 4  # a table with more keeps its first column in sight

# The markers of the figures, drawn in a square of 12 by 12.
_SHAPES = {
    "o": "M6 2a4 4 0 1 1 0 8a4 4 0 1 1 0-8z",
    "s": "M2.5 2.5h7v7h-7z",
    "^": "M6 1.5l4.5 8.5h-9z",
    "v": "M6 10.5l4.5-8.5h-9z",
    "<": "M1.5 6l8.5-4.5v9z",
    ">": "M10.5 6l-8.5-4.5v9z",
    "D": "M6 1l5 5-5 5-5-5z",
    "P": "M4.5 1.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
    "X": "M3 1l3 3 3-3 2 2-3 3 3 3-2 2-3-3-3 3-2-2 3-3-3-3z",
    "p": "M6 1.2l4.8 3.5-1.8 5.6h-6l-1.8-5.6z",
    "h": "M6 1l4.3 2.5v5l-4.3 2.5-4.3-2.5v-5z",
}


class Column(NamedTuple):
    """A column of a table: its heading, and its meaning as a tooltip."""

    heading: str
    meaning: str = ""


class Row(NamedTuple):
    """A row of a table; `method` is the number of the method it belongs to, if any."""

    cells: Sequence[Value]
    method: int | None = None


def text(value: object) -> str:
    """Escape the text for elements and attributes."""
    return escape(str(value))


def number(value: float) -> str:
    """Write a number for reading.

    >>> number(0.000123456), number(14_400), number(2_000_000), number(float("nan"))
    ('1.23e-04', '14,400', '2,000,000', '')
    """
    if isinstance(value, int):
        return f"{value:,}"
    if isnan(value):
        return ""
    if not isfinite(value):
        return "infinite" if value > 0 else "-inf"
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{int(value):,}"
    return f"{value:.3g}" if 1e-2 <= abs(value) < 1e4 else f"{value:.2e}"


def duration(seconds: float) -> str:
    """Write a time for reading.

    >>> duration(0.043), duration(4.3), duration(75.2), duration(4_000), duration(90_000)
    ('0.043 s', '4.3 s', '75 s', '67 min', '25 h')
    """
    if seconds < 120.0:
        return f"{seconds:.2g} s" if seconds < 10.0 else f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 7200.0 else f"{seconds / 3600.0:,.0f} h"


def slug(name: str) -> str:
    """Return the name as the end of an address: letters, digits, hyphens."""
    return re.sub("[^a-z0-9]+", "-", name.lower()).strip("-") or "section"


def embed_json(data: Any) -> str:
    """Encode as JSON that is safe inside a script element whatever its strings say."""
    encoded = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return encoded.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def table(key: str, caption: str, columns: Sequence[Column], rows: Sequence[Row], *, is_whole: bool = False) -> str:
    """Write a table to sort and to download; `key` is its id and the name of the file.

    is_whole: show all rows of a long table, which else scrolls.
    """
    numeric = [all(not isinstance(row.cells[at], str) for row in rows) for at in range(len(columns))]
    head = "".join(
        f'<th scope="col" aria-sort="none"{NUMBER if is_number else ""} title="{text(column.meaning)}">'
        f'<button type="button" class="sort">{text(column.heading)}</button></th>'
        for column, is_number in zip(columns, numeric, strict=True)
    )
    marks = ["" if row.method is None else f' data-m="{row.method}"' for row in rows]
    body = "".join(f"<tr{mark}>{''.join(map(_cell, row.cells))}</tr>\n" for mark, row in zip(marks, rows, strict=True))
    box = "scroll whole" if is_whole else "scroll"
    kind = "sortable pinned" if len(columns) > FEW_COLUMNS else "sortable"
    return (
        f'<div class="table-block"><div class="table-bar"><span class="caption" id="{key}-caption">{text(caption)}'
        f'</span><button type="button" class="csv script-only" data-table="{key}">Download CSV</button></div>'
        f'<div class="{box}" tabindex="0" role="region" aria-labelledby="{key}-caption">'
        f'<table id="{key}" class="{kind}" aria-labelledby="{key}-caption">'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div></div>"
    )


def _cell(value: Value) -> str:
    if isinstance(value, str):
        is_long = len(value) > LONGEST_LINE
        return f"<td{LONG if is_long else ''}>{text(value)}</td>"
    return f'<td{NUMBER} data-v="{value!r}">{text(number(value))}</td>'


def legend(numbers: Mapping[str, int], styles: Styles, labels: Mapping[str, str]) -> str:
    """Write the methods with their markers; by a click, the script hides one in all figures."""
    buttons = "".join(
        f'<button type="button" class="method" data-m="{at}" aria-pressed="true" title="{text(name)}">'
        f'<svg class="swatch" viewBox="0 0 12 12" aria-hidden="true"><path d="{_SHAPES[styles[name].marker]}" '
        f'fill="var(--m{COLORS.index(styles[name].color)})"/></svg>{text(labels.get(name, name))}</button>'
        for name, at in numbers.items()
    )
    hint = '<span class="hint script-only">Click a method to hide or show it.</span>'
    return f'<div class="legend" role="group" aria-label="Methods shown">{buttons}{hint}</div>'
