"""Cases of the command line, which runs in this process."""

import contextlib
import io
import random
import sys
from pathlib import Path

from hostile import LONGEST
from reckless.cli import main

CODES = {None, 0, 1, 2, 3, 4, 130}


class Misbehaved(Exception):
    """A command ended, or spoke, as none should."""


def command(*words: str) -> str:
    """Run a command; return what it wrote to standard error, at most LONGEST characters."""
    out, said, argv, code = io.StringIO(), io.StringIO(), sys.argv, None
    sys.argv = ["reckless", *words]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            main()
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv = argv
    if code not in CODES:
        raise Misbehaved(f"exit code {code!r}")
    if "\x1b" in out.getvalue():
        raise Misbehaved("control characters on standard output")
    return said.getvalue()


PROBLEM = """objective = "L1"
maxfev = 40
method = "danskin"
rng = 3
"""
WORDS = [
    *("solve", "worst-case", "methods", "problems", "bench", "report", "run", "status", "export", "L1", "L6", "nosuch"),
    *("filter", "p.toml", "no.py:f", "s.sqlite", "j", "--x", "--y", "--maxfev", "--method", "--rng", "--json"),
    *("--verify", "--at", "--retries", "--target", "--maxtime", "--store", "--format", "-h", "--version", "--on-error"),
    *("--nan-policy", "--vectorized", "--y-scenarios", "--checkpoint", "--batch-size", "--args"),
]
VALUES = [
    *("0:1", "1:0", "0:1:int", "nan:1", "a:b", "30", "-1", "1e400", "1" + "0" * 400, "nan", "", "ignore", "raise"),
    *("mmde", "mmde:scale=x", "1,2,3", "\0", "A" * 3000, "\x1b]0;title\x07", "\udcff", "--", "-", "csv", "json", "0"),
    *("simplex=3", "simplex=" + "9" * 5000, "ball={", "[" * 2000),
]


def cli(r: random.Random, here: Path) -> str:
    """Type odd words."""
    (here / "p.toml").write_text(PROBLEM)
    words = ["solve", r.choice(["L1", "L6", "MWP3", "p.toml"])] if r.random() < 0.5 else [r.choice(WORDS)]
    words += [r.choice(WORDS if r.random() < 0.5 else VALUES) for _ in range(r.randrange(6))]
    if words[0] == "solve":
        words[1:1] = ["--method", "danskin"]  # unless a later word says otherwise
    if words[0] in ("solve", "worst-case"):
        words += ["--maxfev", "40"]
    said = command(*words)
    if len(said) > LONGEST:
        raise Misbehaved(f"{len(said):,} characters on standard error")
    return said
