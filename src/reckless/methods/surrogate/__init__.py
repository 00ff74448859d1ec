"""Minimax of expensive f by a model of the pair (x, y), in small parts; `surrogate` has the run."""

from reckless.methods.registry import Entry
from reckless.methods.surrogate.surrogate import Surrogate

__all__ = ["Surrogate"]

ENTRIES = {
    "surrogate": Entry(
        Surrogate,
        "learn f over the pair, solve the minimax of the model exactly, attack it",
        "this package",
    ),
}
