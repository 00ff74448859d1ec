"""Names from outside the package: from a Python file of the user's, or from an installed distribution."""

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reckless.core.words import named, safe_str
from reckless.errors import InvalidArgument

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def load_names(path: str | Path, argument: str) -> dict[str, Any]:
    """Return what the file defines, by name; an error begins with the argument that named the file."""
    path = Path(path)
    if not _is_file(path):
        raise InvalidArgument(
            f"{argument}: there is no file {safe_str(path)}. Is the path relative to another directory?"
        )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    folder = str(path.absolute().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # so that it finds its neighbors, as a script would
    try:
        spec.loader.exec_module(module)
    except SystemExit as error:
        cure = "Put what is for a script under: if __name__ == '__main__'."
        raise InvalidArgument(f"{argument}: {safe_str(path)} called sys.exit when it was imported. {cure}") from error
    except Exception as error:  # whatever the file does wrong
        raise InvalidArgument(f"{argument}: {safe_str(path)} cannot be imported ({named(error)}).") from error
    return vars(module)


def _is_file(path: Path) -> bool:
    """Return whether there is such a file; a name that no file can have names none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def installed(group: str) -> "dict[str, EntryPoint]":
    """List the entry points of a group by their names in lower case; nothing is imported yet."""
    from importlib.metadata import entry_points  # costs more than all of `import reckless`

    return {entry.name.lower(): entry for entry in entry_points(group=group)}


def load_entry(entry: "EntryPoint", argument: str) -> Any:
    """Import what an entry point names."""
    try:
        return entry.load()
    except (Exception, SystemExit) as error:  # whatever the distribution does wrong
        raise InvalidArgument(
            f"{argument}: {entry.name} of {origin(entry)} cannot be imported "
            f"({named(error)}). Is the distribution up to date?"
        ) from error


def origin(entry: "EntryPoint") -> str:
    """Return the distribution that an entry point belongs to."""
    return entry.value if entry.dist is None else entry.dist.name
