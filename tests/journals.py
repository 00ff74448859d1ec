"""Runs with a journal, shared by tests."""

import json
import zlib

from reckless import minimax
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

RUN = {"maxfev": 400, "method": "reckless", "rng": 7}


def solve(f, path, **options):
    return minimax(f, X_BOUNDS, Y_BOUNDS, **{**RUN, "checkpoint": path, **options})


def same(one, other):
    return _bits(one) == _bits(other)


def _bits(result):
    failure = result.first_failure
    return (
        [vector.tobytes() for vector in (result.x, result.y)],
        [(moment.nfev, moment.x.tobytes(), moment.y.tobytes(), moment.fun) for moment in result.history],
        (result.fun, result.nfev, result.nit, result.n_failed, result.status, result.message, result.success),
        failure and (failure.x.tobytes(), failure.y.tobytes(), failure.traceback),
    )


class Interrupting:
    """An objective during whose n-th call something happens."""

    def __init__(self, n, error=KeyboardInterrupt, f=tilted_bowl):
        self.n, self.error, self.f, self.n_calls = n, error, f, 0

    def __call__(self, x, y):
        self.n_calls += 1
        if self.n_calls == self.n:
            raise self.error
        return self.f(x, y)


def record(content):
    """Return a line with its right checksum."""
    return b"%b %08x\n" % (content, zlib.crc32(content))


def changed_head(path, **changes):
    """Change what the head of a journal says, with a right checksum."""
    head, *rest = path.read_bytes().splitlines(keepends=True)
    facts = json.loads(head.removeprefix(b"head ").rpartition(b" ")[0])
    path.write_bytes(record(b"head " + json.dumps({**facts, **changes}).encode()) + b"".join(rest))
