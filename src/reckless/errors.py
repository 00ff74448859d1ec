"""Exceptions of the package and the sentences with which a run ends."""

from enum import Enum


class OptimizationError(Exception):
    """Anything that goes wrong here; every exception of the package derives from it."""


class InvalidArgument(OptimizationError, ValueError):
    """An argument breaks its rule; the message names it, the rule, what came instead, and the likely cure."""


class InvalidObjective(OptimizationError, TypeError):
    """The objective is not callable, or returned something that is not one number per pair."""


class OutOfTurn(OptimizationError, RuntimeError):
    """`ask`, `tell` or `result` was called at a moment when it has no meaning."""


class Status(Enum):
    """How a run ended: SciPy's integer status, whether that counts as success, and the sentence a user reads."""

    RUNNING = (-1, False, "The run has not ended yet.")
    BUDGET_SPENT = (0, True, "The evaluation budget (maxfev) is spent.")
    PLAN_COMPLETE = (1, True, "The method carried out its plan; the rest of the budget was not needed.")
    STOPPED_BY_CALLBACK = (2, True, "The callback ended the run.")
    INTERRUPTED = (4, False, "The run was interrupted; this is the answer so far.")
    NOTHING_FOUND = (3, False, "So many evaluations failed that there is nothing to recommend.")

    def __init__(self, code: int, success: bool, sentence: str) -> None:
        self.code = code
        self.success = success
        self.sentence = sentence
