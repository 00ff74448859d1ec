"""`solve --out`, `worst-case --at result.json`, and `journal show` and `csv`."""

import csv
import io
import json
import math
import os

import numpy as np
import pytest

import reckless
from journals import changed_head, record
from reckless import load, minimax
from support import X_BOUNDS, Y_BOUNDS, Recorder, tilted_bowl

RUN = ("--maxfev", "150", "--method", "danskin", "--rng", "7")
FILE = """
def f(x, y):
    return float("nan") if x[0] * y[0] > 20 else (x[0] - 2) ** 2 + (x[1] + 3) ** 2 - (y[0] - 5) ** 2

def profit(x, y):
    return -((x[0] - 2) ** 2 + (x[1] + 3) ** 2 - (y[0] - 5) ** 2)
"""
SETS = ("--x", "1:4", "--x", "-7:-2", "--y", "2:9")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "simulate.py").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def failing(x, y):
    return math.nan if x[0] * y[0] > 20.0 else tilted_bowl(x, y)


# solve --out


def test_out_saves_what_json_prints_and_the_seconds(run, folder):
    code, out, _ = run("solve", "simulate.py:f", *SETS, *RUN, "--out", "result.json", "--json", "--keep", "--verify")
    assert code == 0
    said, saved = json.loads(out), json.loads((folder / "result.json").read_text())
    assert said["origin"].pop("seconds") is None
    assert saved["origin"].pop("seconds") > 0.0
    assert said == saved
    assert len(said["pairs"]["values"]) == said["nfev"] + said["verification"]["nfev"]
    assert load("result.json").fun == said["fun"]


def test_what_json_prints_is_loaded_as_well(run, folder):
    (folder / "printed.json").write_text(run("solve", "simulate.py:f", *SETS, *RUN, "--json")[1])
    assert load("printed.json").origin.rng == 7


def test_keep_stands_in_a_problem_file(run, folder):
    (folder / "problem.toml").write_text(
        'objective = "simulate.py:f"\nx_bounds = [[1, 4], [-7, -2]]\ny_bounds = [[2, 9]]\nkeep = true\nrng = 7\n'
        'maxfev = 20\nmethod = "danskin"\n'
    )
    assert len(json.loads(run("solve", "problem.toml", "--json")[1])["pairs"]["values"]) == 20
    (folder / "problem.toml").write_text((folder / "problem.toml").read_text().replace("true", '"yes"'))
    code, _, err = run("solve", "problem.toml")
    assert code == 2
    assert "problem.toml: keep: expected True or False" in err


@pytest.mark.parametrize("name", ["none/result.json", "."])
def test_out_is_refused_before_the_run_if_it_cannot_be_written(run, folder, name):
    (folder / "simulate.py").write_text("def f(x, y):\n    raise SystemError('never called')\n")
    code, _, err = run("solve", "simulate.py:f", *SETS, *RUN, "--out", name)
    assert code == 2
    assert err.startswith("reckless: --out: ")
    assert os.listdir(folder) == ["simulate.py"] or "__pycache__" in os.listdir(folder)


def test_a_run_goes_on_from_a_saved_one(run, folder):
    run("solve", "simulate.py:f", *SETS, *RUN, "--out", "result.json")
    code, out, _ = run("solve", "simulate.py:f", *SETS, *RUN, "--start", "result.json", "--keep", "--json")
    assert code == 0
    assert json.loads(out)["pairs"]["X"][0] == load("result.json").x.tolist()


# worst-case --at result.json


def test_a_saved_design_is_attacked_as_if_its_numbers_were_given(run, folder):
    run("solve", "simulate.py:f", *SETS, *RUN, "--out", "result.json")
    attack = ("worst-case", "simulate.py:f", "--y", "2:9", "--maxfev", "60", "--rng", "1", "--json", "--at")
    by_file = run(*attack, "result.json")
    assert by_file[0] == 0
    x = load("result.json").x
    assert by_file == run(*attack, ",".join(map(repr, x.tolist())))
    said = json.loads(by_file[1])
    assert (said["schema"], said["x"]) == (1, x.tolist())
    expected = reckless.worst_case(lambda x, y: (x[0] - 2) ** 2 + (x[1] + 3) ** 2 - (y[0] - 5) ** 2, x, Y_BOUNDS, rng=1)
    assert said["fun"] == pytest.approx(expected.fun, abs=1e-3)


def test_a_saved_design_of_maximin_is_attacked_from_below(run, folder):
    run("solve", "simulate.py:profit", *SETS, *RUN, "--maximin", "--out", "result.json")
    attack = ("worst-case", "simulate.py:profit", "--y", "2:9", "--maxfev", "60", "--rng", "1", "--json", "--at")
    x = ",".join(map(repr, load("result.json").x.tolist()))
    assert run(*attack, "result.json") == run(*attack, x, "--maximin")


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ("A" * 100_000, "--at: expected numbers with commas"),
        ("\udcff.csv", "--at: expected numbers with commas"),
        ("1,b", "--at: expected numbers with commas between them, such as 1.0,2.5, or the file of a saved result"),
        ("no.json", "--at: no.json cannot be read (No such file or directory)"),
        ("simulate.py", "--at: simulate.py is not a JSON file"),
        ("other.json", "--at: other.json is not a result saved by this package, or is damaged: x is missing."),
        ("later.json", "--at: later.json has schema 9, and this installation reads 1 only."),
    ],
)
def test_what_is_no_design_is_refused_in_a_sentence(run, folder, at, words):
    (folder / "other.json").write_text('{"schema": 1}')
    (folder / "later.json").write_text('{"schema": 9}')
    code, out, err = run("worst-case", "simulate.py:f", "--y", "2:9", "--at", at)
    assert (code, out) == (2, "")
    assert words in err


# journal


OPTIONS = {"method": "danskin", "rng": 7, "verify": 40}


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / "run.journal"
    for maxfev in (60, 120):
        minimax(failing, X_BOUNDS, Y_BOUNDS, maxfev=maxfev, checkpoint=path, **OPTIONS)
    return path


def rows_of(out):
    header, *rows = csv.reader(io.StringIO(out))
    return header, [[math.nan if cell == "" else float(cell) for cell in row] for row in rows]


def test_a_journal_is_printed_as_the_table_of_its_pairs(run, tmp_path):
    path, calls = tmp_path / "run.journal", Recorder(failing)
    minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=60, checkpoint=path, **OPTIONS)
    code, out, err = run("journal", "csv", path)
    header, rows = rows_of(out)
    assert (code, err) == (0, "")
    assert header == ["x[0]", "x[1]", "y[0]", "value"]
    assert np.array_equal(rows, [[*x, *y, failing(x, y)] for x, y in calls.pairs], equal_nan=True)


def test_the_table_of_a_journal_is_data_for_another_run(run, journal, tmp_path):
    (tmp_path / "values.csv").write_text(run("journal", "csv", journal)[1])
    calls = Recorder(failing)
    result = minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=30, method="danskin", rng=7, data=tmp_path / "values.csv")
    assert len(calls) == result.nfev <= 30


def test_a_journal_says_what_run_it_is_and_how_far_it_has_come(run, journal):
    code, out, err = run("journal", "show", journal)
    result = minimax(failing, X_BOUNDS, Y_BOUNDS, maxfev=120, checkpoint=journal, keep=True, **OPTIONS)
    lines = out.split("\n")
    assert (code, err) == (0, "")
    assert lines[0] == str(journal)
    assert lines[1].startswith(f"version {reckless.__version__}, Danskin(")
    assert lines[1].endswith(", minimax")
    assert lines[2] == "x has 2 coordinates, y has 1 coordinate"
    assert lines[3] == "calls: maxfev=60 verify=40, then maxfev=120 verify=40"
    n_failed = int(np.isnan(result.pairs.values).sum())
    n_verifying = len(rows_of(run("journal", "csv", journal)[1])[1]) - 120
    counts = f"120 evaluations of the search and {n_verifying} of the verification, of which {n_failed} failed"
    assert lines[4] == counts
    assert f"with {result.fun:.9g} at y = ({result.y[0]:.6g})" in lines[6]


def test_the_best_of_maximin_has_the_highest_worst_case(run, tmp_path):
    path = tmp_path / "run.journal"
    found = minimax(
        lambda x, y: -tilted_bowl(x, y),
        X_BOUNDS,
        Y_BOUNDS,
        maxfev=150,
        maximin=True,
        method="danskin",
        rng=7,
        checkpoint=path,
    )
    out = run("journal", "show", path)[1]
    assert ", maximin\n" in out
    assert f"with {found.fun:.9g} at y" in out


def test_nothing_is_best_where_no_design_met_two_y(run, tmp_path):
    path = tmp_path / "run.journal"
    minimax(failing, X_BOUNDS, Y_BOUNDS, maxfev=1, method="random-search", rng=7, checkpoint=path)
    assert "No design met enough y to say which is the best." in run("journal", "show", path)[1]


def test_coordinates_have_the_names_that_the_head_says(run, journal):
    changed_head(journal, names={"x": ["gain", "\x1b[31mteeth"], "y": ["load"]})
    assert rows_of(run("journal", "csv", journal)[1])[0] == ["gain", "\\x1b[31mteeth", "load", "value"]
    assert "x has 2 coordinates (gain, " in run("journal", "show", journal)[1]


@pytest.mark.parametrize("names", [3, {"x": 3}, {"x": ["gain"]}, {"x": [1, 2]}])
def test_names_that_do_not_fit_are_passed_over(run, journal, names):
    changed_head(journal, names=names)
    assert rows_of(run("journal", "csv", journal)[1])[0] == ["x[0]", "x[1]", "y[0]", "value"]


def test_a_torn_end_is_said_and_the_file_is_not_modified(run, journal):
    with journal.open("ab") as file:
        file.write(b"value 300 0x1.8p")
    content = journal.read_bytes()
    assert "The end is torn: its last 16 bytes were not read." in run("journal", "show", journal)[1]
    code, out, err = run("journal", "csv", journal)
    assert code == 0
    assert "torn" not in out
    assert err == "The end is torn: its last 16 bytes were not read.\n"
    assert journal.read_bytes() == content


def test_the_journal_of_a_run_that_is_going_on_is_read(run, tmp_path):
    path, seen = tmp_path / "run.journal", []

    def f(x, y):
        if not seen and path.stat().st_size > 3000:
            seen.append(run("journal", "show", path))
        return tilted_bowl(x, y)

    minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=60, checkpoint=path, **OPTIONS)
    assert [code for code, _, _ in seen] == [0]


def test_a_journal_that_only_begins_has_a_table_without_rows(run, journal):
    head = journal.read_bytes().splitlines(keepends=True)[0]
    journal.write_bytes(head)
    assert run("journal", "csv", journal) == (0, "x[0],x[1],y[0],value\n", "")
    assert "0 evaluations of the search, of which 0 failed" in run("journal", "show", journal)[1]


@pytest.mark.parametrize("command", ["show", "csv"])
@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda lines: b"", "is empty: its run has not begun yet."),
        (lambda lines: b"PNG\n", "is not a journal of this package, or is damaged at line 1."),
        (lambda lines: lines[0] + b"value 0 junk\n" + b"".join(lines[1:]), "is damaged at line 2."),
        (lambda lines: lines[0].replace(b'"format": 3', b'"format": 9'), "is a journal of format 9"),
        (lambda lines: lines[0] + record(b"value 7777 0x1p+0 " + b"0" * 16 + b" " + b"0" * 32) + b"".join(lines[2:]),
         "is damaged: its pairs differ in length."),
    ],
    ids=["empty", "foreign", "damaged", "format", "lengths"],
)  # fmt: skip
def test_a_damaged_journal_is_refused_in_a_sentence(run, journal, command, damage, words):
    content = damage(journal.read_bytes().splitlines(keepends=True))
    journal.write_bytes(content)
    code, out, err = run("journal", command, journal)
    assert (code, out) == (2, "")
    assert err.startswith(f"reckless: FILE: {journal} ")
    assert words in err
    assert journal.read_bytes() == content


def test_no_journal_is_made_where_there_is_none(run, tmp_path):
    code, _, err = run("journal", "show", tmp_path / "none")
    assert code == 2
    assert "cannot be read (No such file or directory)" in err
    assert not (tmp_path / "none").exists()
    assert run("journal", "csv", "/dev/zero")[2].endswith("is a device. Give another file.\n")
