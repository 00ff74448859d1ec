"""Models that others serve: the own server of UM-Bridge, and servers that answer wrongly. All is on loopback."""

import json
import pickle
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import reckless.cli
from processes import wait_until
from reckless import HTTPModel, InvalidArgument, ModelFailed, minimax, worst_case
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

X, Y = [1.5, -6.25], [2.5]
OPTIONS = {"maxfev": 40, "method": "reckless", "rng": 7}

# Serves the bowl in several shapes. The package listens on all addresses: here on loopback, at a free port.
SERVER = """
import socket, sys
import umbridge

class Bowl(umbridge.Model):
    def __init__(self, name, inputs, outputs=(1,)):
        super().__init__(name)
        self.inputs, self.outputs = list(inputs), list(outputs)
    def get_input_sizes(self, config):
        return self.inputs
    def get_output_sizes(self, config):
        return self.outputs
    def supports_evaluate(self):
        return self.name != "locked"
    def __call__(self, parameters, config):
        (x0, x1, y0) = [value for vector in parameters for value in vector]
        if config.get("broken"):
            raise ValueError("no mesh")
        a, b, c = x0 - 2.0, x1 + 3.0, y0 - 5.0
        value = a ** 2 + b ** 2 + 0.5 * a * c - c ** 2 + config.get("offset", 0.0)
        return [[value] * size for size in self.outputs]

listening = socket.create_server(("127.0.0.1", 0))
run_app = umbridge.um.web.run_app
umbridge.um.web.run_app = lambda app, port: run_app(app, sock=listening, print=None)
with open(sys.argv[1], "w") as file:
    file.write(f"{listening.getsockname()[1]}\\n")
umbridge.serve_models([
    Bowl("two", [2, 1]), Bowl("one", [3]), Bowl("three", [1, 1, 1]), Bowl("field", [2, 1], [1, 4]),
    Bowl("locked", [2, 1]),
])
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The URL of the server of the `umbridge` package, in a process of its own."""
    pytest.importorskip("umbridge", reason="umbridge is not installed: pip install 'reckless[test]'")
    file = tmp_path_factory.mktemp("server") / "port"
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(file)], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: process.poll() is not None or (file.exists() and file.read_text().endswith("\n")))
        assert process.poll() is None
        yield f"http://127.0.0.1:{int(file.read_text())}"
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("name", ["two", "one"])
def test_a_model_with_two_inputs_is_given_x_and_y_and_one_with_one_input_both_together(server, name):
    f = HTTPModel(server, name)
    assert f(X, Y) == tilted_bowl(X, Y)
    assert f([0.1, -1e-300], [1 / 3]) == tilted_bowl([0.1, -1e-300], [1 / 3])


def test_a_served_model_is_an_ordinary_objective_of_minimax(server):
    expected = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, **OPTIONS)
    for workers in (None, 2):
        found = minimax(HTTPModel(server, "two"), X_BOUNDS, Y_BOUNDS, workers=workers, **OPTIONS)
        assert (found.x.tolist(), found.fun, found.nfev) == (expected.x.tolist(), expected.fun, expected.nfev)
    check = worst_case(HTTPModel(f"{server}/", "one"), [2.0, -3.0], Y_BOUNDS, maxfev=60, rng=1)
    assert check.fun == pytest.approx(0.0, abs=1e-2)


def test_a_model_is_told_its_config_and_a_copy_for_another_process_tells_it_too(server):
    config = {"offset": 10.0, "mesh": [1, 2]}
    f = HTTPModel(server, "two", config)
    config["offset"] = 99.0
    copy = pickle.loads(pickle.dumps(f))
    assert f(X, Y) == copy(X, Y) == tilted_bowl(X, Y) + 10.0
    assert repr(copy) == repr(f) == f"HTTPModel({server!r}, 'two', {{'offset': 10.0, 'mesh': [1, 2]}})"


@pytest.mark.parametrize(
    ("name", "x", "y", "sentence"),
    [
        ("three", X, Y, r"sizes \[1, 1, 1\], but x has 2 and y has 1 coordinates, which fit sizes \[2, 1\] or \[3\]"),
        ("two", [*X, 1.5], Y, r"takes input vectors of sizes \[2, 1\], but x has 3 and y has 1"),
        ("one", X, [2.5, 3.5], r"takes input vectors of sizes \[3\], but x has 2 and y has 2"),
        ("field", X, Y, r"'field' has output vectors of sizes '\[1, 4\]', but f is one number, sizes \[1\]"),
    ],
)
def test_a_model_of_other_sizes_is_refused_in_a_sentence(server, name, x, y, sentence):
    with pytest.raises(InvalidArgument, match=f"^name: the model .*{sentence}"):
        HTTPModel(server, name)(x, y)


@pytest.mark.parametrize(
    ("name", "config", "sentence"),
    [
        ("absent", None, "reported 'ModelNotFound' to /OutputSizes: .*'two', 'one', 'three'"),
        ("locked", None, "reported 'UnsupportedFeature' to /Evaluate: 'Evaluate not supported by model!'"),
        ("two", {"broken": True}, "answered /Evaluate with status 500: '500 Internal Server Error"),
    ],
)
def test_what_the_server_reports_is_a_failure_with_its_words(server, name, config, sentence):
    with pytest.raises(ModelFailed, match=f"^model: '{name}' at http://127.0.0.1:.* {sentence}"):
        HTTPModel(server, name, config)(X, Y)


def test_a_model_in_a_file_can_be_solved_from_the_command_line(server, tmp_path, monkeypatch, capsys):
    (tmp_path / "model.py").write_text(f"import reckless\nf = reckless.HTTPModel({server!r}, 'two')\n")
    monkeypatch.setattr(sys, "argv", ["reckless", "solve", str(tmp_path / "model.py:f"), *BOXES, "--json"])
    with pytest.raises(SystemExit) as ended:
        reckless.cli.main()
    assert not ended.value.code
    found, expected = json.loads(capsys.readouterr().out), minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, **OPTIONS)
    assert (found["x"], found["nfev"]) == (expected.x.tolist(), 40)


BOXES = ["--x", "1:4", "--x", "-7:-2", "--y", "2:9", "--maxfev", "40", "--method", "reckless", "--rng", "7"]
GOOD = {"/InputSizes": {"inputSizes": [2, 1]}, "/OutputSizes": {"outputSizes": [1]}, "/Evaluate": {"output": [[3.5]]}}


@contextmanager
def serving(answers, path=""):
    """Serve these answers, dicts or (status, text), to POST requests; yield the URL and the list of what was asked."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append((self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
            answer = answers[self.path.removeprefix(path)]
            answer = answer() if callable(answer) else answer
            status, text = answer if isinstance(answer, tuple) else (200, json.dumps(answer))
            self.send_response(status)
            self.send_header("Location", "ftp://127.0.0.1/Evaluate")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *words):
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request, client_address):
            """Be silent about a client that has gone."""

    with Server(("127.0.0.1", 0), Handler) as here:
        thread = threading.Thread(target=here.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{here.server_address[1]}{path}", asked
        finally:
            here.shutdown()
            thread.join()


def test_the_sizes_are_asked_for_once_and_nothing_but_the_protocol_is_sent():
    with serving(GOOD, "/models/a") as (url, asked):
        f = HTTPModel(url, "bowl", {"mesh": 3})
        assert asked == []
        assert [f(X, Y), f([2.5, -3.0], [0.1])] == [3.5, 3.5]
    question = {"name": "bowl", "config": {"mesh": 3}}
    assert sorted(path for path, _ in asked[:2]) == ["/models/a/InputSizes", "/models/a/OutputSizes"]
    assert [told for _, told in asked[:2]] == [question, question]
    assert asked[2:] == [
        ("/models/a/Evaluate", {**question, "input": [X, Y]}),
        ("/models/a/Evaluate", {**question, "input": [[2.5, -3.0], [0.1]]}),
    ]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ((500, "out of memory"), "answered /Evaluate with status 500: 'out of memory'"),
        ((503, ""), "answered /Evaluate with status 503: ''"),
        ((302, ""), "answered /Evaluate with status 302"),
        ((308, ""), "answered /Evaluate with status 308"),
        ((200, "<html>"), "answered '<html>' to /Evaluate, which is not a JSON object"),
        ((200, "{" * 100_000), "which is not a JSON object"),
        ((200, '{"output": [[nan]]}'), "which is not a JSON object"),
        ((200, '{"output": [[3.5]]}' + " " * (1 << 20)), "which is not a JSON object"),
        ((200, "[[3.5]]"), "which is not a JSON object"),
        ((400, '{"error": {"type": "InvalidInput", "message": "x\\n1"}}'), "reported 'InvalidInput' to /Evaluate: "),
        ({"error": {"type": "InvalidOutput"}}, "reported 'InvalidOutput' to /Evaluate: None"),
        ({"result": [[3.5]]}, "to /Evaluate, without 'output'"),
        ({"output": [[float("nan")]]}, "which is not one finite number"),
        ({"output": [[float("inf")]]}, "which is not one finite number"),
        ({"output": [[1.0, 2.0]]}, "which is not one finite number"),
        ({"output": [[1.0], [2.0]]}, "which is not one finite number"),
        ({"output": [3.5]}, "which is not one finite number"),
        ({"output": 3.5}, "which is not one finite number"),
        ({"output": []}, "which is not one finite number"),
        ({"output": [["3.5"]]}, "which is not one finite number"),
        ({"output": [[True]]}, "which is not one finite number"),
        ({"output": [[None]]}, "which is not one finite number"),
        ({"output": [[10**400]]}, "which is not one finite number"),
    ],
)
def test_an_answer_without_a_value_is_a_failure_and_leaves_the_model_usable(answer, sentence):
    answers = dict(GOOD)
    with serving(answers) as (url, _):
        f = HTTPModel(url, "bowl")
        answers["/Evaluate"] = answer
        with pytest.raises(ModelFailed) as caught:
            f(X, Y)
        assert str(caught.value).startswith(f"model: 'bowl' at {url} ")
        assert sentence in str(caught.value)
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 500
        answers["/Evaluate"] = {"output": [[4]]}
        assert f(X, Y) == 4.0


@pytest.mark.parametrize("sizes", [None, [], 3, [2, "1"], [2.0, 1.0], [[2], [1]], [True]])
def test_sizes_that_are_none_are_a_failure(sizes):
    with (
        serving({**GOOD, "/InputSizes": {"inputSizes": sizes}}) as (url, _),
        pytest.raises(ModelFailed, match="says that its input vectors have sizes"),
    ):
        HTTPModel(url, "bowl")(X, Y)


def test_a_server_that_is_not_there_is_a_failure_that_retries_overcome():
    with serving(GOOD) as (url, _):
        pass
    with pytest.raises(ModelFailed, match=r"gave no answer to /OutputSizes \(ConnectionRefusedError"):
        HTTPModel(url, "bowl")(X, Y)
    states = iter([(503, "busy"), *[{"output": [[3.5]]}] * 20])
    with serving({**GOOD, "/Evaluate": lambda: next(states)}) as (url, _):
        found = minimax(HTTPModel(url, "bowl"), X_BOUNDS, Y_BOUNDS, maxfev=9, method="random-search", rng=7, retries=1)
    assert (found.nfev, found.n_failed, found.fun) == (9, 1, 3.5)
    assert "with status 503: 'busy'" in found.first_failure.summary


def test_a_server_that_is_silent_is_left_after_eval_timeout():
    is_over = threading.Event()

    def wait():
        is_over.wait(60.0)
        return {"output": [[3.5]]}

    with serving({**GOOD, "/Evaluate": wait}) as (url, asked):
        try:
            options = {"maxfev": 2, "method": "random-search", "rng": 7, "workers": 1, "eval_timeout": 1.0}
            found = minimax(HTTPModel(url, "bowl"), X_BOUNDS, Y_BOUNDS, on_error="ignore", **options)
        finally:
            is_over.set()
    assert found.n_failed == 2
    assert "eval_timeout=1.0" in found.first_failure.summary
    assert [path for path, _ in asked].count("/Evaluate") == 2


@pytest.mark.parametrize(
    "url",
    [
        "localhost:4242",
        "ftp://localhost/model",
        "file:///etc/hosts",
        "http://",
        "http://:4242",
        "http://user:word@localhost",
        "http://localhost:port",
        "http://localhost:70000",
        "http://localhost:0",
        "http://localhost/a?b=c",
        "http://localhost/#a",
        "http://localhost/a b",
        "http://localhost/a\r\nHost: b",
        "http://localhost/\u00e4",
        "",
        b"http://localhost",
        None,
        4242,
    ],
)
def test_what_is_no_url_of_a_server_is_refused(url):
    with pytest.raises(InvalidArgument, match="^url: expected http:// or https://, a host.*, but got "):
        HTTPModel(url, "bowl")


def test_a_name_and_a_config_are_checked_before_anything_is_sent():
    for name in ("", None, 3):
        with pytest.raises(InvalidArgument, match="^name: expected the name of a model"):
            HTTPModel("http://localhost", name)
    for config in ([], "mesh", {"mesh": object()}, {"mesh": float("nan")}, {(1, 2): 3}):
        with pytest.raises(InvalidArgument, match="^config: expected a dict that JSON can express"):
            HTTPModel("https://localhost:4242/models", "bowl", config)


@pytest.mark.parametrize(("x", "y"), [([[1.0]], [[1.0], [2.0]]), ([1.0], [[1.0]]), (1.0, 2.0)])
def test_rows_are_refused(x, y):
    with pytest.raises(InvalidArgument, match="^x, y: an HTTPModel takes one pair .* Leave vectorized=False"):
        HTTPModel("http://localhost", "bowl")(x, y)
