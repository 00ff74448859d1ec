"""Runs grouped by problem, method and budget, with their statistics."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf, isnan

import numpy as np

from reckless.bench.figures import Mark
from reckless.bench.figures.floor import OffScale, count_off_scale
from reckless.bench.record import Record, Reference
from reckless.bench.statistics import RunSummary, summarize
from reckless.core.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The runs of one method on one problem with one budget; a run without a regret, NaN, counts as +inf."""

    problem: str
    method: str
    budget: int
    records: tuple[Record, ...]
    regrets: Array
    summary: RunSummary
    off_scale: OffScale

    @property
    def reference(self) -> Reference:
        """What the regrets are measured against; one for all runs of a problem that come from one store."""
        return self.records[0].reference

    @property
    def inner_gap(self) -> float:
        """How much worse the answer is than the method believes, the median over the runs."""
        return float(np.median([inf if isnan(r.inner_gap) else r.inner_gap for r in self.records]))

    @property
    def seconds(self) -> float:
        return float(np.median([r.seconds for r in self.records]))

    def point(self, reading: str, position: float) -> Mark:
        """Return the runs as one point of a figure."""
        s = self.summary
        spread = (s.median, s.lower_quartile, s.upper_quartile)
        if reading == "mean":
            spread = (s.mean, s.mean - s.standard_deviation, s.mean + s.standard_deviation)
        return Mark(position, *spread, s.n_runs, *self.off_scale)

    def middle_record(self) -> Record:
        """Return the run whose regret is the median, the better one of two."""
        order = sorted(range(len(self.records)), key=lambda at: self.regrets[at])
        return self.records[order[(len(order) - 1) // 2]]


def group_records(records: Iterable[Record], order: Iterable[str] = ()) -> list[Group]:
    """Group by problem, method and budget; methods come in this order, or as they first appear."""
    cells: dict[tuple[str, str, int], list[Record]] = {}
    for record in records:
        cells.setdefault((record.problem, record.method, record.budget), []).append(record)
    methods = {method: at for at, method in enumerate(dict.fromkeys([*order, *(cell[1] for cell in cells)]))}
    groups = []
    for cell in sorted(cells, key=lambda c: (natural(c[0]), methods[c[1]], c[2])):
        runs = sorted(cells[cell], key=lambda r: r.repetition)
        regrets = np.array([inf if isnan(r.regret) else r.regret for r in runs])
        groups.append(Group(*cell, tuple(runs), regrets, summarize(regrets), count_off_scale(regrets)))
    return groups


def natural(name: str) -> list[tuple[int, float | str]]:
    """Return a key by which f2 comes before f10.

    >>> sorted(["f10", "f2"], key=natural)
    ['f2', 'f10']
    """
    parts = re.split(r"(\d+)", name)
    return [(0, float(part)) if part.isdecimal() else (1, part) for part in parts if part]


def family(problem: str) -> str:
    """Return the problem without its size.

    >>> family("L1:n=20"), family("f5:n=20,b=10"), family("L3")
    ('L1', 'f5:b=10', 'L3')
    """
    name, _, settings = problem.partition(":")
    kept = ",".join(s for s in settings.split(",") if s and not s.startswith("n="))
    return f"{name}:{kept}" if kept else name


def size(group: Group) -> int:
    """Return the number of coordinates of x: as the problem's name states it, else as the runs have it.

    Both are in the store. The problem itself is not looked up: that might import a file that the store names.
    """
    stated = re.search(r"[:,]n=([1-9][0-9]{0,8})(?![0-9])", group.problem)
    return int(stated[1]) if stated else group.records[0].x.size


def scaled_families(groups: Sequence[Group]) -> dict[str, dict[str, int]]:
    """Return the families with several sizes: of each its problems and their sizes, smallest first."""
    families: dict[str, dict[str, int]] = {}
    for group in groups:
        families.setdefault(family(group.problem), {}).setdefault(group.problem, size(group))
    return {
        title: dict(sorted(sizes.items(), key=lambda item: item[1]))
        for title, sizes in families.items()
        if len(sizes) > 1
    }


def at_largest_budget(groups: Sequence[Group]) -> list[Group]:
    """Return the groups with the largest budget of their problem."""
    largest: dict[str, int] = {}
    for group in groups:
        largest[group.problem] = max(group.budget, largest.get(group.problem, 0))
    return [group for group in groups if group.budget == largest[group.problem]]
