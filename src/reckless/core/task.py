"""What a method may see of a run, and what it may say."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from itertools import count
from math import nan
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from reckless.core.arrays import Array
from reckless.core.outcome import Failure
from reckless.errors import Halt, Status

BEGINNING = ("x0", "y0", "start", "data")  # options that become `Task.starts`, for methods whose `handles` name them
MOST_IDLE_ROUNDS = 1000  # rounds or requests without an evaluation, after which a run has come to a standstill
LEAST_AGREED = 2  # searches that must arrive at an estimate before it is a success

# A pair of batches in the unit cubes: X is (m, n_x), Y is (m, n_y); a vector in place of a batch means m copies.
Pairs = tuple[Array, Array]


class Series(NamedTuple):
    """Pairs to be evaluated one after the other, until a value lies above `limit`: one x, and Y (m, n_y).

    What is received are the values of those that were evaluated, the one above the limit last.
    """

    x: Array
    Y: Array
    limit: float


# A running method: it yields the pairs it wants evaluated and receives their values (m,), NaN for a failure.
Search = Generator[Pairs | Series, Array, None]

# A search that may return what another one may start from. Every `Search` is one, which returns None.
Handover = Generator[Pairs | Series, Array, "Starts | None"]


@runtime_checkable
class Method(Protocol):
    """Parameters of a two-player algorithm: a frozen dataclass with one generator."""

    def search(self, task: "Task") -> Handover:
        """Look for the x with the smallest worst case and say so by `task.recommend`."""


class Agreement(NamedTuple):
    """How many independent searches for a worse y were completed at an x, and how many arrived at its estimate."""

    n_agreed: int
    n_searches: int

    @property
    def is_evidence(self) -> bool:
        """Whether searches agree: one alone may end on any hill, and few of many show that there are many hills."""
        return self.n_agreed >= LEAST_AGREED and 2 * self.n_agreed >= self.n_searches

    def __str__(self) -> str:
        return f"{self.n_agreed} of {self.n_searches}"


class Recommendation(NamedTuple):
    """What a method believes at one moment: x, its worst y so far, the estimate f(x, y), the evaluations spent."""

    nfev: int
    x: Array
    y: Array
    fun: float


class Case(NamedTuple):
    """One of the worst cases of an x: y, fun = f(x, y), and what is known of it.

    weight: its multiplier, that is, its part in holding x where it is; None where the method has none. row: its place
    in the list of scenarios, None if y lives elsewhere.
    """

    y: Array
    fun: float
    weight: float | None = None
    row: int | None = None


class Balance(NamedTuple):
    """The maximizers Y (k, n_y) that a method follows at x (n_x,), in the unit cubes.

    weights (k,): their multipliers in the condition that no step from x helps; None if they are not known there.
    """

    x: Array
    Y: Array
    weights: Array | None = None


@dataclass(slots=True, eq=False)
class Budget:
    """Evaluations that may be made, and those that were; only `count` changes the counters.

    first_failure: the one with the lowest number, which does not depend on who was quicker.
    whole: the budget of which this is a part, if it is one; what is counted here is counted there too.
    """

    limit: int
    n_used: int = 0
    n_failed: int = 0
    first_failure: Failure | None = None
    whole: "Budget | None" = None

    @property
    def n_left(self) -> int:
        n_left = max(self.limit - self.n_used, 0)
        return n_left if self.whole is None else min(n_left, self.whole.n_left)

    def part(self, limit: int) -> "Budget":
        """Set aside at most `limit` evaluations of this budget."""
        return Budget(limit, whole=self)

    def count(self, n: int, n_failed: int = 0, failure: Failure | None = None) -> None:
        """Count n evaluations that were made, `n_failed` of which failed; `failure` is the first of those."""
        self.n_used += n
        self.n_failed += n_failed
        if failure is not None and (self.first_failure is None or failure.number < self.first_failure.number):
            self.first_failure = failure
        if self.whole is not None:
            self.whole.count(n, n_failed, failure)


class Hill(NamedTuple):
    """What is known of f around a maximizer y (n_y,) of f(x, .), in the unit cubes; None: unknown.

    gx (n_x,), gy (n_y,): slopes in x and y. H (n_y, n_y): second derivatives in y. M (n_y, n_x): how gy changes with x.
    B (n_x, n_x): curvature in x of the worst case, with y following its maximizer.
    """

    y: Array
    gx: Array | None = None
    gy: Array | None = None
    H: Array | None = None
    M: Array | None = None
    B: Array | None = None


class Starts(NamedTuple):
    """Points of the unit cubes that a search begins from, and what the search before it knows about them.

    x (k, n_x), y (k, n_y): both may be empty. values (k,): the worst case known at each x. peaks: maximizers at the
    first x. radius: of the trust region around it, in units of the box. pairs: rows of x and y that were evaluated, and
    their values: nobody needs to evaluate them again. kept (m, n_y): bad cases of the user's, for every search over y.
    """

    x: Array
    y: Array
    values: Array | None = None
    peaks: tuple[Hill, ...] = ()
    radius: float | None = None
    pairs: tuple[Array, Array, Array] | None = None
    kept: Array | None = None


class TraceRow(NamedTuple):
    """One event of a method, as `Task.note` takes it; NaN where a number does not apply.

    nfev: evaluations made before it. phase: what the method was doing. fun: the estimate of the worst case at the
    current x. radius: of the trust region, in units of the box. ratio: achieved over predicted decrease of a step.
    n_active: how many maximizers are active. event: what happened, in a few words, such as "accepted".
    """

    nfev: int
    phase: str
    fun: float
    radius: float
    ratio: float
    n_active: int
    event: str


@dataclass(slots=True, eq=False)
class Task:
    """The environment of one search: dimensions, budget, random generator, and the recommendation.

    agreement: what independent searches said about the recommended x, if the method verifies by itself; Agreement(0, 0)
    as long as none was completed. settled: whether the descent that led there came to its end, if the method can tell.
    upper: the worst case of the recommended x is likely below this; None if the method does not say.
    standard_error: of the recommended estimate, if values are noisy and the estimate is a model's mean.
    balance: the maximizers at the recommended x, and their multipliers, if the method follows any.
    x_domain, y_domain: the sets of x and y, a `Domain` each, for methods that can make use of them; None: unit cubes.
    trace: the events that the method noted; None if nobody wants them. begun_with: maxfev of the call that began the
    run; another one may have extended it since.
    """

    n_x: int
    n_y: int
    budget: Budget
    rng: np.random.Generator
    n_scenarios: int | None = None  # how many y there are, if they are a finite list
    batch_size: int = 1  # pairs that the user wants to evaluate at a time; a method may ask for more or fewer
    stages: list[tuple[str, int]] = field(default_factory=list)  # methods that another one chose, and when each began
    n_rounds: int = 0
    n_idle: int = 0  # rounds begun since the last evaluation
    n_before: int = -1  # evaluations made when the last round began
    recommendation: Recommendation | None = None
    agreement: Agreement | None = None
    settled: bool | None = None
    upper: float | None = None
    standard_error: float | None = None
    balance: Balance | None = None
    remark: str = ""  # a sentence about the answer that the user should read
    x_domain: object | None = None
    y_domain: object | None = None
    noise: float | None = None  # its standard deviation, as the user says; 0: f is exact; None: unknown
    tol: float | None = None  # part of the range of f: stop when no more than this is gained; None: use all evaluations
    converged: str = ""  # a sentence: on what it rests that the method stopped before its budget was spent
    is_known: bool = False  # whether the method before has learned f everywhere, to within tol
    starts: Starts | None = None
    trace: list[TraceRow] | None = None
    begun_with: int | None = None

    @property
    def maxfev(self) -> int:
        """Evaluations that the search may make in all."""
        return self.budget.limit

    @property
    def first_maxfev(self) -> int:
        """What maxfev was when the run began: a choice that depends on it stays when the run is extended."""
        return self.maxfev if self.begun_with is None else self.begun_with

    @property
    def n_used(self) -> int:
        """Evaluations made so far."""
        return self.budget.n_used

    @property
    def n_left(self) -> int:
        """Evaluations that may still be made."""
        return self.budget.n_left

    @property
    def acting(self) -> str:
        """What to call the methods that another one, such as auto, chose."""
        return ", then ".join(name for name, _ in self.stages)

    def begin_stage(self, name: str) -> None:
        """Note that a method of this name searches from now on, on behalf of the one that was asked for."""
        self.stages.append((name, self.n_used))

    def random_x(self) -> Array:
        return self.rng.random(self.n_x)

    def random_y(self) -> Array:
        return self.rng.random(self.n_y)

    def rounds(self, limit: int | None = None) -> Iterator[int]:
        """Count rounds while there is budget: 0, 1, ... up to `limit`; end a run that goes on without evaluations."""
        for k in count() if limit is None else range(limit):
            if self.n_left <= 0:
                return
            n_used = self.budget.n_used
            if n_used != self.n_before:
                self.n_idle, self.n_before = 0, n_used
            elif self.n_idle >= MOST_IDLE_ROUNDS:
                raise Halt(Status.STALLED)
            else:
                self.n_idle += 1
            self.n_rounds += 1
            yield k

    def recommend(self, x: Array, y: Array, estimate: float) -> None:
        """Make x the answer, with y its worst case so far; a failed estimate (NaN) is not an answer."""
        last = self.recommendation
        is_news = last is None or estimate != last.fun or not np.array_equal(x, last.x)
        if is_news and not np.isnan(estimate):
            self.recommendation = Recommendation(self.n_used, x.copy(), y.copy(), float(estimate))

    def recommend_if_better(self, x: Array, y: Array, estimate: float) -> None:
        """Make x the answer if its estimate is below that of the present one."""
        if self.recommendation is None or estimate < self.recommendation.fun:
            self.recommend(x, y, estimate)

    def note(
        self,
        phase: str,
        event: str,
        *,
        fun: float = nan,
        radius: float = nan,
        ratio: float = nan,
        n_active: int = 0,
    ) -> None:
        """Append an event to the trace, if one is wanted; see `TraceRow`."""
        if self.trace is not None:
            row = TraceRow(self.n_used, phase, float(fun), float(radius), float(ratio), int(n_active), event)
            self.trace.append(row)
