"""Minimax over a finite list of y: a descent on the scenarios that matter, and exchange."""

from reckless.methods.finite.finite import Finite
from reckless.methods.registry import Entry

__all__ = ["ENTRIES", "Finite"]

ENTRIES = {
    "finite": Entry(Finite, "trust-region SQP on the scenarios of a list that matter, and exchange", "this package")
}
