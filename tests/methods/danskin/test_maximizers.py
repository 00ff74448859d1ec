"""The search for other maximizers: looks between steps, and attacks."""

import numpy as np
import pytest

from reckless.methods.danskin.integers import Memory
from reckless.methods.danskin.maximizers import _any_hill, look_around, sample_y, verify
from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.place import Place

X = np.array([0.3])


def two_hills(X, Y):
    """Hills at (0.2, 0.3), of height 1, and at (0.75, 0.7), of height 2."""
    low = 1.0 - 8.0 * ((Y - [0.2, 0.3]) ** 2).sum(1)
    return np.maximum(low, 2.0 - 8.0 * ((Y - [0.75, 0.7]) ** 2).sum(1))


def at(run, *ys):
    return Place(X, [Peak(np.array(y), run.value(X, y)) for y in ys])


def test_a_look_around_finds_the_other_hill(driver):
    run = driver(two_hills, 1, 2, seed=1)
    place = at(run, [0.2, 0.3])
    run.run(look_around(run.oracle, place, is_due=True))
    assert pytest.approx(2.0, abs=1e-6) == place.F
    assert place.top.y.tolist() == pytest.approx([0.75, 0.7], abs=1e-3)
    assert len(run.oracle.archive) == 1


def test_a_look_around_waits_for_its_share(driver):
    """It costs 6, and a tenth of 50 evaluations is 5."""
    run = driver(two_hills, 1, 2, seed=1)
    place = at(run, [0.2, 0.3])
    run.task.budget.count(50)
    run.run(look_around(run.oracle, place))
    assert run.task.n_used == 50
    run.task.budget.count(10)
    run.run(look_around(run.oracle, place))
    assert run.oracle.n_searched == run.task.n_used - 60 >= 6


def test_a_sample_on_the_hill_of_a_known_peak_is_not_climbed(driver):
    """One hill: nothing is added, and the sample of 6 with at most 2 tests of valleys is all it costs."""
    run = driver(lambda X, Y: 2.0 - ((Y - 0.5) ** 2).sum(1), 1, 2, seed=2)
    place = at(run, [0.5, 0.5])
    run.run(look_around(run.oracle, place, is_due=True))
    assert len(place.peaks) == 1
    assert run.task.n_used <= 8


def test_an_archived_maximizer_is_recalled(driver):
    """A spike that no sample meets."""

    def spike(X, Y):
        return np.where(np.abs(Y - [0.9, 0.1]).max(1) < 1e-3, 5.0, 1.0 - ((Y - 0.4) ** 2).sum(1))

    run = driver(spike, 1, 2, seed=3)
    run.oracle.remember(np.array([0.9, 0.1]))
    place = at(run, [0.4, 0.4])
    run.run(look_around(run.oracle, place, is_due=True))
    assert place.F == 5.0


def test_an_attack_refutes_a_local_maximizer(driver):
    run = driver(two_hills, 1, 2, seed=4)
    found = run.run(verify(run.oracle, at(run, [0.2, 0.3]), 4, 0.0))
    assert found.violator.value > 1.0 + 1e-6


def test_attacks_that_arrive_at_the_top_agree(driver):
    run = driver(two_hills, 1, 2, seed=5)
    found = run.run(verify(run.oracle, at(run, [0.75, 0.7]), 6, 0.0))
    assert found.violator is None
    assert found.n_searches == 6
    assert 1 <= found.n_agreed <= 6


def test_attacks_go_on_until_their_evaluations_are_spent(driver):
    run = driver(two_hills, 1, 2, seed=6)
    found = run.run(verify(run.oracle, at(run, [0.75, 0.7]), 1, 300.0))
    assert found.n_searches > 5
    assert run.task.n_used >= 300


def test_a_top_that_was_not_climbed_is_refuted_by_climbing_it_again(driver):
    run = driver(two_hills, 1, 2, seed=7)
    found = run.run(verify(run.oracle, at(run, [0.74, 0.69]), 1, 0.0))
    assert found.violator.value == pytest.approx(2.0, abs=1e-8)
    assert found.n_searches == 0


def test_where_everything_else_fails_nothing_agrees(driver):
    run = driver(lambda X, Y: np.where(np.abs(Y - 0.5).max(1) < 0.03, 1.0, np.nan), 1, 2, seed=8)
    found = run.run(verify(run.oracle, at(run, [0.5, 0.5]), 2, 0.0))
    assert (found.violator, found.n_agreed) == (None, 0)


def test_a_sample_on_a_line_is_spread_evenly_with_both_ends(driver):
    run = driver(two_hills, 1, 1, seed=9)
    Y = sample_y(run.oracle, 8)
    assert np.floor(8.0 * Y[1:-1, 0]).tolist() == list(range(1, 7))
    assert Y[[0, -1], 0].tolist() == [0.0, 1.0]


def test_a_quarter_of_a_sample_are_vertices(driver):
    run = driver(two_hills, 1, 3, seed=10)
    Y = sample_y(run.oracle, 12)
    assert np.isin(Y, [0.0, 1.0]).all(axis=1).sum() == 3


def cusps(lower):
    """Two cusps: one at 0.7, and one at 0.2 that is lower."""

    def f(X, Y):
        left, right = np.abs(Y[:, 0] - 0.2), np.abs(Y[:, 0] - 0.7)
        return np.maximum(1.5 - lower - left, 1.5 - 6.0 * right + 6.0 * right**2)

    return f


@pytest.mark.parametrize("away", [1e-2, -1e-4, 1e-6])
def test_verification_climbs_every_peak_on_a_line_to_its_cusp(driver, away):
    """The higher one was tracked beside its top, so that the other one leads."""
    run = driver(cusps(2.0 * abs(away)), 1, 1, seed=11)
    place = at(run, [0.2])
    place.peaks.append(at(run, [0.7 + away]).top)
    assert place.top is place.peaks[0]
    found = run.run(verify(run.oracle, place, 1, 0.0))
    assert found.violator.value == pytest.approx(1.5, abs=1e-8)
    assert place.peaks[1].y == pytest.approx([0.7], abs=1e-8)


def test_searches_on_a_line_arrive_at_cusps(driver):
    """All that climb the higher hill; half of the searches may climb another one."""
    run = driver(cusps(0.5), 1, 1, seed=12)
    found = run.run(verify(run.oracle, at(run, [0.7]), 20, 0.0))
    assert (found.violator, found.n_searches) == (None, 20)
    assert found.n_agreed >= 10


def test_an_integer_on_a_line_is_no_line(driver):
    """Peaks are climbed by units, and the pairs stay in the middle of theirs."""
    run = driver(lambda X, Y: -np.abs(Y[:, 0] - 0.62), 1, 1, seed=13)
    run.oracle.memory = Memory(np.zeros(1), np.array([0.1]))
    found = run.run(verify(run.oracle, at(run, [0.25]), 1, 0.0))
    assert found.violator.y == pytest.approx([0.65])


def test_any_hill_of_a_line_may_be_climbed(driver):
    """Three hills, one of them at the upper bound; a failure is none."""
    run = driver(lambda X, Y: Y[:, 0], 1, 1)
    values = np.array([0.0, 2.0, 1.0, np.nan, 0.5, 0.2, 3.0])
    chosen = {_any_hill(run.oracle, values) for _ in range(50)}
    assert chosen == {1, 4, 6}
