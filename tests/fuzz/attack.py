"""One case: what it must keep to, and what is left when it does not.

A case gives a result or a refusal. It is a violation if it raises anything but the package's own exceptions, complains
in more than 1,000 characters or with control characters, imports a file that data names, or leaves a process or a
temporary file.
"""

import os
import random
import shutil
import threading
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from fuzz import calls, files, shell
from hostile import LONGEST
from reckless.errors import OptimizationError

Case = Callable[[random.Random, Path], str]

# Kinds of cases, and how many of each there are for one of the rarest.
KINDS: dict[str, tuple[Case, int]] = {
    "api": (calls.api, 6),
    "sets": (calls.sets, 3),
    "parameters": (calls.parameters, 2),
    "cli": (shell.cli, 3),
    "toml": (files.toml, 3),
    "study": (files.study, 2),
    "journal": (files.journal, 3),
    "store": (files.store, 2),
    "protocol": (files.protocol, 4),
}
TELLTALE = "IMPORTED"


def attack(kind: str, seed: int, root: Path) -> str:
    """Carry out one case in a folder of its own below `root`, the working directory; return what is wrong, or ""."""
    here, temporary = root / "case", root / "tmp"
    for folder in (here, temporary):
        folder.mkdir(exist_ok=True)
    os.chdir(here)
    canary = f"open({str(root / TELLTALE)!r}, 'w').close()\ndef f(x, y): return 0.0\n"
    (here / files.CANARY).write_text(canary)
    before = children()
    try:
        wrong = _said(KINDS[kind][0], random.Random(f"{kind}-{seed}"), here)
        return wrong or _left(root, children() - before)
    finally:
        os.chdir(root)
        shutil.rmtree(here)
        shutil.rmtree(temporary)
        (root / TELLTALE).unlink(missing_ok=True)


def _said(case: Case, r: random.Random, here: Path) -> str:
    """Return what is wrong with the words of a case."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            words = case(r, here)
    except OptimizationError as error:
        words = str(error)
    except (Exception, SystemExit, GeneratorExit) as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "reckless" in frame.filename]
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
        return f"{type(error).__name__} at {place}: {_brief(error)}"
    if len(words) > LONGEST:
        return f"{len(words):,} characters: {words[:60]!r}"
    return "" if words.replace("\n", "").replace("\t", "").isprintable() else f"control characters: {words[:60]!r}"


def _brief(error: BaseException) -> str:
    try:
        return str(error)[:60].replace("\n", " ")
    except Exception:  # a violation all the same
        return ""


def _left(root: Path, processes: set[int]) -> str:
    """Return what is wrong with what a case left."""
    if (root / TELLTALE).exists():
        return "a file that data names was imported"
    if processes:
        return f"{len(processes)} processes are left"
    left = [name for _, _, names in os.walk(root / "tmp") for name in names]
    return f"{len(left)} temporary files are left" if left else ""


def children() -> set[int]:
    """Return the processes that this one started and that still run; empty where the system does not tell.

    Python's resource trackers are left out: there is one of a kind, which ends with this process.
    """
    found: set[int] = set()
    for thread in threading.enumerate():
        with suppress(OSError):
            found.update(map(int, Path(f"/proc/self/task/{thread.native_id}/children").read_text().split()))
    return {child for child in found if not _is_tracker(child)}


def _is_tracker(process: int) -> bool:
    try:
        return b"resource_tracker" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False
