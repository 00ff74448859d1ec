"""Words of others are shown short, printable, and without failing."""

import numpy as np
import pytest

from reckless.core.words import LIMIT, printable, safe_repr, safe_str, shortened


class Unshowable(Exception):
    def __repr__(self):
        raise RuntimeError("no repr")

    __str__ = __repr__


def endless():
    nested = []
    for _ in range(100_000):
        nested = [nested]
    return nested


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("two\n\tlines", r"two\n\tlines"),
        ("over\rwritten", "over\\rwritten"),
        ("\x9b2J\u202e", "\\x9b2J\\u202e"),  # the eight-bit escape, and a reversal of the line
        ("\udcff", "\\udcff"),  # a byte of a file name that is no UTF-8; it cannot be printed at all
        ("Größe 大", "Größe 大"),
    ],
)
def test_control_characters_are_escaped_and_letters_are_not(text, shown):
    assert printable(text) == shown


def test_a_short_text_is_whole_and_a_long_one_says_what_is_missing():
    assert shortened("A" * LIMIT) == "A" * LIMIT
    text = shortened("A" * 100_000)
    n_kept = text.count("A")
    assert text == "A" * n_kept + f"... ({100_000 - n_kept:,} more characters)"
    assert len(text) <= LIMIT


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("it's", '"it\'s"'),
        ([1.5, (2, None)], "[1.5, (2, None)]"),
        ({"b": 1, "a": 2}, "{'b': 1, 'a': 2}"),
        (np.arange(3), "array([0, 1, 2])"),
        (10**5000, "an integer of 16,610 bits"),
        (Unshowable(), "an object of type Unshowable, which cannot be shown"),
        ("\x1b", "'\\x1b'"),
    ],
    ids=["text", "list", "dict", "array", "integer", "unshowable", "escape"],
)
def test_the_repr_of_an_argument(value, shown):
    assert safe_repr(value) == shown


@pytest.mark.parametrize(
    "value", ["A" * 10**6, [0.5] * 10**7, b"\x1b" * 10**5, 10**400, endless()], ids=lambda value: type(value).__name__
)
def test_the_repr_of_an_enormous_argument_is_short(value):
    assert len(safe_repr(value)) <= LIMIT
    assert safe_repr(value).isprintable()


def test_the_message_of_an_exception():
    assert safe_str(ValueError("two\nlines \x07")) == r"two\nlines \x07"
    assert len(safe_str(ValueError("A" * 10**6))) <= LIMIT
    assert safe_str(Unshowable()) == "a message that cannot be shown"
