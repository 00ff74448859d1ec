"""A descent on the worst case that follows its maximizers and learns one quadratic for each."""

from reckless.methods.danskin.method import Danskin
from reckless.methods.registry import Entry

__all__ = ["ENTRIES", "Danskin"]

ENTRIES = {
    "danskin": Entry(
        Danskin,
        "trust-region SQP on the worst case, with one learned quadratic for each maximizer",
        "this package",
    )
}
