"""Maxima over y of what a model says at one x: of its mean by Newton steps, of a bound by projected slopes."""

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from reckless.core.arrays import Array, Flags
from reckless.methods.surrogate.faces import Face
from reckless.methods.surrogate.form import Jet
from reckless.methods.surrogate.kernels import FIRST_RADIUS, LEAST_CURVATURE, NEARLY_THERE
from reckless.methods.surrogate.section import Section
from reckless.methods.surrogate.spaces import Cube, Space, is_whole, on_lattice

STANDSTILL = 1e-10  # a move below this ends an ascent


class Surface(Protocol):
    """A smooth function of pairs Q (m, n_x + n_y): a model of f, or of where it fails."""

    def mean(self, Q: Array) -> Array:
        """Return its values (m,)."""

    def jet(self, Q: Array) -> Jet:
        """Return values, slopes and curvatures."""


@runtime_checkable
class Sectioned(Protocol):
    """A surface that may know itself as a function of y alone, which is faster."""

    def section(self, x: Array) -> Section | None:
        """Return the mean at one x, if it is a section of a Gaussian process."""

    def across(self, X: Array, Y: Array) -> Array:
        """Return the mean of every row of X with every row of Y."""


class Tops(NamedTuple):
    """Rows of y (k, n_y) and their levels (k,), highest first."""

    Y: Array
    levels: Array


def joined(x: Array, Y: Array) -> Array:
    """Pair one x with every row of Y."""
    return np.hstack([np.broadcast_to(x, (len(Y), len(x))), Y])


def crossed(X: Array, Y: Array) -> Array:
    """Pair every row of X with every row of Y, the rows of Y running fastest."""
    return np.hstack([np.repeat(X, len(Y), axis=0), np.tile(Y, (len(X), 1))])


def across(surface: Surface, X: Array, Y: Array) -> Array:
    """Return the mean (rows of X, rows of Y) of every pair."""
    if isinstance(surface, Sectioned):
        return surface.across(X, Y)
    return surface.mean(crossed(X, Y)).reshape(len(X), len(Y))


def distinct(rows: Array, levels: Array, gap: float, most: int) -> list[int]:
    """Return the places of the highest rows that are pairwise `gap` apart in some coordinate, highest first."""
    kept: list[int] = []
    for i in np.argsort(-levels, kind="stable").tolist():
        if not kept or np.abs(rows[kept] - rows[i]).max(axis=1).min() >= gap:
            kept.append(i)
            if len(kept) == most:
                break
    return kept


def climb(surface: Surface, ys: Space, x: Array, Y: Array, n_steps: int = 12) -> Tops:
    """Climb from all rows of Y at once to local maxima at x; integers are rounded, then the others climb on."""
    whole = is_whole(ys)
    if isinstance(ys, Cube) and isinstance(surface, Sectioned) and not whole.any():
        section = surface.section(x)
        if section is not None:
            return Tops(*section.climb(Y, n_steps))
    Y, levels = _climb(surface, ys, x, Y, n_steps, np.zeros(ys.n, dtype=bool))
    if whole.any():
        Y, levels = _climb(surface, ys, x, on_lattice(ys, Y), n_steps // 2, whole)
    return Tops(Y, levels)


def _climb(surface: Surface, ys: Space, x: Array, Y: Array, n_steps: int, fixed: Flags) -> tuple[Array, Array]:
    """Take projected Newton steps within a trust radius, one for each row; `fixed` coordinates stay."""
    n_x = len(x)

    def jet(Y: Array) -> Jet:
        level, slope, bend = surface.jet(joined(x, Y))
        return Jet(level, slope[:, n_x:], bend[:, n_x:, n_x:])

    Y, radius = Y.copy(), np.full(len(Y), FIRST_RADIUS)
    level, slope, bend = jet(Y)
    slope, bend = slope.copy(), bend.copy()
    for _ in range(n_steps):
        step = newton_step(slope, bend, ys.face(Y, slope).without(fixed))
        length = np.abs(step).max(axis=1)
        step *= np.minimum(1.0, radius / np.maximum(length, 1e-300))[:, None]
        trial = ys.clip(Y + step)
        new = jet(trial)
        better = new.level >= level
        reach = np.minimum(length, radius)
        radius = np.where(better, np.maximum(radius, 2.0 * reach), 0.25 * reach)
        Y[better], level = trial[better], np.where(better, new.level, level)
        slope[better], bend[better] = new.slope[better], new.bend[better]
        if length.max() < NEARLY_THERE:  # the next Newton step would be its square
            break
    return Y, level


def newton_step(slope: Array, bend: Array, face: Face) -> Array:
    """Return the steps (k, n) to the maxima of quadratic models on the faces, uphill where a model has no maximum."""
    w, V = np.linalg.eigh(face.curvature(bend))
    along = np.matmul(face.slope(slope)[:, None, :], V) / np.maximum(np.abs(w), LEAST_CURVATURE)[:, None, :]
    return face.slope(np.matmul(along, V.transpose(0, 2, 1))[:, 0])


def response(bend: Array, face: Face, n_x: int) -> Array:
    """Return how maximizers move with x: dy/dx (k, n_y, n_x), 0 where the maximum is not strict.

    bend: curvatures of the pair (k, n_x + n_y, n_x + n_y).
    """
    w, V = np.linalg.eigh(face.curvature(bend[:, n_x:, n_x:]))
    is_strict = w[:, -1] < -1e-8 * np.abs(w).max(axis=1)
    inverse = np.matmul(V / np.where(is_strict[:, None], w, -1.0)[:, None, :], V.transpose(0, 2, 1))
    mixed = bend[:, n_x:, :n_x] * face.free[:, :, None]
    mixed = mixed if face.P is None else face.P @ mixed
    moves: Array = -np.matmul(inverse, mixed) * (face.free & is_strict[:, None])[:, :, None]
    return moves if face.P is None else face.P @ moves


def ascend(function: Callable[[Array], tuple[Array, Array]], ys: Space, Y: Array, n_steps: int = 20) -> Tops:
    """Climb from all rows of Y at once by spectral projected slopes (Birgin, Martinez, Raydan 2000).

    function: returns levels (k,) and slopes (k, n_y).
    """
    Y = Y.copy()
    level, slope = function(Y)
    step = FIRST_RADIUS / np.maximum(np.abs(slope).max(axis=1), 1e-300)
    for _ in range(n_steps):
        # Along the face: the way back to a simplex is no projection.
        trial = ys.clip(Y + step[:, None] * ys.face(Y, slope).slope(slope))
        move = trial - Y
        if np.abs(move).max() < STANDSTILL:
            break
        new, new_slope = function(trial)
        better = new > level
        bent = (move * (slope - new_slope)).sum(axis=1)
        spectral = (move * move).sum(axis=1) / np.where(bent > 0.0, bent, 1.0)
        step = np.where(better, np.where(bent > 0.0, spectral, 2.0 * step), 0.25 * step)
        Y, level = np.where(better[:, None], trial, Y), np.where(better, new, level)
        slope = np.where(better[:, None], new_slope, slope)
    return Tops(Y, level)
