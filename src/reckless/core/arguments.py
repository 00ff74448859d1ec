"""Read the arguments that several public functions share; say in a sentence what is wrong with them."""

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from reckless.core.arrays import Array
from reckless.errors import InvalidArgument


def read_count(value: Any, name: str, smallest: int = 1) -> int:
    """Return `value` as an int of at least `smallest`. Integral floats such as 1e5 are accepted; bools are not."""
    is_whole = isinstance(value, Integral) or (isinstance(value, Real) and float(value).is_integer())
    if isinstance(value, bool) or not is_whole or int(value) < smallest:
        raise InvalidArgument(
            f"{name}: expected a whole number of at least {smallest}, but got {value!r}. "
            f"For example {name}={max(20_000, smallest)}."
        )
    return int(value)


def read_positive(value: Any, name: str) -> float:
    """Return `value` as a finite float above zero."""
    number = read_number(value, name)
    if number <= 0.0:
        raise InvalidArgument(f"{name}: expected a number above 0, but got {value!r}. For example {name}=60.")
    return number


def read_number(value: Any, name: str) -> float:
    """Return `value` as a finite float."""
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise InvalidArgument(f"{name}: expected a finite number, but got {value!r}.")
    return float(value)


def read_choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """Return `value`, which must be one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        words = " or ".join(repr(choice) for choice in choices)
        raise InvalidArgument(f"{name}: expected {words}, but got {value!r}.")
    return value


def read_rng(rng: Any) -> np.random.Generator:
    """Return a generator from anything that `numpy.random.default_rng` takes (SPEC 7)."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise InvalidArgument(
            f"rng: expected a non-negative integer, a numpy Generator or None, but got {rng!r} ({error})."
        ) from None


def read_point(point: Any, n: int | None, name: str) -> Array:
    """Return one point as a copied vector of finite numbers, of length `n` unless that is None."""
    try:
        vector = np.array(point, dtype=np.float64, ndmin=1)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{name}: expected a sequence of numbers, but got {point!r}.") from None
    if vector.ndim != 1 or vector.size == 0 or n not in (None, vector.size):
        expected = "one coordinate or more" if n is None else f"{n} coordinates"
        raise InvalidArgument(f"{name}: expected a vector of {expected}, but got shape {vector.shape}.")
    if not np.all(np.isfinite(vector)):
        raise InvalidArgument(f"{name}: every coordinate must be finite, but got {vector}.")
    return vector
