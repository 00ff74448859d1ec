"""Two-player algorithms, one file and one generator each, and the names by which users call them."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial

from reckless.core.task import Method
from reckless.errors import InvalidArgument
from reckless.methods.coevolution import CoevolutionAlternating, CoevolutionParallel
from reckless.methods.mmde import MMDE
from reckless.methods.random_search import RandomSearch
from reckless.methods.reckless import VARIANTS, Reckless


@dataclass(frozen=True, slots=True)
class Entry:
    """A method as it stands in the catalog: how to make it, what it does, where it comes from."""

    make: Callable[[], Method]
    summary: str
    source: str


_PAPER = "Al-Dujaili, Srikant, Hemberg, O'Reilly 2018"
_OUTER = {"C": "CMA-ES", "N": "NES"}


def _variant_summary(letters: str) -> str:
    outer = _OUTER["C" if "C" in letters else "N"]
    mirrored = "antithetic " if "A" in letters else ""
    restart = "restart when it turns back" if "R" in letters else "no restart"
    return f"search y by BIPOP-CMA-ES, descend in x by {mirrored}{outer}, {restart}"


CATALOG: dict[str, Entry] = {
    "auto": Entry(MMDE, "the strongest method there is so far: at present mmde", ""),
    "reckless": Entry(Reckless, "the paper's choice, the same as reckless-cr", _PAPER),
    **{
        f"reckless-{letters.lower()}": Entry(partial(Reckless.variant, letters), _variant_summary(letters), _PAPER)
        for letters in VARIANTS
    },
    "coevolution-alternating": Entry(CoevolutionAlternating, "populations of x and y take turns", _PAPER),
    "coevolution-parallel": Entry(CoevolutionParallel, "populations of x and y change at once", _PAPER),
    "mmde": Entry(MMDE, "differential evolution that attacks the most promising x", "Qiu, Xu, Xu, Tan 2017"),
    "random-search": Entry(RandomSearch, "random x, each against random y: the floor", ""),
}


def read_method(method: str | Method) -> tuple[Method, str]:
    """A method by its name, or a user's own; and what to call it."""
    if isinstance(method, str):
        entry = CATALOG.get(method.lower())
        if entry is None:
            close = get_close_matches(method.lower(), CATALOG, n=1)
            cure = f"Did you mean {close[0]!r}?" if close else f"Known are: {', '.join(CATALOG)}."
            raise InvalidArgument(f"method: there is no method called {method!r}. {cure}")
        return entry.make(), method.lower()
    if not isinstance(method, Method) or isinstance(method, type):
        raise InvalidArgument(
            f"method: expected a name such as 'reckless' or an object with search(task), but got {method!r}. "
            f"Known names are: {', '.join(CATALOG)}."
        )
    return method, repr(method)
