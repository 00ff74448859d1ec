"""Where descents begin."""

import numpy as np
import pytest

from reckless.core.task import Hill, Starts
from reckless.methods.danskin.starting import contest, latin_hypercube, race, start


def bowl(X, Y):
    return ((X - [0.3, 0.8]) ** 2).sum(1) - (Y[:, 0] - 0.4) ** 2


def test_the_first_race_costs_fourteen_evaluations(driver):
    """8 x meet the first y, the better 4 the second, the better 2 the third."""
    run = driver(bowl, 2, 1, seed=1)
    place = run.run(start(run.oracle))
    assert run.task.n_used == 14
    assert len(place.peaks) == 1
    assert place.radius == 0.1
    assert pytest.approx(run.value(place.x, place.top.y)) == place.F


def test_the_best_x_of_a_race_wins(driver):
    """One y, so that the order is that of the bowl."""
    run = driver(bowl, 2, 1)
    X = np.array([[0.9, 0.1], [0.31, 0.79], [0.2, 0.5], [0.6, 0.6]])
    standings = run.run(race(run.oracle, X, np.array([[0.4]]), 1))
    place = standings.place(0, 3)
    assert place.x.tolist() == [0.31, 0.79]


def test_the_peaks_of_a_race_are_ordered_by_value(driver):
    run = driver(bowl, 2, 1)
    standings = run.run(race(run.oracle, np.array([[0.5, 0.5]]), np.array([[0.9], [0.45], [0.1]]), 3))
    place = standings.place(0, 3)
    assert [peak.y[0] for peak in place.peaks] == [0.45, 0.1, 0.9]


def test_an_x_that_fails_does_not_win(driver):
    run = driver(lambda X, Y: np.where(X[:, 0] < 0.5, np.nan, X[:, 0]), 2, 1)
    X = np.array([[0.1, 0.5], [0.9, 0.5], [0.6, 0.5]])
    standings = run.run(race(run.oracle, X, np.array([[0.4]]), 1))
    place = standings.place(0, 3)
    assert place.x.tolist() == [0.6, 0.5]


def test_where_everything_fails_there_is_no_place(driver):
    for value in (np.nan, np.inf):
        run = driver(lambda X, Y, value=value: np.full(len(X), value), 2, 1)
        assert run.run(start(run.oracle)) is None


def test_standings_rank_every_x_even_those_that_left_early(driver):
    """The last x has the lowest value at the first y that all met, but the highest at the second."""
    run = driver(lambda X, Y: X[:, 0] + 10.0 * (X[:, 0] < 0.15) * (Y[:, 0] > 0.5), 2, 1)
    X = np.array([[0.9, 0.5], [0.2, 0.5], [0.5, 0.5], [0.1, 0.5]])
    standings = run.run(race(run.oracle, X, np.array([[0.4], [0.6]]), 1))
    assert standings.ranked.tolist() == [1, 3, 2, 0]
    assert pytest.approx(10.1) == standings.place(1, 1).F


def test_a_search_resumes_where_another_one_ended(driver):
    """Its peaks keep what was learned; their values are asked for."""
    run = driver(bowl, 2, 1)
    hills = (Hill(np.array([0.4]), gx=np.array([1.0, 2.0]), H=-np.eye(1), B=np.eye(2)), Hill(np.array([0.9])))
    run.task.starts = Starts(np.array([[0.25, 0.7]]), np.empty((0, 1)), peaks=hills, radius=0.03)
    place = run.run(start(run.oracle))
    assert place.x.tolist() == [0.25, 0.7]
    assert place.radius == 0.03
    assert [peak.value for peak in place.peaks] == pytest.approx([run.value([0.25, 0.7], [y]) for y in (0.4, 0.9)])
    assert place.peaks[0].gx.tolist() == [1.0, 2.0]
    assert not place.peaks[0].is_fresh_x
    assert run.task.n_used == 2


def test_without_peaks_the_given_y_are_met(driver):
    run = driver(bowl, 2, 1)
    run.task.starts = Starts(np.array([[0.25, 0.7]]), np.array([[0.2], [0.6]]))
    place = run.run(start(run.oracle))
    assert [peak.y.tolist() for peak in place.peaks] == [[0.2], [0.6]]
    assert place.radius == 0.1


def test_a_latin_hypercube_has_one_point_in_each_slice(driver):
    run = driver(bowl, 2, 1, seed=7)
    X = latin_hypercube(run.oracle, 10)
    for column in X.T:
        assert sorted(np.floor(10.0 * column).tolist()) == list(range(10))


def test_a_contest_finds_the_x_that_is_lowest_against_all_y_and_spends_little_on_others(driver):
    """20 x against 6 y, of which the first is the hardest; the lowest four meet the others side by side."""
    run = driver(lambda X, Y: (X[:, 0] - 0.4) ** 2 * (1.0 + Y[:, 0]), 1, 1, seed=1)
    X, Y = np.linspace(0.0, 1.0, 20)[:, None], np.linspace(1.0, 0.0, 6)[:, None]
    standings = run.run(contest(run.oracle, X, Y, 2))
    worst = (X[:, 0] - 0.4) ** 2 * 2.0
    assert standings.ranked.tolist() == np.argsort(worst, kind="stable").tolist()
    assert run.task.n_used == 20 + 4 * 5
    assert worst.min() == standings.place(0, 3).F
