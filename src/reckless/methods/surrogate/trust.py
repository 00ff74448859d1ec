"""How far the answer can be trusted: what the model predicted, what closing attacks found, what it still fears."""

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import Agreement
from reckless.methods.surrogate.answer import Answer
from reckless.methods.surrogate.climbing import joined
from reckless.methods.surrogate.model import Model
from reckless.methods.surrogate.saddle import highest_bound
from reckless.methods.surrogate.state import Attack, State

N_LAST_PAIRS, N_LAST_MOVES = 4, 3
PREDICTED = 1e-3  # error of a prediction, in standard deviations of all values
STILL = 1e-3  # a move of the minimax below this is none
ARRIVED = 1e-3  # part of what y matters at an x, which may still be feared or found there
CAUTION = 3.0  # standard deviations of the upper bound
N_JUDGED = 12  # predictions by which the deviations are judged
LARGEST_INFLATION = 3.0  # deviations that are too small by more than this say nothing
MOST_OUTLIERS = 0.1  # share of values that the others may miss by more than CAUTION deviations


def is_settled(state: State) -> bool:
    """Tell whether the last pairs were predicted, or there were none to predict, and the minimax has come to rest."""
    errors = [prediction.error for prediction in state.predictions[-N_LAST_PAIRS:]]
    moves = state.moves[-N_LAST_MOVES:]
    is_known = state.n_idle >= N_LAST_MOVES or (len(errors) == N_LAST_PAIRS and max(errors) < PREDICTED)
    return is_known and len(moves) == N_LAST_MOVES and max(moves) < STILL


def agreement_of(state: State) -> Agreement:
    """Count the closing attacks on the answer, and those that found nothing worse and left no doubt."""
    answer = state.answer
    if answer is None:
        return Agreement(0, 0)
    mine = [attack for attack in state.attacks if np.array_equal(attack.x, answer.x)]
    agreed = [attack for attack in mine if max(attack.excess, attack.doubt) <= ARRIVED * attack.spread]
    return Agreement(len(agreed), len(mine))


def note_attacks(state: State, answer: Answer, n_before: int) -> None:
    """Remember what attacks on an answer found: the values that came after `n_before` others."""
    known, model = state.known, state.known.model
    assert model is not None
    upper, noise = bound_at(state, answer.x), 0.0
    highest = known.archive.highest_at(answer.x)
    if state.is_noisy:
        highest, noise = answer.fun, CAUTION * spread_at(model, answer, model.noise)
    doubt = np.inf if upper is None else upper - highest - noise
    spread = float(np.ptp(model.value(model.mean(joined(answer.x, known.net)))))
    is_mine = known.archive.at(answer.x)[n_before:]
    for value in known.archive.v[n_before:][is_mine].tolist():
        excess = value - answer.fun - noise if not np.isnan(value) else np.inf
        state.attacks.append(Attack(answer.x, excess, doubt, spread))


def inflation_of(state: State) -> float:
    """Return by how much the model's deviations were too small, by its last predictions; at least 1."""
    z = np.array([prediction.z for prediction in state.predictions[-N_JUDGED:]])
    return float(max(1.0, np.sqrt(np.mean(z * z)))) if z.size else 1.0


def upper_bound(state: State) -> float | None:
    """Return what the worst case of the answer is likely below, if that can be said."""
    answer = state.answer
    if answer is None or not np.isfinite(answer.fun):
        return None
    bound = bound_at(state, answer.x)
    return None if bound is None else max(answer.fun, bound)


def bound_at(state: State, x: Array) -> float | None:
    """Return the highest mean + CAUTION sd at x, with deviations as large as errors were; None if they mean nothing."""
    model = state.known.model
    if model is None:
        return None
    inflation = inflation_of(state)
    mean, sd = model.process.loo()
    misses = np.abs(model.process.g - mean) > CAUTION * sd
    if inflation > LARGEST_INFLATION or misses.mean() > MOST_OUTLIERS:
        return None
    _, level = highest_bound(state.known.arena, x, state.candidates(), CAUTION * inflation)
    return float(model.value(level))


def standard_error(state: State) -> float | None:
    """Return the standard error of the answer's value, if values are noisy."""
    model, answer = state.known.model, state.answer
    if model is None or answer is None or not state.is_noisy:
        return None
    return spread_at(model, answer, float(model.sd(joined(answer.x, answer.y[None]))[0]))


def noise_of(state: State) -> float:
    """Return the standard deviation of one value around f at the answer, as the model has it."""
    assert state.known.model is not None
    assert state.answer is not None
    return spread_at(state.known.model, state.answer, state.known.model.noise)


def spread_at(model: Model, answer: Answer, sd: float) -> float:
    """Return a standard deviation of levels, at the answer, as one of values."""
    level = float(model.mean(joined(answer.x, answer.y[None]))[0])
    return 0.5 * float(model.value(level + sd) - model.value(level - sd))
