"""Which values are bad: the large ones for min-max, the small ones for max-min.

Every search minimizes over x and maximizes over y. For max-min the values of f change their sign twice: `Batch` turns
them on their way to the ledger (and `read_givens` those that the user brings), `turned` in `reckless.run.result` turns
the results on their way to the user. So the ledger and all that reads it hold -f; the journal, its recheck and the user
have f's own values.
"""

from typing import NamedTuple, TypeVar

import numpy as np

from reckless.core.arrays import Array, Flags

Number = TypeVar("Number", float, Array)


class Sense(NamedTuple):
    """How the user's values compare where those of the search are at least, above or below something.

    is_turned: whether they have the other sign.
    """

    is_turned: bool
    at_least: str
    above: str
    below: str
    plus: str

    def turn(self, value: Number) -> Number:
        """Return a value of f as the search has it, or the other way round; zero has no sign."""
        return 0.0 - value if self.is_turned else value

    def is_worst(self, values: Array) -> Flags:
        """Tell which of the user's values are as bad as can be: infinite on the bad side, or failed."""
        worst: Flags = np.isnan(values) | np.isposinf(self.turn(values))
        return worst


MINIMAX = Sense(False, "at least", "above", "below", "plus")
MAXIMIN = Sense(True, "at most", "below", "above", "minus")


def sense_of(maximin: bool) -> Sense:
    """Return the sense of a run."""
    return MAXIMIN if maximin else MINIMAX
