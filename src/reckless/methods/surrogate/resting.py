"""When a surrogate that searches alone is done, and when it knows f everywhere."""

from dataclasses import dataclass, field

import numpy as np

from reckless.core.task import Task
from reckless.methods.convergence import range_of
from reckless.methods.surrogate.closing import attack_answer
from reckless.methods.surrogate.scouting import has_hope
from reckless.methods.surrogate.state import Asking, State
from reckless.methods.surrogate.trust import N_LAST_MOVES, N_LAST_PAIRS, agreement_of, is_settled, note_attacks

MOST_ATTACKS = 20  # on the answer, until they agree
GROWTH_TO_TRY = 1.2  # of the data, until attacks that did not agree are made again
LEARNED = 1e-3  # part of the range of values, 1e-4 to 1e-2: f is not known where errors are larger, whatever tol is


def is_learned(state: State, tol: float) -> bool:
    """Tell whether the model foretells each value from the others, to within this part of their range."""
    model, values = state.known.model, state.known.fitted
    if model is None or state.known.guard is not None or state.known.veto is not None or not np.ptp(values) > 0.0:
        return False
    mean, _ = model.process.loo()
    return bool(np.abs(model.value(mean) - model.value(model.process.g)).max() <= min(tol, LEARNED) * np.ptp(values))


@dataclass
class Rest:
    """Tells when a surrogate that searches alone is done.

    funs: the answer's value after each round. n_tried: values when attacks on the answer last did not agree.
    """

    task: Task
    funs: list[float] = field(default_factory=list)
    n_tried: int = 0

    def is_due(self, state: State) -> bool:
        """Tell, after a round, whether the last ones gained nothing, and nothing was left to gain.

        The last pairs were foretold, the minimax of the model rests, the answer is what it was, and no other x may be
        clearly better.
        """
        answer, tol = state.answer, self.task.tol
        self.funs.append(np.inf if answer is None else answer.fun)
        if tol is None or state.is_noisy or not np.isfinite(self.funs[-1]):
            return False
        if len(state.known.archive.v) < GROWTH_TO_TRY * self.n_tried or not is_settled(state):
            return False
        values = state.known.fitted
        errors = [p.error for p in state.predictions[-N_LAST_PAIRS:]] if state.n_idle < N_LAST_MOVES else []
        is_foretold = max(errors, default=0.0) * float(np.std(values)) <= tol * range_of(values)
        is_still = float(np.ptp(self.funs[-N_LAST_MOVES:])) <= tol * range_of(values)
        return is_foretold and is_still and not has_hope(state)

    def close(self, state: State) -> Asking[bool]:
        """Attack the answer until the attacks agree; tell whether they do, and say so to the task."""
        state.is_closing, first = True, len(state.known.archive.v)
        for _ in range(MOST_ATTACKS):
            before, n_before = state.answer, len(state.known.archive.v)
            if before is None or state.n_left <= 0:
                break
            yield from attack_answer(state)
            note_attacks(state, before, n_before)
            if agreement_of(state).is_evidence:  # of the attacks on what is the answer now
                self._conclude(len(state.known.archive.v) - first)
                return True
        state.is_closing, self.n_tried = False, len(state.known.archive.v)
        return False

    def _conclude(self, n_attacks: int) -> None:
        task = self.task
        task.converged = (
            f"Converged at evaluation {task.n_used:,}: the last pairs were as foretold and the answer rested, within "
            f"tol = {task.tol:g} of the range of f, the model sees no hope elsewhere, and {n_attacks:,} attacks agree."
        )
