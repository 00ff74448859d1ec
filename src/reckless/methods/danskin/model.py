"""The model of the worst case around x and its best step: a small quadratic program."""

from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.state import State, Track
from reckless.methods.program import solve_program

LEAST_WEIGHT = 1e-3  # multipliers below this are noise
RIDGE = 1e-9  # keeps the program strictly convex in d, in units in which radius and largest slope are 1


class Step(NamedTuple):
    """A step d in x and the decrease that the model predicts for it."""

    d: Array
    predicted: float


def model_step(state: State, curvature: Array, radius: float) -> Step:
    """Minimize the model over |d| <= radius within the unit cube; store the multipliers in the pieces' weights.

    With s_b the excess of block b the program is: minimize g d + d' curvature d / 2 + sum s_b over d and s,
    subject to s_b >= 0 and s_b >= dg d - gap for each piece of the block.
    """
    x, g = state.x, state.base.slope
    assert g is not None
    active = [p for p in state.pieces if p.slope is not None and state.is_near(p, radius)]
    place = {start: k for k, start in enumerate(dict.fromkeys(p.block.start for p in active))}
    excess = np.array([p.slope for p in active]).reshape(-1, x.size)
    gaps = np.array([state.gap(p) for p in active])
    scale = radius * max(np.abs(g).max(), np.abs(excess).max(initial=0.0)) + 1e-300
    n, n_blocks = x.size, len(place)
    low, high = np.maximum(-1.0, -x / radius), np.minimum(1.0, (1.0 - x) / radius)

    H = np.zeros((n + n_blocks, n + n_blocks))
    H[:n, :n] = curvature * (radius * radius / scale)
    H.flat[: n * (n + n_blocks) : n + n_blocks + 1] += RIDGE
    f = np.ones(n + n_blocks)
    f[:n] = g * (radius / scale)
    A = np.zeros((len(active), n + n_blocks))
    A[:, :n] = excess * (radius / scale)
    A[np.arange(len(active)), [n + place[p.block.start] for p in active]] = -1.0
    u, weights = solve_program(H, f, A, gaps / scale, low, high)

    d = np.clip(u[:n], low, high) * radius
    for piece in state.pieces:
        piece.weight = 0.0
    for piece, weight in zip(active, weights, strict=True):
        piece.weight = float(weight)
    return Step(d, -model_change(g, excess, gaps, [place[p.block.start] for p in active], d, curvature))


def corrected_step(state: State, curvature: Array, radius: float, step: Step, gaps: list[float]) -> Step | None:
    """Recompute the step from gaps that agree with the values found at x + d; return None if no piece holds it.

    The predicted decrease stays that of the first step: it is what the corrected one is to achieve.
    """
    if not any(piece.weight > LEAST_WEIGHT for piece in state.pieces):
        return None
    shifted = state.copy()
    for piece, gap in zip(shifted.pieces, gaps, strict=True):
        if piece.slope is not None and state.is_near(piece, radius):
            piece.revalue(state.base.value - gap - float(piece.slope @ step.d), is_exact=False)
    d = model_step(shifted, curvature, radius).d
    return Step(d, step.predicted) if d.any() else None


def model_change(g: Array, excess: Array, gaps: Array, blocks: list[int], d: Array, curvature: Array) -> float:
    """Return the model's F(x + d) - F(x)."""
    rises = excess @ d - gaps
    highest: dict[int, float] = {}
    for block, rise in zip(blocks, rises.tolist(), strict=True):
        highest[block] = max(highest.get(block, 0.0), rise)
    return float(g @ d + 0.5 * d @ curvature @ d) + sum(highest.values())


def lagrangian_slope(state: State) -> Array:
    """Return the slope of the combination of pieces that held the last step."""
    total = state.base.slope
    assert total is not None
    for piece in state.pieces:
        if piece.weight > LEAST_WEIGHT and piece.slope is not None:
            total = total + piece.weight * piece.slope
    return total


def updated_curvature(B: Array, d: Array, change: Array) -> Array:
    """Update B by damped BFGS (Powell 1978): B d follows the `change` of slope over the step d, B stays positive."""
    dd, dy = float(d @ d), float(d @ change)
    if not B.any() and dy > 0.0:
        B = np.eye(d.size) * (dy / dd)
    Bd = B @ d
    dBd = float(d @ Bd)
    if dBd <= 0.0:
        B = B + 1e-8 * max(1e-300, abs(dy) / dd) * np.eye(d.size)
        Bd = B @ d
        dBd = float(d @ Bd)
    if dBd <= 0.0:
        return B
    if dy < 0.2 * dBd:
        damping = 0.8 * dBd / (dBd - dy)
        change = damping * change + (1.0 - damping) * Bd
        dy = float(d @ change)
    if dy <= 1e-300:
        return B
    return B - np.outer(Bd, Bd) / dBd + np.outer(change, change) / dy


def raised_curvature(B: Array, d: Array, error: float) -> Array:
    """Raise the curvature along a refused step, by 0.7 of what the violator's linearization error asks for."""
    missing = 2.0 * error - d @ B @ d
    return B + (0.7 * missing / (d @ d) ** 2) * np.outer(d, d) if missing > 0.0 else B


def near_pieces(state: State, radius: float) -> list[Track]:
    """Return the pieces that may matter for steps up to `radius`."""
    return [piece for piece in state.pieces if state.is_near(piece, radius)]
