"""Kinks of f in x: a coordinate search on the model's own envelope, where a quadratic model is of no use."""

import numpy as np

from reckless.core.arrays import Array
from reckless.core.generators import relayed
from reckless.methods.danskin.climb import Peak, climb
from reckless.methods.danskin.inner import Inner
from reckless.methods.danskin.model import near_pieces
from reckless.methods.danskin.oracle import FAILED, Asking
from reckless.methods.danskin.state import State, Track
from reckless.methods.danskin.trial import try_step


def sweep(inner: Inner, state: State, h: float) -> Asking[State | None]:
    """Descend over x with the tracked maximizers held fixed; return the state there if it is lower, else None."""
    pieces, n = near_pieces(state, h), state.x.size
    ascent = climb(Peak(state.x, -state.base.value, np.full(n, h), is_kinked=True), 14, precision=1e-13)

    def ask(X: Array) -> Asking[Array]:
        heights = yield from envelope(inner, state, pieces, X)
        return -heights

    lowest = yield from relayed(ascent, ask)
    gain = state.base.value + lowest.value
    if gain <= 0.0:
        return None
    trial = yield from try_step(inner, state, lowest.z - state.x, 1e-9 * gain)
    return trial.state if trial.is_lower else None


def envelope(inner: Inner, state: State, pieces: list[Track], X: Array) -> Asking[Array]:
    """Return the worst case at rows X (k, n_x) over base and `pieces`, their y fixed up to the base's response."""
    base, oracle = state.base, inner.oracle
    Y = np.repeat(base.z[None], len(X), axis=0)
    if base.response is not None:
        Y = np.clip(Y + (X - state.x) @ base.response.T, 0.0, 1.0)
    copies = [Y]
    for piece in pieces:
        Z = Y.copy()
        Z[:, piece.block] = piece.z
        copies.append(Z)
    values = yield from oracle.ask(np.tile(X, (len(copies), 1)), np.vstack(copies))
    values = values.reshape(len(copies), len(X))
    excess: dict[int, Array] = {}
    for piece, row in zip(pieces, values[1:], strict=True):
        start = piece.block.start
        excess[start] = np.maximum(excess.get(start, 0.0), row - values[0])
    total = values[0] + sum(excess.values(), np.zeros(len(X)))
    return np.where(values[0] > FAILED, total, -FAILED)
