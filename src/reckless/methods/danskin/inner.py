"""The search over y at a fixed x: look along lines, attack from afar, try to refute.

`Inner` holds what outlives a single x: the blocks of y, the archive, and how much was spent on attacks.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array
from reckless.core.generators import relayed
from reckless.methods.danskin.climb import Climb, Peak, climb
from reckless.methods.danskin.oracle import Asking, Oracle
from reckless.methods.danskin.state import FIRST_STEP, State, Track

FULL_PRECISION = 1e-10  # of the value, at which a climb ends
FAR = 0.15  # samples this close to known maximizers are not worth a climb


@dataclass(slots=True)
class Inner:
    """The inner search of one run.

    is_additive: whether f seems to be a sum over the coordinates of y, at fixed x; the first refutation is final.
    n_attacks: attacks so far, of which every other one samples.
    n_searched, n_swept, n_hopped: evaluations spent on scans and attacks during descents, on sweeps, and on hops in y.
    hop_widths: of hops that succeeded.
    """

    oracle: Oracle
    is_additive: bool = True
    n_attacks: int = 0
    n_searched: int = 0
    n_swept: int = 0
    n_hopped: int = 0
    hop_widths: list[float] = field(default_factory=list)
    interactions: Array | None = None  # of pairs of flips, see `vertices`
    whole: slice = field(init=False)

    def __post_init__(self) -> None:
        self.whole = slice(0, self.oracle.task.n_y)

    @property
    def n_y(self) -> int:
        n_y: int = self.whole.stop
        return n_y

    @property
    def has_blocks(self) -> bool:
        """Whether there are several blocks: f is additive in more than one coordinate."""
        return self.is_additive and self.n_y > 1

    @property
    def n_blocks(self) -> int:
        return self.n_y if self.is_additive else 1

    def follow(self, x: Array, ascent: Climb) -> Asking[Peak]:
        """Answer a climb over all of y at x."""
        return relayed(ascent, lambda points: self.oracle.ask(x, points))

    def follow_piece(self, state: State, piece: Track, ascent: Climb) -> Asking[Peak]:
        """Answer a climb over a piece's block, the rest of y as in the base."""

        def ask(points: Array) -> Asking[Array]:
            Y = np.repeat(state.base.z[None], len(points), axis=0)
            Y[:, piece.block] = points
            return self.oracle.ask(state.x, Y)

        return relayed(ascent, ask)

    def track_whole(self, peak: Peak) -> Track:
        return Track(self.whole, peak)

    def rise(
        self, x: Array, y: Array, value: float, h: float, n_rounds: int = 12, precision: float = FULL_PRECISION
    ) -> Asking[Peak]:
        """Climb over all of y from a point that is not yet a maximizer."""
        start = Peak(y, value, np.full(self.n_y, h))
        peak = yield from self.follow(x, climb(start, n_rounds, is_joint=True, precision=precision))
        return peak

    def renew_values(self, state: State, pieces: list[Track]) -> Asking[None]:
        """Evaluate pieces afresh at the state's x, in one batch."""
        if pieces:
            values = yield from self.oracle.ask(state.x, np.array([state.with_piece(p) for p in pieces]))
            for piece, value in zip(pieces, values.tolist(), strict=True):
                piece.revalue(value, is_exact=True)

    def flip(self, state: State) -> Asking[None]:
        """Let the pieces that are higher than the base become it: the best of every block jointly.

        If the joint change is worth less than the best single one, only that is made.
        """
        for _ in range(3):
            violators = highest_violators(state)
            if not violators:
                return
            top = max(violators, key=lambda piece: piece.value)
            if len(violators) == 1 and top.is_exact:
                state.swap(top)
                continue
            y = state.base.z.copy()
            for piece in violators:
                y[piece.block] = piece.z
            value = yield from self.oracle.ask_one(state.x, y)
            if value >= top.value or len(violators) == 1:
                if value <= state.base.value:
                    top.revalue(value, is_exact=True)
                    return
                for piece in violators:
                    state.swap(piece)
                shift = value - state.base.value
                state.base.revalue(value, is_exact=True)
                for piece in state.pieces:
                    piece.revalue(piece.value + shift, is_exact=False)
            elif top.is_exact:
                state.swap(top)
            else:
                yield from self.renew_values(state, [top])

    def line_values(self, x: Array, y: Array, n_points: int) -> Asking[list["LineScan"]]:
        """Evaluate every coordinate line through y, at stratified points and both bounds, in one batch."""
        rng, inside = self.oracle.rng, n_points - 2
        places = []
        for i in range(self.n_y):
            points = np.concatenate([[0.0, 1.0], (np.arange(inside) + rng.random(inside)) / inside])
            places.append(np.unique(points[np.abs(points - y[i]) > 1e-9]))
        Y = np.repeat(y[None], sum(map(len, places)), axis=0)
        ends = np.cumsum([len(points) for points in places])
        for i, (points, end) in enumerate(zip(places, ends, strict=True)):
            Y[end - len(points) : end, i] = points
        values = yield from self.oracle.ask(x, Y)
        return [LineScan(p, v) for p, v in zip(places, np.split(values, ends[:-1]), strict=True)]


class LineScan(NamedTuple):
    """Points on one coordinate line, in rising order, and their values."""

    points: Array
    values: Array


def highest_violators(state: State) -> list[Track]:
    """Return the piece of each block that exceeds the base most, if any does."""
    best: dict[int, Track] = {}
    for piece in state.pieces:
        rival = best.get(piece.block.start)
        if piece.value > (state.base.value if rival is None else rival.value):
            best[piece.block.start] = piece
    return list(best.values())


def scan(inner: Inner, state: State, extra: list[Peak] | None = None) -> Asking[None]:
    """Look along the coordinate lines through the base: other local maxima become pieces, the best the base.

    So does the opposite bound of a coordinate at its bound. On the way additivity is tested at one point.
    """
    n_points = max(7, -(-33 // inner.n_y))
    lines = yield from inner.line_values(state.x, state.base.z, n_points)
    if inner.has_blocks:
        yield from check_additivity(inner, state, lines)
    found = [c for i, line in enumerate(lines) for c in line_maxima(line, i, state, inner.n_y > 1)]
    if inner.has_blocks or inner.n_y == 1:
        yield from add_coordinate_pieces(inner, state, found, 0.5 / n_points)
    else:
        peaks = []
        for c in sorted(found, key=lambda c: -c.value)[:4]:
            y = state.base.z.copy()
            y[c.i] = c.place
            peaks.append((yield from inner.rise(state.x, y, c.value, 0.02, 6)))
        for peak in peaks + (extra or []):
            state.add(inner.track_whole(peak))
    yield from inner.flip(state)


class Candidate(NamedTuple):
    """A local maximum on a line: its coordinate, place and value; whether it is the bound opposite the base's."""

    i: int
    place: float
    value: float
    is_opposite: bool


def line_maxima(line: LineScan, i: int, state: State, may_be_opposite: bool) -> list[Candidate]:
    """Return the points of a line higher than their neighbors, and the bound opposite the base's.

    What is known on the line, the base and its pieces there, are neighbors too, but not found again.
    """
    own = float(state.base.z[i])
    known = [p for p in state.pieces if p.block == slice(i, i + 1)]
    places = np.array([own, *(p.z[0] for p in known)])
    heights = np.array([state.base.value, *(p.value for p in known)])
    points, values = np.concatenate([line.points, places]), np.concatenate([line.values, heights])
    order = np.argsort(points, kind="stable")
    points, is_new = points[order], order < line.points.size
    values = np.concatenate([[-np.inf], values[order], [-np.inf]])
    is_top = (values[1:-1] >= values[:-2]) & (values[1:-1] > values[2:])
    if may_be_opposite and min(own, 1.0 - own) < 1e-9:
        is_top[-1 if own < 0.5 else 0] = True
    opposite = 1.0 if own < 0.5 else 0.0
    return [
        Candidate(i, float(points[j]), float(values[j + 1]), may_be_opposite and points[j] == opposite)
        for j in np.flatnonzero(is_top & is_new)
    ]


def add_coordinate_pieces(inner: Inner, state: State, found: list[Candidate], h: float) -> Asking[None]:
    """Make a piece of each candidate on its own coordinate, refined unless it is an opposite bound."""
    for c in found:
        place = Peak(np.array([c.place]), c.value, np.array([h]))
        piece = Track(slice(c.i, c.i + 1), place)
        if not c.is_opposite:
            place = yield from inner.follow_piece(state, piece, climb(place, 3, precision=1e-9))
        piece.peak = place._replace(h=np.array([FIRST_STEP]), is_kinked=False)
        state.add(piece)


def check_additivity(inner: Inner, state: State, lines: list[LineScan]) -> Asking[None]:
    """Compare a joint change with the sum of single ones; if they differ, y is one block from now on."""
    rng, value = inner.oracle.rng, state.base.value
    picked = [int(rng.integers(len(line.points))) for line in lines]
    changes = np.array([line.values[k] - value for line, k in zip(lines, picked, strict=True)])
    y = np.array([line.points[k] for line, k in zip(lines, picked, strict=True)])
    joint = yield from inner.oracle.ask_one(state.x, y)
    if abs(joint - value - changes.sum()) > 1e-6 * np.abs(changes).sum() + 1e-10 * abs(value):
        inner.is_additive = False
        state.pieces = []
