"""Facts that had several owners: evaluations used, the first failure, what "auto" is."""

import numpy as np
import pytest

from reckless import Scenarios, minimax
from support import X_BOUNDS, Y_BOUNDS, Interrupted, Recorder, tilted_bowl

WAYS = {
    "plain": {},
    "counted": {"on_error": "ignore"},
    "retries": {"retries": 2, "on_error": "ignore"},
    "maxtime": {"maxtime": 600.0},
    "raise": {"nan_policy": "raise"},
    "verify": {"verify": 100},
    "target": {"target": -1e9},
}


@pytest.mark.parametrize("method", ["danskin", "reckless", "mmde", "coevolution-alternating", "random-search"])
@pytest.mark.parametrize("way", [*WAYS, "journal"])
def test_ctrl_c_leaves_every_evaluation_counted(tmp_path, method, way):
    options = {"checkpoint": tmp_path / "run.journal"} if way == "journal" else WAYS[way]
    f = Interrupted(tilted_bowl, at=150)
    result = minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=1000, method=method, rng=7, **options)
    assert len(f) == 150
    assert result.nfev == 149  # the interrupted one gave no value
    assert not result.success


def test_ctrl_c_within_a_vectorized_batch_leaves_the_batches_before_it_counted():
    sizes = []

    def f(X, Y):
        sizes.append(len(X))
        if sum(sizes) > 150:
            raise KeyboardInterrupt
        return tilted_bowl(X.T, Y.T)

    result = minimax(f, X_BOUNDS, Y_BOUNDS, maxfev=1000, method="reckless", rng=7, vectorized=True)
    assert result.nfev == sum(sizes[:-1])


def fails_for_large_y(x, y):
    """Good at first sight: what is bad about it fails."""
    return np.nan if y[0] > 7.0 else tilted_bowl(x, y)


@pytest.mark.parametrize("options", [{}, {"on_error": "ignore"}, {"retries": 1}], ids=["plain", "counted", "retries"])
def test_a_failure_in_the_attack_of_a_target_is_kept_however_f_is_evaluated(options):
    class OnlyTheAttackFails:
        """Recommend one x at once, with a y that works; all other y are tried by the target's attack."""

        def search(self, task):
            x, y = np.full(task.n_x, 0.4), np.full(task.n_y, 0.2)
            for _ in task.rounds():
                values = yield x, y
                task.recommend(x, y, float(values[0]))

    calls = Recorder(fails_for_large_y)
    result = minimax(calls, X_BOUNDS, Y_BOUNDS, maxfev=300, method=OnlyTheAttackFails(), rng=7, target=1e3, **options)
    n_failed = sum(np.isnan(fails_for_large_y(x, y)) for x, y in calls.pairs)
    assert result.n_failed == n_failed > 0
    assert result.first_failure.summary == "f returned NaN."
    assert result.first_failure.y[0] > 7.0


@pytest.mark.parametrize("spelling", ["AUTO", "Auto", " auto "])
def test_auto_is_auto_however_it_is_spelled(spelling):
    y = Scenarios(np.linspace(2.0, 9.0, 12)[:, None])
    expected = minimax(tilted_bowl, X_BOUNDS, y, maxfev=600, rng=7)
    found = minimax(tilted_bowl, X_BOUNDS, y, maxfev=600, method=spelling, rng=7)
    assert found.method == expected.method
    assert found.method == "surrogate, then finite"
    assert (found.x.tolist(), found.fun, found.nfev) == (expected.x.tolist(), expected.fun, expected.nfev)
