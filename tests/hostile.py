"""Arguments that are hard to show in a sentence, and what every sentence about them keeps to."""

import pytest

from reckless.errors import OptimizationError

LONGEST = 1000  # characters of a message, of which at most 200 are words of others


class Unshowable:
    """An object that cannot be shown."""

    def __repr__(self):
        raise RuntimeError("no repr")

    __str__ = __repr__


class Evasive:
    """An object that fails when it is asked for an attribute."""

    def __getattr__(self, name):
        raise RuntimeError(name)


HOSTILE = {
    "long": "A" * 100_000,
    "escape": "\x1b]0;title\x07",
    "surrogate": "\udcff",
    "null": "\0",
    "unshowable": Unshowable(),
    "evasive": Evasive(),
    "digits": 10**5000,
    "list": [0.5] * 100_000,
    "keys": {"A" * 100_000: 1},
}


def assert_is_refused_briefly(call):
    """Assert that a call is refused in a sentence that is short and printable."""
    with pytest.raises(OptimizationError) as refusal:
        call()
    message = str(refusal.value)
    assert len(message) <= LONGEST
    assert message.replace("\n", "").isprintable()
