"""Failures at random are told from those of a region, by trying f beside them."""

from hashlib import blake2b

import numpy as np
import pytest

from reckless import Solver, minimax, worst_case
from reckless.bench.problems import problem
from support import X_BOUNDS, Y_BOUNDS, Recorder, tilted_bowl

AT_RANDOM = "Evaluations fail at random: f works right beside pairs where it failed."


def luck(x, y):
    """A number in [0, 1) that depends on the pair's bytes alone."""
    return int.from_bytes(blake2b(x.tobytes() + y.tobytes(), digest_size=6).digest(), "big") / 2.0**48


def by_pair(f, share):
    return lambda x, y: np.nan if luck(x, y) < share else f(x, y)


def by_chance(f, share, seed=1):
    rng = np.random.default_rng(seed)
    return lambda x, y: np.nan if rng.random() < share else f(x, y)


@pytest.mark.parametrize("make", [by_pair, by_chance])
@pytest.mark.parametrize("method", ["auto", "mmde", "reckless", "random-search", "coevolution-parallel"])
def test_random_failures_are_taken_as_unknown_and_the_message_leads_with_that(make, method):
    result = minimax(make(tilted_bowl, 0.1), X_BOUNDS, Y_BOUNDS, maxfev=600, method=method, rng=1)
    assert result.message.startswith(AT_RANDOM)
    assert "retries=2 repeats them" in result.message
    assert np.isfinite(result.fun)


@pytest.mark.parametrize("method", ["auto", "mmde", "reckless", "random-search", "coevolution-parallel"])
def test_the_failures_of_a_region_are_not_at_random(method):
    def f(x, y):
        return np.nan if x[0] * y[0] > 4.0 else 1.0 / (1.0 + x[0] * y[0])

    result = minimax(f, [(0, 5)], [(0.5, 2)], maxfev=600, method=method, rng=1)
    assert result.n_failed > 5
    assert "at random" not in result.message
    assert result.x[0] < 2.5  # random search hardly attacks


def test_probes_are_evaluations_like_others_and_stop_after_five():
    calls = Recorder(by_pair(tilted_bowl, 0.1))
    solver, n = Solver("coevolution-alternating", X_BOUNDS, Y_BOUNDS, maxfev=400, rng=7), []
    while not solver.done:
        X, Y = solver.ask()
        n.append(len(X))
        solver.tell([calls(x, y) for x, y in zip(X, Y, strict=True)])
    assert len(calls) == sum(n) == solver.nfev == 400
    assert 3 <= sum(size for size in n if size < 6) <= 5  # the probes; a generation asks for more
    assert solver.result().message.startswith(AT_RANDOM)


def test_failures_that_retries_mend_are_at_random():
    result = minimax(by_chance(tilted_bowl, 0.3), X_BOUNDS, Y_BOUNDS, maxfev=600, method="mmde", rng=1, retries=1)
    assert result.message.startswith(AT_RANDOM)


def test_nothing_is_probed_where_failures_are_unknown_anyway():
    plain, failing = Recorder(tilted_bowl), Recorder(by_pair(tilted_bowl, 0.3))
    for f in (plain, failing):
        minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=100, method="mmde", rng=1, nan_policy="ignore")
    assert all(np.array_equal(a, b) for (a, _), (b, _) in zip(plain.pairs[:100], failing.pairs[:100], strict=True))


def test_the_verification_knows_random_failures_too():
    found = worst_case(by_pair(lambda x, y: -((y[0] - 5.0) ** 2), 0.2), [1.0], Y_BOUNDS, maxfev=500, rng=1)
    assert found.fun == pytest.approx(0.0, abs=1e-3)
    assert found.message.startswith(AT_RANDOM)


@pytest.mark.parametrize("policy", ["worst", "ignore"])
@pytest.mark.parametrize("make", [by_pair, by_chance])
@pytest.mark.parametrize(("name", "seed"), [("L1", 1), ("L5", 2), ("MWP3", 3)])
def test_a_tenth_of_random_failures_leaves_problems_solved(name, seed, make, policy):
    """Solved to 1e-3 of the optimum's size; the margins seen are 1e-5 and less."""
    found = problem(name)
    f = make(lambda x, y: float(found.function(x[None], y[None])[0]), 0.1)
    result = minimax(f, found.x_bounds, found.y_bounds, maxfev=3000, rng=seed, nan_policy=policy)
    worst, best = found.worst_case(result.x[None])[0][0], found.optimum.value
    assert worst - best < 1e-3 * (1.0 + abs(best))
