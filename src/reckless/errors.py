"""Exceptions of the package and the sentences with which a run ends."""

from enum import Enum


class OptimizationError(Exception):
    """Anything that goes wrong here; every exception of the package derives from it."""


class InvalidArgument(OptimizationError, ValueError):
    """An argument breaks its rule; the message names it, the rule, what came instead, and the likely cure."""


class UnknownArgument(InvalidArgument, TypeError):
    """A function has no argument of this name; the message says what to write instead."""


class InvalidObjective(OptimizationError, TypeError):
    """The objective is not callable, or returned something that is not one number per pair."""


class OutOfTurn(OptimizationError, RuntimeError):
    """`ask`, `tell` or `result` was called at a moment when it has no meaning."""


class ObjectiveFailed(OptimizationError, RuntimeError):
    """An evaluation failed and the run was told not to go on: NaN, a timeout, or a worker that died."""


class ModelFailed(OptimizationError, RuntimeError):
    """A served model that computes f gave no value for a pair; the message names it and what came instead."""


class InvalidJournal(OptimizationError, ValueError):
    """A journal belongs to another run, is damaged, or is in use; it was left as it was."""


class InvalidResult(InvalidArgument):
    """A file is no saved result, is damaged, or was saved by a later release; it was left as it was."""


class MissingPackage(OptimizationError, ImportError):
    """What was asked for needs a package that is not installed; the message says how to get it."""


class WorkersWarning(UserWarning):
    """The workers cannot help as they were meant to; the results are the same."""


class ScaleWarning(UserWarning):
    """Bounds span orders of magnitude, but nobody said on which scale they are to be searched."""


class JournalWarning(UserWarning):
    """A run resumes from a journal, but may differ from the run that began it."""


class Status(Enum):
    """How a run ended: SciPy's integer status, whether that counts as success, and the sentence a user reads."""

    RUNNING = (-1, False, "The run has not ended yet.")
    BUDGET_SPENT = (0, True, "The evaluation budget (maxfev) is spent.")
    PLAN_COMPLETE = (1, True, "The method carried out its plan.")
    STOPPED_BY_CALLBACK = (2, True, "The callback ended the run.")
    TARGET_REACHED = (5, True, "The estimate reached the target.")
    TIME_SPENT = (6, True, "The time (maxtime) is spent.")
    INTERRUPTED = (4, False, "The run was interrupted; this is the answer so far.")
    STALLED = (7, False, "The method no longer asks for evaluations: it began 1,000 rounds without one.")
    NOTHING_FOUND = (3, False, "So many evaluations failed that there is nothing to recommend.")

    def __init__(self, code: int, success: bool, sentence: str) -> None:
        self.code = code
        self.success = success
        self.sentence = sentence


class Halt(Exception):
    """Ends a run well from within an evaluation; it never reaches a user."""

    def __init__(self, status: Status, remark: str = "") -> None:
        super().__init__(status, remark)
        self.status = status
        self.remark = remark
