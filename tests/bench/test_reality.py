"""The suite `reality`: recorded values, referees against brute force, and what happens where a package is missing."""

import sys
from functools import partial

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.integrate import solve_ivp

from reckless import InvalidArgument, minimax
from reckless.bench.problems import Problem, problem, suites
from reckless.bench.problems.reality import cartpole, dosing, searching
from reckless.bench.referee import history_worst_cases, judge
from reckless.cli.bench import bench
from reckless.cli.catalogs import problems
from reckless.cli.objectives import find_target
from reckless.domains.reading import read_domain

NAMES = suites()["reality"]
HERE = [name for name in NAMES if not problem(name).lacks]
NEEDY = {"cartpole": "mujoco", "coating": "tmm"}
CRUDE = {"dosing": 1e-5}  # an adaptive integrator may choose other steps elsewhere
# x, y and f as computed by the files with which the runs of rivals were recorded; dosing by this package.
RECORDED = [
    ("beam", (24.503, 34.3, 0.721), (0.5708, 6.3992), 17.818429548868036),
    ("beam", (10.107, 12.806, 0.799), (31.7209, 5.591), 25.902813741518663),
    ("cartpole", (5.097, 13.352, 75.682, 22.14), (0.4826, 1.0658, 1.2562), 0.5556005861743968),
    ("cartpole", (12.502, 26.916, 116.353, 9.008), (0.1458, 1.5155, 1.6803), 100.0),
    ("coating", (128.768, 180.471, 157.38, 52.789), (475.3561, 0.412, 0.0204, -0.0233), 21.282709418584282),
    ("coating", (67.032, 175.975, 11.0, 166.033), (576.9825, 0.2156, 0.0057, 0.0096), 7.35840651247451),
    ("dosing", (1325.172, 7.229, 31.027), (10.2283, 5.7708, 34.6884), 1.1785442672483082),
    ("dosing", (605.373, 2.751, 34.942), (18.2081, 6.3551, 25.6228), 0.4395171099316452),
    ("exchanger", (63.757, 27.122, 3.17), (9e-06, 24.569239, 1.156861), 58.85474723862673),
    ("exchanger", (35.765, 10.405, 3.532), (0.000308, 26.516988, 0.901891), 158.89406543544217),
    ("exchanger", (22.498, 16.417, 2.025), (0.000247, 30.455192, 0.830922), np.nan),
    ("pid", (3.751, 3.589, 2.327), (0.7114, 1.2285, 0.5172), 9.159594032447533),
    ("pid", (1.351, 1.201, 2.621), (1.1104, 1.3258, 0.2906), 15.585337872777211),
    ("portfolio", (0.218, 0.416, 0.193, 0.039, 0.134), (22.1, 0.38, 13.41, 0.05, 13.309999999999999), 12.7505),
    ("portfolio", (0.085, 0.456, 0.001, 0.376, 0.082), (17.9, 11.49, 19.67, 6.36, 2.27), 10.311890000000002),
    ("reactor", (337.506, 353.833, 346.541, 2.189), (0.8277, 1.5155, 2.7214), 102.5),
    ("reactor", (318.01, 352.413, 300.316, 6.659), (0.7674, 1.2038, -0.1664), 109.5),
    ("sallenkey", (15, 21, 18, 5), (-0.0057, 0.0083, 0.034, -0.0388, 3.0264), 6.682204203360525),
    ("sallenkey", (7, 20, 0, 19), (-0.0004, 0.0019, 0.0159, -0.0193, 3.6343), 9.094092594360417),
    ("throw", (43.129, 72.805), (-3.0754, 1.2567), 16.40652376682302),
    ("throw", (49.906, 25.765), (0.5233, 0.8083), 66.72124434913121),
    ("throw", (24.689, 21.215), (4.6715, 1.0947), 35.0),
    (
        *("truss", (0.103, 0.222, 0.13, 0.023, 0.036, 0.196, 0.001, 0.167, 0.098, 0.024)),
        *((-25.0, -6.0, -25.0, -12.0), 3947.033885857088),
    ),
    (
        *("truss", (0.068, 0.041, 0.041, 0.041, 0.09, 0.116, 0.142, 0.431, 0.025, 0.005)),
        *((0.0, -4.0, 0.0, -11.0), 6583.362257854819),
    ),
]
GUESSES = {
    "beam": 11.510497540134354,
    "cartpole": 1.0670025849220914,
    "coating": 0.9504373052516393,
    "dosing": 4.1121539,
    "exchanger": 37.73376389516991,
    "pid": 14.507790811768126,
    "portfolio": 104.684,
    "reactor": 67.96,
    "sallenkey": 2.376024675636917,
    "throw": 17.713518224676776,
    "truss": 10042.076335877855,
}


def is_here(name):
    if problem(name).lacks:
        pytest.skip(problem(name).lacks)


def draw(domain, m, seed):
    return domain.rows(np.random.default_rng(seed).random((m, domain.n)), m)


@pytest.mark.parametrize(("name", "x", "y", "value"), RECORDED)
def test_f_gives_the_recorded_value(name, x, y, value):
    is_here(name)
    found = problem(name).function(np.array([x], float), np.array([y], float))
    assert found == pytest.approx([value], rel=CRUDE.get(name, 1e-12), nan_ok=True)


def test_every_problem_has_recorded_values():
    assert {name for name, *_ in RECORDED} == set(GUESSES) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_guess_and_best_known_design_have_the_worst_cases_stated(name):
    p = problem(name)
    if name == "cartpole":
        is_here(name)
    (guess, best), Y = p.worst_case(np.array([p.guess, p.optimum.x]))
    assert Y.shape == (2, p.n_y)
    assert guess == pytest.approx(GUESSES[name], rel=1e-8)
    assert best == pytest.approx(p.optimum.value, rel=3e-6)  # BEST_X has few digits
    assert p.optimum.value < guess
    assert p.optimum.source.endswith(".")


@pytest.mark.parametrize("name", HERE)
def test_no_random_y_beats_the_referee_and_its_y_attains_the_value(name):
    p = problem(name)
    x = draw(read_domain(p.x_bounds, "x"), 1, 3)
    (value,), y = p.worst_case(x)
    n = 60 if name in ("cartpole", "dosing") else 400
    values = p.function(np.repeat(x, n, axis=0), draw(read_domain(p.y_bounds, "y"), n, 4))
    assert np.nanmax(values) <= value * (1 + 1e-4)
    assert p.function(x, y).item() == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize("name", HERE)
def test_rows_depend_neither_on_each_other_nor_on_their_layout(name):
    p = problem(name)
    X, Y = draw(read_domain(p.x_bounds, "x"), 4, 5), draw(read_domain(p.y_bounds, "y"), 4, 6)
    values = p.function(X, Y).tolist()
    X.flags.writeable = False
    assert p.function(np.asfortranarray(X)[::-1], Y[::-1]).tolist()[::-1] == pytest.approx(values, rel=0, nan_ok=True)
    assert p.function(X[:0], Y[:0]).shape == (0,)
    assert [part.shape for part in p.worst_case(X[:0])] == [(0,), (0, p.n_y)]


@pytest.mark.parametrize("name", ["sallenkey", "truss", "portfolio"])
def test_minimax_takes_integers_simplices_and_lists(name):
    p = problem(name)
    result = minimax(p.function, p.x_bounds, p.y_bounds, maxfev=60, method="random-search", rng=3, vectorized=True)
    assert (result.x.size, result.y.size) == (p.n_x, p.n_y)
    judgment = judge(p, result.x, result.fun, np.random.default_rng(0))
    assert judgment.worst_case >= result.fun - 1e-9
    assert judgment.worst_case > p.optimum.value
    assert history_worst_cases(p, result.x[None]).size == (0 if name == "sallenkey" else 1)


def test_the_fine_integration_of_the_dosing_agrees_with_a_finer_one_and_f_is_rough(monkeypatch):
    X, Y = draw(read_domain(dosing.DOSING.x_bounds, "x"), 20, 1), draw(read_domain(dosing.Y_BOUNDS, "y"), 20, 2)
    fine = np.array([dosing._finely(x, y) for x, y in zip(X, Y, strict=True)])
    monkeypatch.setattr(dosing, "TOLERANCE", 1e-11)
    monkeypatch.setattr(dosing, "solve_ivp", partial(solve_ivp, atol=1e-11))
    assert dosing.DOSING.function(X, Y) == pytest.approx(fine, rel=1e-6)
    monkeypatch.undo()
    errors = np.abs(dosing.DOSING.function(X, Y) / fine - 1.0)
    assert 1e-7 < np.median(errors) < 1e-4


def test_the_pattern_search_climbs_between_the_points_of_the_sample_and_leaves_failures_out():
    def many(x, Y):
        hill = 7.0 - (Y[:, 0] - 3.1) ** 2 - (Y[:, 1] + 4.3) ** 2
        return np.where(Y[:, 0] < 2.5, np.nan, hill + x[0])

    worst_case = searching.searched(many, ((2.0, 9.0), (-7.0, -2.0)), n_sobol=64, n_polish=2)
    values, Y = worst_case(np.array([[1.0], [2.0]]))
    assert values == pytest.approx([8.0, 9.0], abs=1e-6)
    assert np.abs(Y - [3.1, -4.3]).max() < 1e-3
    nowhere = searching.searched(lambda x, Y: np.full(len(Y), np.nan), ((2.0, 9.0),), n_sobol=8, n_polish=1)
    assert nowhere(np.array([[1.0]]))[0].tolist() == [np.inf]


@pytest.fixture
def nothing_extra(monkeypatch):
    monkeypatch.setattr(sys.modules[Problem.__module__], "find_spec", lambda name: None)
    for package in NEEDY.values():
        monkeypatch.setitem(sys.modules, package, None)
    cartpole._load.cache_clear()
    yield
    cartpole._load.cache_clear()


@pytest.mark.parametrize("name", NEEDY)
def test_a_missing_package_is_named_by_the_problem_and_by_a_call(name, nothing_extra):
    p = problem(name)
    sentence = f"{name} needs the package {NEEDY[name]}, which is not installed. Try pip install 'reckless[reality]'."
    assert p.lacks == sentence
    with pytest.raises(InvalidArgument, match=f"^problem: {name} needs the package {NEEDY[name]}"):
        p.function(np.array([p.guess]), np.ones((1, p.n_y)))
    assert problem("L1").lacks == ""


def test_the_listing_has_every_problem_and_says_what_is_missing(nothing_extra):
    listed = CliRunner().invoke(problems, ["--json"])
    assert '"name": "coating"' in listed.stdout
    assert listed.stderr.count("is not installed. Try pip install 'reckless[reality]'") == 2


def test_a_problem_that_cannot_be_evaluated_is_refused_before_the_run(nothing_extra):
    with pytest.raises(InvalidArgument, match="^problem: cartpole needs the package mujoco"):
        find_target({"objective": "cartpole"})


@pytest.mark.parametrize(("others", "n_rows"), [('"L1", ', 1), ("", 0)])
def test_a_study_skips_what_cannot_be_evaluated_and_says_so(nothing_extra, tmp_path, monkeypatch, others, n_rows):
    monkeypatch.chdir(tmp_path)
    text = f'problems = [{others}"coating"]\nmethods = ["random-search"]\nbudgets = [20]\nrepetitions = 1'
    (tmp_path / "study.toml").write_text(text)
    ran = CliRunner().invoke(bench, ["run", "study.toml", "--workers", "1"])
    assert ran.exit_code == 0, ran.output
    assert "coating needs the package tmm, which is not installed." in ran.stderr
    assert "It is skipped." in ran.stderr
    exported = CliRunner().invoke(bench, ["export", "study.toml"]).stdout
    assert len(exported.splitlines()) == 1 + n_rows
