"""Independent attacks on an x: searches over y that owe nothing to what is tracked."""

import numpy as np

from reckless.core.arrays import Array
from reckless.methods.danskin.climb import Peak, climb
from reckless.methods.danskin.incumbent import Answer
from reckless.methods.danskin.inner import FAR, FULL_PRECISION, Inner
from reckless.methods.danskin.oracle import Asking
from reckless.methods.danskin.vertices import best_vertex

FIRST_CLIMB = 0.08  # probing distance of an attack's climb
PATIENCE = 12  # hops in a row without gain


def attack(
    inner: Inner, x: Array, known: list[Array], n_points: int = 5, precision: float = FULL_PRECISION
) -> Asking[Peak]:
    """Attack once, alternating between the best of a sample and lines through a random y."""
    inner.n_attacks += 1
    if inner.n_attacks % 2 == 0 and inner.n_y > 1:
        peak = yield from attack_from_sample(inner, x, known, precision)
    else:
        peak = yield from attack_along_lines(inner, x, n_points)
        peak = yield from inner.rise(x, peak.z, peak.value, FIRST_CLIMB, precision=precision)
    return peak


def attack_from_sample(inner: Inner, x: Array, known: list[Array], precision: float = FULL_PRECISION) -> Asking[Peak]:
    """Climb from the best of a random sample, a quarter of it vertices, away from the known maximizers."""
    n = max(10, 8 * inner.n_y)
    Y = inner.oracle.rng.random((n, inner.n_y))
    Y[: n // 4] = np.round(Y[: n // 4])
    values = yield from inner.oracle.ask(x, Y)
    if known:
        distance = np.abs(Y[:, None] - np.array(known)).max(axis=2).min(axis=1)
        values = np.where(distance >= FAR, values, -np.inf) if (distance >= FAR).any() else values
    k = int(values.argmax())
    peak = yield from inner.rise(x, Y[k], float(values[k]), FIRST_CLIMB, precision=precision)
    return peak


def attack_along_lines(inner: Inner, x: Array, n_points: int) -> Asking[Peak]:
    """Move each coordinate of a random y to the best point of its line: all together or, failing that, the best alone.

    Sweep again unless the joint move gains what the single ones promised. The result is not climbed to the top.
    """
    n_points = max(n_points, 12) if inner.n_y == 1 else n_points
    y = inner.oracle.rng.random(inner.n_y)
    value = yield from inner.oracle.ask_one(x, y)
    for _ in range(2):
        lines = yield from inner.line_values(x, y, n_points)
        gains = np.array([line.values.max() for line in lines]) - value
        is_better = gains > 0.0
        if not is_better.any():
            break
        best = np.array([line.points[line.values.argmax()] for line in lines])
        k, promised = int(gains.argmax()), float(gains[is_better].sum())
        y_next, value_next = np.where(is_better, best, y), float(lines[k].values.max())
        reached = value_next
        if is_better.sum() > 1:
            reached = yield from inner.oracle.ask_one(x, y_next)
        is_sum = reached >= value + 0.9 * promised - 1e-12
        if reached < value_next:
            y_next = y.copy()
            y_next[k] = best[k]
            reached = value_next
        y, value = y_next, reached
        if is_sum:
            break
    return Peak(y, value, np.full(inner.n_y, 0.05))


def violates(inner: Inner, peak: Peak, estimate: float) -> bool:
    """Tell whether a maximizer refutes an estimate of the worst case by more than rounding error."""
    return inner.oracle.exceeds(peak.value, estimate)


def validate(inner: Inner, answer: Answer, known: list[Array], n_evaluations: int) -> Asking[Peak | None]:
    """Try to refute an answer by the archive, vertices and at least two attacks; return the violator, or None."""
    known = [answer.y, *known]
    violator = yield from recall(inner, answer, known)
    if violator is None:
        violator = yield from keep_attacking(inner, answer, known, n_evaluations, at_least=2)
    return violator


def recall(inner: Inner, answer: Answer, known: list[Array]) -> Asking[Peak | None]:
    """Try to refute an answer by the archive and by vertices; return the violator, or None. `known` grows."""
    archive, x = inner.oracle.archive, answer.x
    if len(archive):
        values = yield from inner.oracle.ask(x, archive)
        for k in np.argsort(-values)[:3].tolist():
            is_known = min(np.abs(archive[k] - z).max() for z in known) <= 0.02
            if values[k] > answer.value or not is_known:
                peak = yield from inner.rise(x, archive[k], float(values[k]), 0.02, 10)
                if violates(inner, peak, answer.value):
                    return peak
                known.append(peak.z)
    if not inner.is_additive and inner.n_y > 2:
        vertex = yield from best_vertex(inner, x, answer.y, answer.value)
        if vertex is not None and violates(inner, vertex, answer.value):
            return vertex
    return None


def attack_by_hops(inner: Inner, answer: Answer) -> Asking[Peak | None]:
    """Hop from the worst y of an answer to higher tops until many hops in a row fail; return the violator, or None.

    Needed where y has very many maxima, such as Rastrigin's function: there independent searches disagree.
    """
    oracle, x, first = inner.oracle, answer.x, inner.oracle.n_used
    y, value, n_failed = answer.y, answer.value, 0
    try:
        while n_failed < PATIENCE:
            z, width = displaced(y, inner.hop_widths, oracle.rng)
            height = yield from oracle.ask_one(x, z)
            start = Peak(z, height, np.full(inner.n_y, min(0.02, 0.3 * width)))
            top = yield from inner.follow(x, climb(start, 5, precision=1e-4))
            if top.value > value + 1e-6 * (abs(value) + 1e-6):
                y, value, n_failed = top.z, top.value, 0
                inner.hop_widths = [*inner.hop_widths, width][-8:]
            else:
                n_failed += 1
        if y is answer.y:
            return None
        peak = yield from inner.rise(x, y, value, 1e-3)
    finally:
        inner.n_hopped += oracle.n_used - first
    return peak if violates(inner, peak, answer.value) else None


def displaced(z: Array, widths: list[float], rng: np.random.Generator) -> tuple[Array, float]:
    """Return a random point near z, half of the time moved in one or two coordinates only, and the width of the hop.

    widths: those of successful hops, which are preferred.
    """
    n, width = z.size, float(10.0 ** rng.uniform(-2.0, -0.3))
    if widths and rng.random() < 0.5:
        width = widths[int(rng.integers(len(widths)))] * float(2.0 ** rng.uniform(-0.5, 0.5))
    move = rng.standard_normal(n)
    if n > 1 and rng.random() < 0.5:
        move *= (rng.random(n) < 1.5 / n) | (np.arange(n) == rng.integers(n))
    moved = np.abs(z + width * move) % 2.0
    return np.where(moved > 1.0, 2.0 - moved, moved), width


def keep_attacking(
    inner: Inner, answer: Answer, known: list[Array], n_evaluations: int, at_least: int = 0
) -> Asking[Peak | None]:
    """Attack an answer for `n_evaluations`; return the violator, or None."""
    oracle, known, n_attacks = inner.oracle, list(known), 0
    while n_attacks < at_least or answer.n_attacked < n_evaluations:
        start = oracle.n_used
        peak = yield from attack(inner, answer.x, known, n_points=9)
        n_attacks += 1
        answer.n_attacked += oracle.n_used - start
        if violates(inner, peak, answer.value):
            return peak
        answer.note_search(peak.value, oracle.spread_at(answer.x))
        known.append(peak.z)
    return None
