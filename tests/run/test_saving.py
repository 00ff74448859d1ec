"""Save a result, load it, save it again: the same bytes, and the same result."""

import json
import math
import os
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import reckless
from hostile import HOSTILE, assert_is_refused_briefly
from reckless import InvalidArgument, InvalidResult, MinimaxResult, Scenarios, Solver, WorstCase, load, minimax
from reckless.core.outcome import Failure
from reckless.core.task import Agreement, Case, Recommendation, TraceRow
from reckless.domains.labels import Legend, Legends
from reckless.run.origin import Origin
from reckless.run.result import History, Nominal, Pairs, Slice, Slices, Trace
from reckless.run.saving import FIELDS, SCHEMA, text_of
from support import X_BOUNDS, Y_BOUNDS, Interrupted, Recorder, tilted_bowl

RUN = {"maxfev": 120, "method": "danskin", "rng": 7}

NAMED = {"R": {"range": (1, 10), "unit": "ohm"}, "C": {"choices": [1.0, 2.2, 4.7]}, "T": {"fixed": 293.0}}


def failing(x, y):
    return math.nan if x[0] * y[0] > 20.0 else tilted_bowl(x, y)


def raising(x, y):
    raise RuntimeError("diverged \x1b[31m \udcff")


def solve(f=tilted_bowl, y_bounds=Y_BOUNDS, **options):
    return minimax(f, X_BOUNDS, y_bounds, **{**RUN, **options})


def noisy():
    rng = np.random.default_rng(5)
    return solve(lambda x, y: tilted_bowl(x, y) + 0.1 * rng.normal(), noise=0.1)


KINDS = {
    "plain": solve,
    "failures": lambda: solve(failing, keep=True),
    "ignored": lambda: solve(failing, nan_policy="ignore", verify=80),
    "nothing found": lambda: solve(raising, on_error="ignore", keep=True),
    "verified": lambda: solve(verify=True, trace=True, keep=True),
    "noise": noisy,
    "infinite": lambda: solve(lambda x, y: math.inf, keep=True, verify=40, maxfev=40),
    "list": lambda: solve(y_bounds=Scenarios([[2.0], [5.5], [9.0]]), method="finite", trace=True, verify=True),
    "maximin": lambda: solve(lambda x, y: -tilted_bowl(x, y), maximin=True, keep=True, trace=True, verify=True),
    "interrupted": lambda: solve(Interrupted(tilted_bowl, 30), keep=True),
    "not begun": lambda: Solver("danskin", X_BOUNDS, Y_BOUNDS, maxfev=30, rng=7, keep=True).result(),
    "nominal": lambda: solve(y_nominal=[5.0], y0=[[5.0]]),
    "names": lambda: minimax(lambda x, y: x.R * y[0] + x.C, NAMED, [(2, 9)], **RUN, verify=40, keep=True),
    "surrogate": lambda: solve(method="surrogate", maxfev=25),
    "generator": lambda: solve(rng=np.random.default_rng(3)),
    "object": lambda: solve(method=reckless.RandomSearch(), rng=None),
}


def same(one, other):
    """Whether two parts of results are equal: types, bits of numbers, shapes."""
    if isinstance(one, np.ndarray):
        return isinstance(other, np.ndarray) and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return type(one) is type(other) and one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, (tuple, list)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Failure):
        return isinstance(other, Failure) and all(same(getattr(one, k), getattr(other, k)) for k in Failure.__slots__)
    if isinstance(one, float):
        return isinstance(other, float) and (one == other or (one != one and other != other))
    return one == other


def assert_comes_back(result, folder):
    result.save(folder / "one.json")
    found = load(folder / "one.json")
    found.save(folder / "two.json")
    assert same(dict(result), dict(found))
    assert type(found) is MinimaxResult
    assert (folder / "one.json").read_bytes() == (folder / "two.json").read_bytes()
    assert found.origin.seconds == result.origin.seconds
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_comes_back_as_it_was_saved_bit_for_bit(kind, tmp_path):
    result = KINDS[kind]()
    found = assert_comes_back(result, tmp_path)
    assert found.report() == result.report()
    assert sorted(repr(found).split("\n")) == sorted(repr(result).split("\n"))


numbers = st.floats(allow_subnormal=True).map(lambda value: value if value == value else np.nan)  # one NaN of many
finite = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(max_size=30)
counts = st.integers(0, 2**60)


def points(n):
    return st.lists(finite, min_size=n, max_size=n).map(np.array)


def legend(n):
    words = st.lists(st.dictionaries(finite, texts, max_size=2), min_size=n, max_size=n).map(tuple)
    labels = st.lists(texts, min_size=n, max_size=n).map(tuple)
    return st.builds(Legend, *(st.just(()) | part for part in (labels, labels, words)))


@st.composite
def results(draw):
    n_x, n_y = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    x, y = points(n_x), points(n_y)
    vectors = st.lists(numbers, max_size=4).map(lambda values: np.array(values, dtype=float))
    moment = st.builds(Recommendation, counts, x, y, numbers)
    row = st.builds(TraceRow, counts, texts, numbers, numbers, numbers, counts, texts)
    part = st.builds(Slice, texts, vectors, vectors, numbers, texts, st.none() | counts)
    check = st.builds(
        WorstCase,
        y=y,
        **dict.fromkeys(("fun", "lowest", "highest"), numbers),
        **dict.fromkeys(("nfev", "n_starts", "n_agreed", "n_failed"), counts),
        **dict.fromkeys(("is_exact", "success"), st.booleans()),
        message=texts,
        **dict.fromkeys(("slices", "scenarios"), st.lists(part, max_size=2).map(Slices)),
        legend=legend(n_y),
    )
    n = draw(st.integers(0, 4))
    rows = st.lists(numbers, min_size=n, max_size=n).map(lambda values: np.array(values, dtype=float))
    X, Y = (
        st.lists(points(k), min_size=n, max_size=n).map(lambda found, k=k: np.array(found).reshape(n, k))
        for k in (n_x, n_y)
    )
    fields = {
        "x": x,
        "y": y,
        "fun": numbers,
        **dict.fromkeys(("nfev", "nit", "n_failed", "status"), counts),
        **dict.fromkeys(("success", "maximin", "refuted"), st.booleans()),
        **dict.fromkeys(("message", "method"), texts),
        "agreement": st.none() | st.builds(Agreement, counts, counts),
        "active": st.lists(st.builds(Case, y, numbers, st.none() | numbers, st.none() | counts), max_size=3).map(tuple),
        "nominal": st.none() | st.builds(Nominal, x, numbers),
        "settled": st.none() | st.booleans(),
        **dict.fromkeys(("upper", "lower", "gap"), st.none() | numbers),
        "first_failure": st.none() | st.builds(Failure, x, y, texts, counts),
        "verification": st.none() | check,
        "verdict": st.none() | texts,
        "origin": st.builds(Origin, texts, texts, texts, st.none() | counts, counts, texts, st.none() | finite),
        "history": st.lists(moment, max_size=3).map(History),
        "trace": st.none() | st.lists(row, max_size=3).map(Trace),
        "legends": st.builds(Legends, legend(n_x), legend(n_y)),
        "pairs": st.none() | st.builds(Pairs, X, Y, rows),
    }
    return MinimaxResult(**{key: draw(values) for key, values in fields.items()})


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(results())
def test_any_result_comes_back_bit_for_bit(tmp_path_factory, result):
    assert_comes_back(result, tmp_path_factory.mktemp("results"))


def test_every_field_of_a_result_is_saved():
    assert FIELDS.keys() == MinimaxResult.__annotations__.keys() == solve(maxfev=10).keys()
    check = solve(maxfev=10, verify=5).verification
    assert check.to_dict().keys() - {"schema"} == WorstCase.__annotations__.keys() == check.keys()


def test_a_file_says_what_it_is_and_speaks_of_fun(tmp_path):
    result = solve(verify=60, trace=True, keep=True)
    result.save(tmp_path / "result.json")
    said = json.loads((tmp_path / "result.json").read_text())
    assert (said["schema"], SCHEMA) == (1, 1)
    assert said == json.loads(json.dumps(result.to_dict()))
    origin = said["origin"]
    assert (origin["x_set"], origin["y_set"]) == ("Box([(1.0, 4.0), (-7.0, -2.0)])", "Box([(2.0, 9.0)])")
    assert (origin["method"], origin["rng"], origin["maxfev"]) == ("danskin", 7, 120)
    assert origin["version"] == reckless.__version__
    assert origin["seconds"] > 0.0
    assert (said["fun"], said["history"][-1]["fun"]) == (result.fun, result.history[-1].fun)
    assert said["verification"]["fun"] == result.verification.fun
    assert {"nfev", "fun", "event"} <= said["trace"][0].keys()
    assert not {"estimate", "worst_case"} & (said.keys() | said["verification"].keys() | said["trace"][0].keys())


def test_a_seed_that_was_drawn_repeats_the_run(tmp_path):
    first = solve(rng=None, maxfev=50)
    again = solve(rng=first.origin.rng, maxfev=50)
    assert first.origin.rng < 2**53
    assert (again.x.tolist(), again.fun, again.origin) == (first.x.tolist(), first.fun, first.origin)
    journaled = solve(rng=None, maxfev=50, checkpoint=tmp_path / "run.journal")
    assert solve(rng=journaled.origin.rng, maxfev=50).x.tolist() == journaled.x.tolist()


def test_origins_that_differ_in_seconds_alone_are_equal():
    origin = solve(maxfev=10).origin
    assert replace(origin, seconds=1e6) == origin
    assert replace(origin, maxfev=11) != origin


def test_a_set_or_method_is_described_briefly():
    def f(x, y):
        return x.sum()

    result = minimax(f, [(1, 2)] * 2000, Scenarios(np.ones((3000, 2))), maxfev=5, method="random-search", rng=1)
    assert result.origin.x_set == "Box of 2,000 coordinates"
    assert len(result.origin.y_set) <= 1000
    assert "\n" not in result.origin.y_set


def test_a_callback_may_save_the_answer_so_far(tmp_path):
    path = tmp_path / "so-far.json"
    solve(callback=lambda intermediate_result: intermediate_result.save(path), keep=True)
    found = load(path)
    assert found.x.size == 2
    assert found.pairs is None


# What is kept.


@pytest.mark.parametrize("maximin", [False, True])
def test_all_pairs_are_kept_with_the_values_that_f_gave(maximin):
    def f(x, y):
        return math.nan if x[0] * y[0] > 20.0 else (-1.0 if maximin else 1.0) * tilted_bowl(x, y)

    calls = Recorder(f)
    result = solve(calls, maximin=maximin, keep=True, verify=50)
    X, Y, values = result.pairs
    assert len(values) == len(calls) == result.nfev + result.verification.nfev
    assert np.array_equal(X, [x for x, _ in calls.pairs])
    assert np.array_equal(Y, [y for _, y in calls.pairs])
    assert np.array_equal(values, [f(x, y) for x, y in calls.pairs], equal_nan=True)
    assert repr(result.pairs) == f"<{len(values)} pairs, {np.isnan(values).sum()} failed>"
    assert solve(f, maximin=maximin).pairs is None


def test_ask_and_tell_keeps_pairs_too():
    solver = Solver("random-search", X_BOUNDS, Y_BOUNDS, maxfev=30, rng=7, keep=True)
    asked = []
    while not solver.done:
        X, Y = solver.ask()
        asked += X.tolist()
        solver.tell([tilted_bowl(x, y) for x, y in zip(X, Y, strict=True)])
    assert solver.result().pairs.X.tolist() == asked


def test_what_the_user_knew_is_among_the_pairs():
    X, Y = np.array([[2.0, -3.0]]), np.array([[5.0]])
    result = solve(data=(X, Y, [0.25]), keep=True, maxfev=30)
    known = (result.pairs.X == X).all(axis=1) & (result.pairs.Y == Y).all(axis=1)
    assert result.pairs.values[known].tolist() == [0.25]


def test_tables_have_the_rows_of_what_they_show():
    result = solve(failing, keep=True, trace=True)
    history, trace, pairs = (part.to_frame() for part in (result.history, result.trace, result.pairs))
    assert list(history.columns) == ["nfev", "x[0]", "x[1]", "y[0]", "fun"]
    assert list(trace.columns) == list(TraceRow._fields)
    assert list(pairs.columns) == ["x[0]", "x[1]", "y[0]", "value"]
    assert history["fun"].tolist() == [row.fun for row in result.history]
    assert trace["event"].tolist() == [row.event for row in result.trace]
    assert np.array_equal(pairs.to_numpy(), np.column_stack(result.pairs), equal_nan=True)


def test_tables_need_pandas_and_say_so(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(
        reckless.MissingPackage, match=r"^to_frame: pandas is not installed\. Try pip install pandas\.$"
    ):
        solve(maxfev=10).history.to_frame()


def test_a_result_without_recommendations_has_an_empty_table():
    assert list(KINDS["nothing found"]().history.to_frame().columns) == ["nfev", "fun"]


def test_points_of_a_saved_result_answer_to_their_names(tmp_path):
    result = KINDS["names"]()
    found = assert_comes_back(result, tmp_path)
    assert found.x.C == found.history[-1].x.C == result.x.C
    assert found.x.T == 293.0
    assert list(found.pairs.to_frame().columns) == ["R", "C", "T", "y[0]", "value"]
    assert list(found.history.to_frame().columns) == ["nfev", "R", "C", "T", "y[0]", "fun"]


# What uses a file.


def test_a_saved_result_is_attacked_and_begun_from(tmp_path):
    path = tmp_path / "result.json"
    result = solve(lambda x, y: -tilted_bowl(x, y), maximin=True)
    result.save(path)
    attack = {"maxfev": 60, "rng": 1}
    by_name = reckless.worst_case(lambda x, y: -tilted_bowl(x, y), str(path), Y_BOUNDS, **attack)
    assert by_name.fun == reckless.worst_case(lambda x, y: -tilted_bowl(x, y), result, Y_BOUNDS, **attack).fun
    calls = Recorder(lambda x, y: -tilted_bowl(x, y))
    solve(calls, maximin=True, start=path, maxfev=40)
    assert calls.pairs[0][0].tolist() == result.x.tolist()


def test_a_link_stays_one_and_what_was_there_is_replaced(tmp_path):
    result, target = solve(maxfev=10), tmp_path / "there" / "result.json"
    target.parent.mkdir()
    (tmp_path / "result.json").symlink_to(target)
    for _ in range(2):
        result.save(tmp_path / "result.json")
    assert (tmp_path / "result.json").is_symlink()
    assert load(target).fun == result.fun
    assert os.listdir(target.parent) == ["result.json"]


# Bad files.


@pytest.fixture(scope="module")
def saved():
    return solve(maxfev=20, trace=True, keep=True, verify=20).to_dict()


def refusal(tmp_path, content):
    path = tmp_path / "bad.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InvalidResult) as refused:
        load(path)
    sentence = str(refused.value)
    assert sentence.startswith(f"path: {path} ")
    assert sentence.count("\n") == 0
    assert len(sentence) < 700
    assert path.read_bytes() == (content if isinstance(content, bytes) else content.encode())
    return sentence


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is not a JSON file"),
        (b"\x89PNG\r\n\xff", "is not a JSON file"),
        ("{", "is not a JSON file"),
        ('{"schema": NaN}', "NaN is no number of JSON"),
        ("[1, 2]", "has no schema number"),
        ("{}", "has no schema number"),
        ("null", "has no schema number"),
        ('{"schema": 2}', "has schema 2, and this installation reads 1 only"),
        ('{"schema": "\\u001b[31m"}', "has schema"),
        ('{"schema": true}', "has schema True"),
        ('{"schema": 1}', "x is missing"),
        ("[" * 200_000, "nested too deep"),
        ('{"schema": 1, "x": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deep"),
        ('{"schema": 1, "x": ' + "9" * 5000 + "}", "is not a JSON file"),
        ('{"schema": 1, "x": [' + "9" * 4000 + "]}", "a number is too large"),
    ],
    ids=lambda part: part[:20] if isinstance(part, str) else "bytes",
)
def test_a_foreign_file_is_refused_in_one_sentence(tmp_path, content, words):
    assert words in refusal(tmp_path, content)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"fun": "high"}, "fun: expected a number, but it is 'high'"),
        ({"fun": True}, "fun: expected a number, but it is True"),
        ({"fun": None}, "fun: expected a number, but it is None"),
        ({"nfev": 1.5}, "nfev: expected int"),
        ({"success": 1}, "success: expected bool"),
        ({"message": ["\x1b]0;title\x07" * 1000]}, "message: expected str"),
        ({"x": "12"}, "x: expected a list"),
        ({"x": []}, "x or y has no coordinate"),
        ({"x": [[1.0]]}, "x: expected a number"),
        ({"y": [1.0, 2.0]}, "another length"),
        ({"history": [{"nfev": 1}]}, "history: x is missing"),
        ({"verification": 3}, "verification: expected an object"),
        ({"pairs": {"X": [[1.0, 2.0], [3.0]], "Y": [], "values": []}}, "pairs: X: its rows differ in length"),
        ({"pairs": {"X": [[1.0, 2.0]], "Y": [[1.0]], "values": []}}, "the shapes of X, Y and values do not fit"),
        ({"active": [{"y": [1.0, 2.0], "fun": 1.0, "weight": None, "row": None}]}, "y of a case has another length"),
        ({"nominal": {"x": [1.0], "fun": 1.0}}, "x of nominal has another length"),
        ({"origin": {}}, "origin: x_set is missing"),
    ],
    ids=lambda part: next(iter(part)) if isinstance(part, dict) else "",
)
def test_a_damaged_file_is_refused_and_the_sentence_says_where(tmp_path, saved, changes, words):
    assert words in refusal(tmp_path, text_of({**saved, **changes}))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@example(0.5, b"\x00")
@given(st.floats(0.0, 1.0), st.binary(max_size=3))
def test_a_file_with_bytes_changed_is_read_or_refused(tmp_path_factory, saved, place, junk):
    content = text_of(saved).encode()
    k = int(place * (len(content) - 1))
    path = tmp_path_factory.mktemp("damaged") / "result.json"
    path.write_bytes(content[:k] + junk + content[k + len(junk) + 1 :])
    with suppress(InvalidResult):
        assert type(load(path)) is MinimaxResult


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(1 << 31)  # sparse
    with pytest.raises(InvalidArgument, match="has more than 1,073,741,824 bytes"):
        load(path)
    monkeypatch.setattr(reckless.run.saving, "LARGEST_FILE", 100)
    with pytest.raises(InvalidArgument, match=r"^path: the result takes .* bytes, and `load` reads 100 at most"):
        solve(maxfev=10).save(tmp_path / "result.json")
    assert not (tmp_path / "result.json").exists()


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "nothing"])
def test_what_is_no_regular_file_is_not_loaded(tmp_path, kind):
    os.mkfifo(tmp_path / "pipe")
    path = {"pipe": tmp_path / "pipe", "device": "/dev/zero", "folder": tmp_path, "nothing": tmp_path / "no.json"}[kind]
    with pytest.raises(InvalidArgument, match=r"^path: .*(a named pipe|a device|a directory|No such file)"):
        load(path)


def test_a_device_is_written_to_and_stays_one(tmp_path):
    solve(maxfev=10).save("/dev/null")
    assert not os.path.isfile("/dev/null")
    with pytest.raises(InvalidArgument, match=r"^path: .* is a directory\. Name a file in it\.$"):
        solve(maxfev=10).save(tmp_path)
    with pytest.raises(InvalidArgument, match=r"^path: there is no directory"):
        solve(maxfev=10).save(tmp_path / "none" / "result.json")


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_name_is_refused_briefly(kind, saved):
    assert_is_refused_briefly(lambda: load(HOSTILE[kind]))
