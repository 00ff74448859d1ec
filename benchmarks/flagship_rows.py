"""The rows of the table: what is run, with how many evaluations, and how it is judged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from flagship_judges import (
    LOST,
    Judge,
    all_within,
    few_more,
    first_hit,
    hit_ratio,
    hits,
    honest_hits,
    largest_regret,
    median_overhead,
    median_regret,
    median_score,
    none_lost,
)
from flagship_jumps import JUMPS, RIGHT
from flagship_runs import Cell, Run, unit_of

from reckless.bench.problems import problem

Aim = Callable[[list[Run]], bool]
FIRST_SEED, N_RUNS = 8001, 10
FIRST_SEED_OF_LISTS = 7101
WORSE = 1.05  # times the first hit that was measured before


@dataclass(frozen=True)
class Row:
    """One line of the table.

    of: the method whose bar it is. beside: the row and the problem whose runs are judged together with these.
    has_errors: of f, so that estimates are not held against the truth. stop_at, digits, is_exact: see `Cell`.
    """

    name: str
    problem: str
    maxfev: int
    bar: str
    judge: Judge
    aim: Aim | None = None
    of: str = "danskin"
    first_seed: int = FIRST_SEED
    n_runs: int = N_RUNS
    beside: tuple[str, str] | None = None
    has_errors: bool = False
    stop_at: int = 0
    digits: int = 0
    is_exact: bool = False

    def cells(self, method: str, n_runs: int = 0, first_seed: int = 0) -> list[Cell]:
        """Return the runs to make; 0 means as many, or from the seed, that the bar asks for."""
        first, n = first_seed or self.first_seed, n_runs or self.n_runs
        return [
            Cell(self.name, self.problem, method, self.maxfev, seed, self.stop_at, self.digits, self.is_exact)
            for seed in range(first, first + n)
        ]


def make_rows() -> list[Row]:
    """Return all rows, the short ones first."""
    smooth = [*_hit_rows(), *_smooth_rows(), *_wra_rows()]
    without = [_without_estimate(row) for row in smooth if row.name in ESTIMATED and row.problem != "dense:n=50"]
    groups = (_paper_rows(), smooth, without, _jump_rows(), _rounded_rows(), _noise_rows(), _reality_rows())
    return [row for group in (*groups, _kink_rows(), _minima_rows(), _list_rows()) for row in group]


def _first_hits(name: str, maxfev: int, bars: dict[str, float], share: float = 1.0) -> list[Row]:
    how_many = "all solved" if share == 1.0 else f"{N_RUNS * share:.0f} of {N_RUNS} solved"
    soon = {k: f", first hit <= {n:.0f}" if np.isfinite(n) else "" for k, n in bars.items()}
    return [Row(name, k, maxfev, how_many + soon[k], hits(share, n)) for k, n in bars.items()]


def _not_worse(name: str, maxfev: int, measured: dict[str, float]) -> list[Row]:
    """Ask for first hits no later than those measured before, but for their scatter."""
    return _first_hits(name, maxfev, {k: WORSE * n for k, n in measured.items()})


def _named(names: Sequence[str], bars: Sequence[float]) -> dict[str, float]:
    return dict(zip(names, bars, strict=True))


def _hit_within(n: float) -> Aim:
    return lambda runs: first_hit(runs) <= n


# Smooth functions: first hits, by the same seeds, of the method before it had remedies for others.

ESTIMATED = ("hit-L", "hit-mwp", "coupled", "dense", "hit-wra")  # first hits with and without an estimate of errors


def _hit_rows() -> list[Row]:
    mwp = _named([f"MWP{i}" for i in range(1, 8)], (40, 115, 171, 66, 74, 112, 241))
    return [
        *_not_worse("hit-L", 5_000, _named(("L1", "L3", "L4", "L5", "L6"), (45, 82, 510, 62, 154))),
        *_not_worse("hit-mwp", 5_000, mwp | {"absorber": 232}),
    ]


def _smooth_rows() -> list[Row]:
    overhead = Row("overhead", "", 20_000, "<= 40 us", median_overhead(40.0))
    return [
        *_not_worse("coupled", 20_000, _named([f"coupled:instance={i}" for i in (1, 2, 3)], (173, 174, 168))),
        *_not_worse("dense", 20_000, {"dense:n=5": 192, "dense:n=20": 1_011}),
        *_not_worse("dense", 60_000, {"dense:n=50": 2_793}),
        *_not_worse("chebyshev", 8_000, {"chebyshev:n=4": 1_190}),
        *(replace(overhead, problem=f"dense:n={n}") for n in (3, 10, 20)),
    ]


def _wra_rows() -> list[Row]:
    names = ("f1", "f2", "f3", "f4", "f5", "f10", "f11")
    turned = [f"{name}-rotated" for name in names]
    return [
        *_not_worse("hit-wra", 30_000, _named(names, (702, 722, 484, 721, 201, 201, 834))),
        *_not_worse("rotated", 30_000, _named(turned, (939, 908, 747, 865, 201, 243, 1_279))),
        *_not_worse("hit-wra-b", 30_000, {"f3:n=100": 3_076, "f5:b=10": 717, "f5:b=100": 882}),
        *_not_worse("hit-wra-b", 100_000, {"f11:b=10": 900, "f11:b=100": 4_335}),
    ]


def _without_estimate(row: Row) -> Row:
    return replace(
        row,
        name="estimate",
        bar="at most 10 more than without",
        judge=few_more("estimate", 10),
        beside=(row.name, row.problem),
        is_exact=True,
    )


# What the first `danskin` could do, and could not.

# Its first hits by the same seeds; the first five of them for L2:n=50 and deviations-y.
BEFORE = {
    "L2:n=10": 1_818,
    "L2:n=50": 34_931,
    "L1:n=50": 1_595,
    "f9": 3_268,
    "deviations-y": 673,
    "filter": 7_043,
    "rastrigin": 4_244,
    "rastrigin-rotated": 54_728,
    "rastrigin-coupled": 2_021,
    "vertices:n=8": 2_373,
    "vertices:n=12": 5_345,
}
# Its median regrets, of which those below 1e-9 count as equal.
NOISE_BEFORE = {"noisy-L1": 1e-9, "noisy-L6": 8.6e-6, "floored-L1": 1e-9}
ROUNDED_BEFORE = {  # to 3, 4, 5 and 6 digits
    "L1": (3.4e-9, 1e-9, 1e-9, 1e-9),
    "MWP1": (3.6e-8, 1e-9, 1e-9, 1.2e-8),
    "MWP5": (5.4e-4, 9.5e-8, 1e-9, 3.6e-6),
    "coupled:instance=1": (1.4e-3, 6.4e-2, 3.7, 2.8),
}


def _paper_rows() -> list[Row]:
    names = [f"L{i}" for i in range(1, 7)]
    bars = dict.fromkeys(names, 1e-6) | {"L4": 1e-3}
    path = Row("path", "", 100_000, "first hit <= 2 times that at 1e4", hit_ratio("path", 2.0), stop_at=20_000)
    return [
        *(Row("L-1e3", k, 1_000, f"median <= {bars[k]:g}", median_regret(bars[k])) for k in names),
        *(Row("L-1e4", k, 10_000, "largest <= 1e-8", largest_regret(1e-8)) for k in names),
        *(replace(path, problem=k, beside=("L-1e4", k)) for k in names),
    ]


def _jump_rows() -> list[Row]:
    return [Row("jumps", name, 2_000, "x in [1.9, 2] each time", all_within(RIGHT)) for name in JUMPS]


def _rounded_rows() -> list[Row]:
    return [
        Row(
            f"rounded-{digits}",
            k,
            2_000,
            f"median <= {bar:.1e}, none lost",
            none_lost(bar),
            digits=digits,
            has_errors=True,
        )
        for k in ROUNDED_BEFORE
        for digits, bar in zip((3, 4, 5, 6), _rounded_bars(k), strict=True)
    ]


def _rounded_bars(name: str) -> list[float]:
    """Allow one unit in the last digit of the optimum, or a fifth more than the method before had; no loss."""
    units = [float(unit_of(np.array(problem(name).optimum.value), digits)) for digits in (3, 4, 5, 6)]
    return [min(max(1.2 * before, unit), LOST) for before, unit in zip(ROUNDED_BEFORE[name], units, strict=True)]


def _noise_rows() -> list[Row]:
    return [
        Row("noise", k, 20_000, f"median <= {bar:.1e}", median_regret(bar), has_errors=True)
        for k, bar in NOISE_BEFORE.items()
    ]


def _reality_rows() -> list[Row]:
    bars = {
        "beam": (1e-3, 1e-5),
        "exchanger": (1e-4, 1e-4),
        "pid": (0.2, 0.03),
        "reactor": (0.02, 0.005),
        "throw": (1e-3, 1e-4),
        "coating": (10.0, 8.0),
        "sallenkey": (0.5, 0.3),
    }
    return [
        Row("reality", k, n, f"median score <= {bar:g} at {n}", median_score(bar))
        for k, both in bars.items()
        for n, bar in zip((1_000, 3_000), both, strict=True)
    ]


def _kink_rows() -> list[Row]:
    turned = Row(
        "kinks-rotated", "", 100_000, "first hit <= 3 times that of the plain one", hit_ratio("kinks-rotated", 3.0)
    )
    quartic = _first_hits("quartic", 200_000, {"f7:b=10": 20_000, "f7:b=100": 20_000})
    return [
        *_first_hits("L2", 5_000, {"L2": 480}),
        *_first_hits("L2", 20_000, {"L2:n=10": BEFORE["L2:n=10"]}),
        *_first_hits("L2", 60_000, {"L2:n=50": BEFORE["L2:n=50"]}),
        *_first_hits("L2", 5_000, {"L1:n=50": BEFORE["L1:n=50"]}),
        *_first_hits("kinks", 100_000, {"f6": 8_000, "f8": 9_000, "f9": BEFORE["f9"]}),
        *(replace(turned, problem=f"{k}-rotated", beside=("kinks", k)) for k in ("f6", "f8")),
        *(replace(row, aim=_hit_within(8_000)) for row in (*_first_hits("quartic", 100_000, {"f7": 12_000}), *quartic)),
        *_first_hits(
            "deviations", 100_000, {"deviations:n=5": 600, "deviations:n=10": 2_400, "deviations:n=20": 7_500}
        ),
        *_first_hits("deviations", 100_000, {"deviations-y": BEFORE["deviations-y"]}),
        *_first_hits("kinks-xy", 200_000, {"kinks-xy:n=5": 15_000}),
        *_first_hits("kinks-xy", 200_000, {"kinks-xy:n=10": np.inf}, share=0.7),
    ]


def _minima_rows() -> list[Row]:
    (filtered,) = _first_hits("filter", 100_000, {"filter": BEFORE["filter"]})
    return [
        replace(filtered, aim=_hit_within(5_000)),
        *_first_hits("rastrigin", 100_000, {k: BEFORE[k] for k in ("rastrigin", "rastrigin-coupled")}),
        *_first_hits("rastrigin", 100_000, {"rastrigin-rotated": BEFORE["rastrigin-rotated"]}, share=0.9),
        *(
            Row("vertices", k, 50_000, f"all solved and honest, first hit <= {BEFORE[k]}", honest_hits(BEFORE[k]))
            for k in ("vertices:n=8", "vertices:n=12")
        ),
    ]


# The bars of finite. First hits measured before; a bar is at most a tenth more.

_LISTS = {
    "ball:n=2,k=5": 79,
    "ball:n=4,k=30": 593,
    "ball:n=10,k=50": 2_946,
    "ball:n=3,k=300": 2_654,
    "chebyshev-list:n=3,k=40": 330,
    "chebyshev-list:n=8,k=60": 2_180,
    "maxq:n=10": 2_660,
    "maxq:n=20": 9_000,
    "filter41": 24_000,
}
_QUADRATICS = {
    "quadratics:k=5,n=3,instance={instance}": 119,
    "quadratics:k=20,n=10,instance={instance}": 805,
    "quadratics:k=50,n=5,instance={instance}": 667,
}


def _list_rows() -> list[Row]:
    truss, portfolio = (
        Row("score", k, n, f"median score <= {bar:g}", median_score(bar))
        for k, n, bar in (("truss", 1_000, 1e-5), ("portfolio", 3_000, 1e-3))
    )
    lists, quadratics = ({k: 1.1 * n for k, n in bars.items()} for bars in (_LISTS, _QUADRATICS))
    rows = [
        truss,
        portfolio,
        *_first_hits("quadratics", 20_000, quadratics),
        *_first_hits("lists", 50_000, lists),
    ]
    return [replace(row, of="finite", first_seed=FIRST_SEED_OF_LISTS) for row in rows]
