"""Pairs whose values are known before they are asked for: each answers one request, without an evaluation."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Indices
from reckless.core.outcome import Outcome, Reason

NO_REASONS: Mapping[int, Reason] = MappingProxyType({})


class _Entry(NamedTuple):
    """A value, its row in the ledger, and why it is NaN, unless f just returned that."""

    value: float
    row: int
    reason: Reason | None


class Memory:
    """Known values by pair. Each is given away once, so that a pair that is asked for again is evaluated.

    Pairs are the same if all their coordinates are; 0.0 and -0.0 are the same coordinate.
    entries: the pairs as bytes, with their values, oldest first; empty if nothing is known, or no more.
    """

    def __init__(self) -> None:
        self.entries: dict[bytes, list[_Entry]] = {}

    def __len__(self) -> int:
        return sum(map(len, self.entries.values()))

    def add(self, X: Array, Y: Array, values: Array, rows: Indices, reasons: Mapping[int, Reason] = NO_REASONS) -> None:
        """Keep values (m,) of the pairs X (m, n_x), Y (m, n_y), which are in the given rows of the ledger."""
        told = zip(_keys(X, Y), values.tolist(), rows.tolist(), strict=True)
        for k, (key, value, row) in enumerate(told):
            self.entries.setdefault(key, []).append(_Entry(value, row, reasons.get(k)))

    def recall(self, X: Array, Y: Array) -> tuple[Outcome, Indices]:
        """Give away what is known of these pairs: their outcome, and where it is in the ledger."""
        known: dict[int, _Entry] = {}
        for k, key in enumerate(_keys(X, Y)):
            if key in self.entries:
                known[k] = self.entries[key].pop(0)
                if not self.entries[key]:
                    del self.entries[key]
        reasons = {k: entry.reason for k, entry in known.items() if entry.reason is not None}
        values = np.array([entry.value for entry in known.values()])
        rows = np.array([entry.row for entry in known.values()], dtype=np.intp)
        return Outcome(np.array(list(known), dtype=np.intp), values, reasons), rows


def _keys(X: Array, Y: Array) -> list[bytes]:
    content, width = (np.hstack([X, Y]) + 0.0).tobytes(), 8 * (X.shape[1] + Y.shape[1])
    return [content[k : k + width] for k in range(0, len(content), width)]
