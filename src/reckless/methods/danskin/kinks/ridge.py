"""A ridge: a top of f(x, .) that is a kink. It is climbed by a bundle, and followed as x moves.

Around the top f is the lowest of several pieces, which are equal on the ridge. With the slopes (a_k, b_k) of the pieces
in x and y, a step d of x moves the top by the s that keeps them equal: all a_k d + b_k s are the same.
"""

from dataclasses import dataclass

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.kinks.bundle import Bundle, has_kink, lower
from reckless.methods.danskin.oracle import Asking, Oracle, inward
from reckless.methods.danskin.peak import Peak, Ridge, bounds_held
from reckless.methods.danskin.step import TINY
from reckless.methods.danskin.sums.lines import Line, climb_lines, on_line
from reckless.methods.danskin.tuning import bundles, guards


@dataclass(slots=True)
class Depth:
    """-f(x, .), as a bundle asks for it."""

    oracle: Oracle
    x: Array

    def ask(self, Z: Array) -> Asking[Array]:
        return -(yield from self.oracle.ask(self.x, Z))

    def settle(self, z: Array, value: float, tolerance: float) -> Asking[float]:
        return value
        yield

    def move(self, z: Array) -> None:
        pass


def is_ridge(oracle: Oracle, x: Array, peak: Peak, s: Array) -> Asking[bool]:
    """Tell whether f has a kink close to y along s."""
    if oracle.is_sum:
        return False
    return (yield from has_kink(oracle, Depth(oracle, x), peak.y, -peak.value, s))


def climb_ridge(oracle: Oracle, x: Array, peak: Peak, tolerance: float) -> Asking[None]:
    """Climb to a kinked top until no more than a tolerance is left, and learn how it follows x."""
    bundle = Bundle(peak.y, -peak.value, bundles.ridge_radius)
    closeness = bundles.on_ridge * bundles.aside if peak.ridge is None else np.inf

    def is_climbed(bundle: Bundle) -> bool:
        return bundle.gap <= min(tolerance, closeness * bundle.steepness / peak.y.size)

    if peak.y.size == 1:
        yield from _climb_tent(oracle, x, bundle, tolerance)
    else:
        yield from lower(oracle, Depth(oracle, x), bundle, is_climbed)
    peak.y, peak.value, peak.is_fresh_x = bundle.z, -bundle.value, False
    old = peak.ridge
    if old is None:
        peak.forget()
        R = yield from _measure_response(oracle, x, peak.y)
        peak.ridge = Ridge(R, x, peak.y, bundle.gap, bundle.steepness)
        if peak.ridge.is_moving:
            oracle.is_sum = False  # a sum perhaps, but its kinks move
        peak.is_fresh_y = True
        return
    d, R, is_sure = x - old.x, old.R, old.is_sure
    if d.any():
        missed = np.where(bounds_held(peak.y), 0.0, peak.y - np.clip(old.y + R @ d, 0.0, 1.0))
        doubtful = bundles.unsure * max(tolerance, old.left, bundle.gap) * missed.size / old.steepness
        is_sure = bool(np.abs(missed).max() <= max(doubtful, bundles.strayed * np.abs(d).max()))
        R = R if is_sure or not old.is_moving else R + np.outer(missed, d / float(d @ d))
    peak.ridge = Ridge(R, x, peak.y, bundle.gap, old.steepness, is_sure)


def _climb_tent(oracle: Oracle, x: Array, bundle: Bundle, tolerance: float) -> Asking[None]:
    """Climb a kinked top of one coordinate: tents need a tenth of what a bundle does."""
    line = Line(0.0, 1.0, bundles.aside, [(float(bundle.z[0]), -bundle.value)], is_tent=True)
    yield from climb_lines(on_line(oracle, x), [line], min(tolerance, bundles.tent * abs(bundle.value)))
    at, value = line.top
    y, heights = np.array([point for point in line.points if np.isfinite(point[1])]).T
    bundle.z, bundle.value, bundle.gap = np.array([at]), -value, tolerance
    bundle.steepness = float(np.abs(np.diff(heights) / np.diff(y)).max(initial=TINY))


def stay_on_ridge(oracle: Oracle, x: Array, peak: Peak, tolerance: float) -> Asking[None]:
    """Climb a ridge again unless f falls to both sides along a random line (2 evaluations)."""
    ridge = peak.ridge
    assert ridge is not None
    u = oracle.rng.uniform(-1.0, 1.0, peak.y.size) * (tolerance / ridge.steepness)
    Y = np.clip(peak.y + np.array([u, -u]), 0.0, 1.0)
    values = yield from oracle.ask(x, Y)
    if values.max() > peak.value:
        k = int(values.argmax())
        peak.y, peak.value = Y[k], float(values[k])
    elif ridge.left <= tolerance and (ridge.is_sure or (x == ridge.x).all()):
        return
    yield from climb_ridge(oracle, x, peak, tolerance)


def _measure_response(oracle: Oracle, x: Array, y: Array) -> Asking[Array]:
    """Return R from the slopes of pieces around the top: enough to tell all kinks apart, or twice as many."""
    n_y, room = y.size, np.minimum(y, 1.0 - y)
    is_free = room > guards.at_bound
    signs = oracle.rng.choice((-1.0, 1.0), n_y)
    sides = np.vstack([signs, signs - 2.0 * np.diag(signs), oracle.rng.choice((-1.0, 1.0), (n_y, n_y))])
    R, found = np.zeros((n_y, x.size)), []
    for place in y + np.minimum(bundles.aside, 0.5 * room) * sides:
        found.append((yield from _slopes(oracle, x, place)))
        if len(found) <= n_y:
            continue
        G = np.array(found) - np.mean(found, axis=0)
        jumps = G[:, :n_y][:, is_free]
        if not np.isfinite(G).all() or np.linalg.matrix_rank(jumps, rtol=bundles.one_piece) == is_free.sum():
            break
    if np.isfinite(G).all():
        R[is_free] = -np.linalg.pinv(jumps, rcond=bundles.one_piece) @ G[:, n_y:]
    return R if np.abs(R).max() > bundles.strayed else np.zeros_like(R)  # so small a response is an error of slopes


def _slopes(oracle: Oracle, x: Array, y: Array) -> Asking[Array]:
    """Measure the slopes in y and x, (n_y + n_x,)."""
    h = inward(np.concatenate([y, x]), oracle.forward)
    moves = np.vstack([np.zeros(h.size), np.diag(h)])
    values = yield from oracle.ask(x + moves[:, y.size :], y + moves[:, : y.size])
    slopes: Array = (values[1:] - values[0]) / h
    return slopes
