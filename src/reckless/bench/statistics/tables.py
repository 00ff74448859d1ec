"""Read tables of scores and samples of runs, or say what is wrong with them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from reckless.core.arrays import Array
from reckless.errors import InvalidArgument


def read_share(argument: str, value: float) -> float:
    if not 0.0 < value < 1.0:
        raise InvalidArgument(f"{argument}: must lie between 0 and 1, but is {value}. Is it in percent?")
    return value


def read_numbers(argument: str, values: ArrayLike, ndim: int, rule: str) -> Array:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"{argument}: must be {rule}, but NumPy says: {error}") from error
    if array.ndim != ndim or array.size == 0:
        raise InvalidArgument(f"{argument}: must be {rule}, but has shape {array.shape}.")
    return array


def read_runs(argument: str, values: ArrayLike) -> Array:
    runs = read_numbers(argument, values, 1, "a sequence of at least one run")
    if np.isnan(runs).any():
        raise InvalidArgument(
            f"{argument}: must not hold NaN, but run {np.isnan(runs).argmax()} (from 0) is NaN. "
            "Leave it out, or count a failed run as +inf."
        )
    return runs


def read_table(scores: ArrayLike, names: Sequence[str] | None = None, min_blocks: int = 2) -> Array:
    table = read_numbers("scores", scores, 2, "a table with one row per block and one column per method")
    n, k = table.shape
    if n < min_blocks or k < 2:
        raise InvalidArgument(f"scores: needs {min_blocks} blocks and 2 methods or more, but has {n}, {k}.")
    if names is not None and len(names) != k:
        raise InvalidArgument(f"names: must be {k}, one per column of scores, but are {len(names)}. Is it transposed?")
    if names is not None and len(set(names)) < k:
        raise InvalidArgument(f"names: each method needs its own, but some occur twice: {sorted(names)}.")
    for block, column in np.argwhere(np.isnan(table)):
        method = f"in column {column}" if names is None else repr(names[column])
        raise InvalidArgument(
            f"scores: every method needs a score in every block, but block {block} (from 0) has NaN for "
            f"method {method}. Leave the block out, or count a failure as +inf."
        )
    return table
