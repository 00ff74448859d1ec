"""Values become a model, whatever they are, and the model is kept up to date."""

import numpy as np
import pytest

from reckless.methods.surrogate import knowledge as module


def test_a_model_predicts_what_it_did_not_see(learned, parts):
    X, Y = parts["draw"](learned, np.random.default_rng(9), 50)
    error = learned.model.value(learned.model.mean(np.hstack([X, Y]))) - parts["bowl"](X, Y)
    assert np.abs(error).max() < 0.05 * np.ptp(learned.archive.v)
    assert learned.n_chosen == learned.n_fitted == 25


def test_two_values_are_no_model(parts):
    known = parts["blank"]()
    X, Y = parts["draw"](known, np.random.default_rng(1), 2)
    known.learn(X, Y, np.array([1.0, 2.0]), None)
    assert known.model is None
    assert known.archive.v.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("strange", [np.inf, -np.inf, np.nan, 1e300, -1e300])
def test_a_strange_value_does_not_break_the_model(parts, strange):
    known, rng = parts["blank"](), np.random.default_rng(3)
    X, Y = parts["draw"](known, rng, 14)
    v = parts["bowl"](X, Y)
    v[3] = strange
    known.learn(X, Y, v, None)
    Q = np.hstack(parts["draw"](known, rng, 30))
    assert np.isfinite(known.model.value(known.model.mean(Q))).all()
    assert np.isfinite(known.model.sd(Q)).all()
    assert (known.guard is not None) == np.isposinf(strange)
    assert (known.veto is not None) == np.isnan(strange)


def test_failures_are_learned_where_they_are(parts):
    known, rng = parts["blank"](), np.random.default_rng(4)
    X, Y = parts["draw"](known, rng, 40)
    v = np.where(X[:, 0] > 0.7, np.inf, parts["bowl"](X, Y))
    known.learn(X, Y, np.where(Y[:, 0] < 0.25, np.nan, v), None)
    Q = np.array([[0.95, 0.5, 0.6], [0.2, 0.5, 0.6], [0.2, 0.5, 0.05]])
    assert (known.guard.mean(Q) > 0.0).tolist()[:2] == [True, False]
    assert (known.veto.mean(Q) > 0.0).tolist()[1:] == [False, True]


def test_of_too_many_values_the_nearest_to_the_center_are_kept(parts, monkeypatch):
    monkeypatch.setattr(module, "MOST_POINTS", 20)
    known, rng = parts["blank"](), np.random.default_rng(5)
    X, Y = parts["draw"](known, rng, 30)
    center = np.array([0.8, 0.2])
    known.learn(X, Y, parts["bowl"](X, Y), center)
    far = np.abs(X - center).max(axis=1)
    kept = np.sort(np.argsort(far)[:20])
    np.testing.assert_array_equal(known.model.process.Z, np.hstack([X, Y])[kept])
    assert len(known.archive.v) == 30


def test_the_model_is_chosen_anew_when_the_data_has_grown(learned, parts, monkeypatch):
    calls = []
    choose, fit = module.choose_model, module.refit
    monkeypatch.setattr(module, "choose_model", lambda *a: calls.append("choose") or choose(*a))
    monkeypatch.setattr(module, "refit", lambda *a: calls.append("fit") or fit(*a))
    known = learned.copy()
    X, Y = parts["draw"](known, np.random.default_rng(6), 9)
    for n in ([0], [1], range(2, 8), [8]):
        known.learn(X[n], Y[n], parts["bowl"](X[n], Y[n]), None)
        calls.append(len(known.archive.v))
    assert calls == [26, "fit", 27, "fit", 33, "choose", 34]
    assert known.model.n == 34


def test_appended_values_give_the_model_that_all_of_them_give(learned, parts):
    known = learned.copy()
    X, Y = parts["draw"](known, np.random.default_rng(7), 1)
    known.learn(X, Y, parts["bowl"](X, Y), None)
    again = module.refit(learned.model, known.archive.Q, known.archive.v, 0)
    Q = np.hstack(parts["draw"](known, np.random.default_rng(8), 20))
    np.testing.assert_allclose(known.model.value(known.model.mean(Q)), again.value(again.mean(Q)), rtol=1e-5, atol=1e-5)


def test_parameters_that_predict_worse_are_refused(learned, parts, monkeypatch):
    known = learned.copy()
    X, Y = parts["draw"](known, np.random.default_rng(6), 3)
    worse = module.refit(learned.model, learned.archive.Q, learned.archive.v, 0)
    worse.process.theta[:3] = np.log(0.03)

    def spoil(model, Q, v, n_steps=12):
        return fit(worse, Q, v, 0) if n_steps else fit(model, Q, v, n_steps)

    fit = module.refit
    monkeypatch.setattr(module, "refit", spoil)
    before = learned.model.process.theta.copy()
    known.learn(X, Y, parts["bowl"](X, Y), None)
    np.testing.assert_array_equal(known.model.process.theta, before)
    assert known.model.n == 28


def test_belief_changes_a_copy_and_keeps_the_parameters(learned):
    known = learned.copy()
    x, y = np.array([[0.9, 0.9]]), np.array([[0.1]])
    known.believe(x, y, np.array([2.0]))
    assert known.model.value(known.model.mean(np.hstack([x, y])))[0] == pytest.approx(2.0, abs=1e-3)
    np.testing.assert_array_equal(known.model.process.theta, learned.model.process.theta)
    assert learned.model.n == 25
