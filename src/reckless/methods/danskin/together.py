"""Parts of a search that do not depend on each other: what they ask for shares a batch, which keeps workers busy."""

from collections.abc import Iterable

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import Pairs
from reckless.methods.danskin.oracle import Asking, Oracle, Spent


def together(oracle: Oracle, parts: Iterable[Asking[None]]) -> Asking[None]:
    """Carry out parts side by side, one batch for the next request of each, until all have ended."""
    asked = [(part, pairs) for part in parts if (pairs := next(part, None)) is not None]
    while asked:
        if len(asked) == 1:
            part, pairs = asked[0]
            values = yield pairs
            asked = _answered(part, values)
            continue
        X, Y = zip(*(_rows(pairs) for _, pairs in asked), strict=True)
        if oracle.n_used + sum(map(len, X)) > oracle.limit:
            raise Spent
        values = yield np.vstack(X), np.vstack(Y)
        ends = np.cumsum([len(rows) for rows in X])[:-1]
        shares = np.split(values, ends)
        asked = [pair for (part, _), share in zip(asked, shares, strict=True) for pair in _answered(part, share)]


def _answered(part: Asking[None], values: Array) -> list[tuple[Asking[None], Pairs]]:
    """Answer a part; return it with what it asks for next, or nothing if it has ended."""
    try:
        return [(part, part.send(values))]
    except StopIteration:
        return []


def _rows(pairs: Pairs) -> tuple[Array, Array]:
    """Return pairs as rows of both; a vector stands for copies."""
    X, Y = np.atleast_2d(pairs[0]), np.atleast_2d(pairs[1])
    n = max(len(X), len(Y))
    return np.broadcast_to(X, (n, X.shape[1])), np.broadcast_to(Y, (n, Y.shape[1]))
