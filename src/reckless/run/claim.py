"""What a run claims about its answer: the method's recommendation, held against all that the ledger knows.

Only here is decided which x is returned, what `fun` is, and whether that is a success.
"""

from dataclasses import dataclass
from math import isfinite, isnan, nan
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.core.sense import Sense
from reckless.core.task import Agreement, Recommendation, Task
from reckless.domains.domain import Domain
from reckless.errors import Status
from reckless.evaluation.known import Known, better_than, known_at, mean_at, noise_of
from reckless.evaluation.path import Account
from reckless.run.cases import Cases
from reckless.run.result import WorstCase, attacks_failed
from reckless.run.scatter import fails_at_random

SAME = 1e-6  # values closer than this part of the range of f at x are the same
NOISE_MARGIN = 4.0  # standard deviations by which the highest of thousands of noisy values exceeds their mean


class Choice(NamedTuple):
    """The x that is returned, and its worst case as far as it is known when the search ends.

    is_believed: whether the method recommends x with this value, so that what it says of it holds.
    """

    x: Array
    y: Array
    fun: float
    is_believed: bool = True


class Claim(NamedTuple):
    """What a run says about its answer; the fields are those of `MinimaxResult`.

    Sentences are the user's, numbers those of the search, until `turned` makes them the user's too.
    """

    x: Array
    y: Array
    fun: float
    success: bool
    status: int
    message: str
    agreement: Agreement | None = None
    settled: bool | None = None
    upper: float | None = None
    lower: float | None = None
    refuted: bool = False
    gap: float | None = None
    verdict: str | None = None


@dataclass(frozen=True, slots=True)
class Claims:
    """Makes the claims of one run, from what its method says and what its ledger knows.

    hint: a sentence about how the run was called, with which its message ends. cases: the worst cases of an x, and what
    is known of the nominal y.
    """

    task: Task
    account: Account
    y_domain: Domain
    hint: str = ""
    cases: Cases | None = None

    def choose(self, latest: Recommendation) -> Choice:
        """Return the recommended x, or another one that is known to be better, with the highest value known there.

        The other one must have been tried on as many different y: an x that nobody attacked has the lowest value.
        """
        ledger, known = self.account.ledger, self._known(latest.x)
        if known is None:
            return Choice(*latest[1:])
        fun = latest.fun
        if ledger.is_noisy and not known.is_fatal and self.task.standard_error is not None:
            return Choice(*latest[1:])  # a model's mean, which single values say little about
        if ledger.is_noisy:
            mean, n = mean_at(ledger, latest.x, latest.y)
            fun = mean if n else fun
        is_own = ledger.is_noisy and np.array_equal(known.y, latest.y)  # the highest of many values of this very pair
        if not known.is_fatal and (is_own or known.highest <= fun + self._tolerance(known)):
            is_same = ledger.is_noisy or known.highest == fun
            return Choice(latest.x, *((latest.y, fun) if is_same else (known.y, known.highest)))
        other = None if ledger.is_noisy else better_than(ledger, known, 2 * self.task.n_y + 2, self.account.is_worst)
        x, found = (latest.x, known) if other is None else (other, self._known(other) or known)
        return Choice(x, found.y, self._fun(x, found), is_believed=False)

    def state(
        self, choice: Choice, status: Status, verification: WorstCase | None = None, cut_short: Status | None = None
    ) -> Claim:
        """Claim what is known about the x chosen. cut_short: what ended its verification too early."""
        known = self._known(choice.x)
        if known is None or (isnan(known.lowest) and np.isnan(self.account.ledger.values).all()):
            return self.state_nothing((choice.x, choice.y), status, verification)
        is_attacked = verification is not None or cut_short is not None
        refuted = is_attacked and known.highest > choice.fun + self._tolerance(known)
        is_higher = refuted or (known.highest > choice.fun and not self.account.ledger.is_noisy)
        y, fun = (known.y, self._fun(choice.x, known)) if is_higher else choice[1:3]
        agreement = None if refuted else self._agreement(choice, known, verification)
        is_verified = self._is_exact(known) or (agreement is not None and agreement.is_evidence)
        must_agree = self.task.agreement is not None or verification is not None
        is_sound = isfinite(fun) and not known.is_fatal and not refuted
        is_sound = is_sound and (is_verified or not must_agree or status is Status.TARGET_REACHED)
        ending = cut_short if cut_short is Status.INTERRUPTED else status
        upper = self._upper(choice, known, fun, refuted)
        words = [
            *self._warnings(choice, known, fun, refuted),
            (status is Status.PLAN_COMPLETE and self.task.converged) or status.sentence,
            *self._remarks(choice, known, agreement, must_agree or status in (Status.TARGET_REACHED, Status.RUNNING)),
            "" if upper is None or self._is_exact(known) else _likely(upper, self.account.sense),
            _course(self.task),
            self._noise(choice, known, refuted),
            "" if self.cases is None else self.cases.unmet,
            "" if cut_short is None else f"The verification was cut short: {_SHORT.get(cut_short, cut_short.sentence)}",
            self.hint,
        ]
        return Claim(
            choice.x,
            y,
            fun,
            success=ending.success and is_sound,
            status=ending.code,
            message=" ".join(filter(None, words)),
            agreement=agreement,
            settled=self.task.settled if choice.is_believed or self.task.settled is None else False,
            upper=upper,
            refuted=refuted,
            gap=None if verification is None else verification.fun - choice.fun,
            verdict=None
            if verification is None
            else _verdict(choice.fun, known, refuted, verification, self.account.sense),
        )

    def state_nothing(self, pair: tuple[Array, Array], status: Status, verification: WorstCase | None = None) -> Claim:
        """Claim nothing: no x has a value."""
        failure, remark = self.task.budget.first_failure, self.task.remark
        if status.success and failure is not None:
            status = Status.NOTHING_FOUND
        if status.success:
            remark = remark or "Nothing could be recommended by then."
        elif status is Status.NOTHING_FOUND and failure is not None:
            remark = remark or f"The first with: {failure.summary}"
        verdict = None if verification is None else NOTHING_TO_COMPARE
        words = [*self._randomness(), status.sentence, remark, self.hint]
        return Claim(*pair, nan, False, status.code, " ".join(filter(None, words)), verdict=verdict)

    def _known(self, x: Array) -> Known | None:
        return known_at(self.account.ledger, x, self.account.is_worst)

    def _fun(self, x: Array, known: Known) -> float:
        """Return the highest value known at x; of noisy ones, the mean at its y."""
        is_mean = self.account.ledger.is_noisy and not known.is_fatal
        return mean_at(self.account.ledger, x, known.y)[0] if is_mean else known.highest

    def _tolerance(self, known: Known) -> float:
        """Return by how much a value must exceed another to refute it."""
        return SAME * known.range + NOISE_MARGIN * noise_of(self.account.ledger)

    def _upper(self, choice: Choice, known: Known, fun: float, refuted: bool) -> float | None:
        """Return what the method says the worst case is likely below, None if what is known contradicts it."""
        upper = self.task.upper
        if upper is None or not isfinite(upper) or refuted or not choice.is_believed:
            return None
        is_contradicted = known.failed_y is not None or known.highest > upper + self._tolerance(known)
        return None if is_contradicted or not isfinite(fun) else max(float(upper), fun)

    def _agreement(self, choice: Choice, known: Known, verification: WorstCase | None) -> Agreement | None:
        """Add up the completed searches of the method and of the verification; a list tried in full is a search."""
        if self._is_exact(known):
            return Agreement(1, 1)
        own = (self.task.agreement if choice.is_believed else None) or Agreement(0, 0)
        more = Agreement(0, 0) if verification is None else Agreement(verification.n_agreed, verification.n_starts)
        n_searches = own.n_searches + more.n_searches
        return Agreement(own.n_agreed + more.n_agreed, n_searches) if n_searches else None

    def _is_exact(self, known: Known) -> bool:
        """Tell whether every y there is was tried, and none failed."""
        n = self.task.n_scenarios
        if n is None or known.n_failed or known.n_evaluations < n:
            return False
        if known.n_tried < n:  # a list may have an entry twice
            n = len(np.unique(self.y_domain.rows((np.arange(n)[:, None] + 0.5) / n, n), axis=0))
        return known.n_tried >= n

    def _randomness(self) -> list[str]:
        """Say that failures come at random, if they do."""
        return [fails_at_random(self.account.whole.n_failed)] if self.account.is_random else []

    def _warnings(self, choice: Choice, known: Known, fun: float, refuted: bool) -> list[str]:
        """Say what a user must not miss, before anything else."""
        words, sense = self._randomness(), self.account.sense
        if known.failed_y is not None:
            words.append(attacks_failed(known.n_failed, known.n_evaluations, known.failed_y, self.y_domain))
            words.append(f"Its worst case {'is to fail' if known.is_fatal else 'there is unknown'}.")
        elif not isfinite(fun):
            words.append(f"f is {sense.turn(fun)} at this x.")
        elif refuted:
            words.append(
                f"The verification refuted the answer: the worst case of this x is {sense.at_least} "
                f"{sense.turn(fun):.6g}, that is {fun - choice.fun:.3g} {sense.above} the estimate."
            )
        return words

    def _remarks(self, choice: Choice, known: Known, agreement: Agreement | None, is_attacked: bool) -> list[str]:
        """Say how far the answer can be trusted. is_attacked: somebody but the method's own search looks at it."""
        words = [self.task.remark if choice.is_believed else "A worse y than the method's was met at its x."]
        n_scenarios = self.task.n_scenarios
        if n_scenarios is not None:
            words.append(_extent(known, n_scenarios, self._is_exact(known)))
        elif agreement is not None:
            words.append(f"{agreement} independent searches for a worse y arrived at this one.")
        elif self.task.agreement is not None:
            words.append("No independent search for a worse y was completed at this x.")
        if agreement is None and not is_attacked:
            words.append("Not verified: no independent search was made; verify=True makes them.")
        return words

    def _noise(self, choice: Choice, known: Known, refuted: bool) -> str:
        """Say which mean fun is, if evaluations are noisy."""
        ledger, error = self.account.ledger, self.task.standard_error
        if not ledger.is_noisy or known.is_fatal:
            return ""
        hidden = "" if self.task.tol is None or self.task.converged else " Noise hides whether tol is reached."
        if error is not None and choice.is_believed and not refuted:
            return f"Evaluations are noisy: fun is the model's mean, with a standard error of {error:.2g}.{hidden}"
        n = mean_at(ledger, choice.x, choice.y)[1]
        return f"Evaluations are noisy: fun is a mean{f' of {n:,}' if n else ''}.{hidden}"


NOTHING_TO_COMPARE = "There is nothing to compare: the run or the verification has no value at all."
_SHORT = {
    Status.TIME_SPENT: "the time (maxtime) is spent.",
    Status.INTERRUPTED: "it was interrupted.",
    Status.STOPPED_BY_CALLBACK: "the callback ended it.",
}


def _likely(upper: float, sense: Sense) -> str:
    """Say what the method's model makes of the worst case."""
    return (
        f"Likely {sense.below} {sense.turn(upper):.9g}: the model's mean {sense.plus} three standard deviations, after "
        f"attacks it predicted."
    )


def _course(task: Task) -> str:
    """Say which methods searched, and up to which evaluation, if there were several."""
    ends = [*(first for _, first in task.stages[1:]), task.n_used]
    parts = [f"{name} to {end:,}" for (name, _), end in zip(task.stages, ends, strict=True)] if task.stages else []
    return f"Searched by {', then '.join(parts)}." if len(parts) > 1 else ""


def _extent(known: Known, n_scenarios: int, is_exact: bool) -> str:
    """Say how much of a list was tried at an x."""
    if is_exact:
        return f"All {n_scenarios:,} scenarios were tried: this is the exact worst case of this x."
    if known.n_tried < n_scenarios:
        return f"{known.n_tried:,} of {n_scenarios:,} scenarios were tried: among the others there may be a worse one."
    return f"All {n_scenarios:,} scenarios were tried."


def _verdict(estimate: float, known: Known, refuted: bool, verification: WorstCase, sense: Sense) -> str:
    """Say in one sentence what the verification means for the estimate."""
    if isnan(verification.fun) or isnan(estimate):
        return NOTHING_TO_COMPARE
    if known.failed_y is not None:
        return (
            f"{known.n_failed:,} of {known.n_evaluations:,} attacks on this x failed: the estimate says nothing about "
            f"those y."
        )
    if refuted:
        return (
            f"The worst case is {sense.at_least} {sense.turn(verification.fun):.6g}, that is "
            f"{verification.fun - estimate:.3g} {sense.above} the estimate: the run did not see how bad this x can "
            f"get. Give it more evaluations, or compare methods."
        )
    if verification.is_exact:
        return "The estimate is the exact worst case."
    if not verification.n_agreed:
        return (
            f"None of the verification's searches arrived at the worst y that the run found, with the value "
            f"{sense.turn(estimate):.6g}: it is hard to find, and there may be a worse one. Repeat with more "
            f"evaluations."
        )
    if 3 * verification.n_agreed < verification.n_starts:
        return "The estimate stands, but few of the searches that attacked it came as far: do not rely on it."
    return "The estimate stands: independent searches found nothing worse."
