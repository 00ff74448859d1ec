"""Measure runs that stop when they are done: python benchmarks/stopping.py [--seeds 9201-9210] [--maxfev 100000].

Each problem is solved twice with the same seed: with `tol`, and with all of `maxfev`. *First hit* is the evaluation at
which the recommended x first had a true regret of at most 1e-6, as in flagship.py. The bars: evaluations at the stop
are at most 4 times the first hit, in the median over the runs; of the runs that all of `maxfev` solves, at least 97 %
are still solved.

Each run is appended to a file as it ends, and the same command makes only the runs that are missing there. The table is
printed, and written as Markdown beside that file. Noisy and rounded problems are judged apart.
"""

import argparse
import sys
from pathlib import Path
from statistics import median

from flagship_runs import SOLVED, Cell, Run, append_run, measure_all, read_runs

from reckless.bench.problems import suites

LATEST_STOP = 4.0  # times the first hit
KEPT = 0.97  # of the runs that all of maxfev solves
LEFT_OUT = ("filter-signed",)  # its optimum is an artefact
WITH_ERRORS = ("noisy-L1", "noisy-L6", "floored-L1")
PROBLEMS = [name for suite, names in suites().items() if suite != "reality" for name in names if name not in LEFT_OUT]


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", default="auto", help="as `minimax` takes it")
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--maxfev", type=int, default=100_000)
    parser.add_argument("--seeds", default="9201-9210", help="the first and the last")
    parser.add_argument("--problems", default="", help="names, separated by commas; all suites but reality without it")
    parser.add_argument("--out", type=Path, default=Path("stopping.jsonl"), help="where the runs are stored")
    parser.add_argument("--jobs", type=int, default=1, help="processes that make runs")
    parser.add_argument("--judge", action="store_true", help="make no runs, judge the stored ones")
    return parser.parse_args()


def cells_of(options: argparse.Namespace) -> dict[tuple[str, int], tuple[Cell, Cell]]:
    """Return what is to be run, by problem and seed: with all of maxfev, and with tol."""
    first, last = (int(seed) for seed in options.seeds.split("-"))
    names = options.problems.split(",") if options.problems else PROBLEMS
    return {
        (name, seed): (
            Cell("all", name, options.method, options.maxfev, seed),
            Cell(f"tol={options.tol:g}", name, options.method, options.maxfev, seed, tol=options.tol),
        )
        for seed in range(first, last + 1)
        for name in names
    }


def line_of(name: str, pairs: list[tuple[Run, Run]]) -> list[str]:
    """Return a row of the table: over the pairs of runs, without tol and with it."""
    hit = [(whole, stopped) for whole, stopped in pairs if whole.first_hit < float("inf")]
    ratios = [stopped.nfev / whole.first_hit for whole, stopped in hit]
    solved = [stopped.regret <= SOLVED for whole, stopped in pairs if whole.regret <= SOLVED]
    n_early = sum(stopped.nfev < whole.nfev for whole, stopped in pairs)
    first, last = (median(run[k] for run in runs) if (runs := _facts(hit)) else float("nan") for k in (0, 1))
    middle = f"{median(ratios):.1f} ({max(ratios):.1f})" if ratios else ""
    cells = (
        name,
        f"{first:.0f}",
        f"{last:.0f}",
        middle,
        f"{n_early} of {len(pairs)}",
        f"{sum(solved)} of {len(solved)}",
    )
    return [*cells, str(sum(stopped.success for _, stopped in pairs))]


def _facts(pairs: list[tuple[Run, Run]]) -> list[tuple[float, float]]:
    return [(whole.first_hit, float(stopped.nfev)) for whole, stopped in pairs]


def table_of(found: dict[tuple[str, int], tuple[Run, Run]]) -> tuple[list[list[str]], bool]:
    """Return the rows of the table, and whether the bars are met."""
    exact = [pair for (name, _), pair in found.items() if name not in WITH_ERRORS]
    names = sorted({name for name, _ in found}, key=lambda name: (name in WITH_ERRORS, PROBLEMS.index(name)))
    rows = [line_of(name, [pair for (other, _), pair in found.items() if other == name]) for name in names]
    ratios = [stopped.nfev / whole.first_hit for whole, stopped in exact if whole.first_hit < float("inf")]
    kept = [stopped.regret <= SOLVED for whole, stopped in exact if whole.regret <= SOLVED]
    is_met = bool(ratios) and median(ratios) <= LATEST_STOP and sum(kept) >= KEPT * len(kept)
    return [*rows, line_of("all without errors of f", exact)], is_met


def main() -> None:
    options = read_options()
    asked = cells_of(options)
    if not options.judge:
        done = {run.key for run in read_runs(options.out)}
        missing = [cell for pair in asked.values() for cell in pair if cell.key not in done]
        for k, run in enumerate(measure_all(missing, options.jobs), 1):
            append_run(options.out, run)
            print(f"{k} of {len(missing)}: {run.row} {run.problem} {run.seed}, {run.nfev} evaluations", file=sys.stderr)
    runs = {run.key: run for run in read_runs(options.out)}
    found = {
        key: (runs[whole.key], runs[stopped.key])
        for key, (whole, stopped) in asked.items()
        if whole.key in runs and stopped.key in runs
    }
    rows, is_met = table_of(found)
    head = [
        "problem",
        "first hit",
        "stop",
        "stop / first hit, median (largest)",
        "stopped early",
        "still solved",
        "success",
    ]
    lines = [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
    verdict = "met" if is_met and len(found) == len(asked) else "MISSED" if len(found) == len(asked) else "MISSING runs"
    lines.append(f"\nBars: median at most {LATEST_STOP:g} times the first hit, {KEPT:.0%} still solved: {verdict}.")
    print("\n".join(lines))
    options.out.with_suffix(".md").write_text("\n".join(lines) + "\n")
    sys.exit(0 if verdict == "met" else 1)


if __name__ == "__main__":
    main()
