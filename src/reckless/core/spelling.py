"""Read things as users spell them: NAME:key=value,key=value or file.py:name:key=value.

Methods and problems are spelled alike in Python, in files and on the command line. `argument` is the one to blame in
an error: "method", "problem", "objective".
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from reckless.core.userfile import load_names
from reckless.core.words import named, safe_repr, safe_str
from reckless.errors import InvalidArgument

Reader = Callable[[str, Any], Any]  # (text, default) -> value, or ValueError with the rule, such as "a whole number"

_FILE = re.compile(r"(?P<file>.+?\.py)(?:$|:(?P<rest>.*))", re.DOTALL)
NEEDED = inspect.Parameter.empty  # in place of the default of a parameter that has none


class Spelling(NamedTuple):
    """The parts of a spelling: file is "" for a name, settings is None where no colon follows the name."""

    file: str
    name: str
    settings: str | None

    def __str__(self) -> str:
        return ":".join(part for part in self if part)


def read_spelling(text: str) -> Spelling:
    """Take a spelling apart. A path ends at the first ".py" before a colon; the name may be missing after it."""
    found = _FILE.fullmatch(text.strip())
    file, rest = ("", text) if found is None else (found["file"], found["rest"] or "")
    name, colon, settings = rest.partition(":")
    return Spelling(file, name.strip(), "".join(settings.split()) if colon else None)


def read_whole(text: str) -> int:
    """Return the integer that a text spells; 1e5 and 100_000 are accepted. Raise ValueError for others."""
    try:
        return int(text)
    except ValueError:
        number = float(text)
    if not number.is_integer():
        raise ValueError(text)
    return int(number)


def read_setting(text: str, default: Any) -> Any:
    """Return a value of the kind of its default: a truth value, an integer, a number, a text, or a guess."""
    kind = type(default)
    if default is None or default is NEEDED:
        return _guess(text)
    if kind not in _KINDS:
        raise ValueError(f"given as an object in Python, like its default {safe_repr(default)},")
    words, read = _KINDS[kind]
    try:
        return read(text)
    except (KeyError, ValueError):
        raise ValueError(words) from None


_KINDS: dict[type, tuple[str, Callable[[str], Any]]] = {
    bool: ("true or false", lambda text: {"true": True, "false": False}[text.lower()]),
    int: ("a whole number", read_whole),
    float: ("a number", float),
    str: ("a text", str),
}


def _guess(text: str) -> Any:
    for kind in (bool, int, float):
        with suppress(ValueError):
            return read_setting(text, kind())
    return text


def defaults_of(make: Callable[..., Any]) -> dict[str, Any]:
    """Return the parameters that can be set by keyword, with their defaults."""
    by_keyword = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    return {key: p.default for key, p in inspect.signature(make).parameters.items() if p.kind in by_keyword}


def read_settings(
    settings: str | None, defaults: Mapping[str, Any], name: str, argument: str, read: Reader = read_setting
) -> dict[str, Any]:
    """Return the values in "key=value,key=value" of the thing called `name`."""
    values: dict[str, Any] = {}
    if settings is not None and not defaults:
        raise InvalidArgument(
            f"{argument}: {name} has nothing to set, but got {safe_repr(settings)}. Ask for '{name}' alone."
        )
    for setting in [] if settings is None else settings.split(","):
        key, equals, text = setting.partition("=")
        if not equals:
            raise InvalidArgument(
                f"{argument}: after the colon come settings key=value separated by commas, but got "
                f"{safe_repr(setting)}. "
                f"For example {_example(name, defaults, next(iter(defaults)))}."
            )
        if key not in defaults:
            raise InvalidArgument(
                f"{argument}: {name} can be given {', '.join(defaults)}, but got {safe_repr(key)}. "
                f"Did you mean {nearest(key, defaults)!r}?"
            )
        if key in values:
            raise InvalidArgument(f"{argument}: {key!r} may be set once, but {name} got it twice. Drop one of them.")
        try:
            values[key] = read(text, defaults[key])
        except ValueError as rule:
            raise InvalidArgument(
                f"{argument}: {key} must be {rule}, but {name} got {safe_repr(text)}. "
                f"For example {_example(name, defaults, key)}."
            ) from None
    return values


def make_spelled(thing: Any, kind: type, spelling: Spelling, argument: str) -> Any:
    """Return an object of the kind asked for: `thing` itself, or what the class or function `thing` makes."""
    is_made = not callable(thing) or (isinstance(thing, kind) and not isinstance(thing, type))
    defaults = {} if is_made else defaults_of(thing)
    values = read_settings(spelling.settings, defaults, spelling.name, argument)
    missing = [key for key, default in defaults.items() if default is NEEDED and key not in values]
    if missing:
        raise InvalidArgument(
            f"{argument}: {spelling.name} needs {', '.join(missing)}, but got no value. "
            f"For example {_example(spelling.name, defaults, *missing)}."
        )
    try:
        made = thing if is_made else thing(**values)
    except InvalidArgument:
        raise
    except Exception as error:  # whatever a class of the user's does wrong
        raise InvalidArgument(f"{argument}: {spelling.name} cannot be made ({named(error)}).") from error
    if not isinstance(made, kind):
        raise InvalidArgument(
            f"{argument}: {spelling.name} must be or make a {kind.__name__}, but gave {safe_repr(made)}."
        )
    return made


def find_in_file(spelling: Spelling, argument: str, what: str, is_wanted: Callable[[Any], bool] = callable) -> Any:
    """Return what the file calls by this name: something wanted, or what may make it."""
    defined = load_names(spelling.file, argument)
    found = defined.get(spelling.name)
    if not is_wanted(found) and not callable(found):
        file = safe_str(spelling.file)
        names = [safe_str(key) for key, value in defined.items() if is_wanted(value) and not key.startswith("_")]
        raise InvalidArgument(
            f"{argument}: {file} defines no {what} called {safe_repr(spelling.name)}. "
            f"It defines: {safe_str(', '.join(names) or 'none')}. For example {file}:{next(iter(names), 'NAME')}."
        )
    return found


def nearest(word: str, words: Iterable[str]) -> str:
    """Return the likeliest of `words`; the first of equals."""
    return max(words, key=lambda known: SequenceMatcher(None, word, known).ratio())


def _example(name: str, defaults: Mapping[str, Any], *keys: str) -> str:
    """Return a spelling that sets some keys, to their defaults where these can be spelled."""
    values = {key: defaults[key] for key in keys}
    spelled = {key: "true" if v is False else 5 if v is NEEDED else v or 5 for key, v in values.items()}
    return f"'{name}:{','.join(f'{key}={value}' for key, value in spelled.items())}'"
