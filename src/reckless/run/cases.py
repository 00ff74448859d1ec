"""What a result says about several y at once: all worst cases of its x, and the nominal one."""

from dataclasses import dataclass
from math import isnan

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import Balance, Case
from reckless.domains.anchored import Anchored
from reckless.domains.domain import Domain
from reckless.domains.inside import moved_inside
from reckless.domains.sets import Scenarios
from reckless.errors import InvalidArgument
from reckless.evaluation.cases import Worst, cases_at, lowest_at
from reckless.evaluation.path import Account
from reckless.run.result import Nominal


@dataclass(frozen=True, slots=True)
class Cases:
    """Finds the worst cases of an x in the ledger, and the lowest value at the nominal y (n_y,), if there is one.

    x_places, y_places: from the unit cubes, in which methods speak, to the sets.
    """

    account: Account
    x_places: Domain | Anchored
    y_places: Domain | Anchored
    y_domain: Domain
    y_nominal: Array | None = None

    def active(self, x: Array, y: Array, fun: float, balance: Balance | None) -> tuple[Case, ...]:
        """Return the worst cases of x, of which y is the one with the value `fun`; none if that is NaN."""
        if isnan(fun):
            return ()
        if balance is not None and not np.array_equal(self.x_places.from_unit(balance.x), x):
            balance = None
        if balance is not None:  # as the ledger has them: integers and lists move y in the cube
            balance = balance._replace(Y=self.y_domain.to_unit(self.y_places.rows(balance.Y, len(balance.Y))))
        is_list = self.y_domain.n_scenarios is not None
        ledger, is_worst = self.account.ledger, self.account.is_worst
        found = cases_at(ledger, Worst(x, y, fun), is_worst, self.y_domain.to_unit, balance, is_list=is_list)
        return tuple(case._replace(row=self._row(case.y)) for case in found) if is_list else found

    @property
    def nominal(self) -> Nominal | None:
        """The lowest value seen at the nominal y."""
        found = (
            None if self.y_nominal is None else lowest_at(self.account.ledger, self.y_nominal, self.y_domain.to_unit)
        )
        return None if found is None else Nominal(*found)

    @property
    def unmet(self) -> str:
        """What to do about a nominal y that was never evaluated, as a sentence."""
        if self.y_nominal is None or self.nominal is not None:
            return ""
        return f"No evaluation was made at y_nominal: y0={[self.y_nominal.tolist()]} makes the run meet it."

    def _row(self, y: Array) -> int | None:
        """Return the first place of y in a list."""
        domain = self.y_domain
        n = domain.n_scenarios or 0
        points = domain.points if isinstance(domain, Scenarios) else domain.rows((np.arange(n)[:, None] + 0.5) / n, n)
        places = np.flatnonzero((points == y).all(axis=1))
        return int(places[0]) if places.size else None


def read_nominal(rows: Array | None, domain: Domain) -> Array | None:
    """Return the nominal y (n_y,), a point of its set."""
    if rows is None:
        return None
    if rows.shape != (1, domain.n_out):
        raise InvalidArgument(
            f"y_nominal: expected one point with {domain.n_out} coordinate{'s' if domain.n_out > 1 else ''}, but got "
            f"shape {rows.shape}."
        )
    point: Array = moved_inside(rows, domain, "y_nominal", "y")[0]
    return point
