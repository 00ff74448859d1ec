"""The store as CSV or JSON.

Rows come by problem, method, budget and repetition, numbers in the shortest form that reads back to the same
float64. When and how long a cell ran, and by which versions, is left out unless asked for: without it, two
exports of the same cells are the same bytes, however they were computed. Where a regret is "against" the "best known"
worst case, that is the smallest in the store, so there the other runs of the store matter.
"""

import csv
import json
from collections.abc import Iterable, Sequence
from math import isfinite, isnan
from typing import Any, Literal, TextIO

import numpy as np

from reckless.bench.store import Store
from reckless.bench.study import Cell
from reckless.core.words import printable, safe_repr
from reckless.errors import InvalidArgument

Format = Literal["csv", "json"]
FORMATS: tuple[Format, ...] = ("csv", "json")

_CELL = ("problem", "method", "budget", "repetition", "seed")
_MEASURES = ("nfev", "estimate", "worst_case", "regret", "against", "mse", "inner_gap")
_OF_THE_STORE = ("parameters", "finished_at", "versions")  # all others are of the record


def export(
    store: Store, file: TextIO, *, format: Format, cells: Iterable[Cell] | None = None, provenance: bool = False
) -> int:
    """Write the runs of these cells, or all of them, to a text file; return how many there are.

    CSV has one row per run, vectors as numbers separated by spaces. JSON is a list with one run per line, and
    has the histories too; there NaN is null, and infinity the text "inf". provenance: add seconds, versions
    and finished_at.
    """
    if format not in FORMATS:
        raise InvalidArgument(f"format: expected {' or '.join(FORMATS)}, but got {safe_repr(format)}.")
    vectors = ("x", "y") if format == "csv" else ("x", "y", "history_nfev", "history_regret")
    extra = ("seconds", "finished_at", "versions") if provenance else ()
    names = (*_CELL, *_MEASURES, *vectors, "parameters", *extra)
    rows = [[getattr(run if n in _OF_THE_STORE else run.record, n) for n in names] for run in store.runs(cells)]
    (_write_csv if format == "csv" else _write_json)(names, rows, file)
    return len(rows)


def _write_csv(names: Sequence[str], rows: Sequence[Sequence[Any]], file: TextIO) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow(map(_as_text, row))


def _as_text(value: Any) -> Any:
    """Return a value for a field of CSV, which may end up on a terminal: control characters are escaped."""
    if isinstance(value, np.ndarray):
        return " ".join(map(repr, value.tolist()))
    return printable(value) if isinstance(value, str) else value


def _write_json(names: Sequence[str], rows: Sequence[Sequence[Any]], file: TextIO) -> None:
    runs = [dict(zip(names, map(_plain, row), strict=True)) for row in rows]
    for run in runs:
        if "versions" in run:
            run["versions"] = json.loads(run["versions"])
    lines = ",\n".join(json.dumps(run, allow_nan=False) for run in runs)
    file.write(f"[\n{lines}\n]\n" if runs else "[]\n")


def _plain(value: Any) -> Any:
    """Return a value that strict JSON has a form for."""
    if isinstance(value, np.ndarray):
        return [_plain(number) for number in value.tolist()]
    if not isinstance(value, float) or isfinite(value):
        return value
    return None if isnan(value) else repr(value)
