"""The surrogate as a whole, with few evaluations: what it asks for, what it answers, and what it learned."""

import numpy as np
import pytest

from reckless import Ball, Box, Scenarios, Simplex, Solver, minimax, perturbation
from reckless.core.task import Starts
from reckless.methods.surrogate import Surrogate, surrogate
from reckless.methods.surrogate.views import Plain, Summed
from support import X_BOUNDS, Y_BOUNDS, Recorder, tilted_bowl


def wavy_bowl(x, y):
    """A bowl that no quadratic explains."""
    return tilted_bowl(x, y) + x[0] * np.sin(3.0 * y[0])


def run(f, maxfev, seed=3, x_bounds=X_BOUNDS, y_bounds=Y_BOUNDS, **options):
    """Return the result, and the pairs (maxfev, n_x + n_y)."""
    calls = Recorder(f)
    result = minimax(calls, x_bounds, y_bounds, maxfev=maxfev, method=Surrogate(), rng=seed, **options)
    return result, np.array([np.hstack(pair) for pair in calls.pairs])


@pytest.fixture
def states(monkeypatch):
    """The state of each run, at its end once the run has ended."""
    found, begun = [], surrogate.begun

    def watched(task):
        found.append(begun(task))
        return found[-1]

    monkeypatch.setattr(surrogate, "begun", watched)
    return found


# The path


@pytest.mark.parametrize("maxfev", [1, 2, 3, 9, 17])
@pytest.mark.parametrize("f", [tilted_bowl, lambda x, y: np.nan if y[0] > 5.0 else x[0]], ids=["bowl", "half fails"])
def test_the_whole_budget_is_spent(f, maxfev):
    result, pairs = run(f, maxfev)
    assert result.nfev == len(pairs) == maxfev


def test_the_budget_decides_only_when_the_closing_begins():
    """Of 18 evaluations the last 2 are attacks on the answer; both budgets have a design of 2 + 3 pairs."""
    few, short = run(wavy_bowl, 18)
    _, long = run(wavy_bowl, 24)
    same = (short == long[:18]).all(axis=1)
    assert same[:16].all()
    assert not same[16:].all()
    assert np.array_equal(short[16, :2], few.history[-2].x)


@pytest.mark.parametrize(
    ("f", "unit"), [(wavy_bowl, 2.0**-20), (lambda x, y: wavy_bowl(x, y) ** 3, 2.0**40)], ids=["small", "large"]
)
def test_the_unit_of_f_does_not_matter(f, unit):
    """By powers of two, exactly: everything is divided by the largest value first, and no density has a unit."""
    one, pairs = run(f, 15)
    other, again = run(lambda x, y: unit * f(x, y), 15)
    assert np.array_equal(pairs, again)
    assert other.fun == unit * one.fun
    assert other.upper is one.upper or other.upper == pytest.approx(unit * one.upper)


def test_a_constant_added_to_f_hardly_matters():
    """Not exactly: the values lose digits, and each fit makes more of it. A pair moved by 2e-4; asserted: 1e-2."""
    _, pairs = run(wavy_bowl, 15)
    _, again = run(lambda x, y: wavy_bowl(x, y) + 1024.0, 15)
    np.testing.assert_allclose(pairs, again, atol=1e-2)
    assert np.array_equal(pairs[:5], again[:5])


def test_points_to_begin_with_are_evaluated_first():
    class Started:
        def search(self, task):
            task.starts = Starts(np.array([[0.25, 0.5], [0.75, 0.125]]), np.array([[0.875]]))
            yield from Surrogate().search(task)

    calls = Recorder(tilted_bowl)
    minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=9, method=Started(), rng=1)
    np.testing.assert_allclose(calls.pairs[0][0], [1.75, -4.5], rtol=1e-14)
    np.testing.assert_allclose(calls.pairs[0][1], [8.125], rtol=1e-14)
    np.testing.assert_allclose(calls.pairs[1][0], [3.25, -6.375], rtol=1e-14)


@pytest.mark.parametrize("y_bounds", [Y_BOUNDS, Scenarios([[2.0], [4.5], [8.0]])], ids=["box", "list"])
def test_a_batch_has_at_most_the_size_that_was_asked_for(y_bounds):
    solver = Solver(Surrogate(), X_BOUNDS, y_bounds, maxfev=26, rng=2, batch_size=4)
    sizes = []
    while not solver.done:
        X, Y = solver.ask()
        assert len(np.unique(np.hstack([X, Y]), axis=0)) == len(X)  # believed in between, no pair is wanted twice
        sizes.append(len(X))
        solver.tell([tilted_bowl(x, y) for x, y in zip(X, Y, strict=True)])
    assert sizes[0] == 5
    assert max(sizes[1:]) == 4
    assert len(sizes) < 10
    assert (sum(sizes), solver.result().nfev) == (26, 26)
    assert solver.result().x == pytest.approx([2.0, -3.0], abs=0.15)


# Answers


def test_a_quadratic_is_solved_exactly():
    def f(x, y):
        u, v = x - [2.0, -3.0], y - [5.0, -1.5]
        return u @ u + 0.7 * u[0] * u[1] + u @ [[0.5, -0.2], [0.3, 0.1]] @ v - v @ v - 0.4 * v[0] * v[1]

    result, _ = run(f, 30, y_bounds=[(2.0, 9.0), (-4.0, -1.0)])
    assert result.x == pytest.approx([2.0, -3.0], abs=1e-7)
    assert abs(result.fun) < 1e-12
    assert result.success
    assert result.agreement == (2, 2)
    assert result.fun <= result.upper < 1e-6


BAD = {
    "NaN in half of x": lambda x, y: np.nan if x[0] < 2.5 else tilted_bowl(x, y),
    "NaN for some y": lambda x, y: np.nan if x[0] * y[0] > 14.0 else tilted_bowl(x, y),
    "inf for some y": lambda x, y: np.inf if x[0] * y[0] > 14.0 else tilted_bowl(x, y),
    "huge": lambda x, y: 1e300 * tilted_bowl(x, y),
    "huge in places": lambda x, y: 1e300 if x[0] > 3.0 else tilted_bowl(x, y),
    "tiny": lambda x, y: 1e-300 * tilted_bowl(x, y),
    "huge, but for one value": lambda x, y: -1e300 if x[0] < 1.3 else 1e300,
    "constant": lambda x, y: 3.0,
    "zero": lambda x, y: 0.0,
    "two values": lambda x, y: float(x[0] > 2.0),
    "minus inf in places": lambda x, y: -np.inf if y[0] < 4.0 else tilted_bowl(x, y),
}


@pytest.mark.parametrize(
    ("name", "policy"), [*((name, "worst") for name in BAD), *((name, "ignore") for name in BAD if "NaN" in name)]
)
def test_nothing_that_f_returns_breaks_a_run_or_makes_an_answer_of_a_failure(name, policy):
    f = BAD[name]
    result, pairs = run(f, 14, nan_policy=policy)
    assert result.nfev == 14
    at_x = [f(pair[:2], pair[2:]) for pair in pairs if np.array_equal(pair[:2], result.x)]
    assert np.nanmax(at_x) == result.fun == f(result.x, result.y) < np.inf
    assert policy == "ignore" or not np.isnan(at_x).any()


@pytest.mark.parametrize("policy", ["worst", "ignore"])
def test_if_everything_fails_nothing_is_recommended(policy):
    result, _ = run(lambda x, y: np.nan, 14, nan_policy=policy)
    assert not result.success
    assert (result.nfev, result.n_failed) == (14, 14)
    assert np.isnan(result.fun)


# Sets


def test_a_part_of_a_simplex_that_fails_is_left():
    """The best shares would be (0.3, 0.7, 0), but f fails where the second is above 0.6."""

    def f(x, y):
        return np.nan if x[1] > 0.6 else float(((x - [0.3, 0.7, 0.0]) ** 2).sum() + 0.1 * x @ y - y @ y)

    result, pairs = run(f, 30, x_bounds=Simplex(3), y_bounds=Ball([0.2, 0.1, -0.1], 0.5))
    assert np.allclose(pairs[:, :3].sum(axis=1), 1.0)
    assert (np.sqrt(((pairs[:, 3:] - [0.2, 0.1, -0.1]) ** 2).sum(axis=1)) <= 0.5 + 1e-12).all()
    assert result.n_failed > 0
    assert 0.55 < result.x[1] <= 0.6
    assert np.isfinite(result.fun)


def test_a_list_whose_coordinates_say_nothing_is_learned_by_its_numbers(states):
    """Entry k of the list shifts f in its own way, unlike that of its neighbors."""
    centers = np.array([1.2, 3.9, 1.5, 2.2, 3.1, 1.9])
    heights = np.array([0.0, 2.5, -3.0, 1.0, 0.2, -1.0])

    def f(x, y):
        k = int(y[0])
        return (x[0] - centers[k]) ** 2 + (x[1] + 3.0) ** 2 + heights[k]

    result, _ = run(f, 30, y_bounds=Scenarios(np.arange(6.0)[:, None]))
    x = np.linspace(1.0, 4.0, 3001)
    best = ((x[:, None] - centers) ** 2 + heights).max(axis=1).min()
    worst = max(f(result.x, [k]) for k in range(6))
    assert worst - best < 0.05
    assert states[0].known.model.view.is_labeled
    assert set(states[0].known.archive.Y[:, -1]) == set(range(6))


def test_integers_and_real_numbers_are_solved_together():
    """The best integers are 3 and 2; f prefers 2.6 and 2.2."""

    def f(x, y):
        return (x[0] - 2.6) ** 2 + (x[1] + 3.0) ** 2 + 0.4 * (x[2] - 2.2) ** 2 + 0.3 * (x[1] + 3.0) * y[0] - y[0] ** 2

    box = Box([(1, 6, "int"), (-7.0, -2.0), (0, 5, "int")])
    result, pairs = run(f, 26, x_bounds=box, y_bounds=Box([(-2, 3, "int")]))
    assert np.array_equal(pairs[:, [0, 2, 3]], np.rint(pairs[:, [0, 2, 3]]))
    assert result.x[[0, 2]].tolist() == [3.0, 2.0]
    assert result.x[1] == pytest.approx(-3.0, abs=1e-3)
    assert result.y.tolist() == [0.0]


@pytest.mark.parametrize("shape", ["box", "ball"])
def test_a_perturbation_is_seen_as_a_sum(states, shape):
    f, y_bounds = perturbation(lambda z: np.sin(3.0 * z[0]) + (z[1] + 4.0) ** 2, X_BOUNDS, 0.3, shape=shape)
    run(f, 16, y_bounds=y_bounds)
    assert isinstance(states[0].known.model.view, Summed)


def test_what_only_looks_like_a_perturbation_is_not(states):
    run(lambda x, y: tilted_bowl(x, 5.0 + 9.0 * y) + x[1] * y[1], 16, y_bounds=[(-0.3, 0.3)] * 2)
    assert isinstance(states[0].known.model.view, Plain)


# Noise


def test_noise_is_found_by_a_repeated_pair_and_fun_is_the_mean_of_the_model(states):
    """The saddle has the value 0, the noise 0.2; of 6 seeds, 6 are within 0.04, asserted: 0.12."""
    rng = np.random.default_rng(0)
    result, pairs = run(lambda x, y: tilted_bowl(x, y) + 0.2 * rng.standard_normal(), 28, seed=2)
    assert states[0].is_noisy
    assert len(np.unique(pairs, axis=0)) < 28
    assert "Evaluations are noisy: fun is the model's mean, with a standard error of 0.0" in result.message
    assert abs(result.fun) < 0.12
    assert result.fun not in states[0].known.archive.v


ROUGH = {
    "rounded": lambda x, y: float(round(tilted_bowl(x, y))),
    "an integrator's error": lambda x, y: tilted_bowl(x, y) + 0.2 * np.sin(1e5 * x[0] * y[0]),
}


@pytest.mark.parametrize("f", ROUGH.values(), ids=ROUGH)
def test_a_rough_f_is_not_called_noisy(states, f):
    result, _ = run(f, 26, seed=2)
    assert not states[0].is_noisy
    assert "noisy" not in result.message
    assert result.fun == f(result.x, result.y)
