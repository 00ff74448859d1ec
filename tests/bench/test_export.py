"""Exports: exact, ordered, and the same bytes whatever the order and time of the runs."""

import csv
import io
import json
import math

import pytest

from bench.test_store import make_record
from reckless.bench.export import export
from reckless.bench.record import Reference
from reckless.bench.store import Store
from reckless.bench.study import Cell
from reckless.errors import InvalidArgument


def exported(tmp_path, records, name="s", **options):
    file = io.StringIO()
    with Store(tmp_path / f"{name}.sqlite") as store:
        for record in records:
            store.append([(record, "MMDE(scale=0.7)")])
        n = export(store, file, **options)
    return n, file.getvalue()


@pytest.mark.parametrize("format", ["csv", "json"])
def test_the_order_and_the_time_of_the_runs_do_not_show(tmp_path, format):
    first = [make_record(k, seconds=1.0) for k in (0, 1, 2)]
    second = [make_record(k, seconds=9.0) for k in (2, 0, 1)]
    a = exported(tmp_path, first, "a", format=format)
    assert a == exported(tmp_path, second, "b", format=format)
    assert a[0] == 3


def test_csv_numbers_read_back_exactly(tmp_path):
    record = make_record()
    _, text = exported(tmp_path, [record], format="csv")
    (row,) = csv.DictReader(io.StringIO(text))
    assert [float(value) for value in row["x"].split()] == record.x.tolist()
    assert float(row["inner_gap"]) == record.inner_gap
    assert float(row["regret"]) == record.regret
    assert float(row["worst_case"]) == math.inf
    assert int(row["seed"]) == record.seed
    assert row["parameters"] == "MMDE(scale=0.7)"
    assert "seconds" not in row


@pytest.mark.parametrize("format", ["csv", "json"])
def test_a_regret_says_what_it_is_against(tmp_path, format):
    records = [make_record(), make_record(problem="tank.py:tank", reference=Reference(math.nan, "best known"))]
    _, text = exported(tmp_path, records, format=format)
    rows = list(csv.DictReader(io.StringIO(text))) if format == "csv" else json.loads(text)
    assert [row["against"] for row in rows] == ["optimum", "best known"]


def test_json_is_strict_and_has_the_histories(tmp_path):
    record = make_record(estimate=math.nan)
    _, text = exported(tmp_path, [record, make_record(1)], format="json")

    def refuse(constant):
        raise AssertionError(constant)

    first, second = json.loads(text, parse_constant=refuse)
    assert first["estimate"] is None
    assert first["worst_case"] == "inf"
    assert first["x"] == [0.1, "-inf", 1.0000000000000002]
    assert first["history_regret"] == record.history_regret.tolist()
    assert second["repetition"] == 1
    assert len(text.splitlines()) == 4


@pytest.mark.parametrize("format", ["csv", "json"])
def test_provenance_is_added_on_request(tmp_path, format):
    _, text = exported(tmp_path, [make_record()], format=format, provenance=True)
    assert "finished_at" in text
    assert "numpy" in text


@pytest.mark.parametrize(("format", "empty"), [("csv", 1), ("json", 1)])
def test_an_empty_store_exports_an_empty_table(tmp_path, format, empty):
    n, text = exported(tmp_path, [], format=format)
    assert n == 0
    assert len(text.splitlines()) == empty


def test_only_the_cells_asked_for_are_exported(tmp_path):
    n, text = exported(tmp_path, [make_record(k) for k in range(3)], format="csv", cells=[Cell("L1", "mmde", 100, 1)])
    assert n == 1
    assert text.splitlines()[1].startswith("L1,mmde,100,1,")


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(InvalidArgument, match="csv or json"):
        exported(tmp_path, [], format="xml")
