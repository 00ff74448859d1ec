"""The rows of the table: what is run, with how many evaluations, and how it is judged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from flagship_judges import (
    Judge,
    first_hit,
    hits,
    largest_regret,
    median_overhead,
    median_regret,
    median_score,
    solved,
    solved_and_honest,
)
from flagship_runs import Cell, Run

Aim = Callable[[list[Run]], bool]
ANY = 0.0  # share of the runs that must be solved: the median decides


@dataclass(frozen=True)
class Row:
    """One line of the table. of: the method whose bar it is. stop_at: see `Cell`. rival: run for comparison."""

    name: str
    problem: str
    maxfev: int
    n_runs: int
    bar: str
    judge: Judge
    aim: Aim | None = None
    of: str = "danskin"
    first_seed: int = 3001
    stop_at: int = 0
    rival: str = ""

    def cells(self, method: str, n_runs: int = 0, first_seed: int = 0) -> list[Cell]:
        """Return the runs to make; 0 means as many, or from the seed, that the bar asks for."""
        first, n = first_seed or self.first_seed, n_runs or self.n_runs
        return [
            Cell(self.name, self.problem, which, self.maxfev, seed, self.stop_at)
            for which in dict.fromkeys(filter(None, (method, self.rival)))
            for seed in range(first, first + n)
        ]


def make_rows() -> list[Row]:
    """Return all rows, the short ones first."""
    groups = (_paper_rows, _mwp_rows, _stress_rows, _wra_rows, _hit_rows, _smooth_rows, _hit_wra_rows, _list_rows)
    return [row for group in groups for row in group()]


# The bars of danskin.


def _all_solved(runs: list[Run]) -> bool:
    return solved(runs) == len(runs)


def _hit_within(n: float) -> Aim:
    return lambda runs: first_hit(runs) <= n


def _paper_rows() -> list[Row]:
    names = [f"L{i}" for i in range(1, 7)]
    bars = dict.fromkeys(names, 1e-6) | {"L4": 1e-3}
    filter_bar = "11 of 12, median first hit <= 20000"
    most = lambda runs: solved(runs) >= 0.9 * len(runs)  # noqa: E731
    return [
        *(Row("L-1e3", k, 1_000, 30, f"median <= {bars[k]:g}", median_regret(bars[k]), most) for k in names),
        Row("filter", "filter", 100_000, 12, filter_bar, hits(11 / 12, 20_000), _hit_within(8_000)),
        *(Row("L-1e4", k, 10_000, 30, "largest <= 1e-8", largest_regret(1e-8)) for k in names),
        *(Row("path", k, 100_000, 10, "all hit", hits(1.0), stop_at=20_000) for k in names),
        Row("n50", "L1:n=50", 5_000, 5, "all 1e-8", largest_regret(1e-8), _hit_within(2_500)),
        Row("n50", "L2:n=50", 60_000, 5, "all 1e-6", hits(1.0), _hit_within(30_000)),
    ]


def _mwp_rows() -> list[Row]:
    bars = {f"MWP{i}": 1.25 * n for i, n in enumerate((249, 357, 405, 315, 324, 429, 702), 1)}
    return [
        *(Row("mwp", k, 10_000, 20, f"20/20, first hit <= {n:.0f}", hits(1.0, n)) for k, n in bars.items()),
        Row("mwp", "absorber", 5_000, 20, "20/20, first hit <= 1110", hits(1.0, 1_110)),
    ]


def _stress_rows() -> list[Row]:
    noise = {"noisy-L1": 1e-6, "noisy-L6": 1e-4, "floored-L1": 1e-2}
    deviations = {"deviations:n=5": 2_500, "deviations:n=10": 9_000, "deviations:n=20": 30_000}
    vertices = Row("vertices", "", 50_000, 8, "8/8 solved, honest", solved_and_honest)
    return [
        *(
            Row("noise", k, 20_000, 10, f"median <= {bar:g}", median_regret(bar), rival="reckless")
            for k, bar in noise.items()
        ),
        *(replace(vertices, problem=f"vertices:n={n}") for n in (8, 12)),
        *(
            Row("deviations", k, 100_000, 5, f"5/5, first hit <= {n}", hits(1.0, n), _hit_within(n / 2))
            for k, n in deviations.items()
        ),
        Row("deviations", "deviations-y", 100_000, 3, "none", hits(ANY)),
        Row("rastrigin", "rastrigin", 100_000, 10, "9/10", hits(0.9), _all_solved),
        Row("rastrigin", "rastrigin-rotated", 100_000, 10, "8/10", hits(0.8), _all_solved),
        Row("rastrigin", "rastrigin-coupled", 100_000, 3, "none", hits(ANY)),
    ]


def _wra_rows() -> list[Row]:
    fuller = (2_300, 1_900, 4_300, 2_000, 1_700, 19_000, 35_000, 20_000, 6_300, 1_700, 8_200)
    bars = {f"f{i}": 1.25 * n for i, n in enumerate(fuller, 1)}
    rows = [
        Row("wra", k, 100_000, 10, f"10/10, first hit <= {n:.0f}", hits(1.0, n), _hit_within(10_000))
        for k, n in bars.items()
    ]
    strong = [f"f{i}:b={b}" for i in (5, 7, 11) for b in (10, 100)]
    rows += [Row("wra-b", k, 200_000, 5, "5/5", hits(1.0), _all_solved) for k in strong[:-1]]
    return [*rows, Row("wra-b", strong[-1], 1_000_000, 5, "4/5", hits(0.8), _all_solved)]


# The bars of descent and finite: first hits, by seeds from 7001.


def _first_hits(
    name: str, maxfev: int, bars: dict[str, float], share: float = ANY, of: str = "descent", n_runs: int = 10
) -> list[Row]:
    all_solved = "" if share == ANY else "all solved, "
    return [
        Row(name, k, maxfev, n_runs, f"{all_solved}first hit <= {n:.0f}", hits(share, n), of=of, first_seed=7001)
        for k, n in bars.items()
    ]


def _named(names: Sequence[str], bars: Sequence[float]) -> dict[str, float]:
    return dict(zip(names, bars, strict=True))


def _hit_rows() -> list[Row]:
    mwp = _named([f"MWP{i}" for i in range(1, 8)], (55, 130, 420, 75, 90, 160, 320))
    return [
        *_first_hits("hit-L", 5_000, _named(("L1", "L3", "L4", "L5", "L6"), (55, 80, 600, 75, 160))),
        *_first_hits("hit-mwp", 5_000, mwp | {"absorber": 400}),
    ]


def _smooth_rows() -> list[Row]:
    overhead = Row("overhead", "", 20_000, 10, "<= 40 us", median_overhead(40.0), of="descent", first_seed=7001)
    return [
        *_first_hits("coupled", 20_000, dict.fromkeys([f"coupled:instance={i}" for i in (1, 2, 3)], 200)),
        *_first_hits("dense", 20_000, {"dense:n=5": 250, "dense:n=20": 1_300}),
        *_first_hits("dense", 60_000, {"dense:n=50": 3_500}),
        *_first_hits("chebyshev", 8_000, {"chebyshev:n=4": 1_300}, share=1.0),
        *(replace(overhead, problem=f"dense:n={n}") for n in (3, 10, 20)),
    ]


def _hit_wra_rows() -> list[Row]:
    names = ("f1", "f2", "f3", "f4", "f5", "f10", "f11")
    turned = Row("rotated", "", 30_000, 10, "none; see the ratio", hits(ANY), of="descent", first_seed=7001)
    return [
        *_first_hits("hit-wra", 30_000, _named(names, (1100, 1100, 900, 1100, 250, 300, 1000)), share=1.0),
        *(replace(turned, problem=f"{name}-rotated") for name in names),
        *_first_hits("hit-wra-b", 30_000, {"f3:n=100": 6_000, "f5:b=10": 3_600, "f5:b=100": 5_500}),
        *_first_hits("hit-wra-b", 100_000, {"f11:b=10": 20_000, "f11:b=100": 30_000}),
    ]


# First hits measured before; a bar is at most a tenth more.
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
        Row("score", k, n, 10, f"median score <= {bar:g}", median_score(bar), of="finite", first_seed=7001)
        for k, n, bar in (("truss", 1_000, 1e-5), ("portfolio", 3_000, 1e-3))
    )
    lists, quadratics = ({k: 1.1 * n for k, n in bars.items()} for bars in (_LISTS, _QUADRATICS))
    return [
        truss,
        portfolio,
        *_first_hits("quadratics", 20_000, quadratics, share=1.0, of="finite"),
        *_first_hits("lists", 50_000, lists, share=1.0, of="finite"),
    ]
