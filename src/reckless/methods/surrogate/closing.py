"""The end of a run: attacks on the answer, and what they say about it."""

from itertools import chain

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.surrogate.answer import untried_danger
from reckless.methods.surrogate.rounds import ATTACK, sweep
from reckless.methods.surrogate.saddle import highest_bound, maximizers
from reckless.methods.surrogate.spaces import sample
from reckless.methods.surrogate.state import Asking, State

BOLDER = (ATTACK, 2.0 * ATTACK, 4.0 * ATTACK)  # deviations granted to the adversary, one after the other


def attack_answer(state: State) -> Asking[None]:
    """Try one more y at the answer."""
    assert state.answer is not None
    yield from state.ask_at(state.answer.x, next_attack(state, state.answer.x))


def next_attack(state: State, x: Array) -> Array:
    """Return the y to try at x: where f may fail, then where the mean is highest, then where it may be highest."""
    known = state.known
    if known.guard is not None:
        y = untried_danger(known, x)
        if y is not None:
            return y
    pair = sweep(state)
    if pair is not None:
        return pair[1]
    assert state.answer is not None
    tops = maximizers(known.arena, x, np.vstack([state.answer.y[None], state.found])).Y[:2]
    bolder = (highest_bound(known.arena, x, known.net, c)[0] for c in BOLDER)
    last: Array = sample(known.ys, state.rng, 1)[0]
    return next((y for y in chain(tops, bolder) if state.is_news(x, y)), last)
