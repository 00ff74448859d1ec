import numpy as np

from reckless.core.outcome import against_maximizer, against_minimizer, has_failures


def test_a_failure_is_the_worst_that_can_happen_to_the_player_who_asked():
    values = np.array([1.0, np.nan, -np.inf])
    assert against_minimizer(values).tolist() == [1.0, np.inf, -np.inf]
    assert against_maximizer(values).tolist() == [1.0, -np.inf, -np.inf]


def test_infinite_values_are_not_failures():
    assert not has_failures(np.array([np.inf, -np.inf, 1e300]))
    assert has_failures(np.array([np.inf, np.nan]))
