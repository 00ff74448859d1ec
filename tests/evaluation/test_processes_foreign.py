"""Workers that are not ours, behind an executor or a map: what they answer is checked."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from reckless import InvalidArgument, ObjectiveFailed, minimax
from simulators import slow_bowl
from support import X_BOUNDS, Y_BOUNDS


def solve(f, **options):
    return minimax(f, X_BOUNDS, Y_BOUNDS, **{"maxfev": 60, "method": "reckless", "rng": 7, **options})


BAD_MAPS = {
    "nothing at all": (lambda g, pairs: None, "it returned an object of type NoneType"),
    "an empty list": (lambda g, pairs: [], "it returned 0 for 4 pairs"),
    "a part": (lambda g, pairs: list(map(g, pairs))[:1], "it returned 1 for 4 pairs"),
    "too much": (lambda g, pairs: list(map(g, pairs)) * 2, "it returned more than 4 for 4 pairs"),
    "without end": (
        lambda g, pairs: iter(lambda: g(pairs[0]), None),
        "pair 2 of 4 it returned the answer to other",
    ),
    "reversed": (lambda g, pairs: list(map(g, pairs))[::-1], "for pair 1 of 4 it returned the answer to other pairs"),
    "words": (lambda g, pairs: ["a" for _ in pairs], "for pair 1 of 4 it returned an object of type str"),
    "None": (lambda g, pairs: [None for _ in pairs], "for pair 1 of 4 it returned an object of type NoneType"),
}


@pytest.mark.parametrize(("bad_map", "words"), BAD_MAPS.values(), ids=BAD_MAPS)
def test_a_map_that_returns_something_else_is_told_and_not_believed(bad_map, words):
    with pytest.raises(InvalidArgument, match=f"^workers: a callable like map must return .* in order, but .*{words}"):
        solve(slow_bowl, workers=bad_map)


def test_an_executor_that_answers_other_pairs_is_not_believed():
    class Swapping(ThreadPoolExecutor):
        def submit(self, task, pairs):
            X, Y, ticket = pairs
            return super().submit(task, (X, Y, ticket + 1))

    with Swapping(1) as swapping, pytest.raises(ObjectiveFailed, match="The executor gave the answer to other pairs"):
        solve(slow_bowl, workers=swapping)
