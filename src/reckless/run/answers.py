"""The results of one run, as its user sees them: the answer, and what a callback is shown on the way."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reckless.core.task import Recommendation, Task
from reckless.domains.named import with_names
from reckless.errors import Status
from reckless.evaluation.path import Account
from reckless.run.cases import Cases
from reckless.run.claim import Choice, Claim
from reckless.run.origin import Origin
from reckless.run.plan import Plan
from reckless.run.result import History, MinimaxResult, Pairs, Trace, WorstCase, named_result, turned

RUNNING = Status.RUNNING.sentence
# What a run that goes on says of its answer.
NO_CLAIM = {
    "success": False,
    "status": Status.RUNNING.code,
    "lower": None,
    "active": (),
    "nominal": None,
    "refuted": False,
    "verification": None,
    "gap": None,
    "verdict": None,
}


@dataclass(frozen=True, slots=True)
class Answers:
    """Makes results of what is claimed of the answer, and of what was counted."""

    plan: Plan
    task: Task
    account: Account
    cases: Cases
    origin: Origin

    def of(
        self, claim: Claim, history: Sequence[Recommendation], verification: WorstCase | None, seconds: float
    ) -> MinimaxResult:
        """Return a claim as a result."""
        task = self.task
        result = MinimaxResult(
            **claim._asdict(),
            **self._counted(history, seconds),
            active=self.cases.active(claim.x, claim.y, claim.fun, task.balance),
            nominal=self.cases.nominal,
            nfev=task.n_used,
            method=task.acting or self.plan.method_name,
            verification=verification,
        )
        return turned(named_result(result), self.account.sense)

    def glimpse(
        self, history: Sequence[Recommendation], choice: Choice | None, message: str, seconds: float
    ) -> MinimaxResult:
        """Return what the method believes at this moment, in microseconds: the ledger is not looked at.

        choice: what is verified, if that is going on.
        """
        task = self.task
        latest, is_believed = choice or history[-1], choice is None or choice.is_believed
        seen = MinimaxResult(
            NO_CLAIM,
            **self._counted(history, seconds),
            x=latest.x,
            y=latest.y,
            fun=latest.fun,
            message=message,
            agreement=task.agreement if is_believed else None,
            settled=task.settled if is_believed else None,
            upper=task.upper if is_believed else None,
            nfev=task.budget.n_used,
            method=task.acting if task.stages else self.plan.method_name,
        )
        return turned(named_result(seen), self.account.sense)

    def pairs(self) -> Pairs:
        """Return all that was evaluated, and what the user brought."""
        ledger, plan = self.account.ledger, self.plan
        rows = np.flatnonzero(ledger.is_evaluated(np.arange(ledger.n_rows)))
        X, Y = with_names(ledger.X[rows], plan.x_domain.names), with_names(ledger.Y[rows], plan.y_domain.names)
        return Pairs(X, Y, self.account.sense.turn(ledger.values[rows]))

    def _counted(self, history: Sequence[Recommendation], seconds: float) -> dict[str, Any]:
        """Return the fields that need no claim."""
        task = self.task
        return {
            "maximin": self.plan.options["maximin"],
            "nit": task.n_rounds,
            "n_failed": task.budget.n_failed,
            "first_failure": task.budget.first_failure,
            "history": History(history),
            "trace": None if task.trace is None else Trace(task.trace),
            "pairs": None,
            "origin": replace(self.origin, seconds=seconds),
            "legends": self.account.legends,
        }
