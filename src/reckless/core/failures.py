"""A failed evaluation is NaN; it must never look good to the player who asked for it."""

import math

import numpy as np

from reckless.core.arrays import Array


def has_failures(values: Array) -> bool:
    """Whether any value is NaN; `argmin` goes to the first one, and is three times faster than `isnan`."""
    return math.isnan(values[values.argmin()])


def against_minimizer(values: Array) -> Array:
    """The values as a minimizing player must see them: a failure counts as +inf."""
    return np.where(np.isnan(values), np.inf, values) if has_failures(values) else values


def against_maximizer(values: Array) -> Array:
    """The values as a maximizing player must see them: a failure counts as -inf."""
    return np.where(np.isnan(values), -np.inf, values) if has_failures(values) else values
