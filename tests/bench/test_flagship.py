"""The table of benchmarks/flagship.py: runs made by hand, and a few short ones that are stored and resumed."""

import importlib
import json
import math
from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pytest

from reckless.bench.problems import problem


@pytest.fixture(scope="module")
def flagship(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(request.config.rootpath / "benchmarks"))
        names = ("flagship", "flagship_rows", "flagship_judges", "flagship_runs", "flagship_jumps")
        main, rows, judges, runs, jumps = map(importlib.import_module, names)
        yield SimpleNamespace(main=main, rows=rows, judges=judges, runs=runs, jumps=jumps)


@pytest.fixture
def run(flagship):
    return flagship.runs.Run(
        row="kinks",
        problem="f6",
        method="m",
        maxfev=300,
        seed=7,
        nfev=300,
        regret=1e-7,
        first_hit=120.0,
        requests=30.0,
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
    assert {(row.of, row.first_seed, row.n_runs) for row in rows} == {("danskin", 8001, 10), ("finite", 7101, 10)}
    known = {(row.name, row.problem) for row in rows}
    for row in rows:
        assert row.beside is None or row.beside in known
        p = flagship.jumps.JUMPS.get(row.problem) or problem(row.problem.format(instance=2))
        assert hasattr(p.y_bounds, "n_scenarios") == (row.of == "finite")


def test_a_run_counts_the_first_hit_and_holds_the_estimate_against_the_truth(flagship):
    cell = flagship.runs.Cell("hit-L", "L1", "danskin", 900, 3)
    found = flagship.runs.measure(cell)
    assert found.key == cell.key
    assert found.regret <= 1e-6
    assert 10 < found.requests < found.first_hit < 900
    assert found.is_honest
    assert found.success
    assert math.isnan(found.score)
    short = flagship.runs.measure(replace(cell, maxfev=20))
    assert short.first_hit == short.requests == math.inf
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
    row = flagship.rows.Row("hit-L", "L1", 60, "first hit <= 9", flagship.judges.hits(0.0, 9), n_runs=3)
    options = SimpleNamespace(method="random-search", runs=0, first_seed=0, jobs=1, out=tmp_path / "runs.jsonl")
    options.out.touch()
    flagship.main.make_missing([row], SimpleNamespace(**{**vars(options), "runs": 2}))
    first = flagship.runs.read_runs(options.out)
    flagship.main.make_missing([row], options)
    runs = flagship.runs.read_runs(options.out)
    assert [r.overhead for r in runs[:2]] == [r.overhead for r in first]
    assert [r.seed for r in runs] == [8001, 8002, 8003]
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


def test_a_row_without_errors_of_f_asks_for_honest_hits(flagship, run):
    assert flagship.judges.honest_hits(120)([run, run]) == ("2/2, first hit 120 (last 120), 2 honest", True)
    assert not flagship.judges.honest_hits(119)([run, run])[1]
    assert not flagship.judges.honest_hits(120)([run, replace(run, is_honest=False)])[1]


def test_one_run_that_goes_astray_is_one_too_many(flagship, run):
    runs = [replace(run, regret=regret) for regret in (1e-4, 2e-4, 0.09)]
    assert flagship.judges.none_lost(2e-4)(runs) == ("median 2.0e-04, largest 9.0e-02, 0 lost", True)
    assert not flagship.judges.none_lost(1e-4)(runs)[1]
    assert not flagship.judges.none_lost(1.0)([*runs, replace(run, regret=0.2)])[1]


@pytest.mark.parametrize(
    ("plain", "turned", "is_met"), [(100, 300, True), (100, 301, False), (100, math.inf, False), (math.inf, 90, True)]
)
def test_the_first_hit_is_held_against_that_of_the_row_beside(flagship, run, plain, turned, is_met):
    (row,) = (row for row in flagship.rows.make_rows() if row.problem == "f6-rotated")
    options = SimpleNamespace(method="m", runs=1, first_seed=7)
    beside = replace(run, first_hit=plain)
    rotated = replace(run, row="kinks-rotated", problem="f6-rotated", maxfev=row.maxfev, first_hit=turned)
    assert flagship.main.judged(row, [beside, rotated], options)[-1] == ("met" if is_met else "MISSED")
    assert flagship.main.judged(row, [replace(beside, method="n"), rotated], options)[-1] == "MISSING"


def test_the_estimate_of_errors_may_cost_ten_evaluations(flagship, run):
    without = replace(run, row="estimate", first_hit=110.0)
    judge = flagship.judges.few_more("estimate", 10)
    assert judge([without, run]) == ("120 - 110 = 10", True)
    assert not judge([without, replace(run, first_hit=121.0)])[1]
    assert not judge([without, replace(run, first_hit=math.inf)])[1]


def test_requests_are_counted_where_the_table_asks_for_it(flagship, run):
    counted = replace(run, problem="f5")
    assert [line[1:] for line in flagship.judges.judge_requests([run, counted])] == [("f5", "<= 1/4", "0.250", "met")]
    (line,) = flagship.judges.judge_requests([counted, replace(counted, first_hit=math.inf, requests=math.inf)])
    assert line[-1] == "MISSED"


def test_honesty_counts_runs_that_claim_success(flagship, run):
    wrong = replace(run, is_honest=False)
    runs = [run] * 199 + [wrong, replace(wrong, success=False)]
    every, claimed = flagship.judges.judge_honesty(runs)
    assert every[3:] == ("199/201 = 99.00 %", "met")
    assert claimed[3:] == ("199/200 = 99.50 %", "met")
    assert flagship.judges.judge_honesty([*runs, wrong])[1][-1] == "MISSED"


def test_values_are_rounded_to_significant_digits(flagship):
    values = np.array([0.0, 1.2345, -98765.0, 2.3456e-9, 9.9996])
    assert flagship.runs.rounded(values, 4) == pytest.approx([0.0, 1.234, -98760.0, 2.346e-9, 10.0], rel=1e-12)
    assert flagship.runs.unit_of(values, 3) == pytest.approx([0.0, 0.01, 1e2, 1e-11, 0.01], rel=1e-12)


def test_a_jump_is_right_from_1_9_on(flagship):
    X = np.array([[0.0], [1.9], [2.0], [2.001], [5.0]])
    for name, beyond in {"wall 1": 1.0, "wall inf": math.inf, "graded jump 1000": 7e3}.items():
        p = flagship.jumps.JUMPS[name]
        values, Y = p.worst_case(X)
        assert values[-1] == beyond
        assert p.function(X, Y).tolist() == values.tolist()
        grid = np.linspace(*p.y_bounds[0], 301)[:, None]
        assert [p.function(np.repeat(x[None], 301, axis=0), grid).max() for x in X] == values.tolist()
        assert (values - p.optimum.value <= flagship.jumps.RIGHT).tolist() == [False, True, True, False, False]
