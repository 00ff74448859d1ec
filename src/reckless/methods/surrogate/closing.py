"""The end of a run: attacks on the answer, and what they say about it."""

from itertools import chain

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.surrogate.answer import untried_danger
from reckless.methods.surrogate.rounds import ATTACK, explore, sweep
from reckless.methods.surrogate.saddle import highest_bound, maximizers
from reckless.methods.surrogate.spaces import sample
from reckless.methods.surrogate.state import Asking, State

SURE_ENOUGH = 1e-6  # a standard deviation, in levels, below which an attack would only polish
N_OTHERS = 8
MOST_ON_GIVEN = 6  # attacks on a design of the user's, before the answer is taken for better
BOLDER = (ATTACK, 2.0 * ATTACK, 4.0 * ATTACK)  # deviations granted to the adversary, one after the other


def attack_answer(state: State) -> Asking[None]:
    """Try one more y at the answer, or explore if the model is sure of all of them."""
    assert state.answer is not None
    x = state.answer.x
    y = next_attack(state, x)
    if y is not None:
        yield from state.ask_at(x, y)
    else:
        yield from state.ask_at(*explore(state, x), is_probe=True)


def refute_given(state: State) -> Asking[None]:
    """Attack the designs of the user's that seem better than the answer: few y may have been tried there."""
    for x in state.given if state.known.model is not None else ():
        for _ in range(MOST_ON_GIVEN):
            answer, highest = state.answer, state.known.archive.highest_at(x)
            if answer is None or np.array_equal(x, answer.x) or highest > answer.fun or state.n_left <= 0:
                break
            y = next_attack(state, x)
            if y is None:
                break
            yield from state.ask_at(x, y, is_probe=True)


def next_attack(state: State, x: Array) -> Array | None:
    """Return the y to try at x: where f may fail, where the mean is highest, where it may be; last, any; or None."""
    known = state.known
    assert state.answer is not None
    if known.guard is not None and state.n_left % 2:  # every other time: a y that works may be worse
        y = untried_danger(known, x)
        if y is not None:
            return y
    pair = sweep(state)
    if pair is not None:
        return pair[1]
    tops = maximizers(known.arena, x, np.vstack([state.answer.y[None], state.found]))
    highest = known.arena.model.level(known.archive.highest_at(x))
    higher = (
        y for y, level in zip(*tops, strict=True) if level > highest + SURE_ENOUGH and not known.archive.has(x, y)
    )
    bolder = (highest_bound(known.arena, x, known.net, c)[0] for c in BOLDER)
    news = (y for y in chain(tops.Y[:2], bolder) if state.is_news(x, y, SURE_ENOUGH))
    others = sample(known.ys, state.rng, N_OTHERS)  # a model that is sure of everything is worth a test
    untried = (y for y in others if not known.archive.has(x, y))
    found: Array | None = next(chain(higher, news, untried), None)
    return found
