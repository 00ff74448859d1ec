import numpy as np
import pytest

from reckless import CoevolutionAlternating, CoevolutionParallel, InvalidArgument, minimax
from reckless.methods.coevolution import _x_scores, _y_scores


def test_an_x_is_as_bad_as_its_worst_y_and_a_y_as_good_as_against_its_best_opponent():
    values = np.array([[1.0, 5.0], [3.0, 2.0]])
    assert _x_scores(values).tolist() == [5.0, 3.0]
    assert _y_scores(values).tolist() == [-1.0, -2.0]


def test_a_failure_counts_against_both_sides():
    values = np.array([[np.nan, 5.0], [3.0, 2.0]])
    assert _x_scores(values).tolist() == [np.inf, 3.0]
    assert _y_scores(values).tolist() == [np.inf, -2.0]


def test_the_worst_old_make_room_for_the_best_new_as_long_as_those_are_better():
    exchanges = CoevolutionAlternating(n_replaced=3)._exchanges(np.array([4.0, 9.0, 1.0]), np.array([5.0, 0.5, 7.0]))
    assert list(exchanges) == [(1, 1)]
    exchanges = CoevolutionAlternating(n_replaced=2)._exchanges(np.array([4.0, 9.0, 1.0]), np.array([3.0, 0.5, 7.0]))
    assert list(exchanges) == [(1, 1), (0, 0)]


def test_the_published_mutation_throws_most_genes_onto_the_boundary():
    """63 % of mutated genes leave the cube, the mean of P(u + N(0, 1) not in [0, 1]); at rate .9 it is 57 % of all."""
    children = CoevolutionAlternating()._offspring(
        np.random.default_rng(0).random((20_000, 2)), np.zeros(20_000), np.random.default_rng(1)
    )
    on_boundary = np.mean((children == 0.0) | (children == 1.0))
    assert on_boundary == pytest.approx(0.9 * 0.63, abs=0.01)


def test_parents_win_tournaments():
    parents = np.linspace(0.3, 0.7, 10)[:, None].repeat(1, axis=1)
    quiet = CoevolutionAlternating(mutation_rate=0.0, tournament_size=4)
    children = quiet._offspring(parents, np.arange(10.0), np.random.default_rng(0))
    assert children.mean() < parents.mean()
    assert set(children.ravel()) <= set(parents.ravel())


def test_a_half_step_of_the_alternating_kind_costs_the_square_of_the_population():
    sizes = []

    def f(X, Y):
        sizes.append(len(X))
        return X[:, 0] - Y[:, 0]

    minimax(f, [(1, 4)], [(2, 9)], maxfev=1050, method=CoevolutionAlternating(), rng=0, vectorized=True)
    assert sizes == [100] * 10


@pytest.mark.parametrize("kind", [CoevolutionAlternating, CoevolutionParallel])
def test_corner_optima_are_found(kind):
    """x = 1 and y = 9 are corners: 20 of 20 seeds hit them exactly at 2000 evaluations; asserted: all of 10."""
    for seed in range(10):
        result = minimax(
            lambda X, Y: X[:, 0] + Y[:, 0],
            [(1, 4)],
            [(2, 9)],
            maxfev=2000,
            method=kind(),
            rng=seed,
            vectorized=True,
        )
        assert result.x[0] == 1.0
        assert result.y[0] == 9.0


@pytest.mark.parametrize(
    "parameters",
    [
        {"population_size": 0},
        {"n_replaced": 0},
        {"tournament_size": 0},
        {"mutation_rate": 1.5},
        {"mutation_scale": 0.0},
    ],
)
def test_bad_parameters_are_refused(parameters):
    with pytest.raises(InvalidArgument, match=next(iter(parameters))):
        CoevolutionParallel(**parameters)
