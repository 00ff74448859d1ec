"""`reckless bench` and `reckless paper`, as commands."""

import json
import os
import re
import sqlite3
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from bench.report_samples import record
from reckless.bench.record import Reference
from reckless.bench.store import Store
from reckless.cli.bench import bench
from reckless.cli.paper import EXPERIMENTS, paper
from reckless.errors import OptimizationError

STUDY = """
problems = ["L1:n=2", "L3"]
methods = ["random-search", "mmde"]
budgets = [50, 200]
repetitions = 2
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path


def call(*words, command=bench):
    return CliRunner().invoke(command, list(words))


def test_a_study_is_run_looked_at_and_exported(study):
    assert "0 of 16 cells finished" in call("status", "study.toml").stdout
    run = call("run", "study.toml", "--workers", "1")
    assert run.exit_code == 0, run.output
    assert "median regret" in run.stdout
    assert "study.sqlite" in run.stderr
    status = call("status", "study.toml")
    assert "16 of 16 cells finished" in status.stdout
    assert "L1:n=2" in status.stdout
    printed = call("export", "study.toml").stdout
    assert len(printed.splitlines()) == 17
    assert call("export", "--store", "study.sqlite").stdout == printed
    written = call("export", "study.toml", "--format", "json", "--out", "runs.json", "--provenance")
    assert "16 runs written to runs.json" in written.stderr
    runs = json.loads((study / "runs.json").read_text())
    assert len(runs) == 16
    assert "numpy" in runs[0]["versions"]
    assert sorted(os.listdir(study)) == ["runs.json", "study.sqlite", "study.toml"]


@pytest.mark.parametrize("command", ["run", "status", "export", "report"])
@pytest.mark.parametrize(
    ("old", "new", "word"),
    [('"L3"', '"L9"', "L9"), ('"mmde"', '"mmd"', "mmde"), ("budgets", "budget", "budgets"), ("[50", "[[50", "TOML")],
)
def test_a_study_file_with_a_mistake_changes_nothing(study, command, old, new, word):
    (study / "study.toml").write_text(STUDY.replace(old, new))
    result = call(command, "study.toml")
    assert isinstance(result.exception, OptimizationError)
    assert word in str(result.exception)
    assert os.listdir(study) == ["study.toml"]


def damaged(kind, path):
    if kind == "text":
        path.write_text("not a store")
    elif kind == "directory":
        path.mkdir()
    elif kind == "application":
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE runs (a)")
        connection.close()
    else:
        Store(path).close()
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version = 7")
        connection.close()


@pytest.mark.parametrize("command", ["run", "status", "export", "report"])
@pytest.mark.parametrize("kind", ["text", "directory", "application", "version"])
def test_a_store_that_cannot_be_used_is_refused_and_left_alone(study, command, kind):
    path = study / "study.sqlite"
    damaged(kind, path)
    before = path.read_bytes() if path.is_file() else None
    result = call(command, "study.toml")
    assert isinstance(result.exception, OptimizationError)
    assert "study.sqlite" in str(result.exception)
    assert (path.read_bytes() if path.is_file() else None) == before
    assert sorted(os.listdir(study)) == ["study.sqlite", "study.toml"]


def test_a_report_has_the_name_and_the_runs_of_its_study(study):
    runs = [record(p, "mmde", b, r, 0.5) for p in ("L3", "L4") for b in (50, 90) for r in range(2)]
    with Store(study / "study.sqlite") as store:
        store.append([(run, "MMDE()") for run in runs])
    (study / "study.toml").write_text('name = "Masts & <guys>"' + STUDY)
    result = call("report", "study.toml", "--out", "masts.html")
    assert result.exit_code == 0, result.output
    assert result.stderr.startswith("Report: masts.html, 2 runs, ")  # L4 and 90 evaluations are of another study
    page = (study / "masts.html").read_text(encoding="utf-8")
    assert "<h1>Masts &amp; &lt;guys&gt;</h1>" in page
    assert "<td>L3</td>" in page
    assert "<td>L4</td>" not in page
    elsewhere = call("report", "study.toml", "--store", "study.sqlite", "--out", "no/masts.html")
    assert str(elsewhere.exception) == "--out: there is no directory no. Create it, or name another."


def test_a_report_on_a_study_without_runs_is_refused(study):
    assert "Has the study been run yet?" in str(call("report", "study.toml").exception)
    Store(study / "study.sqlite").close()
    refused = str(call("report", "study.toml").exception)
    assert refused == "store: study.sqlite holds no finished run yet. Run its study first."
    assert not (study / "report.html").exists()


def test_the_table_of_a_study_says_where_regret_is_against_the_best_known(study):
    with Store(study / "study.sqlite") as store:
        own = [record("my.py:t", "mmde", 50, r, 2.5 + r, reference=Reference(np.nan, "best known")) for r in range(2)]
        store.append([(run, "MMDE()") for run in [*own, record("L3", "mmde", 50, 0, 0.5)]])
    (study / "study.toml").write_text(STUDY.replace('"L1:n=2"', '"my.py:t"').replace('"random-search", ', ""))
    shown = call("status", "study.toml").stdout
    assert re.search(r"my\.py:t +best known, 2\.5 +50 +0\.5 \(2\)", shown)
    assert re.search(r"L3 +optimum +50 +0\.5 \(1\)", shown)
    (study / "study.toml").write_text(STUDY)
    assert "against" not in call("status", "study.toml").stdout


def test_export_needs_to_know_what_to_export(study):
    result = call("export")
    assert result.exit_code == 2
    assert "--store" in result.output
    assert isinstance(call("export", "--store", "nowhere.sqlite").exception, OptimizationError)


def test_an_export_that_cannot_be_written_says_so(study):
    Store(study / "study.sqlite").close()
    result = call("export", "study.toml", "--out", "nowhere/runs.csv")
    assert isinstance(result.exception, OptimizationError)
    assert "nowhere/runs.csv cannot be written" in str(result.exception)


def test_ctrl_c_ends_with_a_sentence_and_keeps_what_is_finished(study, monkeypatch):
    import reckless.bench.runner as runner

    def interrupted(cells, store, *, workers, dask):
        yield runner.Progress(0, len(cells), 0, 1, 0.0)
        store.append([runner.run_cell(cells[0])])
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "run_cells", interrupted)
    result = call("run", "study.toml")
    assert result.exit_code == 130
    assert "1 of 16 cells are finished" in result.stderr


@pytest.fixture
def tiny_paper(monkeypatch, tmp_path):
    """The paper with hardly any runs."""
    from reckless.bench.paper import studies

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(studies, "QUICK_REPETITIONS", 1)
    monkeypatch.setattr(studies, "QUICK_BUDGETS", (100,))
    return tmp_path


def test_one_experiment_of_the_paper_is_run_and_reported(tiny_paper):
    words = ("--quick", "--experiment", "filter", "--workers", "1", "--out", "page.html")
    result = call(*words, command=paper)
    assert result.exit_code == 0, result.output
    assert "digital filter" in result.stdout
    assert (tiny_paper / "page.html").read_text().lower().startswith("<!doctype html>")
    with Store(tiny_paper / "reckless-paper.sqlite", readonly=True) as store:
        assert {record.problem for record in store.records()} == {"filter", "filter-signed"}
        assert len(store) == 8


def test_a_report_that_could_not_be_written_is_refused_before_the_runs(tiny_paper):
    result = call("--quick", "--out", "nowhere/page.html", command=paper)
    assert isinstance(result.exception, OptimizationError)
    assert "no directory nowhere" in str(result.exception)
    assert os.listdir(tiny_paper) == []


def test_the_experiments_of_the_command_are_those_of_the_paper():
    from reckless.bench import paper as data

    assert EXPERIMENTS == data.EXPERIMENTS


def test_the_status_of_a_billion_cells_is_told_and_running_them_refused(study):
    Store(study / "study.sqlite").close()
    (study / "study.toml").write_text(STUDY.replace("repetitions = 2", "repetitions = 1000000000"))
    assert "0 of 8,000,000,000 cells finished" in call("status", "study.toml").stdout
    assert isinstance(call("run", "study.toml").exception, OptimizationError)
    assert call("export", "study.toml").stdout.count("\n") == 1


def test_a_table_that_nobody_could_read_is_cut(study, monkeypatch):
    monkeypatch.setattr(sys.modules["reckless.cli.bench"], "TABLE_ENTRIES", 9)
    Store(study / "study.sqlite").close()
    assert "1 more rows" in call("status", "study.toml").stdout


EVIL = "open('was-run', 'w').close()\n"


def test_looking_at_a_study_imports_nothing_that_it_names(study):
    (study / "evil.py").write_text(EVIL)
    text = STUDY.replace('"L3"', '"evil.py:tank"').replace('"mmde"', '"evil.py:Mine"')
    (study / "study.toml").write_text(text + "budgets_per_dimension = [7]\n")
    told = call("status", "study.toml").stdout
    assert "0 of 20 cells finished" in told
    assert "Not counted: budgets per dimension of evil.py:tank" in told
    Store(study / "study.sqlite").close()
    assert "0 of 20 cells finished" in call("status", "study.toml").stdout
    assert call("export", "study.toml").exit_code == 0
    with Store(study / "study.sqlite") as store:
        store.append([(record("evil.py:tank", "evil.py:Mine", 50, r, 0.5), "Mine()") for r in range(2)])
    assert call("report", "study.toml").exit_code == 0
    assert (study / "report.html").exists()
    assert not (study / "was-run").exists()


def test_the_size_of_a_problem_of_the_users_is_that_of_its_runs(study):
    with Store(study / "study.sqlite") as store:
        run = record("evil.py:tank", "mmde", 14, 0, 0.5, x=np.ones(2))
        store.append([(run, "MMDE()")])
    text = STUDY.replace('"L1:n=2", "L3"', '"evil.py:tank"').replace(
        "budgets = [50, 200]", "budgets_per_dimension = [7]"
    )
    (study / "study.toml").write_text(text)
    assert "1 of 4 cells finished.\n" in call("status", "study.toml").stdout
    assert "evil.py:tank" in call("export", "study.toml").stdout


def test_running_a_study_imports_what_it_names_before_it_makes_a_store(study):
    (study / "evil.py").write_text(EVIL)
    (study / "study.toml").write_text(STUDY.replace('"L3"', '"evil.py:tank"'))
    result = call("run", "study.toml")
    assert str(result.exception).startswith("study.toml: problem: evil.py defines no Problem called 'tank'")
    assert sorted(os.listdir(study)) == ["evil.py", "study.toml", "was-run"]
    assert "imported" in call("run", "--help").stdout


@pytest.mark.skipif(os.name == "nt", reason="needs named pipes")
def test_an_export_is_written_to_a_pipe_which_stays_one(study):
    Store(study / "study.sqlite").close()
    pipe = study / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # so that the writer need not wait for one
    try:
        result = call("export", "study.toml", "--out", "pipe")
        assert result.exit_code == 0, result.output
        assert os.read(reader, 1000).startswith(b"problem,method,")
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert sorted(os.listdir(study)) == ["pipe", "study.sqlite", "study.toml"]


def test_an_export_through_a_link_leaves_the_link(study):
    Store(study / "study.sqlite").close()
    (study / "link.csv").symlink_to("runs.csv")
    assert call("export", "study.toml", "--out", "link.csv").exit_code == 0
    assert (study / "link.csv").is_symlink()
    assert (study / "runs.csv").read_text().startswith("problem,method,")


def test_a_study_that_goes_on_elsewhere_says_so_on_stderr(study, monkeypatch):
    assert "elsewhere" not in call("run", "study.toml", "--workers", "1").stderr
    here = {"reckless": "0", "numpy": "1", "processor": "Z80"}
    monkeypatch.setattr(sys.modules["reckless.bench.machine"], "provenance", lambda is_cluster=False: here)
    assert "elsewhere" not in call("run", "study.toml", "--workers", "1").stderr  # there is nothing left to run
    (study / "study.toml").write_text(STUDY.replace("repetitions = 2", "repetitions = 3"))
    said = call("run", "study.toml", "--workers", "1")
    assert said.exit_code == 0
    assert "the store holds runs from elsewhere (" in said.stderr
    assert "there and Z80 here" in said.stderr


def test_a_store_without_processors_goes_on_without_a_word():
    from reckless.bench.machine import provenance, say_differences

    here = provenance()
    old = {name: version for name, version in here.items() if name != "processor"}
    assert say_differences([old, here], here) == ""
    assert say_differences([here | {"numpy": "\x1b[1m"}], here) == f"numpy \\x1b[1m there and {here['numpy']} here"
