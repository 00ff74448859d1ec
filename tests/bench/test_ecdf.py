"""The fixed-target view, on histories worked by hand."""

import numpy as np
import pytest

from bench.test_store import make_record
from reckless.bench.ecdf import regret_targets, runtime_ecdf, runtimes, with_largest_budget
from reckless.bench.record import Reference

TARGETS = np.array([10.0, 1.0, 0.1])


def run(times, regrets, **changes):
    history = {"history_nfev": np.array(times, dtype=float), "history_worst_case": np.array(regrets, dtype=float)}
    history["reference"] = Reference(0.0, "optimum")
    return make_record(**(history | changes))


def test_targets_are_those_of_the_design():
    targets = regret_targets()
    assert targets.shape == (51,)
    assert (targets[0], targets[-1]) == (1e2, 1e-8)
    assert np.allclose(np.diff(np.log10(targets)), -0.2)


@pytest.mark.parametrize(
    ("nfev", "regrets", "expected"),
    [
        ([5, 20, 70], [50.0, 2.0, 0.5], [20, 70, np.inf]),
        ([5, 20, 70], [0.5, 50.0, 0.05], [5, 5, 70]),  # the first success counts, though it got worse
        ([5], [10.0], [5, np.inf, np.inf]),  # a target is reached by equality
        ([5], [-1e-12], [5, 5, 5]),
        ([5, 9], [np.nan, 0.5], [9, 9, np.inf]),
        ([5], [np.inf], [np.inf] * 3),
    ],
)
def test_a_runtime_is_the_first_evaluation_at_which_the_target_is_reached(nfev, regrets, expected):
    assert runtimes(run(nfev, regrets), TARGETS).tolist() == expected


def test_without_a_history_the_final_answer_counts():
    assert runtimes(run([], [], nfev=99, worst_case=0.5), TARGETS).tolist() == [99, 99, np.inf]


def test_only_the_largest_budget_of_a_problem_and_method_is_used():
    small, large, other = run([1], [1], budget=10), run([1], [1], budget=20), run([1], [1], problem="L3", budget=5)
    assert with_largest_budget([small, large, other]) == [large, other]


def test_the_curve_counts_solved_triples():
    records = [run([5, 20], [5.0, 0.5]), run([20], [0.01], repetition=1)]
    curve = runtime_ecdf(records, TARGETS)["mmde"]
    # runtimes: 5, 20, never; 20, 20, 20
    assert curve.evaluations.tolist() == [5.0, 20.0]
    assert curve.share.tolist() == [1 / 6, 5 / 6]


def test_a_method_that_reaches_nothing_has_an_empty_curve():
    curve = runtime_ecdf([run([5], [1e9])], TARGETS)["mmde"]
    assert curve.evaluations.size == curve.share.size == 0


def test_every_method_has_its_own_curve():
    assert list(runtime_ecdf([run([5], [1]), run([5], [1], method="b")], TARGETS)) == ["mmde", "b"]
