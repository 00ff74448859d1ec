"""callback=: SciPy's two styles, told apart before the first evaluation."""

import functools

import numpy as np
import pytest

from reckless import InvalidArgument, MinimaxResult, Solver, minimax
from support import X_BOUNDS, Y_BOUNDS, Recorder, tilted_bowl


def solve(callback, f=tilted_bowl):
    return minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=200, method="random-search", rng=7, callback=callback)


class Watch:
    def __init__(self):
        self.seen = []

    def by_x(self, xk):
        self.seen.append(xk)

    def by_keyword(self, *, intermediate_result):
        self.seen.append(intermediate_result)

    def __call__(self, intermediate_result, verbose=False):
        self.seen.append(intermediate_result)


def in_styles(seen):
    """Callbacks that append to a list, by what they are called with."""
    return {
        np.ndarray: [
            lambda xk: seen.append(xk),
            lambda *args: seen.append(*args),
            lambda x, convergence=0.0: seen.append(x),
            seen.append,
            functools.partial(lambda name, xk: seen.append(xk), "run 1"),
        ],
        MinimaxResult: [
            lambda intermediate_result: seen.append(intermediate_result),
            lambda *, intermediate_result: seen.append(intermediate_result),
            lambda **given: seen.append(given["intermediate_result"]),
            functools.partial(lambda name, intermediate_result: seen.append(intermediate_result), "run 1"),
        ],
    }


@pytest.mark.parametrize(
    ("kind", "k"), [*((np.ndarray, k) for k in range(5)), *((MinimaxResult, k) for k in range(4))], ids=str
)
def test_a_callback_gets_what_it_asks_for(kind, k):
    seen = []
    result = solve(in_styles(seen)[kind][k])
    assert len(seen) > 1
    assert all(type(entry) is kind for entry in seen)
    last = seen[-1] if kind is np.ndarray else seen[-1].x
    assert last.shape == result.x.shape


def test_methods_and_objects_are_callbacks_too():
    watch = Watch()
    for callback in (watch.by_x, watch.by_keyword, watch):
        solve(callback)
        assert watch.seen
    assert {type(entry) for entry in watch.seen} == {np.ndarray, MinimaxResult}


def test_what_a_callback_of_the_old_style_does_to_x_changes_nothing():
    def spoil(xk):
        xk[:] = np.nan

    assert solve(spoil).x.tolist() == solve(None).x.tolist()


def test_either_style_ends_the_run():
    def stop(xk):
        raise StopIteration

    assert solve(stop).message.startswith("The callback ended the run.")


@pytest.mark.parametrize("callback", [lambda: None, lambda x, y: None, lambda x, *, intermediate_result: None])
def test_a_callback_that_takes_neither_is_refused_before_the_first_evaluation(tmp_path, callback):
    calls = Recorder(tilted_bowl)
    with pytest.raises(InvalidArgument, match=r"^callback: expected a function of one argument, .* arguments are \("):
        solve(callback, calls)
    assert len(calls) == 0
    with pytest.raises(InvalidArgument, match="^callback: "):
        Solver("reckless", X_BOUNDS, Y_BOUNDS, maxfev=200, callback=callback, checkpoint=tmp_path / "run.journal")
    assert not list(tmp_path.iterdir())
