"""Climb to a local maximum from function values: a parabola along each coordinate, then joint steps.

The climb asks for the values of points and knows nothing of x and y, so it serves all of y, one block of y, and,
on the negative of a model of the worst case, x. It notices when the maximum is a kink, where parabolas mislead, and
then intersects two straight lines from either side.
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Flags
from reckless.methods.danskin.probing import (
    SMALLEST_STEP_AT_KINK,
    Lines,
    bounded_newton,
    measured_hessian,
    next_steps,
    outer_probes,
    pair_probes,
    parabolas,
    probes,
    quadratic,
    sides,
    tents,
    with_diagonal,
)

MOST_CROSS_TERMS = 25  # coordinates for which all pairs are measured


class Peak(NamedTuple):
    """A local maximum as far as it is known.

    z, value: the point and its value. h: the probing distance per coordinate. is_kinked: whether it is a kink.
    hessian: second derivatives with cross terms, if they had to be measured.
    """

    z: Array
    value: float
    h: Array
    is_kinked: bool = False
    hessian: Array | None = None


# Yields points (k, n) and receives their values (k,).
Climb = Generator[Array, Array, Peak]


class Probes(NamedTuple):
    """One round of probing: the points with their values, the same per coordinate and side, and what that says."""

    points: Array
    values: Array
    up: Array  # (n,) distances
    down: Array
    v_up: Array  # (n,) values, -inf where there is no room
    v_down: Array
    lines: Lines


class Move(NamedTuple):
    """A point to try, the gain that it promises (infinite if nothing certain), and whether tents promise it."""

    z: Array
    gain: float = np.inf
    is_tent: bool = False


def climb(
    start: Peak,
    n_rounds: int,
    *,
    is_joint: bool = False,
    enough: float = 0.0,
    precision: float = 1e-12,
) -> Climb:
    """Climb for at most `n_rounds`; stop when the gain of a round is below `enough` or `precision` times the value.

    is_joint: whether cross terms may be measured, once a joint step disappoints.
    """
    ascent = Ascent(*start, is_joint=is_joint, enough=enough, precision=precision)
    n_small, gain = 0, 0.0
    for _ in range(n_rounds):
        last = ascent.value
        is_accurate = yield from ascent.go_up()
        gain = ascent.value - last
        if is_accurate:
            ascent.h = np.maximum(0.1 * ascent.h, SMALLEST_STEP_AT_KINK) if ascent.is_kinked else ascent.h
            break
        if gain <= max(precision * (abs(ascent.value) + 1e-12), 0.0 if ascent.is_kinked else enough):
            n_small += 1
            if not ascent.is_kinked or ascent.h.max() < 1e-7 or n_small >= 3:
                break
        else:
            n_small = 0
    else:
        # Still gaining after many rounds: a ridge, which a kink of f in y makes and tents can follow.
        if n_rounds >= 6 and gain > max(1e-9 * abs(ascent.value), enough):
            ascent.is_kinked = ascent.tent_won = True
    is_kinked = ascent.is_kinked and (ascent.tent_won or not start.is_kinked)
    return Peak(ascent.z, ascent.value, ascent.h, is_kinked, ascent.hessian)


@dataclass(slots=True)
class Ascent:
    """Where a climb is; `tent_won` says whether a step to a tent was ever the best."""

    z: Array
    value: float
    h: Array
    is_kinked: bool
    hessian: Array | None
    is_joint: bool
    enough: float
    precision: float
    tent_won: bool = False

    def go_up(self) -> Generator[Array, Array, bool]:
        """Climb one round: probe, try the resulting moves, go to the best. Return whether its gain was as predicted."""
        probed = yield from self._probe()
        moves = yield from self._moves(probed)
        (z, value), lines, is_accurate = self._best_probe(probed), probed.lines, False
        if moves:
            trials = yield np.array([move.z for move in moves])
            if self._is_disappointed(moves, max(float(trials.max()), value), lines):
                joint = yield from self._measure_cross_terms(probed)
                if joint is not None:
                    moves.append(joint)
                    trials = np.concatenate([trials, (yield joint.z[None])])
            k = int(trials.argmax())
            if trials[k] >= value:
                z, value = moves[k].z, float(trials[k])
                self.tent_won |= moves[k].is_tent
                is_accurate = self._is_as_foreseen(moves[k], value - self.value)
            elif lines.gain > self.precision * abs(self.value) and value - self.value < 0.3 * lines.gain:
                self.is_kinked = True
        self.h = next_steps(self.h, z - self.z, value - self.value, self.is_kinked)
        self.z, self.value = z, value
        return is_accurate

    def _probe(self) -> Generator[Array, Array, Probes]:
        up, down = np.minimum(self.h, 1.0 - self.z), np.minimum(self.h, self.z)
        points, has_up, has_down = probes(self.z, up, down)
        values = yield points
        v_up, v_down = sides(values, has_up, has_down)
        return Probes(points, values, up, down, v_up, v_down, parabolas(self.value, self.h, up, down, v_up, v_down))

    def _best_probe(self, probed: Probes) -> tuple[Array, float]:
        """Return the best point so far and its value."""
        k = int(probed.values.argmax()) if probed.values.size else -1
        if k < 0 or probed.values[k] <= self.value:
            return self.z, self.value
        return probed.points[k], float(probed.values[k])

    def _moves(self, probed: Probes) -> Generator[Array, Array, list[Move]]:
        """Collect moves: the limited and the unlimited step, at a kink the tents, and Newton's step if any."""
        z, h, lines, moves = self.z, self.h, probed.lines, []
        if lines.limited.any():
            moves.append(Move(np.clip(z + lines.limited, 0.0, 1.0), lines.gain if lines.is_parabolic else np.inf))
            whole = np.clip(z + lines.unlimited, 0.0, 1.0)
            if (whole != moves[0].z).any():
                moves.append(Move(whole))
        if self.is_kinked:
            has_room = (probed.up >= 0.999 * h) & (probed.down >= 0.999 * h) & (z + 2.0 * h <= 1.0) & (z >= 2.0 * h)
            at = np.flatnonzero(has_room)
            if at.size:
                outer = yield outer_probes(z, h, at)
                step, gain = tents(lines, self.value, h, at, probed.v_up, probed.v_down, outer)
                moves.append(Move(np.clip(z + step, 0.0, 1.0), gain, is_tent=True))
        if self.hessian is not None:
            self.hessian = with_diagonal(self.hessian, lines)
            newton = self._newton(self.hessian, lines, lines.is_free | (lines.limited != 0.0))
            moves += [] if newton is None else [newton]
        return moves

    def _newton(self, hessian: Array, lines: Lines, is_free: Flags) -> Move | None:
        step = bounded_newton(hessian, lines.slope, self.z, is_free)
        if step is None:
            return None
        return Move(np.clip(self.z + step, 0.0, 1.0), quadratic(lines.slope, hessian, step))

    def _is_disappointed(self, moves: list[Move], best: float, lines: Lines) -> bool:
        """Tell whether the moves gained so little of what they promised that cross terms must matter."""
        if not self.is_joint or self.tent_won or not 1 < lines.is_free.sum() <= MOST_CROSS_TERMS:
            return False
        promised = lines.gain
        if self.hessian is not None and not moves[-1].is_tent and moves[-1].gain < np.inf:
            promised = moves[-1].gain
        return promised > max(self.precision * abs(self.value), self.enough) and best - self.value < 0.5 * promised

    def _measure_cross_terms(self, probed: Probes) -> Generator[Array, Array, Move | None]:
        """Measure all second derivatives; return the step to the top of that quadratic."""
        lines = probed.lines
        free = np.flatnonzero(lines.is_free)
        crossed = yield pair_probes(self.z, probed.up, free)
        self.hessian = measured_hessian(self.value, probed.up, probed.v_up, lines, free, crossed)
        return self._newton(self.hessian, lines, lines.is_free)

    def _is_as_foreseen(self, move: Move, gain: float) -> bool:
        """Tell whether a move gained what it promised, so closely that there is nothing more to gain."""
        if move.is_tent:  # straight lines are met to rounding error, or not at all
            tolerance = max(1e-9 * abs(move.gain), 2e-15 * abs(self.value))
        else:
            least = min(0.05 * abs(move.gain), self.enough)
            tolerance = max(0.1 * self.precision * abs(self.value), least)
        return move.gain < np.inf and abs(gain - move.gain) <= tolerance and (move.is_tent or not self.is_kinked)
