"""How sets are described: objects of others, tables, and texts of the command line."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import reckless
from hostile import HOSTILE, assert_is_refused_briefly
from reckless.core.words import safe_repr
from reckless.domains.box import Box
from reckless.domains.domain import Domain
from reckless.domains.reading import SETS, Perturbing, read_domain, read_edge, read_edges, read_scenarios, read_table
from reckless.domains.sets import Ball, Scenarios, Simplex
from reckless.errors import InvalidArgument
from reckless.evaluation.fingerprint import fingerprint


def is_same(one, other):
    return type(one) is type(other) and fingerprint(one) == fingerprint(other)


@dataclass(frozen=True)
class Incomplete:
    n: int = 1
    n_out: int = 2
    names: tuple[str, ...] = ()

    def rows(self, points, m):
        return np.zeros((m, 2))


@pytest.mark.parametrize(
    ("table", "domain"),
    [
        ({"ball": {"center": [1.0, 4.5], "radius": 2}}, Ball([1.0, 4.5], 2.0)),
        ({"simplex": 3}, Simplex(3)),
        ({"simplex": {"n": 3, "total": 5.0}}, Simplex(3, 5.0)),
        ({"scenarios": [[1.0, 2.5], [3.0, 4.0]]}, Scenarios([[1.0, 2.5], [3.0, 4.0]])),
        ({"scenarios": {"points": [[1.0], [3.0]]}}, Scenarios([1.0, 3.0])),
        (
            {"gain": (0.1, 10.0, "log"), "teeth": [8, 40, "int"]},
            Box({"gain": (0.1, 10, "log"), "teeth": (8, 40, "int")}),
        ),
    ],
)
def test_a_mapping_describes_a_set_or_a_box_with_names(table, domain):
    assert is_same(read_domain(table, "y_bounds"), domain)


def test_integrality_belongs_to_boxes_of_every_form():
    assert read_domain([(1, 4)], "x_bounds", True).kinds == ("int",)
    assert read_domain({"teeth": (8, 40)}, "x_bounds", [True]).kinds == ("int",)
    box = Box({"gain": (0.1, 10.0, "log"), "teeth": (8, 40)})
    assert read_domain(box, "x_bounds") is box
    assert read_domain(box, "x_bounds", [0, 1]).kinds == ("log", "int")


@pytest.mark.parametrize("kind", SETS)
def test_the_example_of_every_set_can_be_read_and_is_in_the_docs(kind, request):
    example = SETS[kind].example
    found = read_table(tomllib.loads(f"bounds = {example}")["bounds"], Path(), "y_bounds")
    assert isinstance(found, Perturbing if kind == "perturbation" else Domain)
    assert f"y_bounds = {example}" in (request.config.rootpath / "docs" / "sets.md").read_text()


def shown_set(request, name):
    """The class, and whatever else the example of an own set in the docs makes."""
    text = (request.config.rootpath / "docs" / "sets.md").read_text()
    (code,) = (code for code in re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL) if f"class {name}:" in code)
    names = {}
    exec(code, names)
    return names


def test_the_budget_set_of_the_docs_is_that_set(request):
    names = shown_set(request, "Budget")
    domain = names["Budget"](3, 0.5)
    assert isinstance(domain, Domain)
    rows = domain.rows(np.random.default_rng(0).random((2000, 3)), 2000)
    sums = np.abs(rows).sum(axis=1)
    assert sums.max() <= 0.5 + 1e-12
    assert sums.max() > 0.49
    assert names["few_at_once"].budget == 0.5
    # With x = (1, 1, 1) at its lower bound, x @ y + y @ y is largest at one vertex: 3 + 0.5 + 0.25.
    assert names["result"].fun == pytest.approx(3.75, rel=1e-4)


def test_the_ellipsoid_of_the_docs_is_that_set(request):
    names = shown_set(request, "Ellipsoid")
    domain = names["wind"]
    away = domain.rows(np.random.default_rng(0).random((2000, 2)), 2000) - domain.mean
    distances = np.sqrt((away @ np.linalg.inv(domain.covariance) * away).sum(axis=1))
    assert distances.max() <= 2.0 + 1e-12
    assert distances.max() > 1.98
    assert np.corrcoef(away.T)[0, 1] == pytest.approx(0.6 / np.sqrt(0.5), abs=0.05)
    # The best x is the middle; the worst y is the end of the longest axis.
    longest = np.linalg.eigvalsh(domain.covariance)[-1]
    assert names["result"].fun == pytest.approx(4.0 * longest, rel=1e-4)


def test_named_kinds_reach_a_run_and_its_pictures():
    """The worst load is 4 whatever x; with it the best gain is 2 and the best number of teeth 17."""

    def f(x, y):
        return (np.log(x[0] / 2.0) ** 2 + (x[1] - 17.2) ** 2) + y[0]

    box = reckless.Box({"gain": (0.1, 10.0, "log"), "teeth": (8, 40, "int")})
    result = reckless.minimax(f, box, {"load": (0.5, 4.0)}, maxfev=4000, rng=1, verify=True)
    assert result.x[0] == pytest.approx(2.0, rel=1e-3)
    assert result.x[1] == 17.0
    assert [part.label for part in result.verification.slices] == ["load"]


@pytest.mark.parametrize(
    ("text", "edge"),
    [("1:4", (1.0, 4.0)), ("-2.5:1e3:int", (-2.5, 1000.0, "int")), ("0.1:10:log", (0.1, 10.0, "log"))],
)
def test_the_command_line_spells_a_coordinate_by_its_bounds_and_kind(text, edge):
    assert read_edge(text, "--x") == edge
    assert is_same(read_edges([text, "2:9"], "--x"), Box([edge, (2, 9)]))


def test_the_command_line_spells_sets_as_a_problem_file_does():
    assert is_same(read_edges(["simplex=3"], "--y"), Simplex(3))
    assert is_same(read_edges(["ball = { center = [1, 2], radius = 0.5 }"], "--y"), Ball([1, 2], 0.5))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: read_domain(Simplex(3), "y_bounds", True), "^y_bounds: integer coordinates need a box"),
        (lambda: read_domain({"simplex": 3}, "y_bounds", True), "^y_bounds: integer coordinates need a box"),
        (lambda: read_domain(Simplex, "y_bounds"), "^y_bounds: expected a set, but got the class Simplex. Call it"),
        (lambda: read_domain(Incomplete, "y_bounds"), "^y_bounds: expected a set, but got the class Incomplete"),
        (
            lambda: read_domain(Incomplete(), "y_bounds"),
            "^y_bounds: .* but Incomplete lacks n_scenarios, from_unit, to_unit, paths.",
        ),
        (lambda: read_domain("0:1", "y_bounds"), "^y_bounds: expected a sequence of"),
        (lambda: read_domain(3.0, "y_bounds"), "^y_bounds: expected a sequence of"),
        (lambda: read_domain({"bal": 3}, "y_bounds"), "^y_bounds: expected one of ball, .* but got bal. For example"),
        (lambda: read_domain({"ball": 3, "simplex": 2}, "y_bounds"), "^y_bounds: expected one of ball"),
        (lambda: read_domain({}, "y_bounds"), "^y_bounds: .* but got nothing"),
        (lambda: read_domain({"ball": 3}, "y_bounds"), "^y_bounds: ball must have center and radius, but has 3. For"),
        (lambda: read_domain({"simplex": 1}, "y_bounds"), "^y_bounds: n: expected a whole number of at least 2"),
        (lambda: read_domain({"perturbation": {"radius": 1}}, "y_bounds"), "^y_bounds: .* reckless.perturbation"),
        (lambda: read_edges(["1:4", "5"], "--x"), "^--x: expected LOW:HIGH, .* but got '5'. Repeat the option"),
        (lambda: read_edge("1:4:int:log", "--x"), "^--x: expected LOW:HIGH"),
        (lambda: read_edge("1:4:", "--x"), "^--x: expected LOW:HIGH"),
        (lambda: read_edges(["4:1"], "--x"), "^--x: each lower bound must be below"),
        (lambda: read_edges(["0:1:log"], "--x"), "^--x: a logarithmic coordinate must have bounds above 0"),
        (lambda: read_edges(["simplex=a"], "--x"), "^--x: expected a set as in a problem file"),
        (lambda: read_edges([f"simplex={'9' * 5000}"], "--x"), "^--x: expected a set as in a problem file"),
        (lambda: read_edges([f"simplex={'[' * 5000}"], "--x"), "^--x: expected a set as in a problem file"),
        (lambda: read_edges([f"simplex={'9' * 400}"], "--x"), "^--x: n: expected a whole number of at most 1000000"),
        (lambda: read_edges(["0:1e400"], "--x"), "^--x: bounds must be finite"),
        (lambda: read_edges(["bal=3"], "--x"), "^--x: expected one of ball"),
    ],
)
def test_a_mistake_gets_a_sentence_that_names_the_argument(make, words):
    with pytest.raises(InvalidArgument, match=words):
        make()


@pytest.mark.parametrize(
    ("spellings", "toml", "python"),
    [
        (["4.0:1.0"], "[[4.0, 1.0]]", [(4.0, 1.0)]),
        (["0.0:inf"], "[[0.0, inf]]", [(0.0, np.inf)]),
        (["nan:1.0"], "[[nan, 1.0]]", [(np.nan, 1.0)]),
        (["0:1:log"], '[[0, 1, "log"]]', [(0, 1, "log")]),
        (["1.2:1.8:int"], '[[1.2, 1.8, "int"]]', [(1.2, 1.8, "int")]),
        ([f"simplex = {'9' * 400}"], f"{{ simplex = {'9' * 400} }}", {"simplex": int("9" * 400)}),
        (["ball = { center = [1e400], radius = 1 }"], "{ ball = { center = [inf], radius = 1 } }", None),
    ],
    ids=range(7),
)
def test_a_mistake_gets_the_same_sentence_in_python_in_a_file_and_on_the_command_line(spellings, toml, python):
    in_file = tomllib.loads(f"bounds = {toml}")["bounds"]
    sentences = set()
    for read in (
        lambda: read_edges(spellings, "x_bounds"),
        lambda: read_domain(in_file, "x_bounds"),
        lambda: read_domain(in_file if python is None else python, "x_bounds"),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            read()
        sentences.add(str(refusal.value))
    assert len(sentences) == 1


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize(
    "make",
    [
        lambda value: read_domain(value, "y_bounds"),
        lambda value: read_domain([value], "y_bounds"),
        lambda value: read_domain([(1, value)], "y_bounds"),
        lambda value: read_domain([(1, 4, value)], "y_bounds"),
        lambda value: read_domain([(1, 4)], "y_bounds", value),
        lambda value: read_domain({str(value): (1, 4)} if isinstance(value, str) else value, "y_bounds"),
        lambda value: read_domain({"ball": value}, "y_bounds"),
        lambda value: read_domain({"scenarios": value, "ball": 3}, "y_bounds"),
        lambda value: read_domain({"scenarios": [[value]]}, "y_bounds"),
        lambda value: reckless.Ball(value, 0.0),
        lambda value: reckless.Simplex(value),
        lambda value: reckless.perturbation(value, [(1, 4)], 0.5, inside=value),
        lambda value: read_edges([safe_repr(value)], "--x"),
        lambda value: read_edges([f"{safe_repr(value)}={value if isinstance(value, str) else 3}"], "--x"),
        lambda value: read_scenarios(Path(value if isinstance(value, str) else "nowhere")),
    ],
)
def test_a_refusal_is_short_and_printable_whatever_was_given(make, kind):
    assert_is_refused_briefly(lambda: make(HOSTILE[kind]))


def test_a_file_that_does_not_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("reckless.domains.reading.LARGEST_FILE", 10)
    (tmp_path / "loads.csv").write_text("1.0,2.5\n3.0,4.0\n")
    with pytest.raises(InvalidArgument, match="loads.csv is longer than 10 characters"):
        read_scenarios(tmp_path / "loads.csv")
