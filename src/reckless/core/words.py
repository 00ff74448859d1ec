"""Words of others in our sentences: arguments, exceptions and file names, made short and harmless to show.

A message may be printed on a terminal, where control characters set titles and clipboards. What a user's object says
of itself may be endless, or fail.
"""

import reprlib
from itertools import islice
from typing import Any

LIMIT = 200  # characters: what of foreign words fits into a sentence
N_ITEMS, N_LEVELS = 50, 3  # of containers: more never fits into LIMIT, and a list of 10 million is not to be spelled


def printable(text: str) -> str:
    """Escape what a terminal would obey: all control and formatting characters, the ends of lines included."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escaped(char) for char in text)


def shortened(text: str, limit: int = LIMIT) -> str:
    """Return a text of at most `limit` characters, which says how many are left out at its end."""
    if len(text) <= limit:
        return text
    room = limit - len(_left_out(len(text)))
    return f"{text[:room]}{_left_out(len(text) - room)}"


def safe_repr(value: object) -> str:
    """Return the repr, short and printable. Never fails; an object whose own repr does is named by its type."""
    try:
        return shortened(printable(_REPR.repr(value)))
    except Exception:  # whatever a class of the user's does wrong
        return f"an object of type {shortened(printable(type(value).__name__))}, which cannot be shown"


def safe_str(words: object) -> str:
    """Return a text, the name of a file or the message of an exception, short and printable. Never fails."""
    try:
        return shortened(printable(str(words)))
    except Exception:  # whatever a class of the user's does wrong
        return "a message that cannot be shown"


def named(error: BaseException) -> str:
    """Return the type and the message of an exception, as a traceback ends, but short and printable."""
    return f"{safe_str(type(error).__name__)}: {safe_str(error)}"


class _Repr(reprlib.Repr):
    """The repr of Python as long as it is short; containers are not spelled beyond what can be shown."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = N_LEVELS
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = self.maxdeque = N_ITEMS
        self.maxarray = N_ITEMS

    def repr_dict(self, x: dict[Any, Any], level: int) -> str:
        if level <= 0:
            return "{...}"
        items = [f"{self.repr1(key, level - 1)}: {self.repr1(x[key], level - 1)}" for key in islice(x, N_ITEMS)]
        return f"{{{', '.join(items + ['...'] * (len(x) > N_ITEMS))}}}"

    def repr_str(self, x: str, level: int) -> str:
        return self.repr_instance(x, level)

    def repr_int(self, x: int, level: int) -> str:
        try:
            return repr(x)
        except ValueError:  # Python refuses to spell more than 4,300 digits
            return f"an integer of {x.bit_length():,} bits"

    def repr_instance(self, x: object, level: int) -> str:
        return repr(x)


def _left_out(n: int) -> str:
    return f"... ({n:,} more characters)"


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


_REPR = _Repr()
