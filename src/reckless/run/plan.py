"""What a call asks for, read and checked: sets, method, options, and what the user knows already."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from reckless._version import __version__
from reckless.core.task import BEGINNING, Method
from reckless.domains.anchored import Anchored
from reckless.domains.domain import Domain
from reckless.domains.labels import Legends, legend_of
from reckless.domains.reading import DomainLike, read_domain
from reckless.evaluation.fingerprint import fingerprint, stable_repr
from reckless.methods.registry import find_method, require
from reckless.run.allowance import default_maxfev, explained
from reckless.run.cases import read_nominal
from reckless.run.givens import Givens, read_givens
from reckless.run.options import OPTIONS


class Plan(NamedTuple):
    """A call as it will be run.

    x_places, y_places: from the unit cubes to the sets; points that were given come back exactly. options: as
    `read_options` returns them, with `maxfev` and the nominal y as they hold. n_verify: evaluations of the
    verification. hint: a sentence about how the run was called.
    """

    x_domain: Domain
    y_domain: Domain
    x_places: Domain | Anchored
    y_places: Domain | Anchored
    method: Method
    method_name: str
    options: dict[str, Any]
    givens: Givens | None
    n_verify: int
    hint: str

    @property
    def maxfev(self) -> int:
        n: int = self.options["maxfev"]
        return n

    @property
    def legends(self) -> Legends:
        return Legends(legend_of(self.x_domain), legend_of(self.y_domain))

    def head(self, seed: Any) -> dict[str, Any]:
        """Return what a journal says about its run: whatever decides which pairs are asked for."""
        decisions = {key: self.options[key] for key, option in OPTIONS.items() if option.decides}
        names = {"x": list(self.x_domain.names), "y": list(self.y_domain.names)}
        return {
            "version": __version__,
            "problem": fingerprint((self.x_domain, self.y_domain)),
            "n_x": self.x_domain.n,
            "n_y": self.y_domain.n,
            **({"names": names} if any(names.values()) else {}),
            "method": stable_repr(self.method),
            "rng": seed,
            **decisions,
            **({} if self.givens is None else {"givens": fingerprint(self.givens)}),
            "verify": self.n_verify,
        }


def read_plan(x_bounds: DomainLike, y_bounds: DomainLike, options: Mapping[str, Any]) -> Plan:
    """Read the sets and what belongs to them, and refuse options that the method does not use."""
    x_domain = read_domain(x_bounds, "x_bounds", options["x_integrality"])
    y_domain = read_domain(y_bounds, "y_bounds", options["y_integrality"])
    method, name = find_method(options["method"])
    if options["tol"] is not None:
        require(method, name, "tol", "tell when it is done")
    for key in BEGINNING:
        if options[key] is not None:
            require(method, name, key, "begin with what is known")
    maxfev, verify = options["maxfev"] or default_maxfev(x_domain, y_domain), options["verify"]
    settled = {**options, "maxfev": maxfev, "y_nominal": read_nominal(options["y_nominal"], y_domain)}
    givens = read_givens(settled, x_domain, y_domain)
    return Plan(
        x_domain,
        y_domain,
        x_domain if givens is None else Anchored(x_domain),
        y_domain if givens is None else Anchored(y_domain),
        method,
        name,
        settled,
        givens,
        n_verify=(maxfev if verify else 0) if isinstance(verify, bool) else verify,
        hint="" if options["maxfev"] else explained(x_domain, y_domain),
    )
