"""Pieces from which the suites build their problems and exact worst cases."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from reckless.bench.problems.problem import Objective, Optimum, Problem, WorstCase
from reckless.core.arrays import Array


def attained_at(function: Objective, maximizer: Callable[[Array], Array]) -> WorstCase:
    """Make the worst case of a problem whose `maximizer` gives the worst y (m, n_y) of each row of X (m, n_x)."""

    def worst_case(X: Array) -> tuple[Array, Array]:
        Y = maximizer(X)
        return function(X, Y), Y

    return worst_case


def solved_problem(
    *,
    name: str,
    summary: str,
    function: Objective,
    maximizer: Callable[[Array], Array],
    x_reach: float,
    y_reach: float,
    x: Array,
    source: str,
    value: float | None = None,
) -> Problem:
    """Build a problem on abs(x_i) <= x_reach, abs(y_i) <= y_reach from its `maximizer` and its best x (n_x,).

    These two give the optimum; a `value` known more exactly replaces that of f.
    """
    worst_case = attained_at(function, maximizer)
    (at_x,), (y,) = worst_case(x[None])
    value = float(at_x) if value is None else value
    return Problem(
        name=name,
        summary=summary,
        function=function,
        x_bounds=((-x_reach, x_reach),) * x.size,
        y_bounds=((-y_reach, y_reach),) * y.size,
        optimum=Optimum(x=tuple(x.tolist()), y=tuple(y.tolist()), value=value, source=source),
        worst_case=worst_case,
    )


def attained_among(function: Objective, candidates: Callable[[Array], Array]) -> WorstCase:
    """Make the worst case over a single y that is sure to be among the `candidates` (m, k) of each row."""

    def best_of_block(X: Array) -> tuple[Array, Array]:
        points = candidates(X)
        m, k = points.shape
        values = function(np.repeat(X, k, axis=0), points.reshape(-1, 1)).reshape(m, k)
        best = values.argmax(axis=1)[:, None]
        return np.take_along_axis(values, best, axis=1)[:, 0], np.take_along_axis(points, best, axis=1)

    def worst_case(X: Array) -> tuple[Array, Array]:
        # A row may need a thousand nodes, so rows are taken in blocks to save memory.
        blocks = [best_of_block(X[start : start + 1000]) for start in range(0, max(1, len(X)), 1000)]
        return np.concatenate([values for values, _ in blocks]), np.concatenate([Y for _, Y in blocks])

    return worst_case


def random_rotation(rng: np.random.Generator, n: int) -> Array:
    """Draw an orthogonal matrix (n, n), uniformly."""
    Q, R = np.linalg.qr(rng.standard_normal((n, n)))
    rotation: Array = Q * np.sign(np.diag(R))
    return rotation


def bisect(lies_above: Callable[[Array], NDArray[np.bool_]], low: Array, high: Array) -> Array:
    """Halve every interval [low, high] down to adjacent floats, keeping the half in which the target lies."""
    for _ in range(64):
        middle = 0.5 * (low + high)
        is_above = lies_above(middle)
        low, high = np.where(is_above, middle, low), np.where(is_above, high, middle)
    return 0.5 * (low + high)


def quadratic_peak(linear: Array, square: Array | float, low: float, high: float) -> Array:
    """Return the t in [low, high] that maximizes linear * t + square * t**2, whether concave, straight or convex."""
    square = np.asarray(square)
    is_concave = square < 0.0
    vertex = linear / np.where(is_concave, -2.0 * square, 1.0)
    better_end = np.where(linear + square * (low + high) >= 0.0, high, low)
    return np.where(is_concave, np.clip(vertex, low, high), better_end)


def nodes_around(center: Array, width: Array, high: float) -> Array:
    """Return sorted points (m, k) of [0, high] that resolve details of size `width` (m, c) at `center` (m, c).

    Steps are even, but finer around each center: they grow geometrically from a quarter of its width.
    """
    center, width = center[:, :, None], np.clip(width, 1e-16, 0.1)[:, :, None]
    steps = 0.25 * width * (0.25 / width) ** np.linspace(0.0, 1.0, 40)
    around = np.concatenate([center - steps, center, center + steps], axis=2)
    around = around.reshape(len(center), around.shape[1] * around.shape[2])
    even = np.broadcast_to(np.linspace(0.0, high, 257), (len(center), 257))
    return np.sort(np.clip(np.hstack([even, around]), 0.0, high), axis=1)


def crossings(slope: Callable[[Array, Array], Array], X: Array, nodes: Array, target: Array) -> Array:
    """Find where slope(x, y) crosses the `target` (m, k - 1) of an interval between the `nodes` (m, k).

    `slope` takes x coordinate first, shaped to broadcast with y; at the tip of a peak or dip it may be 0 / 0.
    Rows with fewer crossings than others are padded with their first node.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        slopes = np.nan_to_num(slope(X.T[:, :, None], nodes), nan=0.0)
        left, right = slopes[:, :-1] - target, slopes[:, 1:] - target
        rows, at = np.nonzero((np.sign(left) * np.sign(right) <= 0.0) & (nodes[:, :-1] < nodes[:, 1:]))
        x, level, side = X[rows].T, target[rows, at], np.sign(left[rows, at])
        points = bisect(lambda y: (slope(x, y) - level) * side > 0.0, nodes[rows, at], nodes[rows, at + 1])
    place = np.arange(rows.size) - np.searchsorted(rows, rows)  # the number of a crossing within its row
    padded = np.repeat(nodes[:, :1], 1 + place.max(initial=-1), axis=1)
    padded[rows, place] = points
    return padded
