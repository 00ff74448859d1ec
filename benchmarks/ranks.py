"""Rank every method on every problem of every suite: python benchmarks/ranks.py [--store ranks.sqlite].

Each budget is one comparison: blocks are problems, scores are median regrets, and those below 1e-9 count as equal.
The problems have their default sizes, and beside these the larger ones for which the default method has bars.
The signed reading of the filter is left out, whose optimum is an artefact, and the suite reality, whose regrets are
those against the best x known. Interrupt it whenever you like: the same command resumes. Prints the tables of
docs/flagship.md and writes the diagrams to docs/figures. With --rivals it only makes the runs of the other methods.
"""

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

from reckless.bench.figures import critical_difference, to_svg
from reckless.bench.paper import RANKED_FROM
from reckless.bench.problems import suites
from reckless.bench.runner import run_cells
from reckless.bench.statistics import friedman, nemenyi, wilcoxon_holm
from reckless.bench.store import Store
from reckless.bench.study import Study
from reckless.methods.registry import catalog

FIGURES = Path(__file__).parent.parent / "docs" / "figures"
PROBLEMS = (
    *(name for suite, names in suites().items() for name in names if suite != "reality" and name != "filter-signed"),
    *("L1:n=50", "L2:n=50", "deviations:n=10", "deviations:n=20", "vertices:n=12"),
    *(f"{name}:b={b}" for name in ("f5", "f7", "f11") for b in (10, 100)),
)
AUTO = "auto"  # danskin, or finite where y is one of a list
# reckless is the same as reckless-cr; the others are made for small budgets.
LEFT_OUT = ("reckless", "race", "corners", "stableopt", "surrogate")
RIVALS = tuple(name for name in catalog() if name not in (AUTO, "danskin", "finite", *LEFT_OUT))
BUDGETS = (1_000, 10_000, 100_000)


def medians(store: Store, study: Study, budget: int) -> np.ndarray:
    """Median regrets, problems x methods."""
    runs = defaultdict(list)
    for record in store.records([cell for cell in study.cells() if cell.budget == budget]):
        runs[record.problem, record.method].append(record.regret)
    return np.array([[np.median(runs[problem, method]) for method in study.methods] for problem in study.problems])


def show(budget: int, table: np.ndarray, methods: tuple[str, ...]) -> None:
    """Print the ranks at one budget, best first, and draw them."""
    scores = np.maximum(table, RANKED_FROM)
    test, overall = nemenyi(scores, methods), friedman(scores)
    ours = methods.index(AUTO)
    print(f"\n### {budget:,} evaluations\n")
    print(f"Friedman p = {overall.p_value:.1g}; critical difference {test.critical_difference:.2f}.\n")
    print(f"| method | average rank | problems first or level | median regret <= 1e-6 | differs from {AUTO} |")
    print("|---|---|---|---|---|")
    for k in np.argsort(test.ranks, kind="stable"):
        n_first = int(np.sum(scores[:, k] <= scores.min(axis=1)))
        n_solved = int(np.sum(table[:, k] <= 1e-6))
        differs = "" if k == ours else "yes" if test.significant[ours, k] else "**no**"
        print(f"| {methods[k]} | {test.ranks[k]:.2f} | {n_first} of {len(table)} | {n_solved} | {differs} |")
    (FIGURES / f"ranks-{budget}.svg").write_text(to_svg(critical_difference(test)), encoding="utf-8")


def show_pairs(table: np.ndarray, methods: tuple[str, ...]) -> None:
    """Say what pairwise tests tell of the default method, which do not depend on how many others there are."""
    scores = np.log10(np.maximum(table, RANKED_FROM))
    pairs = [pair for pair in wilcoxon_holm(scores, methods) if AUTO in (pair.first, pair.second)]
    largest = max(pair.p_adjusted for pair in pairs)
    print(f"\nWilcoxon-Holm, {AUTO} against each: largest p = {largest:.1g}.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", type=Path, default=Path("ranks.sqlite"))
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--workers", type=int, default=None, help="processes; one per processor if left out")
    parser.add_argument("--rivals", action="store_true", help="make the runs of the other methods, print no table")
    options = parser.parse_args()
    methods = RIVALS if options.rivals else (AUTO, *RIVALS)
    study = Study(name="ranks", problems=PROBLEMS, methods=methods, budgets=BUDGETS, repetitions=options.repetitions)
    with Store(options.store) as store:
        for budget in BUDGETS:
            cells = [cell for cell in study.cells() if cell.budget == budget]
            for step in run_cells(cells, store, workers=options.workers):
                print(f"\r{step.cells_done} of {step.cells} cells, {step.seconds:.0f} s", end="", flush=True)
            print(f": {budget:,} evaluations", flush=True)
        if options.rivals:
            return
        print(f"\n{len(PROBLEMS)} problems, {len(methods)} methods, {options.repetitions} runs each.")
        for budget in BUDGETS:
            table = medians(store, study, budget)
            show(budget, table, study.methods)
            show_pairs(table, study.methods)


if __name__ == "__main__":
    main()
