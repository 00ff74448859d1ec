"""What was the worst y of another x: a trial that would be accepted meets it, unless it is far too low nearby."""

from dataclasses import dataclass

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.peak import Peak, distance, highest, is_among
from reckless.methods.danskin.tuning import effort


@dataclass(slots=True, eq=False)
class Fear:
    """A y that was the worst of an x, and what is known of f along x there.

    x, value: of its last meeting. pace: the fastest change between meetings, per length of x; infinite after one.
    """

    y: Array
    x: Array
    value: float
    pace: float = np.inf

    def may_exceed(self, x: Array, F: float) -> bool:
        """Tell whether the y may be above F at x, if f changes there no faster than twice what was seen."""
        with np.errstate(invalid="ignore"):
            return not self.value + effort.caution * self.pace * distance(x, self.x) < F

    def meet(self, x: Array, value: float) -> None:
        """Learn from another meeting; a failure leaves the pace infinite."""
        change, length = abs(value - self.value), distance(x, self.x)
        if not np.isfinite(change):
            self.pace = np.inf
        elif length > 0.0:
            self.pace = max(change / length, self.pace if np.isfinite(self.pace) else 0.0)
        self.x, self.value = x, value


def fear(oracle: Oracle, x: Array, peak: Peak) -> None:
    """Let trials meet a y that was the worst of an x, in place of a close one."""
    near = next((known for known in oracle.fears if is_among(peak.y, [known.y])), None)
    if near is None:
        oracle.fears = [*oracle.fears[1 - effort.n_met :], Fear(peak.y, x, peak.value)]
    else:
        near.y, near.x, near.value = peak.y, x, peak.value


def recall(oracle: Oracle, x: Array, peaks: list[Peak]) -> Asking[None]:
    """Meet what was worst elsewhere and is not followed; the highest joins the peaks if it is above them."""
    known, F = [peak.y for peak in peaks], highest(peaks).value
    old = [one for one in oracle.fears if not is_among(one.y, known) and one.may_exceed(x, F)]
    if not old:
        return
    values = yield from oracle.ask(x, np.array([one.y for one in old]))
    for one, value in zip(old, values.tolist(), strict=True):
        one.meet(x, value)
    k = int(np.where(np.isnan(values), -np.inf, values).argmax())
    if values[k] > F:
        peaks.append(Peak(old[k].y, float(values[k])))
