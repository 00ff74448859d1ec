"""Attack the public surface at random; print a table of kinds, cases and violations: `make fuzz CASES=10000 SEED=1`.

Every path lies in a private directory. A violation is printed with its seed: `--kinds KIND --first SEED --cases 1`
repeats it.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from fuzz.attack import KINDS, attack

SECONDS = 10  # for one case
SHOWN = 40  # violations that are told apart
SEEDS_APART = 1_000_000  # more than the cases of a run


class Late(BaseException):
    """A case took too long."""


def plan(n_cases: int, kinds: list[str]) -> list[str]:
    """Return the kind of each case."""
    total = sum(KINDS[kind][1] for kind in kinds)
    return [kind for kind in kinds for _ in range(max(1, n_cases * KINDS[kind][1] // total))]


def timed(kind: str, seed: int, root: Path) -> str:
    """Carry out one case; too long is wrong too."""
    started = time.monotonic()
    signal.alarm(SECONDS)
    try:
        wrong = attack(kind, seed, root)
    except Late:
        wrong = ""
    finally:
        signal.alarm(0)
    return wrong if time.monotonic() - started < SECONDS else f"longer than {SECONDS} s"


def _late(*_: object) -> None:
    raise Late


def main() -> None:
    """Carry out the cases; exit with 1 if there was a violation."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, help="seed of the first case, in place of --seed")
    parser.add_argument("--kinds", default=",".join(KINDS))
    asked = parser.parse_args()
    kinds = asked.kinds.split(",")
    first = asked.seed * SEEDS_APART if asked.first is None else asked.first
    signal.signal(signal.SIGALRM, _late)
    n_cases, n_wrong = Counter[str](), Counter[str]()
    violations, seeds = Counter[tuple[str, str]](), dict[tuple[str, str], int]()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as root:
        tempfile.tempdir = os.environ["TMPDIR"] = os.path.join(root, "tmp")
        os.mkdir(tempfile.tempdir)
        for seed, kind in enumerate(plan(asked.cases, kinds), start=first):
            wrong = timed(kind, seed, Path(root))
            n_cases[kind] += 1
            if wrong:
                n_wrong[kind] += 1
                violations[kind, wrong] += 1
                seeds.setdefault((kind, wrong), seed)
        tempfile.tempdir = None
        os.chdir("/")
    print(f"{'kind':12}{'cases':>8}{'violations':>12}")
    for kind in kinds:
        print(f"{kind:12}{n_cases[kind]:8,}{n_wrong[kind]:12,}")
    print(f"{'all':12}{n_cases.total():8,}{n_wrong.total():12,}")
    for (kind, wrong), n in violations.most_common(SHOWN):
        print(f"{n:5} x {kind}, seed {seeds[kind, wrong]}: {wrong}")
    sys.exit(bool(violations))


if __name__ == "__main__":
    main()
