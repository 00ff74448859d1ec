"""How x may move in its set: differences that stay inside, slopes from them, and the room for a step.

A simplex is worked in itself: its rows add up to a total, and moves add up to 0. Everything else is worked in its unit
cube, where an integer moves by whole units; so does the place in a list.
"""

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import Task
from reckless.methods.danskin.step import Room
from reckless.methods.surrogate.spaces import Cube, Listed, Shares, is_whole, on_lattice, space_of

Space = Cube | Shares


def space_of_x(task: Task) -> Space:
    """Return the space that x is worked in."""
    match space_of(task.x_domain, task.n_x):
        case Cube() | Shares() as space:
            return space
        case Listed(points=points):
            return Cube(1, np.array([float(len(points))]))
    return Cube(task.n_x, np.zeros(task.n_x))


def room_at(space: Space, x: Array, *, has_integers_fixed: bool = False) -> Room:
    """Return how far x may move."""
    is_fixed = is_whole(space) & has_integers_fixed
    low, high = np.where(is_fixed, 0.0, -x), np.where(is_fixed, 0.0, space.high - x)
    return Room(low, high, balanced=space.total is not None)


def inside(space: Space, x: Array) -> Array:
    """Return the point of the set next to x."""
    row: Array = on_lattice(space, space.clip(x[None]))[0]
    return row


def moves_at(space: Space, x: Array, h: float) -> Array:
    """Return moves (k, n) for which x has room: one along each coordinate, or from the largest share to each other.

    They have the length h, or that of one unit if a coordinate is an integer.
    """
    if space.total is None:
        lengths = units(space, h)
        return np.diag(np.where(x + lengths > space.high, -lengths, lengths))
    largest = int(x.argmax())
    moves = h * np.delete(np.eye(x.size), largest, axis=0)
    moves[:, largest] = -h
    return moves


def units(space: Space, h: float) -> Array:
    """Return the length of one unit for integers, and h for the other coordinates."""
    whole = is_whole(space)
    lengths: Array = np.where(whole, 1.0 / np.where(whole, space.n_values, 1.0), h)
    return lengths


def slope_along(moves: Array, changes: Array) -> Array:
    """Return the slope of a linear function that changes so along the moves; of shares, the one that adds up to 0."""
    if len(moves) == moves.shape[1]:
        slopes: Array = changes / np.diag(moves)
        return slopes
    largest = int(moves[0].argmin())
    slopes = np.insert(changes / moves.max(axis=1), largest, 0.0)
    slopes -= slopes.mean()
    return slopes


def neighbors(space: Space, x: Array) -> Array:
    """Return the points one unit away along an integer coordinate, both ways where there is room."""
    whole = np.flatnonzero(is_whole(space))
    moves = np.diag(units(space, 0.0))[whole]
    rows = np.vstack([x + moves, x - moves])
    is_there = ((rows > 0.0) & (rows < space.high)) | (rows == x)
    near: Array = rows[is_there.all(axis=1)]
    return near
