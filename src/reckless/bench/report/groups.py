"""Runs with the same problem, method and budget, and what they amount to."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, isnan

import numpy as np

from reckless.bench.figures import REGRET_FLOOR, Mark
from reckless.bench.problems import find_problem
from reckless.bench.record import Record
from reckless.bench.statistics import RunSummary, summarize
from reckless.core.arrays import Array
from reckless.errors import OptimizationError


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The runs of one method on one problem with one budget; a run without a regret, NaN, counts as +inf."""

    problem: str
    method: str
    budget: int
    records: tuple[Record, ...]
    regrets: Array
    summary: RunSummary

    @property
    def n_floor(self) -> int:
        return int((self.regrets <= REGRET_FLOOR).sum())

    @property
    def n_negative(self) -> int:
        return int((self.regrets < 0.0).sum())

    @property
    def n_infinite(self) -> int:
        return int(np.isposinf(self.regrets).sum())

    @property
    def inner_gap(self) -> float:
        """The median over the runs of how much worse the answer is than the method believes."""
        return float(np.median([inf if isnan(r.inner_gap) else r.inner_gap for r in self.records]))

    @property
    def seconds(self) -> float:
        return float(np.median([r.seconds for r in self.records]))

    def point(self, reading: str, position: float) -> Mark:
        """The runs as one point of a figure."""
        s = self.summary
        spread = (s.median, s.lower_quartile, s.upper_quartile)
        if reading == "mean":
            spread = (s.mean, s.mean - s.standard_deviation, s.mean + s.standard_deviation)
        return Mark(position, *spread, s.n_runs, self.n_floor, self.n_negative, self.n_infinite)

    def middle_record(self) -> Record:
        """The run whose regret is the median, the better one of two."""
        order = sorted(range(len(self.records)), key=lambda at: self.regrets[at])
        return self.records[order[(len(order) - 1) // 2]]


def group_records(records: Iterable[Record], order: Iterable[str] = ()) -> list[Group]:
    """The groups by problem, method and budget; methods in this order, or as they first appear."""
    cells: dict[tuple[str, str, int], list[Record]] = {}
    for record in records:
        cells.setdefault((record.problem, record.method, record.budget), []).append(record)
    methods = {method: at for at, method in enumerate(dict.fromkeys([*order, *(cell[1] for cell in cells)]))}
    groups = []
    for cell in sorted(cells, key=lambda c: (natural(c[0]), methods[c[1]], c[2])):
        runs = sorted(cells[cell], key=lambda r: r.repetition)
        regrets = np.array([inf if isnan(r.regret) else r.regret for r in runs])
        groups.append(Group(*cell, tuple(runs), regrets, summarize(regrets)))
    return groups


def natural(name: str) -> list[tuple[int, float | str]]:
    """A key by which f2 comes before f10.

    >>> sorted(["f10", "f2"], key=natural)
    ['f2', 'f10']
    """
    parts = re.split(r"(\d+)", name)
    return [(0, float(part)) if part.isdigit() else (1, part) for part in parts if part]


def family(problem: str) -> str:
    """The problem without its size.

    >>> family("L1:n=20"), family("f5:n=20,b=10"), family("L3")
    ('L1', 'f5:b=10', 'L3')
    """
    name, _, settings = problem.partition(":")
    kept = ",".join(s for s in settings.split(",") if s and not s.startswith("n="))
    return f"{name}:{kept}" if kept else name


def size(problem: str) -> int | None:
    """The number of coordinates of x; None if nothing tells it."""
    stated = re.search(r"[:,]n=(\d+)", problem)
    if stated:
        return int(stated[1])
    try:
        return find_problem(problem).n_x
    except (OptimizationError, ImportError):
        return None


def scaled_families(groups: Sequence[Group]) -> dict[str, dict[str, int]]:
    """The families with several sizes: of each its problems and their sizes, smallest first."""
    families: dict[str, list[str]] = {}
    for name in dict.fromkeys(group.problem for group in groups):
        families.setdefault(family(name), []).append(name)
    sizes = {f: {name: size(name) for name in names} for f, names in families.items() if len(names) > 1}
    return {
        f: dict(sorted(known.items(), key=lambda item: item[1]))
        for f, named in sizes.items()
        if len(known := {name: n for name, n in named.items() if n is not None}) > 1
    }


def at_largest_budget(groups: Sequence[Group]) -> list[Group]:
    """Of each problem the groups with its largest budget."""
    largest: dict[str, int] = {}
    for group in groups:
        largest[group.problem] = max(group.budget, largest.get(group.problem, 0))
    return [group for group in groups if group.budget == largest[group.problem]]
