"""What can change the last digits of a result: versions of packages, and the processor."""

import platform
from collections.abc import Iterable, Mapping

from reckless._version import __version__
from reckless.core.words import printable, shortened
from reckless.evaluation.environment import processor, version_of

CLUSTER = "of a cluster"  # in place of a processor: the workers may have several


def current_versions() -> dict[str, str]:
    """Return the versions of everything that can change a digit of a result."""
    packages = {name: version_of(name) for name in ("numpy", "scipy", "numba")}
    return {"reckless": __version__, **packages, "python": platform.python_version()}


def provenance(is_cluster: bool = False) -> dict[str, str]:
    """Return what a run is stored under: the versions and the processor."""
    return {**current_versions(), "processor": CLUSTER if is_cluster else processor()}


def say_differences(stored: Iterable[Mapping[str, str]], here: Mapping[str, str]) -> str:
    """Say what differs between here and where runs were computed; nothing if nothing does. What is unknown is equal."""
    others: dict[str, list[str]] = {}
    for found in stored:
        for name in here.keys() & found.keys():
            if found[name] != here[name] and found[name] not in others.setdefault(name, []):
                others[name].append(found[name])
    told = [f"{name} {_words(others[name])} there and {here[name]} here" for name in here if others.get(name)]
    return "; ".join(told)


def _words(values: Iterable[str]) -> str:
    return shortened(printable(", ".join(values)))
