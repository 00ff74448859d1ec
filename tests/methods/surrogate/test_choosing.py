"""How a surrogate chooses among many x without computing every bound."""

import numpy as np

from reckless.methods.surrogate.rounds import lowest_of


def test_the_lowest_bound_is_found_by_computing_few():
    rng = np.random.default_rng(4)
    least = rng.random(50) - 3.0
    bounds = least + 0.2 * rng.random(50)
    asked = []

    def bound(i):
        asked.append(i)
        return bounds[i]

    assert lowest_of(least, bound) == (bounds.argmin(), bounds.min())
    assert len(asked) < 25
    assert all(least[i] <= bounds.min() for i in asked)


def test_where_every_x_fails_the_first_is_taken():
    assert lowest_of(np.full(3, np.inf), lambda i: 7.0 + i) == (0, np.inf)
