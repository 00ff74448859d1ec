"""The Gaussian process against naive algebra, scikit-learn and differences."""

from itertools import product

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, Matern, WhiteKernel

from reckless.methods.surrogate.density import Data, factored
from reckless.methods.surrogate.process import Form, Process, fit, log_density, starts

FORMS = [
    Form("gauss", "quadratic", (1, 2)),
    Form("matern", "quadratic", (2, 1)),
    Form("gauss", "flat"),
    Form("matern", "flat"),
    Form("gauss", "quadratic", (1, 1), is_labeled=True),
    Form("matern", "flat", (2, 0), is_labeled=True),
]
every_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: "-".join(map(str, form)))


def rows(n, form, seed, d=3):
    rng = np.random.default_rng(seed)
    Z = rng.random((n, d))
    if form.is_labeled:
        Z[:, -1] = rng.integers(0, 3, n)
    return Z


def bumpy(Z):
    """Neither a quadratic nor centered; differs from case to case where the last column has labels."""
    v = np.sin(4.0 * Z[:, 0]) + 2.0 * np.abs(Z[:, 1] - 0.4) + Z[:, 0] * Z[:, -1] ** 2
    return (v - 1.3) / 0.7


def some_theta(d, nugget=1e-4):
    return np.concatenate([np.log([0.4, 0.9, 0.6, 1.4])[:d], np.log([nugget, 3.0, 0.5])])


def some_process(form, n=14, nugget=1e-4):
    Z = rows(n, form, seed=2)
    return fit(Z, bumpy(Z), form, some_theta(3, nugget), n_steps=0)


def differences(f, Z, r, h):
    """Central differences of f(Z) in the first r columns, as a last axis."""
    steps = h * np.eye(Z.shape[1])[:r]
    return np.stack([(f(Z + step) - f(Z - step)) / (2.0 * h) for step in steps], axis=-1)


# ---------------------------------------------------------------- a naive twin


def naive_kernel(form, theta, P, Q):
    scales = np.exp(theta[: P.shape[1]])
    r = P.shape[1] - form.is_labeled
    K = np.empty((len(P), len(Q)))
    for (i, p), (j, q) in product(enumerate(P), enumerate(Q)):
        s = sum(((p[c] - q[c]) / scales[c]) ** 2 for c in range(r))
        s += (p[-1] != q[-1]) / scales[-1] ** 2 if form.is_labeled else 0.0
        u = np.sqrt(5.0 * s)
        K[i, j] = np.exp(-0.5 * s) if form.kernel == "gauss" else (1.0 + u + u * u / 3.0) * np.exp(-u)
    return K


def naive_features(form, theta, Z):
    """Features without the intercept, and their variances relative to sigma^2."""
    if form.trend == "flat":
        return np.empty((len(Z), 0)), np.empty(0)
    U = 2.0 * Z[:, : Z.shape[1] - form.is_labeled] - 1.0
    r = U.shape[1]
    squares = [U[:, i] * U[:, j] for i in range(r) for j in range(i, r)]
    return np.column_stack([U, *squares]), np.exp(2.0 * np.repeat(theta[-2:], [r, len(squares)]))


def naive(form, theta, Z, g, Q):
    """Mean, covariance over sigma^2, sigma and log likelihood: coefficients are part of the kernel, then kriging."""
    (F, variances), (H, _) = naive_features(form, theta, Z), naive_features(form, theta, Q)
    C = naive_kernel(form, theta, Z, Z) + np.exp(theta[-3]) * np.eye(len(Z)) + F * variances @ F.T
    k = naive_kernel(form, theta, Q, Z) + H * variances @ F.T
    inverse, ones = np.linalg.inv(C), np.ones(len(Z))
    weight = ones @ inverse @ ones
    center = ones @ inverse @ g / weight
    residual = g - center
    sigma2 = residual @ inverse @ residual / (len(g) - 1)
    lack = 1.0 - k @ inverse @ ones
    covariance = naive_kernel(form, theta, Q, Q) + H * variances @ H.T - k @ inverse @ k.T
    covariance += np.outer(lack, lack) / weight
    likelihood = -0.5 * (np.linalg.slogdet(C)[1] + np.log(weight) + (len(g) - 1) * np.log(sigma2))
    return center + k @ inverse @ residual, covariance, np.sqrt(sigma2), likelihood


def naive_prior(form, theta):
    """Log prior of theta, each part 0 at its peak."""
    d = len(theta) - 3
    sizes = (form.groups or (d - form.is_labeled,)) + (1,) * form.is_labeled
    total, begin = 0.0, 0
    for size in filter(None, sizes):
        part = theta[begin : begin + size]
        total -= 0.5 * ((part.mean() - np.log(0.5 * np.sqrt(d))) / 1.2) ** 2
        total -= sum(2.0 * np.log(1.0 + (deviation / 0.4) ** 2 / 3.0) for deviation in part - part.mean())
        begin += size
    total -= 0.5 * ((theta[-3] - np.log(1e-10)) / 10.0) ** 2
    return total - 0.5 * (((theta[-2:] - np.log(10.0)) / 4.0) ** 2).sum()


@every_form
def test_predictions_and_density_equal_those_of_naive_algebra(form):
    process, Q = some_process(form), rows(6, form, seed=3)
    mean, covariance, sigma, likelihood = naive(form, process.theta, process.Z, process.g, Q)
    assert process.sigma == pytest.approx(sigma, rel=1e-8)
    assert np.allclose(process.mean(Q), mean, rtol=0.0, atol=1e-8)
    assert np.allclose(process.covariance(Q), sigma**2 * covariance, rtol=0.0, atol=1e-8)
    assert np.allclose(process.sd(Q) ** 2, process.covariance(Q).diagonal(), rtol=0.0, atol=1e-12)
    assert process.density == pytest.approx(likelihood + naive_prior(form, process.theta), abs=1e-8)


@pytest.mark.parametrize("form", [Form("gauss", "flat"), Form("matern", "flat")], ids=["gauss", "matern"])
def test_scikit_learn_agrees_once_the_intercept_is_subtracted(form):
    process, Q, ones = some_process(form), rows(6, form, seed=3), np.ones(14)
    scales = np.exp(process.theta[:3])
    part = RBF(scales) if form.kernel == "gauss" else Matern(scales, nu=2.5)
    # As a limit: a point far from all others has the mean of the trend, and what the intercept adds to the variance.
    far = np.full((1, 3), 1e4)
    intercept = process.mean(far)[0]
    theirs = GaussianProcessRegressor(part + WhiteKernel(process.nugget), alpha=0.0, optimizer=None)
    theirs.fit(process.Z, process.g - intercept)
    assert np.allclose(theirs.predict(Q) + intercept, process.mean(Q), rtol=0.0, atol=1e-8)

    inverse = np.linalg.inv(part(process.Z) + process.nugget * np.eye(14))
    weight = ones @ inverse @ ones
    assert process.sd(far)[0] == pytest.approx(process.sigma * np.sqrt(1.0 + 1.0 / weight), rel=1e-8)
    added = (1.0 - part(Q, process.Z) @ inverse @ ones) ** 2 / weight
    variance = theirs.predict(Q, return_std=True)[1] ** 2 - process.nugget + added
    assert np.allclose(process.sd(Q), process.sigma * np.sqrt(variance), rtol=0.0, atol=1e-8)

    square = 13 * process.sigma**2  # of the residuals, in the metric of the inverse
    logs = theirs.log_marginal_likelihood_value_ + 0.5 * square + 7.0 * np.log(2.0 * np.pi) - 0.5 * np.log(weight)
    assert process.density - naive_prior(form, process.theta) == pytest.approx(
        logs - 13 * np.log(process.sigma), abs=1e-8
    )


# ---------------------------------------------------------------- derivatives


@every_form
def test_the_slope_of_the_density_equals_differences(form):
    Z = rows(14, form, seed=2)
    theta = some_theta(3)
    slope = log_density(theta, Z, bumpy(Z), form)[1]
    steps = 1e-5 * np.eye(len(theta))
    expected = [
        (log_density(theta + step, Z, bumpy(Z), form)[0] - log_density(theta - step, Z, bumpy(Z), form)[0]) / 2e-5
        for step in steps
    ]
    assert np.allclose(slope, expected, rtol=1e-6, atol=1e-6)


@every_form
def test_slope_and_bend_of_the_mean_equal_differences(form):
    process, Q = some_process(form), rows(5, form, seed=4)
    r = 3 - form.is_labeled
    level, slope, bend = process.jet(Q)
    assert np.allclose(level, process.mean(Q), rtol=0.0, atol=1e-12)
    assert np.allclose(slope, differences(process.mean, Q, r, 1e-5), rtol=1e-6, atol=1e-7)
    assert np.allclose(bend, differences(lambda P: process.jet(P).slope, Q, r, 1e-5), rtol=1e-6, atol=1e-6)


@every_form
@pytest.mark.parametrize("c", [2.0, -1.5, 0.0])
def test_the_bound_is_mean_plus_c_sd_and_its_slope_equals_differences(form, c):
    process, Q = some_process(form), rows(5, form, seed=4)
    bound, slope = process.bound(Q, c)
    assert np.allclose(bound, process.mean(Q) + c * process.sd(Q), rtol=0.0, atol=1e-12)
    expected = differences(lambda P: process.bound(P, c)[0], Q, 3 - form.is_labeled, 1e-6)
    assert np.allclose(slope, expected, rtol=1e-5, atol=1e-6)


# ---------------------------------------------------------------- data


@every_form
def test_values_are_interpolated_and_certain_up_to_the_nugget(form):
    process = some_process(form, nugget=1e-10)
    assert np.allclose(process.mean(process.Z), process.g, atol=1e-6)
    assert np.all(process.sd(process.Z) <= 1.01e-5 * process.sigma)
    assert process.sd(rows(20, form, seed=7)).max() > 1e-2 * process.sigma


@every_form
def test_appended_rows_give_the_process_of_all_rows(form):
    whole, Q = some_process(form, nugget=1e-8), rows(6, form, seed=3)
    part = fit(whole.Z[:9], whole.g[:9], form, whole.theta, n_steps=0)
    grown = part.extended(whole.Z[9:10], whole.g[9:10]).extended(whole.Z[10:], whole.g[10:])
    assert np.array_equal(grown.Z, whole.Z)
    assert np.array_equal(grown.g, whole.g)
    for name in ("mean", "sd", "covariance"):
        assert np.allclose(getattr(grown, name)(Q), getattr(whole, name)(Q), rtol=0.0, atol=1e-9)
    assert (grown.density, grown.sigma) == pytest.approx((whole.density, whole.sigma), rel=1e-9)


def test_no_rows_are_predicted_and_appended_without_complaint(capfd):
    process, none = some_process(Form()), np.empty((0, 3))
    assert process.extended(none, np.empty(0)) is process
    assert [part.shape for part in process.jet(none)] == [(0,), (0, 3), (0, 3, 3)]
    assert process.sd(none).shape == process.bound(none, 2.0)[0].shape == (0,)
    assert capfd.readouterr() == ("", "")  # LAPACK prints what it does not like


@every_form
def test_leaving_one_out_equals_a_process_without_it(form):
    """Each refit profiles sigma anew, so that its deviations are compared in units of sigma."""
    process = some_process(form)
    means, deviations = process.loo()
    for i in range(len(process.g)):
        rest = np.arange(len(process.g)) != i
        other = fit(process.Z[rest], process.g[rest], form, process.theta, n_steps=0)
        point = process.Z[i : i + 1]
        assert means[i] == pytest.approx(other.mean(point)[0], abs=1e-8)
        relative = np.hypot(other.sd(point)[0] / other.sigma, np.sqrt(process.nugget))
        assert deviations[i] == pytest.approx(process.sigma * relative, rel=1e-7)


def test_points_that_are_there_several_times_are_no_obstacle():
    form = Form("gauss", "flat")
    Z = np.repeat(rows(5, form, seed=2), 4, axis=0)
    process = fit(Z, bumpy(Z), form, np.log([30.0, 30.0, 30.0, 1e-10, 10.0, 10.0]), n_steps=0)
    assert np.all(np.isfinite(process.mean(Z)))
    again = process.extended(Z[:3], bumpy(Z[:3]))
    assert np.all(np.isfinite(again.sd(Z)))


def test_a_kernel_matrix_that_rounding_makes_singular_raises_the_nugget_by_tens():
    form = Form("gauss", "flat")
    Z = np.repeat(rows(5, form, seed=2), 4, axis=0)
    factors, _ = factored(some_theta(3, nugget=1e-18), Data.of(Z, bumpy(Z), form), 0)
    n_raises = np.log10(factors.nugget / 1e-18)
    assert n_raises == pytest.approx(round(n_raises), abs=1e-9)
    assert 1 <= round(n_raises) <= 5


def test_rows_that_cannot_be_appended_are_fitted_with_the_others():
    form = Form("gauss", "flat")
    Z = np.full((1, 3), 0.5)  # where distances have no rounding errors
    one = fit(Z, bumpy(Z), form, some_theta(3), n_steps=0)
    without_nugget = Process(Z, one.g, form, one.theta, one.factors._replace(L=np.ones((1, 1)), nugget=0.0))
    both = without_nugget.extended(Z, one.g)  # the same point again: the corner of the factor is 0
    assert both.nugget == pytest.approx(1e-4)
    assert both.mean(Z) == pytest.approx(one.g)


def test_points_that_are_not_numbers_are_refused():
    Z = rows(5, Form(), seed=2)
    Z[2, 1] = np.nan
    with pytest.raises(np.linalg.LinAlgError, match="NaN"):
        fit(Z, bumpy(rows(5, Form(), seed=2)), Form(), n_steps=0)


# ---------------------------------------------------------------- fits


def quadratic(Z):
    return 3.0 * (Z[:, 0] - 0.2) ** 2 - Z[:, 1] * Z[:, 2] + 0.5 * Z[:, 1]


def test_a_quadratic_is_known_exactly_from_a_few_values_more_than_coefficients():
    Z, Q = rows(13, Form(), seed=2), rows(30, Form(), seed=3)
    v = quadratic(Z)
    process = fit(Z, (v - v.mean()) / v.std(), Form())
    assert np.abs(v.mean() + v.std() * process.mean(Q) - quadratic(Q)).max() < 1e-7
    assert process.sd(Q).max() < 1e-7


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_fewer_values_than_coefficients_do_no_harm(n):
    Z, Q = rows(n, Form(), seed=2), rows(30, Form(), seed=3)
    process = fit(Z, bumpy(Z), Form())
    assert np.all(np.isfinite(process.mean(Q)))
    assert np.all(np.isfinite(process.bound(Q, 2.0)[1]))
    assert np.abs(process.mean(Z) - process.g).max() < 1e-3
    assert np.all(np.isfinite(process.loo()))


@every_form
def test_a_fit_ends_where_the_density_is_flat_or_at_a_bound(form):
    Z = rows(20, form, seed=2)
    before = fit(Z, bumpy(Z), form, n_steps=0)
    process = fit(Z, bumpy(Z), form, n_steps=200)
    assert process.density > before.density + 1.0
    slope = log_density(process.theta, Z, bumpy(Z), form)[1]
    is_inside = np.exp(process.theta[-3]) > 1.001e-10
    assert np.abs(np.delete(slope, [] if is_inside else [3])).max() < 0.05


@pytest.mark.parametrize("noise", [0.02, 0.1])
def test_noise_is_found_as_the_nugget_from_the_second_start(noise):
    Z = rows(40, Form(), seed=2)
    g = np.sin(4.0 * Z[:, 0]) + Z[:, 1] * Z[:, 2] ** 3 + noise * np.random.default_rng(9).standard_normal(40)
    exact, noisy = (fit(Z, g, Form(), start, n_steps=60) for start in starts(3))
    assert noisy.density > exact.density + 5.0
    assert noisy.sigma * np.sqrt(noisy.nugget) == pytest.approx(noise, rel=0.5)
    assert exact.nugget < 1e-6


def test_the_second_start_finds_a_higher_density_where_the_trend_misleads():
    # A kink along a diagonal: the first fit is a quadratic through all 14 values (15 coefficients), and stays there.
    Z = rows(14, Form(), seed=7, d=4)
    v = np.abs(Z[:, 0] - Z[:, 1]) + np.sin(6.0 * Z[:, 2])
    g = (v - v.mean()) / v.std()
    strong, weak = (fit(Z, g, Form(groups=(2, 2)), start) for start in starts(4))
    assert weak.density > strong.density + 5.0
    assert max(weak.theta[-2:]) < 0.0 < min(strong.theta[-2:])


def test_scales_of_a_group_share_a_level():
    # Nothing is known about the second scale: in a group it follows the first, else it stays at the prior's center.
    Z = rows(9, Form(), seed=2)
    Z[:, 1] = 0.5
    g = np.sin(9.0 * Z[:, 0])
    apart = fit(Z, g, Form("gauss", "flat", (1, 1, 1)))
    together = fit(Z, g, Form("gauss", "flat", (2, 1)))
    assert apart.theta[1] == pytest.approx(starts(3)[0][1], abs=1e-3)
    assert together.theta[1] == pytest.approx(together.theta[0], abs=0.2)
    assert together.theta[1] < apart.theta[1] - 0.8
