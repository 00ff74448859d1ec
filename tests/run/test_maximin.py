"""maximin: the same runs as minimax of -f, with the signs of f in all that a user sees."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.optimize import OptimizeResult

import reckless
from reckless import InvalidArgument, InvalidJournal, Scenarios, Solver, UnknownArgument, maximin, minimax, worst_case
from support import X_BOUNDS, Y_BOUNDS, Recorder, tilted_bowl


def profit(x, y):
    """Best at x = (2, -3), where its smallest value over y is 5."""
    return 5.0 - tilted_bowl(x, y)


def loss(x, y):
    return -profit(x, y)


def turned(number):
    return None if number is None else 0.0 - number


def both(f=profit, x_bounds=X_BOUNDS, y_bounds=Y_BOUNDS, **options):
    """Runs of maximin on f and of minimax on -f, each with its pairs."""
    plain, mirrored = Recorder(lambda x, y: -f(x, y)), Recorder(f)
    options = {"maxfev": 300, "method": "danskin", "rng": 7, **options}
    target = {"target": -options["target"]} if "target" in options else {}
    return (
        maximin(mirrored, x_bounds, y_bounds, **{**options, **target}),
        mirrored.pairs,
        minimax(plain, x_bounds, y_bounds, **options),
        plain.pairs,
    )


def assert_mirrored(found, pairs, other, other_pairs):
    """All numbers are those of the other run, with the signs of f."""
    assert len(pairs) == len(other_pairs)
    for (x, y), (other_x, other_y) in zip(pairs, other_pairs, strict=True):
        assert x.tolist() == other_x.tolist()
        assert y.tolist() == other_y.tolist()
    assert (found.x.tolist(), found.y.tolist()) == (other.x.tolist(), other.y.tolist())
    np.testing.assert_array_equal(found.fun, -other.fun)
    assert (found.lower, found.upper, other.lower) == (turned(other.upper), None, None)
    assert found.gap == turned(other.gap)
    assert [(r.nfev, r.fun) for r in found.history] == [(r.nfev, -r.fun) for r in other.history]
    facts = ("nfev", "nit", "n_failed", "success", "status", "agreement", "settled", "refuted")
    assert [found[key] for key in facts] == [other[key] for key in facts]
    assert (found.maximin, other.maximin) == (True, False)


METHODS = ["auto", "danskin", "surrogate", "mmde", "reckless", "coevolution-parallel", "random-search"]


@pytest.mark.parametrize("method", METHODS)
def test_maximin_asks_for_the_pairs_of_minimax_and_answers_with_the_other_sign(method):
    assert_mirrored(*both(method=method, maxfev=60 if method in ("auto", "surrogate") else 300))


@pytest.mark.parametrize("method", ["danskin", "mmde"])
def test_the_verification_and_its_lines_have_the_signs_of_f(method):
    found, pairs, other, other_pairs = both(method=method, verify=200)
    assert_mirrored(found, pairs, other, other_pairs)
    check, plain = found.verification, other.verification
    assert (check.fun, check.lowest, check.highest) == (-plain.fun, -plain.highest, -plain.lowest)
    assert (plain.highest, check.lowest) == (plain.fun, check.fun)
    for part, plain_part in zip(check.slices, plain.slices, strict=True):
        assert part.values.tolist() == (0.0 - plain_part.values).tolist()
    assert found.gap == found.verification.fun - (found.fun - found.gap) <= 0.0


def test_a_target_is_reached_from_below():
    found, *rest = both(target=-4.0, maxfev=2000)
    assert_mirrored(found, *rest)
    assert found.status == reckless.Status.TARGET_REACHED.code
    assert found.fun >= 4.0
    assert found.nfev < 2000


@pytest.mark.parametrize("method", ["danskin", "surrogate"])
def test_what_the_user_knows_has_the_signs_of_f(method):
    X, Y = np.array([[2.5, -4.0], [3.5, -2.5], [1.5, -6.0]]), np.array([[2.5], [8.0], [5.5]])
    values = [profit(x, y) for x, y in zip(X, Y, strict=True)]
    options = {"maxfev": 16, "method": method, "rng": 7, "x0": [[2.2, -3.5], [3.0, -5.0]], "y0": [[8.5]]}
    mirrored, plain = Recorder(profit), Recorder(loss)
    found = maximin(mirrored, X_BOUNDS, Y_BOUNDS, data=(X, Y, [*values[:2], np.nan]), **options)
    other = minimax(plain, X_BOUNDS, Y_BOUNDS, data=(X, Y, [-values[0], -values[1], np.nan]), **options)
    assert_mirrored(found, mirrored.pairs, other, plain.pairs)
    assert found.fun > min(values)
    again, plain = Recorder(profit), Recorder(loss)
    options = {"maxfev": 14, "method": method, "rng": 8}
    resumed = maximin(again, X_BOUNDS, Y_BOUNDS, start=found, **options)
    assert_mirrored(resumed, again.pairs, minimax(plain, X_BOUNDS, Y_BOUNDS, start=other, **options), plain.pairs)


@pytest.mark.parametrize("policy", ["worst", "ignore"])
def test_failures_are_no_prize(policy):
    def fails_to_the_left(x, y):
        return np.nan if x[0] < 2.5 and y[0] > 4.0 else profit(x, y)

    found, *rest = both(fails_to_the_left, method="mmde", nan_policy=policy, verify=100)
    assert_mirrored(found, *rest)
    assert found.n_failed > 0
    assert (found.first_failure.x.tolist(), found.first_failure.y[0] > 4.0) == (rest[1].first_failure.x.tolist(), True)


def test_a_design_that_fails_has_the_worst_value_there_is():
    f = lambda x, y: np.nan if y[0] > 5.0 else profit(x, y)  # noqa: E731
    found, *rest = both(f, method="mmde", verify=100)
    assert_mirrored(found, *rest)
    assert (found.fun, found.success) == (-np.inf, False)
    assert "Its worst case is to fail." in found.message
    check = worst_case(lambda x, y: np.nan if y[0] > 5.0 else 1.0, [2.0], Y_BOUNDS, maxfev=90, rng=1, maximin=True)
    assert (check.fun, check.success) == (-np.inf, False)


def test_a_value_of_minus_infinity_is_said_as_f_has_it():
    f = lambda x, y: -np.inf if y[0] > 5.0 else profit(x, y)  # noqa: E731
    found, *rest = both(f, method="mmde", verify=100)
    assert_mirrored(found, *rest)
    assert found.fun == found.verification.fun == -np.inf
    assert found.message.startswith("f is -inf at this x. ")
    assert found.verification.message == "f is infinite here."


def test_sentences_compare_in_the_direction_of_f():
    found, _, other, _ = both(method="random-search", maxfev=20, verify=200)
    assert found.refuted
    above = found.fun - found.history[-1].fun
    assert above < 0.0
    words = f"{found.fun:.6g}, that is {-above:.3g}"
    assert f"the worst case of this x is at most {words} below the estimate." in found.message
    assert found.verdict.startswith(f"The worst case is at most {words} below the estimate: ")
    assert f"at least {other.fun:.6g}, that is {-above:.3g} above the estimate" in other.message
    assert f"worst case known: {found.fun:.9g}," in found.report()


def test_a_likely_bound_is_a_lower_one():
    found, _, other, _ = both(method="surrogate", maxfev=60)
    assert found.lower == -other.upper
    assert found.lower <= found.fun
    assert f"Likely above {found.lower:.9g}: the model's mean minus three standard deviations" in found.message
    assert f"likely above: {found.lower:.9g}" in found.report()


def test_json_and_trace_have_the_signs_of_f():
    found, _, other, _ = both(trace=True, verify=200)
    one, two = found.to_dict(), other.to_dict()
    assert (one["maximin"], two["maximin"]) == (True, False)
    assert one["fun"] == -two["fun"]
    assert one["verification"]["fun"] == -two["verification"]["fun"]
    assert [row["fun"] for row in one["history"]] == [-row["fun"] for row in two["history"]]
    values = [(row["fun"], plain["fun"]) for row, plain in zip(one["trace"], two["trace"], strict=True)]
    assert len(values) > 3
    assert all(mine == turned(plain) for mine, plain in values)
    json.dumps(one, allow_nan=False)


def test_a_callback_sees_the_signs_of_f():
    seen = []
    watch = lambda intermediate_result: seen.append(intermediate_result.fun)  # noqa: E731
    found = maximin(profit, X_BOUNDS, Y_BOUNDS, maxfev=300, method="random-search", rng=7, callback=watch)
    assert len(seen) > 1
    assert set(seen) <= {moment.fun for moment in found.history} | {found.fun}


def test_ask_and_tell_workers_and_rows_are_the_same_run(tmp_path):
    options = {"maxfev": 300, "method": "reckless", "rng": 7}
    found = maximin(profit, X_BOUNDS, Y_BOUNDS, **options)
    solver = Solver("reckless", X_BOUNDS, Y_BOUNDS, maxfev=300, rng=7, maximin=True)
    while not solver.done:
        X, Y = solver.ask()
        solver.tell([profit(x, y) for x, y in zip(X, Y, strict=True)])
    rows = lambda X, Y: profit(X.T, Y.T)  # noqa: E731
    with ThreadPoolExecutor(1) as executor:
        others = [
            solver.result(),
            maximin(rows, X_BOUNDS, Y_BOUNDS, vectorized=True, **options),
            maximin(profit, X_BOUNDS, Y_BOUNDS, workers=executor, on_error="worst", **options),
            maximin(profit, X_BOUNDS, Y_BOUNDS, checkpoint=tmp_path / "run.journal", **options),
            minimax(profit, X_BOUNDS, Y_BOUNDS, maximin=True, **options),
        ]
    assert [(other.x.tolist(), other.fun) for other in others] == [(found.x.tolist(), found.fun)] * 5


def test_a_journal_has_the_values_of_f_and_knows_the_sense(tmp_path):
    path, options = tmp_path / "run.journal", {"maxfev": 40, "method": "random-search", "rng": 7}
    calls = Recorder(profit)
    found = maximin(calls, X_BOUNDS, Y_BOUNDS, checkpoint=path, **options)
    lines = [line.split() for line in path.read_text().splitlines() if line.startswith("value")]
    assert [float.fromhex(words[2]) for words in lines] == [profit(x, y) for x, y in calls.pairs]
    again = Recorder(profit)
    resumed = maximin(again, X_BOUNDS, Y_BOUNDS, checkpoint=path, **options)
    assert (resumed.x.tolist(), resumed.fun, len(again)) == (found.x.tolist(), found.fun, 2)  # the two that check f
    with pytest.raises(InvalidJournal, match="was begun with maximin=True"):
        minimax(profit, X_BOUNDS, Y_BOUNDS, checkpoint=path, **options)


def test_failed_rows_are_journaled_beside_the_signs_of_f(tmp_path):
    path, rows = tmp_path / "run.journal", lambda X, Y: np.where(Y[:, 0] > 5.0, np.nan, profit(X.T, Y.T))
    options = {"maxfev": 60, "method": "mmde", "rng": 7, "vectorized": True, "checkpoint": path}
    found = maximin(rows, X_BOUNDS, Y_BOUNDS, nan_policy="ignore", **options)
    assert 0 < found.n_failed < 60
    resumed = maximin(rows, X_BOUNDS, Y_BOUNDS, nan_policy="ignore", **options)
    assert (resumed.fun, resumed.n_failed, resumed.message) == (found.fun, found.n_failed, found.message)


def test_a_list_of_cases_is_exact():
    cases = Scenarios([[2.0], [4.5], [8.0]])
    assert_mirrored(*both(y_bounds=cases, method="finite"))
    found = maximin(profit, X_BOUNDS, cases, maxfev=200, rng=7, method="finite")
    assert found.fun == min(profit(found.x, y) for y in np.array([[2.0], [4.5], [8.0]]))
    assert "this is the exact worst case of this x" in found.message


def test_a_worst_case_is_the_smallest_value_and_a_result_brings_its_sense():
    found = maximin(profit, X_BOUNDS, Y_BOUNDS, maxfev=300, method="danskin", rng=7)
    options = {"maxfev": 200, "rng": 1}
    check = worst_case(profit, found.x, Y_BOUNDS, maximin=True, **options)
    plain = worst_case(loss, found.x, Y_BOUNDS, **options)
    assert (check.fun, check.y.tolist(), check.nfev) == (-plain.fun, plain.y.tolist(), plain.nfev)
    assert check.fun == pytest.approx(found.fun, abs=1e-6)
    assert worst_case(profit, found, Y_BOUNDS, **options).fun == check.fun
    theirs = OptimizeResult(x=found.x, fun=1.0)
    assert worst_case(loss, theirs, Y_BOUNDS, **options).fun == plain.fun


def test_no_zero_is_negative():
    found = maximin(lambda x, y: 0.0, X_BOUNDS, Y_BOUNDS, maxfev=60, method="random-search", rng=1, verify=50)
    numbers = [found.fun, found.gap, found.verification.fun, found.verification.lowest, found.history[-1].fun]
    assert [str(number) for number in numbers] == ["0.0"] * 5


@pytest.mark.parametrize("value", [1, "yes", None])
def test_the_option_is_a_flag(value):
    with pytest.raises(InvalidArgument, match="^maximin: expected True or False, but got"):
        minimax(profit, X_BOUNDS, Y_BOUNDS, maxfev=10, maximin=value)
    with pytest.raises(UnknownArgument, match="maximin: maximin has no argument of this name; leave it out"):
        maximin(profit, X_BOUNDS, Y_BOUNDS, maxfev=10, maximin=value)
