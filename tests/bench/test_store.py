"""The store: what goes in comes out bit by bit, and whatever is no store is refused and left alone."""

import io
import math
import os
import platform
import sqlite3

import numpy as np
import pytest

from reckless.bench.export import export
from reckless.bench.machine import provenance
from reckless.bench.record import Record, Reference
from reckless.bench.store import Store, UnusableStore, cell_of
from reckless.bench.study import Cell


def make_record(repetition=0, **changes):
    values = {
        "problem": "L1",
        "method": "mmde",
        "budget": 100,
        "repetition": repetition,
        "seed": 2**63 - 1,
        "nfev": 99,
        "seconds": 0.25,
        "x": np.array([0.1, -np.inf, np.nextafter(1.0, 2.0)]),
        "y": np.array([5.0]),
        "estimate": 1.0 / 3.0,
        "worst_case": np.inf,
        "mse": 5e-324,
        "inner_gap": 0.1 + 0.2,
        "history_nfev": np.array([10.0, 90.0]),
        "history_worst_case": np.array([math.pi, -0.0]),
        "reference": Reference(1.0 / 7.0, "optimum"),
    }
    return Record(**(values | changes))


def same(first, second):
    return all(
        np.array_equal(np.asarray(a), np.asarray(b), equal_nan=np.asarray(a).dtype.kind == "f")
        for a, b in ((getattr(first, name), getattr(second, name)) for name in Record.__slots__)
    )


def test_a_record_comes_back_bit_by_bit(tmp_path):
    record = make_record()
    with Store(tmp_path / "s.sqlite") as store:
        store.append([(record, "MMDE()")])
    with Store(tmp_path / "s.sqlite", readonly=True) as store:
        (run,) = store.runs()
    assert same(run.record, record)
    assert run.record.x.tobytes() == record.x.tobytes()
    assert run.parameters == "MMDE()"
    assert run.finished_at.endswith("+00:00")


def test_not_a_number_is_kept_as_such(tmp_path):
    record = make_record(
        estimate=math.nan, inner_gap=math.nan, history_nfev=np.empty(0), history_worst_case=np.empty(0)
    )
    with Store(tmp_path / "s.sqlite") as store:
        store.append([(record, "")])
        (back,) = store.records()
    assert math.isnan(back.estimate)
    assert math.isnan(back.inner_gap)
    assert back.history_regret.size == 0


def unknown(repetition, worst_case, **changes):
    history = {"history_nfev": np.empty(0), "history_worst_case": np.empty(0)}
    reference = Reference(math.nan, "best known")
    return make_record(repetition, **{"worst_case": worst_case, "reference": reference, **history, **changes})


def test_without_an_optimum_regret_is_against_the_best_run_of_the_store(tmp_path):
    runs = [unknown(0, 7.5), unknown(1, math.nan), unknown(2, 3.25, method="auto"), unknown(3, math.inf)]
    with Store(tmp_path / "s.sqlite") as store:
        store.append([(run, "") for run in runs[:2]])
        store.append([(make_record(problem="L2", worst_case=2.0), "")])
        assert [r.regret for r in store.records() if r.repetition == 0] == [0.0, 2.0 - 1.0 / 7.0]
        store.append([(run, "") for run in runs[2:]])
        assert store.references() == {"L1": Reference(3.25, "best known"), "L2": Reference(1.0 / 7.0, "optimum")}
        (first, last) = (next(r for r in store.records() if r.repetition == k) for k in (0, 3))
        assert (first.regret, first.against, last.regret) == (4.25, "best known", math.inf)
        (one,) = store.records([Cell("L1", "mmde", 100, 0)])  # of all runs, not of those asked for
        assert one.regret == 4.25
        assert math.isnan(one.optimum)


def test_a_better_x_on_the_way_is_known_too(tmp_path):
    history = {"history_nfev": np.array([5.0, 20.0]), "history_worst_case": np.array([3.0, 4.5])}
    with Store(tmp_path / "s.sqlite") as store:
        store.append([(unknown(0, 4.5, **history), "")])
        (record,) = store.records()
    assert record.regret == 1.5
    assert record.history_regret.tolist() == [0.0, 1.5]


def test_the_latest_run_says_whether_the_optimum_is_known(tmp_path):
    """A problem file may learn of its optimum, or lose faith in it."""
    with Store(tmp_path / "s.sqlite") as store:
        store.append([(unknown(0, 5.0), "")])
        store.append([(unknown(1, 4.0, reference=Reference(3.5, "optimum")), "")])
        assert [(r.regret, r.against) for r in store.records()] == [(1.5, "optimum"), (0.5, "optimum")]
        store.append([(unknown(2, 6.0), "")])
        assert [r.regret for r in store.records()] == [1.0, 0.0, 2.0]


def test_a_problem_whose_runs_all_failed_has_no_reference(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.append([(unknown(0, math.nan), "")])
        (record,) = store.records()
    assert math.isnan(record.regret)


def test_every_run_knows_the_versions_that_made_it(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.append([(make_record(), "")])
        store.append([(make_record(1), "")], is_cluster=True)
        assert store.versions() == sorted([provenance(), provenance(is_cluster=True)], key=str)
    assert set(provenance()) == {"reckless", "numpy", "scipy", "numba", "python", "processor"}
    assert platform.machine() in provenance()["processor"]


def test_runs_come_in_the_order_of_their_cells_not_of_their_arrival(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.append([(make_record(2), ""), (make_record(0, budget=1000), "")])
        store.append([(make_record(1), ""), (make_record(7, problem="A"), "")])
        cells = [cell_of(record) for record in store.records()]
        assert cells == sorted(cells)
        assert store.finished() == set(cells)
        assert store.records([Cell("L1", "mmde", 100, 2), Cell("L1", "mmde", 100, 5)])[0].repetition == 2
        assert len(store) == 4


def test_a_first_result_is_never_replaced(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.append([(make_record(nfev=1), "")])
        store.append([(make_record(nfev=2), "")])
        assert [record.nfev for record in store.records()] == [1]


def test_the_file_itself_refuses_edits(tmp_path):
    with Store(tmp_path / "s.sqlite") as store:
        store.append([(make_record(), "")])
    connection = sqlite3.connect(tmp_path / "s.sqlite")
    with pytest.raises(sqlite3.IntegrityError, match="never edited"):
        connection.execute("UPDATE runs SET nfev = 0")
    with pytest.raises(sqlite3.IntegrityError, match="never deleted"):
        connection.execute("DELETE FROM runs")
    connection.close()


def test_a_store_opened_for_reading_cannot_be_written_and_leaves_no_files_behind(tmp_path):
    with Store(tmp_path / "s.sqlite"):
        pass
    with Store(tmp_path / "s.sqlite", readonly=True) as store, pytest.raises(UnusableStore):
        store.append([(make_record(), "")])
    assert os.listdir(tmp_path) == ["s.sqlite"]


def test_one_may_read_while_another_writes(tmp_path):
    with Store(tmp_path / "s.sqlite") as writer, Store(tmp_path / "s.sqlite", readonly=True) as reader:
        writer.append([(make_record(), "")])
        assert len(reader) == 1
        writer.append([(make_record(1), "")])
        assert len(reader) == 2


def test_a_store_can_be_read_where_nothing_can_be_written(tmp_path, monkeypatch):
    with Store(tmp_path / "s.sqlite") as store:
        store.append([(make_record(), "")])
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with Store(tmp_path / "s.sqlite", readonly=True) as store:
        assert len(store) == 1


def test_an_empty_file_becomes_a_store(tmp_path):
    (tmp_path / "s.sqlite").touch()
    with Store(tmp_path / "s.sqlite") as store:
        assert len(store) == 0


def refused(path, **options):
    """The sentence with which a path is refused, having checked that nothing changed."""
    before = snapshot(path.parent)
    with pytest.raises(UnusableStore) as refusal:
        Store(path, **options)
    assert snapshot(path.parent) == before
    assert "\n" not in str(refusal.value)
    assert str(path) in str(refusal.value) or str(path.parent) in str(refusal.value)
    return str(refusal.value)


def snapshot(directory):
    if not directory.is_dir():
        return None
    return {file.name: file.read_bytes() if file.is_file() else None for file in directory.iterdir()}


@pytest.mark.parametrize("readonly", [False, True])
@pytest.mark.parametrize("content", [b"problem,regret\n", b"SQLite format 3\0", b"\0" * 4096])
def test_a_file_that_is_not_sqlite_is_refused(tmp_path, content, readonly):
    (tmp_path / "s.sqlite").write_bytes(content)
    assert "not a SQLite file" in refused(tmp_path / "s.sqlite", readonly=readonly)


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
@pytest.mark.parametrize("application_id", [0, 1234])
def test_the_sqlite_file_of_another_application_is_refused(tmp_path, application_id, mode):
    connection = sqlite3.connect(tmp_path / "s.sqlite")
    connection.execute(f"PRAGMA journal_mode = {mode}")
    connection.execute(f"PRAGMA application_id = {application_id}")
    connection.execute("CREATE TABLE runs (a)")
    connection.close()
    assert "another application" in refused(tmp_path / "s.sqlite")


@pytest.mark.parametrize("version", [0, 1, 99])
def test_a_store_of_another_schema_version_is_refused(tmp_path, version):
    with Store(tmp_path / "s.sqlite") as store:
        store.append([(make_record(), "")])
    connection = sqlite3.connect(tmp_path / "s.sqlite")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    assert f"schema version {version}" in refused(tmp_path / "s.sqlite")
    assert f"schema version {version}" in refused(tmp_path / "s.sqlite", readonly=True)


def test_a_damaged_store_is_refused(tmp_path):
    with Store(tmp_path / "s.sqlite"):
        pass
    data = bytearray((tmp_path / "s.sqlite").read_bytes())
    data[100:3000] = b"\xff" * 2900
    (tmp_path / "s.sqlite").write_bytes(data)
    with pytest.raises(UnusableStore, match="damaged"):
        Store(tmp_path / "s.sqlite")


def test_a_directory_or_a_missing_one_is_refused(tmp_path):
    (tmp_path / "inside").mkdir()
    assert "is a directory" in refused(tmp_path / "inside")
    assert "no directory" in refused(tmp_path / "nowhere" / "s.sqlite")


def test_reading_needs_a_file(tmp_path):
    assert "no file" in refused(tmp_path / "s.sqlite", readonly=True)


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a directory in which nobody may write")
def test_a_directory_that_takes_no_files_is_refused():
    with pytest.raises(UnusableStore, match="read-only"):
        Store("/proc/self/s.sqlite")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_read_only_directory_is_refused(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    assert "read-only" in refused(closed / "s.sqlite")


def edited(path, *statements):
    """Change a store behind its own back."""
    with Store(path) as store:
        store.append([(make_record(r), "MMDE()") for r in range(3)])
    connection = sqlite3.connect(path)
    connection.execute("DROP TRIGGER runs_are_not_edited")
    for statement, *values in statements:
        connection.execute(statement, values)
    connection.commit()
    connection.close()
    return path


DAMAGE = [
    ("x", b"123"),
    ("x", b""),
    ("y", "text"),
    ("history_worst_case", b"\0" * 8),
    ("versions", "3"),
    ("versions", '{"numpy": 3}'),
    ("versions", "[" * 100_000),
    ("optimum", "a"),
    ("seconds", "abc"),
    ("seed", 1e300),
    ("nfev", -1),
    ("budget", b"\0"),
    ("problem", b"\xff"),
    ("finished_at", b"now"),
]


@pytest.mark.parametrize(("column", "value"), DAMAGE)
def test_a_damaged_value_is_refused_in_one_sentence_before_anything_is_printed(tmp_path, column, value):
    path = edited(tmp_path / "s.sqlite", (f"UPDATE runs SET {column} = ? WHERE repetition = 2", value))
    file = io.StringIO()
    with Store(path, readonly=True) as store, pytest.raises(UnusableStore) as refusal:
        export(store, file, format="csv")
    assert file.getvalue() == ""
    assert "damaged" in str(refusal.value)
    assert len(str(refusal.value)) < 600
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize(("column", "value"), [("problem", b"\xff"), ("budget", "many"), ("repetition", -1)])
def test_a_damaged_cell_is_refused_when_cells_are_asked_for(tmp_path, column, value):
    path = edited(tmp_path / "s.sqlite", (f"UPDATE runs SET {column} = ? WHERE repetition = 2", value))
    with Store(path) as store, pytest.raises(UnusableStore, match="damaged"):
        store.finished()


def test_flipped_bytes_are_refused_or_read(tmp_path):
    path = edited(tmp_path / "s.sqlite")
    sound, rng = path.read_bytes(), np.random.default_rng(5)
    sentences = []
    for _ in range(60):
        data = bytearray(sound)
        for at in rng.integers(100, len(data), 20):
            data[at] = rng.integers(256)
        path.write_bytes(data)
        try:
            with Store(path, readonly=True) as store:
                export(store, io.StringIO(), format="json", provenance=True)
                store.finished(), store.versions(), store.sizes()
        except UnusableStore as refusal:
            sentences.append(str(refusal))
    assert len(sentences) > 20
    assert all(sentence.isprintable() for sentence in sentences)


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT r0.* FROM r0, n"


@pytest.mark.parametrize("readonly", [False, True])
def test_a_view_in_place_of_the_table_is_refused(tmp_path, readonly):
    path = edited(
        tmp_path / "s.sqlite",
        ("DROP TRIGGER runs_are_not_deleted",),
        ("ALTER TABLE runs RENAME TO r0",),
        (f"CREATE VIEW runs AS {ENDLESS}",),
    )
    with pytest.raises(UnusableStore, match="its table of runs is not the one"):
        Store(path, readonly=readonly)


def test_a_trigger_of_somebody_else_is_refused(tmp_path):
    spoiled = "CREATE TRIGGER more AFTER INSERT ON runs BEGIN SELECT 1; END"
    with pytest.raises(UnusableStore, match="trigger that is not ours, 'more'"):
        Store(edited(tmp_path / "s.sqlite", (spoiled,)))


def test_a_reading_that_does_not_end_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr("reckless.bench.store.STEPS_AT_LEAST", 200_000)
    with (
        Store(edited(tmp_path / "s.sqlite"), readonly=True) as store,
        pytest.raises(UnusableStore, match="interrupted"),
    ):
        store._read("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
