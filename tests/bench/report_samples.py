"""Plausible records for the tests of figures and report: made up, and the same every time."""

from collections.abc import Sequence

import numpy as np

from reckless.bench.record import Record, Reference

PROBLEMS = ("L1", "L2", "L3", "L4", "L5", "L6")
BUDGETS = (100, 1_000, 10_000, 100_000)
METHODS = ("reckless-cr", "mmde", "coevolution-alternating", "coevolution-parallel")


def record(problem: str, method: str, budget: int, repetition: int, regret: float, **changes: object) -> Record:
    """One record; what the reports do not look at is filled in."""
    values: dict[str, object] = {
        "problem": problem,
        "method": method,
        "budget": budget,
        "repetition": repetition,
        "seed": 7 * repetition + budget,
        "nfev": budget,
        "seconds": 1e-6 * budget,
        "x": np.array([1.0]),
        "y": np.array([2.0]),
        "estimate": 1.0,
        "worst_case": regret,
        "mse": abs(regret),
        "inner_gap": regret / 2,
        "history_nfev": np.array([10.0, budget / 2]),
        "history_worst_case": np.array([10.0 * abs(regret) + 1.0, regret]),
        "reference": Reference(0.0, "optimum"),
    }
    return Record(**(values | changes))  # type: ignore[arg-type]


def study(
    problems: Sequence[str] = PROBLEMS,
    methods: Sequence[str] = METHODS,
    budgets: Sequence[int] = BUDGETS,
    n_runs: int = 12,
) -> list[Record]:
    """Regrets that fall with the budget, faster for earlier methods; some are zero and a few negative."""
    rng = np.random.default_rng(2018)
    records = []
    for p, problem in enumerate(problems):
        for m, method in enumerate(methods):
            for budget in budgets:
                level = 30.0 * (budget / 100) ** -(2.2 / (1 + m) + 0.3 * ((p + m) % 3))
                regrets = level * np.exp(rng.normal(0.0, 1.2, n_runs))
                if problem in ("L2", "L5") and budget >= 10_000:
                    regrets[: (5 * n_runs) // 6 if m < 2 else 2] = 0.0
                    regrets[0] = -1e-9
                records += [record(problem, method, budget, r, float(v)) for r, v in enumerate(regrets)]
    return records
