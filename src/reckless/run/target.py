"""End a run at an x that is good enough: once its estimate reaches the target, and an attack confirms that."""

from collections.abc import Callable, Generator
from contextlib import suppress

import numpy as np

from reckless.core.arrays import Array
from reckless.core.generators import relayed
from reckless.core.outcome import against_maximizer
from reckless.core.task import Pairs, Recommendation, Search, Series, Task
from reckless.errors import Halt, Status
from reckless.methods.levels import maximize_over_y
from reckless.strategies.restarts import BIPOP

MOST_ATTACKING = 5  # the attacks take at most one of so many evaluations
ATTACK_PER_COORDINATE = 100  # evaluations of one attack, for each coordinate of y and one more


class Over(Exception):
    """An attack has succeeded, or there is no budget to go on with it."""


class Goal:
    """End a run whose estimate is at most `target`, unless an attack of its own finds something worse than that.

    An estimate is a lower bound, and a method's first ones are often far too low. An attack ends once it succeeds.
    target: may change between two requests; None: there is none for now. highest_at: the highest value known at an x of
    the unit cube.
    """

    def __init__(self, task: Task, target: float | None, highest_at: Callable[[Array], float]) -> None:
        self._task, self.target, self._highest_at = task, target, highest_at
        self._rng: np.random.Generator | None = None
        self._last: Recommendation | None = None
        self._n_attacked = 0  # evaluations of all attacks

    def pursue(self, search: Search) -> Search:
        """Run a search, and look at what it recommends before each of its requests."""
        yield from relayed(search, self._ask)

    def _ask(self, request: Pairs | Series) -> Generator[Pairs | Series, Array, Array]:
        yield from self._check()
        return (yield request)

    def _check(self) -> Generator[Pairs, Array, None]:
        """Attack the present recommendation, unless it is too high or was attacked before."""
        task, latest = self._task, self._task.recommendation
        if self.target is None:
            return
        self._rng = self._rng or task.rng.spawn(1)[0]
        if latest is None or latest is self._last or latest.fun > self.target:
            return
        n_evaluations = min(ATTACK_PER_COORDINATE * (task.n_y + 1), task.n_left)
        if self._n_attacked > task.n_used // MOST_ATTACKING or n_evaluations == 0:
            return
        self._last = latest
        if self._highest_at(latest.x) > self.target:  # the method does not believe all that is known
            return
        worst = yield from self._attack(latest, n_evaluations, self._rng)
        if self.target is not None and worst.fun <= self.target:
            if worst.fun > latest.fun:
                task.recommendation = worst
            raise Halt(Status.TARGET_REACHED)

    def _attack(
        self, candidate: Recommendation, n_evaluations: int, rng: np.random.Generator
    ) -> Generator[Pairs, Array, Recommendation]:
        """Return the worst y found for the candidate, the one that was known included."""
        task, worst = self._task, candidate

        def ask(pairs: Pairs) -> Generator[Pairs, Array, Array]:
            nonlocal worst
            x, Y = pairs
            m = min(len(Y), task.n_left)
            if m == 0 or self.target is None or worst.fun > self.target:
                raise Over
            values = yield x, Y[:m]
            self._n_attacked += m
            k = int(np.argmax(against_maximizer(values)))
            if values[k] > worst.fun:
                worst = Recommendation(task.n_used, candidate.x, Y[k].copy(), float(values[k]))
            if m < len(Y):
                raise Over
            return values

        kept = None if task.starts is None else task.starts.kept
        alone = Task(task.n_x, task.n_y, task.budget, rng, n_scenarios=task.n_scenarios, y_domain=task.y_domain)
        search = maximize_over_y(alone, candidate.x, BIPOP(), start=candidate.y, n_evaluations=n_evaluations)
        with suppress(Over):
            if kept is not None and len(kept):
                yield from ask((candidate.x, kept))
            yield from relayed(search, ask)
        return worst
