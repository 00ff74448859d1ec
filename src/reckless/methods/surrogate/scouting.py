"""The surrogate as a scout: when it has seen enough, and what another method may begin with."""

import numpy as np

from reckless.core.arrays import Array
from reckless.core.task import Hill, Starts
from reckless.methods.surrogate.climbing import Tops, across
from reckless.methods.surrogate.closing import attack_answer, refute_given
from reckless.methods.surrogate.model import Model
from reckless.methods.surrogate.rounds import ATTACK
from reckless.methods.surrogate.saddle import Place, follow, maximizers
from reckless.methods.surrogate.spaces import Cube, is_whole, sample
from reckless.methods.surrogate.state import Asking, State
from reckless.methods.surrogate.trust import is_settled

N_EACH, MOST = 40, 300  # evaluations of the scout: per coordinate of the pair, and at most
HOPE = 0.1  # levels by which another x may seem better, where the scout is done
N_HOPED = 100  # x that are compared for that
NEAR = 0.05  # share of the range of levels: maximizers this close to the highest are handed over
LEAST_WITHSTOOD, MOST_DUELS = 3, 20  # attacks in a row that an answer must withstand to be handed over, and in all
N_HARD = 6  # x with the lowest worst cases, whose worst y are handed over
STEP = 1e-3  # of differences along the warp, in levels
LEAST_BEND = 1e-6  # share of the largest curvature: every direction bends by so much at least


def has_seen_enough(state: State) -> bool:
    """Tell whether the scout is done: it has come to rest and sees no hope elsewhere, or took its share."""
    known = state.known
    d = known.xs.d + (0 if known.ys.points is not None else known.ys.d)
    return len(known.archive.v) >= min(N_EACH * d, MOST) or (is_settled(state) and not has_hope(state))


def duel(state: State) -> Asking[bool]:
    """Attack the answer, and what leads in its place, until one has withstood; that is the end, whatever is found."""
    yield from refute_given(state)
    state.is_closing, n_withstood = True, 0
    for _ in range(MOST_DUELS):
        before = state.answer
        if before is None or state.n_left <= 0 or n_withstood == LEAST_WITHSTOOD:
            break
        yield from attack_answer(state)
        after = state.answer
        is_same = after is not None and np.array_equal(after.x, before.x) and after.fun <= before.fun
        n_withstood = n_withstood + 1 if is_same else 0
    state.is_closing = False
    return True


def has_hope(state: State) -> bool:
    """Tell whether another x may be clearly better: by the lowest optimistic worst case, mean - ATTACK sd."""
    known, answer = state.known, state.answer
    if known.model is None or answer is None:
        return True
    rng = np.random.default_rng(len(known.archive.v))  # the rounds draw as they would without
    X, Y = sample(known.xs, rng, N_HOPED), state.candidates()
    means = across(known.model, X, Y)
    tops = Y[means.argmax(axis=1)]
    least = means.max(axis=1) - ATTACK * known.model.sd(np.hstack([X, tops]))
    return bool(least.min() < known.model.level(answer.fun) - HOPE)


def starts_of(state: State) -> Starts | None:
    """Return the answer with the model's maximizers there, the hard y, and all pairs; in the unit cubes of the task."""
    known, answer = state.known, state.answer
    if known.model is None or answer is None:
        return None
    arena, xs, ys = known.arena, known.xs, known.ys
    tops = maximizers(arena, answer.x, np.vstack([answer.y[None], state.found]))
    kept = tops.levels >= tops.levels[0] - NEAR * np.ptp(known.model.level(known.fitted))
    tops = Tops(tops.Y[kept][: len(answer.x) + 1], tops.levels[kept][: len(answer.x) + 1])
    is_smooth = isinstance(xs, Cube) and isinstance(ys, Cube) and not (is_whole(xs).any() or is_whole(ys).any())
    hills = hills_of(state, answer.x, tops) if is_smooth else [Hill(y) for y in ys.to_cube(tops.Y)]
    return Starts(
        xs.to_cube(answer.x[None]),
        ys.to_cube(hard_y(state)),
        np.array([answer.fun]),
        tuple(hills),
        pairs=(xs.to_cube(known.archive.X), ys.to_cube(known.archive.Y), known.archive.v),
    )


def hard_y(state: State) -> Array:
    """Return the worst y of the x with the lowest worst cases, the lowest last, and that of the answer."""
    archive, places = state.known.archive, state.known.archive.places()
    lowest = np.argsort(places.worst, kind="stable")[:N_HARD][::-1]
    assert state.answer is not None
    return np.vstack([archive.Y[places.rows[lowest]], state.answer.y[None]])


def hills_of(state: State, x: Array, tops: Tops) -> list[Hill]:
    """Return the maximizers with slopes and curvatures of f, as the model has them through its warp."""
    model, arena, n_x = state.known.model, state.known.arena, len(x)
    assert model is not None
    _, slopes, bends = model.jet(np.hstack([np.repeat(x[None], len(tops.Y), axis=0), tops.Y]))
    heights = follow(arena, Place(x, tops, None)).bends
    hills = []
    for y, level, slope, bend, height in zip(*tops, slopes, bends, heights, strict=True):
        rise, turn = warped(model, level)
        gx, gy = slope[:n_x], slope[n_x:]
        H = -definite(-rise * bend[n_x:, n_x:] - turn * np.outer(gy, gy))
        M = rise * bend[n_x:, :n_x] + turn * np.outer(gy, gx)
        B = definite(rise * height + turn * np.outer(gx, gx))
        parts = rise * gx, rise * gy, H, M, B
        hills.append(Hill(y, *parts) if all(np.isfinite(part).all() for part in parts) else Hill(y))
    return hills


def warped(model: Model, level: float) -> tuple[float, float]:
    """Return the first and the second derivative of values by levels."""
    low, mid, high = (float(model.value(level + shift)) for shift in (-STEP, 0.0, STEP))
    return (high - low) / (2.0 * STEP), (high - 2.0 * mid + low) / STEP**2


def definite(A: Array) -> Array:
    """Return a matrix with every curvature positive."""
    if not np.isfinite(A).all():
        return A
    w, V = np.linalg.eigh(0.5 * (A + A.T))
    positive: Array = (V * np.maximum(w, LEAST_BEND * np.abs(w).max())) @ V.T
    return positive
