"""The step against one peak whose quadratic is known in full: y answers each d by its best move within the box.

    min over d   g d + d'Ad / 2 + max over s of (gy + M d) s + s'Hs / 2,   y + s in the box

The inner maximum is replaced by its dual, so that both are one convex program: with multipliers p, q >= 0 of the bounds
of s, the answer s obeys  gy + M d + H s = p - q,  and the inner maximum is  -s'Hs / 2 + p high - q low.
"""

import daqp
import numpy as np

from reckless.core.arrays import Array
from reckless.methods.descent.peak import Peak, best_move
from reckless.methods.descent.step import TINY, Room, Step
from reckless.methods.descent.tuning import guards

EQUAL = 5


def solve_saddle(peak: Peak, A: Array, room: Room, radius: float) -> Step | None:
    """Return the step that minimizes the worst case by the peak's model over |d| <= radius; None if it has none."""
    gx, gy, H, M = peak.gx, peak.gy, peak.H, peak.M
    n, m = gx.size, gy.size
    scale = max(radius * float(np.abs(gx).max()), float(np.abs(gy).max()), float(np.abs(M).max()) * radius) + TINY
    low, high = np.maximum(-1.0, room.low / radius), np.minimum(1.0, room.high / radius)
    C = -H / scale + guards.flat * np.eye(m)
    down, up = -peak.y, 1.0 - peak.y
    K = M * (radius / scale)
    # variables: d (n), s (m), p (m), q (m)
    Q = np.zeros((n + 3 * m, n + 3 * m))
    Q[:n, :n] = A * (radius * radius / scale) + guards.flat * np.eye(n)
    Q[n : n + m, n : n + m] = C
    f = np.concatenate([gx * (radius / scale), np.zeros(m), up, -down])
    E = np.hstack([K, -C, -np.eye(m), np.eye(m)])
    e = -gy / scale
    big = 1e30
    upper = np.concatenate([high, np.full(3 * m, big), e])
    lower = np.concatenate([low, np.full(m, -big), np.zeros(2 * m), e])
    sense = np.concatenate([np.zeros(n + 3 * m), np.full(m, EQUAL)]).astype(np.int32)
    u, _, flag, _ = daqp.solve(Q, f, E, upper, lower, sense, primal_tol=1e-10, eps_prox=1e-3, eta_prox=1e-10)
    if flag < 1:
        return None
    d = room.clip(np.clip(u[:n], low, high) * radius)
    before, after = best_move(H, gy, peak.y)[1], best_move(H, gy + M @ d, peak.y)[1]
    return Step(d, before - after - float(gx @ d + 0.5 * d @ A @ d), np.ones(1))
