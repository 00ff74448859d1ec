"""One round: solve the model's minimax, measure it against its maximizers, attack it if it leads, explore at times."""

from collections.abc import Callable

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.surrogate.answer import LIKELY, untried_danger
from reckless.methods.surrogate.climbing import across, distinct, joined
from reckless.methods.surrogate.lattice import minimax_of_list, minimax_on_lattice, solution_at
from reckless.methods.surrogate.saddle import Solution, highest_bound, maximizers, scan
from reckless.methods.surrogate.spaces import around, is_whole, sample
from reckless.methods.surrogate.state import Asking, State

ATTACK = 2.0  # standard deviations granted to the adversary, and to an x that is explored
EXPLORE_EVERY = 4
ACTIVE = 0.02  # weight in the optimality condition from which on a maximizer is evaluated
AS_GOOD = 1e-9  # levels by which the answer may be above the minimax to be taken in its place
CAUTIOUS_UNTIL = 60  # values: with fewer, the exact minimax of the mean is mostly its error
BANNED = 1e3  # added to the height of an x that likely fails
MOST_EXPLORED = 10  # x that are looked at until a pair is news
FAR = 0.1  # how far a failed x may be for a bisection


def play(state: State, k: int) -> Asking[None]:
    """Play the k-th round."""
    solution = solve(state, k)
    if state.x_hat is not None:
        state.moves.append(float(np.abs(solution.x - state.x_hat).max()))
    state.x_hat, state.found = solution.x, solution.Y
    x = snapped(state, solution)
    state.held[x.tobytes()] = solution
    is_doubtful = len(state.known.fitted) < CAUTIOUS_UNTIL and not state.is_hurried
    if is_doubtful and state.answer is not None and x is not state.answer.x:
        solution = cautious(state, solution)
        x = snapped(state, solution)
    first = state.n_left
    if state.known.guard is not None:
        y = untried_danger(state.known, x)
        if y is not None:
            yield from state.ask_at(x, y, is_probe=True)
    if not state.is_refuted(x):
        yield from measure(state, x, solution)
    if not state.is_refuted(x):
        y, _ = highest_bound(state.known.arena, x, state.candidates(), ATTACK)
        if state.is_news(x, y):
            yield from state.ask_at(x, y)
    is_idle = state.n_left == first
    state.n_idle = state.n_idle + 1 if is_idle else 0
    if is_idle or (k % EXPLORE_EVERY == EXPLORE_EVERY - 1 and not state.is_hurried):
        pair = (bisection(state) or (sweep(state) if k % 2 else None)) if is_idle else None
        x, y = pair or explore(state, solution.x)
        yield from state.ask_at(x, y, is_probe=True)


def measure(state: State, x: Array, solution: Solution) -> Asking[None]:
    """Evaluate x against its maximizers, as far as that tells something."""
    matters = solution.weights > ACTIVE
    matters[0] = True
    is_new = not state.known.archive.at(x).any()
    Y = [y for i, y in enumerate(solution.Y[matters][: 1 + len(x)]) if (is_new and i == 0) or state.is_news(x, y)]
    for y in state.told_apart(x, np.array(Y)) if Y else ():
        if not state.is_refuted(x) and (is_new or state.is_news(x, y)):
            yield from state.ask_at(x, y)
            is_new = False


# The minimax of the mean


def solve(state: State, k: int) -> Solution:
    """Return the lowest of several minimax solutions: from the last one, the answer, and the best of a sample."""
    known, xs = state.known, state.known.xs
    if xs.points is not None:
        return minimax_of_list(known.arena, state.found, state.rng)
    starts = [] if state.x_hat is None else [state.x_hat]
    if state.answer is not None and (state.x_hat is None or np.abs(state.answer.x - state.x_hat).max() > 1e-3):
        starts.append(state.answer.x)
    X = sampled_x(state)
    starts += [X[i] for i in distinct(X, -heights(state, X), 0.2, 1 + (k % 3 == 0))]
    best = minimax_on_lattice(known.arena, starts[0], state.found)
    for x in starts[1:]:
        other = minimax_on_lattice(known.arena, x, state.found, best)
        if other.level < best.level - 1e-12:
            best = other
    return best


def sampled_x(state: State) -> Array:
    """Return random x, some that were evaluated, and some near the answer."""
    known, rng = state.known, state.rng
    X = known.archive.X
    parts = [sample(known.xs, rng, 40), X[rng.permutation(len(X))[:20]]]
    if state.answer is not None:
        parts.append(around(known.xs, state.answer.x, 0.1, rng, 20))
    return np.vstack(parts)


def heights(state: State, X: Array) -> Array:
    """Return the worst case of the mean at each x, over some y; an x that likely fails is banned."""
    known = state.known
    assert known.model is not None
    height = scan(known.model, X, state.some(60))
    return height + banned(state, X)


def banned(state: State, X: Array) -> Array:
    """Return what to add to the heights of x that likely fail."""
    guard, archive = state.known.guard, state.known.archive
    if guard is None:
        return np.zeros(len(X))
    Y = np.vstack([state.some(40), archive.Y[archive.is_fatal][-10:]])
    return np.where(scan(guard, X, Y) > LIKELY, BANNED, 0.0)


def snapped(state: State, solution: Solution) -> Array:
    """Return the x of a solution, or the answer's if the model thinks it as good, so that evidence gathers there."""
    answer = state.answer
    if answer is not None and np.abs(answer.x - solution.x).max() < 1e-2:
        tops = maximizers(state.known.arena, answer.x, solution.Y)
        if tops.levels[0] - solution.level < AS_GOOD:
            return answer.x
    return solution.x


def cautious(state: State, solution: Solution) -> Solution:
    """Return the solution, or a place with a lower bound mean + sd over y."""
    known, xs, rng, x = state.known, state.known.xs, state.rng, solution.x
    assert state.answer is not None
    assert known.model is not None
    line = state.answer.x + np.array([[0.25], [0.5], [0.75]]) * (x - state.answer.x)
    parts = [x[None], around(xs, x, 0.15, rng, 50), around(xs, x, 0.05, rng, 20)]
    parts += [around(xs, state.answer.x, 0.15, rng, 50), sample(xs, rng, 60)]
    if xs.points is None and not is_whole(xs).any():
        parts.append(line)
    X, Y = np.vstack(parts), state.some(40)
    bans, means = banned(state, X), across(known.model, X, Y)
    least = means.max(axis=1) + known.model.sd(np.hstack([X, Y[means.argmax(axis=1)]])) + bans

    def bound(i: int) -> float:
        return float((means[i] + known.arena.model.sd(joined(X[i], Y))).max() + bans[i])

    (i, lowest), here = lowest_of(least, bound), bound(0)
    if lowest >= here - 1e-3 * abs(here - solution.level):
        return solution
    found = solution_at(known.arena, X[i], solution.Y)
    return found._replace(weights=np.eye(1, len(found.Y))[0])


# Where else to look


def lowest_of(least: Array, bound: Callable[[int], float]) -> tuple[int, float]:
    """Return the place and the value of the lowest bound, given what each is at least: few are computed."""
    order = np.argsort(least, kind="stable").tolist()
    best, lowest = order[0], np.inf
    for i in order:
        if least[i] >= lowest:
            break
        here = bound(i)
        if here < lowest:
            best, lowest = i, here
    return best, lowest


def explore(state: State, center: Array) -> tuple[Array, Array]:
    """Return the x with the lowest optimistic worst case, and the y with the highest bound there, if that is news.

    center: some of the x that are compared are near it.
    """
    known, rng = state.known, state.rng
    assert known.model is not None
    n = 60 if len(known.fitted) < 150 else 30
    X = np.vstack([sample(known.xs, rng, n - 15), around(known.xs, center, 0.1, rng, 15)])
    Y = state.some(35)
    means, bans = across(known.model, X, Y), banned(state, X)
    if known.veto is not None:
        means = np.where(across(known.veto, X, Y) > LIKELY, -np.inf, means)
    tops = means.argmax(axis=1)
    least = means.max(axis=1) - ATTACK * known.model.sd(np.hstack([X, Y[tops]])) + bans
    least[np.isneginf(least)] = np.inf  # where all fails

    def optimistic(i: int) -> float:
        return float((means[i] - ATTACK * known.arena.model.sd(joined(X[i], Y))).max() + bans[i])

    for _ in range(MOST_EXPLORED):
        i = lowest_of(least, optimistic)[0]
        y, _ = highest_bound(known.arena, X[i], state.candidates(), ATTACK)
        if state.is_news(X[i], y):
            return X[i], y
        least[i] = np.inf  # with few x, the best may be known to its end
    return X[0], sample(known.ys, rng, 1)[0]  # a model that is sure of everything is worth a test


def sweep(state: State) -> tuple[Array, Array] | None:
    """Return the answer and the scenario of a list, not yet tried there, with the highest bound; or None."""
    known, answer = state.known, state.answer
    if known.ys.points is None or answer is None or known.model is None:
        return None
    tried = known.archive.Y[known.archive.at(answer.x), -1]
    rest = known.ys.points[~np.isin(known.ys.points[:, -1], tried)]
    if not len(rest):
        return None
    Q = joined(answer.x, rest)
    return answer.x, rest[(known.model.mean(Q) + ATTACK * known.model.sd(Q)).argmax()]


def bisection(state: State) -> tuple[Array, Array] | None:
    """Return a pair halfway from the answer to the nearest failure that the mean says is better; or None.

    The model of failing is smooth, so its border stops between two close labels; from there on the labels decide.
    """
    known, answer = state.known, state.answer
    if known.guard is None or answer is None or known.model is None or known.xs.points is not None:
        return None
    if is_whole(known.xs).any():
        return None
    archive = known.archive
    failed = np.flatnonzero(archive.is_fatal)
    X = archive.X[failed]
    is_better = scan(known.model, X, state.some(60)) < known.model.level(answer.fun)
    far = np.where(is_better, np.abs(X - answer.x).max(axis=1), np.inf)
    i = int(far.argmin())
    x = 0.5 * (answer.x + X[i])
    return None if not 1e-7 < far[i] < FAR or archive.at(x).any() else (x, archive.Y[failed[i]])
