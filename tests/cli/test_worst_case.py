"""`reckless worst-case`."""

import json
import sys

import click
import pytest

import reckless
from reckless.cli.worst_case import worst_case
from reckless.errors import InvalidArgument

BOWL = """
def bowl(x, y):
    return (x[0] - 2.0) ** 2 + x[1] - (y[0] - 5.0) ** 2

def nothing(x, y):
    return float("nan")

def infinite(x, y):
    return float("inf") if y[0] > 8 else bowl(x, y)

def often(x, y):
    if y[0] > 8:
        raise ArithmeticError("the mesh is tangled")
    return bowl(x, y)

def g(x):
    return (x[0] - 2.0) ** 2 + x[1]
"""
PROGRAM = """
import json, sys
for line in sys.stdin:
    pair = json.loads(line)
    print(json.dumps({"id": pair["id"], "value": pair["x"][0] * pair["y"][0]}), flush=True)
"""


@pytest.fixture
def bowl(tmp_path):
    path = tmp_path / "bowl.py"
    path.write_text(BOWL)
    return path


def run(capsys, *arguments):
    """Exit code and output; what is wrong with the input is raised."""
    try:
        code = worst_case.main([str(argument) for argument in arguments], standalone_mode=False)
    except click.exceptions.Exit as ended:
        code = ended.exit_code
    return code or 0, capsys.readouterr().out


def test_a_design_is_attacked_and_the_answer_is_json(capsys, bowl):
    arguments = ["--at", "4.0,-1.5", "--y", "2:9", "--maxfev", "3000", "--rng", "1", "--json"]
    code, out = run(capsys, f"{bowl}:bowl", *arguments)
    found = json.loads(out)
    assert code == 0
    assert found["x"] == [4.0, -1.5]
    assert found["fun"] == pytest.approx(2.5, abs=1e-9)
    assert found["y"] == pytest.approx([5.0], abs=1e-4)
    assert found["nfev"] <= 3000
    assert found["n_agreed"] > found["n_starts"] // 2
    assert run(capsys, f"{bowl}:bowl", *arguments)[1] == out


def test_a_table_for_people_names_the_worst_case_and_how_many_agreed(capsys, bowl):
    code, out = run(capsys, f"{bowl}:bowl", "--at", "4,-1.5", "--y", "2:9", "--maxfev", "1e3")
    assert code == 0
    for words in ("worst case found: ", "at y = (", "2.5", "independent searches arrived"):
        assert words in out


def test_a_benchmark_problem_brings_its_own_bounds(capsys):
    code, out = run(capsys, "L1:n=2", "--at", "0.5,0.5", "--maxfev", "500", "--json")
    assert code == 0
    assert json.loads(out)["success"]


def test_a_program_is_attacked_without_a_shell(capsys, tmp_path):
    path = tmp_path / "two words.py"
    path.write_text(PROGRAM)
    command = f"{sys.executable} '{path}'"
    code, out = run(
        capsys, "--command", command, "--at", "3", "--y", "2:9", "--maxfev", "60", "--workers", "2", "--json"
    )
    assert code == 0
    assert json.loads(out)["fun"] == 27.0


def test_where_everything_fails_the_exit_code_says_so(capsys, bowl):
    code, out = run(capsys, f"{bowl}:nothing", "--at", "4,1", "--y", "2:9", "--maxfev", "50", "--json")
    assert code == 1
    assert json.loads(out)["fun"] == "inf"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{bowl}:bowl", "--at", "a,b", "--y", "2:9"], "^--at: expected numbers with commas"),
        (["{bowl}:bowl", "--at", "1,2"], "^--y: a function of yours needs bounds"),
        (["{bowl}:bowl", "--at", "1,inf", "--y", "2:9"], "^--at: every coordinate must be finite"),
        (["L1:n=2", "--at", "0.5"], "^--at: L1:n=2 has 2 coordinates in x, but got 1"),
        (["L1:n=2", "--at", "0.5,0.5", "--y", "2:9"], "^--x, --y: the problem L1:n=2 has bounds of its own"),
        (["{bowl}:bowl", "--command", "true", "--at", "1", "--y", "2:9"], "^--command: a program takes the place"),
        (["--command", "no-such-simulator", "--at", "1", "--y", "2:9"], "^command: there is no program"),
        (["--command", "true", "--at", "1"], "^--y: a program needs bounds"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(capsys, bowl, arguments, words):
    with pytest.raises(InvalidArgument, match=words):
        run(capsys, *(argument.format(bowl=bowl) for argument in arguments))


def test_something_must_be_attacked(capsys):
    with pytest.raises(click.UsageError, match="Missing argument 'OBJECTIVE'"):
        run(capsys, "--at", "1", "--y", "2:9")


def test_failures_are_passed_over_if_that_is_asked_for_and_end_the_search_if_not(capsys, bowl):
    common = [f"{bowl}:often", "--at", "4,-1.5", "--y", "2:9", "--maxfev", "200", "--rng", "1"]
    code, out = run(capsys, *common, "--on-error", "ignore", "--json")
    assert code == 0
    assert json.loads(out)["n_failed"] > 0
    assert " failed. " in run(capsys, *common, "--on-error", "ignore")[1]
    with pytest.raises(click.ClickException, match="f raised ArithmeticError: the mesh is tangled"):
        run(capsys, *common)


@pytest.mark.parametrize("function", ["nothing", "infinite", "often"])
def test_a_worst_case_that_is_no_number_is_a_failure(capsys, bowl, function):
    common = [f"{bowl}:{function}", "--at", "4,-1.5", "--y", "2:9", "--maxfev", "200", "--rng", "1"]
    assert run(capsys, *common, "--on-error", "worst")[0] == 1


def bowl_of_python(x, y):
    return (x[0] - 2.0) ** 2 + x[1] - (y[0] - 5.0) ** 2


@pytest.fixture
def problem(bowl):
    """Write a problem file: its path."""

    def write(*lines, head='objective = "bowl.py:bowl"'):
        path = bowl.parent / "problem.toml"
        path.write_text("\n".join((head, "x_bounds = [[1, 4], [-7, -1]]", *lines)))
        return path

    return write


@pytest.mark.parametrize(
    ("lines", "domain", "integrality"),
    [
        (["y_bounds = [[2, 9]]"], [(2, 9)], None),
        (["y_bounds = [[2.2, 9.4]]", "y_integrality = true"], [(2.2, 9.4)], True),
        (["y_bounds = { ball = { center = [4.0, 1.0], radius = 0.5 } }"], reckless.Ball([4.0, 1.0], 0.5), None),
        (["y_bounds = { scenarios = [2, 4.5, 9] }"], reckless.Scenarios([2, 4.5, 9]), None),
        (["y_bounds = { simplex = 3 }", 'on_error = "ignore"', "retries = 1"], reckless.Simplex(3), None),
    ],
)
def test_the_file_of_a_run_serves_here_too(capsys, problem, lines, domain, integrality):
    path = problem(*lines, "maxfev = 300", 'method = "mmde"', "maxtime = 5", 'checkpoint = "run.journal"')
    code, out = run(capsys, path, "--at", "4,-1.5", "--rng", "3", "--json")
    assert code == 0
    expected = reckless.worst_case(bowl_of_python, [4.0, -1.5], domain, maxfev=300, rng=3, y_integrality=integrality)
    said = json.loads(out)
    assert (said["fun"], said["y"]) == (expected.fun, expected.y.tolist())
    assert (said["nfev"], said["message"]) == (expected.nfev, expected.message)
    assert not (path.parent / "run.journal").exists()


def test_the_seed_of_the_file_gives_the_same_answer_again_but_not_the_draws_of_the_run(capsys, problem):
    path = problem("y_bounds = [[2, 9]]", "maxfev = 50", "rng = 7")
    seeded = run(capsys, path, "--at", "4,-1.5", "--json")
    assert seeded == run(capsys, path, "--at", "4,-1.5", "--json")
    assert seeded != run(capsys, path, "--at", "4,-1.5", "--rng", "7", "--json")


def test_options_win_over_the_file(capsys, problem):
    path = problem("y_bounds = { simplex = 3 }", "maxfev = 300")
    code, out = run(capsys, path, "--at", "4,-1.5", "--y", "6:9", "--maxfev", "40", "--json")
    assert code == 0
    assert json.loads(out)["fun"] == 1.5
    assert json.loads(out)["nfev"] <= 40


def test_a_perturbation_of_the_design_is_attacked(capsys, problem):
    path = problem("y_bounds = { perturbation = { radius = 0.5 } }", head='objective = "bowl.py:g"')
    found = json.loads(run(capsys, path, "--at", "3,-4", "--maxfev", "200", "--json")[1])
    assert found["y"] == [0.5, 0.5]
    assert found["fun"] == 1.5**2 - 3.5


def test_a_program_of_a_file_is_attacked(capsys, problem, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    head = f"command = [{sys.executable!r}, {str(tmp_path / 'program.py')!r}]"
    path = problem("y_bounds = [[2, 9]]", "maxfev = 60", "workers = 2", head=head)
    assert json.loads(run(capsys, path, "--at", "3,-4", "--json")[1])["fun"] == 27.0


@pytest.mark.parametrize(
    ("lines", "options", "words"),
    [
        (["y_bounds = [[2, 9]]"], ["--at", "1"], "problem.toml has 2 coordinates in x, but got 1"),
        (["y_bounds = { bal = 3 }"], ["--at", "1,2"], "problem.toml: y_bounds: expected one of ball"),
        ([], ["--at", "1,2"], "problem.toml: y_bounds is missing"),
        (["y_bounds = [[2, 9]]"], ["--at", "1,2", "--command", "true"], "takes the place of OBJECTIVE"),
    ],
)
def test_a_mistake_in_the_file_is_named(capsys, problem, lines, options, words):
    with pytest.raises(InvalidArgument, match=words):
        run(capsys, problem(*lines), *options)


def test_a_design_outside_of_its_set_is_refused_for_a_problem_and_for_a_file(run, tmp_path):
    code, out, err = run("worst-case", "L3", "--at=-1e9")
    assert (code, out) == (2, "")
    assert "--at: x must lie within its bounds" in err
    (tmp_path / "o.py").write_text("def f(x, y): return x[0] * y[0]")
    (tmp_path / "p.toml").write_text('objective = "o.py:f"\nx_bounds = [[1, 4]]\ny_bounds = [[2, 9]]')
    code, out, err = run("worst-case", tmp_path / "p.toml", "--at", "5")
    assert (code, out) == (2, "")
    assert "coordinate 0 is 5" in err
    assert run("worst-case", tmp_path / "p.toml", "--at", "4", "--maxfev", "50")[0] == 0
