"""Find a method as users spell it: by a name of the catalog, in a file of theirs, or in an installed distribution.

A method of this package is one file with `ENTRIES`, from names to `Entry`. A distribution names its methods as entry
points of the group "reckless.methods": a class, a function that makes a method, or an `Entry`. Either is imported when
it is asked for, or when all are listed.
"""

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, NamedTuple

from reckless.core.arguments import is_like
from reckless.core.spelling import find_in_file, make_spelled, read_spelling
from reckless.core.task import Method
from reckless.core.userfile import installed, load_entry, origin
from reckless.core.words import safe_repr, safe_str
from reckless.errors import InvalidArgument

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "reckless.methods"
_FIRST = (
    "auto",
    "danskin",
    "finite",
    "reckless",
    "coevolution",
)  # these files are listed first, the others by name


class Entry(NamedTuple):
    """A method in the catalog: how to make it, what it does, where it comes from.

    make: its keywords are what a spelling may set.
    """

    make: Callable[..., Method]
    summary: str
    source: str = ""

    @property
    def handles(self) -> frozenset[str]:
        """Options that not every method uses, such as "batch_size", as the class of the method says."""
        return handled_by(self.make.func if isinstance(self.make, partial) else self.make)


def catalog() -> dict[str, Entry]:
    """List every method that has a name: those of this package, then those of installed distributions."""
    ours = {name: entry for module in _modules() for name, entry in _entries(module).items()}
    return ours | {name: _described(entry) for name, entry in installed(GROUP).items() if name not in ours}


def handled_by(method: object) -> frozenset[str]:
    """Return the options that a method or its class declares by an attribute `handles`, a frozenset; else none."""
    words: object = getattr(method, "handles", None)
    return words if isinstance(words, frozenset) else frozenset()


def require(method: Method, name: str, option: str, purpose: str) -> None:
    """Refuse a method, called by a name, unless it uses an option, which was given for a purpose."""
    if option not in handled_by(method):
        able = [repr(other) for other, entry in catalog().items() if option in entry.handles]
        raise InvalidArgument(
            f"{option}: the method {name} cannot {purpose}. Leave {option} out, or take "
            f"{', '.join(able[:-1])} or {able[-1]}."
        )


def find_method(method: str | Method) -> tuple[Method, str]:
    """Return a method, given by its spelling or as an object, and its name.

    A spelling is NAME, NAME:key=value,key=value as in "reckless-n:descent_share=0.3", or the same with a class in a
    file, as in "my/method.py:Mine:scale=0.3".
    """
    if not isinstance(method, str):
        if isinstance(method, type):
            name = safe_str(method.__name__)
            raise InvalidArgument(f"method: expected an object, but got the class {name}. Call it: {name}().")
        if not is_like(method, Method):
            raise InvalidArgument(
                f"method: expected a name such as 'reckless' or an object with search(task), but got "
                f"{safe_repr(method)}. "
                f"Known names are: {', '.join(catalog())}."
            )
        return method, safe_repr(method)
    spelling = read_spelling(method)
    if spelling.file:
        thing = find_in_file(spelling, "method", "method", lambda value: is_like(value, Method))
    else:
        spelling = read_spelling(method.lower())
        thing = _find(spelling.name, method)
    return make_spelled(thing, Method, spelling, "method"), str(spelling)


def can_extend(method: Method) -> bool:
    """Tell whether a run of the method may go on with a larger maxfev: it says so by `extension` in `handles`."""
    return "extension" in handled_by(method)


def _find(name: str, spelled: str) -> object:
    """Return what makes the method of this name. Files with similar names are imported first, others if need be."""
    word = name.replace("-", "_")
    for module in sorted(_modules(), key=lambda module: not word.startswith(module)):
        entries = _entries(module)
        if name in entries:
            return entries[name].make
    others = installed(GROUP)
    if name in others:
        thing = load_entry(others[name], "method")
        return thing.make if isinstance(thing, Entry) else thing
    known = list(catalog())
    close = get_close_matches(name, known, n=1)
    cure = f"Did you mean {close[0]!r}?" if close else f"Known are: {', '.join(known)}."
    raise InvalidArgument(f"method: there is no method called {safe_repr(spelled)}. {cure}")


def _modules() -> Iterator[str]:
    """Yield the files of this package, in the order of the catalog."""
    found = {module.name for module in iter_modules([str(Path(__file__).parent)])}
    yield from _FIRST
    yield from sorted(found.difference(_FIRST))


def _entries(module: str) -> Mapping[str, Entry]:
    entries: Mapping[str, Entry] = getattr(import_module(f"{__package__}.{module}"), "ENTRIES", {})
    return entries


def _described(entry: "EntryPoint") -> Entry:
    """Describe a method of a distribution by its docstring, or by its error if it cannot be loaded."""
    try:
        thing = load_entry(entry, "method")
    except InvalidArgument as error:
        return Entry(partial(load_entry, entry, "method"), str(error).removeprefix("method: "), origin(entry))
    if isinstance(thing, Entry):
        return thing
    return Entry(thing, (thing.__doc__ or "").strip().partition("\n")[0], origin(entry))
