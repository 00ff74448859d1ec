"""The surrogate as a scout: when it stops, whom it hands over, and what it says about f there."""

import numpy as np
import pytest

from reckless.core.generators import answered
from reckless.methods.surrogate.archive import Archive
from reckless.methods.surrogate.climbing import Tops
from reckless.methods.surrogate.closing import MOST_ON_GIVEN, refute_given
from reckless.methods.surrogate.scouting import (
    LEAST_WITHSTOOD,
    MOST_DUELS,
    N_EACH,
    duel,
    has_hope,
    has_seen_enough,
    hills_of,
    starts_of,
)


@pytest.fixture
def settled(parts):
    """A search that knows the bowl by 80 values."""
    known, rng = parts["blank"](), np.random.default_rng(3)
    X, Y = parts["draw"](known, rng, 80)
    X[70:] = 0.3, 0.6
    known.learn(X, Y, parts["bowl"](X, Y), None)
    return parts["state_of"](known, rng)


def answer_with(state, f):
    """Answer as f does, and count."""
    asked = []

    def answer(pairs):
        asked.extend(zip(*pairs, strict=True))
        return f(*pairs)

    return answer, asked


def test_slopes_and_curvatures_are_those_of_f(settled, parts):
    """Errors against differences of the bowl are at most 1e-3; asserted: 1e-2."""
    x, y, h, bowl = np.array([0.42, 0.55]), np.array([0.63]), 1e-4, parts["bowl"]
    level = settled.known.model.mean(np.concatenate([x, y])[None])
    (hill,) = hills_of(settled, x, Tops(y[None], level))
    z = np.concatenate([x, y])

    def f(z):
        return float(bowl(z[None, :2], z[None, 2:])[0])

    moves = h * np.eye(3)
    slope = [(f(z + d) - f(z - d)) / (2.0 * h) for d in moves]
    bend = np.array([[(f(z + d + e) - f(z + d) - f(z + e) + f(z)) / h**2 for d in moves] for e in moves])
    assert [*hill.gx, *hill.gy] == pytest.approx(slope, abs=1e-2)
    np.testing.assert_allclose(hill.H, bend[2:, 2:], atol=0.1)
    np.testing.assert_allclose(hill.M, bend[2:, :2], atol=0.1)
    assert np.linalg.eigvalsh(hill.B).min() > 0.0


def test_what_is_handed_over_lies_in_the_cubes_of_the_task(settled):
    starts = starts_of(settled)
    assert starts.x.tolist() == [settled.answer.x.tolist()]
    assert starts.values.tolist() == [settled.answer.fun]
    assert np.abs(starts.peaks[0].y - 0.7).max() < 0.1
    assert starts.y[-1].tolist() == settled.answer.y.tolist()
    X, Y, values = starts.pairs
    assert (len(X), len(Y), len(values)) == (80, 80, 80)


def test_a_search_without_values_hands_over_nothing(parts):
    assert starts_of(parts["state_of"](parts["blank"](), np.random.default_rng(0))) is None


def test_hope_is_gone_where_the_model_is_sure(settled, state):
    assert not has_hope(settled)
    few = state.known.archive
    state.known.archive = Archive(2, 1)
    state.known.archive.add(few.X[:6], few.Y[:6], few.v[:6])
    state.known.model = None
    assert has_hope(state)


def test_a_scout_stops_once_it_rests_or_has_had_its_share(settled):
    assert not has_seen_enough(settled)
    settled.moves, settled.n_idle = [0.0] * 3, 3
    assert has_seen_enough(settled)
    settled.moves = [0.2] * 3
    assert not has_seen_enough(settled)
    n = N_EACH * 3 - 80
    settled.known.archive.add(np.full((n, 2), 0.5), np.full((n, 1), 0.5), np.full(n, -3.0))
    assert has_seen_enough(settled)


def test_an_answer_that_withstands_is_attacked_a_few_times(settled, parts):
    x = settled.answer.x
    answer, asked = answer_with(settled, parts["bowl"])
    answered(duel(settled), answer)
    assert LEAST_WITHSTOOD <= len(asked) < MOST_DUELS
    assert np.array_equal(settled.answer.x, x)
    assert not settled.is_closing


def test_an_answer_that_was_hardly_tried_gives_way(settled, parts):
    """One value is known of it, far from its worst."""
    x, y = np.array([[0.5, 0.9]]), np.array([[0.0]])
    settled.known.learn(x, y, parts["bowl"](x, y), None)
    settled.answer = settled.answer._replace(x=x[0], y=y[0], fun=float(parts["bowl"](x, y)[0]))
    answer, asked = answer_with(settled, parts["bowl"])
    answered(duel(settled), answer)
    assert settled.answer.x.tolist() == [0.3, 0.6]
    assert len(asked) <= MOST_DUELS


def test_a_design_given_that_met_few_y_is_attacked_until_it_is_known_to_be_worse(settled, parts):
    x, known = np.array([0.9, 0.1]), settled.known
    ys = np.linspace(0.0, 1.0, 401)[:, None]
    values = parts["bowl"](np.repeat(x[None], 401, axis=0), ys)
    best = ys[[int(values.argmin())]]
    known.learn(x[None], best, parts["bowl"](x[None], best), None)
    settled.given, fun = x[None], float(values.max()) - 0.01
    settled.answer = settled.answer._replace(fun=min(fun, max(float(values.min()) + 0.01, settled.answer.fun)))
    assert known.archive.highest_at(x) < settled.answer.fun
    answer, asked = answer_with(settled, parts["bowl"])
    answered(refute_given(settled), answer)
    assert known.archive.highest_at(x) > float(values.min()) + 0.01
    assert 1 <= len(asked) <= MOST_ON_GIVEN
    assert all(np.array_equal(at, x) for at, _ in asked)
