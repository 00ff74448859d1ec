"""A result as a notebook shows it: tables and the picture, in the colors of the page, without scripts or addresses."""

from base64 import b64encode
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

from reckless.core.arrays import Array
from reckless.domains.labels import Legend, labels_of, shown_value

if TYPE_CHECKING:  # results show themselves by this module
    from reckless.run.result import MinimaxResult, WorstCase

MOST_ROWS, MOST_COLUMNS = 20, 12  # of a table
LINE = "1px solid rgba(128, 128, 128, 0.4)"  # seen on a light page and on a dark one
CELL = f"text-align: left; padding: 0.25em 0.9em 0.25em 0; border-bottom: {LINE}; vertical-align: top"
PICTURE = "max-width: 100%; height: auto; background: white; border-radius: 4px"


def result_html(result: "MinimaxResult") -> str:
    """Return a result as HTML: what was found, how far it was verified, x, all worst cases and the picture."""
    parts = [
        _facts(_said_of(result)),
        _table(("x", "value"), _coordinates(legend_in(result, "x"), "x", result.x)),
        _cases(result),
        _picture(result),
    ]
    return f'<div style="max-width: 75em; overflow-x: auto">{"".join(parts)}</div>'


def worst_case_html(found: "WorstCase") -> str:
    """Return a verification as HTML: the worst case, what it cost, and y."""
    failed = f", of which {found.n_failed:,} failed" if found.n_failed else ""
    rows = [
        ("worst case found", _number(found.fun)),
        ("verified", found.message),
        ("evaluations", f"{found.nfev:,}{failed}"),
    ]
    y = _table(("y", "value"), _coordinates(legend_in(found, "y"), "y", found.y))
    return f'<div style="max-width: 75em; overflow-x: auto">{_facts(rows)}{y}</div>'


def legend_in(result: Any, player: str) -> Legend:
    """Return the names, units and words of a player's coordinates, as far as a result or a verification has them."""
    legends = result.get("legends")
    return (result.get("legend") if legends is None and player == "y" else getattr(legends, player, None)) or Legend()


def _said_of(result: "MinimaxResult") -> list[tuple[str, str]]:
    """Return what a result says of itself, each with its name."""
    n_failed = f"; {result.n_failed:,} failed" if result.n_failed else ""
    rounds = f"{result.nit:,} round{'' if result.nit == 1 else 's'}"
    verification = result.verification
    checked = "not verified" if verification is None else f"{result.verdict} ({verification.nfev:,} evaluations)"
    bounds = [("likely below", result.upper), ("likely above", result.lower)]
    return [
        ("worst case known", _number(result.fun)),
        *((name, _number(value)) for name, value in bounds if value is not None),
        ("reliable", "yes" if result.success else "no"),
        ("message", result.message),
        ("verified", checked),
        *([] if result.agreement is None else [("searches that agree", str(result.agreement))]),
        ("evaluations", f"{result.nfev:,} in {rounds} of {result.method}{n_failed}"),
        *([] if result.first_failure is None else [("first failure", result.first_failure.summary)]),
    ]


def _cases(result: "MinimaxResult") -> str:
    """Return the table of all worst cases known, worst first."""
    legend = legend_in(result, "y")
    labels = labels_of(legend, "y", result.y.size)
    cases = result.get("active") or ()
    rows = [(case.y, case.fun, case.weight, case.row) for case in cases] or [(result.y, result.fun, None, None)]
    has_weight, has_row = (any(row[k] is not None for row in rows) for k in (2, 3))
    shown = list(labels[:MOST_COLUMNS])
    if len(labels) > MOST_COLUMNS:
        shown.append(f"and {len(labels) - MOST_COLUMNS:,} more")
    head = ["worst cases", *(["row"] if has_row else []), *(["weight"] if has_weight else []), *shown]
    lines = []
    for y, fun, weight, row in rows[:MOST_ROWS]:
        marks = ([_text(row)] if has_row else []) + ([_number(weight)] if has_weight else [])
        lines.append(
            [
                _number(fun),
                *marks,
                *(shown_value(legend, i, value) for i, value in enumerate(y[:MOST_COLUMNS].tolist())),
            ]
        )
    if len(rows) > MOST_ROWS:
        lines.append([f"and {len(rows) - MOST_ROWS:,} more"])
    return _table(head, lines)


def _coordinates(legend: Legend, player: str, point: Array) -> list[tuple[str, str]]:
    """Return the coordinates of a point with their names; many are cut off, and it says so."""
    labels = labels_of(legend, player, point.size)
    values = [shown_value(legend, i, value) for i, value in enumerate(point.tolist())]
    left = point.size - MOST_ROWS
    rows = list(zip(labels, values, strict=True))
    return rows if left <= 0 else [*rows[:MOST_ROWS], (f"and {left:,} more", "")]


def _picture(result: "MinimaxResult") -> str:
    """Return the picture as a part of the page."""
    from reckless.run.plots import draw_result, to_png  # not before a picture is wanted: it imports matplotlib

    figure = draw_result(result)
    code, width = b64encode(to_png(figure, 2.0)).decode("ascii"), round(figure.get_figwidth() * figure.dpi)
    words = "f(x, y) around the worst y, and the estimate during the run"
    return f'<img src="data:image/png;base64,{code}" width="{width}" alt="{words}" style="{PICTURE}">'


def _facts(rows: Iterable[tuple[str, str]]) -> str:
    return _rows(_cell("th", name) + _cell("td", words) for name, words in rows)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = ["".join(_cell("th", words) for words in head)]
    return _rows([*lines, *("".join(_cell("td", words) for words in row) for row in rows)])


def _rows(rows: Iterable[str]) -> str:
    return f'<table style="margin: 0 0 1em 0">{"".join(f"<tr>{row}</tr>" for row in rows)}</table>'


def _cell(tag: str, words: str) -> str:
    whole = "; white-space: nowrap" if tag == "th" else ""
    return f'<{tag} style="{CELL}{whole}">{_text(words)}</{tag}>'


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _text(words: Any) -> str:
    return escape(str(words))
