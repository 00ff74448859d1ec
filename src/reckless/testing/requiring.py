"""What all promises are checked with."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np


def require(is_kept: bool, sentence: str) -> None:
    """Raise the sentence unless a promise is kept, also where `python -O` drops assertions."""
    if not is_kept:
        raise AssertionError(sentence)


@contextmanager
def blaming(subject: str, where: str) -> Iterator[None]:
    """Turn any other exception of what is checked into a sentence."""
    try:
        yield
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"{subject}: raised {type(error).__name__} ({error}) {where}.") from error


def global_state() -> tuple[Any, ...]:
    """Return the state of the random generators that all code shares, to be compared."""
    _, key, *rest = np.random.get_state()  # noqa: NPY002
    return random.getstate(), np.asarray(key).tobytes(), *rest
