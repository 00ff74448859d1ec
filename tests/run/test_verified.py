"""Trust: what a verification adds to a result, what is printed and what is drawn."""

import copy
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckless import minimax, worst_case
from reckless.domains.sets import Ball, Scenarios, Simplex
from reckless.run.result import WorstCase
from support import X_BOUNDS, Y_BOUNDS, Interrupted, Recorder, tilted_bowl

LIST = Scenarios([[2.0, -3.0], [7.5, -1.0], [4.0, -9.0], [2.5, -2.0], [9.0, -4.0]])


def verified(f=tilted_bowl, y_bounds=Y_BOUNDS, verify=2000, **options):
    return minimax(f, X_BOUNDS, y_bounds, **{"maxfev": 800, "method": "reckless", "rng": 7, **options}, verify=verify)


class Careless:
    """A method that tries one x on one y."""

    def search(self, task):
        x, y = np.full(task.n_x, 0.3), np.full(task.n_y, 0.9)
        (value,) = yield x, y
        task.recommend(x, y, value)


def test_a_good_estimate_stands():
    plain = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=800, method="reckless", rng=7)
    result = verified()
    assert result.verdict == "The estimate stands: independent searches found nothing worse."
    assert result.gap == pytest.approx(0.0, abs=1e-9)
    assert isinstance(result.verification, WorstCase)
    assert result.verification.nfev <= 2000
    assert np.array_equal(result.x, plain.x)
    assert (result.success, result.refuted, result.nfev) == (True, False, plain.nfev)
    assert result.agreement == (result.verification.n_agreed, result.verification.n_starts)
    assert f"{result.agreement} independent searches" in result.message
    assert plain.verification is plain.gap is plain.verdict is None


def test_a_refuted_answer_has_the_value_that_refutes_it_and_is_no_success():
    plain, result = (verified(method=Careless(), verify=n) for n in (False, 500))
    assert (plain.success, plain.refuted) == (True, False)
    assert (result.success, result.refuted, result.agreement) == (False, True, None)
    assert result.fun == result.verification.fun == tilted_bowl(result.x, result.y) > plain.fun
    assert result.gap == result.fun - plain.fun
    assert result.message.startswith("The verification refuted the answer: the worst case of this x is at least ")
    assert result.verdict.startswith("The worst case is at least ")


def test_a_verification_never_ends_below_what_the_run_knows():
    """The worst case is a single point, which only the run knows."""

    def f(x, y):
        return 500.0 if y[0] == 2.0 + 7.0 * 0.9 else tilted_bowl(x, y)

    result = verified(f, method=Careless(), verify=300)
    assert result.fun == result.verification.fun == 500.0
    assert result.verdict.startswith("None of the verification's searches arrived at the worst y that the run found")
    assert (result.success, result.agreement.n_agreed) == (False, 0)


def test_differences_within_a_millionth_of_the_range_refute_nothing():
    """The worst y lies at the edge; the run has it but for 1e-9 of the box."""

    class Close(Careless):
        def search(self, task):
            x, y = np.full(task.n_x, 0.3), np.full(task.n_y, 1.0 - 1e-9)
            (value,) = yield x, y
            task.recommend(x, y, value)

    result = verified(lambda x, y: y[0], method=Close(), verify=200)
    assert result.verification.fun == result.fun == 9.0
    assert (result.success, result.refuted) == (True, False)


def test_a_run_that_was_interrupted_is_not_verified():
    f = Interrupted(tilted_bowl, at=50)
    result = minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=200, method="reckless", rng=7, verify=True)
    assert (result.success, result.verification, len(f)) == (False, None, 50)


def test_the_verification_ends_with_the_time_of_the_run():
    def f(x, y):
        if len(calls) > 100:  # in the verification
            time.sleep(0.02)
        calls.append(0)
        return tilted_bowl(x, y)

    calls = []
    result = minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=100, method="reckless", rng=7, verify=10_000, maxtime=0.2)
    assert result.success
    assert result.verification is None
    assert result.message.endswith("The verification was cut short: the time (maxtime) is spent.")


def test_where_nothing_has_a_value_there_is_nothing_to_compare():
    judged = verified(f=lambda x, y: np.nan, nan_policy="ignore")
    assert judged.verdict.startswith("There is nothing to compare")
    assert not judged.verification.success
    assert "worst case found: nan" in judged.report()
    assert len(judged.plot().axes) == 1


def test_the_report_tells_what_a_person_should_know():
    text = verified().report()
    for words in (
        "x = (1.94",
        "worst case known: ",
        "worst case found: ",
        "rounds of reckless",
        "searches arrived",
    ):
        assert words in text
    assert text.endswith("The estimate stands: independent searches found nothing worse.")
    failing = minimax(lambda x, y: np.nan if y[0] > 8 else y[0], X_BOUNDS, Y_BOUNDS, maxfev=300, method="mmde", rng=7)
    assert "of the evaluations failed, the first at x = (" in failing.report()
    assert "Not verified: no independent search was made" in failing.report()


@pytest.mark.parametrize(
    ("y_bounds", "n_slices"),
    [
        ([(2.0, 9.0)] * 2, 2),
        ([(2.0, 9.0)] * 8, 6),
        (Ball([3.0, -4.0, 2.0], 0.5), 3),
        (Simplex(3), 3),
        (LIST, 1),
    ],
    ids=["box", "many", "ball", "simplex", "scenarios"],
)
@pytest.mark.parametrize("maxfev", [1, 9, 60, 1000])
def test_slices_are_measured_values_within_the_budget(y_bounds, n_slices, maxfev):
    calls = Recorder(lambda x, y: np.sin(3.0 * y).sum() - 0.1 * (y * y).sum())
    check = worst_case(calls, [1.5], y_bounds, maxfev=maxfev, rng=1, slices=True)
    assert len(calls) == check.nfev <= maxfev
    assert check.fun == max(calls.f(x, y) for x, y in calls.pairs)
    assert len(check.slices) in (0, n_slices)
    assert maxfev < 1000 or len(check.slices) == n_slices
    seen = {calls.f(x, y) for x, y in calls.pairs}
    for part in check.slices:
        assert part.at.shape == part.values.shape
        assert part.here in part.at
        assert set(part.values.tolist()) <= seen


@given(k=st.integers(1, 80), maxfev=st.integers(1, 120), seed=st.integers(0, 500))
def test_a_list_of_scenarios_is_tried_in_full_if_the_budget_allows_and_the_answer_says_so(k, maxfev, seed):
    points = np.random.default_rng(seed).normal(size=(k, 2)) + 5.0
    calls = Recorder(lambda x, y: x[0] * y[0] - y[1] ** 2)
    check = worst_case(calls, [2.0], Scenarios(points), maxfev=maxfev, rng=seed)
    assert len(calls) == check.nfev == min(k, maxfev)
    assert check.is_exact == (k <= maxfev)
    assert check.message.startswith(f"All {k} scenarios" if k <= maxfev else f"{maxfev} of {k} scenarios")
    if check.is_exact:
        assert check.fun == max(calls.f(np.array([2.0]), point) for point in points)


def test_all_scenarios_that_were_tried_are_kept_with_their_rows():
    points = np.random.default_rng(2).normal(size=(90, 2)) + 5.0
    f = lambda x, y: np.nan if y[0] > 6.5 else x[0] * y[0] - y[1]  # noqa: E731
    calls = Recorder(f)
    check = worst_case(calls, [2.0], Scenarios(points), maxfev=60, rng=1, slices=True, nan_policy="ignore")
    (listed,) = check.scenarios
    assert listed.kind == "list"
    assert {points[int(row)].tobytes() for row in listed.at} == {y.tobytes() for _, y in calls.pairs}
    assert np.array_equal(listed.values, [f([2.0], points[int(row)]) for row in listed.at], equal_nan=True)
    assert points[int(listed.here)].tolist() == check.y.tolist()
    assert repr(check.scenarios) == "<1 slices>"
    assert not worst_case(f, [2.0], Scenarios(points), maxfev=60, rng=1, nan_policy="ignore").scenarios
    assert not worst_case(f, [2.0], [(2.0, 9.0)] * 2, maxfev=60, rng=1, slices=True, nan_policy="ignore").scenarios


def test_a_list_some_of_which_failed_is_not_exact():
    f = lambda x, y: np.nan if y[0] == 4.0 else y[0]  # noqa: E731
    check = worst_case(f, [1.5], LIST, maxfev=100, rng=1, nan_policy="ignore")
    assert not check.is_exact
    assert check.fun == 9.0
    assert check.message.endswith("All 5 scenarios were tried, but 1 failed: they may be worse.")


def test_integer_coordinates_of_y_are_respected():
    check = worst_case(lambda x, y: -((y[0] - 4.4) ** 2), [1.5], [(1.5, 9.5)], maxfev=500, rng=1, y_integrality=True)
    assert check.y.tolist() == [4.0]


def test_the_picture_has_a_panel_per_coordinate_and_one_for_the_run():
    judged = verified()
    figure = judged.plot()
    assert len(figure.axes) == 2
    line = figure.axes[0].lines[0]
    assert np.array_equal(line.get_xdata(), judged.verification.slices[0].at)
    assert np.array_equal(line.get_ydata(), judged.verification.slices[0].values)
    steps = figure.axes[1].lines[0]
    assert steps.get_ydata()[-1] == judged.fun
    assert steps.get_xdata()[-1] == judged.nfev
    assert minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=300, method="danskin", rng=7).plot().axes[0].lines
    figure.canvas.draw()


@pytest.mark.parametrize("value", [3.0, np.inf, -np.inf, 1e300])
def test_odd_values_can_be_drawn(value):
    f = lambda x, y: value if y[0] > 5 else -value  # noqa: E731
    judged = verified(f=f, maxfev=100, method="danskin")
    judged.plot().canvas.draw()
    assert judged.report()


def test_a_verified_result_can_be_copied_and_sent():
    judged = verified()
    for twin in (copy.deepcopy(judged), pickle.loads(pickle.dumps(judged))):
        assert twin.report() == judged.report()
        assert len(twin.verification.slices) == 1
    assert len(repr(judged)) < 4000


def test_results_need_no_matplotlib_until_they_are_drawn():
    code = (
        "import sys, reckless\n"
        "reckless.minimax(lambda x, y: x[0] * y[0], [(1, 2)], [(3, 4)], maxfev=20, method='danskin').report()\n"
        "reckless.worst_case(lambda x, y: x[0] * y[0], [1.0], [(3, 4)], maxfev=20)\n"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
