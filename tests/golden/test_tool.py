"""Test the tool behind the golden traces, in the ordinary tier."""

import pytest

from golden.cases import CASES
from golden.environment import environment, reason_to_skip
from golden.traces import KINDS, complaint, facts, read, trace, write
from golden.ways import WAYS, Case
from reckless.bench.problems import suites
from reckless.methods.registry import catalog

CASE = Case("random-search", "bowl", "ignore", 60, 1)
RECORDED = dict.fromkeys(KINDS, "5eed")


NOT_EVERYWHERE = {"cartpole", "coating"}  # problems that need packages which are not always installed


def test_every_method_of_the_catalog_every_problem_and_every_way_is_traced():
    methods = {case.method.partition(":")[0] for case in CASES}
    problems = {case.problem.partition("/")[0].partition(":")[0] for case in CASES}
    assert set(catalog()) <= methods
    assert {name for suite in suites().values() for name in suite} - NOT_EVERYWHERE <= problems
    assert {case.way for case in CASES} == set(WAYS)


def test_no_case_is_listed_twice():
    assert len(set(CASES)) == len(CASES)


def test_a_trace_repeats_and_depends_on_the_seed():
    other = Case(CASE.method, CASE.problem, CASE.way, CASE.maxfev, 2)
    assert trace(CASE) == trace(CASE)
    assert trace(CASE)["pairs"] != trace(other)["pairs"]


def test_a_resumed_run_asks_for_no_pair_twice_but_the_first_two_and_the_interrupted_one():
    pairs = facts(Case("reckless", "bowl", "resume", 100, 1))["pairs"]
    assert len(pairs) == 103
    assert pairs[40:43] == [pairs[0], pairs[1], pairs[39]]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ((), None),
        (("pairs",), "danskin on L1: pairs differ"),
        (("answer",), "danskin on L1: answer differs"),
        (("words", "counters"), "danskin on L1: counters, words differ"),
    ],
)
def test_a_complaint_names_the_kinds_that_differ(changed, words):
    assert complaint("danskin on L1", RECORDED, {**RECORDED, **dict.fromkeys(changed, "0dd")}) == words


def test_a_case_without_a_trace_asks_to_be_recorded():
    assert "make golden-record" in complaint(CASE, None, RECORDED)


def test_another_environment_is_a_reason_to_skip_and_the_sentence_says_what_to_do():
    here = environment()
    assert reason_to_skip(here, here) is None
    sentence = reason_to_skip({**here, "numpy": "1.0"}, here)
    assert "recorded with numpy '1.0'" in sentence
    assert "make golden-record" in sentence
    assert "not recorded" in reason_to_skip({}, here)


def test_what_is_written_is_read_back_one_trace_per_line(tmp_path):
    path = tmp_path / "traces.json"
    write({"numpy": "2.0"}, {"b": RECORDED, "a": RECORDED}, path)
    assert read(path) == ({"numpy": "2.0"}, {"a": RECORDED, "b": RECORDED})
    assert [line[:5] for line in path.read_text().splitlines() if "5eed" in line] == ['  "a"', '  "b"']
    assert read(tmp_path / "missing.json") == ({}, {})
