"""Programs as f: the protocol, and what becomes of those that break it. Nothing may hang or be left running."""

import doctest
import gc
import json
import os
import pickle
import re
import signal
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reckless.evaluation.command
from garbage import LINES
from processes import is_running, wait_until
from reckless import InvalidArgument, minimax
from reckless.evaluation.command import (
    LONGEST_LINE,
    Breach,
    Command,
    CommandFailed,
    Complaint,
    read_answer,
    split_command,
)
from reckless.evaluation.process import MOST_QUOTED
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

X, Y = np.array([[1.5, -6.25], [2.0, -3.0], [3.75, -2.5]]), np.array([[2.5], [5.0], [8.875]])
VALUES = tilted_bowl(X.T, Y.T).tolist()

# Handles one request by `answer(pair, n)`, where n counts the requests, and notes its process in a file.
FRAME = """
import json, os, sys, time
{noting}
def value(pair):
    a, b, c = pair["x"][0] - 2.0, pair["x"][1] + 3.0, pair["y"][0] - 5.0
    return a ** 2 + b ** 2 + 0.5 * a * c - c ** 2
def meet(n):
    # until n processes have begun, so that none does the work of all
    while open(NOTES).read().count(chr(10)) < n:
        time.sleep(0.01)
def say(**answer):
    print(json.dumps(answer), flush=True)
def answer(pair, n):
    {body}
for n, line in enumerate(sys.stdin):
    answer(json.loads(line), n)
"""
HONEST = "say(id=pair['id'], value=value(pair))"


def values(f):
    return [f(x, y) for x, y in zip(X, Y, strict=True)]


@pytest.fixture
def program(tmp_path):
    """Make a Command of the body of `answer`; afterward no process may be left."""
    notes, commands = tmp_path / "processes", []

    def make(body):
        noting = f"NOTES = {str(notes)!r}; open(NOTES, 'a').write(f'{{os.getpid()}}\\n')"
        commands.append(Command([sys.executable, "-c", FRAME.format(noting=noting, body=body)]))
        return commands[-1]

    make.pids = lambda: [int(line) for line in notes.read_text().split()] if notes.exists() else []
    yield make
    for command in commands:
        command.close()
    for pid in make.pids():
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_program_is_started_by_the_first_call_and_kept_alive(program):
    f = program(HONEST)
    assert program.pids() == []
    assert values(f) == VALUES
    assert len(program.pids()) == 1


def test_a_program_is_an_ordinary_objective_of_minimax(program):
    found = minimax(program(HONEST), X_BOUNDS, Y_BOUNDS, maxfev=400, rng=7)
    expected = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=400, rng=7)
    assert found.fun == pytest.approx(expected.fun, rel=1e-9)
    assert found.nfev == 400
    assert len(program.pids()) == 1


def test_every_worker_has_a_program_of_its_own_and_the_result_is_the_same(program):
    serial = minimax(program(HONEST), X_BOUNDS, Y_BOUNDS, maxfev=60, method="reckless", rng=7)
    f = program(f"meet(1 + 2); time.sleep(0.001); {HONEST}")
    shared = minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=60, method="reckless", rng=7, workers=2)
    assert (shared.x.tolist(), shared.fun, shared.nfev) == (serial.x.tolist(), serial.fun, serial.nfev)
    assert len(program.pids()) == 1 + 2


def test_all_workers_take_part_in_measuring_a_worst_case(program):
    f = program(f"meet(4); time.sleep(0.001); {HONEST}")
    y_bounds = [*Y_BOUNDS, (1.0, 3.0)]  # its four vertices are asked for first, and together
    check = reckless.worst_case(f, [2.0, -3.0], y_bounds, maxfev=100, rng=1, workers=4)
    assert len(program.pids()) == 4
    assert check.fun == pytest.approx(0.0, abs=1e-2)


BREACHES = [
    ("print('Loading data', flush=True)", "it printed 'Loading data', which is not JSON. Print answers alone"),
    ("sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()", "which is not JSON"),
    ("print('[' * 200_000, flush=True)", "which is not JSON"),
    ("print(3.5, flush=True)", "it printed '3.5', which is no JSON object"),
    ("say(value=3.5)", 'without an "id"'),
    ("say(id=pair['id'] + 1, value=3.5)", "that id is unknown or was answered before"),
    ("say(id=str(pair['id']), value=3.5)", "that id is unknown"),
    ("say(id=True, value=3.5)", "that id is unknown"),
    ("say(id=pair['id'])", 'with neither "value" nor "error"'),
    ("say(id=pair['id'], value=float('nan'))", "the value is not finite"),
    ("say(id=pair['id'], value=-float('inf'))", "the value is not finite"),
    ("print('{\"id\":%d,\"value\":1e999}' % pair['id'], flush=True)", "the value is not finite"),
    ("say(id=pair['id'], value=10**400)", "the value is not finite"),
    ("say(id=pair['id'], value='high')", "the value is not a number"),
    ("say(id=pair['id'], value=None)", "the value is not a number"),
    ("say(id=pair['id'], value=True)", "the value is not a number"),
    ("say(id=pair['id'], value=[1.0])", "the value is not a number"),
    ("say(id=pair['id'], error='did not converge')", "it reported the error 'did not converge'"),
    ("sys.exit(3)", "it ended with exit code 3 without an answer"),
    ("sys.exit(0)", "it ended with exit code 0 without an answer"),
    ("os.abort()", "it was ended by signal 6 without an answer"),
    ("print('{\"id\":1', end='', flush=True); sys.exit(0)", "it ended within the answer"),
    ("sys.exit('the license has expired')", "The end of its standard error: the license has expired"),
    ("os.close(1); time.sleep(60)", "it closed its standard output without an answer"),
    (f"print('a' * {LONGEST_LINE + 5}, flush=True)", "it printed a line of more than 1,048,576 bytes"),
    ("print('a' * 5_000_000, end='', flush=True); time.sleep(60)", "it printed a line of more than 1,048,576 bytes"),
]


@pytest.mark.parametrize(("body", "words"), BREACHES, ids=[words[:40] for _, words in BREACHES])
def test_a_breach_raises_and_leaves_the_command_usable(program, body, words):
    f = program(f"{HONEST} if pair['x'][0] != 2.0 else [{body.replace('; ', ', ')}]")
    assert f(X[0], Y[0]) == VALUES[0]
    if "exit code 0" not in words:  # after an answer that is no failure
        with pytest.raises(CommandFailed) as caught:
            f(X[1], Y[1])
        assert "failed at x=[2.0, -3.0], y=[5.0]: it " in str(caught.value)
        assert words in str(caught.value)
    assert f(X[2], Y[2]) == VALUES[2]
    with pytest.raises(CommandFailed, match=re.escape(words)):
        program(body)(X[1], Y[1])


def test_an_answer_given_twice_is_a_breach_when_the_second_one_is_read(program):
    f = program(f"{HONEST}; {HONEST}")
    assert f(X[0], Y[0]) == VALUES[0]
    with pytest.raises(CommandFailed, match="was answered before"):
        f(X[1], Y[1])
    assert f(X[2], Y[2]) == VALUES[2]


def test_an_error_that_the_program_reports_does_not_end_it(program):
    f = program("say(id=pair['id'], error='no') if n == 1 else say(id=pair['id'], value=n)")
    assert f(X[0], Y[0]) == 0.0
    with pytest.raises(CommandFailed, match="it reported the error 'no'"):
        f(X[1], Y[1])
    assert f(X[2], Y[2]) == 2.0
    assert len(program.pids()) == 1


def test_a_program_that_ends_well_after_every_answer_is_started_anew(program):
    f = program(f"{HONEST}; sys.exit(0)")
    assert values(f) == VALUES
    assert len(program.pids()) == 3


def test_empty_lines_between_answers_are_overlooked(program):
    assert values(program(f"print(); {HONEST}; print()")) == VALUES


def test_a_flood_on_standard_error_does_not_block(program):
    f = program(f"sys.stderr.write('x' * 300_000); {HONEST}")
    assert values(f) == VALUES


def test_a_program_that_ignores_the_end_of_its_input_is_ended_by_force(tmp_path):
    deaf = Command([sys.executable, "-c", "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)"])
    with pytest.raises(CommandFailed, match="which is no JSON object") as caught:
        deaf(X[0], Y[0])
    deaf.close()
    pid = int(str(caught.value).split("it printed '")[1].split("'")[0])
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


STUCK = """
import os, subprocess, sys
child = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
with open({notes!r}, "a") as file:
    file.write(f"{{os.getpid()}} {{child.pid}}\\n")
child.wait()  # deaf to the end of its input
"""


def test_a_program_that_is_stuck_is_killed_with_its_worker_and_all_that_it_started(tmp_path):
    notes = tmp_path / "pids"
    f = Command([sys.executable, "-c", STUCK.format(notes=str(notes))])
    result = minimax(
        f, X_BOUNDS, Y_BOUNDS, maxfev=2, method="random-search", rng=7, workers=1, eval_timeout=1.0, on_error="ignore"
    )
    assert result.n_failed == 2
    assert "eval_timeout=1.0" in result.first_failure.summary
    pids = [int(pid) for pid in notes.read_text().split()]
    assert len(pids) == 4
    wait_until(lambda: not any(is_running(pid) for pid in pids))


@pytest.mark.parametrize("victim", ["main", "worker"])
def test_a_program_that_is_stuck_ends_with_a_run_that_is_killed(tmp_path, victim):
    notes = tmp_path / "pids"
    code = (
        "import reckless, sys\n"
        f"f = reckless.Command([sys.executable, '-c', {STUCK.format(notes=str(notes))!r}])\n"
        "reckless.minimax(f, [(1, 2)], [(3, 4)], maxfev=1, method='random-search', workers=1, on_error='ignore')\n"
    )
    main = subprocess.Popen([sys.executable, "-c", code])
    try:
        wait_until(lambda: notes.exists() and len(notes.read_text().split()) == 2)
        pids = [int(pid) for pid in notes.read_text().split()]
        if victim == "worker":
            os.kill(os.getsid(pids[0]), signal.SIGKILL)
            wait_until(lambda: not any(is_running(pid) for pid in pids))
    finally:
        main.kill()
        main.wait()
    wait_until(lambda: not any(is_running(int(pid)) for pid in notes.read_text().split()))


def test_a_command_closed_here_ends_what_its_program_started(tmp_path):
    notes = tmp_path / "pids"
    f = Command([sys.executable, "-c", f"{STUCK.format(notes=str(notes))}".replace("child.wait()", "print(1)")])
    with pytest.raises(CommandFailed, match="no JSON object"):
        f(X[0], Y[0])
    wait_until(lambda: not any(is_running(int(pid)) for pid in notes.read_text().split()))


def test_ctrl_c_ends_the_wait_for_a_silent_program_and_the_run_ends_well(program):
    f = program(f"{HONEST} if n < 30 else [os.kill({os.getpid()}, 2), time.sleep(60)]")
    result = minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=100, method="reckless", rng=7)
    assert (result.nfev, result.n_failed, result.success) == (30, 0, False)
    assert len(program.pids()) == 1


def test_the_programs_end_when_the_command_is_forgotten(program):
    f = Command([sys.executable, "-c", FRAME.format(noting="", body="say(id=pair['id'], value=os.getpid())")])
    pid = int(f(X[0], Y[0]))
    del f
    gc.collect()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_the_programs_end_with_the_interpreter():
    program = FRAME.format(noting="", body="say(id=pair['id'], value=os.getpid())")
    code = (
        "import sys; from reckless.evaluation.command import Command\n"
        f"f = Command([sys.executable, '-c', {program!r}])\n"
        "print(int(f([1.0], [2.0])))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)


def test_a_copy_for_another_process_has_a_program_of_its_own(program):
    f = program(HONEST)
    assert values(f) == VALUES
    with pickle.loads(pickle.dumps(f)) as copy:
        assert repr(copy) == repr(f)
        assert values(copy) == VALUES
    assert len(program.pids()) == 2


def test_no_shell_reads_the_words(tmp_path):
    trap = tmp_path / "trap"
    show = "import json, sys\nfor line in sys.stdin: print(json.dumps({'id': 1, 'error': sys.argv[1]}), flush=True)"
    argv = [sys.executable, "-c", show, f"; touch {trap} $(touch {trap})"]
    with Command(argv) as f, pytest.raises(CommandFailed, match="touch"):
        f(X[0], Y[0])
    assert not trap.exists()
    assert split_command("./simulate --name 'two words' ; rm $HOME") == [
        "./simulate", "--name", "two words", ";", "rm", "$HOME",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ("./simulate --fast", r"^argv: expected a list .* Did you mean \['./simulate', '--fast'\]"),
        ([], "^argv: expected a list"),
        ([3], "^argv: expected a list"),
        (["a\0b"], "^argv: expected a list"),
        (["no-such-simulator"], "^argv: there is no program 'no-such-simulator'"),
        ([__file__], "^argv: there is no program .* Try chmod"),
    ],
)
def test_what_is_no_command_is_refused_before_anything_is_started(argv, words):
    with pytest.raises(InvalidArgument, match=words):
        Command(argv)


def test_what_is_no_program_is_named(tmp_path):
    path = tmp_path / "simulate"
    path.write_text("neither a script nor a binary")
    path.chmod(0o755)
    with pytest.raises(InvalidArgument, match="cannot be started .*Does a script begin with"):
        Command([str(path)])(X[0], Y[0])


@pytest.mark.parametrize(("x", "y"), [([[1.0]], [[1.0], [2.0]]), ([1.0], [[1.0]]), (1.0, 2.0)])
def test_rows_are_refused(x, y):
    with pytest.raises(InvalidArgument, match="^x, y: a Command takes one pair .* Leave vectorized=False"):
        Command([sys.executable])(x, y)


@pytest.mark.parametrize("line", ["", "   ", "'open"])
def test_a_command_line_without_words_is_refused(line):
    with pytest.raises(InvalidArgument, match="^--command: "):
        split_command(line)


def test_the_example_in_the_docstring_is_true():
    assert doctest.testmod(reckless.evaluation.command) == (0, 5)


PARROT = """
import sys
for k, line in enumerate(sys.stdin):
    sys.stdout.buffer.write(bytes.fromhex(sys.argv[1 + k % (len(sys.argv) - 1)]))
    sys.stdout.flush()
"""


@settings(max_examples=15)
@given(lines=st.lists(LINES, min_size=1, max_size=3))
def test_a_program_that_prints_anything_ends_in_a_value_or_an_error(lines):
    words = [(line + b'\n{"id":-1}\n').hex() for line in lines]  # an empty line alone would be waited on
    with Command([sys.executable, "-c", PARROT, *words]) as f:
        for x, y in zip(X, Y, strict=True):
            with suppress(CommandFailed):
                assert np.isfinite(f(x, y))


def test_the_words_of_a_program_are_kept_with_the_first_failure(tmp_path):
    program = tmp_path / "refuses.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    answer = {'error': 'no mesh'} if asked['x'][0] > 2.0 else {'value': asked['x'][0] - asked['y'][0]}\n"
        "    print(json.dumps({'id': asked['id'], **answer}), flush=True)\n"
    )
    with Command([sys.executable, str(program)]) as f:
        result = reckless.minimax(f, [(1.0, 4.0)], [(2.0, 9.0)], maxfev=60, method="reckless", rng=7, on_error="ignore")
    assert result.n_failed > 0
    assert "no mesh" in result.first_failure.summary
    with Command([sys.executable, str(program)]) as f:
        result = reckless.minimax(f, [(3.0, 4.0)], [(2.0, 9.0)], maxfev=60, method="reckless", rng=7, on_error="ignore")
    assert not result.success
    assert "no mesh" in result.message


ANY_LINE = LINES | st.binary(max_size=50) | st.floats().map(lambda value: b'{"id":7,"value":%a}' % value)


@settings(max_examples=500)
@given(lines=st.lists(ANY_LINE, min_size=20, max_size=20))
def test_whatever_a_program_prints_is_a_finite_value_or_a_complaint(lines):
    """10,000 lines in all."""
    for line in lines:
        words = ""
        try:
            value = read_answer(line, 7)
        except Complaint as complaint:
            value, words = np.nan, str(complaint)
        assert np.isfinite(value) != bool(words)
        assert len(words) < 4 * MOST_QUOTED + 300


@given(value=st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53))
def test_a_finite_number_is_read_exactly(value):
    line = json.dumps({"id": 7, "value": value, "seconds": 3}).encode()
    assert read_answer(line, 7) == value
    with pytest.raises(Breach, match="the request was number 8"):
        read_answer(line, 8)


ECHO = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "error": line.strip()}), flush=True)
"""


def test_a_request_is_one_line_with_all_digits():
    with Command([sys.executable, "-c", ECHO]) as f, pytest.raises(CommandFailed) as caught:
        f([0.1, -1e300], [1 / 3])
    assert '{"id":1,"x":[0.1,-1e+300],"y":[0.3333333333333333]}' in str(caught.value)
