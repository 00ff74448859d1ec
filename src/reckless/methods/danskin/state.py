"""What the search knows at one x: a base maximizer, and pieces that may take over as x moves.

The coordinates of y are parted into blocks: single ones if f is a sum over them, else one block of all. A piece
puts another value on one block. With g the base's slope in x, and gap and dg a piece's distance below the base
and the excess of its slope,

    F(x + d) = value + g d + sum over blocks of max(0, max over the block's pieces of dg d - gap),

so that for single coordinates n pieces stand for 2^n vertices, and for one block the pieces are the scenarios.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.climb import Peak

SAME = 1e-3  # maximizers closer than this in every coordinate are one

FIRST_STEP = 1e-3  # first probing distance of a piece


@dataclass(slots=True, eq=False)
class Track:
    """A local maximizer on one block of y, followed while x moves.

    The base has the block of all coordinates. A piece's value is that of the base with the piece's z on its block.
    """

    block: slice
    peak: Peak
    slope: Array | None = None  # base: df/dx (n_x,); piece: how much its own exceeds the base's
    slope_at: Array | None = None  # the very x at which the slope was measured
    response: Array | None = None  # base: dy/dx (n_y, n_x), if y must be moved along with x
    value_before: float = 0.0  # during a trial: the value at the x that the step leaves
    rate: float = 0.0  # how fast the gap lately changed with x
    weight: float = 0.0  # the multiplier in the last model step, from 0 to 1
    is_tested: bool = False  # whether the need for a response was tested
    is_exact: bool = True  # whether the value was evaluated, not derived by additivity

    @property
    def z(self) -> Array:
        return self.peak.z

    @property
    def value(self) -> float:
        return self.peak.value

    def revalue(self, value: float, *, is_exact: bool) -> None:
        self.peak, self.is_exact = self.peak._replace(value=value), is_exact


@dataclass(slots=True, eq=False)
class State:
    """A point x with its base maximizer and its pieces. Trials work on a copy."""

    x: Array
    base: Track
    pieces: list[Track] = field(default_factory=list)

    def copy(self) -> "State":
        return State(self.x, replace(self.base), [replace(piece) for piece in self.pieces])

    def gap(self, piece: Track) -> float:
        """Return how far the piece lies below the base."""
        return self.base.value - piece.value

    def is_near(self, piece: Track, radius: float) -> bool:
        """Tell whether the piece may matter for steps up to `radius`."""
        return self.gap(piece) < 3.0 * piece.rate * radius

    def with_piece(self, piece: Track) -> Array:
        """Return the whole y that a piece stands for."""
        y = self.base.z.copy()
        y[piece.block] = piece.z
        return y

    def raise_base(self, peak: Peak) -> None:
        """Let the base climb on; pieces on single coordinates rise with it, scenarios do not."""
        gain = peak.value - self.base.value
        self.base.peak, self.base.is_exact = peak, True
        if gain != 0.0:
            for piece in self.pieces:
                if piece.z.size < peak.z.size:
                    piece.revalue(piece.value + gain, is_exact=False)

    def add(self, piece: Track) -> None:
        """Insert a piece; of two that are the same keep the higher."""
        if np.abs(piece.z - self.base.z[piece.block]).max() < SAME:
            return
        for other in self.pieces:
            if other.block == piece.block and np.abs(other.z - piece.z).max() < SAME:
                if piece.value > other.value:
                    other.peak, other.is_exact = piece.peak, piece.is_exact
                return
        self.pieces.append(piece)

    def merge(self, n_kept: int) -> None:
        """Drop duplicates, and all but the `n_kept` highest pieces."""
        ranked = sorted(self.pieces, key=self.gap)
        self.pieces = []
        for piece in ranked[:n_kept]:
            self.add(piece)

    def swap(self, piece: Track) -> None:
        """Make a piece the base on its block, and the base's values there a piece. Needs no evaluation.

        Values of other blocks' pieces follow by additivity, of the same block's they do not change. An excess
        slope dg turns into -dg, and the others of the block lose it.
        """
        base, block, dg = self.base, piece.block, piece.slope
        rise, rise_before = piece.value - base.value, piece.value_before - base.value_before
        mates = [other for other in self.pieces if other.block == block and other is not piece]
        for other in self.pieces:
            if other.block != block:
                other.revalue(other.value + rise, is_exact=False)
                other.value_before += rise_before
        self._exchange_peaks(piece)
        base.value_before, piece.value_before = piece.value_before, base.value_before
        base.is_exact, piece.is_exact = piece.is_exact, base.is_exact
        piece.weight = 1.0 - piece.weight - sum(mate.weight for mate in mates)
        if piece.slope_at is not base.slope_at:
            base.slope_at = None
        if dg is None or base.slope is None:
            base.slope = None
        else:
            base.slope, piece.slope = base.slope + dg, -dg
        for mate in mates:
            mate.slope = None if dg is None or mate.slope is None else mate.slope - dg

    def _exchange_peaks(self, piece: Track) -> None:
        """Do the part of `swap` that concerns y."""
        base, block = self.base, piece.block
        if piece.z.size == base.z.size:
            base.peak, piece.peak = piece.peak, base.peak
            base.is_tested, piece.is_tested = piece.is_tested, base.is_tested
            base.response = None
            return
        if base.response is not None:
            base.response = base.response.copy()
            base.response[block] = 0.0
        z, h = base.peak.z.copy(), base.peak.h.copy()
        z[block], h[block] = piece.peak.z, piece.peak.h
        lower = piece.peak._replace(z=base.peak.z[block].copy(), h=base.peak.h[block].copy(), value=base.value)
        base.peak = base.peak._replace(z=z, h=h, value=piece.value)
        piece.peak = lower
