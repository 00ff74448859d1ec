"""The default method, in small parts; `danskin` has the run."""

from reckless.methods.danskin.danskin import Danskin
from reckless.methods.registry import Entry

__all__ = ["Danskin"]

ENTRIES = {
    "danskin": Entry(Danskin, "track every y that may be worst, descend against all at once, verify", "this package"),
}
