"""Compare `auto` with what people do today, on real tasks: python benchmarks/reality.py [--runs 9] [--budgets 50,300].

Ten simulators and applications (the suite `reality` without `dosing`), solvers from a random search to nested
optimizers, every evaluation counted, answers judged by their true worst cases. Each run is a line of --out; runs that
are there are not repeated, so that the same command resumes. Prints the tables of docs/reality.md; --figure draws the
scores.
"""

import argparse
import json
import os
import warnings
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from expensive import score
from expensive_tables import show_table
from rivals import RIVALS, answer_of

from reckless import minimax
from reckless.bench.figures import to_svg
from reckless.bench.figures.style import assign_styles, dress, new_figure
from reckless.bench.problems import find_problem, suites
from reckless.bench.runner import ONE_THREAD

TASKS = tuple(name for name in suites()["reality"] if name != "dosing")
METHODS = {  # of this package
    "auto": "auto",
    "plain Gaussian process": "stableopt",
    "race": "race",
    "Nelder-Mead, corners": "corners",
    "random search": "random-search",
}
SOLVERS = ("auto", *RIVALS, *(name for name in METHODS if name != "auto"))
FROM_GUESS = "auto, x0=guess"  # on demand: --solvers "auto, x0=guess"
BUDGETS = (50, 100, 300, 1_000, 3_000)
MOST = {"plain Gaussian process": 300}  # evaluations, beyond which a run takes hours
MOST_ON = {"cartpole": 1_000}  # 1 ms per evaluation
LEVEL, LOWEST = 1e-3, 1e-6  # scores that differ by less are level; lower ones are drawn here


class Cell(NamedTuple):
    task: str
    solver: str
    budget: int
    seed: int


def plan(options: argparse.Namespace) -> Iterator[Cell]:
    for budget in map(int, options.budgets.split(",")):
        for task in options.tasks.split(","):
            for solver in options.solvers.split(";"):
                if budget <= min(MOST.get(solver, budget), MOST_ON.get(task, budget)):
                    for k in range(options.runs):
                        yield Cell(task, solver, budget, options.first_seed + k)


def measure(cell: Cell) -> dict[str, Any]:
    """Solve a task and let its referee judge the answer."""
    p, row = find_problem(cell.task), cell._asdict()
    warnings.simplefilter("ignore")
    if cell.solver in RIVALS:
        x = answer_of(cell.solver, p, cell.budget, cell.seed)
    else:
        options: dict[str, Any] = {"maxfev": cell.budget, "rng": cell.seed, "vectorized": True}
        options |= {"x0": p.guess} if cell.solver == FROM_GUESS else {"method": METHODS[cell.solver]}
        found = minimax(p.function, p.x_bounds, p.y_bounds, **options)
        x = found.x
        row |= {"fun": float(found.fun), "success": bool(found.success)}
    truth = float(p.worst_case(x[None])[0][0])
    return row | {"truth": truth, "score": float(score(cell.task, np.array(truth)))}


def run(options: argparse.Namespace) -> None:
    done = {tuple(row[key] for key in Cell._fields) for row in read(options.out)}
    missing = [cell for cell in plan(options) if cell not in done and not find_problem(cell.task).lacks]
    os.environ.update(ONE_THREAD)
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool, options.out.open("a") as lines:
        for n, future in enumerate(as_completed([pool.submit(measure, cell) for cell in missing]), 1):
            row = future.result()
            lines.write(json.dumps(row) + "\n")
            lines.flush()
            print(
                f"{n} of {len(missing)}: {row['task']}, {row['solver']}, {row['budget']}: {row['score']:.2g}",
                flush=True,
            )


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def medians_of(rows: list[dict[str, Any]]) -> dict[tuple[int, str, str], float]:
    """Median scores by budget, task and solver."""
    found = defaultdict(list)
    for row in rows:
        found[row["budget"], row["task"], row["solver"]].append(row["score"])
    return {key: float(np.median(scores)) for key, scores in found.items()}


def ranks_of(medians: dict[tuple[int, str, str], float], budget: int) -> dict[str, float]:
    """Average ranks at a budget, over the tasks that each solver ran."""
    ranks = defaultdict(list)
    for task in TASKS:
        scores = {solver: v for (b, t, solver), v in medians.items() if (b, t) == (budget, task)}
        for solver, mine in scores.items():
            n_lower = sum(other < mine - LEVEL for other in scores.values())
            n_level = sum(abs(other - mine) <= LEVEL for other in scores.values())
            ranks[solver].append(n_lower + (n_level + 1) / 2)
    return {solver: float(np.mean(found)) for solver, found in ranks.items()}


def report(rows: list[dict[str, Any]]) -> None:
    medians = medians_of(rows)
    budgets = sorted({budget for budget, _, _ in medians})
    ranks = {budget: ranks_of(medians, budget) for budget in budgets}
    print("\n## Average ranks")
    show_table(
        ["solver", *(f"{budget:,}" for budget in budgets)],
        [[s, *(f"{ranks[b][s]:.2f}" if s in ranks[b] else "" for b in budgets)] for s in SOLVERS],
    )
    for budget in budgets:
        print(f"\n## Median scores with {budget:,} evaluations")
        lines = []
        for solver in SOLVERS:
            cells = [medians.get((budget, task, solver)) for task in TASKS]
            if any(cell is not None for cell in cells):
                lines.append([solver, *("" if cell is None else written(cell) for cell in cells)])
        show_table(["solver", *TASKS], lines)


def report_guess(rows: list[dict[str, Any]]) -> None:
    """Print how answers compare with the guess where a run began from it: 1 is the guess itself."""
    medians = medians_of(rows)
    print("\n## From the engineer's guess")
    lines = []
    for budget in sorted({row["budget"] for row in rows}):
        here = [row for row in rows if row["budget"] == budget]
        n_worse = sum(is_worse_than_guess(row) for row in here)
        n_better = sum(medians.get((budget, task, FROM_GUESS), 1.0) < 1.0 - LEVEL for task in TASKS)
        lines.append([f"{budget:,}", str(len(here)), str(n_worse), str(n_better)])
    show_table(["evaluations", "runs", "worse than the guess by more than 1 %", "tasks with a better median"], lines)


def is_worse_than_guess(row: dict[str, Any]) -> bool:
    p = find_problem(row["task"])
    guess = float(p.worst_case(np.array([p.guess]))[0][0])
    return bool(row["truth"] > guess + 0.01 * abs(guess))


def written(value: float) -> str:
    """A score as a table has it: nobody needs to read rounding errors."""
    return "0" if value < LOWEST else f"{value:.2g}"


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw the mean logarithm of the median scores over the evaluations, one line per solver."""
    medians, figure = medians_of(rows), new_figure(7.0, 4.2)
    axes, styles = figure.add_subplot(), assign_styles([SOLVERS])
    dress(axes)
    for k, solver in enumerate(SOLVERS):
        points = []
        for budget in BUDGETS:
            found = [v for (b, _, s), v in medians.items() if (b, s) == (budget, solver)]
            if found:
                points.append((budget, float(np.exp(np.mean(np.log(np.maximum(found, LOWEST)))))))
        if points:
            look = styles[solver]
            line = {"color": look.color, "marker": look.marker, "label": solver, "zorder": len(SOLVERS) - k}
            axes.plot(*zip(*points, strict=True), linewidth=2.4 if solver == "auto" else 1.2, **line)
    axes.set(xscale="log", yscale="log", xlabel="evaluations", ylabel="score (1: the engineer's guess)")
    axes.set_xticks(BUDGETS, [f"{budget:,}" for budget in BUDGETS])
    axes.minorticks_off()
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    path.write_text(to_svg(figure), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--first-seed", type=int, default=8101)
    parser.add_argument("--tasks", default=",".join(TASKS), help="separated by commas")
    parser.add_argument("--solvers", default=";".join(SOLVERS), help="separated by semicolons")
    parser.add_argument("--budgets", default=",".join(map(str, BUDGETS)), help="separated by commas")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--out", type=Path, default=Path("reality.jsonl"), help="where the runs are kept")
    parser.add_argument("--figure", type=Path, help="draw the scores to this SVG file")
    options = parser.parse_args()
    run(options)
    rows = read(options.out)
    from_guess = [row for row in rows if row["solver"] == FROM_GUESS]
    report([row for row in rows if row["solver"] != FROM_GUESS])
    if from_guess:
        report_guess(from_guess)
    if options.figure:
        draw(rows, options.figure)


if __name__ == "__main__":
    main()
