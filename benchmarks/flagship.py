"""Measure a method against its bars: python benchmarks/flagship.py --method danskin [--rows dense,hit-L] [--jobs 2].

Every row of the table is a set of runs with seeds that were not used while the method was made: from 8001 upward for
the bars of `danskin`, from 7101 for those of `finite`. Evaluations are counted by the engine; regret is measured by the
problems' exact worst cases. Without --rows, `finite` runs its own rows, and any other method those of `danskin`.

Each run is appended to a file as it ends, and the same command makes only the runs that are missing there: interrupt
it whenever you like, and use another file for another version of a method. The table is printed, and written as
Markdown beside that file.
"""

import argparse
import sys
from pathlib import Path

from flagship_judges import Line, judge_honesty, judge_requests, verdict
from flagship_rows import Row, make_rows
from flagship_runs import Cell, Run, append_run, measure_all, read_runs


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--method", default="danskin", help="as `minimax` takes it")
    parser.add_argument("--rows", default="", help="names of rows, separated by commas; the method's own without it")
    parser.add_argument("--runs", type=int, default=0, help="runs per row, if not those of the bar")
    parser.add_argument("--first-seed", type=int, default=0, help="if not that of the bar")
    parser.add_argument("--out", type=Path, default=Path("flagship.jsonl"), help="where the runs are stored")
    parser.add_argument("--jobs", type=int, default=1, help="processes that make runs")
    parser.add_argument("--judge", action="store_true", help="make no runs, judge the stored ones")
    return parser.parse_args()


def chosen_rows(names: str, method: str) -> list[Row]:
    rows = make_rows()
    wanted = set(filter(None, names.split(",")))
    unknown = wanted - {row.name for row in rows}
    if unknown:
        sys.exit(f"There is no row called {', '.join(sorted(unknown))}. Rows: {', '.join({r.name: 0 for r in rows})}.")
    of = method if method == "finite" else "danskin"
    return [row for row in rows if (row.name in wanted if wanted else row.of == of)]


def judged(row: Row, runs: list[Run], options: argparse.Namespace) -> Line:
    """Judge the runs of a row, and those beside it, by the chosen method."""
    keys = {cell.key for cell in asked(row, options)}
    found = [r for r in runs if r.key in keys]
    others = [r for r in runs if (r.row, r.problem) == row.beside and r.method == options.method]
    if not found or (row.beside and not others):
        return row.name, row.problem, row.bar, "no runs", "MISSING"
    text, is_met = row.judge(found + others)
    if len(found) < len(keys):
        return row.name, row.problem, row.bar, f"{text} ({len(found)} of {len(keys)} runs)", "MISSING"
    return row.name, row.problem, row.bar, text, verdict(is_met, row.aim and row.aim(found))


def asked(row: Row, options: argparse.Namespace) -> list[Cell]:
    return row.cells(options.method, options.runs, options.first_seed)


def make_missing(rows: list[Row], options: argparse.Namespace) -> None:
    """Make the runs that are not stored yet; print each row as its last run ends."""
    runs = read_runs(options.out)
    done = {run.key for run in runs}
    missing = {row: [cell for cell in asked(row, options) if cell.key not in done] for row in rows}
    waiting = {row: {cell.key for cell in cells} for row, cells in missing.items()}
    for run in measure_all([cell for cells in missing.values() for cell in cells], options.jobs):
        append_run(options.out, run)
        runs.append(run)
        row = next(row for row, keys in waiting.items() if run.key in keys)
        waiting[row].discard(run.key)
        if not waiting[row]:
            print("  ".join(judged(row, runs, options)), flush=True)


def make_table(rows: list[Row], runs: list[Run], options: argparse.Namespace) -> list[Line]:
    """Judge the chosen rows one by one, then those that are judged together."""
    keys = {cell.key for row in make_rows() for cell in asked(row, options)}
    known = [r for r in runs if r.key in keys]
    names, with_errors = {row.name for row in rows}, {row.name for row in rows if row.has_errors}
    ours = [r for r in known if r.row in names]
    lines = [judged(row, known, options) for row in rows]
    return lines + judge_requests(ours) + judge_honesty(r for r in ours if r.row not in with_errors)


def main() -> None:
    options = read_options()
    rows = chosen_rows(options.rows, options.method)
    if not options.judge:
        make_missing(rows, options)
    table = make_table(rows, read_runs(options.out), options)
    markdown = ["| row | problem | bar | measured | |", "|---|---|---|---|---|"]
    markdown += [f"| {' | '.join(line)} |" for line in table]
    print("\n".join(markdown))
    options.out.with_suffix(".md").write_text("\n".join(markdown) + "\n")
    n_missed = sum(line[-1] in ("MISSED", "MISSING") for line in table)
    print(f"{n_missed} of {len(table)} bars missed")
    sys.exit(1 if n_missed else 0)


if __name__ == "__main__":
    main()
