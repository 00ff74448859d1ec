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
