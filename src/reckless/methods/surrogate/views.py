"""What the process looks at: the pair (x, y) as it is, or changed so that fewer values tell more.

A view maps pairs Q (m, n_x + n_y) to inputs of the process, and pulls slopes and curvatures back. Which view suits is
one more choice by the density. A view has `groups`, the sizes of the groups of inputs whose scales are alike, and says
by `is_labeled` whether the last input is the number of a scenario, and by `is_identity` whether it changes nothing.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from reckless.core.arrays import Array, Flags, Indices
from reckless.domains.box import Box
from reckless.domains.sets import Ball
from reckless.methods.surrogate.form import Jet
from reckless.methods.surrogate.spaces import Shares, Space

OPEN_AT = 0.029  # the share, in model coordinates, below which logarithms open up: a tenth of the mean share
MOST_REACH = 0.25  # of the width of x, for a y that may be a deviation from x
OPEN_WIDTH = 0.4  # brings the logarithms back to the spread of a uniform coordinate


@dataclass(frozen=True, eq=False)
class Plain:
    """Some columns of the pair; those marked in `is_open` by the logarithm of a share."""

    columns: Indices
    is_open: Flags  # (d,), labels not included
    groups: tuple[int, ...]
    is_labeled: bool = False
    is_identity: bool = False

    def __call__(self, Q: Array) -> Array:
        if self.is_identity:
            return Q
        Q = Q[:, self.columns]
        if self.is_open.any():
            opened = np.flatnonzero(self.is_open)
            Q[:, opened] = OPEN_WIDTH * np.log1p(np.maximum(Q[:, opened], 0.0) / OPEN_AT)
        return Q

    def pull(self, Q: Array, jet: Jet) -> Jet:
        if self.is_open.any():
            opened = np.flatnonzero(self.is_open)
            inside = OPEN_AT + np.maximum(Q[:, self.columns[opened]], 0.0)
            first = np.ones_like(jet.slope)
            first[:, opened] = OPEN_WIDTH / inside
            bend = jet.bend * first[:, :, None] * first[:, None, :]
            bend[:, opened, opened] -= jet.slope[:, opened] * OPEN_WIDTH / (inside * inside)
            jet = Jet(jet.level, jet.slope * first, bend)
        n, r = Q.shape[1], jet.slope.shape[1]
        return jet if r == n else _scattered(jet, self.columns[:r], n)


@dataclass(frozen=True, eq=False)
class Summed:
    """x + y alone, for designs that are not made as drawn: f(x, y) = g(x + y), which the density finds out.

    reach (n,): what y can add to x, in units of x. is_inside: whether the sum is moved back into the box of x.
    """

    reach: Array
    is_inside: bool
    groups: tuple[int, ...] = ()
    is_labeled: bool = False
    is_identity: bool = False

    def _sums(self, Q: Array) -> Array:
        n = self.reach.size
        sums: Array = Q[:, :n] + self.reach * (2.0 * Q[:, n:] - 1.0)
        return sums

    def __call__(self, Q: Array) -> Array:
        return np.clip(self._sums(Q), 0.0, 1.0) if self.is_inside else self._sums(Q)

    def pull(self, Q: Array, jet: Jet) -> Jet:
        sums = self._sums(Q)
        moves = ((sums > 0.0) & (sums < 1.0)).astype(float) if self.is_inside else np.ones_like(sums)
        first = np.hstack([moves, moves * 2.0 * self.reach])
        slope, bend = np.tile(jet.slope, (1, 2)), np.tile(jet.bend, (1, 2, 2))
        return Jet(jet.level, slope * first, bend * first[:, :, None] * first[:, None, :])


def _scattered(jet: Jet, columns: Indices, n: int) -> Jet:
    """Return a jet in all n coordinates of the pair, with zeros for those that are not looked at."""
    slope, bend = np.zeros((len(jet.level), n)), np.zeros((len(jet.level), n, n))
    slope[:, columns] = jet.slope
    bend[:, columns[:, None], columns] = jet.bend
    return Jet(jet.level, slope, bend)


View: TypeAlias = Plain | Summed


def views_of(xs: Space, ys: Space, x_domain: object = None, y_domain: object = None) -> tuple[View, ...]:
    """Return the views worth trying, the plain one first."""
    n_x, n_y = xs.n, ys.n
    x_columns, y_columns = np.arange(n_x - (xs.points is not None)), n_x + np.arange(n_y)
    views: list[View] = []
    for is_open in (False, True) if isinstance(xs, Shares) or isinstance(ys, Shares) else (False,):
        open_x = np.full(len(x_columns), is_open and isinstance(xs, Shares))
        if ys.points is None:
            open_y = np.full(n_y, is_open and isinstance(ys, Shares))
            groups = (len(x_columns), n_y)
            opened, columns = np.concatenate([open_x, open_y]), np.concatenate([x_columns, y_columns])
            is_identity = len(columns) == n_x + n_y and not opened.any()
            views.append(Plain(columns, opened, groups, is_identity=is_identity))
            continue
        closed = np.zeros(n_y - 1, dtype=bool)
        if n_y > 1:
            groups = (len(x_columns), n_y - 1)
            views.append(Plain(np.concatenate([x_columns, y_columns[:-1]]), np.append(open_x, closed), groups))
            views.append(Plain(np.concatenate([x_columns, y_columns]), np.append(open_x, closed), groups, True))
        views.append(Plain(np.concatenate([x_columns, y_columns[-1:]]), open_x, (len(x_columns),), True))
    reach = reach_of(x_domain, y_domain)
    if reach is not None:
        views += [Summed(reach, is_inside=True), Summed(reach, is_inside=False)]
    return tuple(views)


def reach_of(x_domain: object, y_domain: object) -> Array | None:
    """Return what y can add to x, in units of x, if y looks like a small deviation from x; else None.

    It does if it has as many coordinates, all symmetric around 0 and far less wide than those of x.
    """
    if not isinstance(x_domain, Box) or "linear" not in x_domain.kinds or len(set(x_domain.kinds)) > 1:
        return None
    if isinstance(y_domain, Ball):
        center, radius = y_domain.center, y_domain.radius
    elif isinstance(y_domain, Box) and set(y_domain.kinds) == {"linear"}:
        center, radius = 0.5 * (y_domain.lower + y_domain.upper), 0.5 * (y_domain.upper - y_domain.lower)
    else:
        return None
    if radius.size != x_domain.n or center.any():
        return None
    reach: Array = radius / (x_domain.upper - x_domain.lower)
    return reach if (reach <= MOST_REACH).all() else None
