"""The checks of `reckless.testing` catch what they are there for: each promise has someone who breaks it."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

from reckless.core.outcome import Outcome, Reason, against_maximizer
from reckless.evaluation.executors import start_engine
from reckless.strategies.strategy import Best
from reckless.testing import (
    ENGINE_PROMISES,
    METHOD_PROMISES,
    STRATEGY_PROMISES,
    check_engine,
    check_method,
    check_strategy,
    engine_promises,
)
from support import refuses

# Methods


@dataclass
class Made:
    """A method whose search is a function; `n_runs` is a state that a method must not have."""

    run: Callable
    n_runs: int = 0

    def search(self, task):
        self.n_runs += 1
        return self.run(self, task)


def honest(self, task, *, size=5, reading=against_maximizer, told=lambda y, value: (y, value), draw=None):
    """Try random x, each against a few random y. What can be changed is what the mutants do differently."""
    for _ in task.rounds():
        x = (draw or task.rng.random)(task.n_x)
        Y = task.rng.random((min(size, task.n_left), task.n_y))
        values = reading((yield x, Y))
        worst = values.argmax()
        if values[worst] > -np.inf:
            task.recommend_if_better(x, *told(Y[worst], values[worst]))


def greedy(self, task):
    while True:
        values = yield task.random_x(), task.rng.random((5, task.n_y))
        task.recommend_if_better(task.random_x(), task.random_y(), values.max())


def outside(self, task):
    yield from honest(self, task, draw=lambda n: 1.2 * task.rng.random(n))


def below(self, task):
    yield from honest(self, task, draw=lambda n: task.rng.random(n) - 0.1)


def silent(self, task):
    for _ in task.rounds():
        yield task.random_x(), task.random_y()


def guessing(self, task):
    yield from honest(self, task, told=lambda y, value: (task.random_y(), value))


def flattering(self, task):
    yield from honest(self, task, told=lambda y, value: (y, value - 1.0))


def hasty(self, task):
    """It recommends a pair before it has been evaluated."""
    yield task.random_x(), task.random_y()
    x, y = task.random_x(), task.random_y()
    task.recommend(x, y, 100.0)
    value = yield x, y
    task.recommend(x, y, value[0])


def two_dimensional(self, task):
    yield from honest(self, task, draw=lambda n: task.rng.random(2))


def lopsided(self, task):
    yield task.rng.random((3, task.n_x)), task.rng.random((2, task.n_y))


def empty(self, task):
    while True:
        yield task.random_x(), np.empty((0, task.n_y))


def pleased_by_failures(self, task):
    yield from honest(self, task, reading=lambda values: np.nan_to_num(values, nan=-100.0))


def drawn_to_failures(self, task):
    """It shows y what fails as a prize, and recommends what it saw last."""
    for _ in task.rounds():
        x, Y = task.random_x(), task.rng.random((min(5, task.n_left), task.n_y))
        values = np.nan_to_num((yield x, Y), nan=100.0)
        task.recommend(x, Y[values.argmax()], values.max())


def pessimistic(self, task):
    """It recommends the worst pair that it saw."""
    worst = -np.inf
    for _ in task.rounds():
        x, y = task.random_x(), task.random_y()
        (value,) = yield x, y
        if value > worst:
            worst = value
            task.recommend(x, y, value)


def dividing(self, task):
    yield from honest(self, task, reading=lambda values: values + 0.0 / float(values.max() - values.min()))


def remembering(self, task):
    rng = np.random.default_rng(self.n_runs)
    yield from honest(self, task, draw=rng.random)


def sharing(self, task):
    yield from honest(self, task, draw=np.random.random)


MUTANTS = [
    ("keeps to the budget", greedy, r"asked for 5 evaluations with a budget of 1 \(seed 0\)"),
    ("stays in the boxes", outside, "outside of the unit cube"),
    ("stays in the boxes", below, "outside of the unit cube"),
    ("answers with a pair it evaluated", silent, "recommended nothing although every evaluation worked"),
    ("answers with a pair it evaluated", guessing, "recommended a pair that was not evaluated"),
    ("answers with a pair it evaluated", flattering, "or not with its value"),
    ("recommends only what it knows", hasty, "after 1 evaluations recommended a pair that was not evaluated"),
    ("takes all dimensions", two_dimensional, r"yielded X \(2,\) and Y \(1, 1\), not X \(1,\) or \(m, 1\)"),
    ("takes all dimensions", lopsided, r"yielded X \(3, 1\) and Y \(2, 1\)"),
    ("takes all dimensions", empty, r"yielded X \(1,\) and Y \(0, 1\)"),
    ("takes all dimensions", silent, "recommended nothing where x has 1 coordinates"),
    ("never recommends an x that fails", pleased_by_failures, "where f fails"),
    ("never recommends an x that fails", silent, "or nothing after"),
    ("never recommends a y that fails", drawn_to_failures, "where f fails"),
    ("leaves an x that is infinite", pessimistic, "after [0-9]+ finite values"),
    ("leaves an x that is infinite for some y", pessimistic, "after [0-9]+ finite values"),
    ("says so if everything fails", drawn_to_failures, "although every evaluation failed"),
    ("bears constants", dividing, r"raised ZeroDivisionError \(float division by zero\)"),
    ("bears constants", silent, "recommended nan for an f that is 3.0 everywhere"),
    ("repeats itself", remembering, "asked for other pairs the second time"),
    ("leaves global randomness alone", sharing, "used the global random state, not task.rng"),
    ("is the same by ask and tell", remembering, "asked for other pairs by ask and tell"),
]


@pytest.mark.parametrize(("promise", "search", "words"), MUTANTS, ids=lambda value: getattr(value, "__name__", None))
def test_a_method_that_breaks_a_promise_is_caught(promise, search, words):
    check = METHOD_PROMISES[promise]
    refuses(lambda: [check(Made(search), budget, seed) for budget in (1, 30, 601) for seed in (0, 1)], words)
    refuses(lambda: check_method(Made(search)), "budget of [0-9]+")


def test_every_promise_of_a_method_is_broken_by_someone():
    assert {promise for promise, *_ in MUTANTS} == set(METHOD_PROMISES)


def test_an_honest_method_passes_quickly_and_only_with_the_budgets_given():
    made, started = Made(honest), time.perf_counter()
    check_method(made)
    assert time.perf_counter() - started < 10.0
    budgets = set()
    check_method(
        Made(lambda self, task: (budgets.add(task.maxfev), honest(self, task))[1]), budgets=(1, 40), seeds=(5,)
    )
    assert budgets == {1, 40}


# Strategies


@dataclass
class Sampling:
    """Random points in batches; what can be changed is what the mutants do differently."""

    size: Callable = min
    draw: Callable = lambda rng, shape: rng.random(shape)
    told: Callable = lambda best: best

    def search(self, start, n_evaluations, rng):
        best = Best(start, np.nan, 0)
        while best.n_used < n_evaluations:
            points = self.draw(rng, (self.size(7, n_evaluations - best.n_used), start.size))
            best = best.or_best_of(points, (yield points))
        return self.told(best)


STATE = np.random.default_rng(5)
BAD_STRATEGIES = [
    ("keeps to the budget", Sampling(size=max), r"asked for 7 points with n_evaluations=1 in 1 dimensions \(seed 0\)"),
    ("keeps to the budget", Sampling(told=lambda best: best._replace(n_used=3)), "said that it used 3 evaluations"),
    (
        "stays in the unit cube",
        Sampling(draw=lambda rng, shape: rng.normal(0.5, 1.0, shape)),
        "outside of the unit cube",
    ),
    ("stays in the unit cube", Sampling(draw=lambda rng, shape: rng.random(shape[0])), r"yielded shape \(1,\)"),
    (
        "returns the best it saw",
        Sampling(told=lambda best: best._replace(value=0.5)),
        "returned the value 0.5, but saw",
    ),
    ("returns the best it saw", Sampling(told=lambda best: best._replace(point=0.5 * best.point)), "not have the best"),
    (
        "never returns a failure",
        Sampling(told=lambda best: best._replace(value=min(best.value, 0.1))),
        "returned 0.1, but saw",
    ),
    (
        "knows when everything failed",
        Sampling(told=lambda best: best._replace(value=np.inf)),
        "returned inf, not NaN, although every evaluation failed",
    ),
    ("bears a constant", Sampling(told=lambda best: best._replace(value=1 / (3.0 - best.value))), "ZeroDivisionError"),
    ("repeats itself", Sampling(draw=lambda rng, shape: STATE.random(shape)), "other points the second time"),
    (
        "leaves global randomness alone",
        Sampling(draw=lambda rng, shape: np.random.random(shape)),  # noqa: NPY002
        "used the global random state, not rng",
    ),
]


@pytest.mark.parametrize(("promise", "strategy", "words"), BAD_STRATEGIES, ids=lambda value: str(value)[:30])
def test_a_strategy_that_breaks_a_promise_is_caught(promise, strategy, words):
    check = STRATEGY_PROMISES[promise]
    refuses(lambda: [check(strategy, n, budget, 0) for n in (1, 2) for budget in (1, 30)], words)
    refuses(lambda: check_strategy(strategy), "n_evaluations=[0-9]+")


def test_every_promise_of_a_strategy_is_broken_by_someone():
    assert {promise for promise, *_ in BAD_STRATEGIES} == set(STRATEGY_PROMISES)


def test_an_honest_strategy_passes():
    check_strategy(Sampling())


# Engines


class Wrapped:
    """The engine of this process; what can be changed is what the mutants do differently."""

    def __init__(self, evaluator):
        self.evaluator, self.n_closed = evaluator, 0

    def outcomes(self, X, Y, deadline):
        yield from map(self.changed, self.evaluator.outcomes(X, Y, deadline))

    def changed(self, done):
        return done

    def close(self, *, at_once):
        self.n_closed += 1


class Forgetful(Wrapped):
    def outcomes(self, X, Y, deadline):
        yield from self.evaluator.outcomes(X[1:], Y[1:], deadline)


class Repeating(Wrapped):
    def outcomes(self, X, Y, deadline):
        yield from self.evaluator.outcomes(X, Y, deadline)
        yield from self.evaluator.outcomes(X[:1], Y[:1], deadline)


class Shifted(Wrapped):
    def changed(self, done):
        return done._replace(values=done.values + 1.0)


class Unsettled(Wrapped):
    def changed(self, done):
        return done._replace(values=done.values[:0])


class Secretive(Wrapped):
    def changed(self, done):
        return done._replace(reasons={})


class Brief(Wrapped):
    def changed(self, done):
        return done._replace(reasons=dict.fromkeys(done.reasons, Reason("It failed.")))


class Padding(Wrapped):
    def changed(self, done):
        return done._replace(values=np.nan_to_num(done.values, nan=1e9))


class Patient(Wrapped):
    def outcomes(self, X, Y, deadline):
        yield from self.evaluator.outcomes(X, Y, deadline + engine_promises.GRACE + 0.1)


class Giving(Wrapped):
    def outcomes(self, X, Y, deadline):
        yield Outcome(slice(0, 1), np.array([1.0]))


class OnceOnly(Wrapped):
    def close(self, *, at_once):
        super().close(at_once=at_once)
        if self.n_closed > 1:
            raise RuntimeError("it is closed")


class Slow(Wrapped):
    def close(self, *, at_once):
        time.sleep(engine_promises.GRACE + 0.1 if at_once and not self.n_closed else 0.0)
        super().close(at_once=at_once)


BAD_ENGINES = [
    ("evaluates every row once", Forgetful, r"of a batch of 1 evaluated the rows \[\]"),
    ("evaluates every row once", Repeating, r"of a batch of 1 evaluated the rows \[0, 0\]"),
    ("evaluates every row once", Unsettled, "gave 0 values for [0-9]+ rows"),
    ("gives the values of f", Shifted, r"with vectorized=False gave wrong values for rows \[0\] of a batch of 1"),
    ("turns exceptions into reasons", Secretive, "has the reason None, but should have f's exception"),
    ("turns exceptions into reasons", Brief, "without the words of f's exception"),
    ("turns exceptions into reasons", Padding, "has the value 1000000000.0; NaN is a failure"),
    ("ends at the deadline", Patient, "seconds, although the deadline came after 0.3"),
    ("ends at the deadline", Giving, "before the deadline"),
    ("closes at any time", OnceOnly, r"raised RuntimeError \(it is closed\)"),
    ("closes at any time", Slow, r"close\(at_once=True\) took [\d.]+ seconds"),
]


@pytest.mark.parametrize(("promise", "engine", "words"), BAD_ENGINES)
def test_an_engine_that_breaks_a_promise_is_caught(monkeypatch, promise, engine, words):
    monkeypatch.setattr(engine_promises, "GRACE", 0.5)  # which is soon overstepped
    refuses(lambda: ENGINE_PROMISES[promise](engine), words)


def test_every_promise_of_an_engine_is_broken_by_someone():
    assert {promise for promise, *_ in BAD_ENGINES} == set(ENGINE_PROMISES)
    refuses(lambda: check_engine(Shifted), "gave wrong values")


class Stuck(ThreadPoolExecutor):
    """It does its first job again and again."""

    first = None

    def submit(self, function, /, *args, **kwargs):
        self.first = self.first or (function, args)
        return super().submit(*self.first[:1], *self.first[1])


def test_an_executor_that_is_wrong_after_its_first_job_is_caught():
    """Evaluations that are too cheap to be sent would hide it."""
    check = ENGINE_PROMISES["gives the values of f"]
    refuses(lambda: check(lambda evaluator: start_engine(evaluator, Stuck(1), None)), r"wrong values for rows \[0 1\]")


def check_threads():
    with ThreadPoolExecutor(3) as pool:
        check_engine(lambda evaluator: start_engine(evaluator, pool, None))


@pytest.mark.parametrize(
    "check",
    [
        lambda: check_engine(Wrapped),
        lambda: check_engine(lambda evaluator: evaluator),
        lambda: check_engine(lambda evaluator: start_engine(evaluator, 2, None)),
        lambda: check_engine(lambda evaluator: start_engine(evaluator, 2, 60.0)),
        lambda: check_engine(lambda evaluator: start_engine(evaluator, map, None)),
        check_threads,
    ],
    ids=["honest", "this process", "processes", "processes with a timeout", "map", "threads"],
)
@pytest.mark.filterwarnings("ignore::reckless.WorkersWarning")
def test_our_engines_keep_their_promises(check):
    check()
