"""The only loops that drive generators: `answered` to the end, `relayed` and `within` inside a larger search.

A search yields what it wants to know, receives the answer, and returns what it found.
"""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from typing import Any, TypeVar

A = TypeVar("A")  # what a search asks
V = TypeVar("V")  # what it is answered
B = TypeVar("B")  # what the larger search asks instead
W = TypeVar("W")  # what that one is answered
T = TypeVar("T")  # what the search returns


def answered(search: Generator[A, V, T], answer: Callable[[A], V]) -> T:
    """Run a search to its end, answering each request by a function; return what it found."""
    reply = None
    while True:
        try:
            request = next(search) if reply is None else search.send(reply)
        except StopIteration as end:
            found: T = end.value
            return found
        reply = answer(request)  # outside of `try`: a StopIteration in there is not the end of the search


def relayed(search: Generator[A, V, T], ask: Callable[[A], Generator[B, W, V]]) -> Generator[B, W, T]:
    """Run a search inside a larger one, which asks on its behalf; return what it found."""
    try:
        request = next(search)
        while True:
            request = search.send((yield from ask(request)))
    except StopIteration as end:
        found: T = end.value
        return found


def within(search: Generator[A, V, T], context: Callable[[], AbstractContextManager[Any]]) -> Generator[A, V, T]:
    """Run a search with each of its own steps inside a context, which those who answer it do not see."""
    reply: V | None = None
    try:
        while True:
            with context():
                try:
                    request = next(search) if reply is None else search.send(reply)
                except StopIteration as end:
                    found: T = end.value
                    return found
            reply = yield request
    finally:
        search.close()
