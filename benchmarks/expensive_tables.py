"""Tables, bars and learning curves of benchmarks/expensive.py, from its rows."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reckless.bench.figures import to_svg
from reckless.bench.figures.style import COLORS, dress, new_figure

Row = Mapping[str, Any]

LOWEST = -6.0  # of the logarithm of a median
LEVEL = 3  # decimals of a score to which ranks compare
SCORE_BARS = {30: -2.7, 60: -4.4, 100: -5.2, 200: -5.5}
LARGEST_AT, LARGEST_BAR = 100, 0.3
MEDIAN_BARS = {  # at 50, 100, 300 evaluations
    "beam": (2.0, 1.2, 3e-6),
    "exchanger": (1e-3, 8e-8, 6e-9),
    "pid": (14.0, 0.97, 1e-6),
    "reactor": (0.35, 0.007, 0.0),
    "throw": (0.11, 0.03, 0.013),
    "coating": (23.0, 18.0, 9.0),
    "cartpole": (0.36, 0.02, 4e-6),
    "sallenkey": (5.3, 1.7, 0.05),
    "truss": (0.54, 0.02, 6e-8),
    "portfolio": (0.3, 2e-9, 2e-9),
}
MEDIAN_BUDGETS = (50, 100, 300)
MEDIAN_FACTOR, MEDIAN_FLOOR = 1.5, 1e-3
RANK_BARS = {50: 1.8, 100: 1.4, 300: 1.3}
LEFT_OUT = ("auto",)  # of the recorded rivals: it is no method of its own
TOO_LOW, TOO_LOW_BAR = 0.01, 0.02
COVERAGE_AT, COVERAGE_BAR, GIVEN_BAR = (60, 100, 200), (0.93, 0.995), 0.7
ROUNDING = 1e-9


def report(rows: Sequence[Row], rivals: Sequence[Row], units: Mapping[str, tuple[float, float]]) -> None:
    """Print all tables, method by method. units: best worst case and unit of regret of each task of the rivals."""
    for method in dict.fromkeys(row["method"] for row in rows):
        mine = [row for row in rows if row["method"] == method]
        parts = grouped(mine, "part")
        print(f"\n# {method}")
        if "analytic" in parts:
            show_analytic(parts["analytic"])
        if "reality" in parts:
            show_reality(parts["reality"])
            show_ranks(method, parts["reality"], rivals, units)
        for part in ("analytic", "reality"):
            if part in parts:
                show_honesty(part, parts[part])
        if "batch" in parts:
            show_batches(parts["batch"])
        if "time" in parts:
            show_times(parts["time"])


def grouped(rows: Iterable[Row], *keys: str) -> dict[Any, list[Row]]:
    """Rows by the value of one key, or by the values of several."""
    groups: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row[keys[0]] if len(keys) == 1 else tuple(row[key] for key in keys)].append(row)
    return dict(groups)


def median(rows: Iterable[Row], key: str = "score") -> float:
    return float(np.median([row[key] for row in rows]))


def log_score(value: float) -> float:
    return max(float(np.log10(max(value, 1e-300))), LOWEST)


def verdict(is_met: bool) -> str:
    return "met" if is_met else "**missed**"


def show_table(head: Sequence[object], lines: Iterable[Sequence[object]]) -> None:
    print("\n| " + " | ".join(map(str, head)) + " |\n" + "|---" * len(head) + "|")
    for line in lines:
        print("| " + " | ".join(map(str, line)) + " |")


def show_analytic(rows: Sequence[Row]) -> None:
    print("\n## Regret relative to that of a median random x: median (largest), and median error of fun")
    cells, budgets = grouped(rows, "task", "budget"), sorted(grouped(rows, "budget"))

    def described(found: Sequence[Row] | None) -> str:
        if not found:
            return "-"
        error = np.median([abs(row["fun"] - row["truth"]) / row["unit"] for row in found])
        return f"{median(found):.1e} ({max(row['score'] for row in found):.0e}), {error:.0e}"

    tasks = dict.fromkeys(row["task"] for row in rows)
    show_table(["problem", *budgets], [[t, *(described(cells.get((t, b))) for b in budgets)] for t in tasks])
    lines = []
    for budget in budgets:
        found = [median(cells[t, budget]) for t in tasks if (t, budget) in cells]
        score, bar = float(np.mean([log_score(value) for value in found])), SCORE_BARS.get(budget)
        lines.append([budget, f"{score:.2f}", bar or "-", verdict(score <= bar) if bar else "", len(found)])
    show_table(["budget", "score", "bar", "", "problems"], lines)
    if at := [row for row in rows if row["budget"] == LARGEST_AT]:
        worst = max(at, key=lambda row: row["score"])
        is_met = verdict(worst["score"] <= LARGEST_BAR)
        print(f"\nLargest at {LARGEST_AT}: {worst['score']:.2g} ({worst['task']}), bar {LARGEST_BAR}: {is_met}.")


def show_reality(rows: Sequence[Row]) -> None:
    print("\n## Median score of the true worst case (0 best known, 1 the guess), bar, and distinct x")
    cells, budgets = grouped(rows, "task", "budget"), sorted(grouped(rows, "budget"))

    def described(task: str, budget: int) -> str:
        found = cells.get((task, budget))
        if not found:
            return "-"
        text = f"{median(found):.2g}"
        if task in MEDIAN_BARS and budget in MEDIAN_BUDGETS:
            recorded = MEDIAN_BARS[task][MEDIAN_BUDGETS.index(budget)]
            bar = max(MEDIAN_FACTOR * recorded, MEDIAN_FLOOR)
            text += f" ({bar:.2g}: {verdict(median(found) <= bar)})"
        return f"{text}, {median(found, 'n_x'):.0f} x"

    tasks = sorted({row["task"] for row in rows})
    show_table(["task", *budgets], [[task, *(described(task, budget) for budget in budgets)] for task in tasks])


def show_ranks(
    method: str, rows: Sequence[Row], rivals: Sequence[Row], units: Mapping[str, tuple[float, float]]
) -> None:
    """Average ranks over the tasks that the rivals have; scores that round to the same are level."""
    medians: dict[tuple[int, str, str], float] = {
        (budget, task, method): median(found) for (budget, task), found in grouped(rows, "budget", "task").items()
    }
    for (budget, task, solver), found in grouped(rivals, "budget", "task", "solver").items():
        if solver not in LEFT_OUT:
            best, unit = units[task]
            name = f"{solver} (recorded)"
            medians[budget, task, name] = (median(found, "worst") - best) / unit
    if not rivals:
        return
    solvers = list(dict.fromkeys(solver for _, _, solver in medians))
    ranks = {
        budget: average_ranks(medians, budget, method, units) for budget in sorted({row["budget"] for row in rows})
    }
    print("\n## Average ranks (scores that agree to 1e-3 are level)")
    show_table(
        ["solver", *ranks],
        [
            [solver, *(f"{found[solver]:.2f}" if solver in found else "-" for found in ranks.values())]
            for solver in solvers
        ],
    )
    for budget, bar in RANK_BARS.items():
        if method in ranks.get(budget, {}):
            rank = ranks[budget][method]
            print(f"\nRank at {budget}: {rank:.2f}, bar {bar}: {verdict(rank <= bar)}.")


def average_ranks(
    medians: Mapping[tuple[int, str, str], float], budget: int, method: str, tasks: Iterable[str]
) -> dict[str, float]:
    """Ranks at one budget over the tasks that `method` was run on; those run on fewer tasks are not listed."""
    ranks: dict[str, list[float]] = defaultdict(list)
    for task in tasks:
        values = {s: round(value, LEVEL) for (b, t, s), value in medians.items() if (b, t) == (budget, task)}
        if method not in values:
            continue
        for solver, value in values.items():
            n_lower = sum(other < value for other in values.values())
            n_level = sum(other == value for other in values.values())
            ranks[solver].append(n_lower + (n_level + 1) / 2)
    n_tasks = len(ranks.get(method, ()))
    return {solver: float(np.mean(found)) for solver, found in ranks.items() if len(found) == n_tasks}


def is_too_low(row: Row) -> bool:
    """Whether fun is below the truth by more than 1 %: of the truth, or of the unit where the optimum may be 0."""
    size = abs(row["truth"]) if row["part"] == "reality" else row["unit"]
    return not row["truth"] - row["fun"] <= TOO_LOW * size


def is_sure(row: Row) -> bool:
    n_agreed, n_searches = row["agreement"] or (0, 0)
    return bool(row["success"]) and n_searches > 0 and 2 * n_agreed >= n_searches


def is_covered(row: Row) -> bool:
    return bool(row["truth"] <= row["upper"] + ROUNDING * max(row["unit"], abs(row["truth"])))


def show_honesty(part: str, rows: Sequence[Row]) -> None:
    print(f"\n## What was claimed: {part}")
    lines = []
    for budget, found in sorted(grouped(rows, "budget").items()):
        n = len(found)
        given = [row for row in found if row["upper"] is not None]
        wrong = sum(is_too_low(row) and is_sure(row) for row in found)
        covered = sum(map(is_covered, given)) / len(given) if given else np.nan
        low, high = COVERAGE_BAR
        judged = ""
        if part == "analytic" and budget in COVERAGE_AT:
            judged = verdict(low <= covered <= high and len(given) >= GIVEN_BAR * n)
        lines.append(
            [
                *(budget, n, sum(map(is_too_low, found)), sum(row["success"] for row in found)),
                f"{wrong} = {100 * wrong / n:.1f} %, {verdict(wrong < TOO_LOW_BAR * n)}",
                f"{100 * len(given) / n:.0f} %",
                f"{100 * covered:.1f} % {judged}",
                f"{np.median([row['seconds'] for row in found]):.2f}",
            ]
        )
    head = ["budget", "runs", "fun too low by > 1 %", "success", "too low, yet success and agreement >= 1/2"]
    show_table([*head, "upper given", "truth <= upper", "seconds"], lines)


def show_batches(rows: Sequence[Row]) -> None:
    print("\n## Requests of eight until the score of 60 evaluations, one at a time, is reached: medians")
    lines = []
    for task, found in grouped(rows, "task").items():
        reached = [row for row in found if row["n_requests"] is not None]
        medians = [f"{median(reached, key):.0f}" for key in ("nfev", "n_requests")] if reached else ["-", "-"]
        counts = f"{len(reached)} of {len(found)}"
        lines.append([task, f"{median(found):.1e}", f"{median(found, 'n_alone'):.0f}", *medians, counts])
    show_table(["problem", "score at 60", "requests at 60", "evaluations", "requests", "reached"], lines)


def show_times(rows: Sequence[Row]) -> None:
    print("\n## Seconds of processor time per round")
    lines = []
    for (task, budget), found in sorted(grouped(rows, "task", "budget").items()):
        timed = [row for row in found if "mean" in row]
        if timed:
            lines.append([task, budget, *(f"{median(timed, key):.3f}" for key in ("mean", "median", "n_rounds"))])
    show_table(["problem", "points", "mean", "median", "rounds"], lines)


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw how the scores of every method fall with the budget."""
    figure = new_figure(8.0, 3.4)
    panels: tuple[tuple[str, str, Callable[[float], float]], ...] = (
        ("analytic", "14 problems with closed forms", log_score),
        ("reality", "11 simulators and applications", log_score),
    )
    methods = list(dict.fromkeys(row["method"] for row in rows))
    for k, (part, title, scored) in enumerate(panels):
        axes = figure.add_subplot(1, 2, k + 1)
        dress(axes)
        for method in methods:
            cells = grouped((r for r in rows if (r["part"], r["method"]) == (part, method)), "budget", "task")
            budgets = sorted({budget for budget, _ in cells})
            means = [np.mean([scored(median(v)) for (b, _), v in cells.items() if b == budget]) for budget in budgets]
            if budgets:
                color = COLORS[methods.index(method) % len(COLORS)]
                axes.plot(budgets, means, "o-", color=color, label=method)
        axes.set_xscale("log")
        axes.set_xlabel("evaluations")
        axes.set_ylabel("mean of log10 of the median score")
        axes.set_title(title)
        if axes.lines:
            axes.set_xticks(sorted({b for line in axes.lines for b in line.get_xdata()}))
            axes.xaxis.set_major_formatter("{x:.0f}")
            axes.minorticks_off()
            axes.legend(frameon=False)
    path.write_text(to_svg(figure), encoding="utf-8")
