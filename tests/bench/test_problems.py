"""The problem suites: values worked by hand, optima that nothing beats, worst cases against brute force."""

import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize

from reckless.bench.problems import Problem, problem, suites
from reckless.errors import InvalidArgument

ELSEWHERE = ("stress", "smooth", "rotated", "lists", "reality")  # suites with a test file of their own
NAMES = [name for suite, names in suites().items() if suite not in ELSEWHERE for name in names]
SIZES = ["L1:n=1", "L1:n=20", "L2:n=7"]
COUPLINGS = [
    f"f{i}:{sizes}"
    for i in range(1, 12)
    for sizes in ("n=5", "n=3,b=10", "n=2,b=0.2", "n=4,b=3,n_y=6", "n=6,b=0.3,n_y=2")
]
EVERY = [*NAMES, *SIZES, *COUPLINGS]
# One y, several peaks: a worst case takes milliseconds, so these get fewer trials.
ONE_Y = ["L3", "L4", "filter", "filter-signed", "absorber"]


def boxes(p: Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    return *np.array(p.x_bounds).T, *np.array(p.y_bounds).T


def draw(p: Problem, m: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Random pairs, a quarter of whose coordinates sit on a bound: that is where cases change."""
    rng = np.random.default_rng(seed)
    x_low, x_high, y_low, y_high = boxes(p)
    pair = []
    for low, high in ((x_low, x_high), (y_low, y_high)):
        inside = rng.uniform(low, high, (m, len(low)))
        side = np.where(rng.random(inside.shape) < 0.5, low, high)
        pair.append(np.where(rng.random(inside.shape) < 0.25, side, inside))
    return pair[0], pair[1]


HAND_WORKED = [
    ("L1", (1, 2, 3), (4, 6, 9), (16 + 9 + 4) - (1 + 1 + 16)),
    ("L1:n=1", (0,), (10,), 25 - 25),
    # min(3.4, 3.0) + min(2.5, 3.7) + min(4, 4)
    ("L2", (1, 4, 10), (2, 1, 10), 9.5),
    ("L3", (4,), (3,), math.sin(1) / 5),
    ("L4", (3,), (4,), math.cos(5) / 15),
    # 100 (3/4)^2 + (3/2)^2 - 2 (1/2) - 4 (5/4)
    ("L5", (-0.5, 1), (2, 4), 56.25 + 2.25 - 1 - 5),
    ("L6", (3, -1), (0.5, 10), 1 + 4 + 5 + 0),
    # psi = 0: brackets (1 + a)^2 = 4, (1 + b)^2 = 9/4 over (1 + c)^2 = 9/4, (1 + d)^2 = 1/4, so |H| = 4 |A|
    ("filter", (-0.5, 1, 0, 0, 0.5, 0.5, 0, 0, -0.5), (0,), 2 - 1),
    ("filter", (0.125, 1, 0, 0, 0.5, 0.5, 0, 0, -0.5), (0,), 1 - 0.5),
    ("filter-signed", (0.125, 1, 0, 0, 0.5, 0.5, 0, 0, -0.5), (0,), 0.5 - 1),
    # psi = 1/2: brackets a^2 + (1 - b)^2 = 2, 1/4 over 5/4, 9/4
    ("filter", (-0.5, 1, 0, 0, 0.5, 0.5, 0, 0, -0.5), (0.5,), 0.5 * math.sqrt(8 / 45)),
    # z = (2, -1): z'y = 7, |x|^2 = 5/4, |y|^2 = 10, |x|_1 = 3/2, |y|_1 = 4
    ("f1:n=2,b=2", (1, -0.5), (3, -1), 7),
    ("f2:n=2,b=2", (1, -0.5), (3, -1), 0.625 + 7),
    ("f3:n=2,b=2", (1, -0.5), (3, -1), (5.7**2 + 2.7**2) / 2 + 7),
    ("f4:n=2,b=2", (1, -0.5), (3, -1), 0.625 + 7 + 5),
    ("f5:n=2,b=2", (1, -0.5), (3, -1), 0.625 + 7 - 5),
    ("f6:n=2,b=2", (1, -0.5), (3, -1), 0.625 + 1.5 + 7 - 4 - 5),
    ("f7:n=2,b=2", (1, -0.5), (3, -1), 25 / 64 + 7 - 25),
    ("f8:n=2,b=2", (1, -0.5), (3, -1), 1.5 + 7 - 4),
    (
        "f9:n=4,b=2",
        (1, -0.5, 0, 1),
        (1.5, -1.5, 0.5, 1),
        (2 + math.e) ** 2 + (1 + 1 / math.e) ** 2 + (math.e / 2) ** 2 + 4 - 1,
    ),
    ("f10:n=2,b=2", (1, -0.5), (3, -1), 5 - 2 * 1),
    ("f11:n=2,b=2", (1, -0.5), (3, -1), 0.625 + 6 * 10**-1.5 + 0.001 - (0.009 + 0.000001) / 2),
    ("f5:n=2,b=2,n_y=3", (1, -0.5), (3, -1, 2), 0.625 + 7 - 7),
    ("f4:n=3,b=2,n_y=2", (1, -0.5, 2), (3, -1), 2.625 + 7 + 5),
    ("MWP1", (1, 2), (3, -1), 25 - 10 + 1 + 14),
    ("MWP2", (1, 2), (3, -1), 4 - 18 + 3 - 1 - 8),
    ("MWP3", (2, -1), (1, 2), 32 + 16 + 2 + 8),
    ("MWP4", (2, 3), (0, 1, 2), -2 + 5 + 4 + 0 + 6),
    ("MWP5", (2, 1, 3), (1, -1, 0.5), -1 - 1 - 1 + 20 - 2.25),
    ("MWP6", (1, 2, -1, 1), (1, 2, -1), -1 + 18 - 2 + 26 - 6),
    ("MWP7", (1, 2, 3, -1, 2), (1, 2, -1, 3, 1), 4 - 6 + 6 + 25 - 3 + 10 - 2 - 16),
    # numerator 4 (1/2)^2 = 1, Z^2 = (-0.3)^2 + 4 (0.05)^2 = 0.1
    ("absorber", (0.5, 1), (1,), math.sqrt(10)),
    # no absorber: 1 / sqrt((1 - beta^2)^2 + 4 (beta / 10)^2)
    ("absorber", (0.5, 0), (1,), 5),
    ("absorber", (0.5, 0), (0,), 1),
]


@pytest.mark.parametrize(("name", "x", "y", "value"), HAND_WORKED, ids=lambda part: str(part))
def test_f_gives_the_value_worked_by_hand(name, x, y, value):
    p = problem(name)
    assert p.function(np.array([x], float), np.array([y], float)) == pytest.approx([value], rel=1e-14, abs=1e-14)


def test_every_problem_has_a_hand_worked_value():
    assert {name.partition(":")[0] for name, *_ in HAND_WORKED} == set(NAMES)


def printed_filter(x, psi):
    """The product exactly as the paper prints it."""
    cos, product = math.cos(math.pi * psi), 1.0
    for k in (1, 2):
        a, b, c, d = x[k], x[2 + k], x[4 + k], x[6 + k]
        product *= (1 + a**2 + b**2 + 2 * b * (2 * cos**2 - 1) + 2 * a * (1 + b) * cos) / (
            1 + c**2 + d**2 + 2 * d * (2 * cos**2 - 1) + 2 * c * (1 + d) * cos
        )
    return abs(x[0]) * math.sqrt(product) - abs(1 - 2 * psi)


TWINS = {
    "L1": lambda x, y: sum((a - 5) ** 2 - (b - 5) ** 2 for a, b in zip(x, y, strict=True)),
    "L2": lambda x, y: sum(min(3 - 0.2 * a + 0.3 * b, 3 + 0.2 * a - 0.1 * b) for a, b in zip(x, y, strict=True)),
    "L3": lambda x, y: math.sin(x[0] - y[0]) / math.hypot(x[0], y[0]),
    "L4": lambda x, y: math.cos(math.hypot(x[0], y[0])) / (math.hypot(x[0], y[0]) + 10),
    "L5": lambda x, y: (
        100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2 - y[0] * (x[0] + x[1] ** 2) - y[1] * (x[0] ** 2 + x[1])
    ),
    "L6": lambda x, y: (x[0] - 2) ** 2 + (x[1] - 1) ** 2 + y[0] * (x[0] ** 2 - x[1]) + y[1] * (x[0] + x[1] - 2),
    "MWP1": lambda x, y: (
        5 * (x[0] ** 2 + x[1] ** 2) - (y[0] ** 2 + y[1] ** 2) + x[0] * (-y[0] + y[1] + 5) + x[1] * (y[0] - y[1] + 3)
    ),
    "MWP2": lambda x, y: 4 * (x[0] - 2) ** 2 - 2 * y[0] ** 2 + x[0] ** 2 * y[0] - y[1] ** 2 + 2 * x[1] ** 2 * y[1],
    "MWP3": lambda x, y: (
        x[0] ** 4 * y[1] + 2 * x[0] ** 3 * y[0] - x[1] ** 2 * y[1] * (y[1] - 3) - 2 * x[1] * (y[0] - 3) ** 2
    ),
    "MWP4": lambda x, y: (
        -sum((b - 1) ** 2 for b in y)
        + sum((a - 1) ** 2 for a in x)
        + y[2] * (x[1] - 1)
        + y[0] * (x[0] - 1)
        + y[1] * x[0] * x[1]
    ),
    "MWP5": lambda x, y: (
        -(x[0] - 1) * y[0]
        - (x[1] - 2) * y[1]
        - (x[2] - 1) * y[2]
        + 2 * x[0] ** 2
        + 3 * x[1] ** 2
        + x[2] ** 2
        - sum(b**2 for b in y)
    ),
    "MWP6": lambda x, y: (
        y[0] * (x[0] ** 2 - x[1] + x[2] - x[3] + 2)
        + y[1] * (-x[0] + 2 * x[1] ** 2 - x[2] ** 2 + 2 * x[3] + 1)
        + y[2] * (2 * x[0] - x[1] + 2 * x[2] - x[3] ** 2 + 5)
        + 5 * x[0] ** 2
        + 4 * x[1] ** 2
        + 3 * x[2] ** 2
        + 2 * x[3] ** 2
        - sum(b**2 for b in y)
    ),
    "MWP7": lambda x, y: (
        2 * x[0] * x[4]
        + 3 * x[3] * x[1]
        + x[4] * x[2]
        + 5 * x[3] ** 2
        + 5 * x[4] ** 2
        - x[3] * (y[3] - y[4] - 5)
        + x[4] * (y[3] - y[4] + 3)
        + sum(y[i] * (x[i] ** 2 - 1) for i in range(3))
        - sum(b**2 for b in y)
    ),
    "filter": lambda x, y: abs(printed_filter(x, y[0])),
    "filter-signed": lambda x, y: printed_filter(x, y[0]),
}


@pytest.mark.parametrize("name", TWINS)
def test_f_agrees_with_a_naive_twin_of_the_printed_formula(name):
    p = problem(name)
    rng = np.random.default_rng(3)
    x_low, x_high, y_low, y_high = boxes(p)
    X, Y = rng.uniform(x_low, x_high, (300, p.n_x)), rng.uniform(y_low, y_high, (300, p.n_y))
    naive = [TWINS[name](x, y) for x, y in zip(X.tolist(), Y.tolist(), strict=True)]
    assert p.function(X, Y) == pytest.approx(naive, rel=1e-9, abs=1e-11)


@pytest.mark.parametrize("name", EVERY)
def test_rows_do_not_depend_on_each_other_nor_on_their_layout(name):
    p = problem(name)
    X, Y = draw(p, 9)
    values = p.function(X, Y)
    assert values.shape == (9,)
    assert values.dtype == np.float64
    one_by_one = [p.function(X[k : k + 1], Y[k : k + 1]).item() for k in range(9)]
    assert values.tolist() == pytest.approx(one_by_one, rel=1e-13)
    wide = np.zeros((18, 2 * p.n_x))
    wide[::2, ::2] = X
    wide.flags.writeable = False
    assert p.function(wide[::2, ::2], np.asfortranarray(Y)).tolist() == pytest.approx(one_by_one, rel=1e-13)
    same_x, same_y = np.broadcast_to(X[0], X.shape), np.broadcast_to(Y[0], Y.shape)
    for A, B in ((same_x, Y), (X, same_y), (same_x, same_y)):
        assert p.function(A, B).tolist() == p.function(A.copy(), B.copy()).tolist()
    assert p.function(X[:0], Y[:0]).shape == (0,)
    assert [part.shape for part in p.worst_case(X[:0])] == [(0,), (0, p.n_y)]


@pytest.mark.parametrize("name", EVERY)
def test_the_stated_optimum_is_attained(name):
    p = problem(name)
    x, y = np.array([p.optimum.x]), np.array([p.optimum.y])
    x_low, x_high, y_low, y_high = boxes(p)
    assert np.all((x_low <= x) & (x <= x_high))
    assert np.all((y_low <= y) & (y <= y_high))
    assert p.worst_case(x)[0] == pytest.approx([p.optimum.value], rel=1e-12, abs=1e-13)
    assert p.function(x, y) == pytest.approx([p.optimum.value], rel=1e-12, abs=1e-13)
    assert p.optimum.source.endswith(".")


@pytest.mark.parametrize("name", EVERY)
def test_no_x_beats_the_stated_optimum(name):
    """Random points, clouds that contract around the best one, and Powell's search where it is cheap."""
    p = problem(name)
    rng = np.random.default_rng(11)
    low, high, *_ = boxes(p)
    m = 200 if name in ONE_Y else 2000
    lowest = [p.worst_case(draw(p, m, seed=5)[0])[0].min()]
    for start in (np.array(p.optimum.x), rng.uniform(low, high)):
        center, estimate = start, p.worst_case(start[None])[0][0]
        for scale in np.geomspace(0.5, 1e-7, 12):
            cloud = np.clip(center + scale * (high - low) * rng.standard_normal((m // 10, p.n_x)), low, high)
            values = p.worst_case(cloud)[0]
            if values.min() < estimate:
                center, estimate = cloud[values.argmin()], values.min()
        lowest.append(estimate)
    if name not in ONE_Y:
        for _ in range(2):
            found = minimize(
                lambda x: p.worst_case(np.clip(x, low, high)[None])[0][0],
                rng.uniform(low, high),
                method="Powell",
                bounds=list(zip(low, high, strict=True)),
                options={"maxfev": 500},
            )
            lowest.append(found.fun)
    assert min(lowest) >= p.optimum.value - 1e-12 * max(1.0, abs(p.optimum.value))


def brute_force(p: Problem, x: np.ndarray, rng: np.random.Generator) -> float:
    """The largest f(x, y) over many y, refined: by ever finer grids for one y, else by a bounded search."""
    _, _, low, high = boxes(p)
    if p.n_y == 1:
        a, b, largest = low[0], high[0], -np.inf
        for _ in range(7):
            grid = np.linspace(a, b, 20_001)[:, None]
            values = p.function(np.broadcast_to(x, (len(grid), p.n_x)), grid)
            k, step = values.argmax(), (b - a) / 20_000
            largest = max(largest, values[k])
            a, b = max(low[0], grid[k, 0] - step), min(high[0], grid[k, 0] + step)
        return largest
    Y = rng.uniform(low, high, (3000, p.n_y))
    corner = rng.random(Y.shape)
    Y = np.where(corner < 0.2, low, np.where(corner > 0.8, high, Y))
    values = p.function(np.broadcast_to(x, (len(Y), p.n_x)), Y)
    refined = [
        minimize(
            lambda y: -p.function(x[None], np.clip(y, low, high)[None])[0],
            Y[k],
            method="L-BFGS-B",
            bounds=list(zip(low, high, strict=True)),
            options={"maxfun": 150},
        ).fun
        for k in np.argsort(values)[-2:]
    ]
    return max(values.max(), -min(refined))


@pytest.mark.parametrize("name", [name for name in EVERY if problem(name).n_y <= 7])
def test_the_worst_case_is_at_least_what_brute_force_finds_and_is_attained(name):
    p = problem(name)
    rng = np.random.default_rng(2)
    X = np.vstack([draw(p, 5, seed=17)[0], [p.optimum.x]])
    values, Y = p.worst_case(X)
    _, _, low, high = boxes(p)
    assert values.shape == (6,)
    assert Y.shape == (6, p.n_y)
    assert np.all((low <= Y) & (high >= Y))
    assert p.function(X, Y).tolist() == values.tolist()
    for x, value in zip(X, values, strict=True):
        # A filter with a pole on the unit circle is infinitely bad; in floats it is merely beyond 1e12.
        found = min(brute_force(p, x, rng), 1e12)
        assert value >= found - 1e-12 * max(1.0, abs(found))


@pytest.mark.parametrize("name", ["f7:n=5,b=30", "f7:n=5,b=100", "f6:n=5,b=5", "f11:n=5,b=10", "f5:n=5,b=10"])
def test_where_f_is_concave_in_y_no_step_from_the_worst_y_rises(name):
    """First-order optimality on the box, which for concave f is global: projected slopes vanish."""
    p = problem(name)
    X, _ = draw(p, 200, seed=23)
    values, Y = p.worst_case(X)
    assert np.mean(np.abs(Y) == 3.0) > 0.2  # clipping does bind
    for i in range(p.n_y):
        for step in (1e-6, -1e-6, 1e-2, -1e-2):
            moved = Y.copy()
            moved[:, i] = np.clip(moved[:, i] + step, -3.0, 3.0)
            assert np.all(p.function(X, moved) <= values + 1e-13 * np.abs(values))


def test_l4_peaks_solve_their_equation():
    # From x = 4 the radius can reach the first peak of cos(r) / (r + 10), where tan(r) = -1 / (r + 10).
    values, Y = problem("L4").worst_case(np.array([[4.0]]))
    r = math.hypot(4.0, Y.item())
    assert math.tan(r) == pytest.approx(-1 / (r + 10), abs=1e-14)
    assert values.item() == pytest.approx(math.cos(r) / (r + 10), rel=1e-15)


def test_l3_is_worst_near_zero_y_for_small_x_and_its_optimum_lies_on_the_bound():
    l3 = problem("L3")
    tiny = l3.y_bounds[0][0]
    values, Y = l3.worst_case(np.array([[0.5], [1e-6], [tiny], [10.0]]))
    assert values[:2] == pytest.approx([math.sin(0.5) / 0.5, 1 - tiny / 1e-6], abs=1e-6)
    assert Y[:2, 0].tolist() == [tiny, tiny]
    assert values[2] == pytest.approx(0.217234, abs=1e-6)  # x at its bound: only the peak of -sin(y) / y is left
    assert Y[3].item() == pytest.approx(2.125683, abs=1e-6)  # the paper's y*


@pytest.mark.parametrize("name", ONE_Y)
def test_a_worst_case_does_not_depend_on_the_rows_around_it(name):
    p = problem(name)
    X, _ = draw(p, 1003, seed=31)  # more than one block
    values, Y = p.worst_case(X)
    for k in (0, 5, 998, 999, 1000, 1002):
        value, y = p.worst_case(X[k : k + 1])
        assert (value.item(), y.item()) == pytest.approx((values[k], Y[k, 0]), rel=1e-12)


def test_a_sharp_resonance_of_the_filter_is_not_missed():
    # Numerators 1; the least denominator (1 - d)^2 (1 - c^2 / (4 d)), at cos(theta) = -c (1 + d) / (4 d).
    filter_, signed = problem("filter"), problem("filter-signed")
    for gap in (1e-1, 1e-3, 1e-5, 1e-7):
        for c in (-0.9, -0.31, 0.0, 0.77):
            d = 1 - gap
            peak = 0.7 / math.sqrt(gap**2 * (1 - c**2 / (4 * d)))
            psi = math.acos(-c * (1 + d) / (4 * d)) / math.pi
            x = np.array([[0.7, 0, 0, 0, 0, 0, c, 0, d]])
            for p in (filter_, signed):
                value = p.worst_case(x)[0].item()
                assert peak * (1 - 1e-8) - abs(1 - 2 * psi) <= value <= peak * (1 + 1e-8)


def test_a_sharp_resonance_of_the_absorber_is_not_missed():
    # Undamped and soft: near beta^2 = T^2 - 0.1 T^4 an amplitude near 5 / T, too narrow for any grid.
    absorber = problem("absorber")
    for tuning in (0.1, 0.03, 0.01):
        value = absorber.worst_case(np.array([[0.0, tuning]]))[0].item()
        assert value == pytest.approx(5 / tuning, rel=tuning)


def test_the_filter_never_gives_nan():
    p = problem("filter")
    on_circle = [1, 0, 0, 0, 0, 0, 0, 1, 0]  # a double pole at psi = 1/2
    assert p.function(np.array([on_circle], float), np.array([[0.5]])).item() == math.inf
    silent = [0, 0, 0, 0, 0, 0, 0, 1, 0]
    assert p.function(np.array([silent], float), np.array([[0.5]])).item() == 0
    cancelled = [0.25, 0, 0, 1, 0, 0, 0, 1, 0]
    assert p.function(np.array([cancelled], float), np.array([[0.5]])).item() == 0.25
    corners = np.array(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 9)).reshape(9, -1).T  # all 3^9
    for psi in (0.0, 0.3, 0.5, 1.0):
        assert not np.isnan(p.function(corners, np.full((len(corners), 1), psi))).any()
    assert not np.isnan(p.worst_case(corners[::37])[0]).any()


def test_charalambous_point_has_the_error_known_for_it():
    x = np.array([[0.3679, 0, 0, 0.980039, -0.735078, 0, 0, -0.165771, -0.767228]])
    assert problem("filter").worst_case(x)[0].item() == pytest.approx(7.146e-3, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("L2:n=50", 150),
        ("f3", 6.6 * 20),
        ("f3:n=4,b=100", 6.6 * 4),
        ("f3:n=4,b=100,n_y=6", 6.6 * 4 + 2 * 3.7**2 / 2),
        ("f3:n=2,b=0.2", 2 * (3.1**2 / 2 + 1.8)),  # z = -0.7 is out of reach, -0.6 is the best
        ("f4:n=7", 4.5 * 7),
        ("f4:n=7,n_y=5", 4.5 * 5),
        ("f9", 3 * math.cosh(1) ** 2),
        ("f9:n=2,b=30", 2 * math.cosh(1) ** 2),
        ("f9:n=2,n_y=3", 2 * math.cosh(1) ** 2 + math.e**2),
        ("f9:n=3,b=0.2", 3 * (math.e - 0.6) ** 2),
        ("f10:n=20,b=3", 0),
        ("f10:n=20,b=10", 20 * (30**2 - 2 * 27**2)),  # x = 3 pays: y cannot follow z = 30
        ("MWP1", float(Fraction(-101, 60))),
        ("MWP5", float(Fraction(2, 9) + Fraction(12, 13) + Fraction(1, 5))),
    ],
)
def test_optima_have_the_values_derived_on_paper(name, value):
    assert problem(name).optimum.value == pytest.approx(value, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("name", EVERY)
def test_a_problem_is_rebuilt_by_its_name(name):
    p = problem(name)
    again = problem(p.name.swapcase().replace("N", "n").replace("B=", "b=").replace("_Y", "_y"))
    assert (again.name, again.x_bounds, again.y_bounds, again.optimum) == (
        p.name,
        p.x_bounds,
        p.y_bounds,
        p.optimum,
    )
    assert (p.n_x, p.n_y) == (len(p.optimum.x), len(p.y_bounds))
    assert "\n" not in p.summary


@pytest.mark.parametrize(
    ("spelling", "name", "n_x", "n_y"),
    [
        ("l1", "L1", 3, 3),
        ("L1:n=3", "L1", 3, 3),
        (" L2 : n = 50 ", "L2:n=50", 50, 50),
        ("F5:b=10", "f5:n=20,b=10", 20, 20),
        ("f5:b=10.0,n=20", "f5:n=20,b=10", 20, 20),
        ("f5:b=1e-1,n=2", "f5:n=2,b=0.1", 2, 2),
        ("f5:n=4,n_y=4", "f5:n=4,b=1", 4, 4),
        ("f5:n_y=7", "f5:n=20,b=1,n_y=7", 20, 7),
        ("mwp7", "MWP7", 5, 5),
        ("Filter-Signed", "filter-signed", 9, 1),
    ],
)
def test_one_problem_has_one_spelling(spelling, name, n_x, n_y):
    p = problem(spelling)
    assert (p.name, p.n_x, p.n_y) == (name, n_x, n_y)


@pytest.mark.parametrize(
    ("spelling", "sentence"),
    [
        (
            "L7",
            "problem: there is no problem called 'L7'. Did you mean 'L1'? `reckless problems` lists them all.",
        ),
        (
            "fitler:n=2",
            "problem: there is no problem called 'fitler'. Did you mean 'filter'? `reckless problems` lists them all.",
        ),
        (
            "",
            "problem: there is no problem called ''. Did you mean 'L1'? `reckless problems` lists them all.",
        ),
        (5, "problem: expected a name such as 'L1' or 'L1:n=20', but got 5."),
        ("L3:n=2", "problem: L3 has nothing to set, but got 'n=2'. Ask for 'L3' alone."),
        ("L1:b=2", "problem: L1 can be given n, but got 'b'. Did you mean 'n'?"),
        ("f1:ny=2", "problem: f1 can be given n, b, n_y, but got 'ny'. Did you mean 'n_y'?"),
        (
            "L1:20",
            "problem: after the colon come settings key=value separated by commas, but got '20'. For example 'L1:n=3'.",
        ),
        (
            "f1:n=2,",
            "problem: after the colon come settings key=value separated by commas, but got ''. For example 'f1:n=20'.",
        ),
        (
            "L1:n=0",
            "problem: n must be a whole number from 1 to 100000, but L1 got '0'. For example 'L1:n=3'.",
        ),
        (
            "L1:n=2.5",
            "problem: n must be a whole number from 1 to 100000, but L1 got '2.5'. For example 'L1:n=3'.",
        ),
        (
            "L1:n=10000000000",
            "problem: n must be a whole number from 1 to 100000, but L1 got '10000000000'. For example 'L1:n=3'.",
        ),
        ("f2:b=-1", "problem: b must be a positive number, but f2 got '-1'. For example 'f2:b=1.0'."),
        ("f2:b=nan", "problem: b must be a positive number, but f2 got 'nan'. For example 'f2:b=1.0'."),
        ("f2:b=inf", "problem: b must be a positive number, but f2 got 'inf'. For example 'f2:b=1.0'."),
        ("f2:b=1,b=2", "problem: 'b' may be set once, but f2 got it twice. Drop one of them."),
    ],
)
def test_a_bad_name_gets_a_sentence_with_the_cure(spelling, sentence):
    with pytest.raises(InvalidArgument) as caught:
        problem(spelling)
    assert str(caught.value) == sentence


def test_suites_list_every_problem_once_and_cannot_be_changed_from_outside():
    listed = suites()
    assert {suite: len(names) for suite, names in listed.items() if suite != "stress"} == {
        "paper": 8,
        "wra": 11,
        "mwp": 7,
        "applications": 1,
        "smooth": 3,
        "rotated": 9,
        "lists": 5,
        "reality": 11,
    }
    assert len(set(NAMES)) == len(NAMES)
    assert [problem(name).name for name in NAMES] == NAMES
    listed.clear()
    assert suites()


def test_importing_the_registry_is_cheap():
    code = (
        "import sys, reckless.errors, reckless.core.arrays; before = set(sys.modules);"
        "from reckless.bench.problems import problem, suites;"
        "suites(); problem('f1'); problem('MWP3'); problem('absorber'); new = set(sys.modules) - before;"
        "sys.exit(bool({'numba', 'scipy', 'reckless.bench.problems.paper'} & new))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
