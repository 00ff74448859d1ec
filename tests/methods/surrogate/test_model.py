"""A model of the pair: levels and values, derivatives through view and warp, and what is chosen."""

import numpy as np
import pytest

from reckless.domains.box import Box
from reckless.domains.sets import Simplex
from reckless.methods.surrogate.model import choose_model, fit_model, refit
from reckless.methods.surrogate.process import starts
from reckless.methods.surrogate.spaces import sample, space_of
from reckless.methods.surrogate.views import Summed, views_of
from reckless.methods.surrogate.warps import Warp
from surfaces import differences

LOG = Warp("log")


def shares_data(n=16):
    """Pairs of two shares and one y, with positive values."""
    rng = np.random.default_rng(1)
    xs, ys = space_of(Simplex(2), 1), space_of(None, 1)
    Q = np.hstack([sample(xs, rng, n), sample(ys, rng, n)])
    return Q, np.exp(1.0 + np.sin(3.0 * Q[:, 0]) + Q[:, 2] ** 2), views_of(xs, ys)


@pytest.mark.parametrize("warp", [Warp(), Warp("asinh", 3.0, 2.0), LOG], ids=lambda warp: warp.kind)
def test_levels_are_values_seen_otherwise_and_the_mean_goes_through_them(warp):
    Q, v, views = shares_data()
    model = fit_model(Q, v, views[1], warp, "gauss", None, 15)
    np.testing.assert_allclose(model.value(model.level(v)), v, rtol=1e-12)
    assert model.level(v).mean() == pytest.approx(0.0, abs=1e-12)
    assert model.level(v).std() == pytest.approx(1.0)
    np.testing.assert_allclose(model.value(model.mean(Q)), v, rtol=1e-3)
    assert model.n == 16


@pytest.mark.parametrize("kernel", ["gauss", "matern"])
def test_slopes_through_an_opened_view_are_those_of_the_mean_and_the_bound(kernel):
    Q, v, views = shares_data()
    model = fit_model(Q, v, views[1], LOG, kernel, None, 15)
    P = np.array([[0.2, 0.38, 0.3], [0.5, 0.08, 0.8]])
    jet, (level, slope) = model.jet(P), model.bound(P, 2.0)
    np.testing.assert_allclose(level, model.mean(P) + 2.0 * model.sd(P), rtol=1e-10)
    np.testing.assert_allclose(jet.slope, differences(model.mean, P), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(jet.bend, differences(lambda P: model.jet(P).slope, P), rtol=1e-3, atol=1e-2)
    np.testing.assert_allclose(slope, differences(lambda P: model.bound(P, 2.0)[0], P), rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(np.sqrt(np.diag(model.covariance(P))), model.sd(P), rtol=1e-4)


def test_more_values_and_the_same_parameters_give_the_mean_of_all():
    Q, v, views = shares_data()
    first = fit_model(Q[:12], v[:12], views[0], LOG, "gauss", None, 15)
    model = first.extended(Q[12:], v[12:])
    np.testing.assert_allclose(model.value(model.mean(Q)), v, rtol=1e-3)
    assert (model.n, first.n) == (16, 12)
    np.testing.assert_array_equal(model.process.theta, first.process.theta)
    assert (model.shift, model.unit) == (first.shift, first.unit)


def test_densities_are_those_of_values_whatever_their_unit():
    """v -> 10 v + 3 makes each value ten times less likely; one of them is spent on the intercept."""
    Q, v, views = shares_data()
    theta = starts(3)[0]
    one, ten = (fit_model(Q, u, views[0], Warp(), "gauss", theta, 0) for u in (v, 10.0 * v + 3.0))
    assert ten.density - one.density == pytest.approx(-15 * np.log(10.0), abs=1e-6)
    assert ten.loo_score() - one.loo_score() == pytest.approx(-16 * np.log(10.0), abs=1e-6)


def test_values_over_decades_are_seen_by_their_logarithm():
    Q, _, views = shares_data(24)
    v = 10.0 ** (4.0 * Q[:, 0] + Q[:, 2] ** 2 + 2.0 * Q[:, 0] * Q[:, 2])
    model = choose_model(Q, v, float(np.median(v)), views[:1], None)
    assert model.warp.kind == "log"
    plain = choose_model(Q, np.log10(v) - 2.0, 0.0, views[:1], None)
    assert plain.warp.kind == "identity"


def test_a_deviation_from_x_is_seen_as_a_sum():
    rng = np.random.default_rng(2)
    x_domain, y_domain = Box([(1.0, 4.0)]), Box([(-0.6, 0.6)])
    views = views_of(space_of(x_domain, 1), space_of(y_domain, 1), x_domain, y_domain)
    Q = rng.random((20, 2))
    model = choose_model(Q, np.sin(7.0 * (Q[:, 0] + 0.2 * (2.0 * Q[:, 1] - 1.0))), 0.0, views, None)
    assert isinstance(model.view, Summed)
    assert not model.view.is_inside
    other = choose_model(Q, np.sin(7.0 * Q[:, 0]) * (Q[:, 1] - 0.3), 0.0, views, None)
    assert other.view is views[0]


def test_a_fit_goes_on_from_where_it_was():
    Q, v, views = shares_data()
    begun = fit_model(Q, v, views[0], LOG, "matern", None, 3)
    done = refit(begun, Q, v, 30)
    assert done.density >= begun.density
    assert done.process.form == begun.process.form
    assert done.warp is begun.warp
    np.testing.assert_array_equal(refit(begun, Q, v, 0).process.theta, begun.process.theta)
