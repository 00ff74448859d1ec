"""checkpoint=: what the file of a journal may be, and what of it is refused."""

import errno
import os
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from journals import RUN, Interrupting, changed_head, record, same, solve
from reckless import InvalidArgument, InvalidJournal
from reckless.evaluation.fingerprint import stable_repr
from reckless.evaluation.journal import Journal
from reckless.evaluation.lockedfile import LONGEST_LINE
from reckless.evaluation.scan import LONGEST_TAIL
from support import tilted_bowl

PAIR = b"3ff8000000000000 4014000000000000"


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


@pytest.mark.parametrize(
    "content",
    [
        b"value 17 0x1p+99999999999 %b" % PAIR,
        b"value %b 0x1p+1 %b" % (b"9" * 5000, PAIR),
        b"value -1 0x1p+1 %b" % PAIR,
        b"value 17 0x1p+1 9d3fe1c2",
        b"value 17 0x1p+1 %b 3ff8000000000000" % PAIR,
        b"failure 17 " + b"[" * 100_000,
        b"failure 17 " + b"9" * 5000,
        b"value 17 \xff %b" % PAIR,
        b'extend {"maxfev": "many"}',
        b"extend " + b"[" * 100_000,
        b"extend [1]",
        b"search me",
        b"head {}",
        b"tail",
    ],
    ids=lambda content: content[:30].decode(errors="replace"),
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


@pytest.mark.parametrize("number", [1, 2, 999])
@pytest.mark.parametrize("tail", [b"", b"values 17 in another spelling\n"])
def test_a_journal_of_another_format_is_refused_and_the_sentence_says_what_to_do(tmp_path, number, tail):
    path = tmp_path / "run.journal"
    path.write_bytes(record(b'head {"format": %d, "version": "0.4.1", "maxfev": 400}' % number) + tail)
    before = path.read_bytes()
    words = f"is a journal of format {number}, and .* reads format 3 only.* that began it .version 0.4.1., or give "
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
    assert solve(f, path, **options).first_failure.traceback.endswith(" the end\n")


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


class FullDisk:
    """A file of which the disk takes only so many bytes more."""

    def __init__(self, n_bytes):
        self.n_bytes = n_bytes

    def write(self, content):
        if not self.n_bytes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.n_bytes


@pytest.mark.parametrize(("n_bytes", "words"), [(0, "No space left"), (3, "Is the disk full")])
def test_a_full_disk_is_reported(tmp_path, n_bytes, words):
    journal = Journal(tmp_path / "run.journal")
    journal.begin({})
    journal._records.append(b"anything")
    ours, journal._file = journal._file, FullDisk(n_bytes)
    with pytest.raises(InvalidJournal, match=f"cannot be written any more.*{words}"):
        journal.flush()
    ours.close()


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


def test_nothing_in_a_journal_is_executed(tmp_path):
    """The file is text; the words that would make it a program are not even looked at."""
    path = tmp_path / "run.journal"
    path.write_bytes(b'head {"format": 3, "method": "__import__(\'os\').abort()"} ')
    assert same(solve(tilted_bowl, path), solve(tilted_bowl, None))
    assert os.path.getsize(path) > 1000


def test_a_method_that_cannot_be_shown_is_named_by_its_type():
    class Shy:
        def __repr__(self):
            raise RuntimeError

    assert stable_repr(Shy()).endswith("Shy")
