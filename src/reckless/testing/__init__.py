"""Contract tests of methods, strategies, domains and engines, for this package and for third parties.

Each check raises AssertionError with a sentence that says which promise is broken, and with which budget and seed. The
promises are also in tables, so that a test suite can report them one by one. They need neither pytest nor hypothesis.

>>> import reckless
>>> from reckless.testing import check_method
>>> check_method(reckless.RandomSearch(), budgets=(1, 2, 50))
"""

import warnings
from collections.abc import Callable, Iterable
from itertools import product

from reckless.core.task import Method
from reckless.domains.domain import Domain
from reckless.errors import WorkersWarning
from reckless.evaluation.executors import Engine
from reckless.evaluation.objective import Evaluator
from reckless.strategies.strategy import Strategy
from reckless.testing.domain_promises import DOMAIN_PROMISES
from reckless.testing.engine_promises import ENGINE_PROMISES
from reckless.testing.method_promises import METHOD_PROMISES
from reckless.testing.requiring import blaming
from reckless.testing.strategy_promises import STRATEGY_PROMISES

BUDGETS = (1, 2, 3, 7, 30, 100, 601)


def check_method(method: Method, *, budgets: Iterable[int] = BUDGETS, seeds: Iterable[int] = (0, 1)) -> None:
    """Check that a method keeps the promises of every method, with each budget and seed."""
    for promise, budget, seed in product(METHOD_PROMISES.values(), budgets, seeds):
        promise(method, budget, seed)


def check_strategy(strategy: Strategy, *, budgets: Iterable[int] = BUDGETS, dimensions: Iterable[int] = (1, 4)) -> None:
    """Check that a one-player strategy keeps the promises of every strategy, with each budget and dimension."""
    for promise, (seed, (n, budget)) in product(STRATEGY_PROMISES.values(), enumerate(product(dimensions, budgets))):
        promise(strategy, n, budget, seed)


def check_domain(domain: Domain) -> None:
    """Check that a set keeps the promises of every set."""
    for name, promise in DOMAIN_PROMISES.items():
        with blaming("domain", f"when checked whether it {name}"):
            promise(domain)


def check_engine(make: Callable[[Evaluator], Engine]) -> None:
    """Check that the engines that `make` returns, given an `Evaluator`, keep the promises of every engine."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WorkersWarning)  # an engine may say that these f are too cheap for it
        for promise in ENGINE_PROMISES.values():
            promise(make)
