"""A descent on the worst case that follows its maximizers and learns one quadratic for each."""

from reckless.methods.descent.method import Descent
from reckless.methods.registry import Entry

__all__ = ["ENTRIES", "Descent"]

ENTRIES = {
    "descent": Entry(
        Descent,
        "trust-region SQP on the worst case, with one learned quadratic for each maximizer",
        "this package",
        handles=frozenset({"noise"}),
    )
}
