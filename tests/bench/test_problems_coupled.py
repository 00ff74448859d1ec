"""The suites smooth, rotated and lists: worst cases against searches, optima against other solvers and proofs."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

from reckless.bench.problems import find_problem, problem, suites
from reckless.bench.problems.inner import random_rotation
from reckless.bench.problems.programs import least_of_largest, peaks_in_box
from reckless.domains.sets import Scenarios
from reckless.errors import InvalidArgument

COUPLED = ["coupled", "coupled:instance=2", "coupled:instance=3"]
SMOOTH = ["dense", "dense:n=7,instance=3", *COUPLED, *(f"chebyshev:n={n}" for n in (1, 2, 3, 4, 5, 6))]
ROTATED = [f"{name}:n=5" for name in suites()["rotated"]]
LISTS = [
    *("ball:n=2,k=5", "ball", "ball:n=10,k=50", "ball:n=3,k=300", "chebyshev-list", "chebyshev-list:n=8,k=60"),
    *("maxq", "maxq:n=20", "filter41", "quadratics:k=5,n=3,instance=4", "quadratics", "quadratics:k=50,n=5,instance=2"),
]
EVERY = [*SMOOTH, *ROTATED, *suites()["rotated"], *LISTS]


def rows(bounds, m, seed):
    """Random rows, a quarter of whose coordinates sit on a bound."""
    low, high = np.array(bounds).T
    rng = np.random.default_rng(seed)
    inside = rng.uniform(low, high, (m, low.size))
    side = np.where(rng.random(inside.shape) < 0.5, low, high)
    return np.where(rng.random(inside.shape) < 0.25, side, inside)


def draw_y(p, m, seed):
    if isinstance(p.y_bounds, Scenarios):
        return p.y_bounds.points[np.random.default_rng(seed).integers(p.y_bounds.n_scenarios, size=m)]
    return rows(p.y_bounds, m, seed)


@pytest.mark.parametrize("name", EVERY)
def test_a_problem_is_rebuilt_by_its_name_and_states_what_it_attains(name):
    p = find_problem(name)
    again = problem(p.name)
    assert (again.name, again.optimum, again.x_bounds) == (p.name, p.optimum, p.x_bounds)
    assert (p.n_x, p.n_y) == (len(p.optimum.x), len(p.optimum.y))
    assert p.optimum.source.endswith(".")
    assert "\n" not in p.summary
    x, y = np.array([p.optimum.x]), np.array([p.optimum.y])
    assert p.worst_case(x)[0] == pytest.approx([p.optimum.value], rel=1e-12, abs=1e-13)
    assert p.function(x, y) == pytest.approx([p.optimum.value], rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("name", EVERY)
def test_rows_do_not_depend_on_each_other_and_there_may_be_none(name):
    p = find_problem(name)
    X, Y = rows(p.x_bounds, 6, 1), draw_y(p, 6, 2)
    one_by_one = [p.function(X[k : k + 1], Y[k : k + 1]).item() for k in range(6)]
    assert p.function(np.asfortranarray(X), Y).tolist() == pytest.approx(one_by_one, rel=1e-12)
    values, worst = p.worst_case(X)
    assert p.function(X, worst).tolist() == values.tolist()
    assert p.worst_case(X[3:4])[0][0] == pytest.approx(values[3], rel=1e-12)
    assert p.function(X[:0], Y[:0]).shape == (0,)
    assert [part.shape for part in p.worst_case(X[:0])] == [(0,), (0, p.n_y)]


@pytest.mark.parametrize("name", EVERY)
def test_no_y_is_worse_than_the_worst_case_and_no_x_better_than_the_optimum(name):
    p = find_problem(name)
    X = np.vstack([rows(p.x_bounds, 40, 3), p.optimum.x])
    values, worst = p.worst_case(X)
    if not isinstance(p.y_bounds, Scenarios):
        low, high = np.array(p.y_bounds).T
        assert ((low <= worst) & (worst <= high)).all()
    for k in range(30):
        assert (p.function(X, draw_y(p, len(X), 10 + k)) <= values + 1e-12 * np.abs(values)).all()
    low, high = np.array(p.x_bounds).T
    rng = np.random.default_rng(4)
    for scale in (1e-6, 1e-3, 1e-1, 1.0):
        nearby = np.clip(p.optimum.x + scale * rng.standard_normal((60, p.n_x)), low, high)
        assert (p.worst_case(nearby)[0] >= p.optimum.value - 1e-11 * max(1.0, p.optimum.value)).all()


@pytest.mark.parametrize("name", [*(name for name in SMOOTH if "chebyshev" not in name), *ROTATED])
def test_a_bounded_search_from_anywhere_finds_no_worse_y(name):
    """Where f is concave or linear in y the search is sure; f4 is convex, and f6 and f8 have kinks: see `rotated`."""
    p = find_problem(name)
    X = rows(p.x_bounds, 3, 5)
    for k, (x, value) in enumerate(zip(X, p.worst_case(X)[0], strict=True)):
        start = rows(p.y_bounds, 1, 40 + k)[0]
        found = minimize(
            lambda y, x=x: -p.function(x[None], y[None])[0], start, method="L-BFGS-B", bounds=p.y_bounds, tol=1e-13
        )
        assert -found.fun <= value + 1e-10 * abs(value)
        if not name.startswith(("f4", "f6", "f8")):
            assert -found.fun == pytest.approx(value, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize(("n", "condition"), [(3, 10.0), (20, 1e6), (50, 10.0)])
def test_a_peak_in_a_box_has_slopes_that_vanish_or_point_outward(n, condition):
    rng = np.random.default_rng(n)
    Q = random_rotation(rng, n)
    C = Q @ np.diag(np.geomspace(1.0 / condition, 1.0, n)) @ Q.T
    low, high = rng.uniform(-3.0, -1.0, n), rng.uniform(0.5, 4.0, n)
    linear = rng.standard_normal((60, n)) * np.geomspace(1e-3, 30.0, 60)[:, None] @ C
    Y = peaks_in_box(linear, C, low, high)
    slopes = linear - Y @ C
    at_low, at_high = low == Y, high == Y
    assert at_low.sum() > 10
    assert at_high.sum() > 10
    assert ((low <= Y) & (high >= Y)).all()
    outward = np.where(at_low, slopes, np.where(at_high, -slopes, np.abs(slopes)))
    assert outward.max() <= 1e-10 * np.abs(linear).max()


@pytest.mark.parametrize("n", [2, 4, 6])
def test_the_worst_case_of_a_fit_is_that_of_a_grid_refined(n):
    p = find_problem(f"chebyshev:n={n}")
    x = rows(p.x_bounds, 1, n)[0]
    value = p.worst_case(x[None])[0][0]
    low, high = 0.0, 1.0
    for _ in range(4):
        t = np.linspace(low, high, 2001)
        errors = np.abs(p.function(np.broadcast_to(x, (2001, n)), np.column_stack([t, np.ones(2001)])))
        k = int(errors.argmax())
        low, high = t[max(k - 1, 0)], t[min(k + 1, 2000)]
    assert value == pytest.approx(errors.max(), rel=1e-11)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_no_polynomial_fits_better_on_a_grid_by_a_linear_program(n):
    p = find_problem(f"chebyshev:n={n}")
    t = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, 400))
    columns = np.cos(np.arange(n) * np.arccos(2.0 * t - 1.0)[:, None])
    ones = np.ones((t.size, 1))
    found = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=np.block([[columns, -ones], [-columns, -ones]]),
        b_ub=np.concatenate([np.exp(t), -np.exp(t)]),
        bounds=[(None, None)] * n + [(0.0, None)],
    )
    assert 10.0 ** (n - 1) * found.fun == pytest.approx(p.optimum.value, rel=1e-3)
    assert 10.0 ** (n - 1) * found.fun <= p.optimum.value + 1e-9


@pytest.mark.parametrize("name", COUPLED)
def test_a_search_over_x_reaches_the_optimum_of_a_coupled_problem_and_no_less(name):
    p = find_problem(name)
    for seed in (1, 2):
        found = minimize(
            lambda x: p.worst_case(x[None])[0][0], rows(p.x_bounds, 1, seed)[0], method="L-BFGS-B", bounds=p.x_bounds
        )
        assert p.optimum.value - 1e-13 <= found.fun <= p.optimum.value + 1e-6


@pytest.mark.parametrize("name", [name for name in LISTS if "k=300" not in name])
def test_sequential_quadratic_programming_finds_no_better_x_against_a_list(name):
    p = find_problem(name)
    numbers = p.y_bounds.points
    start = 0.98 * np.array(p.optimum.x) + 0.02 * np.mean(p.x_bounds, axis=1)

    def room(z):
        return z[-1] - p.function(np.broadcast_to(z[:-1], (len(numbers), p.n_x)), numbers)

    found = minimize(
        lambda z: z[-1],
        np.append(start, p.worst_case(start[None])[0]),
        jac=lambda z: np.append(np.zeros(p.n_x), 1.0),
        constraints=[{"type": "ineq", "fun": room}],
        bounds=[*p.x_bounds, (None, None)],
        method="SLSQP",
        options={"ftol": 1e-10, "maxiter": 30},
    )
    value = p.worst_case(np.clip(found.x[:-1], *np.array(p.x_bounds).T)[None])[0][0]
    assert value >= p.optimum.value - 1e-10
    assert value <= p.optimum.value + (1e-3 if name == "filter41" else 1e-4)


@pytest.mark.parametrize(("n", "k"), [(1, 3), (3, 40), (8, 60)])
def test_a_linear_fit_is_best_by_the_dual_program(n, k):
    """The dual of min max |A x - b| without a box: max b u subject to A'u = 0 and sum |u| <= 1."""
    p = find_problem(f"chebyshev-list:n={n},k={k}")
    rng = np.random.default_rng(1)
    A, b = rng.standard_normal((k, n)), rng.standard_normal(k)
    dual = linprog(
        np.concatenate([-b, b]), A_ub=np.ones((1, 2 * k)), b_ub=[1.0], A_eq=np.hstack([A.T, -A.T]), b_eq=np.zeros(n)
    )
    assert p.optimum.value == pytest.approx(-dual.fun, rel=1e-12)


@pytest.mark.parametrize("size", ["n=1,k=1", "n=6,k=4", "n=5,k=5"])
def test_a_linear_fit_to_few_numbers_is_exact(size):
    assert problem(f"chebyshev-list:{size}").optimum.value == pytest.approx(0.0, abs=1e-13)


def test_the_best_point_against_two_parabolas_is_the_one_worked_by_hand():
    # (x - 1)^2 + 2 and 3 (x - 4)^2 meet between the centers where 2 x^2 - 22 x + 45 = 0.
    x = least_of_largest(
        np.array([[[2.0]], [[6.0]]]), np.array([[1.0], [4.0]]), np.array([2.0, 0.0]), np.zeros(1), np.full(1, 9.0)
    )
    assert x == pytest.approx([(22.0 - math.sqrt(22.0**2 - 8.0 * 45.0)) / 4.0], rel=1e-14)
    bounded = least_of_largest(
        np.array([[[2.0]], [[6.0]]]), np.array([[1.0], [4.0]]), np.array([2.0, 0.0]), np.zeros(1), np.full(1, 1.5)
    )
    assert bounded == pytest.approx([1.5], rel=1e-14)


HAND_WORKED = [
    ("filter41", (0.125, 1, 0, 0, 0.5, 0.5, 0, 0, -0.5), (0,), 1 - 0.5),
    ("filter41", (-0.5, 1, 0, 0, 0.5, 0.5, 0, 0, -0.5), (20,), 0.5 * math.sqrt(8 / 45)),  # psi = 1/2
    ("maxq:n=4", (1, 2, 3, -1), (3,), 1.375**2),
    ("chebyshev:n=2", (1, 0.5), (1, -0.5), -5 * (math.e - 1.5)),
    ("chebyshev:n=3", (1, 0.5, -2), (0.5, 1), 100 * (math.exp(0.5) - 3)),
]


@pytest.mark.parametrize(("name", "x", "y", "value"), HAND_WORKED)
def test_f_gives_the_value_worked_by_hand(name, x, y, value):
    assert problem(name).function(np.array([x], float), np.array([y], float)) == pytest.approx([value], rel=1e-14)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("filter41", 6.1852848e-3),
        ("f4-rotated", 90.0),
        ("f4-rotated:n=7", 31.5),
        ("chebyshev:n=1", (math.e - 1) / 2),
        # Two peaks and a tangent: slope e - 1, and half the gap between chord and curve at t = log(e - 1).
        ("chebyshev:n=2", 5 * (1 - (math.e - 1) * (1 - math.log(math.e - 1)))),
    ],
)
def test_optima_have_the_values_known_for_them(name, value):
    assert problem(name).optimum.value == pytest.approx(value, rel=1e-8)


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("dense:n=5", "dense"),
        ("DENSE:n=20", "dense:n=20,instance=1"),
        ("coupled:instance=1", "coupled"),
        ("chebyshev:n=4", "chebyshev"),
        ("F3-Rotated:n=20", "f3-rotated"),
        ("ball:n=4", "ball"),
        ("quadratics:n=3,k=5", "quadratics:k=5,n=3,instance=1"),
    ],
)
def test_one_problem_has_one_spelling(spelling, name):
    assert problem(spelling).name == name


@pytest.mark.parametrize("spelling", ["coupled:instance=4", "f10-rotated:n=21", "chebyshev:n=7", "dense:instance=0"])
def test_an_instance_without_a_verified_optimum_is_refused(spelling):
    with pytest.raises(InvalidArgument, match="must be a whole number from 1 to"):
        problem(spelling)


def test_instances_differ():
    x = np.full((1, 5), 0.7)
    values = {problem(f"dense:instance={i}").worst_case(x)[0][0] for i in range(1, 6)}
    assert len(values) == 5
