"""TOML of anybody's: data or a sentence, and soon."""

import pytest

from reckless.core.tomlfile import LARGEST_FILE, parse_toml, read_text

HOSTILE = {
    "nested too deep": ["x = " + "[" * 100_000 + "]" * 100_000, "x = " + "{a=" * 100_000],
    "too many digits": ["maxfev = 1" + "0" * 5_000, "x = [{a = [0x" + "f" * 5_000 + "]}]"],
    "more than 50 parts": [
        "[" + ".".join("a" * 100_000) + "]",
        ".".join("a" * 100_000) + " = 1",
        "a." * 400_000,
        "x = {" + " . ".join(['"a"'] * 1_000) + " = 1}",
        "['a'" + ".'a'" * 100_000 + "]",
    ],
    "Invalid|Expected": ["a " * 400_000, '"' * 900_001, "\n" * 900_000 + "?", "a" * 900_000],
}


@pytest.mark.parametrize(("words", "text"), [(words, text) for words, texts in HOSTILE.items() for text in texts])
def test_whatever_cannot_be_read_is_refused_in_a_few_words(words, text):
    with pytest.raises(ValueError, match=words) as refusal:
        parse_toml(text)
    assert len(str(refusal.value)) < 300


def test_numbers_names_and_texts_with_dots_are_read():
    text = 'a.b.c = 1\nx = [1.5, 2.5]\npath = "../../x.y/z.py:f"\n'
    assert parse_toml(text + "rows = [" + "1.5, " * 1000 + "]")["a"] == {"b": {"c": 1}}


def test_a_file_of_more_than_a_megabyte_is_refused(tmp_path):
    path = tmp_path / "large.toml"
    path.write_bytes(b"#" * LARGEST_FILE)
    assert len(read_text(path)) == LARGEST_FILE
    path.write_bytes(b"#" * (LARGEST_FILE + 1))
    with pytest.raises(ValueError, match="more than 1,000,000 bytes"):
        read_text(path)
