"""Where a descent is: an x, the peaks that are followed there, and how far their models are trusted."""

from dataclasses import dataclass, field

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import Balance
from reckless.methods.danskin.oracle import Oracle
from reckless.methods.danskin.peak import Peak, distance, highest
from reckless.methods.danskin.tuning import effort, guards, trust


@dataclass(slots=True, eq=False)
class Place:
    """An x and its peaks, the highest of which is the estimate of the worst case.

    radius: of the trust region. failed: points that failed on the way here. is_lost: whether F turned out to be far
    above what the descent believed. weighed: the multipliers of the last step that was chosen; they hold where their x
    is still that of the place.
    """

    x: Array
    peaks: list[Peak]
    radius: float = trust.first
    failed: list[Array] = field(default_factory=list)
    is_lost: bool = False
    weighed: Balance | None = None

    @property
    def top(self) -> Peak:
        return highest(self.peaks)

    @property
    def F(self) -> float:
        return self.top.value

    @property
    def is_level(self) -> bool:
        """Whether differences in x show no slope at all, as they do where x is a vector of integers."""
        return self.top.gx is not None and not self.top.gx.any()

    @property
    def balance(self) -> Balance:
        """The peaks, with multipliers if a step was chosen here."""
        if self.weighed is not None and self.weighed.x is self.x:
            return self.weighed
        return Balance(self.x, np.array([peak.y for peak in self.peaks]))

    def holding(self) -> list[Peak]:
        """Return the peaks that held the last step."""
        return [peak for peak in self.peaks if peak.weight > guards.holds]


def tidied(oracle: Oracle, place: Place, predicted: float) -> Place:
    """Return a place with the highest of peaks that are one; those that are idle and low go to the archive."""
    kept: list[Peak] = []
    F, most = place.F, effort.most_peaks + 2 * place.x.size
    for peak in sorted(place.peaks, key=lambda peak: -peak.value):
        same = next((other for other in kept if distance(peak.y, other.y) < guards.merged), None)
        if same is not None:
            if same.ridge is None and peak.ridge is not None:
                same.ridge, same.is_fresh_x = peak.ridge, False
            continue
        peak.n_idle = 0 if peak.weight > guards.holds else peak.n_idle + 1
        patience = effort.n_idle_fixed if peak.is_fixed else effort.n_idle
        is_near = peak.n_idle <= patience or peak.value > F - effort.watch * predicted
        if not kept or (is_near and len(kept) < most):
            kept.append(peak)
        elif not peak.is_fixed:
            oracle.remember(peak.y)
    return Place(place.x, kept, place.radius, place.failed)
