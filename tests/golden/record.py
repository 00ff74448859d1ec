"""Record the golden traces, or show the facts behind one of them.

    make golden-record                                            write traces.json
    PYTHONPATH=tests python -m golden.record --show "CASE"        print a case's facts, to diff between two checkouts

Another checkout's code is traced if its source folder is on PYTHONPATH.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import reckless
from golden.cases import CASES
from golden.environment import environment
from golden.traces import FILE, KINDS, facts, trace, write


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", metavar="CASE", help="print the facts of this case and write nothing")
    parser.add_argument("--to", type=Path, default=FILE, help="the file to write; traces.json if not given")
    given = parser.parse_args()
    if given.show:
        show(given.show)
        return
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        traces = dict(zip(map(str, CASES), pool.map(trace, CASES), strict=True))
    write(environment(), traces, given.to)
    print(f"{len(traces)} traces of {Path(reckless.__file__).parent} in {given.to}")


def show(name: str) -> None:
    """Print the facts of the case of that name, one per line with its kind."""
    cases = {str(case): case for case in CASES}
    if name not in cases:
        raise SystemExit(f"--show: there is no case {name!r}; `pytest --collect-only -m golden` lists them all.")
    found = facts(cases[name])
    for kind in KINDS:
        for line in found[kind]:
            print(f"{kind}: {line}")


if __name__ == "__main__":
    main()
