"""The step that makes the highest of the scenarios' quadratics lowest."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from reckless.core.arrays import Array, Flags
from reckless.methods.danskin.curvature import convex
from reckless.methods.danskin.step import Cuts, Room, Step, solve_cuts
from reckless.methods.finite.piece import Piece
from reckless.methods.finite.tuning import effort, trust


class Models(NamedTuple):
    """Quadratics around one x: values (k,), slopes (k, n), bends (k, n, n)."""

    values: Array
    slopes: Array
    bends: Array

    def at(self, d: Array) -> tuple[Array, Array]:
        """Return values and slopes after a step d."""
        change = self.bends @ d
        return self.values + self.slopes @ d + 0.5 * (change @ d), self.slopes + change

    def near(self, radius: float) -> Flags:
        """Tell which may be highest after the best step within the radius, as their slopes have it."""
        reach, top = radius * np.abs(self.slopes).sum(axis=1), int(self.values.argmax())
        flags: Flags = self.values + reach >= self.values[top] - reach[top]
        return flags


def models_at(pieces: Iterable[Piece], x: Array) -> Models:
    """Return the models of pieces, moved to x."""
    flat = np.zeros((x.size, x.size))
    found = [(*piece.at(x), flat if piece.B is None else piece.B) for piece in pieces]
    values, slopes, bends = zip(*found, strict=True)
    return Models(np.array(values), np.array(slopes), np.array(bends))


def solve_models(models: Models, weights: Array, room: Room, radius: float) -> Step:
    """Minimize the highest model over |d| <= radius; weights: multipliers to begin with.

    Sequential quadratic programming on the models, at no evaluation: a program has the slopes where the last one led,
    and the curvature of the Lagrangian around there. So each scenario's own curvature counts.
    """
    d, predicted = np.zeros(room.low.size), 0.0
    values, slopes = models.at(d)
    first = float(values.max())
    for _ in range(effort.n_programs):
        B = convex(np.tensordot(weights, models.bends, 1))
        move, _, weights = solve_cuts(Cuts(values - slopes @ d, slopes - B @ d, B), room, radius)
        tried = (d + share * (move - d) for share in effort.shares)
        there = next((at for at in tried if first - float(models.at(at)[0].max()) > predicted), None)
        if there is None:
            break
        values, slopes = models.at(there)
        gain = first - float(values.max()) - predicted
        d, predicted = there, predicted + gain
        if gain < trust.same * predicted:
            break
    return Step(d, predicted, weights)
