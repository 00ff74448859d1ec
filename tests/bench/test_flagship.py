"""The table of benchmarks/flagship.py: runs made by hand, and a few short ones that are stored and resumed."""

import importlib
import json
import math
from dataclasses import asdict, replace
from types import SimpleNamespace

import pytest

from reckless.bench.problems import problem


@pytest.fixture(scope="module")
def flagship(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(request.config.rootpath / "benchmarks"))
        names = ("flagship", "flagship_rows", "flagship_judges", "flagship_runs")
        main, rows, judges, runs = map(importlib.import_module, names)
        yield SimpleNamespace(main=main, rows=rows, judges=judges, runs=runs)


@pytest.fixture
def run(flagship):
    return flagship.runs.Run(
        row="hit-wra",
        problem="f1",
        method="m",
        maxfev=300,
        seed=7,
        nfev=300,
        regret=1e-7,
        first_hit=120.0,
        score=math.nan,
        error=0.0,
        success=True,
        is_honest=True,
        agreement="None",
        overhead=9.0,
    )


def test_every_row_names_a_problem_and_no_run_is_asked_for_twice(flagship):
    rows = flagship.rows.make_rows()
    keys = [cell.key for row in rows for cell in row.cells("m")]
    assert len(set(keys)) == len(keys)
    assert {row.of for row in rows} == {"danskin", "descent", "finite"}
    assert {row.first_seed for row in rows if row.of == "danskin"} == {3001}
    assert {(row.first_seed, row.n_runs) for row in rows if row.of != "danskin"} == {(7001, 10)}
    for row in rows:
        if row.of == "finite":
            assert problem(row.problem.format(instance=2)).y_bounds.n_scenarios >= 5


def test_a_run_counts_the_first_hit_and_holds_the_estimate_against_the_truth(flagship):
    cell = flagship.runs.Cell("hit-L", "L1", "danskin", 900, 3)
    found = flagship.runs.measure(cell)
    assert found.key == cell.key
    assert found.regret <= 1e-6
    assert 10 < found.first_hit < 900
    assert found.is_honest
    assert found.success
    assert math.isnan(found.score)
    short = flagship.runs.measure(replace(cell, maxfev=20))
    assert short.first_hit == math.inf
    assert short.regret > 1e-3


def test_the_score_is_the_regret_in_units_of_that_of_the_guess(flagship):
    found = flagship.runs.measure(flagship.runs.Cell("score", "truss", "random-search", 60, 3))
    p = problem("truss")
    guess = p.worst_case([p.guess])[0][0] - p.optimum.value
    assert found.score == pytest.approx(found.regret / guess, rel=1e-12)


def test_a_torn_line_is_cut_off_and_whole_ones_are_kept(flagship, run, tmp_path):
    path = tmp_path / "runs.jsonl"
    assert flagship.runs.read_runs(path) == []
    missed = replace(run, seed=8, first_hit=math.inf, score=0.5)
    for one in (replace(run, score=0.25), missed):
        flagship.runs.append_run(path, one)
    with path.open("a") as file:
        file.write(json.dumps(asdict(run))[:40])
    assert flagship.runs.read_runs(path) == [replace(run, score=0.25), missed]
    flagship.runs.append_run(path, missed)
    assert len(flagship.runs.read_runs(path)) == 3


def test_runs_that_are_stored_are_not_made_again(flagship, tmp_path, capsys):
    row = flagship.rows.Row("hit-L", "L1", 60, 3, "first hit <= 9", flagship.judges.hits(0.0, 9))
    options = SimpleNamespace(method="random-search", runs=0, first_seed=0, jobs=1, out=tmp_path / "runs.jsonl")
    options.out.touch()
    flagship.main.make_missing([row], SimpleNamespace(**{**vars(options), "runs": 2}))
    first = flagship.runs.read_runs(options.out)
    flagship.main.make_missing([row], options)
    runs = flagship.runs.read_runs(options.out)
    assert [r.overhead for r in runs[:2]] == [r.overhead for r in first]
    assert [r.seed for r in runs] == [3001, 3002, 3003]
    assert capsys.readouterr().out.count("MISSED") == 2
    assert flagship.main.judged(row, runs[:2], options)[-1] == "MISSING"
    assert flagship.main.judged(row, [], options)[-1] == "MISSING"


def test_a_failing_run_is_reported_and_the_others_go_on(flagship, capsys):
    cells = [flagship.runs.Cell("x", name, "random-search", 30, 1) for name in ("no such problem", "L1")]
    assert [r.problem for r in flagship.runs.measure_all(cells, 1)] == ["L1"]
    assert "no such problem" in capsys.readouterr().err


def test_hits_ask_for_a_share_of_the_runs_and_for_the_median(flagship, run):
    runs = [replace(run, first_hit=hit) for hit in (10.0, 30.0, 20.0)] + [replace(run, first_hit=math.inf, regret=1.0)]
    judge = flagship.judges.hits
    assert judge(0.75, 25)(runs) == ("3/4, first hit 25 (last inf)", True)
    assert not judge(0.75, 24)(runs)[1]
    assert not judge(1.0, 25)(runs)[1]


@pytest.mark.parametrize(
    ("plain", "turned", "is_met"), [(100, 150, True), (100, 151, False), (100, math.inf, False), (math.inf, 90, True)]
)
def test_rotation_may_cost_half_as_much_again(flagship, run, plain, turned, is_met):
    rotated = replace(run, row="rotated", problem="f1-rotated", first_hit=turned)
    (line,) = flagship.judges.judge_rotated([replace(run, first_hit=plain), rotated])
    assert line[-1] == ("met" if is_met else "MISSED")
    assert flagship.judges.judge_rotated([rotated]) == []


def test_honesty_counts_runs_that_claim_success(flagship, run):
    wrong = replace(run, is_honest=False)
    runs = [run] * 199 + [wrong, replace(wrong, success=False), replace(wrong, row="noise")]
    every, claimed = flagship.judges.judge_honesty(runs, {"noise"}, "descent")
    assert every[3] == "199/201 = 99.00 %"
    assert claimed[3:] == ("199/200 = 99.50 %", "met")
    assert flagship.judges.judge_honesty([*runs, wrong], {"noise"}, "descent")[1][-1] == "MISSED"
