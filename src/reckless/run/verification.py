"""The verification: attack a given x again, by searches that know nothing of the run that proposed it."""

from collections.abc import Generator, Mapping
from itertools import product
from math import inf, isfinite, isnan, nan
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from scipy.optimize import OptimizeResult

from reckless.core.arguments import read_point, read_rng
from reckless.core.arrays import Array
from reckless.core.generators import answered, relayed
from reckless.core.outcome import against_maximizer
from reckless.core.sense import sense_of
from reckless.core.task import Budget, Pairs, Task
from reckless.core.words import safe_repr
from reckless.domains.domain import Domain, Line, placed_rows
from reckless.domains.labels import Legend, Legends, legend_of
from reckless.domains.named import names_of, with_names
from reckless.domains.reading import DomainLike, read_domain
from reckless.errors import InvalidArgument
from reckless.evaluation.executors import WorkersLike, start_engine
from reckless.evaluation.ledger import Ledger
from reckless.evaluation.objective import Evaluator, Objective
from reckless.evaluation.path import Account, Evaluations, Policies
from reckless.methods.levels import maximize_over_y
from reckless.run.front import front_door
from reckless.run.options import read_options
from reckless.run.result import MinimaxResult, Slice, Slices, WorstCase, attacks_failed, turned_worst_case
from reckless.run.saving import load
from reckless.run.scatter import Scatter, beside_in, fails_at_random
from reckless.run.watcher import watching
from reckless.strategies.differential import DifferentialEvolution
from reckless.strategies.restarts import BIPOP
from reckless.strategies.strategy import Strategy

MAX_SEARCHES = 8  # restarted CMA-ES searches, each from a start of its own
ENOUGH = 20_000  # evaluations of a measurement, if its caller does not say
MOST_SLICES, SLICE_POINTS = 6, 41  # lines through the worst y, and points on each; at most a quarter of the budget
NOBODY = np.empty(0)  # in the place of x, which is fixed
AGREEMENT = 1e-6  # values closer than this part of the range of f(x, y) are the same

T = TypeVar("T")
Asking = Generator[Pairs, Array, T]  # yields pairs, receives their values, and returns something


@front_door
def worst_case(
    f: Objective,
    x: Any,
    y_bounds: DomainLike,
    *,
    maxfev: int = ENOUGH,
    rng: Any = None,
    args: Any = (),
    vectorized: bool = False,
    y_integrality: Any = None,
    maximin: bool = False,
    slices: bool = False,
    workers: WorkersLike = None,
    on_error: Literal["worst", "ignore", "raise"] = "raise",
    nan_policy: Literal["worst", "ignore", "raise"] = "worst",
    retries: int = 0,
    eval_timeout: float | None = None,
    progress: bool | Literal["bar", "lines", "none"] = False,
) -> WorstCase:
    """Measure how bad a given x can really get: an independent search for the y that maximizes f(x, y).

    Vertices of the box, differential evolution and several restarted CMA-ES searches each get a part of `maxfev`. How
    many of them arrive at the same value tells how far the answer can be trusted. A list of scenarios is tried in full
    if `maxfev` allows; then the answer is exact.

    Parameters
    ----------
    f, y_bounds, maxfev, rng, args, vectorized, y_integrality, maximin, workers, on_error, nan_policy, retries,
    eval_timeout, progress
        As for `minimax`.
    x : array_like, shape (n_x,), mapping, MinimaxResult or path
        The design to attack, with names if f wants them, the result that has it, or the name of a file where one is
        saved.
    slices : bool
        Whether to measure f also along lines through the worst y, one per coordinate but at most 6, for `plot`. This
        takes up to 42 evaluations per line, and at most a quarter of `maxfev`, of which they are a part.

    Returns
    -------
    WorstCase
        ``y`` and ``fun`` = f(x, y), the worst case found; ``nfev``; ``n_agreed`` of ``n_starts`` searches found it.

    Examples
    --------
    >>> import reckless
    >>> check = reckless.worst_case(lambda x, y: x[0] * y[0], [2.0], [(-1, 3)], maxfev=500, rng=1)
    >>> check.fun, check.y.item()
    (6.0, 3.0)
    """
    options = read_options(locals())
    x = load(x, "x") if isinstance(x, (str, Path)) else x
    maximin = options["maximin"] or (isinstance(x, MinimaxResult) and x.maximin)
    point = x.x if isinstance(x, OptimizeResult) and "x" in x else _read_names(x)
    x = read_point(point, None, "x")
    domain = read_domain(y_bounds, "y_bounds", y_integrality)
    budget = Budget(options["maxfev"] or ENOUGH)
    task = Task(x.size, domain.n, budget, read_rng(rng), n_scenarios=domain.n_scenarios, y_domain=domain)
    evaluator = Evaluator(f, vectorized=options["vectorized"], args=options["args"])
    evaluator.name(names_of(point), domain.names)
    isolated = options["on_error"] != "raise"
    engine = start_engine(evaluator, options["workers"], options["eval_timeout"], isolated=isolated)
    policies = Policies(options["on_error"], options["nan_policy"], options["retries"])
    sense = sense_of(maximin)
    legends = Legends(Legend(names_of(point)), legend_of(domain))
    account = Account(budget, policies, Ledger(x.size, domain.n_out), sense=sense, legends=legends)
    search = Scatter(account).pursue(measure(task, x, domain, slices=slices), budget, beside_in(domain))
    with watching(options["progress"]) as watcher, Evaluations(account, engine) as evaluate:
        if watcher is not None:
            account.watch, account.in_parts = watcher.count, True
            watcher.begin(budget.limit)

        def answer(pairs: Pairs) -> Array:
            def rows() -> tuple[Array, Array]:
                return placed_rows(pairs[0], len(pairs[1])), placed_rows(pairs[1], len(pairs[1]))

            return evaluate(*rows(), budget, rows)

        found = answered(search, answer)
    if account.is_random:
        found.message = f"{fails_at_random(budget.n_failed)} {found.message}"
    return turned_worst_case(found, sense)


def _read_names(x: Any) -> Any:
    """Return a design that was given with names as a vector that answers to them."""
    if not isinstance(x, Mapping):
        return x
    if not x or not all(isinstance(name, str) for name in x):
        raise InvalidArgument(f"x: expected numbers by name, as in {{'R': 47.0}}, but got {safe_repr(x)}.")
    return with_names(read_point(list(x.values()), None, "x"), tuple(x))


def measure(
    task: Task,
    x: Array,
    domain: Domain,
    *,
    slices: bool,
    known: tuple[Array, float] = (NOBODY, nan),
    first: Array | None = None,
) -> Asking[WorstCase]:
    """Search for the worst y of a given x: what `worst_case` does once its arguments are read.

    The pairs asked for are not in the unit cubes: they are x itself and points of the domain. known: a y and its value,
    below which the worst case found never ends. first (m, n_y): bad cases to be tried before any search.
    """
    n_lines = min(domain.n_out, MOST_SLICES) if domain.n_scenarios is None else 1
    n_points = min(SLICE_POINTS, task.maxfev // (4 * n_lines) - 1) if slices else 0
    meter = _Meter(task, x, *known)
    if domain.n_scenarios is None:
        meter.n_kept = n_lines * (n_points + 1) if n_points >= 2 else 0
        attacks = _attacks(task, meter.n_kept)
    else:
        attacks = _enumeration(task)
    if first is not None and len(first):
        yield from meter.ask(first)
    values: list[float] = []
    if meter.highest < inf or isnan(meter.highest):
        values = yield from relayed(attacks, lambda pairs: meter.ask(domain.rows(pairs[1], len(pairs[1]))))
    is_exact, words = _extent(task.n_used, task.budget.n_failed, domain.n_scenarios)
    meter.n_kept = 0
    drawn: list[Slice] = []
    if n_points >= 2 and not isnan(meter.highest):
        paths = domain.paths(meter.y, n_points, n_lines)
        if task.n_left >= sum(path.at.size for path in paths):
            for path in paths:
                values_on = yield from meter.ask(path.rows)
                drawn.append(Slice(path.label, path.at, values_on, path.here, path.kind, path.coordinate))
    found = _summary(task, meter, values, is_exact, words, Slices(drawn), domain)
    if slices and domain.n_scenarios is not None and meter.met:
        found.scenarios = Slices(_listed(meter, path) for path in domain.paths(found.y, domain.n_scenarios, 1))
    return found


def _listed(meter: "_Meter", path: Line) -> Slice:
    """Return the values of all scenarios that were tried, by their places in the list."""
    met = [(i, meter.met[row.tobytes()]) for i, row in enumerate(path.rows) if row.tobytes() in meter.met]
    places, values = np.array([i for i, _ in met], dtype=np.intp), np.array([value for _, value in met])
    return Slice(path.label, path.at[places], values, path.here, "list")


def _extent(n_tried: int, n_failed: int, n_scenarios: int | None) -> tuple[bool, str]:
    """Return whether all there is was tried, and how much of a finite list was, in words."""
    if n_scenarios is None:
        return False, ""
    if n_tried < n_scenarios:
        return False, (
            f"{n_tried:,} of {n_scenarios:,} scenarios were tried, most of them near the worst ones: among the others "
            f"there may be a worse one. maxfev={n_scenarios} tries them all."
        )
    if n_failed:
        return False, f"All {n_scenarios:,} scenarios were tried, but {n_failed:,} failed: they may be worse."
    return True, f"All {n_scenarios:,} scenarios were tried: this is the exact worst case."


class _Meter:
    """Asks for f(x, .) within the budget, and remembers the worst y and the range of the values."""

    def __init__(self, task: Task, x: Array, y: Array, highest: float) -> None:
        self._task, self._x = task, x
        self.n_kept = 0  # evaluations to leave for later
        self.y, self.highest, self.lowest = y, highest, highest
        self.met: dict[bytes, float] = {}  # the value of each scenario of a list

    def ask(self, rows: Array) -> Asking[Array]:
        """Return values (m,), NaN for failures and for what is beyond the budget."""
        values = np.full(len(rows), np.nan)
        m = max(0, min(len(rows), self._task.n_left - self.n_kept))
        if m:
            values[:m] = yield self._x, rows[:m]
            if self._task.n_scenarios is not None:
                self.met.update(zip((row.tobytes() for row in rows[:m]), values[:m].tolist(), strict=True))
            k = int(against_maximizer(values).argmax())
            if not isnan(values[k]) and not values[k] <= self.highest:
                self.y, self.highest = rows[k].copy(), float(values[k])
            self.lowest = float(np.fmin(self.lowest, np.fmin.reduce(values)))
            if not self.y.size:
                self.y = rows[0].copy()
        return values


def _enumeration(task: Task) -> Asking[list[float]]:
    """Try all scenarios, or as many as there is budget for; return the worst value."""
    strategy = BIPOP()  # ignored: a list of y is enumerated
    _, value = yield from maximize_over_y(task, NOBODY, strategy, start=task.random_y(), n_evaluations=task.n_left)
    return [value]


def _attacks(task: Task, n_kept: int) -> Asking[list[float]]:
    """Run the independent searches one after the other; return the worst value of each, NaN if all failed."""
    vertex, value = yield from _vertices(task)
    found = [value]
    n_searches = min(MAX_SEARCHES, max(1, (task.n_left - n_kept) // (200 * task.n_y)))
    for k in range(n_searches + 1):
        strategy: Strategy = DifferentialEvolution() if k == 0 else BIPOP()
        # The first search over the vertices' best, all others from points of their own.
        start = vertex if k == 1 else task.random_y()
        n_evaluations = (task.n_left - n_kept) // (n_searches + 1 - k)
        if n_evaluations > 0 and value < inf:  # there is nothing worse than that
            _, value = yield from maximize_over_y(task, NOBODY, strategy, start=start, n_evaluations=n_evaluations)
            found.append(value)
    return found


def _vertices(task: Task) -> Asking[tuple[Array, float]]:
    """Return the best vertex: of all if they take at most a quarter of the budget, else of a random tenth."""
    if task.n_y < 60 and 2**task.n_y <= task.maxfev // 4:
        Y = np.array(list(product((0.0, 1.0), repeat=task.n_y)))
    else:
        Y = task.rng.integers(2, size=(max(1, min(task.maxfev // 10, 1000)), task.n_y)).astype(np.float64)
    values = yield NOBODY, Y
    k = against_maximizer(values).argmax()
    return Y[k], float(values[k])


def _summary(
    task: Task, meter: _Meter, values: list[float], is_exact: bool, words: str, slices: Slices, domain: Domain
) -> WorstCase:
    fun = meter.highest
    threshold = fun - AGREEMENT * (fun - meter.lowest) if np.isfinite(fun - meter.lowest) else fun
    n_agreed = sum(value >= threshold for value in values)
    failure = task.budget.first_failure
    if isnan(fun):
        message = "No evaluation returned a number, so the worst case is unknown."
    elif fun == inf:
        message = "f fails here, and that is the worst case." if failure is not None else "f is infinite here."
    elif words:
        message = words
    else:
        message = f"{n_agreed} of {len(values)} independent searches arrived at this worst case."
        if 3 * n_agreed < len(values):
            message += " So few agree that a worse one may exist: repeat with a larger maxfev."
    if failure is not None and not isnan(fun):
        message = f"{attacks_failed(task.budget.n_failed, task.n_used, failure.y, domain)} {message}"
    return WorstCase(
        y=with_names(meter.y, domain.names),
        legend=legend_of(domain),
        fun=fun,
        nfev=task.n_used,
        n_starts=len(values),
        n_agreed=n_agreed,
        n_failed=task.budget.n_failed,
        is_exact=is_exact,
        lowest=meter.lowest,
        highest=fun,
        slices=slices,
        scenarios=Slices(),
        success=isfinite(fun),
        message=message,
    )
