"""A value of +inf, as of a failed pair that counts as the worst case: it ends an attack, and x leaves it."""

import numpy as np
import pytest

from driving import drive
from reckless import Solver
from reckless.core.generators import answered
from reckless.core.task import Budget, Task
from reckless.domains.sets import Scenarios
from reckless.methods.finite import Finite
from reckless.methods.levels import maximize_over_y, minimize_over_x
from reckless.methods.registry import catalog
from reckless.strategies.cma import CMAES
from reckless.strategies.differential import DifferentialEvolution
from reckless.strategies.restarts import BIPOP

LIST = Scenarios(np.linspace(0.5, 2.0, 16)[:, None])
OWN_TESTS = ("auto", "danskin", "finite", "stableopt", "surrogate")  # methods that are tested on failures elsewhere
BOXES = {name: entry.make() for name, entry in sorted(catalog().items()) if name not in OWN_TESTS}
CASES = {
    **{name: (method, [(0.5, 2.0)]) for name, method in BOXES.items()},
    "list": (Finite(), LIST),
}


def wall(x, y):
    """Unstable where x * y > 4; the best x is 2, with the value 0.5 at y = 0.5."""
    return np.inf if x[0] * y[0] > 4.0 else 1.0 / (1.0 + x[0] * y[0])


def new_task(maxfev=1000, n_x=1):
    return Task(n_x, 1, Budget(maxfev), np.random.default_rng(3))


def answer_and_highest_values(method, y_domain, maxfev, seed):
    """The x recommended on the wall, and by x the highest value that the method was told.

    The last batch is left out: if the budget cuts it, the method never hears of it.
    """
    solver, highest, last = Solver(method, [(0.0, 5.0)], y_domain, maxfev=maxfev, rng=seed), {}, []
    while not solver.done:
        for x, value in last:
            highest[x.tobytes()] = max(highest.get(x.tobytes(), -np.inf), value)
        X, Y = solver.ask()
        last = [(x, wall(x, y)) for x, y in zip(X, Y, strict=True)]
        solver.tell([value for _, value in last])
    return solver.result().x, highest


@pytest.mark.parametrize("strategy", [BIPOP(), CMAES(), DifferentialEvolution()], ids=str)
def test_an_attack_ends_with_the_batch_that_holds_an_infinite_value(strategy):
    sizes, values = [], []

    def answer(pairs):
        _, Y = pairs
        values.append(np.where(Y[:, 0] > 0.97, np.inf, Y[:, 0]))
        sizes.append(len(Y))
        return values[-1]

    leg = maximize_over_y(new_task(), np.zeros(1), strategy, start=np.array([0.1]), n_evaluations=1000)
    y, worst = answered(leg, answer)
    assert worst == np.inf
    assert y[0] > 0.97
    assert np.isinf(values[-1]).any()
    assert not np.isinf(np.concatenate(values[:-1])).any()
    assert sum(sizes) < 1000


def test_a_descent_in_x_goes_on_past_infinite_values():
    n_seen = 0

    def answer(pairs):
        nonlocal n_seen
        X, _ = pairs
        n_seen += len(X)
        return np.where(X[:, 0] > 0.5, np.inf, (X[:, 0] - 0.3) ** 2)

    leg = minimize_over_x(new_task(), np.zeros(1), CMAES(), start=np.array([0.9]), n_evaluations=300)
    x, value = answered(leg, answer)
    assert x[0] == pytest.approx(0.3, abs=1e-5)
    assert value < 1e-9
    assert n_seen > 50


def test_an_attack_returns_the_infinite_y_that_is_farthest_from_the_others():
    task = Task(1, 1, Budget(100), np.random.default_rng(1), n_scenarios=8)
    values = np.array([1.0, np.inf, 2.0, np.nan, np.inf, np.inf, np.inf, np.inf])
    leg = maximize_over_y(task, np.zeros(1), BIPOP(), start=np.array([0.1]), n_evaluations=50)
    y, worst = answered(leg, lambda pairs: values)
    assert (y[0], worst) == (7.5 / 8.0, np.inf)


def test_an_attack_that_meets_only_infinite_values_returns_one_of_them():
    leg = maximize_over_y(new_task(), np.zeros(1), CMAES(), start=np.array([0.1]), n_evaluations=50)
    y, worst = answered(leg, lambda pairs: np.full(len(pairs[1]), np.inf))
    assert 0.0 <= y[0] <= 1.0
    assert worst == np.inf


@pytest.mark.parametrize("case", ["mmde", "random-search", "coevolution-parallel", "reckless", "list"])
def test_no_x_with_an_infinite_value_is_the_answer_if_others_were_attacked(case):
    """Variants of reckless that never restart may end with nothing but infinite x, and say so."""
    method, y_domain = CASES[case]
    for seed in range(5):
        x, highest = answer_and_highest_values(method, y_domain, 2000, seed)
        assert highest[x.tobytes()] < np.inf


@pytest.mark.parametrize("case", CASES)
def test_a_search_leaves_an_x_around_which_everything_is_infinite(case):
    """Nine tenths of x are infinite for every y; 10 of 10 seeds find the rest."""
    method, y_domain = CASES[case]
    for seed in range(5):
        _, _, fun, _ = drive(
            method, lambda x, y: np.inf if x[0] < 4.5 else x[0] + y[0], [(0.0, 5.0)], y_domain, 2000, seed
        )
        assert fun < np.inf


@pytest.mark.parametrize("case", ["mmde", "list"])
def test_a_wall_is_approached_from_its_good_side(case):
    """Of 40 other seeds 40 came within [1.93, 2.0]; asserted: 10 of 10 above 1.9."""
    method, y_domain = CASES[case]
    for seed in range(10):
        x, _, fun, _ = drive(method, wall, [(0.0, 5.0)], y_domain, 2000, seed)
        assert 1.9 <= x[0] <= 2.0
        assert fun == pytest.approx(1.0 / (1.0 + 0.5 * x[0]), abs=0.01)


def test_failures_that_teach_nothing_are_no_infinite_values():
    """NaN beside +inf: x is left for the second and not for the first."""

    def f(x, y):
        return np.nan if y[0] < 0.8 else wall(x, y)

    for case, (method, y_domain) in CASES.items():
        x, _, fun, pairs = drive(method, f, [(0.0, 5.0)], y_domain, 1000, 4, nan_policy="ignore")
        assert fun < np.inf, case
        received = [f(u, v) for u, v in pairs if np.array_equal(u, x)]
        assert np.inf not in received, case
