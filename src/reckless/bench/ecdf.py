"""The fixed-target view: what share of all targets is reached within how many evaluations (as COCO draws it).

Hansen, Auger, Ros, Mersmann, Tusar and Brockhoff 2021, COCO: a platform for comparing continuous optimizers
in a black-box setting. A target is a regret; a runtime is the number of evaluations after which a run's
recommendation has that regret for the first time.

The runs of a study are fixed-budget ones. Of each problem and method only those with the largest budget are
used: a run with a smaller budget is another algorithm, since the methods plan by their budget. So a method
that saves its best for the end of its plan looks slow here, and what it would do with a smaller budget the
fixed-budget view shows. As in COCO the first success counts, though a recommendation may get worse again,
unknown to the method.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from reckless.bench.record import Record
from reckless.core.arrays import Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RuntimeECDF:
    """The share of (problem, repetition, target) triples that a method solves, over evaluations.

    evaluations: (m,) where the share rises, ascending, each value once. share: (m,) from there on.
    largest: where the curve ends, the largest number of evaluations any run had.
    """

    method: str
    evaluations: Array
    share: Array
    largest: float


def regret_targets(n: int = 51, highest: float = 1e2, lowest: float = 1e-8) -> Array:
    """Return log-spaced regrets, the easiest first.

    >>> regret_targets(3).tolist()
    [100.0, 0.001, 1e-08]
    """
    return np.geomspace(highest, lowest, n)


def runtimes(record: Record, targets: Array) -> Array:
    """Return the evaluations (k,) to the first recommendation that reaches each target (k,); inf if there is none.

    Where a problem has no closed-form worst case only the final answer was judged: its runtime is `nfev`.
    """
    nfev, regrets = record.history_nfev, record.history_regret
    if regrets.size == 0:
        nfev, regrets = np.array([float(record.nfev)]), np.array([record.regret])
    # The best so far descends, so the first success can be looked up; what is unknown is no success.
    lowest = np.minimum.accumulate(np.where(np.isnan(regrets), np.inf, regrets))
    first = np.searchsorted(-lowest, -targets, side="left")
    return np.append(nfev, np.inf)[first]


def with_largest_budget(records: Iterable[Record]) -> list[Record]:
    """Return, of each problem and method, the records with the largest budget."""
    records = list(records)
    largest: dict[tuple[str, str], int] = {}
    for record in records:
        key = record.problem, record.method
        largest[key] = max(record.budget, largest.get(key, 0))
    return [record for record in records if record.budget == largest[record.problem, record.method]]


def runtime_ecdf(records: Sequence[Record], targets: Array | None = None) -> dict[str, RuntimeECDF]:
    """Return the curve of every method, in the order in which the methods first appear."""
    targets = regret_targets() if targets is None else np.asarray(targets, dtype=np.float64)
    by_method: dict[str, list[Record]] = {}
    for record in with_largest_budget(records):
        by_method.setdefault(record.method, []).append(record)
    return {method: _curve(method, runs, targets) for method, runs in by_method.items()}


def _curve(method: str, records: list[Record], targets: Array) -> RuntimeECDF:
    times = np.array([runtimes(record, targets) for record in records])
    evaluations, counts = np.unique(times[np.isfinite(times)], return_counts=True)
    return RuntimeECDF(
        method=method,
        evaluations=evaluations,
        share=counts.cumsum() / times.size,
        largest=float(max(record.nfev for record in records)),
    )
