"""How a search in model coordinates becomes one in the unit cubes of a task."""

from collections.abc import Callable
from functools import partial

import numpy as np
from threadpoolctl import ThreadpoolController

from reckless.core.arrays import Array
from reckless.core.generators import relayed, within
from reckless.core.task import Balance, Pairs, Search, Starts, Task
from reckless.methods.surrogate.archive import Archive
from reckless.methods.surrogate.knowledge import Knowledge
from reckless.methods.surrogate.spaces import net, space_of
from reckless.methods.surrogate.state import Asking, State
from reckless.methods.surrogate.views import views_of


def begun(task: Task) -> State:
    """Return the state of a search that knows nothing yet."""
    xs, ys = space_of(task.x_domain, task.n_x), space_of(task.y_domain, task.n_y, task.n_scenarios)
    views = views_of(xs, ys, task.x_domain, task.y_domain)
    known = Knowledge(xs, ys, net(ys, task.rng), views, Archive(xs.n, ys.n))
    state = State(known, task.rng, task.n_left, found=np.empty((0, ys.n)))
    if task.starts is not None:
        _adopt(state, task.starts)
    return state


def _adopt(state: State, starts: Starts) -> None:
    """Learn what is known already; the bad cases of the user's join the y that every search begins from."""
    known = state.known
    if len(starts.x):
        state.given = known.xs.from_cube(starts.x)
    if starts.kept is not None and len(starts.kept) and known.ys.points is None:
        known.net = np.vstack([known.net, known.ys.from_cube(starts.kept)])
    if starts.pairs is not None:
        X, Y, values = starts.pairs
        state.learn(known.xs.from_cube(X), known.ys.from_cube(Y), values)


def driven(state: State, search: Asking[None], report: Callable[[], None]) -> Search:
    """Run a search: report what it believes before each request, and once more at the end.

    BLAS has one thread meanwhile. With several it sums in another order, and small systems take longer.
    """
    xs, ys = state.known.xs, state.known.ys

    def ask(pairs: Pairs) -> Asking[Array]:
        report()
        return (yield xs.to_cube(pairs[0]), ys.to_cube(pairs[1]))

    one_thread = partial(ThreadpoolController().limit, limits=1, user_api="blas")
    yield from within(relayed(search, ask), one_thread)
    with one_thread():
        report()


def recommend(task: Task, state: State) -> None:
    """Recommend the answer, if there is one."""
    answer, known = state.answer, state.known
    if answer is not None:
        x = known.xs.to_cube(answer.x[None])[0]
        task.recommend(x, known.ys.to_cube(answer.y[None])[0], answer.fun)
        held = state.held.get(answer.x.tobytes())
        task.balance = None if held is None else Balance(x, known.ys.to_cube(held.Y), held.weights)
