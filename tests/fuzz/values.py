"""Values that no argument expects, or that one just might."""

import itertools
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from hostile import Evasive, Unshowable

UNIT = [(0.0, 1.0)]


def nested(depth: int) -> list[Any]:
    """Return lists in lists."""
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


def looped() -> list[Any]:
    """Return a list that holds itself."""
    ring: list[Any] = []
    ring.append(ring)
    return ring


NUMBERS: list[Callable[[], Any]] = [
    *(lambda: True, lambda: -1, lambda: 0, lambda: 1, lambda: 2.5, lambda: 1e308, lambda: 5e-324, lambda: 1j),
    *(lambda: 10**400, lambda: -(10**400), lambda: 10**5000, lambda: float("nan"), lambda: float("inf")),
    *(lambda: Decimal("0.5"), lambda: Decimal("sNaN"), lambda: Fraction(1, 3), lambda: Fraction(10**400)),
    *(lambda: np.float32(2), lambda: np.int8(-3), lambda: np.longdouble(10) ** 400, lambda: np.ma.masked),
    lambda: np.datetime64("2020-01-01"),
]
TEXTS: list[Callable[[], Any]] = [
    *(lambda: "", lambda: "abc", lambda: "A" * 5000, lambda: "\0", lambda: "\x1b]0;title\x07", lambda: "\udcff"),
    *(lambda: "mmde", lambda: "mmde:scale=0.3", lambda: "random-search", lambda: b"x", lambda: bytearray(4)),
]
TABLES: list[Callable[[], Any]] = [
    *(list, lambda: [[]], dict, lambda: set(), lambda: [1, 2, 3], lambda: [None], lambda: [[1, 2], [3]]),
    *(lambda: [(0, 1)], lambda: [(1, 0)], lambda: [(0, float("inf"))], lambda: [(0, None)], lambda: [("a", "b")]),
    *(lambda: [(0, 10**400)], lambda: [(1, 4, "log")], lambda: [(1, 4, "A" * 5000)], lambda: {"A" * 5000: (0, 1)}),
    *(lambda: {"gain": (1, 4)}, lambda: {"simplex": 3}, lambda: {"ball": {"center": [1, 2], "radius": 1}}),
    *(lambda: ([0, 1], [5, 9]), lambda: np.ones((5, 3)), lambda: np.array([[1.0, 4.0]]), lambda: {(0, 1), (2, 3)}),
    *(lambda: np.ma.array([[0.0, 1.0]], mask=[[0, 1]]), lambda: np.array([["a"]]), lambda: range(3)),
    *(lambda: nested(20), lambda: nested(5000), looped, lambda: [0.5] * 5000),
]
OBJECTS: list[Callable[[], Any]] = [
    *(lambda: None, object, Unshowable, Evasive, lambda: Unshowable, lambda: ValueError("A" * 5000)),
    *(lambda: lambda *given, **named: None, itertools.count, lambda: iter([(0, 1)])),
]
WEIRD = [*NUMBERS, *TEXTS, *TABLES, *OBJECTS]


def weird(r: random.Random) -> Any:
    """Return a value that no argument expects, or that one just might."""
    return r.choice([*WEIRD, r.random, lambda: r.randrange(50)])()


def bowl(x: Any, y: Any) -> float:
    """Return a good value."""
    return float((x[0] - y[0]) ** 2)


class Watched:
    """An objective that remembers what it raised: its own exceptions may reach the user."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self._f = f
        self.raised: list[BaseException] = []

    def __call__(self, *given: Any) -> Any:
        try:
            return self._f(*given)
        except BaseException as error:
            self.raised.append(error)
            raise


def objective(r: random.Random) -> Any:
    """Return something like an objective, often a good one."""
    kinds = [ValueError, KeyError, StopIteration, ZeroDivisionError, OverflowError, StopAsyncIteration, GeneratorExit]

    def fails(x: Any, y: Any) -> float:
        raise r.choice(kinds)(r.choice(["f", "f" * 3000, "\x1b]0;title\x07"]))

    values = [None, "1", 1j, np.nan, np.inf, -np.inf, np.array(1.0), [1.0], [1, 2], 10**400, np.float32(2), True, {}]
    constant = r.choice([*values, np.ma.masked, Unshowable(), "A" * 5000])
    f = r.choice([bowl, bowl, bowl, fails, lambda x, y: constant, lambda x: 0.0, 3, None, max, Unshowable()])
    return Watched(f) if callable(f) else f
