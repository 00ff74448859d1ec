"""The store as CSV or JSON.

Rows come by problem, method, budget and repetition, numbers in the shortest form that reads back to the same
float64. When and how long a cell ran, and by which versions, is left out unless asked for: without it, two
exports of the same cells are the same bytes, however they were computed.
"""

import csv
import json
from collections.abc import Iterable
from math import isfinite, isnan
from typing import Any, Literal, TextIO

from reckless.bench.store import Store, StoredRun, cell_of
from reckless.bench.study import Cell
from reckless.core.arrays import Array
from reckless.errors import InvalidArgument

Format = Literal["csv", "json"]
FORMATS: tuple[Format, ...] = ("csv", "json")

_CELL = ("problem", "method", "budget", "repetition", "seed")
_MEASURES = ("nfev", "estimate", "worst_case", "regret", "mse", "inner_gap")


def export(
    store: Store,
    file: TextIO,
    *,
    format: Format,
    cells: Iterable[Cell] | None = None,
    provenance: bool = False,
) -> int:
    """Write the runs of these cells, or all of them, to a text file; return how many there are.

    CSV has one row per run, vectors as numbers parted by spaces. JSON is a list with one run per line, and
    has the histories too; there NaN is null, and infinity the text "inf". provenance: add seconds, versions
    and finished_at.
    """
    if format not in FORMATS:
        raise InvalidArgument(f"format: expected {' or '.join(FORMATS)}, but got {format!r}.")
    wanted = None if cells is None else set(cells)
    runs = (run for run in store.runs() if wanted is None or cell_of(run.record) in wanted)
    return (_write_csv if format == "csv" else _write_json)(runs, file, provenance)


def _write_csv(runs: Iterable[StoredRun], file: TextIO, provenance: bool) -> int:
    extra = ("seconds", "finished_at", "versions") if provenance else ()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow((*_CELL, *_MEASURES, "x", "y", "parameters", *extra))
    n_rows = 0
    for run in runs:
        record = run.record
        numbers = (getattr(record, name) for name in (*_CELL, *_MEASURES))
        row = [*numbers, _spaced(record.x), _spaced(record.y), run.parameters]
        writer.writerow([*row, record.seconds, run.finished_at, run.versions] if provenance else row)
        n_rows += 1
    return n_rows


def _write_json(runs: Iterable[StoredRun], file: TextIO, provenance: bool) -> int:
    n_rows = 0
    for run in runs:
        record = run.record
        data = {name: _plain(getattr(record, name)) for name in (*_CELL, *_MEASURES)}
        for name in ("x", "y", "history_nfev", "history_regret"):
            data[name] = [_plain(value) for value in getattr(record, name).tolist()]
        data["parameters"] = run.parameters
        if provenance:
            data |= {
                "seconds": record.seconds,
                "finished_at": run.finished_at,
                "versions": json.loads(run.versions),
            }
        file.write(("[\n" if n_rows == 0 else ",\n") + json.dumps(data, allow_nan=False))
        n_rows += 1
    file.write("\n]\n" if n_rows else "[]\n")
    return n_rows


def _spaced(vector: Array) -> str:
    return " ".join(repr(value) for value in vector.tolist())


def _plain(value: Any) -> Any:
    """A value that strict JSON has a form for."""
    if not isinstance(value, float) or isfinite(value):
        return value
    return None if isnan(value) else repr(value)
