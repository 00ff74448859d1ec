"""Black-box minimax optimization: find the x whose worst case over y is smallest, when f can only be called.

>>> import reckless
>>> result = reckless.minimax(lambda x, y: (x[0] - y[0]) ** 2, [(0, 4)], [(1, 3)], maxfev=2000, rng=7)
>>> round(result.x.item(), 2)
2.0
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from reckless._version import __version__

if TYPE_CHECKING:
    from reckless.core.outcome import Failure
    from reckless.core.task import Method, Search, Task
    from reckless.domains.perturbation import perturbation
    from reckless.domains.sets import Ball, Scenarios, Simplex
    from reckless.errors import (
        InvalidArgument,
        InvalidJournal,
        InvalidObjective,
        ObjectiveFailed,
        OptimizationError,
        OutOfTurn,
        Status,
        WorkersWarning,
    )
    from reckless.evaluation.command import Command, CommandFailed
    from reckless.methods.coevolution import CoevolutionAlternating, CoevolutionParallel
    from reckless.methods.danskin import Danskin
    from reckless.methods.mmde import MMDE
    from reckless.methods.random_search import RandomSearch
    from reckless.methods.reckless import Reckless
    from reckless.run.minimax import minimax
    from reckless.run.result import MinimaxResult, WorstCase
    from reckless.run.solver import Solver
    from reckless.run.verification import worst_case

# Public names and where they live; each is imported when first asked for, so that `import reckless` is instant.
_HOMES = {
    "minimax": "run.minimax",
    "Solver": "run.solver",
    "worst_case": "run.verification",
    "Command": "evaluation.command",
    "CommandFailed": "evaluation.command",
    "Ball": "domains.sets",
    "Scenarios": "domains.sets",
    "Simplex": "domains.sets",
    "perturbation": "domains.perturbation",
    "MinimaxResult": "run.result",
    "WorstCase": "run.result",
    "Danskin": "methods.danskin",
    "Reckless": "methods.reckless",
    "CoevolutionAlternating": "methods.coevolution",
    "CoevolutionParallel": "methods.coevolution",
    "MMDE": "methods.mmde",
    "RandomSearch": "methods.random_search",
    "Method": "core.task",
    "Search": "core.task",
    "Task": "core.task",
    "OptimizationError": "errors",
    "InvalidArgument": "errors",
    "InvalidObjective": "errors",
    "OutOfTurn": "errors",
    "ObjectiveFailed": "errors",
    "InvalidJournal": "errors",
    "WorkersWarning": "errors",
    "Failure": "core.outcome",
    "Status": "errors",
}

__all__ = [
    "MMDE",
    "Ball",
    "CoevolutionAlternating",
    "CoevolutionParallel",
    "Command",
    "CommandFailed",
    "Danskin",
    "Failure",
    "InvalidArgument",
    "InvalidJournal",
    "InvalidObjective",
    "Method",
    "MinimaxResult",
    "ObjectiveFailed",
    "OptimizationError",
    "OutOfTurn",
    "RandomSearch",
    "Reckless",
    "Scenarios",
    "Search",
    "Simplex",
    "Solver",
    "Status",
    "Task",
    "WorkersWarning",
    "WorstCase",
    "__version__",
    "minimax",
    "perturbation",
    "worst_case",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'reckless' has no attribute {name!r}")
    value = getattr(import_module(f"reckless.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
