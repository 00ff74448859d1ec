"""Kinks of f in x: f along the coordinates of x, where slopes and curvature at one point are of no use."""

from dataclasses import replace

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.methods.descent.additive import Others
from reckless.methods.descent.lines import Line, climb_lines
from reckless.methods.descent.oracle import Asking, Oracle
from reckless.methods.descent.peak import Peak
from reckless.methods.descent.tuning import effort


def sweep(oracle: Oracle, x: Array, base: Peak, radius: float) -> Asking[list[Line]]:
    """Find the lowest points of f along the coordinates of x within a radius, y fixed; lines have values of -f."""
    lows, highs = np.maximum(x - radius, 0.0).tolist(), np.minimum(x + radius, 1.0).tolist()
    h = effort.first_share * radius
    lines = [Line(low, high, h, [(t, -base.value)]) for low, high, t in zip(lows, highs, x.tolist(), strict=True)]

    def ask(which: Indices, at: Array) -> Asking[Array]:
        X = np.repeat(x[None], at.size, axis=0)
        X[np.arange(at.size), which] = at
        return -(yield from oracle.ask(X, base.y))

    yield from climb_lines(ask, lines, oracle.floor(base.value) / x.size)
    return lines


def unbent(lines: list[Line], x: Array, others: Others) -> tuple[Array, None, Others]:
    """Return the sum model of f as lines have it, straight between their points: slope, no curvature, hinges.

    Where a line bends by c at a distance a from x, it has a hinge max(0, c (d - a)), or max(0, c (a - d)) if a <= 0:
    to the model these are more alternatives.
    """
    slope, G, gaps = np.zeros(x.size), [], []
    for i, line in enumerate(lines):
        at, values = np.array(line.points).T
        slopes, away = -np.diff(values) / np.diff(at), at - x[i]
        slope[i] = slopes[min(int(np.searchsorted(away, 0.0)), slopes.size - 1)]
        bends = np.maximum(np.diff(slopes), 0.0)
        G.append(np.where(away[1:-1, None] > 0.0, bends[:, None], -bends[:, None]) * np.eye(x.size)[i])
        gaps.append(bends * np.abs(away[1:-1]))
    return slope, None, replace(others, G=np.vstack([others.G, *G]), gaps=np.concatenate([others.gaps, *gaps]))
