"""Cases of files and lines that are damaged, forged, or simply wrong."""

import random
import sqlite3
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

import reckless
from fuzz.shell import Misbehaved, command
from fuzz.values import UNIT, bowl
from hostile import LONGEST
from reckless.bench.runner import run_cell
from reckless.bench.store import Store
from reckless.bench.study import Study, read_study
from reckless.cli.config import READERS, read_config
from reckless.evaluation.command import Complaint, read_answer

CANARY = "canary.py"  # a file that data names; it tells when it is imported
VALUES = [
    *("1", "0", "-1", "1e400", "nan", "inf", "true", "30", "0x10", "1979-05-27", "1" + "0" * 400, "9" * 5001),
    *('"L1"', '"mmde"', '""', '"raise"', f'"{CANARY}:f"', '"\\u0000"', '"\\u001b]0;"', '"' + "A" * 3000 + '"'),
    *(
        "[]",
        "[[0,1]]",
        "[[1,0]]",
        "[true]",
        "[30]",
        "[1,[2]]",
        '["cat"]',
        '["L1"]',
        '["mmde"]',
        "[[0, 1, 2], [3, 4, 5]]",
    ),
    *("{}", "{simplex=3}", "{ball={center=[0],radius=1}}", "{scenarios=[[1],[2]]}", '{scenarios="x.csv"}'),
    *("{perturbation={radius=0.1}}", "{a=[0, 1]}", "[" * 40 + "]" * 40, "[" * 5000 + "]" * 5000),
]


def toml(r: random.Random, here: Path) -> str:
    """Read a problem file; that runs nothing."""
    usual = ["rng = 3", 'method = "mmde"', "target = 0.5", "retries = 1", 'on_error = "ignore"', "verify = true"]
    base = 'objective = "L1"\nmaxfev = 40\n' if r.random() < 0.5 else ""
    (here / "p.toml").write_text(base + _lines(r, [*READERS, "nosuch"], usual))
    read_config(here / "p.toml")  # gives back what the file says, which nobody has shown yet
    return ""


def study(r: random.Random, here: Path) -> str:
    """Read the file of a study."""
    base = 'problems = ["L1"]\nmethods = ["mmde"]\nbudgets = [30]\n' if r.random() < 0.6 else ""
    keys = ["problems", "methods", "budgets", "repetitions", "name", "budgets_per_dimension", "nosuch"]
    (here / "p.toml").write_text(base + _lines(r, keys, ["repetitions = 2"]))
    return read_study(here / "p.toml").name


def _lines(r: random.Random, keys: list[str], usual: list[str]) -> str:
    """Return some settings, right and wrong ones; now and then letters in no order."""
    n_lines = r.choice([1, 1, 2, 5])
    lines = [r.choice(usual) if r.random() < 0.5 else f"{r.choice(keys)} = {r.choice(VALUES)}" for _ in range(n_lines)]
    text = "\n".join(lines)
    return text if r.random() < 0.85 else "".join(r.choice(text + "[]{}=\"'\n#.\t") for _ in text[:2000])


def garbled(r: random.Random, content: bytes) -> bytes:
    """Return the content with some bytes changed, cut, doubled or inserted."""
    data = bytearray(content)
    for _ in range(r.choice([1, 1, 3, 20])):
        at = r.randrange(len(data)) if data else 0
        odd = r.choice([b"0x1p+99999999999", b"[" * 100_000, b"9" * 5000, b"\x1b]0;", r.randbytes(r.randrange(1, 40))])
        match r.randrange(5):
            case 0:
                data[at : at + 1] = r.randbytes(1)
            case 1:
                del data[at : at + r.randrange(1, 60)]
            case 2:
                data[at:at] = data[at : at + r.randrange(1, 200)]
            case 3:
                data[at:at] = odd
            case _:
                data = data[: max(1, at)]
    return bytes(data)


def journal(r: random.Random, here: Path) -> str:
    """Resume from a garbled journal; half of them have right checksums, so that what stands before them is read."""
    content = garbled(r, good_journal())
    if r.random() < 0.5:
        lines = [line.rpartition(b" ")[0] for line in content.split(b"\n")]
        content = b"".join(b"%b %08x\n" % (line, crc32(line)) for line in lines if line)
    (here / "j").write_bytes(content)
    options = {"maxfev": r.choice([50, 50, 70]), "verify": r.choice([8, 8, 5, False]), "rng": r.choice([1, 1, None])}
    return reckless.minimax(bowl, UNIT, UNIT, checkpoint=here / "j", method="mmde", **options).message


def store(r: random.Random, here: Path) -> str:
    """Read a garbled store, or one with a cell that no study writes; all who read results may."""
    path = here / "s.sqlite"
    path.write_bytes(good_store() if r.random() < 0.5 else garbled(r, good_store()))
    if path.read_bytes() == good_store():
        _forge(r, path)
    if r.random() < 0.3:
        (here / "s.toml").write_text('problems = ["L1"]\nmethods = ["mmde"]\nbudgets = [30]\nrepetitions = 2\n')
        said = command(
            *r.choice([("bench", "status", "s.toml"), ("bench", "export", "s.toml"), ("report", "s.sqlite")])
        )
        if len(said) > LONGEST:
            raise Misbehaved(f"{len(said):,} characters on standard error")
        return said
    with Store(path, readonly=True) as opened:
        return f"{len(opened)} {len(opened.records())} {len(opened.versions())} {len(opened.finished())}"


def _forge(r: random.Random, path: Path) -> None:
    with sqlite3.connect(path) as db:
        (columns,) = zip(*db.execute("SELECT name FROM pragma_table_info('runs')"), strict=True)
        for (trigger,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {trigger}")
        odd = [b"123", "text", 5, 1e308, "[" * 2000, f"{CANARY}:f", b"\xff" * 8, "", "{}", "3", "\x1b]0;", "A" * 5000]
        column = r.choice(columns)
        with db:
            try:
                db.execute(f"UPDATE runs SET {column} = ? WHERE repetition = 0", (r.choice(odd),))
            except sqlite3.IntegrityError:  # the store itself forbids it
                return
    db.close()


ANSWERS = [
    *(b'{"id":7,"value":12.5}', b'{"id":7,"error":"x"}', b'{"id":7,"error":"\\u001b]0;title"}', b"[" * 3000),
    *(b'{"id":7,"value":1e999}', b'{"id":7,"value":' + b"9" * 5000 + b"}", b'{"id":7,"error":' + b"[" * 500),
]
PROGRAM = "import sys; sys.stdin.readline(); sys.stdout.buffer.write({!r}); sys.stderr.write({!r}); sys.exit({})"
PROGRAM_SHARE = 0.02  # of the cases; each starts a process


def protocol(r: random.Random, here: Path) -> str:
    """Read what a program answered, now and then from a program."""
    line = garbled(r, r.choice(ANSWERS))
    if r.random() < PROGRAM_SHARE:
        words = r.choice(["", "\x1b]0;title\x07", "A" * 5000])
        code = PROGRAM.format(line.replace(b"\n", b"") + b"\n", words, r.choice([0, 3]))
        with reckless.Command([sys.executable, "-S", "-c", code[:100_000]]) as f:
            return str(f([0.5], [0.5]))
    try:
        return str(read_answer(line, 7))
    except Complaint as complaint:
        return str(complaint)


@cache
def good_journal() -> bytes:
    """Return the journal of a run that was extended."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "j"
        for maxfev in (30, 50):
            reckless.minimax(bowl, UNIT, UNIT, maxfev=maxfev, rng=1, checkpoint=path, method="mmde", verify=8)
        return path.read_bytes()


@cache
def good_store() -> bytes:
    """Return the store of a study."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "s.sqlite"
        cells = Study(name="s", problems=("L1",), methods=("mmde",), budgets=(30,), repetitions=2).cells()
        with Store(path) as opened:
            opened.append([run_cell(cell) for cell in cells])
        return path.read_bytes()
