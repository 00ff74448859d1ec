"""The tables of benchmarks/expensive.py, on rows made by hand."""

import importlib.util
import json
import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def tables(request):
    path = request.config.rootpath / "benchmarks" / "expensive_tables.py"
    spec = importlib.util.spec_from_file_location("expensive_tables", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def row(**fields):
    common = {"part": "analytic", "task": "L1", "method": "m", "budget": 100, "seed": 1, "score": 0.1, "unit": 2.0}
    claimed = {"fun": 3.0, "truth": 3.0, "upper": None, "success": True, "agreement": [1, 2], "seconds": 0.5, "n_x": 9}
    return common | claimed | fields


def test_medians_that_agree_to_a_thousandth_share_their_rank(tables):
    scores = {"one": {"a": 0.2, "b": 0.2004, "c": 0.1}, "two": {"a": 1.0, "b": 3.0, "c": 2.0}, "three": {"b": 0.0}}
    medians = {(50, task, solver): s for task, found in scores.items() for solver, s in found.items()}
    found = tables.average_ranks(medians | {(100, "one", "a"): 9.0}, 50, "a", scores)
    assert found == {"a": (2.5 + 1) / 2, "b": (2.5 + 3) / 2, "c": (1 + 2) / 2}


@pytest.mark.parametrize(
    ("fields", "is_low"),
    [
        ({"truth": 3.03}, True),  # beyond 1 % of the unit 2.0
        ({"truth": 3.019}, False),
        ({"truth": 3.03, "part": "reality"}, False),  # 1 % of the truth
        ({"truth": 3.04, "part": "reality"}, True),
        ({"fun": float("nan")}, True),
        ({"truth": 2.0}, False),
    ],
)
def test_an_estimate_is_too_low_beyond_one_percent(tables, fields, is_low):
    assert tables.is_too_low(row(**fields)) is is_low


@pytest.mark.parametrize(
    ("fields", "is_sure"),
    [
        ({}, True),
        ({"agreement": [1, 3]}, False),
        ({"agreement": [0, 0]}, False),
        ({"agreement": None}, False),
        ({"success": False}, False),
    ],
)
def test_a_run_is_sure_if_half_of_the_searches_agree(tables, fields, is_sure):
    assert tables.is_sure(row(**fields)) is is_sure


def test_scores_are_logarithms_of_medians_clipped_and_held_against_their_bars(tables, capsys):
    rows = [row(task="L1", score=s, seed=k) for k, s in enumerate((1e-9, 1e-8, 0.5))]
    rows += [
        row(task="L2", score=s, seed=k, upper=u) for k, (s, u) in enumerate([(1e-5, 3.0), (1e-3, 2.0), (1e-4, 4.0)])
    ]
    tables.report(rows, [], {})
    out = capsys.readouterr().out
    assert "| 100 | -5.00 | -5.2 | **missed** | 2 |" in out  # (-6 - 4) / 2
    assert "Largest at 100: 0.5 (L1), bar 0.3: **missed**." in out
    assert "| 50 % | 66.7 % **missed** | 0.50 |" in out


def test_a_run_is_stored_and_not_repeated(request, tmp_path):
    script = request.config.rootpath / "benchmarks" / "expensive.py"
    words = "--part analytic --method random-search --tasks L3 --budgets 30 --seeds 5:6 --jobs 1 --out runs.jsonl"
    first, second = (
        subprocess.run(
            [sys.executable, script, *words.split()], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        for _ in range(2)
    )
    rows = [json.loads(line) for line in (tmp_path / "runs.jsonl").read_text().splitlines()]
    assert [row["seed"] for row in rows] == [5, 6]
    assert {row["nfev"] for row in rows} == {30}
    assert all(row["truth"] >= row["fun"] - 1e-12 for row in rows)
    assert len(first.stdout.splitlines()) == 2
    assert second.stdout == ""
