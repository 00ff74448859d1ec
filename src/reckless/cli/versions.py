"""What to put into a report of a bug: versions of the package, of Python and of what it depends on."""

import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, requires

from reckless._version import __version__
from reckless.evaluation.environment import processor, version_of


def show_versions() -> None:
    """Print the versions of the package, of Python and of the packages it depends on, the system and the processor.

    Optional packages are listed where they are installed.

    Examples
    --------
    >>> import reckless
    >>> reckless.show_versions()  # doctest: +ELLIPSIS
    reckless ...
    """
    system = {"reckless": __version__, "python": platform.python_version(), "platform": platform.platform()}
    rows = {**system, "processor": processor(), **_packages()}
    width = max(map(len, rows))
    sys.stdout.writelines(f"{name:<{width}}  {value}\n" for name, value in rows.items())


def _packages() -> dict[str, str]:
    """Return the versions of all dependencies, and of the optional ones that are there."""
    try:
        lines = requires("reckless") or []
    except PackageNotFoundError:  # run from a source tree that was never installed
        lines = []
    found = {}
    for line in lines:
        name, is_optional = re.split(r"[^\w.-]", line, maxsplit=1)[0], "extra ==" in line
        known = version_of(name)
        if name != "reckless" and not (is_optional and known == "missing"):
            found[name] = known
    return found
