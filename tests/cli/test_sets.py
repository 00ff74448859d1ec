"""Sets, integers and perturbations in a problem file and on the command line: the same runs as from Python."""

import json
import re

import pytest

import reckless
from reckless.cli.config import read_config

SIMULATE = """
import numpy as np

def f(x, y):
    return float(np.sum((x - 2.0) ** 2) + x[0] * y[0] - np.sum((y - 3.0) ** 2))

def g(x):
    return float(min(8 * abs(x[0] - 1), 1 + (x[0] - 4) ** 2))

def fails(x):
    return 1 / 0
"""

POINTS = [[1.0, 2.5], [3.0, 4.0], [-2.0, 7.0]]
RUN = {"maxfev": 100, "method": "danskin", "rng": 7}


def f(x, y):
    return float(((x - 2.0) ** 2).sum() + x[0] * y[0] - ((y - 3.0) ** 2).sum())


def g(x):
    return float(min(8 * abs(x[0] - 1), 1 + (x[0] - 4) ** 2))


@pytest.fixture
def solve(run, tmp_path):
    """Solve what is written to a problem file: (exit code, stdout, stderr)."""
    (tmp_path / "simulate.py").write_text(SIMULATE)

    def call(*lines, function="f", method=RUN["method"], options=("--json",)):
        named = {"objective": f"simulate.py:{function}", **RUN, "method": method}
        head = [f"{key} = {json.dumps(value)}" for key, value in named.items()]
        (tmp_path / "problem.toml").write_text("\n".join([*head, *lines]))
        return run("solve", tmp_path / "problem.toml", *options)

    return call


def matches(answer, result):
    """Whether the command line found what Python found."""
    code, out, _ = answer
    said = json.loads(out)
    return code == 0 and (said["x"], said["y"], said["nfev"]) == (result.x.tolist(), result.y.tolist(), result.nfev)


@pytest.mark.parametrize(
    ("spelling", "domain"),
    [
        ("{ ball = { center = [1.0, 4.5], radius = 1.5 } }", reckless.Ball([1.0, 4.5], 1.5)),
        ("{ ball = { center = [1, 4], radius = [0.5, 2.0] } }", reckless.Ball([1.0, 4.0], [0.5, 2.0])),
        ("{ simplex = 3 }", reckless.Simplex(3)),
        ("{ simplex = { n = 3, total = 5.0 } }", reckless.Simplex(3, 5.0)),
        ("{ scenarios = [[1.0, 2.5], [3.0, 4.0], [-2, 7]] }", reckless.Scenarios(POINTS)),
        ("{ scenarios = [1.0, 2.5, 7.0] }", reckless.Scenarios([1.0, 2.5, 7.0])),
        ('{ scenarios = "loads.csv" }', reckless.Scenarios(POINTS)),
    ],
)
@pytest.mark.parametrize("player", ["x", "y"])
def test_a_set_in_the_file_is_the_set_of_that_name_in_python(solve, tmp_path, player, spelling, domain):
    (tmp_path / "loads.csv").write_text("1.0,2.5\n3.0,4.0\n-2,7\n")
    box = [(1.0, 4.0), (2.0, 9.0)]
    if player == "x":
        answer = solve(f"x_bounds = {spelling}", "y_bounds = [[1, 4], [2, 9]]")
        assert matches(answer, reckless.minimax(f, domain, box, **RUN))
    else:
        answer = solve("x_bounds = [[1, 4], [2, 9]]", f"y_bounds = {spelling}")
        assert matches(answer, reckless.minimax(f, box, domain, **RUN))


def test_a_set_may_be_a_table_of_its_own(solve):
    answer = solve("x_bounds = [[1, 4]]", "[y_bounds.ball]", "center = [1.0, 4.5]", "radius = 1.5")
    assert matches(answer, reckless.minimax(f, [(1, 4)], reckless.Ball([1.0, 4.5], 1.5), **RUN))


@pytest.mark.parametrize(
    "content",
    [
        "1.0,2.5\n3.0,4.0\n-2,7\n",
        "wind,angle 2\n1.0,2.5\n3.0,4.0\n-2,7",
        '\ufeff1.0, 2.5\r\n\r\n"3.0",4.0\r\n-2,7\r\n\r\n',
    ],
    ids=["plain", "heading", "spreadsheet"],
)
def test_scenarios_come_from_a_csv_file_on_the_command_line_too(solve, tmp_path, content):
    (tmp_path / "loads.csv").write_text(content, encoding="utf-8", newline="")
    expected = reckless.minimax(f, [(1, 4)], reckless.Scenarios(POINTS), **RUN)
    options = ["--y-scenarios", tmp_path / "loads.csv", "--json"]
    assert matches(solve("x_bounds = [[1, 4]]", "y_bounds = { simplex = 5 }", options=options), expected)


def test_integers_are_said_in_the_file_or_behind_the_bounds(solve):
    expected = reckless.minimax(f, [(1, 4), (2, 9)], [(0, 5)], **RUN, x_integrality=[True, False], y_integrality=True)
    bounds = ["x_bounds = [[1, 4], [2, 9]]", "y_bounds = [[0, 5]]"]
    assert matches(solve(*bounds, "x_integrality = [true, false]", "y_integrality = true"), expected)
    options = ["--x", "1:4:int", "--x", "2:9", "--y", "0:5:int", "--json"]
    assert matches(solve(*bounds, options=options), expected)
    assert expected.x[0].is_integer()
    assert expected.y[0].is_integer()


def test_kinds_are_spelled_alike_in_python_in_the_file_and_on_the_command_line(solve):
    box = reckless.Box({"gain": (0.1, 10.0, "log"), "teeth": (2, 9, "int")})
    expected = reckless.minimax(f, box, reckless.Simplex(3), **RUN)
    bounds = 'x_bounds = [[0.1, 10, "log"], [2, 9, "int"]]', "y_bounds = { simplex = 3 }"
    assert matches(solve(*bounds), expected)
    assert matches(solve('x_bounds = { gain = [0.1, 10, "log"], teeth = [2, 9, "int"] }', bounds[1]), expected)
    options = ["--x", "0.1:10:log", "--x", "2:9:int", "--y", "simplex = 3", "--json"]
    assert matches(solve("x_bounds = [[1, 4]]", "y_bounds = [[1, 4]]", options=options), expected)


def test_bounds_on_the_command_line_replace_all_that_the_file_says_of_a_player(solve):
    answer = solve(
        "x_bounds = [[1, 4], [2, 9]]",
        "x_integrality = [true, true]",
        "y_bounds = { simplex = 3 }",
        options=["--x", "1:4", "--y", "0:5", "--json"],
    )
    assert matches(answer, reckless.minimax(f, [(1, 4)], [(0, 5)], **RUN))


@pytest.mark.parametrize(
    ("spelling", "options"),
    [
        ("{ radius = 0.5 }", {}),
        ('{ radius = [0.5], shape = "ball", inside = false }', {"shape": "ball", "inside": False}),
    ],
)
def test_a_design_that_is_not_made_as_drawn(solve, spelling, options):
    made, y_bounds = reckless.perturbation(g, [(0, 6)], 0.5, **options)
    answer = solve("x_bounds = [[0, 6]]", f"y_bounds = {{ perturbation = {spelling} }}", function="g")
    assert matches(answer, reckless.minimax(made, [(0, 6)], y_bounds, **RUN))


def test_a_perturbation_may_be_of_integers_and_in_other_processes(solve):
    made, y_bounds = reckless.perturbation(g, [(0, 6)], 2)
    expected = reckless.minimax(
        made, [(0, 6)], y_bounds, **{**RUN, "method": "reckless"}, x_integrality=True, y_integrality=True
    )
    lines = ["x_bounds = [[0, 6]]", "y_bounds = { perturbation = { radius = 2 } }", "workers = 1", "eval_timeout = 60"]
    integers = ["x_integrality = true", "y_integrality = true"]
    assert matches(solve(*lines, *integers, function="g", method="reckless"), expected)


def test_a_function_of_x_that_raises_is_named_with_its_line(solve):
    lines = ["x_bounds = [[0, 6]]", "y_bounds = { perturbation = { radius = 0.5 } }"]
    code, _, err = solve(*lines, function="fails")
    assert code == 1
    assert "simulate.py, line 11: f raised ZeroDivisionError: division by zero (at x=[" in err
    assert "y=" not in err
    code, _, err = solve(*lines, function="f")
    assert code == 1
    assert "simulate.py: f raised TypeError: f() missing 1 required positional argument: 'y'" in err


def test_a_journal_keeps_a_run_on_sets(solve, tmp_path):
    lines = ["x_bounds = { simplex = 3 }", 'y_bounds = { scenarios = "loads.csv" }', 'checkpoint = "run.journal"']
    (tmp_path / "loads.csv").write_text("1.0,2.5\n3.0,4.0\n-2,7\n")
    first = solve(*lines)
    assert solve(*lines) == first
    (tmp_path / "loads.csv").write_text("1.0,2.5\n3.0,4.0\n")
    code, _, err = solve(*lines)
    assert code == 2
    assert "run.journal" in err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("y_bounds = { bal = 3 }", "y_bounds: expected one of ball, simplex, scenarios, perturbation, but got bal."),
        ("y_bounds = { simplex = 3, ball = 2 }", "y_bounds: expected one of ball, simplex"),
        ("y_bounds = {}", "but got nothing."),
        ("y_bounds = 3", "y_bounds: expected a sequence of (low, high) pairs"),
        ("y_bounds = [[2, 9]]\ny_bounds = { simplex = 3 }", "problem.toml: y_bounds is given more than once."),
        ("y_bounds = [[2, 9]]\n[y_bounds.ball]", "problem.toml: y_bounds is given more than once."),
        ("y_bounds = { ball = 3 }", "y_bounds: ball must have center and radius, but has 3."),
        ("y_bounds = { ball = { center = [1, 2] } }", "y_bounds: ball must have center and radius, but has center."),
        ("y_bounds = { ball = { centre = [1, 2], radius = 1 } }", "but has centre, radius."),
        ("y_bounds = { ball = { center = [1, 2], radius = -1 } }", "y_bounds: radius: expected a number above 0"),
        ("y_bounds = { ball = { center = [1, 2], radius = [1, 2, 3] } }", "y_bounds: radius: expected a number"),
        ('y_bounds = { ball = { center = "here", radius = 1 } }', "y_bounds: center: expected a sequence of numbers"),
        ("y_bounds = { simplex = 1 }", "y_bounds: n: expected a whole number of at least 2, but got 1."),
        ("y_bounds = { simplex = { total = 1 } }", "simplex must have n (and may have total), but has total."),
        ("y_bounds = { simplex = { n = 2, total = 0 } }", "y_bounds: total: expected a number above 0"),
        ("y_bounds = { scenarios = [] }", "y_bounds: points: expected one scenario per row"),
        ("y_bounds = { scenarios = [[1, 2], [3]] }", "y_bounds: points: expected one scenario per row"),
        ("y_bounds = { scenarios = 3 }", "y_bounds: points: expected one scenario per row"),
        ("y_bounds = { scenarios = [[1, nan]] }", "y_bounds: points: every scenario must be finite"),
        ("x_bounds = { perturbation = { radius = 1 } }", "x_bounds: a perturbation is a set for y."),
        ("y_bounds = { perturbation = { radius = 0 } }", "y_bounds: radius: expected a number above 0, or 2 of them"),
        ("y_bounds = { perturbation = { radius = [1, 2, 3] } }", "y_bounds: radius: expected a number above 0"),
        ('y_bounds = { perturbation = { radius = 1, shape = "star" } }', "y_bounds: shape: expected 'box' or 'ball'"),
        ("y_bounds = { perturbation = { radius = 1, inside = 1 } }", "y_bounds: inside: expected True or False"),
        ("y_bounds = { perturbation = 0.1 }", "perturbation must have radius (and may have shape and inside)"),
        ('y_bounds = [[0, 9, "log"]]', "problem.toml: y_bounds: a logarithmic coordinate must have bounds above 0"),
        ('y_bounds = [[1, 9, "whole"]]', "problem.toml: y_bounds: the kind of a coordinate must be one of linear"),
        ("x_integrality = [true]", "problem.toml: x_integrality: expected True or False, or 2 of them"),
        ("y_bounds = { simplex = 3 }\ny_integrality = true", "problem.toml: y_bounds: integer coordinates need a box"),
        ("y_bounds = [[2.2, 2.8]]\ny_integrality = true", "problem.toml: y_bounds: coordinate 0 is to be an integer"),
    ],
)
def test_a_mistake_gets_one_line_that_names_the_file_and_the_setting(solve, line, words):
    given = {"x_bounds": "x_bounds = [[1, 4], [2, 9]]", "y_bounds": "y_bounds = [[2, 9]]"}
    given.pop(line.partition(" ")[0], None)
    code, out, err = solve(*given.values(), line)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "problem.toml: " in err
    assert words in err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "loads.csv cannot be read (No such file or directory)."),
        (b"", "loads.csv has no row of numbers."),
        (b"wind,angle\n", "loads.csv has no row of numbers."),
        (
            b"wind,angle\n1,calm\n",
            "loads.csv, line 2: expected finite numbers with commas between them, but got '1,calm'",
        ),
        (b"1,calm\n2,3\n", "loads.csv, line 1: expected finite numbers"),
        (b"nan\n1\n", "loads.csv, line 1: expected finite numbers"),
        (b"1.O\n2.0\n", "loads.csv, line 1: expected finite numbers"),
        (b"1,2\n\n3,inf\n", "loads.csv, line 3: expected finite numbers"),
        (b"1;2\n3;4\n", "loads.csv, line 1: expected finite numbers with commas between them"),
        (b"1,2\n3,4,5\n", "loads.csv, line 2: expected 2 numbers, as in the rows before, but got 3."),
        (b"\xff\xfe1,2\n", "loads.csv is not a CSV file"),
    ],
)
def test_a_csv_file_that_is_no_list_of_scenarios_gets_one_line(solve, tmp_path, content, words):
    if content is not None:
        (tmp_path / "loads.csv").write_bytes(content)
    code, out, err = solve("x_bounds = [[1, 4]]", 'y_bounds = { scenarios = "loads.csv" }')
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "problem.toml: y_bounds: " in err
    assert words in err


def test_a_benchmark_problem_has_no_other_sets(run, tmp_path):
    (tmp_path / "problem.toml").write_text('objective = "L1"\ny_integrality = true\n')
    code, _, err = run("solve", tmp_path / "problem.toml")
    assert code == 2
    assert "problem.toml: y_integrality: the problem L1 has bounds of its own." in err


def test_a_perturbation_is_added_by_a_function_and_not_by_a_program(run, tmp_path):
    (tmp_path / "problem.toml").write_text(
        'command = ["true"]\nx_bounds = [[1, 4]]\ny_bounds = { perturbation = { radius = 1 } }\n'
    )
    code, _, err = run("solve", tmp_path / "problem.toml")
    assert code == 2
    assert "problem.toml: y_bounds: a program is given x and y, and must add a perturbation itself." in err


def test_a_perturbation_needs_x_in_a_box(solve):
    lines = ["x_bounds = { simplex = 3 }", "y_bounds = { perturbation = { radius = 0.5 } }"]
    code, _, err = solve(*lines, function="g")
    assert code == 2
    assert "problem.toml: y_bounds: a perturbation needs an x in a box" in err


def test_the_spellings_in_the_docs_can_be_read(request, tmp_path):
    docs, path = request.config.rootpath / "docs", tmp_path / "problem.toml"
    (tmp_path / "loads.csv").write_text("1.0,2.5\n3.0,4.0\n")
    shown = re.findall(r"\| `([xy]_\w+ = .*)` \|", (docs / "sets.md").read_text())
    assert len(shown) == 12
    for line in shown:
        given = {"x_bounds": "x_bounds = [[1, 4], [2, 9]]", "y_bounds": "y_bounds = [[2, 9]]"}
        given[line.partition(" ")[0]] = line
        path.write_text("\n".join(('objective = "simulate.py:f"', *given.values())))
        assert read_config(path)
    path.write_text(re.search(r"```toml\n(.*?)```", (docs / "programs.md").read_text(), flags=re.DOTALL)[1])
    assert read_config(path)["command"] == [str(tmp_path / "simulate"), "--fast"]


NAMED = "def f(x, y):\n    return (x.R - 20.0) ** 2 + (x.n - 4.0) ** 2 + x.T - 293.0 - (y.load - 5.0) ** 2\n"


@pytest.fixture
def named(tmp_path):
    """The file of an objective that asks for its coordinates by name."""
    (tmp_path / "named.py").write_text(NAMED)
    return tmp_path / "named.py"


SPELLED = ("--x", "R=10:90", "--x", "n=2,4,7", "--x", "T=293", "--y", "load=2:9")


def test_names_choices_and_fixed_values_on_the_command_line_are_those_of_a_file(run, named):
    code, out, _ = run("solve", f"{named}:f", *SPELLED, "--maxfev", "90", "--rng", "1", "--json")
    assert code == 0
    (named.parent / "problem.toml").write_text(
        'objective = "named.py:f"\nmaxfev = 90\nrng = 1\n[x_bounds]\nR = { range = [10, 90], unit = "ohm" }\n'
        "n = { choices = [2, 4, 7] }\nT = { fixed = 293 }\n[y_bounds.load]\nrange = [2, 9]\n"
    )
    code, again, _ = run("solve", named.parent / "problem.toml", "--json")
    assert code == 0
    one, other = json.loads(out), json.loads(again)
    assert one["x"] == other["x"]
    legends, others = one["legends"], other["legends"]
    assert legends["x"]["names"] == others["x"]["names"] == ["R", "n", "T"]
    assert legends["y"] == others["y"] == {"names": ["load"], "units": [], "words": []}
    assert others["x"]["units"] == ["ohm", "", ""]
    code, text, _ = run("solve", named.parent / "problem.toml")
    assert "x = (R = 20 ohm, n = 4, T = 293)" in text


def test_an_attack_and_an_error_name_the_coordinates(run, named):
    code, out, _ = run("worst-case", f"{named}:f", "--at", "20,4,293", *SPELLED[-2:], "--maxfev", "60", "--rng", "1")
    assert code != 0  # without the names of x, which a file has, f cannot be asked
    (named.parent / "problem.toml").write_text(
        'objective = "named.py:f"\nx_bounds = { R = [10, 90], n = [2, 9, "int"], T = { fixed = 293 } }\n'
        "y_bounds = { load = [2, 9] }\nmaxfev = 60\n"
    )
    code, out, _ = run("worst-case", named.parent / "problem.toml", "--at", "20,4,293")
    assert code == 0
    assert "x = (R = 20, n = 4, T = 293)" in out
    assert "at y = (load = 5" in out or "at y = (load = 4.9" in out
    code, _, err = run("worst-case", named.parent / "problem.toml", "--at", "20,4,300")
    assert code == 2
    assert "--at: x: 'T' is fixed at 293, but is 300." in err
    named.write_text("def f(x, y):\n    raise ValueError('no')\n")
    code, _, err = run("solve", named.parent / "problem.toml")
    assert "f raised ValueError: no (at x=(R = " in err


def test_a_scale_that_was_hardly_meant_is_warned_of_in_one_line(run, named):
    spelled = ("--x", "R=0.01:90", *SPELLED[2:])
    code, _, err = run("solve", f"{named}:f", *spelled, "--maxfev", "20")
    assert code == 0
    assert err.count("goes from 0.01 to 90 on a linear scale") == 1
    assert len(err.strip().splitlines()) == 1
