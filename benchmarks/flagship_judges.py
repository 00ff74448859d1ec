"""Judge measured runs: the sentence to print, and whether the bar is met."""

from collections.abc import Callable, Iterable

import numpy as np
from flagship_runs import SOLVED, Run

Judge = Callable[[list[Run]], tuple[str, bool]]
Line = tuple[str, str, str, str, str]  # row, problem, bar, measured, verdict
ROUNDING = 1e-9  # of shares


def solved(runs: list[Run]) -> int:
    return sum(r.regret <= SOLVED for r in runs)


def first_hit(runs: list[Run]) -> float:
    return float(np.median([r.first_hit for r in runs]))


def verdict(is_met: bool, is_aimed: bool | None = None) -> str:
    if not is_met:
        return "MISSED"
    return "met, aim too" if is_aimed else "met"


# Of the runs of one row.


def median_regret(bar: float) -> Judge:
    def judge(runs: list[Run]) -> tuple[str, bool]:
        median = float(np.median([r.regret for r in runs]))
        return f"median {median:.1e}, solved {solved(runs)}/{len(runs)}", median <= bar

    return judge


def largest_regret(bar: float) -> Judge:
    def judge(runs: list[Run]) -> tuple[str, bool]:
        largest = max(r.regret for r in runs)
        return f"largest {largest:.1e}, first hit {first_hit(runs):.0f}", largest <= bar

    return judge


def hits(share: float, within: float = np.inf) -> Judge:
    """Ask for a share of the runs to be solved, and for a median first hit."""

    def judge(runs: list[Run]) -> tuple[str, bool]:
        middle, last = first_hit(runs), max(r.first_hit for r in runs)
        text = f"{solved(runs)}/{len(runs)}, first hit {middle:.0f} (last {last:.0f})"
        return text, solved(runs) >= share * len(runs) - ROUNDING and middle <= within

    return judge


def median_score(bar: float) -> Judge:
    def judge(runs: list[Run]) -> tuple[str, bool]:
        median = float(np.median([r.score for r in runs]))
        return f"median score {median:.1e}, largest {max(r.score for r in runs):.1e}", median <= bar

    return judge


def median_overhead(bar: float) -> Judge:
    def judge(runs: list[Run]) -> tuple[str, bool]:
        median = float(np.median([r.overhead for r in runs]))
        return f"{median:.0f} us per evaluation", median <= bar

    return judge


def solved_and_honest(runs: list[Run]) -> tuple[str, bool]:
    both = sum(r.is_honest and r.regret <= SOLVED for r in runs)
    return f"{both}/{len(runs)}, first hit {first_hit(runs):.0f}", both == len(runs)


# Of the runs of several rows. `runs` are those of one method, unless said otherwise.


def of_row(runs: Iterable[Run], row: str, problem: str) -> list[Run]:
    return [r for r in runs if (r.row, r.problem) == (row, problem)]


def judge_path(runs: list[Run]) -> list[Line]:
    """Compare first hits at 1e5 with those of the same seeds at 1e4."""
    lines = []
    for name in (f"L{i}" for i in range(1, 7)):
        long = of_row(runs, "path", name)
        short = {r.seed: r for r in of_row(runs, "L-1e4", name)}
        if long and all(r.seed in short for r in long):
            ratio = first_hit(long) / first_hit([short[r.seed] for r in long])
            lines.append(("path", name, "ratio <= 2", f"ratio {ratio:.2f}", verdict(ratio <= 2.0, ratio <= 1.2)))
    return lines


def judge_rotated(runs: list[Run]) -> list[Line]:
    """Compare first hits on rotated functions with those on the functions of the suite."""
    lines = []
    for name in dict.fromkeys(r.problem for r in runs if r.row == "rotated"):
        turned, plain = of_row(runs, "rotated", name), of_row(runs, "hit-wra", name.removesuffix("-rotated"))
        if plain:
            before, after = first_hit(plain), first_hit(turned)
            text = f"{after:.0f} / {before:.0f} = {after / before if np.isfinite(before) else np.nan:.2f}"
            is_met = bool(np.isfinite(after) and after <= 1.5 * before)
            lines.append(("rotated", name, "ratio <= 1.5", text, verdict(is_met)))
    return lines


def judge_honesty(runs: list[Run], noisy: set[str], method: str) -> list[Line]:
    """Count estimates that are right: of all runs, a bar of danskin, and of those that claim success."""
    lines = []
    exact = [r for r in runs if r.row not in noisy]
    for name, found, bar, aim in (
        ("all noise-free", exact, 0.99 if method == "danskin" else 0.0, 0.998),
        ("success claimed", [r for r in exact if r.success], 0.995, 1.0),
    ):
        if found:
            share = sum(r.is_honest for r in found) / len(found)
            text = f"{sum(r.is_honest for r in found)}/{len(found)} = {100 * share:.2f} %"
            lines.append(("honesty", name, f">= {100 * bar:g} %", text, verdict(share >= bar, share >= aim)))
    return lines


def judge_overhead(runs: list[Run]) -> list[Line]:
    lines = []
    for rows, bar in ((("L-1e3", "L-1e4", "filter"), 40.0), (("n50",), 150.0)):
        for row, name in dict.fromkeys((r.row, r.problem) for r in runs if r.row in rows):
            text, is_met = median_overhead(bar)(of_row(runs, row, name))
            is_aimed = median_overhead(0.5 * bar)(of_row(runs, row, name))[1]
            lines.append(("overhead", f"{row} {name}", f"<= {bar:.0f} us", text, verdict(is_met, is_aimed)))
    return lines


def judge_against(runs: list[Run], method: str, rival: str) -> list[Line]:
    """Compare median regrets with those of another method, where it was run on the same problems. runs: of both."""
    lines = []
    for row, name in dict.fromkeys((r.row, r.problem) for r in runs if r.method == rival):
        ours, theirs = (
            float(np.median([r.regret for r in of_row(runs, row, name) if r.method == which] or [np.nan]))
            for which in (method, rival)
        )
        text = f"{ours:.1e} against {theirs:.1e}"
        lines.append((row, name, f"not worse than {rival}", text, verdict(ours <= theirs)))
    return lines
