"""The table of the store: its columns, and the checks of what is read from them.

A file may be damaged, or made by somebody to do harm. So the table must be the very one that is created here, and each
value of the kind of its column, whatever the schema says.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from reckless.bench.record import Record, Reference, reference_to
from reckless.core.words import safe_repr, shortened

SCHEMA_VERSION = 2
APPLICATION_ID = 0x5265636B  # "Reck"
FLOAT_BYTES = 8  # of one number of a vector

_TABLE = """CREATE TABLE runs (
    problem TEXT NOT NULL, method TEXT NOT NULL, budget INTEGER NOT NULL, repetition INTEGER NOT NULL,
    seed INTEGER NOT NULL, nfev INTEGER NOT NULL, seconds REAL NOT NULL,
    x BLOB NOT NULL, y BLOB NOT NULL, estimate REAL,
    worst_case REAL, mse REAL, inner_gap REAL,
    history_nfev BLOB NOT NULL, history_worst_case BLOB NOT NULL, optimum REAL,
    parameters TEXT NOT NULL, versions TEXT NOT NULL, finished_at TEXT NOT NULL,
    PRIMARY KEY (problem, method, budget, repetition)
)"""
_TRIGGERS = (
    """CREATE TRIGGER runs_are_not_edited BEFORE UPDATE ON runs
    BEGIN SELECT RAISE(ABORT, 'runs are never edited'); END""",
    """CREATE TRIGGER runs_are_not_deleted BEFORE DELETE ON runs
    BEGIN SELECT RAISE(ABORT, 'runs are never deleted'); END""",
)

# A regret is not stored: against the best worst case known it changes with every run that is added.
RECORD = tuple("optimum" if field.name == "reference" else field.name for field in fields(Record))
COLUMNS = (*RECORD, "parameters", "versions", "finished_at")
CELL = ("problem", "method", "budget", "repetition")
_VECTORS = frozenset({"x", "y", "history_nfev", "history_worst_case"})
_COUNTS = frozenset({"budget", "repetition", "seed", "nfev"})
_TEXTS = frozenset({"problem", "method", "parameters", "versions", "finished_at"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredRun:
    """A record and where it comes from.

    parameters: the method in full. versions: of the packages that computed it, JSON. finished_at: UTC, ISO 8601.
    """

    record: Record
    parameters: str
    versions: str
    finished_at: str


def schema_script() -> str:
    """Return the statements that make a store of an empty file."""
    marks = f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {SCHEMA_VERSION}"
    return "".join(f"{line};\n" for line in ("BEGIN EXCLUSIVE", _TABLE, *_TRIGGERS, *marks, "COMMIT"))


def flaw_of_schema(found: Iterable[Sequence[Any]]) -> str:
    """Say what is wrong with the (type, name, sql) of a file, or return an empty text.

    A view in place of the table, or triggers of somebody else's, can do what they like, without end.
    """
    has_table = False
    for kind, name, sql in found:
        statement = _joined(sql)
        has_table |= kind == "table" and name == "runs" and statement == _joined(_TABLE)
        if kind == "trigger" and statement not in map(_joined, _TRIGGERS):
            return f"it has a trigger that is not ours, {shortened(safe_repr(name))}"
    return "" if has_table else "its table of runs is not the one that this package creates"


def _joined(sql: Any) -> str:
    return " ".join(sql.split()) if isinstance(sql, str) else ""


def to_column(name: str, value: Any) -> Any:
    """Return a value as it is stored."""
    if name in _VECTORS:
        return np.asarray(value, dtype="<f8").tobytes()
    if isinstance(value, float) and np.isnan(value):
        return None
    return value.item() if isinstance(value, np.generic) else value


def from_row(names: Sequence[str], row: Sequence[Any]) -> list[Any]:
    """Return the values of columns; raise ValueError for one that is not of its column's kind."""
    return [_from_column(name, value) for name, value in zip(names, row, strict=True)]


def read_run(row: Sequence[Any], references: Mapping[str, Reference]) -> StoredRun:
    """Return the run in a row of all columns; raise ValueError, in a few words, for what cannot be one.

    references: what regrets are measured against, by problem.
    """
    *values, parameters, versions, finished_at = from_row(COLUMNS, row)
    found = dict(zip(RECORD, values, strict=True))
    stated = reference_to(found.pop("optimum"))
    record = Record(**found, reference=references.get(found["problem"], stated))
    if record.history_nfev.size != record.history_worst_case.size:
        raise ValueError("the histories of a run differ in length")
    read_versions(versions)
    return StoredRun(record=record, parameters=parameters, versions=versions, finished_at=finished_at)


def read_versions(text: Any) -> dict[str, str]:
    """Return versions by the names of packages."""
    try:
        found = json.loads(_from_column("versions", text))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(version, str) for version in found.values()):
        raise ValueError(f"versions of a run are {shortened(safe_repr(text))}")
    return found


def _from_column(name: str, value: Any) -> Any:
    if name in _TEXTS:
        is_right = isinstance(value, str)
    elif name in _COUNTS:
        is_right = isinstance(value, int) and value >= 0
    elif name in _VECTORS:
        n_numbers, rest = divmod(len(value), FLOAT_BYTES) if isinstance(value, bytes) else (0, 1)
        is_right = rest == 0 and (n_numbers > 0 or name.startswith("history"))
    else:
        is_right = value is None or isinstance(value, float)
    if not is_right:
        raise ValueError(f"{name} of a run is {shortened(safe_repr(value))}")
    if name in _VECTORS:
        return np.frombuffer(value, dtype="<f8").astype(np.float64, copy=False)
    return np.nan if value is None else value
