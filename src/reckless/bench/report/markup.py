"""HTML from data: everything that is inserted is escaped here, and tables know which cells are numbers."""

import json
from collections.abc import Mapping, Sequence
from html import escape
from math import isfinite, isnan
from typing import Any, NamedTuple

from reckless.bench.figures import COLORS, MethodStyle

Value = float | int | str

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
    """A column of a table: its heading, and what it means, shown when one points at it."""

    heading: str
    meaning: str = ""


class Row(NamedTuple):
    """A row of a table; `method` is the number of the method it belongs to, if any."""

    cells: Sequence[Value]
    method: int | None = None


def text(value: object) -> str:
    """Text that cannot be mistaken for markup, in attributes neither."""
    return escape(str(value), quote=True)


def number(value: float) -> str:
    """A number for reading.

    >>> number(0.000123456), number(12), number(float("nan"))
    ('1.23e-04', '12', '')
    """
    if isnan(value):
        return ""
    if not isfinite(value):
        return "infinite" if value > 0 else "-inf"
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{int(value):,}"
    return f"{value:.3g}" if 1e-2 <= abs(value) < 1e4 else f"{value:.2e}"


def slug(name: str) -> str:
    """The name as the end of an address: letters, digits, hyphens."""
    kept = "".join(c if c.isascii() and c.isalnum() else "-" for c in name.lower())
    return "-".join(part for part in kept.split("-") if part) or "section"


def embed_json(data: Any) -> str:
    """JSON that can stand inside a script element whatever the strings in it say."""
    encoded = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return encoded.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def table(key: str, caption: str, columns: Sequence[Column], rows: Sequence[Row]) -> str:
    """A table to sort and to download; `key` is its id and the name of the file."""
    is_number = [all(not isinstance(row.cells[at], str) for row in rows) for at in range(len(columns))]
    head = "".join(
        f'<th scope="col" aria-sort="none"{_number_class(numeric)} title="{text(column.meaning)}">'
        f'<button type="button" class="sort">{text(column.heading)}</button></th>'
        for column, numeric in zip(columns, is_number, strict=True)
    )
    body = "".join(
        f"<tr{_method_mark(row.method)}>{''.join(_cell(value) for value in row.cells)}</tr>\n" for row in rows
    )
    return (
        f'<div class="table-block"><div class="table-bar"><span class="caption" id="{key}-caption">{text(caption)}'
        f'</span><button type="button" class="csv script-only" data-table="{key}">Download CSV</button></div>'
        f'<div class="scroll" tabindex="0" role="region" aria-labelledby="{key}-caption">'
        f'<table id="{key}" class="sortable" aria-labelledby="{key}-caption">'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div></div>"
    )


def legend(methods: Mapping[str, int], styles: Mapping[str, MethodStyle], labels: Mapping[str, str]) -> str:
    """The methods with their signs; by a click, the script hides one in all figures."""
    buttons = "".join(
        f'<button type="button" class="method" data-m="{at}" aria-pressed="true" title="{text(name)}">'
        f"{swatch(styles[name])}{text(labels.get(name, name))}</button>"
        for name, at in methods.items()
    )
    hint = '<span class="hint script-only">Click a method to hide or show it.</span>'
    return f'<div class="legend" role="group" aria-label="Methods shown">{buttons}{hint}</div>'


def swatch(style: MethodStyle) -> str:
    """The sign of a method as a small picture."""
    color = f"var(--m{COLORS.index(style.color)})"
    return (
        f'<svg class="swatch" viewBox="0 0 12 12" aria-hidden="true"><path d="{_SHAPES[style.marker]}" '
        f'fill="{color}"/></svg>'
    )


def _number_class(numeric: bool) -> str:
    return ' class="number"' if numeric else ""


def _method_mark(method: int | None) -> str:
    return "" if method is None else f' data-m="{method}"'


def _cell(value: Value) -> str:
    if isinstance(value, str):
        return f"<td>{text(value)}</td>"
    return f'<td class="number" data-v="{value!r}">{text(number(value))}</td>'
