"""Climbs along lines: smooth tops, kinks, bounds, failures."""

import numpy as np
import pytest

from reckless.core.generators import answered
from reckless.methods.danskin.sums.lines import Line, climb_lines, missed, parabola, tent

TOPS = {
    "parabola": lambda t: -3.0 * t**2,
    "cosine": lambda t: 2.0 * np.cos(2.0 * t),
    "kink": lambda t: np.where(t < 0.0, 5.0 * t, -0.3 * t),
    "bent kink": lambda t: -np.abs(t) - t**2 + 0.4 * t,
}
CUSPS = {
    "even": lambda t: -np.abs(t) + 0.6 * t**2,
    "steep": lambda t: -2.0 * np.abs(t) + 20.0 * t**2 * (np.abs(t) < 0.04),
    "uneven": lambda t: np.where(t < 0.0, 3.0 * t + 4.0 * t**2, -0.5 * t + 0.3 * t**2),
}


def climbed(f, start, low=0.2, high=0.9, tolerance=1e-9):
    """Climb f(t) from `start`; return the line and the evaluations."""
    line, asked = Line(low, high, 0.02, [(start, float(f(start)))]), []

    def ask(which, at):
        asked.extend(at.tolist())
        values = yield at
        return values

    answered(climb_lines(ask, [line], tolerance), lambda at: np.asarray(f(at), dtype=float))
    assert low <= min(asked)
    assert max(asked) <= high
    return line, len(asked)


@pytest.mark.parametrize("name", TOPS)
@pytest.mark.parametrize("top", [0.31, 0.5, 0.8123])
@pytest.mark.parametrize("start", [0.2, 0.47, 0.9])
def test_tops_are_found_wherever_a_climb_begins(name, top, start):
    """The largest error is 1e-9, the largest number of evaluations 20."""
    line, n = climbed(lambda t: TOPS[name](t - top), start)
    assert line.top[1] == pytest.approx(float(TOPS[name](0.0)), abs=1e-8)
    assert n <= 20


@pytest.mark.parametrize("name", CUSPS)
@pytest.mark.parametrize("away", [1e-2, -1e-3, 3e-5, -1e-6, 2e-7])
def test_cusps_are_closed_in_on_from_wherever_beside_them(name, away):
    """The largest error is 1e-9, the largest number of evaluations 19."""
    for top in np.random.default_rng(1).uniform(0.3, 0.8, 20):
        line, n = climbed(lambda t, top=top: CUSPS[name](t - top), top + away)
        assert line.top[1] >= -1e-8
        assert n <= 20


def test_a_tent_knows_what_it_may_miss():
    """Flanks that bend up meet at 0, above their chords; chords of flanks that bend down meet above them."""
    cusp, dome = ([(t, -abs(t) + bend * t**2) for t in (-0.4, -0.3, -0.1, 0.1, 0.2)] for bend in (1.0, -1.0))
    missing = -tent(cusp, 2).gain - cusp[2][1]
    assert 0.0 < missing <= missed(cusp, 2) <= 4.0 * missing
    assert tent(dome, 2).gain + dome[2][1] >= 0.0 >= missed(dome, 2)


@pytest.mark.parametrize("start", [0.2, 0.5, 0.9])
def test_the_top_of_a_slope_is_its_bound(start):
    line, n = climbed(lambda t: 2.0 * t, start)
    assert line.top == (0.9, 1.8)
    assert n <= 7


def test_a_climb_stays_where_f_has_values():
    line, _ = climbed(lambda t: np.where(t > 0.6, np.nan, -((t - 0.7) ** 2)), 0.3)
    assert 0.55 <= line.top[0] <= 0.6


def test_a_climb_ends_where_nothing_can_be_higher():
    line, n = climbed(lambda t: np.where(np.abs(t - 0.7) < 0.05, np.inf, -np.abs(t - 0.7)), 0.4)
    assert line.top[1] == np.inf
    assert n <= 10


def test_models_are_exact_on_what_they_assume():
    bow = [(t, -2.0 * (t - 0.4) ** 2) for t in (0.1, 0.3, 0.7)]
    assert parabola(bow, 1) == pytest.approx((0.4, 0.02))
    roof = [(t, -abs(t - 0.4)) for t in (0.1, 0.2, 0.3, 0.6, 0.9)]
    assert tent(roof, 2) == pytest.approx((0.4, 0.1))


def test_lines_are_climbed_in_lockstep():
    """Each batch has one place for every line that is not done."""
    tops, batches = np.array([0.3, 0.6, 0.8]), []
    lines = [Line(0.0, 1.0, 0.02, [(0.5, -((0.5 - top) ** 2))]) for top in tops]

    def ask(which, at):
        batches.append(at.size)
        values = yield (which, at)
        return values

    answered(climb_lines(ask, lines, 1e-12), lambda asked: -((asked[1] - tops[asked[0]]) ** 2))
    assert [line.top[0] for line in lines] == pytest.approx(tops.tolist(), abs=1e-6)
    assert batches[0] == 3
    assert batches == sorted(batches, reverse=True)
