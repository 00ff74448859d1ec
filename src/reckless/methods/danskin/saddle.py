"""The step against one peak whose quadratic is known in full: y answers each d by its best move within the box.

    min over d   g d + d'Ad / 2 + max over s of (gy + M d) s + s'Hs / 2,   y + s in the box

The inner maximum is replaced by its dual, so that both are one convex program: with multipliers p, q >= 0 of the bounds
of s, the answer s obeys  gy + M d + H s = p - q,  and the inner maximum is  -s'Hs / 2 + p high - q low.
"""

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.peak import Peak, best_move
from reckless.methods.danskin.step import TINY, Room, Step
from reckless.methods.danskin.tuning import guards
from reckless.methods.program import solve_equalities


def solve_saddle(peak: Peak, room: Room, radius: float) -> Step | None:
    """Return the step that minimizes the worst case by the peak's full model over |d| <= radius; None if that fails."""
    gx, gy, H, M, A = peak.gx, peak.gy, peak.H, peak.M, peak.A
    assert gx is not None
    assert gy is not None
    assert H is not None
    assert M is not None
    assert A is not None
    n, m = gx.size, gy.size
    scale = max(radius * _largest(gx), _largest(gy), radius * _largest(M)) + TINY
    low, high = np.maximum(-1.0, room.low / radius), np.minimum(1.0, room.high / radius)
    C = -H / scale + guards.flat * np.eye(m)
    # Variables: d / radius (n), s (m), p (m), q (m).
    Q = np.zeros((n + 3 * m, n + 3 * m))
    Q[:n, :n] = A * (radius * radius / scale) + guards.flat * np.eye(n)
    Q[n : n + m, n : n + m] = C
    f = np.concatenate([gx * (radius / scale), np.zeros(m), 1.0 - peak.y, peak.y])
    E = np.hstack([M * (radius / scale), -C, -np.eye(m), np.eye(m)])
    free, none = np.full(m, np.inf), np.zeros(2 * m)
    bounds = np.concatenate([low, -free, none]), np.concatenate([high, free, free, free])
    u = solve_equalities(Q, f, E, -gy / scale, *bounds)
    if u is None:
        return None
    d = room.clip(np.clip(u[:n], low, high) * radius)
    before, after = best_move(H, gy, peak.y)[1], best_move(H, gy + M @ d, peak.y)[1]
    return Step(d, before - after - float(gx @ d + 0.5 * d @ A @ d), np.ones(1))


def _largest(a: Array) -> float:
    return float(np.abs(a).max())
