"""Judge measured runs: the sentence to print, and whether the bar is met."""

from collections.abc import Callable, Iterable

import numpy as np
from flagship_runs import SOLVED, Run

Judge = Callable[[list[Run]], tuple[str, bool]]
Line = tuple[str, str, str, str, str]  # row, problem, bar, measured, verdict
ROUNDING = 1e-9  # of shares
LOST = 0.1  # regret; the coarsest resolution of the rows with rounded values is a tenth of that
COUNTED = ("f5", "dense:n=20", "MWP7", "absorber")  # where requests are held against evaluations


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


def all_within(bar: float) -> Judge:
    def judge(runs: list[Run]) -> tuple[str, bool]:
        n_right = sum(r.regret <= bar for r in runs)
        return f"{n_right}/{len(runs)}, largest regret {max(r.regret for r in runs):.1e}", n_right == len(runs)

    return judge


def none_lost(bar: float) -> Judge:
    """Ask for a median regret, and for no run that went astray."""

    def judge(runs: list[Run]) -> tuple[str, bool]:
        regrets = [r.regret for r in runs]
        median, n_lost = float(np.median(regrets)), sum(regret > LOST for regret in regrets)
        return f"median {median:.1e}, largest {max(regrets):.1e}, {n_lost} lost", median <= bar and not n_lost

    return judge


def hits(share: float, within: float = np.inf) -> Judge:
    """Ask for a share of the runs to be solved, and for a median first hit."""

    def judge(runs: list[Run]) -> tuple[str, bool]:
        middle, last = first_hit(runs), max(r.first_hit for r in runs)
        text = f"{solved(runs)}/{len(runs)}, first hit {middle:.0f} (last {last:.0f})"
        return text, solved(runs) >= share * len(runs) - ROUNDING and middle <= within

    return judge


def honest_hits(within: float) -> Judge:
    """Ask for all runs to be solved and honest, and for a median first hit."""

    def judge(runs: list[Run]) -> tuple[str, bool]:
        text, is_met = hits(1.0, within)(runs)
        n_honest = sum(r.is_honest for r in runs)
        return f"{text}, {n_honest} honest", is_met and n_honest == len(runs)

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


# Of the runs of one row and those beside which they stand: the same seeds, other circumstances.


def hit_ratio(row: str, bar: float) -> Judge:
    """Hold the first hit against that of the runs beside it."""

    def judge(runs: list[Run]) -> tuple[str, bool]:
        ours, theirs = split(runs, row)
        after, before = first_hit(ours), first_hit(theirs)
        ratio = after / before if np.isfinite(before) else np.nan
        return f"{after:.0f} / {before:.0f} = {ratio:.2f}", bool(np.isfinite(after) and after <= bar * before)

    return judge


def few_more(row: str, bar: float) -> Judge:
    """Ask how many evaluations more the runs beside it take to their first hit."""

    def judge(runs: list[Run]) -> tuple[str, bool]:
        without, with_it = split(runs, row)
        after, before = first_hit(with_it), first_hit(without)
        return f"{after:.0f} - {before:.0f} = {after - before:.0f}", bool(np.isfinite(after) and after <= before + bar)

    return judge


def split(runs: list[Run], row: str) -> tuple[list[Run], list[Run]]:
    return [r for r in runs if r.row == row], [r for r in runs if r.row != row]


# Of the runs of several rows.


def judge_honesty(runs: Iterable[Run]) -> list[Line]:
    """Count estimates that are right: of all runs, and of those that claim success."""
    lines = []
    runs = list(runs)
    for name, found, bar, aim in (
        ("all without errors of f", runs, 0.99, 0.998),
        ("success claimed", [r for r in runs if r.success], 0.995, 1.0),
    ):
        if found:
            n_honest = sum(r.is_honest for r in found)
            share = n_honest / len(found)
            text = f"{n_honest}/{len(found)} = {100 * share:.2f} %"
            lines.append(("honesty", name, f">= {100 * bar:g} %", text, verdict(share >= bar, share >= aim)))
    return lines


def judge_requests(runs: Iterable[Run]) -> list[Line]:
    """Hold the batches of f up to the first hit against the evaluations in them."""
    lines = []
    runs = list(runs)
    for name in COUNTED:
        ratios = [r.requests / r.first_hit if np.isfinite(r.first_hit) else 1.0 for r in runs if r.problem == name]
        if ratios:
            share = float(np.median(ratios))
            lines.append(("requests", name, "<= 1/4", f"{share:.3f}", verdict(share <= 1 / 4, share <= 1 / 8)))
    return lines
