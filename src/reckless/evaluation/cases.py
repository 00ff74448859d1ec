"""The worst cases of an x: every y whose value is next to the worst, one for each hill of f(x, .).

The optimum of a minimax problem is a balance: as a rule several y are equally bad there. Which values are next to the
worst, and what is one hill, is decided by the values at x that are in the ledger, and by what the method follows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np

from reckless.core.arrays import Array, Flags, Indices
from reckless.core.task import Balance, Case
from reckless.evaluation.known import IsWorst, noise_of
from reckless.evaluation.ledger import ROUNDING, Ledger

NEAR_WORST = 1e-3  # part of the range of f at x: values this close to the worst are active,
EQUAL = 1e-6  # or this close, for y that a method does not follow though it follows others
FOLLOWED = 0.01  # of the box: a y this close to one that a method follows is on its hill
JOINED = 0.1  # of the box: points this close are on one hill, unless a lower one was met between them
STRAIGHT = 1.002  # times the direct way: what is between two points
COMPLETE = 1e-3  # of the multipliers: what may belong to y that are not active
MOST_COMPARED = 500  # points next to the worst, from the worst down
SURE = 2.0  # standard errors of the difference of two means that may be equal

ToUnits = Callable[[Array], Array]  # rows of the set of y as points of its unit cube


@dataclass(frozen=True, slots=True)
class Worst:
    """The worst case that a run claims: x, y and fun = f(x, y)."""

    x: Array
    y: Array
    fun: float


def cases_at(
    ledger: Ledger, worst: Worst, is_worst: IsWorst, to_units: ToUnits, balance: Balance | None, *, is_list: bool
) -> tuple[Case, ...]:
    """Return the worst cases of an x, the one that is claimed first. balance: of this very x, in units of y.

    is_list: whether y is one of a list, where each is a hill of its own.
    """
    Y, values, counts = _pairs_at(ledger, worst.x, is_worst)
    lowest = values[np.isfinite(values)].min(initial=inf)
    span = worst.fun - lowest if isfinite(worst.fun) and isfinite(lowest) else 0.0
    is_flat = span <= ROUNDING * abs(worst.fun) and isfinite(worst.fun) and not is_list
    margin = _margin(ledger, counts)
    is_claimed = np.all(worst.y == Y, axis=1)
    is_active = ((values >= worst.fun - NEAR_WORST * span - margin) & (counts >= _least(ledger)) & (not is_flat)) | (
        is_claimed
    )
    if not is_active.any():
        return (Case(worst.y, worst.fun),)
    order = np.flatnonzero(is_active)
    order = order[np.lexsort((-values[order], ~is_claimed[order]))][:MOST_COMPARED]  # the claimed one first
    U = to_units(np.vstack([Y[order], Y[~is_active]]))
    near, low = U[: order.size], U[order.size :]
    labels = np.arange(order.size) if is_list else _hills(near, low)
    weights = _weights(near, labels, balance)
    is_equal = (values >= worst.fun - EQUAL * span - margin)[order]
    cases = []
    for label in dict.fromkeys(labels.tolist()):
        mine = labels == label
        if balance is None or label == labels[0] or is_equal[mine].any() or _is_followed(near[mine], balance, is_list):
            k = order[int(np.argmax(mine))]
            fun = worst.fun if is_claimed[k] else float(values[k])
            cases.append(Case(Y[k].copy(), fun, weights.get(label, 0.0) if weights else None))
    return _shared(cases, balance)


def lowest_at(ledger: Ledger, y: Array, to_units: ToUnits) -> tuple[Array, float] | None:
    """Return the x with the lowest value against one y, and that value, a mean if f is noisy; None without any."""
    rows = np.flatnonzero(np.isfinite(ledger.values))
    away = np.abs(to_units(ledger.Y[rows]) - to_units(y[None])) if rows.size else np.empty((0, 1))
    rows = rows[away.max(axis=1) <= ROUNDING]
    if not rows.size:
        return None
    first, values, _ = _merged(ledger, rows, ledger.values[rows])
    k = int(values.argmin())
    return ledger.X[rows[first[k]]].copy(), float(values[k])


def _pairs_at(ledger: Ledger, x: Array, is_worst: IsWorst) -> tuple[Array, Array, Array]:
    """Return the different y tried at x, their values and how many each has; failures that are no worst case count not.

    A value is the mean if f is noisy, else the highest; +inf where a failure is the worst case.
    """
    rows, values = ledger.rows_at(x), ledger.values.copy()
    values[[row for row in ledger.failed_among(rows) if is_worst(ledger.causes[row])]] = inf
    rows = rows[~np.isnan(values[rows])]
    if not rows.size:
        return np.empty((0, ledger.Y.shape[1])), np.empty(0), np.empty(0)
    first, means, counts = _merged(ledger, rows, values[rows])
    return ledger.Y[rows[first]], means, counts


def _merged(ledger: Ledger, rows: Indices, values: Array) -> tuple[Indices, Array, Array]:
    """Return the first of equal pairs, as places among the rows, their value, and how many there are."""
    _, first, pairs, counts = np.unique(
        ledger.pair_digests(rows), return_index=True, return_inverse=True, return_counts=True
    )
    if ledger.is_noisy:
        merged = np.bincount(pairs, values) / counts
    else:
        merged = np.full(first.size, -inf)
        np.maximum.at(merged, pairs, values)
    return first, merged, counts.astype(float)


def _least(ledger: Ledger) -> float:
    """Return how many values a y must have to be compared: under noise, the highest of single ones is luck."""
    return 2.0 if ledger.is_noisy else 1.0


def _margin(ledger: Ledger, counts: Array) -> Array:
    """Return by how much means may be lower and still be equal to that of the y met most."""
    if not ledger.is_noisy:
        return np.zeros(counts.size)
    margin: Array = SURE * noise_of(ledger) * np.sqrt(1.0 / counts + 1.0 / counts.max(initial=1.0))
    return margin


def _hills(near: Array, low: Array) -> Indices:
    """Tell which hill each of the points next to the worst (k, n) is on; low (m, n): points that are lower.

    Two points are on one hill if they are close and no lower one was met between them, or if others connect them so.
    """
    labels = np.full(len(near), -1)
    for first in range(len(near)):
        reached = [first] if labels[first] < 0 else []
        while reached:
            i = reached.pop()
            labels[i] = first
            close = np.flatnonzero((labels < 0) & (np.abs(near - near[i]).max(axis=1) <= JOINED))
            linked = close[~_is_parted(near[i], near[close], low)]
            labels[linked] = first
            reached += linked.tolist()
    return labels


def _is_parted(point: Array, others: Array, low: Array) -> Flags:
    """Tell from which of the others (k, n) a point is parted by a lower one between them."""
    direct = np.linalg.norm(others - point, axis=1)
    around = low[np.abs(low - point).max(axis=1) <= direct.max(initial=0.0) * STRAIGHT]
    from_low = np.linalg.norm(others[:, None] - around, axis=2) + np.linalg.norm(around - point, axis=1)
    parted: Flags = (from_low <= STRAIGHT * direct[:, None]).any(axis=1)
    return parted


def _weights(near: Array, labels: Indices, balance: Balance | None) -> dict[int, float] | None:
    """Return the multipliers of hills, None if they are not known or rest on y that are not active."""
    if balance is None or balance.weights is None:
        return None
    found: dict[int, float] = {}
    for y, weight in zip(balance.Y, balance.weights.tolist(), strict=True):
        away = np.abs(near - y).max(axis=1)
        k = int(away.argmin())
        if away[k] <= FOLLOWED and weight > 0.0:
            found[int(labels[k])] = found.get(int(labels[k]), 0.0) + weight
    return found if sum(found.values()) > 1.0 - COMPLETE else None


def _is_followed(near: Array, balance: Balance, is_list: bool) -> bool:
    """Tell whether the method follows one of some points."""
    reach = 0.0 if is_list else FOLLOWED
    return bool((np.abs(near[:, None] - balance.Y).max(axis=2) <= reach).any())


def _shared(cases: list[Case], balance: Balance | None) -> tuple[Case, ...]:
    """Let the multipliers add up to 1; a single case of a method that has multipliers bears all."""
    total = sum(case.weight or 0.0 for case in cases)
    if len(cases) == 1 and balance is not None:
        return (cases[0]._replace(weight=1.0),)
    if total > 1.0 - 2.0 * COMPLETE:
        return tuple(case._replace(weight=(case.weight or 0.0) / total) for case in cases)
    return tuple(case._replace(weight=None) for case in cases)
