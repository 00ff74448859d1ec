"""Programs as f: the protocol, and what becomes of those that break it. Nothing may hang or be left running."""

import doctest
import gc
import os
import pickle
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reckless.evaluation.command
from garbage import LINES
from reckless import InvalidArgument, minimax
from reckless.evaluation.command import Command, CommandFailed, split_command
from reckless.evaluation.program import LONGEST_LINE
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
def say(**answer):
    print(json.dumps(answer), flush=True)
def answer(pair, n):
    {body}
for n, line in enumerate(sys.stdin):
    answer(json.loads(line), n)
"""
HONEST = "say(id=pair['id'], value=value(pair))"


@pytest.fixture
def program(tmp_path):
    """Make a Command of the body of `answer`; afterward no process may be left."""
    notes, commands = tmp_path / "processes", []

    def make(body, **options):
        noting = f"open({str(notes)!r}, 'a').write(f'{{os.getpid()}}\\n')"
        commands.append(Command([sys.executable, "-c", FRAME.format(noting=noting, body=body)], **options))
        return commands[-1]

    make.pids = lambda: [int(line) for line in notes.read_text().split()] if notes.exists() else []
    yield make
    for command in commands:
        command.close()
    for pid in make.pids():
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_the_values_come_in_the_order_of_the_rows_for_any_number_of_workers(program, workers):
    slow_first = f"time.sleep(0.05 if pair['x'][0] == 1.5 else 0.0); {HONEST}"
    f = program(slow_first, workers=workers)
    assert f(X, Y).tolist() == VALUES
    assert f(X[1:], Y[1:]).tolist() == VALUES[1:]
    assert len(program.pids()) <= min(workers, 3)


def test_all_copies_of_a_program_take_part_in_measuring_a_worst_case(program):
    f = program(HONEST, workers=4)
    check = reckless.worst_case(f, [2.0, -3.0], Y_BOUNDS, maxfev=100, rng=1)
    assert len(program.pids()) == 4
    assert check.fun == pytest.approx(0.0, abs=1e-2)


def test_a_program_is_started_once_and_kept_alive(program):
    f = program(HONEST)
    assert [f(x, y) for x, y in zip(X, Y, strict=True)] == VALUES
    assert len(program.pids()) == 1


def test_a_program_is_an_objective_of_minimax(program):
    f = program(HONEST, workers=2)
    found = minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=400, rng=7)
    expected = minimax(lambda X, Y: tilted_bowl(X.T, Y.T), X_BOUNDS, Y_BOUNDS, maxfev=400, rng=7, vectorized=True)
    assert found.fun == pytest.approx(expected.fun, rel=1e-9)
    assert found.nfev == 400


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
    ("time.sleep(60)", "it gave no answer within timeout=1.5 seconds"),
    ("print(flush=True); time.sleep(60)", "it gave no answer within timeout=1.5 seconds"),
]


@pytest.mark.parametrize(("body", "words"), BREACHES, ids=[words[:40] for _, words in BREACHES])
def test_a_breach_is_an_error_or_a_failure_as_the_caller_chose(program, body, words):
    timeout = 1.5 if "timeout" in words else 60
    strict = program(body, timeout=timeout)
    with pytest.raises(CommandFailed) as caught:
        strict(X[:1], Y[:1])
    assert "failed at x=[1.5, -6.25], y=[2.5]: it " in str(caught.value)
    assert words in str(caught.value)
    once = program(
        f"{HONEST} if pair['x'][0] != 2.0 else [{body.replace('; ', ', ')}]", timeout=timeout, on_error="count"
    )
    done = once.outcome(X, Y)
    assert np.isnan(done.values).tolist() == [False, True, False]
    assert done.values[[0, 2]].tolist() == [VALUES[0], VALUES[2]]
    assert list(done.reasons) == [1]
    assert words in done.reasons[1].text


def test_an_answer_given_twice_is_a_breach_when_the_second_one_is_read(program):
    f = program(f"{HONEST}; {HONEST}", on_error="count")
    done = f.outcome(X, Y)
    assert np.isnan(done.values).tolist() == [False, True, False]
    assert "was answered before" in done.reasons[1].text


def test_an_error_that_the_program_reports_does_not_end_it(program):
    f = program("say(id=pair['id'], error='no') if n == 1 else say(id=pair['id'], value=n)", on_error="count")
    np.testing.assert_array_equal(f(X, Y), [0.0, np.nan, 2.0])
    assert len(program.pids()) == 1


def test_a_program_that_ends_well_after_every_answer_is_started_anew(program):
    f = program(f"{HONEST}; sys.exit(0)", workers=2)
    assert f(X, Y).tolist() == VALUES
    assert f(X, Y).tolist() == VALUES
    assert len(program.pids()) == 6


def test_a_program_that_fails_leaves_the_others_and_the_command_usable(program):
    f = program(f"{HONEST} if pair['x'][0] != 2.0 else sys.exit(1)", workers=3)
    with pytest.raises(CommandFailed):
        f(X, Y)
    assert f(X[[0, 2]], Y[[0, 2]]).tolist() == [VALUES[0], VALUES[2]]


def test_empty_lines_between_answers_are_overlooked(program):
    assert program(f"print(); {HONEST}; print()")(X, Y).tolist() == VALUES


def test_a_flood_on_standard_error_does_not_block(program):
    f = program(f"sys.stderr.write('x' * 300_000); {HONEST}")
    assert f(X, Y).tolist() == VALUES


def test_a_program_that_ignores_the_end_of_its_input_is_ended_by_force(tmp_path):
    deaf = Command([sys.executable, "-c", "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)"])
    with pytest.raises(CommandFailed, match="which is no JSON object") as caught:
        deaf(X[0], Y[0])
    deaf.close()
    pid = int(str(caught.value).split("it printed '")[1].split("'")[0])
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_what_a_program_started_ends_with_it(tmp_path):
    script = f"sleep 600 & echo $! > {tmp_path}/child; wait"
    f = Command(["bash", "-c", script], timeout=1.0, on_error="count")
    assert np.isnan(f(X[0], Y[0]))
    f.close()
    child = int((tmp_path / "child").read_text())
    for _ in range(100):  # it is not our child, so another process takes notice of its end
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    pytest.fail("the child is still there")


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


def test_a_copy_for_another_process_has_programs_of_its_own(program):
    f = program(HONEST, workers=2, on_error="count")
    assert f(X, Y).tolist() == VALUES
    with pickle.loads(pickle.dumps(f)) as copy:
        assert repr(copy) == repr(f)
        assert copy(X, Y).tolist() == VALUES


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
    ("arguments", "words"),
    [
        ({"argv": "./simulate --fast"}, r"^argv: expected a list .* Did you mean \['./simulate', '--fast'\]"),
        ({"argv": []}, "^argv: expected a list"),
        ({"argv": [3]}, "^argv: expected a list"),
        ({"argv": ["a\0b"]}, "^argv: expected a list"),
        ({"argv": ["no-such-simulator"]}, "^argv: there is no program 'no-such-simulator'"),
        ({"argv": [__file__]}, "^argv: there is no program .* Try chmod"),
        ({"workers": 0}, "^workers: expected a whole number of at least 1"),
        ({"timeout": 0}, "^timeout: expected a number of seconds above 0, or None, but got 0"),
        ({"timeout": float("inf")}, "^timeout: "),
        ({"timeout": "5"}, "^timeout: "),
        ({"on_error": "ignore"}, "^on_error: expected 'raise' or 'count', but got 'ignore'"),
    ],
)
def test_bad_arguments_are_refused_before_anything_is_started(arguments, words):
    with pytest.raises(InvalidArgument, match=words):
        Command(**({"argv": [sys.executable]} | arguments))


def test_what_is_no_program_is_named(tmp_path):
    path = tmp_path / "simulate"
    path.write_text("neither a script nor a binary")
    path.chmod(0o755)
    with pytest.raises(InvalidArgument, match="cannot be started .*Does a script begin with"):
        Command([str(path)])(X, Y)


@pytest.mark.parametrize(("x", "y"), [([[1.0]], [[1.0], [2.0]]), ([1.0], [[1.0]]), (1.0, 2.0)])
def test_rows_that_do_not_match_are_refused(x, y):
    with pytest.raises(InvalidArgument, match="^X, Y: expected rows"):
        Command([sys.executable])(x, y)


@pytest.mark.parametrize("line", ["", "   ", "'open"])
def test_a_command_line_without_words_is_refused(line):
    with pytest.raises(InvalidArgument, match="^--command: "):
        split_command(line)


def test_the_example_in_the_docstring_is_true():
    assert doctest.testmod(reckless.evaluation.command) == (0, 3)


PARROT = """
import sys
for k, line in enumerate(sys.stdin):
    sys.stdout.buffer.write(bytes.fromhex(sys.argv[1 + k % (len(sys.argv) - 1)]))
    sys.stdout.flush()
"""


@settings(max_examples=15)
@given(lines=st.lists(LINES, min_size=1, max_size=3), ends=st.booleans(), workers=st.integers(1, 2))
def test_a_program_that_prints_anything_ends_in_a_result_and_not_in_a_hang(lines, ends, workers):
    words = [(line + b"\n" * ends).hex() for line in lines]
    with Command([sys.executable, "-c", PARROT, *words], workers=workers, timeout=0.2, on_error="count") as f:
        done = f.outcome(X[:2], Y[:2])
        assert np.flatnonzero(np.isnan(done.values)).tolist() == sorted(done.reasons)
    assert f._idle == f._killed == []


def test_the_words_of_a_program_are_kept_with_the_first_failure(tmp_path):
    program = tmp_path / "refuses.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    answer = {'error': 'no mesh'} if asked['x'][0] > 2.0 else {'value': asked['x'][0] - asked['y'][0]}\n"
        "    print(json.dumps({'id': asked['id'], **answer}), flush=True)\n"
    )
    with Command([sys.executable, str(program)], on_error="count") as f:
        result = reckless.minimax(f, [(1.0, 4.0)], [(2.0, 9.0)], maxfev=60, method="reckless", rng=7)
    assert result.n_failed > 0
    assert "no mesh" in result.first_failure.summary
    with Command([sys.executable, str(program)], on_error="count") as f:
        result = reckless.minimax(f, [(3.0, 4.0)], [(2.0, 9.0)], maxfev=60, method="reckless", rng=7)
    assert not result.success
    assert "no mesh" in result.message
