"""Sets other than boxes: every point is reachable, none outside is, and every method works on each."""

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driving import drive
from reckless.domains.box import Box
from reckless.domains.domain import Domain
from reckless.domains.perturbation import perturbation
from reckless.domains.reading import read_domain
from reckless.domains.sets import Ball, Scenarios, Simplex
from reckless.errors import InvalidArgument, InvalidObjective
from reckless.evaluation.fingerprint import fingerprint
from reckless.methods.registry import catalog, find_method

unit = st.floats(0.0, 1.0)
LIST = np.array([[2.0, -3.0], [7.5, -1.0], [4.0, -9.0], [2.5, -2.0], [9.0, -4.0]])


def cubes(n):
    return st.lists(unit, min_size=n, max_size=n).map(np.array)


def round_trip(domain, points):
    """Where the set's maps send points of it, by way of the cube."""
    U = domain.to_unit(points)
    assert U.shape == (len(points), domain.n)
    assert np.all((U >= 0.0) & (U <= 1.0))
    return domain.rows(U, len(U))


@given(n=st.integers(1, 8), data=st.data())
def test_a_ball_holds_every_image_and_every_point_of_it_is_one(n, data):
    ball = Ball(np.arange(n) - 7.5, np.linspace(0.5, 2.0, n) if n > 2 else 0.5)
    u = data.draw(cubes(n))
    p = (ball.from_unit(u) - ball.center) / ball.radius
    assert np.sqrt(p @ p) == pytest.approx(np.abs(2.0 * u - 1.0).max(), abs=1e-12)
    target = ball.center + ball.radius * p * data.draw(unit)
    np.testing.assert_allclose(round_trip(ball, target[None])[0], target, atol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_the_boundary_of_the_cube_is_the_sphere_and_its_middle_the_center(n):
    ball, rng = Ball(np.full(n, 3.0), 2.0), np.random.default_rng(1)
    assert ball.from_unit(np.full(n, 0.5)).tolist() == [3.0] * n
    U = rng.random((200, n))
    U[np.arange(200), rng.integers(n, size=200)] = rng.integers(2, size=200)
    distance = np.sqrt(((ball.rows(U, 200) - 3.0) ** 2).sum(axis=1))
    np.testing.assert_allclose(distance, 2.0, rtol=1e-14)
    axis = np.full(n, 0.5)
    axis[0] = 1.0
    assert ball.from_unit(axis)[0] == 5.0
    edge = np.full((1, n), 3.0)
    assert ball.to_unit(edge).tolist() == [[0.5] * n]
    edge[0, 0] = 5.0
    assert ball.to_unit(edge).tolist() == [axis.tolist()]


@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_uniform_sample_of_the_cube_is_nearly_uniform_in_the_ball(n):
    """By moments, with 20,000 points: the mean of a squared coordinate is 1 / (n + 2)."""
    P = Ball(np.zeros(n), 1.0).rows(np.random.default_rng(2).random((20_000, n)), 20_000)
    np.testing.assert_allclose(P.mean(axis=0), 0.0, atol=0.02)
    np.testing.assert_allclose((P**2).mean(axis=0), 1.0 / (n + 2), rtol=0.05)
    fourth = 3.0 / ((n + 2) * (n + 4))
    np.testing.assert_allclose((P**4).mean(axis=0), fourth, rtol=0.12)
    assert np.mean(np.sqrt((P**2).sum(axis=1)) < 0.5 ** (1.0 / n)) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("domain", [Ball([3.0, -4.0, 1.0], 0.7), Simplex(4, 2.5)], ids=["ball", "simplex"])
def test_the_maps_are_continuous(domain):
    """Points of the cube 1e-9 apart stay together, but where the simplex has the root of a small number."""
    rng = np.random.default_rng(3)
    U = rng.random((2000, domain.n))
    near = np.clip(U + rng.uniform(-1e-9, 1e-9, U.shape), 0.0, 1.0)
    assert np.abs(domain.rows(U, 2000) - domain.rows(near, 2000)).max() < 1e-5


@given(n=st.integers(2, 8), total=st.floats(0.1, 50.0), data=st.data())
def test_a_simplex_holds_every_image_and_every_point_of_it_is_one(n, total, data):
    simplex = Simplex(n, total)
    p = simplex.from_unit(data.draw(cubes(n - 1)))
    assert p.shape == (n,)
    assert np.all(p >= 0.0)
    assert p.sum() == pytest.approx(total, rel=1e-12)
    weights = np.array(data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)), dtype=float)
    weights[0] += weights.sum() == 0.0
    target = total * weights / weights.sum()
    np.testing.assert_allclose(round_trip(simplex, target[None])[0], target, atol=1e-6 * total)


def test_corners_and_faces_of_the_simplex_are_reached_exactly():
    simplex = Simplex(3, 2.0)
    corners = {tuple(simplex.from_unit(np.array(u, dtype=float))) for u in itertools.product((0, 1), repeat=2)}
    assert corners == {(2.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 2.0)}
    assert simplex.from_unit(np.array([0.0, 0.3]))[0] == 0.0
    assert simplex.from_unit(np.array([0.4, 1.0]))[2] == 0.0


@pytest.mark.parametrize("n", range(2, 8))
def test_the_vertices_of_a_simplex_survive_the_way_to_the_cube_and_back(n):
    vertices = 2.5 * np.eye(n)
    assert np.array_equal(round_trip(Simplex(n, 2.5), vertices), vertices)
    middle = np.full((1, n), 2.5 / n)
    np.testing.assert_allclose(round_trip(Simplex(n, 2.5), middle), middle, rtol=1e-14)


@pytest.mark.parametrize(
    "points", [LIST, [[1e308], [-1e308], [0.0]], [[1.0, 2.0]] * 3, [[7.0]]], ids=["list", "huge", "equal", "one"]
)
def test_every_scenario_survives_the_way_to_the_cube_and_back(points):
    scenarios = Scenarios(points)
    assert np.array_equal(round_trip(scenarios, scenarios.points), scenarios.points)
    assert scenarios.to_unit(scenarios.points[:0]).shape == (0, 1)


def test_a_point_that_is_no_scenario_becomes_the_nearest_in_units_of_the_spread():
    scenarios = Scenarios(LIST * [1.0, 1e-3])
    assert round_trip(scenarios, np.array([[2.2, -2.9e-3], [8.0, -5e-3]])).tolist() == [[2.0, -3e-3], [9.0, -4e-3]]


@pytest.mark.parametrize("n", [2, 3, 6])
def test_a_uniform_sample_of_the_cube_is_uniform_in_the_simplex(n):
    P = Simplex(n).rows(np.random.default_rng(4).random((20_000, n - 1)), 20_000)
    np.testing.assert_allclose(P.mean(axis=0), 1.0 / n, rtol=0.03)
    np.testing.assert_allclose(P.var(axis=0), (n - 1) / (n**2 * (n + 1)), rtol=0.06)


@given(u=st.lists(unit, min_size=1, max_size=20))
def test_scenarios_are_handed_over_as_they_were_given(u):
    scenarios = Scenarios(LIST)
    rows = scenarios.rows(np.array(u)[:, None], len(u))
    assert {tuple(row) for row in rows} <= {tuple(row) for row in LIST}


def test_every_scenario_has_an_equal_share_and_alike_ones_are_neighbors():
    scenarios = Scenarios(LIST)
    rows = scenarios.rows((np.arange(1000)[:, None] + 0.5) / 1000, 1000)
    found, counts = np.unique(rows, axis=0, return_counts=True)
    assert len(found) == scenarios.n_scenarios == 5
    assert counts.tolist() == [200] * 5
    line = Scenarios([5.0, 1.0, 3.0, 2.0, 4.0]).rows((np.arange(5)[:, None] + 0.5) / 5, 5)[:, 0]
    assert line.tolist() in ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1])


@pytest.mark.parametrize("points", [[[1e308], [-1e308]], [[1.0, 2.0]] * 3, [[7.0]]], ids=["huge", "equal", "one"])
def test_odd_lists_of_scenarios_do_no_harm(points):
    scenarios = Scenarios(points)
    assert len(scenarios.rows(np.array([[0.0], [1.0]]), 2)) == 2


@pytest.mark.parametrize(
    "domain",
    [
        read_domain([(1, 4), (-7, -2)], "x_bounds"),
        read_domain([(1, 4), (-7, -2)], "x_bounds", [0, 1]),
        Box({"gain": (1, 4, "log"), "angle": (-7, -2)}),
        Ball([3.0, -4.0], 0.5),
        Simplex(3),
        Scenarios(LIST),
    ],
    ids=["box", "integers", "log", "ball", "simplex", "scenarios"],
)
def test_every_set_offers_what_a_run_needs(domain):
    rng = np.random.default_rng(5)
    U = rng.random((6, domain.n))
    rows = domain.rows(U, 4)
    assert rows.shape == (4, domain.n_out)
    assert all(np.array_equal(domain.from_unit(u), row) for u, row in zip(U, rows, strict=False))
    assert np.array_equal(domain.rows(U[0], 3), np.repeat(rows[:1], 3, axis=0))
    kept = domain.rows(U, 6)
    rows[:] = 0.0
    assert np.array_equal(domain.rows(U, 6), kept)
    assert isinstance(domain, Domain)
    np.testing.assert_allclose(round_trip(domain, kept), kept, rtol=1e-12)
    copy = pickle.loads(pickle.dumps(domain))
    assert np.array_equal(copy.rows(U, 6), kept)
    assert fingerprint(copy) == fingerprint(domain)
    assert read_domain(domain, "y_bounds") is domain
    for path in domain.paths(kept[0], 9, 2):
        assert np.all(np.diff(path.at) > 0.0)
        assert path.here in path.at
        assert np.array_equal(path.rows[path.at == path.here][0], kept[0])
        assert path.rows.shape == (path.at.size, domain.n_out)
        assert all(_is_in(domain, row) for row in path.rows)


def _is_in(domain, row):
    if isinstance(domain, Ball):
        return (((row - domain.center) / domain.radius) ** 2).sum() <= 1.0 + 1e-9
    if isinstance(domain, Simplex):
        return bool(np.all(row >= 0.0)) and row.sum() == pytest.approx(domain.total)
    if isinstance(domain, Scenarios):
        return any(np.array_equal(row, point) for point in domain.points)
    return 1 <= row[0] <= 4 and -7 <= row[1] <= -2


SETS = {
    "log": Box([(1, 4, "log"), (-7, -2)]),
    "integers": read_domain([(1, 4), (-7, -2)], "x_bounds", [0, 1]),
    "ball": Ball([3.0, -4.0], 0.5),
    "simplex": Simplex(3),
    "scenarios": Scenarios(LIST),
}


METHODS = sorted(set(catalog()) - {"auto", "stableopt"})  # which use what others use
LISTS = [name for name, domain in SETS.items() if domain.n_scenarios is not None]


@pytest.mark.parametrize(("method", "y_set"), [(m, y) for m in METHODS for y in (LISTS if m == "finite" else SETS)])
@pytest.mark.parametrize("x_set", SETS)
def test_every_method_works_on_every_set_and_stays_inside(method, x_set, y_set):
    x_domain, y_domain = SETS[x_set], SETS[y_set]
    chosen, _ = find_method(method)

    def f(x, y):
        return (x**2).sum() - 0.3 * x[0] * y[0] - (y**2).sum()

    maxfev = 10 if method == "surrogate" else 150  # each takes long, and there is a model after 5
    x, y, fun, pairs = drive(chosen, f, x_domain, y_domain, maxfev, 1)
    assert f(x, y) == fun
    assert all(_is_in(x_domain, u) and _is_in(y_domain, v) for u, v in pairs)


@pytest.mark.parametrize(
    ("y_domain", "weights", "worst", "value"),
    [
        (Ball([3.0, -4.0], 0.5), [3.0, 4.0], [3.3, -3.6], -4.5),
        (Simplex(3, 2.0), [-3.0, 5.0, 1.0], [0.0, 2.0, 0.0], 10.0),
        (Scenarios(LIST), [-3.0, 1.0], [2.0, -3.0], -9.0),
        (read_domain([(1.5, 4.5), (-7.0, -2.5)], "y_bounds", True), [3.0, 4.0], [4.0, -3.0], 0.0),
    ],
    ids=["ball", "simplex", "scenarios", "integers"],
)
def test_a_worst_case_on_the_boundary_of_a_set_is_found(y_domain, weights, worst, value):
    """f = |x - (2, -3)|^2 + weights y; 10 seeds came within 2e-8 of the value and 2e-5 of y, 5 are asserted to 1e-4."""
    chosen, _ = find_method("reckless")
    box = read_domain([(1, 6), (-7, -2)], "x_bounds")
    for seed in range(5):
        x, y, fun, _ = drive(
            chosen, lambda x, y: ((x - [2.0, -3.0]) ** 2).sum() + y @ weights, box, y_domain, 4000, seed
        )
        assert fun == pytest.approx(value, abs=1e-4)
        np.testing.assert_allclose(x, [2.0, -3.0], atol=1e-3)
        np.testing.assert_allclose(y, worst, atol=1e-4)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Ball([], 1.0), "^center: expected a vector of one coordinate or more"),
        (lambda: Ball([np.nan], 1.0), "^center: every coordinate must be finite"),
        (lambda: Ball([1.0], 0.0), "^radius: expected a number above 0"),
        (lambda: Ball([1.0, 2.0], [1.0, 2.0, 3.0]), "^radius: expected a number above 0, or 2 of them"),
        (lambda: Simplex(1), "^n: expected a whole number of at least 2"),
        (lambda: Simplex(3, -1.0), "^total: expected a number above 0"),
        (lambda: Scenarios([]), "^points: expected one scenario per row"),
        (lambda: Scenarios([[1.0], [1.0, 2.0]]), "^points: expected one scenario per row"),
        (lambda: Scenarios("abc"), "^points: expected one scenario per row"),
        (lambda: Scenarios([[1.0], [np.inf]]), r"^points: every scenario must be finite, but row 1"),
        (lambda: Ball([10**400], 1.0), "^center: every coordinate must be finite"),
        (lambda: Ball([1.0], 10**400), "^radius: every coordinate must be finite"),
        (lambda: Ball([1.0, 1e308], 1e308), "^radius: the ball must end at finite numbers, but index 1"),
        (lambda: Ball(np.ma.array([1.0, 2.0], mask=[0, 1]), 1.0), "^center: expected a sequence of numbers"),
        (lambda: Scenarios(np.ma.array([1.0, 2.0], mask=[0, 1])), "^points: expected one scenario per row"),
        (lambda: Simplex(10**400), "^n: expected a whole number of at most 1000000"),
        (lambda: Simplex(3, 10**400), "^total: expected a finite number"),
        (lambda: Scenarios([[1.0], [10**400]]), "^points: every scenario must be finite, but row 1"),
        (lambda: perturbation(np.sum, [(1, 4)], 10**400), "^radius: every coordinate must be finite"),
        (lambda: perturbation(np.sum, [(1, 4)], -0.5), "^radius: expected a number above 0"),
        (lambda: perturbation(np.sum, [(1, 4)], 0.5, shape="disk"), "^shape: expected 'box' or 'ball'"),
        (lambda: perturbation(np.sum, (1, 4), 0.5), "^x_bounds: .*one bare pair"),
        (lambda: perturbation(np.sum, [(1, 4)], 0.5, inside=1), "^inside: expected True or False, but got 1"),
    ],
)
def test_bad_sets_are_refused_in_a_sentence_that_names_the_argument(make, words):
    with pytest.raises(InvalidArgument, match=words):
        make()


def test_a_perturbed_function_is_never_called_outside_unless_that_is_allowed():
    bounds, seen = [(1.0, 4.0), (-7.0, -2.0)], []
    f, y_bounds = perturbation(lambda x: seen.append(x.copy()) or 0.0, bounds, [0.5, 1.0])
    assert y_bounds == [(-0.5, 0.5), (-1.0, 1.0)]
    f(np.array([1.1, -2.0]), np.array([-0.5, 1.0]))
    assert seen[-1].tolist() == [1.0, -2.0]
    f, _ = perturbation(lambda x: seen.append(x.copy()) or 0.0, bounds, 0.5, inside=False)
    f(np.array([1.0, -2.0]), np.array([-0.5, 0.5]))
    assert seen[-1].tolist() == [0.5, -1.5]
    _, ball = perturbation(np.sum, bounds, [0.5, 1.0], shape="ball")
    assert ball.radius.tolist() == [0.5, 1.0]
    with pytest.raises(InvalidObjective, match="^g: expected a function"):
        perturbation(3, bounds, 0.5)


def test_a_perturbed_function_of_rows_takes_rows():
    f, _ = perturbation(lambda X: X.sum(axis=1), [(1.0, 4.0)], 0.5)
    assert f(np.array([[1.0], [3.0]]), np.array([[0.25], [0.5]])).tolist() == [1.25, 3.5]
