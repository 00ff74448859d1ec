"""The examples, and the script behind the caption of the demo, do what they say."""

import json
import re
import runpy
import sys

import numpy as np
import pytest

from pages import ROOT, called


def test_the_example_tunes_an_absorber_and_verifies_it(capsys):
    runpy.run_path(str(ROOT / "examples" / "spring.py"), run_name="__main__")
    out = capsys.readouterr().out
    estimate, verification = map(float, re.search(r"worst case ([\d.]+), verification ([\d.]+)", out).groups())
    assert estimate == pytest.approx(verification, rel=1e-3)


def test_the_simulator_of_the_examples_is_solved(monkeypatch, capsys):
    path = ROOT / "examples" / "simulator" / "problem.toml"
    code = called(["reckless", "solve", str(path), "--json"], monkeypatch)
    result = json.loads(capsys.readouterr().out)
    assert code == 0
    assert result["nfev"] <= 600
    assert result["y"][0] == pytest.approx(0.5, abs=0.1)  # the load stands in the middle


def test_the_bracket_of_the_examples_is_a_problem_of_a_study(tmp_path, monkeypatch, capsys):
    (named,) = re.findall("problems = .*", (ROOT / "examples" / "bracket.py").read_text(encoding="utf-8"))
    study, out = tmp_path / "study.toml", tmp_path / "report.html"
    text = f'{named}\nmethods = ["finite", "random-search"]\nbudgets = [60, 300]\nrepetitions = 2\n'
    study.write_text(text, encoding="utf-8")
    monkeypatch.chdir(ROOT)
    assert called(["reckless", "bench", "run", str(study), "--workers", "1"], monkeypatch) == 0
    shown = capsys.readouterr().out
    assert re.search(r"bracket:span=2\.0 +best known, \S+ +300 +\S+ \(2\) +\S+ \(2\)", shown)
    assert called(["reckless", "bench", "report", str(study), "--out", str(out)], monkeypatch) == 0
    assert "<h1>study</h1>" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize("penalty", ["NaN", "a constant, 100", "100 times the violation"])
def test_every_penalty_leads_danskin_to_where_the_constraint_begins(penalty):
    example = runpy.run_path(str(ROOT / "examples" / "penalties.py"))
    found = example["answers"]("danskin", example["PENALTIES"][penalty])
    assert found == pytest.approx([1.57378] * 5, abs=1e-4)  # all five seeds


def test_the_script_behind_the_caption_of_the_demo_measures_arrivals(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["demo.py", "--seeds", "1"])
    script = runpy.run_path(str(ROOT / "benchmarks" / "demo.py"), run_name="__main__")
    assert re.match(r"seed 0: ([\d,]+)\nmedian \1; quartiles \1, \1; largest \1\n0 of 1 seeds", capsys.readouterr().out)
    optimum = np.array(script["FILTER"].optimum.x)
    arrival = script["Arrival"]()
    arrival.look([(10, optimum + 1e-3, None, 0.0), (25, optimum, None, 0.0), (40, optimum + 1e-3, None, 0.0)])
    assert arrival.nfev == 25
