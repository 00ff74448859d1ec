"""The step by the sum model, and the model itself where f has kinks in x: from f along the coordinates of x."""

from dataclasses import replace

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.step import TINY, Step, room_in_box
from reckless.methods.danskin.sums.additive import Others
from reckless.methods.danskin.sums.lines import Line, climb_lines
from reckless.methods.danskin.tuning import effort, guards
from reckless.methods.program import solve_program


def solve_sum(slope: Array, B: Array | None, others: Others, x: Array, radius: float) -> Step:
    """Return the step that minimizes the sum model over |d| <= radius; the multipliers are those of the others."""
    n, room = x.size, room_in_box(x)
    near = np.flatnonzero(others.gaps < radius * np.abs(others.G).sum(axis=1))  # the others stay below
    k, G, gaps = near.size, others.G[near], others.gaps[near]
    low, high = np.maximum(-1.0, room.low / radius), np.minimum(1.0, room.high / radius)
    scale = radius * max(float(np.abs(slope).max()), float(np.abs(G).max(initial=0.0))) + TINY
    H = np.zeros((n + k, n + k))
    H[:n, :n] = guards.flat * np.eye(n)
    if B is not None:
        H[:n, :n] += B * (radius * radius / scale)
    f = np.concatenate([slope * (radius / scale), np.ones(k)])
    A = np.hstack([G * (radius / scale), -np.eye(k)])
    u, held = solve_program(H, f, A, gaps / scale, low, high)
    d = room.clip(np.clip(u[:n], low, high) * radius)
    weights = np.zeros(others.gaps.size)
    weights[near] = held
    change = float(slope @ d + np.maximum(0.0, G @ d - gaps).sum())
    change += 0.0 if B is None else 0.5 * float(d @ B @ d)
    return Step(d, -change, weights)


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
