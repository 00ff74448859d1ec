"""The sum model as lines along the coordinates of x have it."""

import numpy as np
import pytest

from reckless.methods.danskin.peak import Peak
from reckless.methods.danskin.sums.additive import Others
from reckless.methods.danskin.sums.lines import Line
from reckless.methods.danskin.sums.sweep import solve_sum, sweep, unbent

KINKS, WEIGHTS = np.array([0.31, 0.72, 0.55]), np.array([1.0, 4.0, 2.0])


def deviations(X, Y):
    return np.abs(X - KINKS) @ WEIGHTS + (X - 0.4) ** 2 @ WEIGHTS + 0.0 * Y.sum(1)


def nothing(n):
    none, never = np.zeros(0), np.zeros(0, dtype=bool)
    return Others(np.arange(0), none, none, np.zeros((0, n)), never, never, none)


@pytest.mark.parametrize("seed", range(20))
def test_hinges_reproduce_convex_lines(seed):
    """Between the points of each line the model is the straight interpolation."""
    rng = np.random.default_rng(seed)
    x, lines = rng.uniform(0.3, 0.7, 2), []
    for t in x.tolist():
        at = np.unique([0.1, t, 0.9, *rng.uniform(0.1, 0.9, 4)])
        lines.append(Line(0.1, 0.9, 0.1, [(u, -abs(u - 0.5) - (u - 0.2) ** 2) for u in at.tolist()]))
    slope, _, others = unbent(lines, x, nothing(2))
    for z in rng.uniform(0.1, 0.9, (20, 2)):
        d = z - x
        model = slope @ d + np.maximum(0.0, others.G @ d - others.gaps).sum()
        change = 0.0
        for i, line in enumerate(lines):
            before, after = -np.interp([x[i], z[i]], *zip(*line.points, strict=True))
            change += after - before
        assert model == pytest.approx(change, abs=1e-12)


def test_a_sweep_leads_to_the_kinks(driver):
    x = np.array([0.35, 0.69, 0.5])
    run = driver(deviations, 3, 2)
    base = Peak(np.full(2, 0.5), run.value(x, np.full(2, 0.5)))
    lines = run.run(sweep(run.oracle, x, base, 0.1))
    step = solve_sum(*unbent(lines, x, nothing(3)), x, 0.1)
    assert (x + step.d).tolist() == pytest.approx(KINKS.tolist(), abs=1e-8)
    assert step.predicted == pytest.approx(base.value - run.value(KINKS, base.y), abs=1e-8)
    assert run.task.n_used <= 60
