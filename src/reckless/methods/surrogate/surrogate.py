"""Surrogate: learn f over the pair (x, y), solve the minimax of what was learned exactly, and attack the solution.

For f that take seconds to hours, with 30 to 500 evaluations. A Gaussian process lets every value speak about every x.
Each round solves the minimax of its mean (milliseconds), evaluates that x against the maximizers the mean has there,
and, unless this already refutes x, against the y that could be worst. The answer is always an evaluated x.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from reckless.core.arrays import Array
from reckless.core.generators import answered
from reckless.core.task import BEGINNING, Agreement, Handover, Search, Task
from reckless.methods.surrogate.closing import attack_answer, refute_given
from reckless.methods.surrogate.design import HURRIED, first_design
from reckless.methods.surrogate.driving import begun, driven, recommend
from reckless.methods.surrogate.resting import Rest, is_learned
from reckless.methods.surrogate.rounds import play
from reckless.methods.surrogate.scouting import duel, has_seen_enough, starts_of
from reckless.methods.surrogate.spaces import sample
from reckless.methods.surrogate.state import Asking, State
from reckless.methods.surrogate.trust import (
    agreement_of,
    is_settled,
    noise_of,
    note_attacks,
    standard_error,
    upper_bound,
)

CLOSE_SHARE = 0.08  # of the budget, for attacks on the answer at the end
LEAST_TO_CLOSE = 2
SUSPICIOUS = 1e-5  # a nugget above this may be noise, rounding, or the error of an integrator
LEAST_FOR_NOISE = 20  # values, until a nugget means anything


@dataclass(frozen=True, slots=True, kw_only=True)
class Surrogate:
    """Bayesian minimax for expensive f."""

    handles: ClassVar[frozenset[str]] = frozenset({"batch_size", "extension", "noise", "tol", *BEGINNING})

    def search(self, task: Task) -> Search:
        state, rest = prepared(task), Rest(task)
        yield from driven(state, rounds(task, state, rest.is_due, rest.close), partial(report, task, state))


def prepared(task: Task) -> State:
    """Return the state of a search that begins."""
    state = begun(task)
    task.agreement = Agreement(0, 0)
    return state


def scout(task: Task) -> Handover:
    """Search until the surrogate has seen enough or the budget is spent; return what another method may begin with.

    What it learned about noise goes to the task.
    """
    state = prepared(task)
    yield from driven(state, rounds(task, state, has_seen_enough, duel), partial(report, task, state))
    if state.is_noisy and task.n_left:
        task.noise, task.standard_error = noise_of(state), None
    task.is_known = task.tol is not None and is_learned(state, task.tol)
    return starts_of(state)


def rounds(
    task: Task, state: State, is_enough: Callable[[State], bool], finish: Callable[[State], Asking[bool]]
) -> Asking[None]:
    """Run: a design, rounds until the closing share is left, then attacks on the answer.

    is_enough: tells, after each round before the closing, whether to finish. finish: tells whether that was the end.
    """
    known, n_close = state.known, max(LEAST_TO_CLOSE, int(CLOSE_SHARE * task.maxfev))
    yield from state.ask(*first_design(task, known.xs, known.ys))
    for k in task.rounds():
        state.is_hurried = task.n_used < task.first_maxfev <= HURRIED
        was_closing, state.is_closing = state.is_closing, task.n_left <= n_close
        state.n_left = task.n_left - (0 if state.is_closing else n_close)
        if state.is_closing and not was_closing:
            yield from refute_given(state)
        answer, n_before = state.answer, len(known.archive.v)
        if state.n_left <= 0:
            continue
        if known.model is None or answer is None:
            yield from state.ask(sample(known.xs, task.rng, 1), sample(known.ys, task.rng, 1))
            continue
        if task.batch_size > 1:
            yield from play_batch(state, k, task.batch_size)
        else:
            yield from turn(state, k)
        if state.is_closing:
            note_attacks(state, answer, n_before)
            continue
        if task.noise != 0.0:
            yield from test_noise(state)
        if is_enough(state) and (yield from finish(state)):
            return


def test_noise(state: State) -> Asking[None]:
    """Evaluate the answer's pair again, once, if the model sees noise: only two values of one pair prove it."""
    model, answer = state.known.model, state.answer
    if state.is_tested or model is None or answer is None or model.nugget < SUSPICIOUS or model.n < LEAST_FOR_NOISE:
        return
    state.is_tested = True
    rows = state.known.archive.v[state.known.archive.at(answer.x) & (answer.y == state.known.archive.Y).all(axis=1)]
    yield from state.ask_at(answer.x, answer.y, is_probe=True)
    again = state.known.archive.v[-1]
    state.is_noisy = bool(np.isfinite(again) and (again != rows).any())


def turn(state: State, k: int) -> Asking[None]:
    """Play a round, or attack the answer."""
    return attack_answer(state) if state.is_closing else play(state, k)


def play_batch(state: State, k: int, size: int) -> Asking[None]:
    """Ask for a batch: the pairs of as many turns as fill it, if the model is believed in between."""
    dream = state.dreaming(min(size, state.n_left))
    asked: list[tuple[Array, Array]] = []

    def believe(pairs: tuple[Array, Array]) -> Array:
        asked.append(pairs)
        model = dream.known.model
        assert model is not None
        values: Array = model.value(model.mean(np.hstack(pairs)))
        return values

    while dream.n_left > 0:
        answered(turn(dream, k), believe)
        if len(asked) == 1 or state.x_hat is None:
            state.x_hat, state.found = dream.x_hat, dream.found
        k += 1
    yield from state.ask(np.vstack([X for X, _ in asked]), np.vstack([Y for _, Y in asked]))


def report(task: Task, state: State) -> None:
    """Recommend the answer, and say how far it can be trusted; the bound comes with the last word."""
    recommend(task, state)
    if state.answer is not None:
        task.agreement, task.settled = agreement_of(state), is_settled(state)
        task.standard_error = standard_error(state)
        task.upper = None if task.n_left and not task.converged else upper_bound(state)
