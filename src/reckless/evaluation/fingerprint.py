"""Short texts by which a journal tells whether a run is the one that it was begun for."""

import re
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any

import numpy as np


def fingerprint(thing: Any) -> str:
    """Return a short text that is equal in every process for equal data classes, arrays and plain values."""
    return blake2b(_spelled(thing).encode(), digest_size=12).hexdigest()


def stable_repr(thing: Any) -> str:
    """Return the repr without addresses in memory, which differ from process to process; the type if it fails."""
    try:
        return re.sub(r" at 0x[0-9a-fA-F]+", "", repr(thing))
    except Exception:  # whatever a class of the user's does wrong
        return f"{type(thing).__module__}.{type(thing).__qualname__}"


def _spelled(thing: Any) -> str:
    if isinstance(thing, np.ndarray):
        return f"array({thing.dtype.str}, {thing.shape}, {thing.tobytes().hex()})"
    if is_dataclass(thing) and not isinstance(thing, type):
        parts = (f"{field.name}={_spelled(getattr(thing, field.name))}" for field in fields(thing))
        return f"{type(thing).__qualname__}({', '.join(parts)})"
    if isinstance(thing, (list, tuple)):
        return f"({', '.join(_spelled(part) for part in thing)})"
    return stable_repr(thing)
