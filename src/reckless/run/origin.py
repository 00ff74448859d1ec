"""Where a result comes from: what a saved one says about its run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

from reckless._version import __version__
from reckless.core.words import printable, shortened
from reckless.domains.domain import Domain
from reckless.evaluation.fingerprint import stable_repr

LONGEST_TEXT = 1000  # characters of a set or a method
MOST_COORDINATES = 50  # of a set that is spelled in full


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a result comes from, so that the run can be repeated.

    x_set, y_set: where x and y live, as text. method: as it was spelled. rng: the seed, as it was given or drawn; None
    if random numbers came from a generator of the user's. maxfev: that of the call. version: of the package. seconds:
    how long this call has run, f included, None in JSON on stdout; origins that differ in it alone are equal.
    """

    x_set: str
    y_set: str
    method: str
    rng: int | None
    maxfev: int
    version: str
    seconds: float | None = field(compare=False)


def origin_of(options: Mapping[str, Any], x_domain: Domain, y_domain: Domain, rng: Any) -> Origin:
    """Return the origin of a run that begins; `rng` is its seed, given or drawn, or whatever the user gave."""
    method = options["method"]
    return Origin(
        x_set=_set_as_text(x_domain),
        y_set=_set_as_text(y_domain),
        method=method if isinstance(method, str) else _as_text(method),
        rng=int(rng) if isinstance(rng, Integral) else None,
        maxfev=options["maxfev"],
        version=__version__,
        seconds=0.0,
    )


def _set_as_text(domain: Domain) -> str:
    n = domain.n_out
    return _as_text(domain) if n <= MOST_COORDINATES else f"{type(domain).__name__} of {n:,} coordinates"


def _as_text(thing: object) -> str:
    return shortened(printable(" ".join(stable_repr(thing).split())), LONGEST_TEXT)
