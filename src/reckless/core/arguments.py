"""Read the arguments that several public functions share; say in a sentence what is wrong with them."""

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from reckless.core.arrays import Array
from reckless.core.words import safe_repr, safe_str
from reckless.errors import InvalidArgument

LARGEST_COUNT = 2**53  # beyond it floats, which budgets are shared out with, miss integers
LARGEST_SIZE = 10**6  # of what is held in memory at once, such as a population
# What starts a generator, beside a vector of integers.
SEEDS = (
    *(type(None), Integral, np.random.Generator, np.random.BitGenerator, np.random.RandomState),
    np.random.bit_generator.ISeedSequence,
)


def read_count(value: Any, name: str, smallest: int = 1, largest: int = LARGEST_COUNT, example: int = 4) -> int:
    """Return `value` as an int from `smallest` to `largest`. Integral floats such as 1e5 are accepted, bools not."""
    is_whole = isinstance(value, Integral) or _float(value).is_integer()
    if isinstance(value, bool) or not is_whole or not smallest <= int(value) <= largest:
        is_above = is_whole and int(value) > largest
        raise InvalidArgument(
            f"{name}: expected a whole number of at {f'most {largest}' if is_above else f'least {smallest}'}, "
            f"but got {safe_repr(value)}. For example {name}={min(max(example, smallest), largest)}."
        )
    return int(value)


def read_positive(value: Any, name: str) -> float:
    """Return `value` as a finite float above zero."""
    number = read_number(value, name)
    if number <= 0.0:
        raise InvalidArgument(f"{name}: expected a number above 0, but got {safe_repr(value)}. For example {name}=60.")
    return number


def read_number(value: Any, name: str) -> float:
    """Return `value` as a finite float."""
    number = math.nan if isinstance(value, bool) else _float(value)
    if not math.isfinite(number):
        raise InvalidArgument(f"{name}: expected a finite number, but got {safe_repr(value)}.")
    return number


def read_between(
    value: Any, name: str, low: float, high: float, ends: str = "[]", example: float | None = None
) -> float:
    """Return `value` as a float from `low` to `high`; a round bracket among `ends` leaves that end out."""
    number = math.nan if isinstance(value, bool) else _float(value)
    is_inside = (low <= number if ends[0] == "[" else low < number) and (
        number <= high if ends[1] == "]" else number < high
    )
    if not is_inside:
        raise InvalidArgument(
            f"{name}: expected a number in {ends[0]}{low:g}, {high:g}{ends[1]}, but got {safe_repr(value)}. "
            f"For example {name}={0.5 * (low + high) if example is None else example:g}."
        )
    return number


def read_flag(value: Any, name: str) -> bool:
    """Return True or False; nothing else stands for them."""
    if not isinstance(value, bool):
        raise InvalidArgument(f"{name}: expected True or False, but got {safe_repr(value)}.")
    return value


def read_choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    """Return `value`, which must be one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        words = " or ".join(repr(choice) for choice in choices)
        raise InvalidArgument(f"{name}: expected {words}, but got {safe_repr(value)}.")
    return value


def read_rng(rng: Any) -> np.random.Generator:
    """Return a generator from anything that `numpy.random.default_rng` takes (SPEC 7)."""
    try:
        if not isinstance(rng, SEEDS) and not _is_vector_of_integers(rng):  # NumPy descends into any sequence, and dies
            raise TypeError(f"it is of type {type(rng).__name__}")
        return np.random.default_rng(rng)
    except Exception as error:  # whatever NumPy or a class of the user's says
        raise InvalidArgument(
            f"rng: expected a non-negative integer, a numpy Generator or None, but got {safe_repr(rng)} "
            f"({safe_str(error)})."
        ) from None


def draw_seed() -> int:
    """Return a seed that nobody chose, short enough for a person to repeat and for JSON to hold."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(11))  # 53 bits


def _is_vector_of_integers(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim <= 1 and value.dtype.kind in "iu"
    return isinstance(value, (list, tuple)) and all(isinstance(item, Integral) for item in value)


def read_point(point: Any, n: int | None, name: str) -> Array:
    """Return one point as a copied vector of finite numbers, of length `n` unless that is None."""
    array = read_array(point)
    if array is None:
        raise InvalidArgument(f"{name}: expected a sequence of numbers, but got {safe_repr(point)}.")
    vector = np.atleast_1d(array)
    if vector.ndim != 1 or vector.size == 0 or n not in (None, vector.size):
        expected = "one coordinate or more" if n is None else f"{n} coordinates"
        raise InvalidArgument(f"{name}: expected a vector of {expected}, but got shape {vector.shape}.")
    if not np.all(np.isfinite(vector)):
        raise InvalidArgument(f"{name}: every coordinate must be finite, but got {safe_repr(point)}.")
    return vector


def is_like(value: object, protocol: type) -> bool:
    """Return whether an object has all that a protocol asks for; one that fails when it is asked has not."""
    try:
        return isinstance(value, protocol)
    except Exception:  # whatever a class of the user's does wrong
        return False


def read_array(value: Any) -> Array | None:
    """Return a copy as floats; a None inside is NaN, a number that no float holds infinite.

    None if it is no array of numbers: ragged, masked, or of texts, dates, complex numbers.
    """
    try:
        if _is_masked(value):
            return None
        array = np.array(value)
        if array.dtype.kind == "O":
            array = np.frompyfunc(_element, 1, 1)(array)
        elif array.dtype.kind not in "biuf":
            return None
        with np.errstate(over="ignore"):  # of a longdouble
            return np.array(array, dtype=np.float64)
    except Exception:  # whatever NumPy or a class of the user's cannot make an array of
        return None


def _is_masked(value: Any) -> bool:
    """Return whether NumPy would drop a mask; whatever it hides is no number to compute with."""
    if isinstance(value, (list, tuple)):
        return any(_is_masked(item) for item in value)
    return isinstance(value, np.ma.MaskedArray)


def keep(parameters: object, **values: Any) -> None:
    """Store parameters of a frozen dataclass as they were read: 100 for 1e2."""
    for name, value in values.items():
        object.__setattr__(parameters, name, value)


def _element(value: Any) -> float:
    """Return an element of an array of objects as a float."""
    if isinstance(value, (str, bytes)):
        raise TypeError
    return math.nan if value is None else _rounded(value)


def _float(value: Any) -> float:
    """Return a real number as a float, infinite if no float holds it; NaN for anything else."""
    try:
        return _rounded(value) if isinstance(value, Real) else math.nan
    except Exception:  # whatever a class of the user's does wrong
        return math.nan


def _rounded(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
