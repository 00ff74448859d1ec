"""What a run says by the logger `reckless`: phases and recommendations as INFO, failures as WARNING."""

import logging
import re
import subprocess
import sys

import numpy as np
import pytest

from reckless import Solver, maximin, minimax
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

INFO, WARNING = logging.INFO, logging.WARNING


@pytest.fixture
def said(caplog):
    """What the logger said, at all levels."""
    caplog.set_level(INFO, logger="reckless")
    return caplog


def words(said, level):
    return [record.getMessage() for record in said.records if record.levelno == level]


def test_every_recommendation_is_an_info_between_the_beginning_and_the_end(said):
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=600, method="danskin", rng=7)
    first, *middle, last = words(said, INFO)
    assert first == "Search by danskin: 2 coordinates in x, 1 in y, at most 600 evaluations."
    assert last.startswith(result.message.split(". ")[0])
    assert f"{result.nfev:,} evaluations, estimate " in last
    assert len(middle) == len(result.history)
    for line, (nfev, _, _, fun) in zip(middle, result.history, strict=True):
        assert line.startswith(f"After {nfev:,} evaluations: estimate {fun:.9g} at x = (")
    assert {record.name for record in said.records} == {"reckless"}
    assert words(said, WARNING) == []


def test_the_methods_that_auto_chooses_and_the_verification_are_phases(said):
    result = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=1500, rng=7, verify=200)
    lines = words(said, INFO)
    stages = [line for line in lines if line.startswith("From evaluation")]
    assert [line.rsplit(": ")[1] for line in stages] == [f"{name}." for name in result.method.split(", then ")]
    begin, end = lines[-2:]
    assert begin == "Verification of the answer: at most 200 evaluations."
    assert end == f"Verification, after {result.verification.nfev} evaluations: {result.verification.message}"


def test_the_first_failure_is_a_warning_and_the_others_are_not(said):
    def f(x, y):
        if y[0] > 8.5:
            raise ZeroDivisionError("no such load")
        return tilted_bowl(x, y)

    result = minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=300, method="danskin", rng=7, on_error="ignore")
    assert result.n_failed > 1
    (line,) = words(said, WARNING)
    assert re.match(r"Evaluation \d+ failed at x = \(.*\), y = \(.*\): ZeroDivisionError: no such load$", line)


def test_a_run_of_nothing_but_failures_warns_too(said):
    options = {"maxfev": 100, "method": "reckless", "rng": 7, "nan_policy": "ignore"}
    minimax(lambda x, y: np.nan, X_BOUNDS, Y_BOUNDS, **options)
    assert words(said, WARNING)[0].endswith("f returned NaN.")
    assert words(said, INFO)[-1].endswith("no recommendation.")


def test_failures_at_random_are_a_warning_of_their_own(said):
    rng = np.random.default_rng(5)

    def flaky(x, y):
        return np.nan if rng.random() < 0.2 else tilted_bowl(x, y)

    result = minimax(flaky, X_BOUNDS, Y_BOUNDS, maxfev=300, method="danskin", rng=7)
    assert "Evaluations fail at random" in result.message
    first, second = words(said, WARNING)
    assert first.startswith("Evaluation ")
    assert second.startswith("Evaluations fail at random")


def test_ask_and_tell_says_the_same(said):
    def f(x, y):
        return np.nan if y[0] > 8.8 else tilted_bowl(x, y)

    options = {"maxfev": 400, "method": "danskin", "rng": 7, "verify": 100}
    minimax(f, X_BOUNDS, Y_BOUNDS, **options)
    one = list(said.messages)
    said.clear()
    solver = Solver(x_bounds=X_BOUNDS, y_bounds=Y_BOUNDS, **options)
    while not solver.done:
        solver.tell([f(x, y) for x, y in zip(*solver.ask(), strict=True)])
    assert said.messages == one


def test_a_run_that_is_stopped_says_so(said):
    minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=400, method="reckless", rng=7, callback=lambda x: True)
    assert words(said, INFO)[-1].startswith("The callback ended the run. ")


def test_who_reads_warnings_alone_costs_no_recommendation_a_record(caplog):
    caplog.set_level(WARNING, logger="reckless")
    minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=200, method="danskin", rng=7)
    assert caplog.records == []


def test_nothing_is_printed_unless_the_user_sets_up_logging():
    code = (
        "import reckless, logging\n"
        "f = lambda x, y: float('nan') if y[0] > 8 else x[0] * y[0]\n"
        "reckless.minimax(f, [(1, 4)], [(2, 9)], maxfev=60, method='random-search', rng=1)\n"
        "print([type(handler).__name__ for handler in logging.getLogger('reckless').handlers], logging.root.handlers)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("['NullHandler'] []\n", "")


def test_where_large_values_are_good_the_estimates_are_those_of_f(said):
    result = maximin(lambda x, y: 7.0 - tilted_bowl(x, y), X_BOUNDS, Y_BOUNDS, maxfev=300, method="danskin", rng=7)
    *_, last, end = words(said, INFO)
    assert f": estimate {result.history[-1].fun:.9g} at x" in last
    assert end.endswith(f"estimate {result.history[-1].fun:.9g}.")
