"""The downhill simplex: step by step as SciPy's, within the budget, and where it may end."""

import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize

from reckless import InvalidArgument
from reckless.core.generators import answered
from reckless.strategies.nelder_mead import NelderMead


def tilted(p):
    """Smooth and skew, with its minimum at (0.3, 0.8, ...) in two or more dimensions."""
    target = np.resize([0.3, 0.8], p.size)
    away = p - target
    return float(away @ away + 0.9 * away[0] * away[-1] + 0.3 * away[0] ** 4 + 2.0)


def beyond(p):
    """The minimum lies outside of the cube, so that points are clipped."""
    return float((p[0] - 1.3) ** 2 + 2.0 * (p[1] + 0.2) ** 2 + 0.5 * p[0] * p[1])


def bent(p):
    """Rosenbrock's valley: contractions, and now and then a shrink."""
    return float(100.0 * (p[1] - p[0] ** 2) ** 2 + (0.7 - p[0]) ** 2 + 5.0 * np.sin(40.0 * p[0]) ** 2)


def points_of(f, strategy, start, n_evaluations):
    points = []

    def values(P):
        points.extend(P.copy())
        return np.array([f(p) for p in P])

    return answered(strategy.search(start, n_evaluations, np.random.default_rng(0)), values), np.array(points)


@pytest.mark.parametrize(
    ("f", "start"),
    [(tilted, (0.1, 0.35, 0.6)), (tilted, (0.95, 0.2)), (beyond, (0.4, 0.7)), (bent, (0.15, 0.9)), (bent, (0.9, 0.1))],
)
@pytest.mark.parametrize("n_evaluations", [400, 23])
def test_every_point_is_the_one_that_scipy_tries(f, start, n_evaluations):
    strategy, start, tried = NelderMead(step=0.17), np.array(start), []

    def noted(p):
        tried.append(p.copy())
        return f(p)

    theirs = scipy_minimize(
        noted,
        start,
        method="Nelder-Mead",
        bounds=[(0.0, 1.0)] * start.size,
        options={
            "initial_simplex": strategy.first_simplex(start),
            "xatol": 1e-4,
            "fatol": np.inf,
            "maxfev": n_evaluations,
        },
    )
    best, points = points_of(f, strategy, start, n_evaluations)
    assert len(points) == best.n_used == len(tried)
    assert points.tolist() == np.array(tried).tolist()
    assert best.value == min(f(p) for p in tried) <= theirs.fun


def test_it_ends_when_the_simplex_is_small():
    best, points = points_of(tilted, NelderMead(tolerance=1e-6), np.array([0.9, 0.1]), 1000)
    assert best.n_used == len(points) < 200
    assert np.abs(best.point - [0.3, 0.8]).max() < 1e-5
    assert points_of(tilted, NelderMead(tolerance=0.1), np.array([0.9, 0.1]), 1000)[0].n_used < best.n_used / 2


@pytest.mark.parametrize("n_evaluations", range(1, 8))
def test_a_small_budget_is_used_up_and_never_exceeded(n_evaluations):
    best, points = points_of(tilted, NelderMead(), np.array([0.9, 0.1]), n_evaluations)
    assert best.n_used == len(points) == n_evaluations
    assert best.value == min(map(tilted, points))


def test_the_first_simplex_points_inward_where_there_is_no_room():
    assert NelderMead(step=0.3).first_simplex(np.array([0.9, 0.2])).tolist() == [
        [0.9, 0.2],
        [0.6000000000000001, 0.2],
        [0.9, 0.5],
    ]


@pytest.mark.parametrize("settings", [{"step": 0.0}, {"step": 0.6}, {"tolerance": -1.0}, {"tolerance": "small"}])
def test_what_makes_no_simplex_is_refused(settings):
    with pytest.raises(InvalidArgument, match=f"^{next(iter(settings))}: "):
        NelderMead(**settings)
