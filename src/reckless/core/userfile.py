"""Names from a Python file of the user's."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

from reckless.errors import InvalidArgument


def load_names(path: Path, argument: str) -> dict[str, Any]:
    """What the file defines, by name, or a sentence that begins with the argument that named it."""
    if not path.is_file():
        raise InvalidArgument(f"{argument}: there is no file {path}. Is the path relative to another directory?")
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
    except Exception as error:  # whatever the file does wrong
        raise InvalidArgument(f"{argument}: {path} cannot be imported ({type(error).__name__}: {error}).") from error
    return vars(module)
