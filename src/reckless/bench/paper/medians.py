"""Median regrets of records, as the claims ask for them."""

from collections.abc import Iterable, Sequence

import numpy as np

from reckless.bench.paper.studies import BUDGET_PER_DIMENSION, RIVALS, SIZES, sized
from reckless.bench.record import Record
from reckless.core.arrays import Array

RANKED_FROM = 1e-9  # medians below it are ranked as equal: there the differences are rounding


class Missing(Exception):
    """The records lack what a claim speaks of; the message says what."""


class Medians:
    """Median regrets and worst cases of records, by problem, method and budget."""

    def __init__(self, records: Iterable[Record]) -> None:
        regrets: dict[tuple[str, str, int], list[float]] = {}
        worst_cases: dict[tuple[str, str, int], list[float]] = {}
        for record in records:
            key = record.problem, record.method, record.budget
            regrets.setdefault(key, []).append(record.regret)
            worst_cases.setdefault(key, []).append(record.worst_case)
        self._regret = {key: float(np.median(values)) for key, values in regrets.items()}
        self._worst_case = {key: float(np.median(values)) for key, values in worst_cases.items()}

    def regret(self, problem: str, method: str, budget: int) -> float:
        return self._find(self._regret, problem, method, budget)

    def worst_case(self, problem: str, method: str, budget: int) -> float:
        return self._find(self._worst_case, problem, method, budget)

    def budgets(self, problems: Sequence[str], methods: Sequence[str]) -> list[int]:
        """The budgets that all these methods had on all these problems, ascending; at least one."""
        known = [
            {budget for p, m, budget in self._regret if (p, m) == (problem, method)}
            for problem in problems
            for method in methods
        ]
        common = sorted(set.intersection(*known))
        if not common:
            raise Missing(f"No budget has runs of {', '.join(methods)} on all of {', '.join(problems)}.")
        return common

    def sizes(self) -> list[int]:
        """The n of the scalability experiment that all four methods had on L1 and L2; at least one."""
        sizes = [
            n
            for n in SIZES
            if all((sized(p, n), m, n * BUDGET_PER_DIMENSION) in self._regret for p in ("L1", "L2") for m in RIVALS)
        ]
        if not sizes:
            raise Missing(f"No n has runs of {', '.join(RIVALS)} on L1 and L2 with 1e4 n evaluations.")
        return sizes

    def table(self, problems: Sequence[str], methods: Sequence[str], budget: int) -> Array:
        """Median regrets (problems, methods), fit for ranking: below 1e-9 all are equal."""
        rows = [[self.regret(problem, method, budget) for method in methods] for problem in problems]
        return np.maximum(rows, RANKED_FROM)

    def at_size(self, name: str, method: str, n: int) -> float:
        return self.regret(sized(name, n), method, n * BUDGET_PER_DIMENSION)

    @staticmethod
    def _find(medians: dict[tuple[str, str, int], float], problem: str, method: str, budget: int) -> float:
        if (problem, method, budget) not in medians:
            raise Missing(f"There are no runs of {method} on {problem} with {budget:,} evaluations.")
        return medians[problem, method, budget]
