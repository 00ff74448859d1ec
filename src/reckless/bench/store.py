"""The store: every finished run of any number of studies, in one SQLite file.

Runs are added and never edited; the file itself refuses changes. Vectors are little-endian float64, so they come back
bit by bit, and nothing in the file can run code when it is read. In write-ahead mode a killed writer leaves the file
as it was after the last transaction. One process writes; any number may read meanwhile.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from reckless.bench.machine import provenance
from reckless.bench.record import Record, Reference, reference_to
from reckless.bench.schema import (
    APPLICATION_ID,
    CELL,
    COLUMNS,
    FLOAT_BYTES,
    RECORD,
    SCHEMA_VERSION,
    StoredRun,
    flaw_of_schema,
    from_row,
    read_run,
    read_versions,
    schema_script,
    to_column,
)
from reckless.bench.study import Cell, Cells
from reckless.core.words import printable, safe_str, shortened
from reckless.errors import OptimizationError

_MAGIC = b"SQLite format 3\0"
# Instructions of SQLite's machine between two looks at their number, and how many a reading may take: one of ours takes
# less than 1 per byte of the file. Damaged pages that refer to each other could keep it busy without end.
STEPS_PER_LOOK = 100_000
STEPS_AT_LEAST = 10_000_000
STEPS_PER_BYTE = 20


class UnusableStore(OptimizationError, OSError):
    """The file is not a store that this version can use; it is not modified."""


class Store:
    """Open the store at `path`, creating it if there is none; `readonly` opens one that exists.

    Raises UnusableStore for anything that is not a store of this schema version, and leaves it untouched.
    """

    def __init__(self, path: str | Path, *, readonly: bool = False) -> None:
        self.path = Path(path)
        exists = _inspect(self.path, readonly=readonly)
        try:
            self._connection = _connect(self.path, readonly=readonly)
            self._connection.set_progress_handler(self._is_endless, STEPS_PER_LOOK)
            self._n_looks = 0
            try:
                if not readonly:
                    self._prepare(exists)
                marks = [self._read(f"PRAGMA {name}")[0][0] for name in ("application_id", "user_version")]
                _check_marks(self.path, *marks)
                self._check_schema()
            except BaseException:
                self._connection.close()
                raise
        except sqlite3.Error as error:
            raise UnusableStore(
                f"store: {safe_str(self.path)} cannot be {'read' if readonly else 'written'} ({error}). "
                f"Is its directory read-only, or is the file damaged? Name another one with --store."
            ) from None

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def __len__(self) -> int:
        return int(self._read("SELECT count(*) FROM runs")[0][0])

    def finished(self) -> set[Cell]:
        """Return the cells that have a result."""
        with self._blaming():
            return {Cell(*from_row(CELL, row)) for row in self._read(f"SELECT {', '.join(CELL)} FROM runs")}

    def append(self, runs: Iterable[tuple[Record, str]], *, is_cluster: bool = False) -> None:
        """Add records, each with its method's parameters, in one transaction; a cell's first result is kept.

        is_cluster: whether they were computed elsewhere, on processors that are not known here.
        """
        versions = json.dumps(provenance(is_cluster))
        finished_at = datetime.now(UTC).isoformat(timespec="seconds")
        rows = [
            (*(to_column(name, getattr(record, name)) for name in RECORD), parameters, versions, finished_at)
            for record, parameters in runs
        ]
        marks = ", ".join("?" * len(COLUMNS))
        self._n_looks = 0
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany(
                    f"INSERT INTO runs ({', '.join(COLUMNS)}) VALUES ({marks}) ON CONFLICT DO NOTHING", rows
                )
        except sqlite3.Error as error:
            raise UnusableStore(
                f"store: {safe_str(self.path)} cannot be written any more ({error}). What it holds is safe; "
                f"the same command resumes from there."
            ) from None

    def runs(self, cells: Iterable[Cell] | None = None) -> Iterator[StoredRun]:
        """Yield the runs of these cells, or all, by problem, method, budget and repetition, whenever they were run."""
        wanted = cells if cells is None or isinstance(cells, Cells) else set(cells)
        references = self.references()
        query = f"SELECT {', '.join(COLUMNS)} FROM runs ORDER BY {', '.join(CELL)}"
        for row in self._rows(query):
            with self._blaming():
                run = read_run(row, references)
            if wanted is None or cell_of(run.record) in wanted:
                yield run

    def records(self, cells: Iterable[Cell] | None = None) -> list[Record]:
        """Return the records of these cells as far as they are finished, or all of them, in the order of `runs`."""
        return [run.record for run in self.runs(cells)]

    def references(self) -> dict[str, Reference]:
        """Return what the regrets of each problem are measured against.

        That is the optimum which the problem stated in its latest run. If it stated none, it is the smallest worst case
        that the referee measured in any run here, at its end or on its way.
        """
        names = ("problem", "optimum")
        latest = self._read(f"SELECT {', '.join(names)}, max(rowid) FROM runs GROUP BY problem")
        with self._blaming():
            found = {problem: reference_to(value) for problem, value in (from_row(names, row[:2]) for row in latest)}
        unknown = {problem for problem, reference in found.items() if reference.name != "optimum"}
        return found | (self._best_known(unknown) if unknown else {})

    def _best_known(self, problems: set[str]) -> dict[str, Reference]:
        names = ("problem", "worst_case", "history_worst_case")
        lowest = dict.fromkeys(problems, nan)
        with self._blaming():
            for row in self._rows(f"SELECT {', '.join(names)} FROM runs"):
                problem, worst_case, history = from_row(names, row)
                if problem in problems:
                    lowest[problem] = float(np.fmin.reduce([lowest[problem], worst_case, *history]))
        return {problem: Reference(value, "best known") for problem, value in lowest.items()}

    def versions(self) -> list[dict[str, str]]:
        """Return the versions and the processor that computed what is here; several if one changed meanwhile."""
        with self._blaming():
            return [read_versions(text) for (text,) in self._read("SELECT DISTINCT versions FROM runs ORDER BY 1")]

    def sizes(self) -> dict[str, int]:
        """Return the number of coordinates of x of every problem that was run."""
        query = f"SELECT problem, max(length(x)) / {FLOAT_BYTES} FROM runs GROUP BY problem"
        with self._blaming():
            return {from_row(CELL[:1], (problem,))[0]: int(n) for problem, n in self._read(query)}

    def _read(self, query: str) -> list[Any]:
        return list(self._rows(query))

    def _rows(self, query: str) -> Iterator[Any]:
        self._n_looks = 0
        with self._blaming():
            yield from self._connection.execute(query)

    def _is_endless(self) -> bool:
        """Count the looks at a reading; return whether it takes longer than any of a sound file."""
        self._n_looks += 1
        n_steps = self._n_looks * STEPS_PER_LOOK
        return n_steps > STEPS_AT_LEAST and n_steps > STEPS_AT_LEAST + STEPS_PER_BYTE * _count_bytes(self.path)

    @contextmanager
    def _blaming(self) -> Iterator[None]:
        """Say in one sentence that what is in the file cannot be read."""
        try:
            yield
        except (sqlite3.Error, TypeError, ValueError, RecursionError) as error:
            reason = shortened(printable(str(error)))
            raise UnusableStore(
                f"store: {safe_str(self.path)} cannot be read ({reason}). Is the file damaged? Name a sound copy of it."
            ) from None

    def _check_schema(self) -> None:
        """Refuse a file whose table is not ours, or that runs statements of somebody else's."""
        if flaw := flaw_of_schema(self._read("SELECT type, name, sql FROM sqlite_schema")):
            raise UnusableStore(
                f"store: {safe_str(self.path)} is not used, because {flaw}. Name another one with --store."
            )

    def _prepare(self, exists: bool) -> None:
        """Write the schema into an empty file, in one transaction, and choose write-ahead logging."""
        if not self._read("SELECT * FROM sqlite_schema"):
            script = schema_script()
            try:
                self._connection.executescript(script)
            except sqlite3.Error:
                if self._connection.in_transaction:
                    self._connection.rollback()
                if not exists:
                    self.path.unlink(missing_ok=True)
                raise
        self._connection.execute("PRAGMA journal_mode = WAL")
        # With this a killed process loses nothing; a power cut may cost the last transactions.
        self._connection.execute("PRAGMA synchronous = NORMAL")


def cell_of(record: Record) -> Cell:
    """Return the cell that a record is the result of."""
    return Cell(record.problem, record.method, record.budget, record.repetition)


def _inspect(path: Path, *, readonly: bool) -> bool:
    """Refuse what is clearly no store, judging by its first bytes, before SQLite gets to touch it."""
    if path.is_dir():
        raise UnusableStore(
            f"store: {safe_str(path)} is a directory. Name a file in it, such as {path / 'study.sqlite'}."
        )
    if not path.exists():
        if readonly:
            raise UnusableStore(f"store: there is no file {safe_str(path)}. Has the study been run yet?")
        if not path.parent.is_dir():
            raise UnusableStore(f"store: there is no directory {path.parent}. Create it, or name another file.")
        return False
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise UnusableStore(f"store: {safe_str(path)} cannot be read ({error.strerror}).") from None
    if not header and not readonly:
        return True  # an empty file is an empty database
    if len(header) < 100 or not header.startswith(_MAGIC):
        raise UnusableStore(f"store: {safe_str(path)} is not a SQLite file. Name another one with --store.")
    _check_marks(path, int.from_bytes(header[68:72], "big"), int.from_bytes(header[60:64], "big"))
    return True


def _check_marks(path: Path, application_id: int, schema_version: int) -> None:
    if application_id != APPLICATION_ID:
        raise UnusableStore(
            f"store: {safe_str(path)} is a SQLite file of another application. Name another one with --store."
        )
    if schema_version != SCHEMA_VERSION:
        raise UnusableStore(
            f"store: {safe_str(path)} has schema version {schema_version}, but this version of reckless writes "
            f"{SCHEMA_VERSION}. Name another file with --store, or use the version that wrote it."
        )


def _connect(path: Path, *, readonly: bool) -> sqlite3.Connection:
    """Open a connection that begins its transactions only when told to."""
    if not readonly:
        return sqlite3.connect(path, isolation_level=None, timeout=30.0)
    address = path.resolve().as_uri()
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        # Only a connection that may write tidies up the files of write-ahead mode when it closes.
        connection = sqlite3.connect(f"{address}?mode=rw", uri=True, isolation_level=None, timeout=30.0)
        connection.execute("PRAGMA query_only = ON")
        return connection
    # Where nothing can be written, there is no place for those files, and no writer unless one is at work.
    mode = "mode=ro" if Path(f"{path}-wal").exists() else "immutable=1"
    return sqlite3.connect(f"{address}?{mode}", uri=True, isolation_level=None)


def _count_bytes(path: Path) -> int:
    """Return the size of the store with what is not yet written back to its main file."""
    files = [path, path.with_name(f"{path.name}-wal")]
    return sum(file.stat().st_size for file in files if file.exists())
