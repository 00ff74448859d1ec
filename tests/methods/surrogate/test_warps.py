"""Warps: which one the density chooses and why; penalties; values near the limits of floats."""

import numpy as np
import pytest

from reckless.methods.surrogate.process import Form, fit
from reckless.methods.surrogate.warps import WARP_COST, Warp, standardized, tamed, warps

HUGE = 1.7e308


def points(n=24, d=2, seed=5):
    return np.random.default_rng(seed).random((n, d))


def bowl(Z):
    return 1.0 + 3.0 * (Z[:, 0] - 0.3) ** 2 + 2.0 * Z[:, 1] * (Z[:, 0] + 0.4) + 1.5 * Z[:, 1] ** 2


def density_of(v, Z, warp):
    """Log density of the values themselves, so that warps can be compared."""
    g, _, unit = standardized(warp(v))
    return fit(Z, g, Form()).density - (len(v) - 1) * (np.log(unit) - warp.log_slope(v) / len(v))


def chosen(v, Z, level):
    scores = {warp: density_of(v, Z, warp) - WARP_COST * (warp.kind != "identity") for warp in warps(v, level)}
    return max(scores, key=scores.get)


EVERY_WARP = [Warp(), Warp("asinh", -3.0, 0.2), Warp("log", -7.0, 3.0)]


@pytest.mark.parametrize("warp", EVERY_WARP, ids=lambda warp: warp.kind)
def test_a_warp_increases_and_its_inverse_undoes_it(warp):
    v = np.sort(np.random.default_rng(1).normal(2.0, 2.0, 30))
    assert np.all(np.diff(warp(v)) > 0.0)
    assert np.allclose(warp.inverse(warp(v)), v, rtol=1e-12)


@pytest.mark.parametrize("warp", EVERY_WARP, ids=lambda warp: warp.kind)
def test_log_slope_is_the_sum_of_log_derivatives(warp):
    v, h = np.array([-2.9, 0.4, 11.0]), 1e-6
    slopes = (warp(v + h) - warp(v - h)) / (2.0 * h)
    assert warp.log_slope(v) == pytest.approx(np.log(slopes).sum(), abs=1e-7)


def test_the_exponential_of_a_quadratic_asks_for_the_logarithm():
    Z = points()
    v = np.exp(2.0 * bowl(Z))
    assert chosen(v, Z, level=10.0).kind == "log"
    assert density_of(v, Z, Warp("log")) > density_of(v, Z, Warp()) + 100.0


def test_a_quadratic_asks_for_no_warp_though_its_values_span_a_decade():
    Z = points()
    v = 10.0 * bowl(Z) - 8.0
    assert "log" in [warp.kind for warp in warps(v, 15.0)]
    assert chosen(v, Z, level=15.0) == Warp()
    assert density_of(v, Z, Warp()) > density_of(v, Z, Warp("log")) + 100.0


def test_large_values_to_both_sides_of_the_level_ask_for_asinh():
    Z = points(30)
    v = np.sinh(4.0 * (bowl(Z) - 2.5))  # from -200 to 1e7, and smooth where it crosses 0
    assert chosen(v, Z, level=0.0).kind == "asinh"


def test_the_cost_keeps_few_values_from_a_warp_that_more_values_prove():
    def wavy(Z):
        return np.exp(bowl(Z) + 0.3 * np.sin(7.0 * Z[:, 0]))

    few, more = points(7), points(10)
    gain = density_of(wavy(few), few, Warp("log")) - density_of(wavy(few), few, Warp())
    assert 0.0 < gain < WARP_COST
    assert chosen(wavy(few), few, level=3.0) == Warp()
    assert chosen(wavy(more), more, level=3.0).kind == "log"


def test_the_logarithm_is_tried_only_for_positive_values_over_a_decade():
    def kinds(v):
        return [warp.kind for warp in warps(v, 2.0)]

    assert "log" in kinds(np.array([1.0, 2.0, 3.0, 10.1]))
    assert "log" not in kinds(np.array([1.0, 2.0, 3.0, 9.9]))
    assert "log" not in kinds(np.array([0.0, 2.0, 3.0, 50.0]))


def test_a_range_of_many_spreads_adds_a_narrow_warp_around_the_level():
    v = np.array([-3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 100.0])
    found = warps(v, 5.0)
    assert [(warp.kind, warp.center) for warp in found] == [("identity", 0.0), ("asinh", 5.0), ("asinh", 5.0)]
    assert [warp.width for warp in found] == pytest.approx([1.0, 3.0, 0.3])


@pytest.mark.parametrize("v", [np.zeros(5), np.full(5, -3.0), np.empty(0)], ids=["zeros", "constant", "none"])
def test_values_without_a_spread_have_only_the_identity(v):
    assert warps(v, -3.0) == [Warp()]


def test_a_logarithm_says_which_values_it_cannot_take():
    assert Warp("log").covers(np.array([0.1, 5.0]))
    assert not Warp("log").covers(np.array([0.0, 5.0]))
    assert Warp("asinh").covers(np.array([-1.0, 5.0]))


@pytest.mark.parametrize(
    "v",
    [
        np.array([-HUGE, -1.0, 2.0, 5.0, HUGE]),
        np.array([3.0, 4.0, 6.0, 7.0, 1e300]),
        np.array([1e-320, 2e-320, 7e-319, 5e-310]),
        10.0 ** np.arange(-300.0, 300.0, 50.0),
    ],
    ids=["both ends", "one huge", "denormal", "600 decades"],
)
def test_no_float_overflows(v):
    for warp in warps(v, float(v[1])):
        g, shift, unit = standardized(warp(v))
        assert np.all(np.isfinite(g))
        assert np.isfinite([shift, unit, warp.log_slope(v)]).all()
        assert np.all(np.isfinite(warp.inverse(np.array([-1e6, 1e6]))))


def test_standardized_values_have_mean_0_and_deviation_1():
    v = np.array([-7.0, -2.0, 5.0, 11.0])
    g, shift, unit = standardized(v)
    assert (g.mean(), g.std()) == (pytest.approx(0.0, abs=1e-15), pytest.approx(1.0))
    assert np.allclose(shift + unit * g, v)


def test_constant_values_are_standardized_to_zeros():
    g, shift, unit = standardized(np.full(4, 0.1))
    assert (g.tolist(), shift, unit) == ([0.0] * 4, pytest.approx(0.1), 1.0)


def test_a_shared_penalty_is_brought_down_to_just_above_the_rest():
    v = np.array([2.0, 1e6, 3.0, 1e6, 7.0, 1e6, 4.0])
    assert tamed(v).tolist() == [2.0, 7.25, 3.0, 7.25, 7.0, 7.25, 4.0]


@pytest.mark.parametrize("penalty", [1e300, HUGE, np.inf])
def test_any_penalty_is_tamed_to_the_same_values(penalty):
    v = np.array([-2.0, penalty, 3.0, penalty, 7.0, penalty])
    assert tamed(v).max() == pytest.approx(7.45)


@pytest.mark.parametrize(
    "v",
    [
        [2.0, 1e6, 3.0, 1e6, 7.0],  # shared by two only
        [2.0, 9.4, 3.0, 9.4, 7.0, 9.4],  # a plateau, not far above the rest
        [2.0, 1e6, 1e6, 1e6, 7.0],  # hardly anything else is known
        [2.0, 1e6, 2.0, 1e6, 2.0, 1e6],  # two levels: there is no range to bring it to
        [2.0, -1e6, 3.0, -1e6, 7.0, -1e6],  # at the bottom
        [],
    ],
)
def test_other_values_are_not_changed(v):
    assert tamed(np.array(v)).tolist() == v


def test_a_value_that_a_warp_was_not_made_for_is_mapped_to_a_finite_number():
    """Below the center of a logarithm, and too far away for a quotient."""
    low = Warp("log")(np.array([-1.0, 0.0, 1e-320, 2.0]))
    assert np.isfinite(low).all()
    assert low[0] == low[1] < -700.0 < low[3]
    far = Warp("asinh", 0.0, 1e-300)(np.array([-1e100, 1e100]))
    assert np.isfinite(far).all()
    assert far[0] == -far[1] < -700.0
