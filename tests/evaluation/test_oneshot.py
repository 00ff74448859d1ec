"""Programs that are started for each pair: their arguments, what counts as their value, and what is left of them."""

import os
import pickle
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import reckless.evaluation.process
from processes import is_running, wait_until
from reckless import Command, CommandFailed, InvalidArgument, minimax, worst_case
from reckless.evaluation.oneshot import MOST_READ, Template, last_number
from reckless.evaluation.process import Complaint
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

PYTHON = [sys.executable, "-I", "-S", "-c"]
BOWL = (
    "import sys; a, b, c = map(float, sys.argv[1:]); a, b, c = a - 2.0, b + 3.0, c - 5.0\n"
    "print('3 iterations'); print('cost =', a ** 2 + b ** 2 + 0.5 * a * c - c ** 2)"
)
X, Y = [1.5, -6.25], [2.5]


def doing(code, *words):
    """A Command that runs some Python, which finds the values as its arguments."""
    return Command([*PYTHON, code.replace("{", "{{").replace("}", "}}"), *(words or ("{x}", "{y}"))], per_call=True)


def test_the_values_are_arguments_and_the_last_number_printed_is_the_value():
    f = doing(BOWL, "{x[0]}", "{x[1]}", "{y[0]}")
    assert f(X, Y) == tilted_bowl(X, Y)
    assert f([2.0, -3.0], [5.0]) == 0.0


def test_a_program_started_for_each_pair_is_an_ordinary_objective_of_minimax():
    options = {"maxfev": 40, "method": "reckless", "rng": 7}
    expected = minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, **options)
    alone = minimax(doing(BOWL), X_BOUNDS, Y_BOUNDS, **options)
    shared = minimax(doing(BOWL), X_BOUNDS, Y_BOUNDS, workers=2, **options)
    with ThreadPoolExecutor(2) as threads:
        threaded = minimax(doing(BOWL), X_BOUNDS, Y_BOUNDS, workers=threads, **options)
    for found in (alone, shared, threaded):
        assert (found.x.tolist(), found.fun, found.nfev) == (expected.x.tolist(), expected.fun, expected.nfev)
    check = worst_case(doing(BOWL), [2.0, -3.0], Y_BOUNDS, maxfev=60, rng=1)
    assert check.fun == pytest.approx(0.0, abs=1e-2)


@pytest.mark.parametrize(
    ("words", "filled"),
    [
        (["{x[1]}", "{y[0]}"], ["0.1", "-1e+300"]),
        (["{x}", "{y}"], ["1.0", "0.1", "-1e+300"]),
        (["--at={x[0]},{x[1]}", "{y[0]}{y[0]}"], ["--at=1.0,0.1", "-1e+300-1e+300"]),
        (["{{print {x[0]}}}", "{y}", "$HOME; {x[0]}"], ["{print 1.0}", "-1e+300", "$HOME; 1.0"]),
    ],
)
def test_places_are_filled_with_all_digits_and_braces_can_be_written_twice(words, filled):
    assert Template(["./{x[0]}", *words]).filled([1.0, 0.1], [-1e300]) == ["./{x[0]}", *filled]


@given(x=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=4))
def test_a_program_reads_the_same_doubles_back(x):
    assert [float(word) for word in Template(["p", "{x}", "{y[0]}"]).filled(x, [2.5])[1:]] == [*x, 2.5]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["{z[0]}", "{x}", "{y}"], r"^argv: '\{z\[0\]\}' in '\{z\[0\]\}' is no value of x or y\. .* write \{\{"),
        (["{x[-1]}", "{y}"], "is no value of x or y"),
        (["{x[a]}", "{y}"], "is no value of x or y"),
        (["{x[0]:.3f}", "{y}"], "is no value of x or y"),
        (["{}", "{x}", "{y}"], "is no value of x or y"),
        (["{x[0]", "{y}"], "is no value of x or y"),
        (["x[0]}", "{y}"], "is no value of x or y"),
        (["--at={x}", "{y}"], r"^argv: \{x\} stands for several arguments, so it must be a word of its own"),
        (["{x}{x}", "{y}"], "must be a word of its own"),
        (["{x[0]}"], r"^argv: with per_call=True .* is a value of y\. For example '\{y\[0\]\}'"),
        (["{y[0]}"], r"is a value of x\. For example '\{x\[0\]\}'"),
        ([], "is a value of x"),
    ],
)
def test_a_mistake_in_the_places_is_refused_when_the_command_is_made(words, sentence):
    with pytest.raises(InvalidArgument, match=sentence):
        Command([sys.executable, *words], per_call=True)


def test_a_coordinate_that_does_not_exist_is_refused_by_the_first_call():
    with pytest.raises(InvalidArgument, match=r"^argv: \{x\[2\]\} is beyond the last coordinate of x, .* \{x\[1\]\}"):
        doing(BOWL, "{x[0]}", "{x[2]}", "{y[0]}")(X, Y)
    with pytest.raises(InvalidArgument, match=r"\{y\[1\]\} is beyond the last coordinate of y, which is \{y\[0\]\}"):
        doing(BOWL, "{x[0]}", "{y[1]}")(X, Y)


def test_places_without_per_call_are_refused_and_other_braces_are_not():
    with pytest.raises(InvalidArgument, match=r"^argv: '\{x\[0\]\}' is a place for a value.* Did you mean per_call"):
        Command([sys.executable, "{x[0]}"])
    assert "{x[0]}!" in repr(Command([sys.executable, "{x[0]}!", "{print}"]))


@pytest.mark.parametrize("value", [1, "yes", None])
def test_per_call_is_true_or_false(value):
    with pytest.raises(InvalidArgument, match="^per_call: expected True or False"):
        Command([sys.executable, "{x}", "{y}"], per_call=value)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("raise SystemExit(3)", "it ended with exit code 3."),
        ("print(7.5); raise SystemExit('no license')", "exit code 1. The end of its standard error: no license."),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "it was ended by signal 9."),
        ("pass", "it printed nothing."),
        ("print('   ')", "it printed nothing."),
        ("print('no mesh')", "it printed no number, but 'no mesh'."),
        ("import sys; print('no mesh'); sys.stderr.write('at node 7')", "standard error: at node 7."),
        ("print(5.0); print('cost nan')", "it printed 'nan' last, which is not finite."),
        ("print('-Infinity')", "it printed '-Infinity' last, which is not finite."),
        ("print('1e999')", "it printed '1e999' last, which is not finite."),
        ("print(5.0); print('cost 3,5')", "its last number stands within '3,5'. Print the value as the last word"),
    ],
)
def test_a_failure_is_told_in_a_sentence_and_leaves_the_command_usable(code, sentence):
    f = doing(f"import sys\nif sys.argv[1] == '1.5':\n    {code}\nelse:\n    print(4.5)")
    with pytest.raises(CommandFailed) as caught:
        f(X, Y)
    assert "failed at x=[1.5, -6.25], y=[2.5]: it" in str(caught.value)
    assert sentence in str(caught.value)
    assert f([2.5, -3.0], Y) == 4.5


class Printed:
    """An output that was read to its end."""

    def __init__(self, text, is_whole=True):
        self.content, self.is_whole = text.encode(), is_whole


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3.5", 3.5),
        ("7\n3.5\n", 3.5),
        ("The cost is 3.5.", 3.5),
        ("cost=3.5", 3.5),
        ("cost: -3.5 m2", -3.5),
        ("f(x): 3.5", 3.5),
        ("x1=7, cost:-3.5;", -3.5),
        ("[2.0, 3.5]", 3.5),
        ("{'x': 2.0, 'cost': '3.5'}", 3.5),
        ("1.5D+03", 1500.0),
        ("+.5e1", 5.0),
        ("-0.0 v1.2 done", 0.0),
        ("3", 3.0),
        ("\x1b[0m 3.5 \ufffd", 3.5),
    ],
)
def test_the_last_number_is_found_among_words(text, value):
    assert last_number(Printed(text)) == value


@pytest.mark.parametrize(
    "word", ["3.5kg", "3,5", "1.2.3", "2026-10-18", "12:30:05", "at=12:30", "1_000", "0x1f", "$3.5", "#3", "1.0+100"]
)
def test_what_only_looks_like_a_number_is_not_passed_over(word):
    with pytest.raises(Complaint, match=re.escape(f"its last number stands within '{word}'")):
        last_number(Printed(f"7.5\n{word}\n"))


@given(value=st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53))
@example(value=-5e-324)
def test_a_number_is_read_exactly(value):
    assert last_number(Printed(f"cost = {value!r}\n")) == value


@given(text=st.text(max_size=60), is_whole=st.booleans())
def test_any_output_is_a_finite_value_or_a_complaint(text, is_whole):
    words, value = "", np.nan
    try:
        value = last_number(Printed(text, is_whole))
    except Complaint as complaint:
        words = str(complaint)
    assert np.isfinite(value) != bool(words)
    assert len(words) < 500


def test_a_flood_on_both_outputs_does_not_block_and_its_end_counts():
    assert doing("import sys; sys.stderr.write('e' * 300_000); print('8 ' * 300_000); print('x' * 9, 3.5)")(X, Y) == 3.5
    with pytest.raises(CommandFailed, match="it printed no number"):
        doing(f"print(3.5, 'a' * {MOST_READ})")(X, Y)
    with pytest.raises(CommandFailed, match="it printed no number, but '7+'"):
        doing(f"print('7' * {2 * MOST_READ}, end='')")(X, Y)  # whose beginning is lost


LEAVING = "import subprocess, sys; print(subprocess.Popen(['sleep', '600'], stdin=-3, start_new_session=True).pid)"


def test_what_a_program_left_behind_is_ended_and_not_waited_for():
    pid = int(doing(LEAVING)(X, Y))  # it holds the pipe of the output
    wait_until(lambda: not is_running(pid))


STUCK = """
import os, signal, subprocess
child = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
with open({notes!r}, "a") as file:
    file.write(f"{{os.getpid()}} {{child.pid}}\\n")
child.wait()
signal.pause()  # whichever of the two is killed first
"""


def noted(notes):
    return [int(pid) for pid in notes.read_text().split()] if notes.exists() else []


def test_a_program_that_takes_too_long_is_killed_with_all_that_it_started(tmp_path):
    notes, f = tmp_path / "pids", doing(STUCK.format(notes=str(tmp_path / "pids")))
    result = minimax(
        f, X_BOUNDS, Y_BOUNDS, maxfev=2, method="random-search", rng=7, workers=1, eval_timeout=1.0, on_error="ignore"
    )
    assert result.n_failed == 2
    assert "eval_timeout=1.0" in result.first_failure.summary
    assert len(noted(notes)) == 4
    wait_until(lambda: not any(is_running(pid) for pid in noted(notes)))


@pytest.mark.parametrize("workers", ["", ", workers=1"])
def test_a_program_ends_with_a_run_that_is_killed(tmp_path, workers):
    notes = tmp_path / "pids"
    words = [*PYTHON, STUCK.format(notes=str(notes)).replace("{", "{{").replace("}", "}}"), "{x}", "{y}"]
    code = (
        f"import reckless\nf = reckless.Command({words!r}, per_call=True)\n"
        f"reckless.minimax(f, [(1, 2)], [(3, 4)], maxfev=1, method='random-search', on_error='ignore'{workers})\n"
    )
    main = subprocess.Popen([sys.executable, "-c", code])
    try:
        wait_until(lambda: len(noted(notes)) == 2)
    finally:
        main.kill()
        main.wait()
    wait_until(lambda: not any(is_running(pid) for pid in noted(notes)))


def test_ctrl_c_ends_the_program_in_hand_and_the_run_ends_well(tmp_path):
    notes = tmp_path / "pids"
    code = f"import os, signal, time; os.kill({os.getpid()}, signal.SIGINT); time.sleep(600)"
    f = doing(f"open({str(notes)!r}, 'a').write(f'{{__import__(\"os\").getpid()}}\\n')\n{code}")
    result = minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=9, method="reckless", rng=7)
    assert (result.nfev, result.success) == (0, False)
    assert len(noted(notes)) == 1
    assert not is_running(noted(notes)[0])


def test_closing_ends_a_program_that_another_thread_waits_for(tmp_path):
    notes = tmp_path / "pids"
    f = doing(STUCK.format(notes=str(notes)))
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(f, X, Y)
        wait_until(lambda: len(noted(notes)) == 2)
        f.close()
        with pytest.raises(CommandFailed, match="it was ended by signal 9"):
            waiting.result()
    wait_until(lambda: not any(is_running(pid) for pid in noted(notes)))


def test_a_copy_for_another_process_is_started_for_each_pair_too():
    copy = pickle.loads(pickle.dumps(doing(BOWL)))
    assert repr(copy) == repr(doing(BOWL))
    assert repr(copy).endswith("per_call=True)")
    assert copy(X, Y) == tilted_bowl(X, Y)


def test_no_shell_reads_the_arguments_and_no_input_is_given(tmp_path):
    trap = tmp_path / "trap"
    f = doing(
        "import sys; print(len(sys.stdin.read()), len(sys.argv))", "{x}", "{y}", f"; touch {trap} $(touch {trap})"
    )
    assert f(X, Y) == 5.0
    assert not trap.exists()


def test_a_program_that_cannot_be_started_just_now_is_a_failure(monkeypatch):
    def refuse(*words, **options):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(reckless.evaluation.process, "Popen", refuse)
    f = doing(BOWL)
    with pytest.raises(CommandFailed, match=r"it cannot be started now \(Resource temporarily"):
        f(X, Y)


def test_what_is_no_program_is_named(tmp_path):
    path = tmp_path / "attack"
    path.write_text("neither a script nor a binary")
    path.chmod(0o755)
    with pytest.raises(InvalidArgument, match="cannot be started .*Does a script begin with"):
        Command([str(path), "{x}", "{y}"], per_call=True)(X, Y)


def test_a_signal_is_named_by_its_number():
    with pytest.raises(CommandFailed, match=f"signal {signal.SIGTERM.value}"):
        doing("import os, signal; os.kill(os.getpid(), signal.SIGTERM)")(X, Y)
