"""Say what happens in a run by the logger `reckless`; who wants to read that sets it up, as for any library."""

import logging

from reckless.core.sense import Sense
from reckless.core.task import Recommendation, Task
from reckless.domains.labels import shown
from reckless.errors import Status
from reckless.evaluation.path import Account
from reckless.run.scatter import fails_at_random

LOGGER = logging.getLogger("reckless")
LOGGER.addHandler(logging.NullHandler())  # else Python prints warnings for those who set up nothing


class Log:
    """The log of one run: INFO on phases and recommendations, WARNING on failures.

    is_detailed: whether anybody reads INFO; asked once, so that a run without readers pays nothing.
    """

    def __init__(self) -> None:
        self.is_detailed = LOGGER.isEnabledFor(logging.INFO)
        self._n_stages = 0
        self._has_failed = self._is_random = False

    def begin(self, method: str, task: Task) -> None:
        """Say which method searches."""
        if self.is_detailed:
            words = "Search by %s: %d coordinates in x, %d in y, at most %s evaluations."
            LOGGER.info(words, method, task.n_x, task.n_y, f"{task.maxfev:,}")

    def follow(self, task: Task) -> None:
        """Say which methods another one, such as auto, chose since the last look."""
        for name, n_before in task.stages[self._n_stages :]:
            LOGGER.info("From evaluation %s on: %s.", f"{n_before + 1:,}", name)
        self._n_stages = len(task.stages)

    def recommend(self, latest: Recommendation, account: Account) -> None:
        """Say what is recommended now."""
        (x_legend, y_legend), fun = account.legends, account.sense.turn(latest.fun)
        x, y = shown(x_legend, latest.x, "x"), shown(y_legend, latest.y, "y")
        words = "After %s evaluations: estimate %.9g at x = %s, y = %s."
        LOGGER.info(words, f"{latest.nfev:,}", fun, x, y)

    def fail(self, account: Account) -> None:
        """Warn of the first failure, and once it is known that failures come at random."""
        first = account.whole.first_failure
        if first is not None and not self._has_failed:
            self._has_failed = True
            x_legend, y_legend = account.legends
            place = f"x = {shown(x_legend, first.x, 'x')}, y = {shown(y_legend, first.y, 'y')}"
            LOGGER.warning("Evaluation %s failed at %s: %s", f"{first.number + 1:,}", place, first.summary)
        if account.is_random and not self._is_random:
            self._is_random = True
            LOGGER.warning("%s", fails_at_random(account.whole.n_failed))

    def end(self, status: Status, task: Task, sense: Sense) -> None:
        """Say how the search ended."""
        if self.is_detailed:
            latest = task.recommendation
            estimate = "no recommendation" if latest is None else f"estimate {sense.turn(latest.fun):.9g}"
            LOGGER.info("%s %s evaluations, %s.", status.sentence, f"{task.n_used:,}", estimate)

    def begin_verification(self, n_evaluations: int) -> None:
        """Say that the answer is verified."""
        if self.is_detailed:
            LOGGER.info("Verification of the answer: at most %s evaluations.", f"{n_evaluations:,}")

    def end_verification(self, words: str, n_evaluations: int) -> None:
        """Say what came of the verification."""
        if self.is_detailed:
            LOGGER.info("Verification, after %s evaluations: %s", f"{n_evaluations:,}", words)
