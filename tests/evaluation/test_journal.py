"""checkpoint=: a run that was killed goes on, and returns what it would have returned."""

import json
import os
import signal
import subprocess
import sys
import time
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reckless
from reckless import InvalidArgument, InvalidJournal, JournalWarning, Reckless, minimax
from reckless.evaluation.environment import environment
from reckless.evaluation.journal import LONGEST_TAIL, Journal, fingerprint, stable_repr
from reckless.evaluation.lockedfile import LONGEST_LINE
from simulators import Counted
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

RUN = {"maxfev": 400, "method": "reckless", "rng": 7}


def solve(f, path, **options):
    return minimax(f, X_BOUNDS, Y_BOUNDS, **{**RUN, "checkpoint": path, **options})


def same(one, other):
    return _bits(one) == _bits(other)


def _bits(result):
    failure = result.first_failure
    return (
        [vector.tobytes() for vector in (result.x, result.y)],
        [(moment.nfev, moment.x.tobytes(), moment.y.tobytes(), moment.fun) for moment in result.history],
        (result.fun, result.nfev, result.nit, result.n_failed, result.status, result.message, result.success),
        failure and (failure.x.tobytes(), failure.y.tobytes(), failure.traceback),
    )


class Interrupting:
    """An objective during whose n-th call something happens."""

    def __init__(self, n, error=KeyboardInterrupt, f=tilted_bowl):
        self.n, self.error, self.f, self.n_calls = n, error, f, 0

    def __call__(self, x, y):
        self.n_calls += 1
        if self.n_calls == self.n:
            raise self.error
        return self.f(x, y)


IGNORE = {"on_error": "ignore", "nan_policy": "ignore"}


def often_fails(x, y):
    if x[0] < 1.5:
        raise ArithmeticError(f"no mesh at {x[0]:.3f}")
    return float("nan") if y[0] > 8.5 else tilted_bowl(x, y)


@pytest.mark.parametrize("method", ["reckless", "reckless-anr", "mmde", "coevolution-alternating", "random-search"])
def test_an_interrupted_run_goes_on_and_evaluates_two_pairs_twice(tmp_path, method):
    plain = solve(tilted_bowl, None, method=method)
    path, n_calls = tmp_path / "run.journal", 0
    for n in (1, 2, 50, 101):
        f = Interrupting(n + min(2, n_calls))
        stopped = solve(f, path, method=method)
        assert not stopped.success
        assert stopped.message.startswith("The run was interrupted")
        n_calls += n - 1
        assert stopped.nfev == n_calls
    f = Interrupting(0)
    assert same(solve(f, path, method=method), plain)
    assert f.n_calls == plain.nfev - n_calls + 2


@given(n=st.integers(1, 300), retries=st.integers(0, 2), maxfev=st.integers(1, 300))
def test_failures_and_retries_are_resumed_too(tmp_path_factory, n, retries, maxfev):
    path = tmp_path_factory.mktemp("journals") / "run.journal"
    options = {"on_error": "ignore", "retries": retries, "maxfev": maxfev}
    plain = solve(Interrupting(0, f=often_fails), None, **options)
    solve(Interrupting(n, f=often_fails), path, **options)
    n_good = path.read_bytes().count(b" 0x") + path.read_bytes().count(b" -0x")
    f = Interrupting(0, f=often_fails)
    assert same(solve(f, path, **options), plain)
    assert f.n_calls == max(0, plain.nfev - (n - 1)) + min(2, n_good)


@pytest.mark.parametrize(("f", "options"), [(tilted_bowl, {}), (often_fails, {**IGNORE, "retries": 1})])
def test_the_verification_is_journaled_too(tmp_path, f, options):
    path, options = tmp_path / "run.journal", {"verify": 300, **options}
    plain = solve(Interrupting(0, f=f), None, **options)
    n_calls = plain.nfev + plain.verification.nfev
    stopped = solve(Interrupting(n_calls - 100, f=f), path, **options)
    assert (stopped.success, stopped.verification) == (False, None)
    assert stopped.x.tolist() == plain.x.tolist()
    assert stopped.message.endswith("The verification was cut short: it was interrupted.")
    rest = Interrupting(0, f=f)
    resumed = solve(rest, path, **options)
    assert same(resumed, plain)
    assert (resumed.gap, resumed.verdict) == (plain.gap, plain.verdict)
    assert np.array_equal(resumed.verification.y, plain.verification.y)
    assert resumed.verification.n_failed == plain.verification.n_failed
    assert rest.n_calls == 101 + 2


def test_a_finished_run_is_read_back_with_two_calls_of_f(tmp_path):
    path, f = tmp_path / "run.journal", Interrupting(0)
    plain = solve(tilted_bowl, path)
    assert same(solve(f, path), plain)
    assert f.n_calls == 2


def test_an_exception_leaves_a_usable_journal(tmp_path):
    path = tmp_path / "run.journal"
    with pytest.raises(ZeroDivisionError):
        solve(Interrupting(120, ZeroDivisionError), path)
    f = Interrupting(0)
    assert same(solve(f, path), solve(tilted_bowl, None))
    assert f.n_calls == 400 - 119 + 2


def test_without_a_seed_one_is_drawn_and_kept(tmp_path):
    first, second = tmp_path / "first.journal", tmp_path / "second.journal"
    solve(Interrupting(100), first, rng=None)
    result = solve(tilted_bowl, first, rng=None)
    assert same(solve(tilted_bowl, first, rng=None), result)
    assert not same(solve(tilted_bowl, second, rng=None), result)


def test_a_generator_is_recognized_by_its_state(tmp_path):
    path = tmp_path / "run.journal"
    solve(Interrupting(100), path, rng=np.random.default_rng(3))
    assert same(solve(tilted_bowl, path, rng=np.random.default_rng(3)), solve(tilted_bowl, None, rng=3))
    advanced = np.random.default_rng(3)
    advanced.random()
    with pytest.raises(InvalidJournal, match="from another seed"):
        solve(tilted_bowl, path, rng=advanced)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"rng": 8}, "was begun from another seed"),
        ({"rng": None}, "was begun from another seed"),
        ({"maxfev": 401}, "was begun with maxfev=400"),
        ({"method": "mmde"}, r"was begun by the method Reckless\(descent_share=0.5"),
        ({"method": Reckless(descent_share=0.3)}, r"was begun by the method Reckless\(descent_share=0.5"),
        ({"retries": 1}, "was begun with retries=0"),
        ({"target": 0.0}, "was begun with target=None"),
        ({"verify": 100}, "was begun with verify=0"),
        ({"x_bounds": [(1.0, 4.0), (-7.0, -2.5)]}, "was begun for other bounds"),
        ({"x_bounds": [(1.0, 4.0)]}, "was begun for other bounds"),
    ],
)
def test_a_journal_of_another_run_is_refused_and_left_as_it_is(tmp_path, other, words):
    path = tmp_path / "run.journal"
    solve(Interrupting(50), path)
    before = path.read_bytes()
    arguments = {**RUN, "x_bounds": X_BOUNDS, "y_bounds": Y_BOUNDS, "checkpoint": path, **other}
    with pytest.raises(InvalidJournal, match=words):
        minimax(lambda x, y: pytest.fail("f was called"), **arguments)
    assert path.read_bytes() == before


def test_a_journal_of_another_version_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "run.journal"
    solve(Interrupting(50), path)
    monkeypatch.setattr(reckless.run.run, "__version__", "99.0")
    with pytest.raises(InvalidJournal, match=f"by version {reckless.__version__} of the package"):
        solve(tilted_bowl, path)


def test_a_run_that_resumes_elsewhere_says_so_and_goes_on(tmp_path):
    path = tmp_path / "run.journal"
    solve(Interrupting(50), path)
    changed_head(path, environment={**environment(), "processor": "abacus", "numpy": "1.0"})
    words = rf"begun with processor abacus \(here .*\), numpy 1.0 \(here {np.__version__}\)\. The run resumes"
    with pytest.warns(JournalWarning, match=words):
        resumed = solve(tilted_bowl, path)
    assert same(resumed, solve(tilted_bowl, None))
    assert {"processor", "numpy", "scipy", "numba", "daqp"} <= set(environment())


class Restless:
    """A method that asks for other pairs every time, as one does that changed since the journal was begun."""

    def search(self, task):
        for _ in task.rounds():
            (value,) = yield np.random.random(task.n_x), task.random_y()  # noqa: NPY002
            task.recommend(task.random_x(), task.random_y(), value)


def test_values_are_never_given_to_other_pairs_than_they_belong_to(tmp_path):
    path = tmp_path / "run.journal"
    solve(Interrupting(50), path, method=Restless())
    with pytest.raises(InvalidJournal, match="has another pair as evaluation 0 than this run asks for"):
        solve(tilted_bowl, path, method=Restless())


@given(n_cut=st.integers(1, 3000))
def test_a_torn_tail_is_dropped(tmp_path_factory, n_cut):
    path = tmp_path_factory.mktemp("journals") / "run.journal"
    plain = solve(Interrupting(60), path)
    assert plain.nfev == 59
    content = path.read_bytes()
    path.write_bytes(content[: max(0, len(content) - n_cut)])
    n_whole = sum(line.startswith(b"value") for line in path.read_bytes().split(b"\n")[:-1])
    f = Interrupting(0)
    assert same(solve(f, path), solve(tilted_bowl, None))
    assert f.n_calls == 400 - n_whole + min(2, n_whole)


@pytest.mark.parametrize("tail", [b"value 17 0x1.8p+1 9d3fe1c2 00000000\n", b"\0" * 512, b"\xff\xfe", b"value"])
def test_rubbish_at_the_end_is_dropped(tmp_path, tail):
    path = tmp_path / "run.journal"
    solve(Interrupting(60), path)
    with open(path, "ab") as file:
        file.write(tail)
    assert same(solve(tilted_bowl, path), solve(tilted_bowl, None))
    assert tail not in path.read_bytes() or tail == b"value"


@pytest.mark.parametrize(
    "content",
    [
        b"my thesis, chapter one\n",
        b"head of state",
        b'{"format": 1}\n',
        b"\x80\x04\x95cos\nsystem\n",
        b"\n",
        b"head {} 00000000\n",
    ],
)
def test_a_file_of_another_kind_is_refused_and_left_as_it_is(tmp_path, content):
    path = tmp_path / "thesis.txt"
    path.write_bytes(content)
    with pytest.raises(InvalidJournal, match="thesis.txt is not a journal of this package, or is damaged at line 1"):
        solve(tilted_bowl, path)
    assert path.read_bytes() == content


def test_damage_in_the_middle_is_refused(tmp_path):
    path = tmp_path / "run.journal"
    solve(Interrupting(60), path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[10] = lines[10].replace(b"value", b"valve")
    path.write_bytes(b"".join(lines))
    with pytest.raises(InvalidJournal, match="damaged at line 11"):
        solve(tilted_bowl, path)
    assert path.read_bytes() == b"".join(lines)


def record(content):
    """Return a line with its right checksum."""
    return b"%b %08x\n" % (content, zlib.crc32(content))


@pytest.mark.parametrize(
    "content",
    [
        b"value 17 0x1p+99999999999 9d3fe1c2",
        b"value %b 0x1p+1 9d3fe1c2" % (b"9" * 5000),
        b"failure 17 " + b"[" * 100_000,
        b"failure 17 " + b"9" * 5000,
        b"value 17 \xff 9d3fe1c2",
    ],
    ids=["exponent", "evaluation", "depth", "digits", "no text"],
)
def test_absurd_records_with_right_checksums_are_refused(tmp_path, content):
    path = tmp_path / "run.journal"
    solve(Interrupting(2), path)
    with open(path, "ab") as file:
        file.write(record(content))
    before = path.read_bytes()
    with pytest.raises(InvalidJournal, match="damaged at line 3"):
        solve(tilted_bowl, path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("head", [b"[" * 100_000, b'{"format": %b}' % (b"9" * 5000), b"[1, 2]", b"{}"])
def test_absurd_heads_with_right_checksums_are_refused(tmp_path, head):
    path = tmp_path / "run.journal"
    path.write_bytes(record(b"head " + head))
    with pytest.raises(InvalidJournal, match="damaged at line 1"):
        solve(tilted_bowl, path)


def changed_head(path, **changes):
    """Change what the head of a journal says, with a right checksum."""
    head, *rest = path.read_bytes().splitlines(keepends=True)
    facts = json.loads(head.removeprefix(b"head ").rpartition(b" ")[0])
    path.write_bytes(record(b"head " + json.dumps({**facts, **changes}).encode()) + b"".join(rest))


@pytest.mark.parametrize("number", [1, 3, 999])
@pytest.mark.parametrize("tail", [b"", b"values 17 in another spelling\n"])
def test_a_journal_of_another_format_is_refused_and_the_sentence_says_what_to_do(tmp_path, number, tail):
    path = tmp_path / "run.journal"
    path.write_bytes(record(b'head {"format": %d, "version": "0.4.1", "maxfev": 400}' % number) + tail)
    before = path.read_bytes()
    words = f"is a journal of format {number}, and .* reads format 2 only.* that began it .version 0.4.1., or give "
    with pytest.raises(InvalidJournal, match=words):
        solve(tilted_bowl, path)
    assert path.read_bytes() == before


def test_a_seed_of_thousands_of_digits_is_refused(tmp_path):
    path = tmp_path / "run.journal"
    solve(Interrupting(20), path, rng=None)
    changed_head(path, rng={"drawn": "7" * 5000})
    with pytest.raises(InvalidJournal, match="damaged at line 1"):
        solve(tilted_bowl, path, rng=None)


@pytest.mark.parametrize("method", ["A" * 10**6, "\33]0;title\7" * 10**5, [[[["A" * 1000]]]] * 1000])
def test_what_a_head_says_is_quoted_in_short_and_harmless_words(tmp_path, method):
    path = tmp_path / "run.journal"
    solve(Interrupting(20), path)
    changed_head(path, method=method)
    with pytest.raises(InvalidJournal, match="was begun by the method ") as caught:
        solve(tilted_bowl, path)
    assert len(str(caught.value)) < 1000
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("n_bytes", [LONGEST_LINE + 100, 3_000_000_000])
@pytest.mark.parametrize("n_lines", [0, 1, 9], ids=["torn head", "head", "values"])
def test_a_file_that_goes_on_and_on_is_refused_in_little_memory(tmp_path, n_bytes, n_lines):
    path = tmp_path / "run.journal"
    solve(Interrupting(20), path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:n_lines]) or lines[0][:40])
    os.truncate(path, n_bytes)  # zeros, which take no room on the disk
    if n_lines and n_bytes < LONGEST_TAIL:
        assert same(solve(tilted_bowl, path), solve(tilted_bowl, None))  # as after a power cut
        return
    tracemalloc.start()
    try:
        with pytest.raises(InvalidJournal, match=f"damaged at line {n_lines + 1 if n_lines else 1}"):
            Journal(path)
        assert tracemalloc.get_traced_memory()[1] < 8 * LONGEST_LINE
    finally:
        tracemalloc.stop()
    assert path.stat().st_size == n_bytes


def test_of_an_endless_traceback_the_end_is_kept(tmp_path):
    path = tmp_path / "run.journal"

    def f(x, y):
        raise ArithmeticError("\N{GRINNING FACE}" * 10**6 + " the end")

    options = {"on_error": "ignore", "maxfev": 20}
    solve(f, path, **options)
    assert solve(f, path, **options).first_failure.summary.endswith(" the end")


def test_a_second_process_is_refused(tmp_path):
    path = tmp_path / "run.journal"
    open_one = Journal(path)
    try:
        with pytest.raises(InvalidJournal, match="is in use by another process"):
            solve(tilted_bowl, path)
    finally:
        open_one.close()
    assert not path.exists()


@pytest.mark.parametrize("path", [5, "", "/nowhere/at/all/run.journal", b"", "run\0.journal"])
def test_what_is_no_file_is_refused(path):
    with pytest.raises(InvalidArgument, match="^checkpoint: "):
        solve(tilted_bowl, path)


@pytest.mark.parametrize(("make", "kind"), [("mkdir", "a directory"), ("mkfifo", "a named pipe")])
def test_what_is_no_regular_file_is_refused_and_kept(tmp_path, make, kind):
    if make not in dir(os):
        pytest.skip(f"there is no os.{make} on this system")
    path = tmp_path / "there"
    getattr(os, make)(path)
    before = os.stat(path)
    with pytest.raises(InvalidArgument, match=f"^checkpoint: expected a regular file, but .*there is {kind}"):
        solve(lambda x, y: pytest.fail("f was called"), path)
    assert os.path.samestat(os.stat(path), before)


def test_an_empty_file_of_the_user_is_kept(tmp_path):
    path = tmp_path / "notes.txt"
    path.touch()
    Journal(path).close()
    with pytest.raises(InvalidArgument):
        solve(tilted_bowl, path, method="nosuch")
    assert path.exists()
    assert same(solve(tilted_bowl, path), solve(tilted_bowl, None))


def test_only_the_file_that_was_created_is_removed(tmp_path):
    path = tmp_path / "run.journal"
    journal = Journal(path)
    path.unlink()
    path.touch()  # of somebody else, by now
    journal.close()
    assert path.exists()


def test_bad_arguments_leave_no_journal_behind(tmp_path):
    path = tmp_path / "run.journal"
    with pytest.raises(InvalidArgument):
        solve(tilted_bowl, path, maxfev=0)
    assert not path.exists()


def test_a_full_disk_is_reported(tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full on this system")
    path = tmp_path / "run.journal"
    journal = Journal(path)
    ours, journal._file = journal._file, open("/dev/full", "ab", buffering=0)  # noqa: SIM115
    journal._records.append(b"anything")
    with pytest.raises(InvalidJournal, match="cannot be written any more"):
        journal.flush()
    ours.close()
    journal._file.close()


def test_another_working_directory_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()

    def f(x, y):
        os.chdir(tmp_path / "elsewhere")
        return tilted_bowl(x, y)

    assert same(solve(f, "run.journal"), solve(tilted_bowl, None))
    assert (tmp_path / "run.journal").read_bytes().count(b"\nvalue ") == RUN["maxfev"]
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("error", [None, ZeroDivisionError, KeyboardInterrupt])
def test_a_journal_deleted_meanwhile_loses_no_result(tmp_path, error):
    path, n_calls = tmp_path / "run.journal", 0

    def f(x, y):
        nonlocal n_calls
        n_calls += 1
        path.unlink(missing_ok=True)
        if error is not None and n_calls == 30:
            raise error
        return tilted_bowl(x, y)

    if error is ZeroDivisionError:
        with pytest.raises(ZeroDivisionError):
            solve(f, path)
    else:
        assert solve(f, path).nfev == (29 if error else RUN["maxfev"])


@pytest.mark.parametrize("error", [ZeroDivisionError, SystemExit])
def test_an_exception_is_not_hidden_behind_a_file_error(tmp_path, monkeypatch, error):
    def fail(journal):
        raise InvalidJournal("The disk is full.")

    def f(x, y):
        monkeypatch.setattr(Journal, "flush", fail)
        raise error

    with pytest.raises(error):
        solve(f, tmp_path / "run.journal")
    monkeypatch.undo()


def test_fingerprints_tell_different_things_apart_and_do_not_depend_on_memory():
    assert fingerprint((np.arange(3.0),)) == fingerprint((np.arange(3.0),))
    assert fingerprint(np.arange(3.0)) != fingerprint(np.arange(4.0))
    assert fingerprint(Reckless()) != fingerprint(Reckless(restart=False))
    assert "0x" not in stable_repr(Restless())


VICTIM = """
import sys, time
sys.path.insert(0, {tests!r})
from simulators import Counted
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl
from reckless import minimax

def f(x, y):
    time.sleep(0.002)
    return tilted_bowl(x, y)

counted = Counted({calls!r}, f)
result = minimax(counted, X_BOUNDS, Y_BOUNDS, maxfev=400, method="reckless", rng=7, checkpoint={path!r}, {more})
"""


@pytest.mark.parametrize("more", ["", "workers=2"], ids=["alone", "with workers"])
def test_kill_9_loses_nothing(tmp_path, request, more):
    """Twice, at seeded moments; `benchmarks/simulators.py` does it twenty times."""
    calls, path = tmp_path / "calls", tmp_path / "run.journal"
    code = VICTIM.format(tests=str(request.config.rootpath / "tests"), calls=str(calls), path=str(path), more=more)
    for n in sorted(np.random.default_rng(5).integers(1, 350, size=2)):
        victim = subprocess.Popen([sys.executable, "-c", code])
        try:
            wait_until(lambda n=n: calls.exists() and len(calls.read_text().splitlines()) >= n)
        finally:
            victim.send_signal(signal.SIGKILL)
            victim.wait()
    n_before, n_journaled = len(calls.read_text().splitlines()), path.read_bytes().count(b"\nvalue ")
    counted = Counted(calls, tilted_bowl)
    assert same(solve(counted, path), solve(tilted_bowl, None))
    assert len(counted.calls()) - n_before == 400 - n_journaled + 2
    # What was in flight when the process was killed was computed again, at most a chunk per worker, and two pairs of
    # the journal each time.
    assert len(counted.calls()) - 400 <= 2 * (2 * 4 if more else 1) + 2 * 2


def wait_until(is_true, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_nothing_in_a_journal_is_executed(tmp_path):
    """The file is text; the words that would make it a program are not even looked at."""
    path = tmp_path / "run.journal"
    path.write_bytes(b'head {"format": 2, "method": "__import__(\'os\').abort()"} ')
    assert same(solve(tilted_bowl, path), solve(tilted_bowl, None))
    assert os.path.getsize(path) > 1000
