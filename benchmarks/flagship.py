"""Measure the default method against its bars: python benchmarks/flagship.py [--rows L,filter] [--quick].

Every row of the table is a set of runs with seeds from 3001 upward, none of which was used while the method was made.
Evaluations are counted by the engine; regret is measured by the problems' closed-form worst cases. Runs are appended
to a CSV file, the table is printed and written as Markdown.
"""

import argparse
import csv
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from reckless import MinimaxResult, Reckless, minimax
from reckless.bench.problems import problem
from reckless.methods.danskin import Danskin

FIRST_SEED = 3001
SOLVED = 1e-6  # regret
ORDER = (
    *("L-1e3", "filter", "L-1e4", "path", "n50", "mwp"),  # short ones first
    *("noise", "vertices", "deviations", "rastrigin", "wra", "wra-b"),
)


@dataclass(frozen=True)
class Run:
    """One run as it is stored."""

    row: str
    problem: str
    method: str
    maxfev: int
    seed: int
    nfev: int
    regret: float
    first_hit: float  # evaluations when the recommended x first had a true regret of at most 1e-6; inf if never
    error: float  # of the estimate: fun minus the true worst case
    is_honest: bool
    agreement: str
    overhead: float  # microseconds per evaluation outside f


@dataclass(frozen=True)
class Row:
    """One line of the table: what is run, and how it is judged."""

    name: str
    problem: str
    maxfev: int
    n_runs: int
    bar: str
    judge: Callable[[list[Run]], tuple[str, bool]]
    aim: Callable[[list[Run]], bool] | None = None
    is_noisy: bool = False
    stop_at: int = 0  # evaluations after which the run is ended, though it had more to spend


def run_once(row: Row, seed: int, method: object | None = None, name: str = "danskin") -> Run:
    """Solve one problem with one seed and measure the outcome."""
    p = problem(row.problem)
    spent = [0.0]

    def timed(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        start = time.process_time()
        values = p.function(X, Y)
        spent[0] += time.process_time() - start
        return values

    def stop(intermediate_result: MinimaxResult) -> None:
        if row.stop_at and intermediate_result.nfev > row.stop_at:
            raise StopIteration

    start = time.process_time()
    result = minimax(
        timed,
        p.x_bounds,
        p.y_bounds,
        maxfev=row.maxfev,
        method=method or Danskin(),
        rng=seed,
        vectorized=True,
        callback=stop,
    )
    seconds = time.process_time() - start - spent[0]
    assert p.worst_case is not None
    truth = p.worst_case(np.array([entry.x for entry in result.history]))[0]
    hits = np.flatnonzero(truth - p.optimum.value <= SOLVED)
    error = float(result.fun - truth[-1])
    return Run(
        row=row.name,
        problem=row.problem,
        method=name,
        maxfev=row.maxfev,
        seed=seed,
        nfev=result.nfev,
        regret=float(truth[-1] - p.optimum.value),
        first_hit=float(result.history[hits[0]].nfev) if hits.size else np.inf,
        error=error,
        is_honest=bool(abs(error) <= 1e-6 * abs(truth[-1]) + 1e-9),
        agreement=str(result.agreement),
        overhead=1e6 * seconds / result.nfev,
    )


# How a row is judged: the sentence to print, and whether the bar is met.


def solved(runs: list[Run]) -> int:
    return sum(r.regret <= SOLVED for r in runs)


def median_regret(bar: float) -> Callable[[list[Run]], tuple[str, bool]]:
    def judge(runs: list[Run]) -> tuple[str, bool]:
        median = float(np.median([r.regret for r in runs]))
        return f"median {median:.1e}, solved {solved(runs)}/{len(runs)}", median <= bar

    return judge


def largest_regret(bar: float) -> Callable[[list[Run]], tuple[str, bool]]:
    def judge(runs: list[Run]) -> tuple[str, bool]:
        largest = max(r.regret for r in runs)
        return f"largest {largest:.1e}, first hit {first_hit(runs):.0f}", largest <= bar

    return judge


def first_hit(runs: list[Run]) -> float:
    return float(np.median([r.first_hit for r in runs]))


def hits(at_least: int, within: float = np.inf) -> Callable[[list[Run]], tuple[str, bool]]:
    def judge(runs: list[Run]) -> tuple[str, bool]:
        middle, last = first_hit(runs), max(r.first_hit for r in runs)
        text = f"{solved(runs)}/{len(runs)}, first hit {middle:.0f} (last {last:.0f})"
        return text, solved(runs) >= at_least and middle <= within

    return judge


def solved_and_honest(runs: list[Run]) -> tuple[str, bool]:
    both = sum(r.is_honest and r.regret <= SOLVED for r in runs)
    return f"{both}/{len(runs)}, first hit {first_hit(runs):.0f}", both == len(runs)


def make_rows() -> list[Row]:
    rows = []
    for i in range(1, 7):
        bar = 1e-3 if i == 4 else 1e-6
        aim = lambda runs: solved(runs) >= 0.9 * len(runs)  # noqa: E731
        rows.append(Row("L-1e3", f"L{i}", 1_000, 30, f"median <= {bar:g}", median_regret(bar), aim))
    for i in range(1, 7):
        rows.append(Row("L-1e4", f"L{i}", 10_000, 30, "largest <= 1e-8", largest_regret(1e-8)))
    rows.append(
        Row(
            "filter",
            "filter",
            100_000,
            12,
            "11 of 12, median first hit <= 20000",
            hits(11, 20_000),
            lambda runs: first_hit(runs) <= 8_000,
        )
    )
    rows.append(Row("n50", "L1:n=50", 5_000, 5, "all 1e-8", largest_regret(1e-8), lambda r: first_hit(r) <= 2_500))
    rows.append(
        Row("n50", "L2:n=50", 60_000, 5, "all 1e-6", hits(5), lambda r: first_hit(r) <= 30_000),
    )
    fuller = (2_300, 1_900, 4_300, 2_000, 1_700, 19_000, 35_000, 20_000, 6_300, 1_700, 8_200)
    for i, fe in enumerate(fuller, 1):
        within = 1.25 * fe
        rows.append(
            Row(
                "wra",
                f"f{i}",
                100_000,
                10,
                f"10/10, first hit <= {within:.0f}",
                hits(10, within),
                lambda runs: first_hit(runs) <= 10_000,
            )
        )
    for i in (5, 7, 11):
        for b in (10, 100):
            is_hardest = (i, b) == (11, 100)
            n = 4 if is_hardest else 5
            maxfev = 1_000_000 if is_hardest else 200_000
            rows.append(Row("wra-b", f"f{i}:b={b}", maxfev, 5, f"{n}/5", hits(n), lambda r: solved(r) == 5))
    for i, fe in enumerate((249, 357, 405, 315, 324, 429, 702), 1):
        within = 1.25 * fe
        rows.append(Row("mwp", f"MWP{i}", 10_000, 20, f"20/20, first hit <= {within:.0f}", hits(20, within)))
    rows.append(Row("mwp", "absorber", 5_000, 20, "20/20, first hit <= 1110", hits(20, 1_110)))
    for n, within in ((5, 2_500), (10, 9_000), (20, 30_000)):
        rows.append(
            Row(
                "deviations",
                f"deviations:n={n}",
                100_000,
                5,
                f"5/5, first hit <= {within}",
                hits(5, within),
                lambda r, w=within: first_hit(r) <= w / 2,
            )
        )
    rows.append(Row("deviations", "deviations-y", 100_000, 3, "none", hits(0)))
    rows.append(Row("rastrigin", "rastrigin", 100_000, 10, "9/10", hits(9), lambda r: solved(r) == 10))
    rows.append(Row("rastrigin", "rastrigin-rotated", 100_000, 10, "8/10", hits(8), lambda r: solved(r) == 10))
    rows.append(Row("rastrigin", "rastrigin-coupled", 100_000, 3, "none", hits(0)))
    for name, bar in (("noisy-L1", 1e-6), ("noisy-L6", 1e-4), ("floored-L1", 1e-2)):
        rows.append(Row("noise", name, 20_000, 10, f"median <= {bar:g}", median_regret(bar), is_noisy=True))
    for n in (8, 12):
        rows.append(Row("vertices", f"vertices:n={n}", 50_000, 8, "8/8 solved, honest", solved_and_honest))
    for i in range(1, 7):
        rows.append(Row("path", f"L{i}", 100_000, 10, "all hit", hits(10), stop_at=20_000))
    return rows


def canonical(name: str) -> str:
    """Default sizes have the bare name."""
    return problem(name).name


def judge_path(runs: list[Run]) -> list[tuple[str, str, str, str, str]]:
    """Compare first hits at 1e5 with those of the same seeds at 1e4."""
    lines = []
    for i in range(1, 7):
        long = [r for r in runs if r.row == "path" and r.problem == f"L{i}"]
        short = {r.seed: r for r in runs if r.row == "L-1e4" and r.problem == f"L{i}"}
        if long and all(r.seed in short for r in long):
            ratio = first_hit(long) / first_hit([short[r.seed] for r in long])
            text = f"ratio {ratio:.2f}"
            lines.append(("path", f"L{i}", "ratio <= 2", text, verdict(ratio <= 2.0, ratio <= 1.2)))
    return lines


def judge_honesty(runs: list[Run], noisy: set[str]) -> list[tuple[str, str, str, str, str]]:
    ours = [r for r in runs if r.method == "danskin" and r.problem not in noisy]
    if not ours:
        return []
    honest = sum(r.is_honest for r in ours)
    share = honest / len(ours)
    text = f"{honest}/{len(ours)} = {100 * share:.2f} %"
    return [("honesty", "all noise-free", ">= 99 %", text, verdict(share >= 0.99, share >= 0.998))]


def judge_overhead(runs: list[Run]) -> list[tuple[str, str, str, str, str]]:
    lines = []
    for rows, bar in ((("L-1e3", "L-1e4", "filter"), 40.0), (("n50",), 150.0)):
        for name in dict.fromkeys((r.row, r.problem) for r in runs if r.row in rows):
            times = [r.overhead for r in runs if (r.row, r.problem) == name]
            middle = float(np.median(times))
            text = f"{middle:.0f} us per evaluation"
            lines.append(
                ("overhead", " ".join(name), f"<= {bar:.0f} us", text, verdict(middle <= bar, middle <= bar / 2))
            )
    return lines


def judge_against_reckless(runs: list[Run]) -> list[tuple[str, str, str, str, str]]:
    lines = []
    for name in dict.fromkeys(r.problem for r in runs if r.row == "noise"):
        medians = {
            method: float(np.median([r.regret for r in runs if r.problem == name and r.method == method]))
            for method in ("danskin", "reckless")
        }
        text = f"{medians['danskin']:.1e} against {medians['reckless']:.1e}"
        is_met = medians["danskin"] <= medians["reckless"]
        lines.append(("noise", name, "not worse than Reckless", text, verdict(is_met, is_met)))
    return lines


def store(path: Path, runs: list[Run]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Run)])
        writer.writeheader()
        writer.writerows(asdict(run) for run in runs)


def verdict(is_met: bool, is_aimed: bool | None) -> str:
    if not is_met:
        return "MISSED"
    return "met, aim too" if is_aimed else "met"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="", help="names of rows, parted by commas; all if left out")
    parser.add_argument("--runs", type=int, default=0, help="runs per row, if not those of the bar")
    parser.add_argument("--first-seed", type=int, default=FIRST_SEED)
    parser.add_argument("--out", type=Path, default=Path("flagship.csv"), help="where the runs are stored")
    options = parser.parse_args()
    wanted = set(filter(None, options.rows.split(",")))
    rows = [row for row in make_rows() if not wanted or row.name in wanted]
    rows.sort(key=lambda row: ORDER.index(row.name))
    runs: list[Run] = []
    table: list[tuple[str, str, str, str, str]] = []
    for row in rows:
        seeds = range(options.first_seed, options.first_seed + (options.runs or row.n_runs))
        found = [run_once(row, seed) for seed in seeds]
        runs += found
        if row.is_noisy:
            runs += [run_once(row, seed, Reckless(), "reckless") for seed in seeds]
        text, is_met = row.judge(found)
        table.append((row.name, row.problem, row.bar, text, verdict(is_met, row.aim and row.aim(found))))
        print("  ".join(table[-1]), flush=True)
        store(options.out, runs)
    noisy = {row.problem for row in rows if row.is_noisy}
    extra = judge_path(runs) + judge_honesty(runs, noisy) + judge_overhead(runs) + judge_against_reckless(runs)
    for line in extra:
        print("  ".join(line))
    markdown = ["| row | problem | bar | measured | |", "|---|---|---|---|---|"]
    markdown += [f"| {' | '.join(line)} |" for line in table + extra]
    options.out.with_suffix(".md").write_text("\n".join(markdown) + "\n")
    missed = sum(line[-1] == "MISSED" for line in table + extra)
    print(f"{missed} of {len(table) + len(extra)} bars missed")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
