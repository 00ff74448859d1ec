"""What is known of every scenario."""

import numpy as np
import pytest

from reckless.core.generators import answered
from reckless.core.task import Budget, Task
from reckless.methods.danskin.oracle import Oracle
from reckless.methods.finite.listing import Stand, new_listing
from reckless.methods.surrogate.spaces import Cube

SLOPES = np.array([[3.0, 1.0], [-2.0, 0.5], [0.0, 4.0], [1.0, 1.0]])


class Driver:
    """Four linear scenarios over the unit square; `run` answers what a part asks for."""

    def __init__(self, f=None):
        self.f = f or (lambda x, i: float(SLOPES[i] @ x) + i)
        self.oracle = Oracle(Task(2, 1, Budget(1000), np.random.default_rng(0), n_scenarios=4), 1000)
        self.listing = new_listing(Cube(2, np.zeros(2)), 4, np.array([0.2, 0.7]))
        self.asked = []

    def run(self, part):
        return answered(part, self.values)

    def values(self, pairs):
        X, Y = np.atleast_2d(pairs[0]), np.atleast_2d(pairs[1])
        m = max(len(X), len(Y))
        X, Y = np.broadcast_to(X, (m, 2)), np.broadcast_to(Y, (m, 1))
        self.oracle.task.budget.count(m)
        rows = [(x, int(4 * y[0])) for x, y in zip(X, Y, strict=True)]
        self.asked += rows
        return np.array([self.f(x, i) for x, i in rows])

    def stand(self, x):
        return Stand(np.array(x), np.full(4, np.nan))


def test_rates_are_the_fastest_changes_seen_and_fade():
    driver = Driver()
    listing, chosen = driver.listing, np.array([0, 2])
    for x in ([0.2, 0.7], [0.3, 0.7], [0.3, 0.8]):
        driver.run(listing.visit(driver.oracle, driver.stand(x), chosen))
    assert listing.rates.tolist() == pytest.approx([max(1.0, 0.7 * 3.0), 0.0, 4.0, 0.0])
    assert np.isnan(listing.values[[1, 3]]).all()
    high = listing.highest(np.array([0.5, 0.8]))
    assert high[0] == pytest.approx(3 * 0.3 + 0.8 + 2.0 * 2.1 * 0.2)
    assert high[1] == -np.inf


def test_a_scenario_that_failed_as_the_worst_case_may_be_the_worst_anywhere():
    driver = Driver(lambda x, i: np.inf if i == 1 and x[0] > 0.5 else np.nan if i == 3 else float(i))
    listing, stand = driver.listing, driver.stand([0.6, 0.7])
    driver.run(listing.visit(driver.oracle, stand, np.arange(4)))
    assert stand.value == np.inf
    assert stand.values[3] == -np.inf
    driver.run(listing.visit(driver.oracle, driver.stand([0.4, 0.7]), np.arange(3)))
    assert listing.highest(np.array([0.3, 0.1])).tolist()[1] == np.inf
    assert listing.highest(np.array([0.3, 0.1])).tolist()[3] == -np.inf


def test_a_slope_is_measured_by_as_many_differences_as_there_are_coordinates():
    driver = Driver()
    stand = driver.stand([0.2, 1.0])
    driver.run(driver.listing.visit(driver.oracle, stand, np.array([0, 1])))
    driver.run(driver.listing.measure(driver.oracle, stand, 1))
    assert len(driver.asked) == 2 + 2
    assert driver.listing.pieces[1].slope == pytest.approx(SLOPES[1], abs=1e-8)
    driver.run(driver.listing.measure(driver.oracle, stand, 3))
    assert len(driver.asked) == 4 + 1 + 2
    assert all(x.min() >= 0.0 and x.max() <= 1.0 for x, _ in driver.asked)


def test_a_failed_difference_counts_as_level_and_a_failed_scenario_gets_no_model():
    driver = Driver(lambda x, i: np.nan if x[0] > 0.2 or i == 2 else 5.0 * x[1])
    stand = driver.stand([0.2, 0.7])
    driver.run(driver.listing.measure(driver.oracle, stand, 0))
    assert driver.listing.pieces[0].slope == pytest.approx([0.0, 5.0], abs=1e-8)
    driver.run(driver.listing.measure(driver.oracle, stand, 2))
    assert 2 not in driver.listing.pieces


def test_curvature_is_learned_between_two_measurements():
    driver = Driver(lambda x, i: float(2.0 * x @ x))
    for x in ([0.2, 0.7], [0.4, 0.1]):
        driver.run(driver.listing.measure(driver.oracle, driver.stand(x), 0))
    learned = driver.listing.pieces[0].B
    assert learned == pytest.approx(4.0 * np.eye(2), abs=1e-4)


def test_models_gather_where_values_are_known():
    driver = Driver()
    listing, first, then = driver.listing, driver.stand([0.2, 0.7]), driver.stand([0.5, 0.5])
    for i in (0, 1):
        driver.run(listing.measure(driver.oracle, first, i))
    driver.run(listing.visit(driver.oracle, then, np.array([0])))
    listing.gather(then, 1.0)
    assert listing.pieces[0].x is then.x
    assert listing.pieces[0].value == then.values[0]
    assert listing.pieces[1].x is first.x
    then.values[1] = -np.inf
    listing.gather(then, 1.0)
    assert list(listing.pieces) == [0]
