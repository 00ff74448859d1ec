"""All worst cases of an answer: one per hill, worst first, with multipliers; and the price of robustness."""

import json

import numpy as np
import pytest

import reckless
from reckless import InvalidArgument, Scenarios, Solver, maximin, minimax
from support import Recorder

X_BOUNDS, Y_BOUNDS = [(1.0, 4.0)], [(2.0, 9.0)]
PEAKS = (3.0, 8.0, 5.0)
FAST = {"maxfev": 400, "method": "danskin", "rng": 7}


def hills(n):
    """f with n equal worst cases at x = 2: at y = 3, and at 8 and 5, which get better as x rises."""

    def f(x, y):
        rises = (x[0] - 2.0, 2.0 - x[0], 0.5 * (2.0 - x[0]))
        bowl = (x[0] - 2.0) ** 2 if n == 1 else 0.0
        bumps = [(0.0 if n == 1 else rises[k]) - (y[0] - PEAKS[k]) ** 2 for k in range(n)]
        return 1.0 + bowl + max(bumps)

    return f


def assert_is_balance(result, n):
    """There are n cases as bad as the answer, the answer's y first, and their multipliers add up to 1."""
    assert len(result.active) == n
    assert result.active[0].y.tolist() == result.y.tolist()
    assert result.active[0].fun == result.fun
    funs = [case.fun for case in result.active]
    assert funs == sorted(funs, reverse=not result.maximin)
    np.testing.assert_allclose(funs, result.fun, atol=1e-5)
    weights = [case.weight for case in result.active]
    assert min(weights) >= 0.0
    assert sum(weights) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("method", "n"), [*(("danskin", n) for n in (1, 2, 3)), *(("auto", n) for n in (1, 2, 3)), ("surrogate", 2)]
)
def test_every_equal_worst_case_is_listed_once(method, n):
    result = minimax(hills(n), X_BOUNDS, Y_BOUNDS, **{**FAST, "method": method, "maxfev": 150})
    assert len(result.active) == n
    ys = sorted(case.y.item() for case in result.active)
    np.testing.assert_allclose(ys, sorted(PEAKS[:n]), atol=0.05)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_multipliers_are_those_of_the_last_step(n):
    result = minimax(hills(n), X_BOUNDS, Y_BOUNDS, **FAST)
    assert_is_balance(result, n)
    slopes = {3.0: 1.0, 8.0: -1.0, 5.0: -0.5}
    if n > 1:
        held = sum(case.weight * slopes[round(case.y.item())] for case in result.active)
        assert held == pytest.approx(0.0, abs=1e-3)


def test_the_values_are_those_of_f_at_this_x():
    f = hills(3)
    result = minimax(f, X_BOUNDS, Y_BOUNDS, **FAST)
    assert [case.fun for case in result.active] == [f(result.x, case.y) for case in result.active]


def test_a_method_without_multipliers_has_none():
    result = minimax(hills(2), X_BOUNDS, Y_BOUNDS, maxfev=3000, method="mmde", rng=7)
    assert {case.weight for case in result.active} == {None}
    assert "weight" not in result.report()


def test_listing_the_worst_cases_asks_for_no_pair():
    f = Recorder(hills(2))
    result = minimax(f, X_BOUNDS, Y_BOUNDS, **FAST)
    assert len(f) == result.nfev == 400


def test_ask_and_tell_has_the_same_worst_cases():
    f = hills(2)
    solver = Solver("danskin", X_BOUNDS, Y_BOUNDS, maxfev=400, rng=7)
    while not solver.done:
        X, Y = solver.ask()
        solver.tell([f(x, y) for x, y in zip(X, Y, strict=True)])
    there, here = solver.result().active, minimax(f, X_BOUNDS, Y_BOUNDS, **FAST).active
    assert [(case.y.tolist(), *case[1:]) for case in there] == [(case.y.tolist(), *case[1:]) for case in here]


def test_the_smallest_values_are_the_worst_where_large_ones_are_good():
    f = hills(2)
    result = maximin(lambda x, y: -f(x, y), X_BOUNDS, Y_BOUNDS, **FAST)
    assert_is_balance(result, 2)
    np.testing.assert_allclose([case.fun for case in result.active], -1.0, atol=1e-5)


# Lists

CASES = [[6.0, 1.0], [2.0, -1.0], [6.0, 1.0], [4.0, 0.0]]  # at x = 2 the first two are equal; one is there twice


def listed(x, y):
    return y[1] * (x[0] - 2.0) + (0.0 if y[1] else -3.0)


def test_cases_of_a_list_have_their_first_row():
    result = minimax(listed, X_BOUNDS, Scenarios(CASES), maxfev=200, rng=7)
    assert result.x.item() == pytest.approx(2.0, abs=1e-6)
    assert {case.row for case in result.active} == {0, 1}
    assert [CASES[case.row] for case in result.active] == [case.y.tolist() for case in result.active]
    assert [case.weight for case in result.active] == pytest.approx([0.5, 0.5])
    assert "(row 1)" in result.report()


def test_neighbors_in_a_list_are_different_cases():
    close = Scenarios([[5.0], [5.0001], [5.0002], [9.0]])
    result = minimax(lambda x, y: (x[0] - 2.0) ** 2 - (y[0] > 6.0), X_BOUNDS, close, maxfev=200, rng=7)
    assert sorted(case.row for case in result.active) == [0, 1, 2]


# What values may be


def test_under_noise_the_values_are_means():
    rng, f = np.random.default_rng(3), hills(1)
    result = minimax(lambda x, y: f(x, y) + 0.01 * rng.normal(), X_BOUNDS, Y_BOUNDS, **{**FAST, "noise": 0.01})
    assert result.active[0].fun == result.fun
    assert all(abs(case.fun - result.fun) < 0.05 for case in result.active)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_y_that_fails_is_the_worst_case_wherever_it_fails(bad):
    ends = Scenarios([[2.0], [5.0], [9.0]])
    result = minimax(lambda x, y: bad if y[0] != 5.0 else x[0], X_BOUNDS, ends, maxfev=90, rng=7)
    assert {case.fun for case in result.active} == {np.inf}
    assert sorted(case.row for case in result.active) == [0, 2]
    assert result.to_dict()["active"][0]["fun"] == "inf"


def test_a_failure_that_is_unknown_is_no_case():
    result = minimax(
        lambda x, y: np.nan if y[0] == 2.0 else (x[0] - 2.0) ** 2 - abs(y[0] - 9.0),
        X_BOUNDS,
        Scenarios([[2.0], [5.0], [9.0]]),
        maxfev=90,
        rng=7,
        nan_policy="ignore",
    )
    assert [case.row for case in result.active] == [2]


def test_where_y_does_not_matter_there_is_one_case():
    result = minimax(lambda x, y: (x[0] - 2.0) ** 2, X_BOUNDS, Y_BOUNDS, **FAST)
    assert len(result.active) == 1


def test_without_any_value_there_is_no_case():
    result = minimax(lambda x, y: np.nan, X_BOUNDS, Y_BOUNDS, **{**FAST, "nan_policy": "ignore"})
    assert result.active == ()
    assert result.to_dict()["active"] == []


def test_what_the_verification_finds_is_among_the_cases():
    result = minimax(hills(2), X_BOUNDS, Y_BOUNDS, maxfev=100, method="random-search", rng=7, verify=300)
    assert result.active[0].fun == result.verification.fun
    assert any(abs(case.y.item() - result.verification.y.item()) < 0.1 for case in result.active)


def test_a_report_has_one_line_for_each_case():
    result = minimax(hills(3), X_BOUNDS, Y_BOUNDS, **FAST)
    lines = result.report().splitlines()
    start = lines.index("3 worst cases:")
    for line, case in zip(lines[start + 1 :], result.active, strict=False):
        assert line == f"  {case.fun:.9g} at y = ({case.y.item():.6g}), weight {case.weight:.3g}"


def test_json_has_the_cases():
    result = minimax(listed, X_BOUNDS, Scenarios(CASES), maxfev=200, rng=7)
    found = json.loads(json.dumps(result.to_dict()))["active"]
    assert [(case["y"], case["fun"], case["weight"], case["row"]) for case in found] == [
        (case.y.tolist(), case.fun, case.weight, case.row) for case in result.active
    ]


# What is known to be a balance

BALANCES = [*((f"MWP{k}", 1, 2000) for k in range(1, 8)), ("absorber", 2, 1500), ("chebyshev", 5, 3000)]


@pytest.mark.parametrize(("name", "n", "maxfev"), [*BALANCES, ("coupled", 1, 2000), ("coupled:instance=2", 1, 2000)])
def test_problems_have_as_many_worst_cases_as_theory_says(name, n, maxfev):
    from reckless.bench.problems import problem

    known = problem(name)
    result = minimax(
        known.function, known.x_bounds, known.y_bounds, maxfev=maxfev, method="danskin", rng=31, vectorized=True
    )
    assert len(result.active) == n
    values = known.function(np.repeat(result.x[None], n, axis=0), np.array([case.y for case in result.active]))
    assert np.ptp(values) <= 1e-6 * max(1.0, abs(result.fun))
    assert sum(case.weight for case in result.active) == pytest.approx(1.0, abs=1e-9)


# The nominal y


def tilted(x, y):
    """Best for y = 3 at x = 1; the worst case of x = 1 is at y = 9."""
    return (x[0] - 1.0) ** 2 + 0.5 * (y[0] - 3.0) * (4.0 - x[0])


def test_the_price_of_robustness_is_what_the_worst_case_adds():
    f = Recorder(tilted)
    result = minimax(f, X_BOUNDS, Y_BOUNDS, **FAST, y0=[3.0], y_nominal=[3.0])
    seen = [(tilted(x, y), x) for x, y in f.pairs if y[0] == 3.0]
    lowest, x = min(seen, key=lambda pair: pair[0])
    assert result.nominal.fun == lowest
    assert result.nominal.x.tolist() == x.tolist()
    price = f"price of robustness: {result.fun - lowest:.6g} (worst case {result.fun:.6g}, nominal best seen"
    assert price in result.report()
    assert result.to_dict()["nominal"] == {"x": x.tolist(), "fun": lowest}


def test_naming_a_nominal_y_changes_no_pair():
    plain, named = Recorder(tilted), Recorder(tilted)
    minimax(plain, X_BOUNDS, Y_BOUNDS, **FAST)
    minimax(named, X_BOUNDS, Y_BOUNDS, **FAST, y_nominal=[3.0])
    assert [(x.tolist(), y.tolist()) for x, y in plain.pairs] == [(x.tolist(), y.tolist()) for x, y in named.pairs]


def test_a_nominal_y_that_was_never_met_is_not_hidden():
    result = minimax(tilted, X_BOUNDS, Y_BOUNDS, **FAST, y_nominal=[3.1])
    assert result.nominal is None
    assert "No evaluation was made at y_nominal: y0=[[3.1]] makes the run meet it." in result.message


def test_with_large_values_good_the_highest_nominal_one_is_best():
    result = maximin(lambda x, y: -tilted(x, y), X_BOUNDS, Y_BOUNDS, **FAST, y0=[3.0], y_nominal=[3.0])
    other = minimax(tilted, X_BOUNDS, Y_BOUNDS, **FAST, y0=[3.0], y_nominal=[3.0])
    assert result.nominal.fun == -other.nominal.fun
    assert f"price of robustness: {other.fun - other.nominal.fun:.6g} (worst case {result.fun:.6g}" in result.report()


def test_a_nominal_case_of_a_list_is_one_of_its_rows():
    result = minimax(listed, X_BOUNDS, Scenarios(CASES), maxfev=200, rng=7, y_nominal=[4.0, 0.0])
    assert result.nominal.fun == -3.0


@pytest.mark.parametrize(
    ("y_nominal", "words"),
    [
        ([3.0, 4.0], "y_nominal: expected one point with 1 coordinate, but got shape (1, 2)."),
        ([[3.0], [4.0]], "y_nominal: expected one point"),
        ([30.0], "y_nominal: y must lie within its bounds"),
        ("middle", "y_nominal: expected one point"),
        ([np.nan], "y_nominal: expected one point"),
    ],
)
def test_a_nominal_y_elsewhere_is_refused_in_a_sentence(y_nominal, words):
    with pytest.raises(InvalidArgument) as caught:
        minimax(tilted, X_BOUNDS, Y_BOUNDS, **FAST, y_nominal=y_nominal)
    assert words in str(caught.value)


def test_solver_takes_a_nominal_y():
    solver = Solver("danskin", X_BOUNDS, Y_BOUNDS, maxfev=50, rng=7, y0=[3.0], y_nominal=[3.0])
    while not solver.done:
        X, Y = solver.ask()
        solver.tell([tilted(x, y) for x, y in zip(X, Y, strict=True)])
    assert isinstance(solver.result().nominal, reckless.run.result.Nominal)
