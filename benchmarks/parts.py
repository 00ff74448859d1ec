"""Hold `auto` against its parts alone: python benchmarks/parts.py [--store parts.sqlite] [--repetitions 5].

Every problem of every suite with at most 12 coordinates, where `auto` is a method of its own (with more it is danskin,
evaluation by evaluation; of a list of y, the coordinates of x count). The suite reality has a table of its own
(docs/reality.md). A run is solved if its regret is at most 1e-6. Interrupt it whenever you like: the same command
resumes. Prints the table of docs/flagship.md.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from reckless.bench.problems import problem, suites
from reckless.bench.record import Record
from reckless.bench.runner import run_cells
from reckless.bench.store import Store
from reckless.bench.study import Cell
from reckless.methods.auto import MOST_COORDINATES

SOLVED = 1e-6
BUDGETS = (300, 1_000, 3_000, 10_000, 100_000)
SURROGATE_UP_TO = 300  # evaluations, beyond which a run takes hours


def problems() -> Iterator[tuple[str, str]]:
    """Yield the problems, and what descends on each."""
    for suite, names in suites().items():
        for name in names:
            p = problem(name) if suite != "reality" and name != "filter-signed" else None
            if p is not None and p.n_x + (0 if suite == "lists" else p.n_y) <= MOST_COORDINATES:
                yield name, "finite" if suite == "lists" else "danskin"


def plan(repetitions: int) -> Iterator[Cell]:
    for budget in BUDGETS:
        for name, descent in problems():
            methods = ("auto", descent, *(["surrogate"] if budget <= SURROGATE_UP_TO else []))
            for method in methods:
                for repetition in range(repetitions):
                    yield Cell(name, method, budget, repetition)


def first_hit(record: Record) -> float:
    """Return the evaluation from which the answer was solved for the first time; infinite if it never was."""
    solved = record.history_nfev[np.flatnonzero(record.history_regret <= SOLVED)]
    return float(solved[0]) if solved.size else np.inf


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("parts.sqlite"))
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="number of the first repetition; seeds follow from it")
    parser.add_argument("--workers", type=int, default=None, help="processes; one per processor if left out")
    options = parser.parse_args()
    cells = [cell._replace(repetition=cell.repetition + options.first) for cell in plan(options.repetitions)]
    with Store(options.store) as store:
        for step in run_cells(cells, store, workers=options.workers):
            print(f"\r{step.cells_done} of {step.cells} cells, {step.seconds:.0f} s", end="", flush=True)
        print()
        report(store.records(cells))


def report(records: list[Record]) -> None:
    runs = defaultdict(list)
    for record in records:
        runs[record.problem, record.budget, record.method].append(record)
    for budget in BUDGETS:
        print(f"\n### {budget:,} evaluations\n")
        print("| problem | auto | descent | surrogate |")
        print("|---|---|---|---|")
        totals: dict[str, int] = defaultdict(int)
        seconds = []
        for name, descent in problems():
            cells = []
            for method in ("auto", descent, "surrogate"):
                found = runs.get((name, budget, method), [])
                n_solved = sum(record.regret <= SOLVED for record in found)
                totals["descent" if method == descent else method] += n_solved
                hit = float(np.median([first_hit(record) for record in found])) if found else np.nan
                cells.append(f"{n_solved} of {len(found)}, {hit:.0f}" if found else "")
            ours, theirs = (
                float(np.median([record.seconds for record in runs[name, budget, method]]))
                for method in ("auto", descent)
            )
            seconds.append(ours - theirs)
            print(f"| {name} | {' | '.join(cells)} |")
        print(f"| all, solved | {totals['auto']} | {totals['descent']} | {totals['surrogate'] or ''} |")
        print(f"\nSeconds more than the descent alone: median {np.median(seconds):.1f}, largest {max(seconds):.1f}.")


if __name__ == "__main__":
    main()
