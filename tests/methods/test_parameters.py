"""Parameters of methods: each is checked when the method is made, whatever is given."""

import pytest

from hostile import assert_is_refused_briefly
from reckless import MMDE, CoevolutionParallel, Danskin, InvalidArgument, Reckless, minimax
from reckless.core.spelling import defaults_of
from reckless.methods.finite import Finite
from support import X_BOUNDS, Y_BOUNDS, tilted_bowl

COUNTS = [True, "3", float("nan"), -1, 1.5, 10**400, None]
NUMBERS = [True, "0.3", float("nan"), float("inf"), -1.0, 10**400, None, 1e308, 1j]
FLAGS = [1, "true", None]
BAD_PARAMETERS = {
    MMDE: {
        "population_size": [*COUNTS, 3, 2**40],
        "n_boosts": [*COUNTS, 0],
        "n_regenerated": [*COUNTS, 51],
        "scale": [*NUMBERS, 0.0, 2.5],
        "crossover_rate": [*NUMBERS, 1.5],
    },
    CoevolutionParallel: {
        "population_size": [*COUNTS, 0, 2**40],
        "n_replaced": [*COUNTS, 0],
        "tournament_size": [*COUNTS, 0, 2**40],
        "mutation_rate": [*NUMBERS, 1.5],
        "mutation_scale": [*NUMBERS, 0.0],
    },
    Reckless: {
        "descent_share": [*NUMBERS, 0.0, 0.6],
        "outer": ["bfgs", None, ["cma"]],
        "antithetic": FLAGS,
        "restart": FLAGS,
        "population_size": [*COUNTS[:-1], 3, 2**40],
    },
    Danskin: {"reserve_share": [*NUMBERS, 1.0, 5]},
    Finite: {"reserve_share": [*NUMBERS, 1.0, 5]},
}
BAD_CASES = [
    (make, key, value) for make, bad in BAD_PARAMETERS.items() for key, values in bad.items() for value in values
]


@pytest.mark.parametrize(("make", "key", "value"), BAD_CASES, ids=range(len(BAD_CASES)))
def test_a_bad_parameter_of_a_method_is_refused_when_the_method_is_made(make, key, value):
    with pytest.raises(InvalidArgument, match=f"^{key}: expected"):
        make(**{key: value})


@pytest.mark.parametrize("make", BAD_PARAMETERS)
def test_every_parameter_of_a_method_is_checked(make):
    assert BAD_PARAMETERS[make].keys() == defaults_of(make).keys()


BAD_SPELLINGS = [
    "mmde:n_boosts=0,n_regenerated=0",
    "mmde:n_boosts=-5",
    "mmde:scale=nan",
    "danskin:reserve_share=nan",
    "danskin:reserve_share=5",
    f"mmde:population_size={'9' * 5000}",
    f"reckless:population_size={'9' * 4000}",
]


@pytest.mark.parametrize("spelling", BAD_SPELLINGS, ids=range(len(BAD_SPELLINGS)))
def test_a_bad_parameter_is_refused_as_it_is_spelled(spelling):
    assert_is_refused_briefly(lambda: minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=30, method=spelling))


def test_parameters_are_kept_as_they_were_read():
    assert repr(MMDE(n_boosts=1e2, scale=1)) == repr(MMDE(n_boosts=100, scale=1.0))
    assert minimax(tilted_bowl, X_BOUNDS, Y_BOUNDS, maxfev=300, method=MMDE(n_boosts=50.0), rng=7).nfev == 300
