"""Spellings: NAME:key=value and file.py:name:key=value, and the sentence for every way they can be wrong."""

from dataclasses import dataclass, field

import pytest

from reckless.core.spelling import Spelling, defaults_of, make_spelled, read_settings, read_spelling, read_whole
from reckless.errors import InvalidArgument


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("mmde", ("", "mmde", None)),
        (" L1 : n = 20 , b = 3 ", ("", "L1", "n=20,b=3")),
        ("L1:", ("", "L1", "")),
        ("my.py:Mine", ("my.py", "Mine", None)),
        ("../a.b/my file.py:Mine:scale=0.3", ("../a.b/my file.py", "Mine", "scale=0.3")),
        ("old.py.d/my.py:f", ("old.py.d/my.py", "f", None)),
        ("my.py", ("my.py", "", None)),
        ("my.py:Mine:other=its.py:f", ("my.py", "Mine", "other=its.py:f")),
        ("", ("", "", None)),
    ],
)
def test_a_spelling_has_a_file_a_name_and_settings(text, parts):
    assert read_spelling(text) == Spelling(*parts)


def test_a_spelling_is_spelled_without_spaces():
    assert str(read_spelling(" L1 : n = 20")) == "L1:n=20"
    assert str(read_spelling("a b.py: Mine")) == "a b.py:Mine"


@pytest.mark.parametrize(("text", "number"), [("7", 7), ("1e5", 100_000), ("100_000", 100_000), ("-3", -3)])
def test_a_whole_number_may_be_spelled_as_a_float(text, number):
    assert read_whole(text) == number


@pytest.mark.parametrize("text", ["1.5", "nan", "inf", "1e999", "", "seven"])
def test_other_texts_spell_no_whole_number(text):
    with pytest.raises(ValueError, match=r".*"):
        read_whole(text)


@dataclass(frozen=True, kw_only=True)
class Thing:
    size: int = 3
    share: float = 0.5
    is_new: bool = False
    word: str = "cma"
    limit: int | None = None
    tail: list = field(default_factory=list)


@dataclass(frozen=True)
class Needy:
    size: int
    share: float = 0.5


def make(settings, thing=Thing):
    return make_spelled(thing, Thing, Spelling("", "thing", settings), "method")


def test_each_value_is_read_as_the_kind_of_its_default():
    assert make("size=1e2,share=1,is_new=True,word=nes") == Thing(size=100, share=1.0, is_new=True, word="nes")
    assert [make(f"limit={text}").limit for text in ("12", "1.5", "true", "most")] == [12, 1.5, True, "most"]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ("sise=2", "thing can be given size, share, is_new, word, limit, tail, but got 'sise'. Did you mean 'size'?"),
        (
            "size",
            "after the colon come settings key=value separated by commas, but got 'size'. For example 'thing:size=3'.",
        ),
        ("", "after the colon come settings key=value separated by commas, but got ''. For example 'thing:size=3'."),
        ("size=1.5", "size must be a whole number, but thing got '1.5'. For example 'thing:size=3'."),
        ("share=half", "share must be a number, but thing got 'half'. For example 'thing:share=0.5'."),
        ("is_new=1", "is_new must be true or false, but thing got '1'. For example 'thing:is_new=true'."),
        ("size=1,size=1", "'size' may be set once, but thing got it twice. Drop one of them."),
    ],
)
def test_a_wrong_setting_gets_a_sentence_with_the_cure(settings, sentence):
    with pytest.raises(InvalidArgument) as refusal:
        make(settings)
    assert str(refusal.value) == f"method: {sentence}"


@pytest.mark.parametrize(
    ("thing", "settings", "words"),
    [
        (Thing, "tail=1", "^method: tail must be given as an object in Python"),
        (Thing(), "size=1", "^method: thing has nothing to set, but got 'size=1'. Ask for 'thing' alone."),
        (Needy, None, "^method: thing needs size, but got no value. For example 'thing:size=5'."),
        (Needy, "size=2", r"^method: thing must be or make a Thing, but gave Needy\(size=2, share=0.5\)"),
        (3, None, "^method: thing must be or make a Thing, but gave 3"),
        (lambda: 1 / 0, None, r"^method: thing cannot be made \(ZeroDivisionError: division by zero\)"),
    ],
)
def test_what_makes_no_thing_gets_a_sentence(thing, settings, words):
    with pytest.raises(InvalidArgument, match=words):
        make(settings, thing)


def test_a_thing_itself_and_a_function_that_makes_one_will_do():
    assert make(None, Thing(size=9)) == Thing(size=9)
    assert make("n=7", lambda n=2: Thing(size=n)) == Thing(size=7)


def test_what_is_left_out_is_left_to_its_default():
    assert read_settings(None, defaults_of(Thing), "thing", "method") == {}
    assert read_settings("share=0.1", defaults_of(Thing), "thing", "method") == {"share": 0.1}
