"""Enumeration of a finite list."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reckless.core.task import Budget, Task
from reckless.methods.levels import maximize_over_y
from reckless.strategies.enumeration import Enumeration
from reckless.strategies.restarts import BIPOP
from support import minimize


def entries(points, n):
    return (points[:, 0] * n).astype(int)


@given(n=st.integers(1, 60), extra=st.integers(0, 20), seed=st.integers(0, 1000))
def test_a_short_list_is_tried_in_full_and_once(n, extra, seed):
    values = np.random.default_rng(seed).normal(size=n)
    best, batches = minimize(Enumeration(n), lambda points: values[entries(points, n)], [0.5], n + extra)
    assert len(batches) == 1
    assert entries(batches[0], n).tolist() == list(range(n))
    assert best.value == values.min()
    assert entries(best.point[None], n)[0] == values.argmin()
    assert best.n_used == n


@given(n=st.integers(2, 3000), share=st.floats(0.0, 1.0), start=st.floats(0.0, 1.0), seed=st.integers(0, 1000))
def test_of_a_long_list_no_entry_is_tried_twice_and_the_budget_is_spent(n, share, start, seed):
    budget = max(1, min(n - 1, int(share * n)))
    best, batches = minimize(Enumeration(n), lambda points: np.sin(points[:, 0] * 9.0), [start], budget, seed)
    tried = np.concatenate([entries(batch, n) for batch in batches])
    assert len(np.unique(tried)) == len(tried) == budget == best.n_used
    assert min(int(start * n), n - 1) in tried


def test_of_a_long_list_the_best_of_a_smooth_stretch_is_found():
    """Two humps among 100,000 entries by 200 trials; all of 20 seeds find the very best entry."""
    n = 100_000

    def f(points):
        u = points[:, 0]
        return -np.exp(-200.0 * (u - 0.31) ** 2) - 0.9 * np.exp(-200.0 * (u - 0.8) ** 2)

    lowest = f((np.arange(n)[:, None] + 0.5) / n).min()
    for seed in range(20):
        assert minimize(Enumeration(n), f, [0.8], 200, seed)[0].value == pytest.approx(lowest, abs=1e-9)


def test_failures_are_passed_over_and_a_list_of_failures_has_no_best():
    values = np.array([np.inf, 3.0, np.inf, 2.0])
    best, _ = minimize(Enumeration(4), lambda points: values[entries(points, 4)], [0.5], 10)
    assert best.value == 2.0
    none, _ = minimize(Enumeration(4), lambda points: np.full(len(points), np.inf), [0.5], 2)
    assert np.isnan(none.value)


def test_the_inner_maximum_over_a_short_list_is_exact():
    values = np.array([4.0, np.nan, 9.0, 1.0])
    task = Task(2, 1, Budget(100), np.random.default_rng(1), n_scenarios=4)
    leg = maximize_over_y(task, np.zeros(2), BIPOP(), start=np.array([0.1]), n_evaluations=50)
    _, Y = next(leg)
    with pytest.raises(StopIteration) as end:
        leg.send(values[entries(Y, 4)])
    y, worst = end.value.value
    assert (entries(y[None], 4)[0], worst) == (2, 9.0)
