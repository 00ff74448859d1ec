"""Median regrets of records, as the claims need them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from reckless.bench.paper.studies import BUDGET_PER_DIMENSION, RIVALS, SIZES, sized
from reckless.bench.record import Record
from reckless.core.arrays import Array

RANKED_FROM = 1e-9  # medians below it are ranked as equal: there the differences are rounding


class Missing(Exception):
    """The records lack what a claim needs; the message says what."""


class Medians:
    """Median regrets and worst cases of records, by problem, method and budget."""

    def __init__(self, records: Iterable[Record]) -> None:
        runs = defaultdict[tuple[str, str, int], list[tuple[float, float]]](list)
        for record in records:
            runs[record.problem, record.method, record.budget].append((record.regret, record.worst_case))
        self._medians: dict[tuple[str, str, int], list[float]] = {
            key: np.median(pairs, axis=0).tolist() for key, pairs in runs.items()
        }

    def regret(self, problem: str, method: str, budget: int) -> float:
        return self._find(problem, method, budget)[0]

    def worst_case(self, problem: str, method: str, budget: int) -> float:
        return self._find(problem, method, budget)[1]

    def budgets(self, problems: Sequence[str], methods: Sequence[str]) -> list[int]:
        """Return the budgets that all these methods had on all these problems, ascending; at least one."""
        known = {budget for _, _, budget in self._medians}
        common = [b for b in sorted(known) if all((p, m, b) in self._medians for p in problems for m in methods)]
        if not common:
            raise Missing(f"No budget has runs of {', '.join(methods)} on all of {', '.join(problems)}.")
        return common

    def sizes(self) -> list[int]:
        """Return the n of the scalability experiment that all four methods had on L1 and L2; at least one."""
        sizes = [
            n
            for n in SIZES
            if all((sized(p, n), m, n * BUDGET_PER_DIMENSION) in self._medians for p in ("L1", "L2") for m in RIVALS)
        ]
        if not sizes:
            raise Missing(f"No n has runs of {', '.join(RIVALS)} on L1 and L2 with 1e4 n evaluations.")
        return sizes

    def table(self, problems: Sequence[str], methods: Sequence[str], budget: int) -> Array:
        """Return the median regrets (problems, methods), fit for ranking: those below 1e-9 are equal."""
        rows = [[self.regret(problem, method, budget) for method in methods] for problem in problems]
        return np.maximum(rows, RANKED_FROM)

    def at_size(self, name: str, method: str, n: int) -> float:
        return self.regret(sized(name, n), method, n * BUDGET_PER_DIMENSION)

    def _find(self, problem: str, method: str, budget: int) -> list[float]:
        if (problem, method, budget) not in self._medians:
            raise Missing(f"There are no runs of {method} on {problem} with {budget:,} evaluations.")
        return self._medians[problem, method, budget]
