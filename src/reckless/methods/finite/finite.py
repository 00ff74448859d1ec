"""Minimax over a finite list of y: trust-region SQP on the scenarios that matter, and exchange.

The worst case over a subset is a lower bound, and the worst scenario of its minimizer either belongs to the subset, and
then the bound is met, or joins it (Blankenship and Falk 1976, Infinitely constrained optimization problems). Slopes are
measured for scenarios that hold a step, and for those that stopped one. The others are tried where the fastest change
seen lately may have lifted them to the top, and all of them where no step helps.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from reckless.core.arguments import keep, read_between
from reckless.core.arrays import Array, Indices
from reckless.core.task import BEGINNING, Agreement, Balance, Handover, Hill, Starts, Task
from reckless.errors import InvalidArgument
from reckless.methods.convergence import Converged, Convergence
from reckless.methods.danskin.oracle import Asking, Oracle, Spent
from reckless.methods.danskin.tuning import effort as common
from reckless.methods.finite.exchange import Exchange, sweep
from reckless.methods.finite.listing import Stand, new_listing
from reckless.methods.finite.piece import Piece
from reckless.methods.finite.space import Space, space_of_x
from reckless.methods.finite.tuning import effort
from reckless.methods.surrogate.spaces import sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Finite:
    """Trust-region SQP on the scenarios of a list that matter, and exchange.

    reserve_share: part of the budget kept to try the rest of the list at the answer.
    """

    handles: ClassVar[frozenset[str]] = frozenset({"extension", "tol", *BEGINNING})
    reserve_share: float = common.reserve_share

    def __post_init__(self) -> None:
        keep(self, reserve_share=read_between(self.reserve_share, "reserve_share", 0.0, 1.0, "[)"))

    def search(self, task: Task) -> Handover:
        if task.n_scenarios is None:
            raise InvalidArgument(
                "method: 'finite' needs a list of y, but y_bounds is none. Give reckless.Scenarios, or take 'auto'."
            )
        task.agreement = Agreement(0, 0)
        reserve = min(int(self.reserve_share * task.maxfev), task.n_scenarios)
        handed = np.inf if task.recommendation is None else task.recommendation.fun
        oracle = Oracle(task, task.maxfev - reserve)
        search = _Search(task, space_of_x(task), task.n_scenarios, handed)
        try:
            for k in task.rounds():
                if search.rest.is_done:
                    search.rest.conclude(0)
                    break
                yield from search.descend(oracle, k)
        except Spent:
            oracle.limit = task.maxfev
        yield from search.conclude(oracle)
        return search.handover()


@dataclass(slots=True, eq=False)
class _Search:
    """The state of a run. best: the lowest end of a descent. current: the descent that is under way. hard: scenarios
    that held the last steps, the latest first. handed: the value that another search recommended before, if one did.
    rest: whether the run is done.
    """

    task: Task
    space: Space
    m: int
    handed: float
    best: Exchange | None = None
    current: Exchange | None = None
    hard: list[int] = field(default_factory=list)
    rest: Convergence = field(init=False)

    def __post_init__(self) -> None:
        self.rest = Convergence(self.task)

    def descend(self, oracle: Oracle, k: int) -> Asking[None]:
        """Make the k-th descent, and keep it if it ends lower than those before.

        It stops where it arrives at the best x, if it is the last descent that is needed.
        """
        x, first = yield from self.start(oracle, k)
        listing, stand = new_listing(self.space, self.m, x), Stand(x, np.full(self.m, np.nan))
        self.current = descent = Exchange(oracle, listing, stand, self.report)
        yield from listing.visit(oracle, stand, first[: oracle.n_left])
        if k == 0:
            self.adopt(descent)
            yield from self.test_error(oracle, descent)
        descent.note("start", "a new x", stand.value)
        self.rest.range, self.rest.is_away = oracle.spread, k > 0
        try:
            end = yield from descent.run()
        except Converged:
            self.current = None
            self.rest.note(self.to_beat, self.to_beat)
            return
        self.hard = list(dict.fromkeys([*listing.holding().tolist(), *self.hard]))[: effort.n_hard]
        if end.value > -np.inf and (self.best is None or end.value < self.best.stand.value):
            self.best = descent
        self.current = None
        self.recommend()
        if self.best is not None:
            self.rest.note(self.best.stand.value, end.value)

    def start(self, oracle: Oracle, k: int) -> Asking[tuple[Array, Indices]]:
        """Return the x where the k-th descent begins, and the scenarios that are tried there first."""
        starts, rng = self.task.starts, oracle.rng
        if k == 0 and starts is not None and len(starts.x):
            x = self.space.from_cube(starts.x[:1])[0]
            known = self.number(starts.y)
        else:
            known = np.array([*self.hard, *rng.permutation(self.m)[: common.n_first_y]], dtype=np.intp)
            x = yield from self.race(oracle, sample(self.space, rng, common.n_race), known)
        return x, np.unique(np.concatenate([known, rng.permutation(self.m)[: effort.n_sweep]]))

    def adopt(self, descent: Exchange) -> None:
        """Begin with the radius and the slopes that another search left, as far as there are any."""
        starts, stand, nowhere = self.task.starts, descent.stand, np.full(self.space.n, np.nan)
        if starts is None or not len(starts.x):
            return
        descent.radius = starts.radius or descent.radius
        for hill in starts.peaks if self.space.total is None else ():
            i = int(self.number(hill.y))
            if hill.gx is not None and np.isfinite(stand.values[i]):
                descent.listing.pieces[i] = Piece(stand.x, float(stand.values[i]), hill.gx, (nowhere, hill.gx), hill.B)

    def number(self, points: Array) -> Indices:
        """Return which scenarios points (..., 1) of the unit interval are."""
        numbers: Indices = np.minimum((points[..., 0] * self.m).astype(np.intp), self.m - 1)
        return numbers

    def test_error(self, oracle: Oracle, descent: Exchange) -> Asking[None]:
        """Learn from the first values whether they are rounded, and from one taken again whether they are noisy."""
        stand = descent.stand
        known = stand.values[np.isfinite(stand.values)]
        if known.size < 2:
            return
        oracle.note_resolution(known)
        again = yield from descent.listing.ask(oracle, stand.x, stand.worst)
        error = abs(float(again[0]) - stand.value)
        if 0.0 < error < np.inf:
            oracle.note_error(effort.noisy * error, float(np.ptp(known)))

    def race(self, oracle: Oracle, X: Array, chosen: Indices) -> Asking[Array]:
        """Let all x meet the first scenario, the better half the next, and so on; return the best."""
        X, is_first = X[: oracle.n_left], oracle.n_used == 0
        worst, listing = np.zeros(len(X), dtype=np.intp), new_listing(self.space, self.m, X[0])
        scores = np.full(len(X), -np.inf)
        for i in dict.fromkeys(chosen.tolist()):
            values = yield from listing.ask(oracle, X, i)
            values = np.where(np.isnan(values), np.inf, values)
            worst, scores = np.where(values > scores, i, worst), np.maximum(scores, values)
            better = np.argsort(scores, kind="stable")[: (len(X) + 1) // 2]
            X, worst, scores = X[better], worst[better], scores[better]
            if is_first and np.isfinite(scores[0]):  # the budget may end before the race
                self._say(X[0], int(worst[0]), float(scores[0]), settled=False)
            if len(X) == 1:
                break
        best: Array = X[0]
        return best

    def report(self, stand: Stand) -> None:
        """Recommend where the current descent is, unless another answer is lower, or this one was tried on less."""
        best = None if self.best is None else self.best.stand
        if best is not None and self.rest.has_arrived(stand.x, stand.value, best.x, best.value):
            raise Converged
        if self.to_beat == np.inf or (stand.value < self.to_beat and self.is_tried(stand)):
            self._say(stand.x, stand.worst, stand.value, settled=False)
            self.task.balance = None if self.current is None else self.balance(self.current)

    def is_tried(self, stand: Stand) -> bool:
        """Tell whether no other scenario may be worse: those not tried here are lower by all that is known of them.

        Until a descent has ended, it suffices that each was tried somewhere.
        """
        if self.best is not None or self.current is None:
            return not stand.rest.size
        high = self.current.listing.highest(stand.x)[stand.rest]
        return bool(((high > -np.inf) & (high <= stand.value)).all())

    @property
    def to_beat(self) -> float:
        """The value at the end of the lowest descent, or what another search recommended; infinite without either."""
        return self.handed if self.best is None else self.best.stand.value

    def recommend(self) -> None:
        if self.best is not None:
            stand = self.best.stand
            self._say(stand.x, stand.worst, stand.value, settled=True)
            self.task.balance = self.balance(self.best)

    def balance(self, descent: Exchange) -> Balance:
        """Return the scenarios that hold a descent where it is, with multipliers if its last step began there."""
        listing, x = descent.listing, descent.stand.x
        is_here, chosen = listing.weighed_at is x, listing.holding()
        if not is_here or not chosen.size:
            chosen = np.array([descent.stand.worst])
        weights = listing.weights[chosen] if is_here else None
        return Balance(self.space.to_cube(x[None])[0], listing.point(chosen), weights)

    def _say(self, x: Array, i: int, value: float, *, settled: bool) -> None:
        if value > -np.inf:
            self.task.recommend(self.space.to_cube(x[None])[0], np.array([(i + 0.5) / self.m]), value)
            self.task.settled = settled

    def conclude(self, oracle: Oracle) -> Asking[None]:
        """Try the rest of the list at the answer, with the evaluations that remain."""
        if self.best is not None or self.current is None or np.isnan(self.current.stand.values).all():
            return
        try:
            while (yield from sweep(oracle, self.current.listing, self.current.stand)):
                self.report(self.current.stand)
        except Spent:
            pass
        self.report(self.current.stand)

    def handover(self) -> Starts | None:
        """Return what another search may begin with: the answer and the scenarios that hold it."""
        descent = self.best or self.current
        if descent is None or np.isnan(descent.stand.values).all():
            return None
        listing, x = descent.listing, descent.stand.x
        holding = [i for i in listing.holding().tolist() if i in listing.pieces] or [descent.stand.worst]
        is_cube = self.space.total is None
        peaks = [Hill(listing.point(i), p.slope, B=p.B) for i in holding if (p := listing.pieces.get(i)) and is_cube]
        X, Y = self.space.to_cube(x[None]), listing.point(np.array(holding))
        return Starts(X, Y, np.array([descent.stand.value]), tuple(peaks), descent.radius)
