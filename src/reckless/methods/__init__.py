"""Two-player algorithms, one file and one generator each, and the names by which users call them."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from functools import partial
from math import ceil
from typing import Any

from reckless.core.task import Method
from reckless.errors import InvalidArgument
from reckless.methods.coevolution import CoevolutionAlternating, CoevolutionParallel
from reckless.methods.danskin import Danskin
from reckless.methods.mmde import MMDE
from reckless.methods.random_search import RandomSearch
from reckless.methods.reckless import VARIANTS, Reckless
from reckless.methods.scenarios import ScenarioDescent
from reckless.strategies.cma import default_population_size


@dataclass(frozen=True, slots=True)
class Entry:
    """A method as it stands in the catalog: how to make it, what it does, where it comes from."""

    make: Callable[[], Method]
    summary: str
    source: str


_PAPER = "Al-Dujaili et al. 2018"

AUTO = "danskin"  # the strongest method there is so far


def _variant_summary(letters: str) -> str:
    outer = "CMA-ES" if "C" in letters else "NES"
    mirrored = "antithetic " if "A" in letters else ""
    restart = ", restarting when it turns back" if "R" in letters else ""
    return f"attack by BIPOP-CMA-ES, descend in x by {mirrored}{outer}{restart}"


CATALOG: dict[str, Entry] = {
    "danskin": Entry(Danskin, "track every y that may be worst, descend against all at once, verify", "this package"),
    "reckless": Entry(Reckless, "the paper's choice, the same as reckless-cr", _PAPER),
    **{
        f"reckless-{letters.lower()}": Entry(partial(Reckless.variant, letters), _variant_summary(letters), _PAPER)
        for letters in VARIANTS
    },
    "coevolution-alternating": Entry(CoevolutionAlternating, "populations of x and y take turns", _PAPER),
    "coevolution-parallel": Entry(CoevolutionParallel, "populations of x and y change at once", _PAPER),
    "mmde": Entry(MMDE, "differential evolution that attacks the most promising x", "Qiu et al. 2017"),
    "random-search": Entry(RandomSearch, "random x, each against random y: the floor for all others", ""),
}


def read_method(method: str | Method, n_scenarios: int | None = None) -> tuple[Method, str]:
    """Return a method by its spelling, or a user's own; and what to call it.

    A spelling is NAME or NAME:parameter=value,parameter=value, as in "reckless-n:descent_share=0.3". "auto" depends on
    whether y is a list, of `n_scenarios` entries.
    """
    if not isinstance(method, str):
        if not isinstance(method, Method) or isinstance(method, type):
            raise InvalidArgument(
                f"method: expected a name such as 'reckless' or an object with search(task), but got {method!r}. "
                f"Known names are: auto, {', '.join(CATALOG)}."
            )
        return method, repr(method)
    name, colon, settings = method.lower().replace(" ", "").partition(":")
    if name == "auto" and n_scenarios is not None:
        made: Method = ScenarioDescent(n_scenarios=n_scenarios)
        made = _adjusted(made, name, settings) if colon else made
        return made, repr(made)
    name = AUTO if name == "auto" else name
    if name not in CATALOG:
        close = get_close_matches(name, ["auto", *CATALOG], n=1)
        cure = f"Did you mean {close[0]!r}?" if close else f"Known are: auto, {', '.join(CATALOG)}."
        raise InvalidArgument(f"method: there is no method called {method!r}. {cure}")
    made = CATALOG[name].make()
    return (_adjusted(made, name, settings), f"{name}:{settings}") if colon else (made, name)


def fit_to_workers(method: Method, n: int, n_workers: int | None) -> Method:
    """The method; if its population_size is "workers", with the least multiple of their number that is usual in n
    dimensions."""
    if not isinstance(method, Reckless) or method.population_size != "workers":
        return method
    if n_workers is None:
        raise InvalidArgument(
            "population_size: 'workers' asks for as many pairs at a time as there are workers, but their number is not "
            "known. Give workers a number, as in workers=16, or population_size one."
        )
    size = n_workers * ceil(default_population_size(n) / n_workers)
    return replace(method, population_size=size)


def _adjusted(method: Any, name: str, settings: str) -> Method:
    """The method with some parameters set, each read as the kind of its default."""
    defaults = {field.name: getattr(method, field.name) for field in fields(method)}
    changes: dict[str, Any] = {}
    for setting in settings.split(","):
        key, _, text = setting.partition("=")
        if key not in defaults:
            known = ", ".join(defaults) or "nothing"
            raise InvalidArgument(
                f"method: {name} can be given {known}, but got {setting!r}. For example {name}:KEY=1."
            )
        changes[key] = _read_setting(text, defaults[key], f"{name}:{key}")
    adjusted: Method = replace(method, **changes)
    return adjusted


def _read_setting(text: str, default: Any, name: str) -> Any:
    kind = type(default)
    if default is None:
        return int(text) if text.isdecimal() else text
    try:
        return {"true": True, "false": False}[text] if kind is bool else kind(text)
    except (KeyError, ValueError):
        raise InvalidArgument(
            f"method: {name} must be of the kind of its default {default!r}, but got {text!r}."
        ) from None
